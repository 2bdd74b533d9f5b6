//! `hashrange create`.

use super::definition::grammar::{self, Index};
use super::definition::request::{self, Types};
use super::definition::settle::{Wanted, settle};
use crate::arguments::{Create, Format};
use crate::client::{Client, Refused};
use crate::output::{self, printer::Printer};
use hashrange::Operation;
use serde_json::{Map, Value, json};

/// Creates a table and waits until it is active, with its time to live.
pub fn run(client: &mut Client, arguments: &Create) -> anyhow::Result<()> {
    let table = &arguments.table;
    let created = client.call(Operation::CreateTable, &definition(arguments)?);
    match created {
        Err(error) if arguments.if_not_exists && is_taken(&error) => {
            return said(arguments, client, "there is already a table");
        }
        created => created?,
    };
    if arguments.no_wait {
        return said(arguments, client, "creating");
    }
    let after = arguments.ttl.as_ref().map(|attribute| {
        format!("then `hashrange alter {table} --ttl {attribute}` enables time to live")
    });
    settle(client, table, Wanted::Active, after.as_deref())?;
    if let Some(attribute) = &arguments.ttl {
        let specification = json!({ "Enabled": true, "AttributeName": attribute });
        let request = json!({ "TableName": table, "TimeToLiveSpecification": specification });
        client.call(Operation::UpdateTimeToLive, &request).map_err(|error| {
            error.context(format!("{table} is created, but without time to live"))
        })?;
        settle(client, table, Wanted::Expiry, None)?;
    }
    said(arguments, client, "created")
}

fn said(arguments: &Create, client: &mut Client, verb: &str) -> anyhow::Result<()> {
    let table = &arguments.table;
    let format = Printer::of(&arguments.connection)?.format;
    if format == Format::Table {
        return output::line(format_args!("{verb} {table}"));
    }
    let described = client.call(Operation::DescribeTable, &json!({ "TableName": table }))?;
    output::line(if format == Format::Ddb { &described } else { &described["Table"] })
}

fn is_taken(error: &anyhow::Error) -> bool {
    let refused = error.downcast_ref::<Refused>();
    refused.is_some_and(|refused| refused.exception == "ResourceInUseException")
}

/// Returns the request that the arguments describe.
fn definition(arguments: &Create) -> anyhow::Result<Value> {
    let keys = [Some(&arguments.partition_key), arguments.sort_key.as_ref()];
    let keys = keys.into_iter().flatten();
    let keys = keys.map(|key| request::read("key", key, grammar::key));
    let keys = keys.collect::<anyhow::Result<Vec<_>>>()?;
    let (partition, sort) = keys.split_at(1);
    let global = request::read_all("--gsi", &arguments.gsi, grammar::global_index)?;
    let local = request::read_all("--lsi", &arguments.lsi, grammar::local_index)?;
    let units = |flag: &str, text: &Option<String>| {
        let read = |text: &String| request::read(flag, text, grammar::throughput);
        text.as_ref().map(read).transpose()
    };
    let provisioned = units("--throughput", &arguments.throughput)?;
    let most = units("--max-throughput", &arguments.max_throughput)?;
    let mut types = Types::default();
    types.add(&keys)?;
    for index in global.iter().chain(&local) {
        types.add(&index.partition)?;
        types.add(&index.sort)?;
    }
    let mut members = Map::new();
    let mut set = |name: &str, value: Value| members.insert(name.to_owned(), value);
    set("TableName", json!(arguments.table));
    set("AttributeDefinitions", types.definitions()?);
    set("KeySchema", request::key_schema(partition, sort));
    let mode = if provisioned.is_some() { "PROVISIONED" } else { "PAY_PER_REQUEST" };
    set("BillingMode", json!(mode));
    if let Some(units) = provisioned {
        set("ProvisionedThroughput", request::provisioned(units));
    }
    if let Some(most) = most {
        set("OnDemandThroughput", request::on_demand_most(most));
    }
    if !global.is_empty() {
        let member = |index: &Index| {
            let mut member = request::index(index, &index.partition);
            if let Some(units) = index.throughput.or(provisioned) {
                member["ProvisionedThroughput"] = request::provisioned(units);
            }
            member
        };
        set("GlobalSecondaryIndexes", global.iter().map(member).collect());
    }
    if !local.is_empty() {
        let member = |index: &Index| request::index(index, partition);
        set("LocalSecondaryIndexes", local.iter().map(member).collect());
    }
    if let Some(image) = arguments.stream {
        set("StreamSpecification", request::stream(image));
    }
    if !arguments.tag.is_empty() {
        set("Tags", request::tags(&arguments.tag)?);
    }
    if let Some(class) = arguments.class {
        set("TableClass", json!(request::class(class)));
    }
    if arguments.protect {
        set("DeletionProtectionEnabled", json!(true));
    }
    Ok(Value::Object(members))
}
