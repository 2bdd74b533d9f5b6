//! Requests from definitions.

use super::{Change, Index, KeyPart, NewTable};
use crate::commands::definition::grammar::Throughput;
use crate::commands::definition::request::{projection, provisioned};
use hashrange::Operation;
use serde_json::{Value, json};

/// Returns the request of CreateTable.
pub fn create_request(table: &NewTable) -> Value {
    let mut request = json!({
        "TableName": table.name,
        "AttributeDefinitions": definitions(&table.attributes),
        "KeySchema": key_schema(&table.key),
        "BillingMode": billing_mode(table.throughput),
    });
    let mut set = |member: &str, value: Value| request[member] = value;
    if let Some(units) = table.throughput {
        set("ProvisionedThroughput", provisioned(units));
    }
    if !table.global.is_empty() {
        // An index without units of its own has those of its table.
        let index = |index: &Index| described(index, index.throughput.or(table.throughput));
        set("GlobalSecondaryIndexes", table.global.iter().map(index).collect());
    }
    if !table.local.is_empty() {
        let index = |index: &Index| described(index, index.throughput);
        set("LocalSecondaryIndexes", table.local.iter().map(index).collect());
    }
    if let Some(view) = table.stream {
        set("StreamSpecification", stream(Some(view)));
    }
    if let Some(is_on) = table.deletion_protection {
        set("DeletionProtectionEnabled", json!(is_on));
    }
    request
}

/// Returns the request of a change. `known` are the attributes that the table has declared, as
/// DescribeTable tells them, of which an index may use some.
pub fn alter_request(table: &str, change: &Change, known: &Value) -> (Operation, Value) {
    let mut request = json!({ "TableName": table });
    match change {
        Change::AddGlobal(index, attributes) => {
            let mut all = definitions(attributes);
            let is_new = |one: &&Value| {
                !attributes.iter().any(|(name, _)| one["AttributeName"] == name.as_str())
            };
            let known = known.as_array().into_iter().flatten().filter(is_new);
            if let Some(all) = all.as_array_mut() {
                all.extend(known.cloned());
            }
            request["AttributeDefinitions"] = all;
            let create = json!({ "Create": described(index, index.throughput) });
            request["GlobalSecondaryIndexUpdates"] = json!([create]);
        }
        Change::DropGlobal(name) => {
            let delete = json!({ "Delete": { "IndexName": name } });
            request["GlobalSecondaryIndexUpdates"] = json!([delete]);
        }
        Change::Billing(units) => {
            request["BillingMode"] = json!(billing_mode(*units));
            if let Some(units) = *units {
                request["ProvisionedThroughput"] = provisioned(units);
            }
        }
        Change::Stream(view) => request["StreamSpecification"] = stream(*view),
        Change::DeletionProtection(is_on) => request["DeletionProtectionEnabled"] = json!(is_on),
        Change::TimeToLive(attribute, is_on) => {
            request["TimeToLiveSpecification"] =
                json!({ "AttributeName": attribute, "Enabled": is_on });
            return (Operation::UpdateTimeToLive, request);
        }
    }
    (Operation::UpdateTable, request)
}

fn definitions(attributes: &[(String, &'static str)]) -> Value {
    let definition = |(name, attribute_type): &(String, &str)| json!({ "AttributeName": name, "AttributeType": attribute_type });
    attributes.iter().map(definition).collect()
}

fn key_schema(key: &[KeyPart]) -> Value {
    let element = |part: &KeyPart| {
        let role = if part.is_partition { "HASH" } else { "RANGE" };
        json!({ "AttributeName": part.name, "KeyType": role })
    };
    key.iter().map(element).collect()
}

fn described(index: &Index, units: Option<Throughput>) -> Value {
    let mut described = json!({
        "IndexName": index.name,
        "KeySchema": key_schema(&index.key),
        "Projection": projection(&index.projection),
    });
    if let Some(units) = units {
        described["ProvisionedThroughput"] = provisioned(units);
    }
    described
}

fn billing_mode(units: Option<Throughput>) -> &'static str {
    if units.is_some() { "PROVISIONED" } else { "PAY_PER_REQUEST" }
}

fn stream(view: Option<&'static str>) -> Value {
    match view {
        Some(view) => json!({ "StreamEnabled": true, "StreamViewType": view }),
        None => json!({ "StreamEnabled": false }),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Definition, parse};
    use super::*;

    fn created(statement: &str) -> Value {
        match parse(statement) {
            Ok(Definition::Create { table, .. }) => create_request(&table),
            other => panic!("{statement}: {other:?}"),
        }
    }

    #[test]
    fn a_table_becomes_a_request() {
        let whole = "create table if not exists app.orders (pk S, sk STRING, country TEXT, total NUMBER)
            primary key (pk HASH, sk RANGE), -- the key
            gsi by-state (country, state S) projection include (city, \"zip code\") throughput (3, 4)
            GSI by_total (country, total) PROJECTION KEYS ONLY
            lsi latest (total) billing provisioned (1, 2) stream (new and old images)
            ttl (expires) deletion protection on;";
        let attribute = |name, kind| json!({"AttributeName": name, "AttributeType": kind});
        let hash = |name| json!({"AttributeName": name, "KeyType": "HASH"});
        let range = |name| json!({"AttributeName": name, "KeyType": "RANGE"});
        let units = |read, write| json!({"ReadCapacityUnits": read, "WriteCapacityUnits": write});
        let expected = json!({
            "TableName": "app.orders",
            "AttributeDefinitions": [
                attribute("pk", "S"), attribute("sk", "S"), attribute("country", "S"),
                attribute("total", "N"), attribute("state", "S")],
            "KeySchema": [hash("pk"), range("sk")],
            "BillingMode": "PROVISIONED",
            "ProvisionedThroughput": units(1, 2),
            "GlobalSecondaryIndexes": [
                {"IndexName": "by-state", "KeySchema": [hash("country"), range("state")],
                    "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["city", "zip code"]},
                    "ProvisionedThroughput": units(3, 4)},
                {"IndexName": "by_total", "KeySchema": [hash("country"), range("total")],
                    "Projection": {"ProjectionType": "KEYS_ONLY"}, "ProvisionedThroughput": units(1, 2)}],
            "LocalSecondaryIndexes": [{"IndexName": "latest", "KeySchema": [hash("pk"), range("total")],
                "Projection": {"ProjectionType": "ALL"}}],
            "StreamSpecification": {"StreamEnabled": true, "StreamViewType": "NEW_AND_OLD_IMAGES"},
            "DeletionProtectionEnabled": true,
        });
        assert_eq!(created(whole), expected);
        let Ok(Definition::Create { table, if_not_exists: true }) = parse(whole) else { panic!() };
        assert_eq!(table.time_to_live.as_deref(), Some("expires"));
    }

    #[test]
    fn the_primary_key_may_stand_in_three_places() {
        let expected = created("CREATE TABLE t (pk S, sk N) PRIMARY KEY (pk, sk)");
        assert_eq!(
            created("CREATE TABLE t (pk S, sk N, PRIMARY KEY (pk, sk)) BILLING ON DEMAND"),
            expected
        );
        assert_eq!(created("CREATE TABLE \"t\" (PRIMARY KEY (pk S, sk N));"), expected);
        assert_eq!(
            created("CREATE TABLE t (PRIMARY KEY (sk N RANGE, pk S HASH))")["KeySchema"][1]["KeyType"],
            "HASH"
        );
        let one = created("CREATE TABLE t (pk S) PRIMARY KEY (pk)");
        assert_eq!(created("CREATE TABLE t (pk S PRIMARY KEY)"), one);
    }

    #[test]
    fn changes_become_requests_in_order() {
        let statement =
            "ALTER TABLE t ADD GSI by-city (city S, pk), DROP GSI old, SET BILLING ON DEMAND,
            BILLING PROVISIONED (5, 6), SET STREAM (KEYS ONLY), STREAM OFF, TTL (at), TTL OFF (at),
            SET DELETION PROTECTION OFF";
        let Ok(Definition::Alter { table, changes }) = parse(statement) else { panic!() };
        let known = json!([{"AttributeName": "pk", "AttributeType": "S"}]);
        let requests: Vec<String> = changes
            .iter()
            .map(|change| {
                let (operation, mut request) = alter_request(&table, change, &known);
                assert_eq!(request["TableName"], "t");
                request.as_object_mut().expect("a request").shift_remove("TableName");
                format!("{} {request}", operation.name())
            })
            .collect();
        let expected = [
            r#"UpdateTable {"AttributeDefinitions":[{"AttributeName":"city","AttributeType":"S"},{"AttributeName":"pk","AttributeType":"S"}],"GlobalSecondaryIndexUpdates":[{"Create":{"IndexName":"by-city","KeySchema":[{"AttributeName":"city","KeyType":"HASH"},{"AttributeName":"pk","KeyType":"RANGE"}],"Projection":{"ProjectionType":"ALL"}}}]}"#,
            r#"UpdateTable {"GlobalSecondaryIndexUpdates":[{"Delete":{"IndexName":"old"}}]}"#,
            r#"UpdateTable {"BillingMode":"PAY_PER_REQUEST"}"#,
            r#"UpdateTable {"BillingMode":"PROVISIONED","ProvisionedThroughput":{"ReadCapacityUnits":5,"WriteCapacityUnits":6}}"#,
            r#"UpdateTable {"StreamSpecification":{"StreamEnabled":true,"StreamViewType":"KEYS_ONLY"}}"#,
            r#"UpdateTable {"StreamSpecification":{"StreamEnabled":false}}"#,
            r#"UpdateTimeToLive {"TimeToLiveSpecification":{"AttributeName":"at","Enabled":true}}"#,
            r#"UpdateTimeToLive {"TimeToLiveSpecification":{"AttributeName":"at","Enabled":false}}"#,
            r#"UpdateTable {"DeletionProtectionEnabled":false}"#,
        ];
        assert_eq!(requests, expected);
    }

    #[test]
    fn several_tables_are_dropped() {
        let dropped = |tables: &[&str], if_exists| {
            let tables = tables.iter().map(|&name| name.to_owned()).collect();
            Ok(Definition::Drop { tables, if_exists })
        };
        assert_eq!(parse("drop table if exists a-1, \"b c\""), dropped(&["a-1", "b c"], true));
        assert_eq!(parse("DROP TABLE a;"), dropped(&["a"], false));
    }
}
