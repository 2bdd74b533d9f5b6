//! Requests from operations: JSON with placeholders for every name and value.

mod statement;
mod transaction;

use super::condition::{Comparator, Condition, Operand};
use super::item::{Item, Path, Step};
use super::table::{Definition, IndexDefinition, KeyAttribute, Projection, SortCondition};
use super::update::{Action, SetOperand, SetValue};
use super::{BatchMember, Operation, Paging, Returns};
use crate::script::attribute_value;
use hashrange_model::AttributeValue;
use serde_json::{Map, Value as Json, json};

/// A request to send.
#[derive(Debug, Clone)]
pub struct Request {
    /// The operation's name.
    pub operation: &'static str,
    /// Its body.
    pub body: Json,
}

/// Returns an item as the wire has it.
pub fn item_json(item: &Item) -> Json {
    Json::Object(item.iter().map(|(name, value)| (name.clone(), attribute_value(value))).collect())
}

impl Request {
    /// Returns the request of an operation; for reads, that of the first page of the first segment.
    /// `definition` is the table's.
    pub fn of(operation: &Operation, definition: Option<&Definition>) -> Option<Self> {
        Some(match operation {
            Operation::CreateTable(definition) => {
                Self { operation: "CreateTable", body: create_table(definition) }
            }
            Operation::DeleteTable { table } => {
                Self { operation: "DeleteTable", body: json!({ "TableName": table }) }
            }
            Operation::CreateIndex { table, index } => {
                let keys = index.partition.iter().chain(&index.sort);
                let body = json!({
                    "TableName": table,
                    "AttributeDefinitions": attribute_definitions(keys),
                    "GlobalSecondaryIndexUpdates": [{ "Create": index_json(index) }],
                });
                Self { operation: "UpdateTable", body }
            }
            Operation::DeleteIndex { table, index } => {
                let updates = json!([{ "Delete": { "IndexName": index } }]);
                let body = json!({ "TableName": table, "GlobalSecondaryIndexUpdates": updates });
                Self { operation: "UpdateTable", body }
            }
            Operation::Put { table, item, condition, returns } => {
                let body = json!({ "TableName": table, "Item": item_json(item) });
                Self { operation: "PutItem", body: write(body, condition.as_ref(), &[], *returns) }
            }
            Operation::Delete { table, key, condition, returns } => {
                let body = json!({ "TableName": table, "Key": item_json(key) });
                let body = write(body, condition.as_ref(), &[], *returns);
                Self { operation: "DeleteItem", body }
            }
            Operation::Update { table, key, actions, condition, returns } => {
                let body = json!({ "TableName": table, "Key": item_json(key) });
                let body = write(body, condition.as_ref(), actions, *returns);
                Self { operation: "UpdateItem", body }
            }
            Operation::BatchWrite { table, members } => {
                let members: Vec<_> = members.iter().map(batch_member).collect();
                let body = json!({ "RequestItems": { table: members } });
                Self { operation: "BatchWriteItem", body }
            }
            Operation::Get { table, key, paths } => {
                Self { operation: "GetItem", body: get(table, key, paths) }
            }
            Operation::BatchGet { table, keys } => {
                let keys: Vec<_> = keys.iter().map(item_json).collect();
                let body = json!({ "RequestItems": { table: { "Keys": keys } } });
                Self { operation: "BatchGetItem", body }
            }
            Operation::TransactWrite { members, token } => {
                transaction::transact_write(members, token.as_deref())
            }
            Operation::TransactGet { gets } => transaction::transact_get(gets),
            Operation::Query { .. } => return query(operation, definition),
            Operation::Scan { table, index, segments, paging } => {
                Self { operation: "Scan", body: scan(table, index.as_deref(), *segments, paging) }
            }
            Operation::Statement(one) => return statement::execute(one, definition),
            Operation::StatementBatch { statements } => return statement::batch(statements),
            Operation::StatementTransaction { statements } => {
                return statement::transaction(statements);
            }
            Operation::Advance { .. } | Operation::Reopen | Operation::Declare { .. } => {
                return None;
            }
        })
    }
}

/// Returns the first page of a Query; `None` for other operations, or if its table or index is not defined.
fn query(operation: &Operation, definition: Option<&Definition>) -> Option<Request> {
    let Operation::Query { table, index, partition, sort, forward, paging } = operation else {
        return None;
    };
    let mut placeholders = Placeholders::default();
    let (hash, range) = keys_of(definition?, index.as_deref())?;
    let mut clauses: Vec<_> = hash
        .iter()
        .zip(partition)
        .map(|(key, value)| {
            let name = placeholders.name(&key.name);
            format!("{name} = {}", placeholders.value(value))
        })
        .collect();
    let sort = range.iter().zip(sort);
    clauses.extend(sort.map(|(key, condition)| placeholders.sort(&key.name, condition)));
    let mut body = json!({
        "TableName": table,
        "KeyConditionExpression": clauses.join(" AND "),
        "ScanIndexForward": forward,
    });
    add_paging(&mut body, index.as_deref(), paging, &mut placeholders);
    placeholders.add_to(&mut body);
    Some(Request { operation: "Query", body })
}

/// Returns the members of the first page of a Scan's first segment.
fn scan(table: &str, index: Option<&str>, segments: usize, paging: &Paging) -> Json {
    let mut placeholders = Placeholders::default();
    let mut body = json!({ "TableName": table });
    if segments > 1 {
        body["TotalSegments"] = segments.into();
        body["Segment"] = 0.into();
    }
    add_paging(&mut body, index, paging, &mut placeholders);
    placeholders.add_to(&mut body);
    body
}

/// Returns the members of GetItem and of a Get in TransactGetItems.
fn get(table: &str, key: &Item, paths: &[Path]) -> Json {
    let mut body = json!({ "TableName": table, "Key": item_json(key) });
    if !paths.is_empty() {
        let mut placeholders = Placeholders::default();
        let paths: Vec<_> = paths.iter().map(|path| placeholders.path(path)).collect();
        body["ProjectionExpression"] = paths.join(", ").into();
        placeholders.add_to(&mut body);
    }
    body
}

fn keys_of<'d>(
    definition: &'d Definition,
    index: Option<&str>,
) -> Option<(Vec<&'d KeyAttribute>, Vec<&'d KeyAttribute>)> {
    Some(match index {
        None => (vec![&definition.partition], definition.sort.iter().collect()),
        Some(index) => {
            let index = definition.indexes.iter().find(|known| known.name == index)?;
            (index.partition.iter().collect(), index.sort.iter().collect())
        }
    })
}

fn add_paging(
    body: &mut Json,
    index: Option<&str>,
    paging: &Paging,
    placeholders: &mut Placeholders,
) {
    if let Some(index) = index {
        body["IndexName"] = index.into();
    }
    if let Some(limit) = paging.limit {
        body["Limit"] = limit.into();
    }
    if let Some(filter) = &paging.filter {
        body["FilterExpression"] = placeholders.condition(filter).into();
    }
    if paging.consistent {
        body["ConsistentRead"] = true.into();
    }
}

fn create_table(definition: &Definition) -> Json {
    let index_keys = definition.indexes.iter().flat_map(|it| it.partition.iter().chain(&it.sort));
    let key: Vec<_> = definition.partition_and_sort();
    let mut body = json!({
        "TableName": definition.name,
        "AttributeDefinitions": attribute_definitions(definition.key().chain(index_keys)),
        "KeySchema": key,
        "BillingMode": "PAY_PER_REQUEST",
        "StreamSpecification": { "StreamEnabled": true, "StreamViewType": "NEW_AND_OLD_IMAGES" },
    });
    for (member, is_local) in [("LocalSecondaryIndexes", true), ("GlobalSecondaryIndexes", false)] {
        let indexes = definition.indexes.iter().filter(|index| index.is_local == is_local);
        let indexes: Vec<_> = indexes.map(index_json).collect();
        if !indexes.is_empty() {
            body[member] = indexes.into();
        }
    }
    body
}

impl Definition {
    fn partition_and_sort(&self) -> Vec<Json> {
        key_schema(std::slice::from_ref(&self.partition), self.sort.as_slice())
    }
}

fn key_schema(partition: &[KeyAttribute], sort: &[KeyAttribute]) -> Vec<Json> {
    let element = |key: &KeyAttribute, role| json!({ "AttributeName": key.name, "KeyType": role });
    let partition = partition.iter().map(|key| element(key, "HASH"));
    partition.chain(sort.iter().map(|key| element(key, "RANGE"))).collect()
}

fn attribute_definitions<'k>(keys: impl Iterator<Item = &'k KeyAttribute>) -> Vec<Json> {
    let mut known = Vec::new();
    for key in keys {
        let definition = json!({ "AttributeName": key.name, "AttributeType": key.key_type.name() });
        if !known.contains(&definition) {
            known.push(definition);
        }
    }
    known
}

fn index_json(index: &IndexDefinition) -> Json {
    let projection = match &index.projection {
        Projection::All => json!({ "ProjectionType": "ALL" }),
        Projection::KeysOnly => json!({ "ProjectionType": "KEYS_ONLY" }),
        Projection::Include(names) => {
            json!({ "ProjectionType": "INCLUDE", "NonKeyAttributes": names })
        }
    };
    json!({
        "IndexName": index.name,
        "KeySchema": key_schema(&index.partition, &index.sort),
        "Projection": projection,
    })
}

fn batch_member(member: &BatchMember) -> Json {
    match member {
        BatchMember::Put(item) => json!({ "PutRequest": { "Item": item_json(item) } }),
        BatchMember::Delete(key) => json!({ "DeleteRequest": { "Key": item_json(key) } }),
    }
}

fn write(
    mut body: Json,
    condition: Option<&Condition>,
    actions: &[Action],
    returns: Returns,
) -> Json {
    let mut placeholders = Placeholders::default();
    if !actions.is_empty() {
        body["UpdateExpression"] = placeholders.update(actions).into();
    }
    if let Some(condition) = condition {
        body["ConditionExpression"] = placeholders.condition(condition).into();
        body["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD".into();
    }
    placeholders.add_to(&mut body);
    body["ReturnValues"] = match returns {
        Returns::None => "NONE",
        Returns::AllOld => "ALL_OLD",
        Returns::AllNew => "ALL_NEW",
        Returns::UpdatedOld => "UPDATED_OLD",
        Returns::UpdatedNew => "UPDATED_NEW",
    }
    .into();
    body
}

/// Names and values of a request as they are used.
#[derive(Default)]
struct Placeholders {
    names: Vec<String>,
    values: Map<String, Json>,
}

impl Placeholders {
    fn add_to(self, body: &mut Json) {
        if !self.names.is_empty() {
            let names = self.names.into_iter().enumerate();
            body["ExpressionAttributeNames"] =
                names.map(|(nth, name)| (format!("#n{nth}"), Json::from(name))).collect();
        }
        if !self.values.is_empty() {
            body["ExpressionAttributeValues"] = Json::Object(self.values);
        }
    }

    fn name(&mut self, name: &str) -> String {
        let known = self.names.iter().position(|known| known == name);
        let nth = known.unwrap_or_else(|| {
            self.names.push(name.to_owned());
            self.names.len() - 1
        });
        format!("#n{nth}")
    }

    fn value(&mut self, value: &AttributeValue) -> String {
        let placeholder = format!(":v{}", self.values.len());
        self.values.insert(placeholder.clone(), attribute_value(value));
        placeholder
    }

    fn path(&mut self, path: &Path) -> String {
        let mut text = self.name(&path.attribute);
        for step in &path.steps {
            match step {
                Step::Member(name) => text.extend([".", &self.name(name)]),
                Step::Element(nth) => text.extend(["[", &nth.to_string(), "]"]),
            }
        }
        text
    }

    fn sort(&mut self, attribute: &str, condition: &SortCondition) -> String {
        let name = self.name(attribute);
        match condition {
            SortCondition::Compare(comparator, value) => {
                format!("{name} {} {}", symbol(*comparator), self.value(value))
            }
            SortCondition::Between(lower, upper) => {
                format!("{name} BETWEEN {} AND {}", self.value(lower), self.value(upper))
            }
            SortCondition::BeginsWith(prefix) => {
                format!("begins_with({name}, {})", self.value(prefix))
            }
        }
    }

    fn condition(&mut self, condition: &Condition) -> String {
        match condition {
            Condition::Compare(left, comparator, right) => {
                let left = self.operand(left);
                format!("{left} {} {}", symbol(*comparator), self.operand(right))
            }
            Condition::Between(operand, lower, upper) => {
                let operand = self.operand(operand);
                format!("{operand} BETWEEN {} AND {}", self.value(lower), self.value(upper))
            }
            Condition::In(operand, choices) => {
                let operand = self.operand(operand);
                let choices: Vec<_> = choices.iter().map(|value| self.value(value)).collect();
                format!("{operand} IN ({})", choices.join(", "))
            }
            Condition::Exists(path) => format!("attribute_exists({})", self.path(path)),
            Condition::NotExists(path) => format!("attribute_not_exists({})", self.path(path)),
            Condition::TypeIs(path, wanted) => {
                let path = self.path(path);
                format!("attribute_type({path}, {})", self.value(&wanted.as_str().into()))
            }
            Condition::BeginsWith(path, prefix) => {
                let path = self.path(path);
                format!("begins_with({path}, {})", self.value(prefix))
            }
            Condition::Contains(path, part) => {
                let path = self.path(path);
                format!("contains({path}, {})", self.value(part))
            }
            Condition::And(left, right) => {
                let left = self.condition(left);
                format!("({left}) AND ({})", self.condition(right))
            }
            Condition::Or(left, right) => {
                let left = self.condition(left);
                format!("({left}) OR ({})", self.condition(right))
            }
            Condition::Not(condition) => format!("NOT ({})", self.condition(condition)),
        }
    }

    fn operand(&mut self, operand: &Operand) -> String {
        match operand {
            Operand::Path(path) => self.path(path),
            Operand::Value(value) => self.value(value),
            Operand::Size(path) => format!("size({})", self.path(path)),
        }
    }

    fn update(&mut self, actions: &[Action]) -> String {
        let mut sections = Vec::new();
        for section in ["SET", "REMOVE", "ADD", "DELETE"] {
            let clauses: Vec<_> =
                actions.iter().filter_map(|action| self.action(section, action)).collect();
            if !clauses.is_empty() {
                sections.push(format!("{section} {}", clauses.join(", ")));
            }
        }
        sections.join(" ")
    }

    fn action(&mut self, section: &str, action: &Action) -> Option<String> {
        match (section, action) {
            ("SET", Action::Set(path, value)) => {
                let path = self.path(path);
                Some(format!("{path} = {}", self.set_value(value)))
            }
            ("REMOVE", Action::Remove(path)) => Some(self.path(path)),
            ("ADD", Action::Add(path, value)) | ("DELETE", Action::Delete(path, value)) => {
                let path = self.path(path);
                Some(format!("{path} {}", self.value(value)))
            }
            _ => None,
        }
    }

    fn set_value(&mut self, value: &SetValue) -> String {
        match value {
            SetValue::Operand(operand) => self.set_operand(operand),
            SetValue::Plus(left, right) => {
                let left = self.set_operand(left);
                format!("{left} + {}", self.set_operand(right))
            }
            SetValue::Minus(left, right) => {
                let left = self.set_operand(left);
                format!("{left} - {}", self.set_operand(right))
            }
            SetValue::ListAppend(left, right) => {
                let left = self.set_operand(left);
                format!("list_append({left}, {})", self.set_operand(right))
            }
        }
    }

    fn set_operand(&mut self, operand: &SetOperand) -> String {
        match operand {
            SetOperand::Value(value) => self.value(value),
            SetOperand::Path(path) => self.path(path),
            SetOperand::IfNotExists(path, value) => {
                let path = self.path(path);
                format!("if_not_exists({path}, {})", self.value(value))
            }
        }
    }
}

fn symbol(comparator: Comparator) -> &'static str {
    match comparator {
        Comparator::Equal => "=",
        Comparator::NotEqual => "<>",
        Comparator::Less => "<",
        Comparator::LessOrEqual => "<=",
        Comparator::Greater => ">",
        Comparator::GreaterOrEqual => ">=",
    }
}
