//! `hashrange alter`: changes of a table, one after the other, because the service takes most of them
//! only by themselves and while the table is active.

use super::definition::grammar::{self, Index, Throughput};
use super::definition::request::{self, Types};
use super::definition::settle::{Wanted, settle};
use crate::arguments::{Alter, Format};
use crate::client::Client;
use crate::exit::Usage;
use crate::output::{self, printer::Printer};
use hashrange::Operation;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A change of the table.
#[derive(Debug)]
struct TableChange {
    /// Message when it is done.
    done: String,
    operation: Operation,
    request: Value,
    wanted: Option<Wanted>,
}

/// Makes the changes, and prints a line after each.
pub fn run(client: &mut Client, arguments: &Alter) -> anyhow::Result<()> {
    let name = &arguments.table;
    let format = Printer::of(&arguments.connection)?.format;
    let described = client.call(Operation::DescribeTable, &json!({ "TableName": name }))?;
    let mut changes = changes(arguments, &described["Table"])?;
    changes.extend(expiry(client, arguments)?);
    if changes.is_empty() {
        return Err(Usage("say what to change; `hashrange alter --help` lists it".into()).into());
    }
    let last = changes.len() - 1;
    for (nth, change) in changes.iter().enumerate() {
        client.call(change.operation, &change.request)?;
        match change.wanted {
            Some(wanted) if !(arguments.no_wait && nth == last) => {
                let left: Vec<&str> =
                    changes[nth + 1..].iter().map(|change| change.done.as_str()).collect();
                let after = (!left.is_empty()).then(|| format!("not begun: {}", left.join(", ")));
                settle(client, name, wanted, after.as_deref())?;
            }
            _ => {}
        }
        if format == Format::Table {
            output::line(format_args!("{name}: {}", change.done))?;
        }
    }
    if format != Format::Table {
        let described = client.call(Operation::DescribeTable, &json!({ "TableName": name }))?;
        output::line(if format == Format::Ddb { &described } else { &described["Table"] })?;
    }
    Ok(())
}

/// Returns the changes in the order in which the help lists them.
fn changes(arguments: &Alter, table: &Value) -> anyhow::Result<Vec<TableChange>> {
    let mut changes = Vec::new();
    let update = |done: &str, members: Value| {
        let mut request = members;
        request["TableName"] = json!(arguments.table);
        let wanted = Some(Wanted::Active);
        TableChange { done: done.to_owned(), operation: Operation::UpdateTable, request, wanted }
    };
    if arguments.protect || arguments.no_protect {
        let done = if arguments.protect { "protected" } else { "not protected" };
        changes.push(update(done, json!({ "DeletionProtectionEnabled": arguments.protect })));
    }
    changes.extend(tag_changes(arguments, table)?);
    changes.extend(billing(arguments, table)?.map(|(done, members)| update(done, members)));
    if let Some(class) = arguments.class {
        let class = request::class(class);
        changes.push(update(&format!("class {class}"), json!({ "TableClass": class })));
    }
    if arguments.no_stream {
        let off = json!({ "StreamEnabled": false });
        changes.push(update("no stream", json!({ "StreamSpecification": off })));
    }
    if let Some(image) = arguments.stream {
        let on = request::stream(image);
        changes.push(update("stream enabled", json!({ "StreamSpecification": on })));
    }
    for index in &arguments.drop_gsi {
        let delete = json!([{ "Delete": { "IndexName": index } }]);
        let members = json!({ "GlobalSecondaryIndexUpdates": delete });
        changes.push(update(&format!("index {index} dropped"), members));
    }
    for index in request::read_all("--add-gsi", &arguments.add_gsi, grammar::global_index)? {
        let members = new_index(arguments, &index, table)?;
        changes.push(update(&format!("index {} added", index.name), members));
    }
    Ok(changes)
}

fn tag_changes(arguments: &Alter, table: &Value) -> anyhow::Result<Vec<TableChange>> {
    let change = |done: &str, operation, request| TableChange {
        done: done.to_owned(),
        operation,
        request,
        wanted: None,
    };
    let mut changes = Vec::new();
    let arn = &table["TableArn"];
    if !arguments.tag.is_empty() {
        let request = json!({ "ResourceArn": arn, "Tags": request::tags(&arguments.tag)? });
        changes.push(change("tagged", Operation::TagResource, request));
    }
    if !arguments.untag.is_empty() {
        let request = json!({ "ResourceArn": arn, "TagKeys": arguments.untag });
        changes.push(change("untagged", Operation::UntagResource, request));
    }
    Ok(changes)
}

/// Returns the change of the table's billing.
fn billing(arguments: &Alter, table: &Value) -> anyhow::Result<Option<(&'static str, Value)>> {
    let units = |flag: &str, text: &Option<String>| {
        let read = |text: &String| request::read(flag, text, grammar::throughput);
        text.as_ref().map(read).transpose()
    };
    let most = units("--max-throughput", &arguments.max_throughput)?;
    if arguments.on_demand || most.is_some() {
        let mut members = json!({});
        if arguments.on_demand {
            members["BillingMode"] = json!("PAY_PER_REQUEST");
        }
        if let Some(most) = most {
            members["OnDemandThroughput"] = request::on_demand_most(most);
        }
        let done = if arguments.on_demand { "on demand" } else { "most units changed" };
        return Ok(Some((done, members)));
    }
    let table_units = units("--throughput", &arguments.throughput)?;
    let mut of_indexes = BTreeMap::new();
    for (name, text) in
        request::read_all("--index-throughput", &arguments.index_throughput, grammar::pair)?
    {
        let units = request::read("--index-throughput", &text, grammar::throughput)?;
        of_indexes.insert(name, units);
    }
    if table_units.is_none() && of_indexes.is_empty() {
        return Ok(None);
    }
    let mut members = json!({});
    if let Some(units) = table_units {
        members["ProvisionedThroughput"] = request::provisioned(units);
        if !is_provisioned(table) {
            members["BillingMode"] = json!("PROVISIONED");
            // With provisioned units every index needs its own.
            let indexes = table["GlobalSecondaryIndexes"].as_array().into_iter().flatten();
            for name in indexes.filter_map(|index| index["IndexName"].as_str()) {
                of_indexes.entry(name.to_owned()).or_insert(units);
            }
        }
    }
    if !of_indexes.is_empty() {
        let update = |(name, units): (&String, &Throughput)| {
            let units = request::provisioned(*units);
            json!({ "Update": { "IndexName": name, "ProvisionedThroughput": units } })
        };
        members["GlobalSecondaryIndexUpdates"] = of_indexes.iter().map(update).collect();
    }
    Ok(Some(("units changed", members)))
}

fn is_provisioned(table: &Value) -> bool {
    table["BillingModeSummary"]["BillingMode"] != "PAY_PER_REQUEST"
}

/// Returns the request for a new index. It has the table's units unless the arguments give others.
fn new_index(arguments: &Alter, index: &Index, table: &Value) -> anyhow::Result<Value> {
    let mut types = Types::default();
    types.add(&index.partition)?;
    types.add(&index.sort)?;
    types.add_described(table);
    let mut create = request::index(index, &index.partition);
    let will_be_provisioned =
        !arguments.on_demand && (is_provisioned(table) || arguments.throughput.is_some());
    if let Some(units) = index.throughput {
        create["ProvisionedThroughput"] = request::provisioned(units);
    } else if let (true, Some(text)) = (will_be_provisioned, &arguments.throughput) {
        let units = request::read("--throughput", text, grammar::throughput)?;
        create["ProvisionedThroughput"] = request::provisioned(units);
    } else if will_be_provisioned {
        let units = &table["ProvisionedThroughput"];
        create["ProvisionedThroughput"] = json!({
            "ReadCapacityUnits": units["ReadCapacityUnits"],
            "WriteCapacityUnits": units["WriteCapacityUnits"],
        });
    }
    Ok(json!({
        "AttributeDefinitions": types.definitions()?,
        "GlobalSecondaryIndexUpdates": [{ "Create": create }],
    }))
}

fn expiry(client: &mut Client, arguments: &Alter) -> anyhow::Result<Option<TableChange>> {
    let name = &arguments.table;
    let (done, specification) = match (&arguments.ttl, arguments.no_ttl) {
        (Some(attribute), _) => (
            format!("time to live by {attribute}"),
            json!({ "Enabled": true, "AttributeName": attribute }),
        ),
        (None, true) => {
            let request = json!({ "TableName": name });
            let described = client.call(Operation::DescribeTimeToLive, &request)?;
            let attribute = &described["TimeToLiveDescription"]["AttributeName"];
            if attribute.is_null() {
                return Err(Usage(format!("--no-ttl: {name} has no time to live")).into());
            }
            let off = json!({ "Enabled": false, "AttributeName": attribute });
            ("no time to live".to_owned(), off)
        }
        (None, false) => return Ok(None),
    };
    let request = json!({ "TableName": name, "TimeToLiveSpecification": specification });
    let wanted = Some(Wanted::Expiry);
    Ok(Some(TableChange { done, operation: Operation::UpdateTimeToLive, request, wanted }))
}
