//! Blocks `aws_dynamodb_table` as requests of CreateTable.

use super::cursor::TerraformFault;
use super::tree::{self, Block, Body, Literal};
use crate::plan::TablePlan;
use serde_json::{Map, Value, json};
use std::cell::RefCell;
use std::collections::BTreeMap;

const RESOURCE: &str = "aws_dynamodb_table";

/// Tables of a text in Terraform's language.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Contents {
    /// The tables.
    pub tables: Vec<Table>,
    /// What is no table: kinds of blocks, each with its number.
    pub others: Vec<String>,
}

/// A table, and what of its block has no meaning here.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Table {
    /// The table.
    pub plan: TablePlan,
    /// Names of attributes and blocks that are not taken.
    pub not_taken: Vec<String>,
}

type Read<T> = Result<T, TerraformFault>;

/// Reads the tables of a text.
pub fn read(text: &str) -> Read<Contents> {
    let body = tree::parse(text)?;
    let mut contents = Contents::default();
    let mut others: BTreeMap<String, usize> = BTreeMap::new();
    for block in &body.blocks {
        if block.kind == "resource" && block.labels.first().is_some_and(|it| it == RESOURCE) {
            contents.tables.push(table(block)?);
        } else {
            let label =
                block.labels.first().filter(|_| block.kind == "resource" || block.kind == "data");
            let name =
                label.map_or_else(|| block.kind.clone(), |it| format!("{} {it}", block.kind));
            *others.entry(name).or_default() += 1;
        }
    }
    let told = |(name, number)| if number == 1 { name } else { format!("{number} {name}") };
    contents.others = others.into_iter().map(told).collect();
    Ok(contents)
}

fn table(block: &Block) -> Read<Table> {
    let of = block.labels.get(1).map_or("table", String::as_str);
    let reader = Reader { of, not_taken: RefCell::default() };
    let mut taker = Taker::new(&block.body);
    for several in ["count", "for_each"] {
        if let Some((_, line)) = taker.value(several) {
            return reader.fault(
                line,
                &format!(
                    "{several} makes several tables of one block, which is not understood here"
                ),
            );
        }
    }
    let name = reader.text(&mut taker, "name")?;
    let Some(name) = name else { return reader.fault(block.line, "name is missing") };
    let mut request = Map::new();
    request.insert("TableName".to_owned(), json!(name));
    request.insert("AttributeDefinitions".to_owned(), reader.attributes(&mut taker)?);
    request.insert("KeySchema".to_owned(), reader.key(&mut taker, block.line)?);
    let is_on_demand = reader.is_on_demand(&mut taker)?;
    let units = reader.units(&mut taker)?;
    if is_on_demand {
        request.insert("BillingMode".to_owned(), json!("PAY_PER_REQUEST"));
    } else {
        let units =
            units.unwrap_or_else(|| json!({ "ReadCapacityUnits": 1, "WriteCapacityUnits": 1 }));
        request.insert("ProvisionedThroughput".to_owned(), units);
    }
    reader.throughput(&mut taker, &mut request)?;
    for (kind, member) in [
        ("local_secondary_index", "LocalSecondaryIndexes"),
        ("global_secondary_index", "GlobalSecondaryIndexes"),
    ] {
        let hash = request["KeySchema"][0].clone();
        let is_local = kind == "local_secondary_index";
        let indexes: Vec<Value> = taker
            .blocks(kind)
            .into_iter()
            .map(|it| reader.index(it, is_local.then_some(&hash), is_on_demand))
            .collect::<Read<_>>()?;
        if !indexes.is_empty() {
            request.insert(member.to_owned(), Value::Array(indexes));
        }
    }
    reader.settings(&mut taker, &mut request)?;
    let time_to_live = reader.time_to_live(&mut taker)?;
    let mut not_taken = reader.not_taken.into_inner();
    not_taken.extend(taker.left());
    let plan = TablePlan { name, request, time_to_live, ..TablePlan::default() };
    Ok(Table { plan, not_taken })
}

/// Attributes and blocks of a body that nobody has taken.
struct Taker<'b> {
    body: &'b Body,
    taken: Vec<&'static str>,
}

impl<'b> Taker<'b> {
    fn new(body: &'b Body) -> Self {
        Self { body, taken: Vec::new() }
    }

    fn value(&mut self, name: &'static str) -> Option<(&'b Literal, usize)> {
        self.taken.push(name);
        let found = self.body.attributes.iter().find(|it| it.name == name)?;
        (found.value != Literal::Null).then_some((&found.value, found.line))
    }

    fn blocks(&mut self, kind: &'static str) -> Vec<&'b Block> {
        self.taken.push(kind);
        self.body.blocks.iter().filter(|it| it.kind == kind).collect()
    }

    /// Returns the names of what is left.
    fn left(self) -> Vec<String> {
        let attributes = self.body.attributes.iter().map(|it| &it.name);
        let names = attributes.chain(self.body.blocks.iter().map(|it| &it.kind));
        let mut left: Vec<String> =
            names.filter(|name| !self.taken.contains(&name.as_str())).cloned().collect();
        left.sort();
        left.dedup();
        left
    }
}

/// Reads the members of one table; faults name it.
struct Reader<'r> {
    of: &'r str,
    /// Names of attributes and blocks in blocks that are not taken, each with its block.
    not_taken: RefCell<Vec<String>>,
}

impl Reader<'_> {
    fn fault<T>(&self, line: usize, why: &str) -> Read<T> {
        Err(TerraformFault { line, why: format!("{}: {why}", self.of) })
    }

    fn wrong<T>(&self, name: &str, wanted: &str, (found, line): (&Literal, usize)) -> Read<T> {
        let why = match found {
            Literal::Other(text) if text.starts_with("<<") => {
                format!("{name}: a heredoc is not understood here: write the value in quotes")
            }
            Literal::Other(text) => format!(
                "{name}: `{text}` is a variable, a function or another expression, which is not understood here: \
                 write the value in its place"
            ),
            _ => format!("{name} is no {wanted}"),
        };
        self.fault(line, &why)
    }

    /// Keeps the names of what a block has and nobody has taken.
    fn close(&self, taker: Taker<'_>, of: &str) {
        let left = taker.left().into_iter().map(|left| format!("{left} of {of}"));
        self.not_taken.borrow_mut().extend(left);
    }

    fn is_on_demand(&self, taker: &mut Taker<'_>) -> Read<bool> {
        const NAME: &str = "billing_mode";
        let line = taker.value(NAME).map_or(0, |(_, line)| line);
        match self.text(taker, NAME)?.as_deref() {
            None | Some("PROVISIONED") => Ok(false),
            Some("PAY_PER_REQUEST") => Ok(true),
            Some(other) => self.fault(line, &format!("{other:?} is no billing_mode")),
        }
    }

    fn text(&self, taker: &mut Taker<'_>, name: &'static str) -> Read<Option<String>> {
        match taker.value(name) {
            None => Ok(None),
            Some((Literal::Text(text), _)) => Ok(Some(text.clone())),
            Some(other) => self.wrong(name, "text", other),
        }
    }

    fn truth(&self, taker: &mut Taker<'_>, name: &'static str) -> Read<Option<bool>> {
        match taker.value(name) {
            None => Ok(None),
            Some((Literal::Bool(is), _)) => Ok(Some(*is)),
            Some((Literal::Text(text), _)) if ["true", "false"].contains(&text.as_str()) => {
                Ok(Some(text == "true"))
            }
            Some(other) => self.wrong(name, "truth value", other),
        }
    }

    fn number(&self, taker: &mut Taker<'_>, name: &'static str) -> Read<Option<i64>> {
        let Some(found) = taker.value(name) else { return Ok(None) };
        let text = match found.0 {
            Literal::Number(text) | Literal::Text(text) => text.as_str(),
            _ => "",
        };
        match text.parse() {
            Ok(number) => Ok(Some(number)),
            Err(_) => self.wrong(name, "whole number", found),
        }
    }

    fn names(&self, taker: &mut Taker<'_>, name: &'static str) -> Read<Vec<String>> {
        let Some(found) = taker.value(name) else { return Ok(Vec::new()) };
        let Literal::List(values) = found.0 else {
            return self.wrong(name, "list of texts", found);
        };
        let names = values.iter().map(|(value, line)| match value {
            Literal::Text(text) => Ok(text.clone()),
            other => self.wrong(name, "list of texts", (other, *line)),
        });
        names.collect()
    }

    fn attributes(&self, taker: &mut Taker<'_>) -> Read<Value> {
        let attribute = |block: &Block| {
            let mut taker = Taker::new(&block.body);
            let (name, kind) = (self.text(&mut taker, "name")?, self.text(&mut taker, "type")?);
            self.close(taker, "an attribute");
            match (name, kind) {
                (Some(name), Some(kind)) => {
                    Ok(json!({ "AttributeName": name, "AttributeType": kind }))
                }
                _ => self.fault(block.line, "an attribute has a name and a type"),
            }
        };
        taker.blocks("attribute").into_iter().map(attribute).collect()
    }

    fn key(&self, taker: &mut Taker<'_>, line: usize) -> Read<Value> {
        let Some(hash) = self.text(taker, "hash_key")? else {
            return self.fault(line, "hash_key is missing");
        };
        let mut schema = vec![json!({ "AttributeName": hash, "KeyType": "HASH" })];
        if let Some(range) = self.text(taker, "range_key")? {
            schema.push(json!({ "AttributeName": range, "KeyType": "RANGE" }));
        }
        Ok(Value::Array(schema))
    }

    fn units(&self, taker: &mut Taker<'_>) -> Read<Option<Value>> {
        let read = self.number(taker, "read_capacity")?;
        let write = self.number(taker, "write_capacity")?;
        let units = |read, write| json!({ "ReadCapacityUnits": read, "WriteCapacityUnits": write });
        Ok((read.is_some() || write.is_some())
            .then(|| units(read.unwrap_or(1), write.unwrap_or(1))))
    }

    /// Takes the most and the warm units of a table or an index.
    fn throughput(&self, taker: &mut Taker<'_>, into: &mut Map<String, Value>) -> Read<()> {
        const ON_DEMAND: [(&str, &str); 2] = [
            ("max_read_request_units", "MaxReadRequestUnits"),
            ("max_write_request_units", "MaxWriteRequestUnits"),
        ];
        const WARM: [(&str, &str); 2] = [
            ("read_units_per_second", "ReadUnitsPerSecond"),
            ("write_units_per_second", "WriteUnitsPerSecond"),
        ];
        for (kind, member, names) in [
            ("on_demand_throughput", "OnDemandThroughput", ON_DEMAND),
            ("warm_throughput", "WarmThroughput", WARM),
        ] {
            for block in taker.blocks(kind) {
                let mut inner = Taker::new(&block.body);
                let mut units = Map::new();
                for (name, of_request) in names {
                    let number = self.number(&mut inner, name)?;
                    units.extend(number.map(|number| (of_request.to_owned(), json!(number))));
                }
                self.close(inner, kind);
                into.insert(member.to_owned(), Value::Object(units));
            }
        }
        Ok(())
    }

    /// Reads an index; a local one has the partition key of its table.
    fn index(&self, block: &Block, of_table: Option<&Value>, is_on_demand: bool) -> Read<Value> {
        let mut taker = Taker::new(&block.body);
        let Some(name) = self.text(&mut taker, "name")? else {
            return self.fault(block.line, "an index has no name");
        };
        let key = match of_table {
            Some(hash) => {
                let Some(range) = self.text(&mut taker, "range_key")? else {
                    return self.fault(block.line, &format!("the index {name} has no range_key"));
                };
                json!([hash, { "AttributeName": range, "KeyType": "RANGE" }])
            }
            None => self.index_key(&mut taker, block.line)?,
        };
        let mut projection = Map::new();
        let kind = self.text(&mut taker, "projection_type")?;
        projection.insert("ProjectionType".to_owned(), json!(kind.as_deref().unwrap_or("ALL")));
        let others = self.names(&mut taker, "non_key_attributes")?;
        if !others.is_empty() {
            projection.insert("NonKeyAttributes".to_owned(), json!(others));
        }
        let mut index = Map::new();
        index.insert("IndexName".to_owned(), json!(name));
        index.insert("KeySchema".to_owned(), key);
        index.insert("Projection".to_owned(), Value::Object(projection));
        if of_table.is_none() {
            let units = self.units(&mut taker)?;
            if !is_on_demand {
                let one = || json!({ "ReadCapacityUnits": 1, "WriteCapacityUnits": 1 });
                index.insert("ProvisionedThroughput".to_owned(), units.unwrap_or_else(one));
            }
            self.throughput(&mut taker, &mut index)?;
        }
        self.close(taker, "an index");
        Ok(Value::Object(index))
    }

    /// Reads the key of a global index: blocks `key_schema`, or `hash_key` and `range_key`.
    fn index_key(&self, taker: &mut Taker<'_>, line: usize) -> Read<Value> {
        let blocks = taker.blocks("key_schema");
        if blocks.is_empty() {
            return self.key(taker, line);
        }
        let element = |block: &Block| {
            let mut taker = Taker::new(&block.body);
            let name = self.text(&mut taker, "attribute_name")?;
            let kind = self.text(&mut taker, "key_type")?;
            self.close(taker, "a key_schema");
            match (name, kind) {
                (Some(name), Some(kind)) => Ok(json!({ "AttributeName": name, "KeyType": kind })),
                _ => self.fault(block.line, "a key_schema has an attribute_name and a key_type"),
            }
        };
        blocks.into_iter().map(element).collect()
    }

    /// Takes stream, encryption, class, protection and tags.
    fn settings(&self, taker: &mut Taker<'_>, request: &mut Map<String, Value>) -> Read<()> {
        let view = self.text(taker, "stream_view_type")?;
        if self.truth(taker, "stream_enabled")? == Some(true) {
            let stream =
                json!({ "StreamEnabled": true, "StreamViewType": view.unwrap_or_default() });
            request.insert("StreamSpecification".to_owned(), stream);
        }
        for block in taker.blocks("server_side_encryption") {
            let mut inner = Taker::new(&block.body);
            let is_on = self.truth(&mut inner, "enabled")? == Some(true);
            let key = self.text(&mut inner, "kms_key_arn")?;
            self.close(inner, "server_side_encryption");
            if is_on {
                let mut told = json!({ "Enabled": true, "SSEType": "KMS" });
                if let Some(key) = key {
                    told["KMSMasterKeyId"] = json!(key);
                }
                request.insert("SSESpecification".to_owned(), told);
            }
        }
        if let Some(class) = self.text(taker, "table_class")? {
            request.insert("TableClass".to_owned(), json!(class));
        }
        if self.truth(taker, "deletion_protection_enabled")? == Some(true) {
            request.insert("DeletionProtectionEnabled".to_owned(), json!(true));
        }
        if let Some(found) = taker.value("tags") {
            let Literal::Object(tags) = found.0 else { return self.wrong("tags", "object", found) };
            let tag = |(key, value, line): &(String, Literal, usize)| match value {
                Literal::Text(value) => Ok(json!({ "Key": key, "Value": value })),
                other => self.wrong("tags", "object of texts", (other, *line)),
            };
            let tags = tags.iter().map(tag).collect::<Read<Value>>()?;
            request.insert("Tags".to_owned(), tags);
        }
        Ok(())
    }

    fn time_to_live(&self, taker: &mut Taker<'_>) -> Read<Option<String>> {
        let mut attribute = None;
        for block in taker.blocks("ttl") {
            let mut inner = Taker::new(&block.body);
            let name = self.text(&mut inner, "attribute_name")?;
            if self.truth(&mut inner, "enabled")? != Some(false) {
                attribute = name;
            }
            self.close(inner, "ttl");
        }
        Ok(attribute)
    }
}
