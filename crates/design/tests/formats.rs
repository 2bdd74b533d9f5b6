//! Designs in other forms: what is written is read back, and what cannot be read is named with its line.

use hashrange_design::formats;
use hashrange_design::plan::{Facet, TablePlan};
use serde_json::{Map, Value, json};

fn object(value: Value) -> Map<String, Value> {
    let Value::Object(object) = value else { panic!("{value}") };
    object
}

fn plan(request: Value, time_to_live: Option<&str>) -> TablePlan {
    let request = object(request);
    TablePlan {
        name: request["TableName"].as_str().unwrap_or_default().to_owned(),
        request,
        time_to_live: time_to_live.map(str::to_owned),
        ..TablePlan::default()
    }
}

/// Returns tables with every member that the forms have.
fn plans() -> Vec<TablePlan> {
    let key = |name: &str, kind: &str| json!({"AttributeName": name, "KeyType": kind});
    let attribute = |name: &str, kind: &str| json!({"AttributeName": name, "AttributeType": kind});
    let units = json!({"ReadCapacityUnits": 5, "WriteCapacityUnits": 6});
    vec![
        plan(
            json!({"TableName": "shop.orders", "BillingMode": "PAY_PER_REQUEST",
                "AttributeDefinitions": [attribute("pk", "S"), attribute("sk", "N"), attribute("a${b}", "B")],
                "KeySchema": [key("pk", "HASH"), key("sk", "RANGE")],
                "LocalSecondaryIndexes": [{"IndexName": "local", "KeySchema": [key("pk", "HASH"), key("a${b}", "RANGE")],
                    "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["x \"y\"", "back\\slash"]}}],
                "GlobalSecondaryIndexes": [
                    {"IndexName": "several", "KeySchema": [key("pk", "HASH"), key("sk", "HASH"), key("a${b}", "RANGE")],
                        "Projection": {"ProjectionType": "KEYS_ONLY"}, "OnDemandThroughput": {"MaxReadRequestUnits": 7}},
                    {"IndexName": "plain", "KeySchema": [key("sk", "HASH")], "Projection": {"ProjectionType": "ALL"}}],
                "OnDemandThroughput": {"MaxReadRequestUnits": 10, "MaxWriteRequestUnits": 20},
                "WarmThroughput": {"ReadUnitsPerSecond": 13000, "WriteUnitsPerSecond": 5000},
                "StreamSpecification": {"StreamEnabled": true, "StreamViewType": "KEYS_ONLY"},
                "SSESpecification": {"SSEType": "KMS", "KMSMasterKeyId": "arn:aws:kms:r:1:key/k"},
                "TableClass": "STANDARD_INFREQUENT_ACCESS", "DeletionProtectionEnabled": true,
                "Tags": [{"Key": "team", "Value": "a\n%{b}\u{1}é"}, {"Key": "two words", "Value": ""}]}),
            Some("expires"),
        ),
        plan(
            json!({"TableName": "9-lives", "AttributeDefinitions": [attribute("id", "S")], "KeySchema": [key("id", "HASH")],
                "GlobalSecondaryIndexes": [{"IndexName": "again", "KeySchema": [key("id", "HASH")],
                    "Projection": {"ProjectionType": "ALL"}, "ProvisionedThroughput": units}],
                "ProvisionedThroughput": units}),
            None,
        ),
        plan(
            json!({"TableName": "9_lives", "AttributeDefinitions": [attribute("id", "S")], "KeySchema": [key("id", "HASH")],
                "BillingMode": "PAY_PER_REQUEST"}),
            None,
        ),
    ]
}

#[test]
fn terraform_reads_what_it_writes() {
    let plans = plans();
    let written = formats::terraform(&plans);
    assert_eq!(written.lost, Vec::<String>::new());
    let read = formats::read_terraform(&written.text)
        .unwrap_or_else(|fault| panic!("{fault}\n{}", written.text));
    assert_eq!(read.tables.len(), plans.len());
    for (read, plan) in read.tables.iter().zip(&plans) {
        assert_eq!(json!(read.plan.canonical()), json!(plan.canonical()), "{}", written.text);
        assert_eq!((&read.plan.name, &read.plan.time_to_live), (&plan.name, &plan.time_to_live));
        assert_eq!(read.not_taken, Vec::<String>::new());
    }
    // Written again, it is the same text.
    let again: Vec<TablePlan> = read.tables.into_iter().map(|it| it.plan).collect();
    assert_eq!(formats::terraform(&again).text, written.text);
}

#[test]
fn terraform_is_read_as_people_write_it() {
    let text = r#"
        # a table
        variable "stage" {
          type    = string
          default = "dev"
        }
        locals { names = [for it in var.list : upper(it)] }
        resource "aws_iam_policy" "all" {
          policy = <<-EOT
            { "a": "}" }
          EOT
        }
        resource "aws_sqs_queue" "q" { name = "${var.stage}-q" }
        resource "aws_dynamodb_table" "orders" {
          name = "orders" // the name
          hash_key = "pk"
          billing_mode = "PAY_PER_REQUEST"
          attribute {
            name = "pk"
            type = "S"
          }
          /* no more
             attributes */
          tags = { Team = "shop", "cost centre" : "7" }
          point_in_time_recovery { enabled = true }
          lifecycle { prevent_destroy = true }
          replica { region_name = "eu-west-1" }
          global_secondary_index {
            name = "g"
            hash_key = "pk"
            projection_type = "INCLUDE"
            non_key_attributes = [
              "a",
              "b",
            ]
            read_capacity = var.read
          }
        }
    "#;
    let fault = formats::read_terraform(text).expect_err("a variable");
    assert_eq!(
        fault.to_string(),
        "line 36: orders: read_capacity: `var.read` is a variable, a function or another expression, which is not \
         understood here: write the value in its place"
    );
    let read = formats::read_terraform(&text.replace("var.read", "5")).expect("a table");
    assert_eq!(
        read.others,
        ["locals", "resource aws_iam_policy", "resource aws_sqs_queue", "variable"]
    );
    let [table] = &read.tables[..] else { panic!("{read:?}") };
    assert_eq!(table.not_taken, ["lifecycle", "point_in_time_recovery", "replica"]);
    assert_eq!(
        table.plan.request["Tags"],
        json!([{"Key": "Team", "Value": "shop"}, {"Key": "cost centre", "Value": "7"}])
    );
    let projection = &table.plan.request["GlobalSecondaryIndexes"][0]["Projection"];
    assert_eq!(projection, &json!({"ProjectionType": "INCLUDE", "NonKeyAttributes": ["a", "b"]}));
}

#[test]
fn what_is_not_taken_of_terraforms_inner_blocks_is_named_with_its_block() {
    let text = r#"
        resource "aws_dynamodb_table" "t" {
          name = "t"
          hash_key = "a"
          attribute {
            name = "a"
            type = "S"
            kind = "x"
          }
          ttl {
            attribute_name = "until"
            grace = 1
          }
          server_side_encryption {
            enabled = true
            kms_key_arn = "arn:aws:kms:r:1:key/k"
            rotated = true
          }
          warm_throughput {
            read_units_per_second = 13000
            unit {}
          }
          global_secondary_index {
            name = "g"
            key_schema {
              attribute_name = "a"
              key_type = "HASH"
              order = 1
            }
            projection_type = "ALL"
            sparse = true
          }
        }
    "#;
    let read = formats::read_terraform(text).expect("a table");
    let [table] = &read.tables[..] else { panic!("{read:?}") };
    let mut not_taken = table.not_taken.clone();
    not_taken.sort();
    assert_eq!(
        not_taken,
        [
            "grace of ttl",
            "kind of an attribute",
            "order of a key_schema",
            "rotated of server_side_encryption",
            "sparse of an index",
            "unit of warm_throughput"
        ]
    );
    assert_eq!(table.plan.request["SSESpecification"]["KMSMasterKeyId"], "arn:aws:kms:r:1:key/k");
}

/// A key that has a name and no ARN is one that Terraform does not take.
#[test]
fn a_key_without_its_arn_is_told_as_lost() {
    let mut plan = plans().remove(0);
    plan.request["SSESpecification"]["KMSMasterKeyId"] = json!("alias/shop");
    let written = formats::terraform(&[plan]);
    assert_eq!(written.lost, ["shop.orders: the key alias/shop, of which Terraform wants the ARN"]);
    assert!(!written.text.contains("kms_key_arn"), "{}", written.text);
}

#[test]
fn what_terraform_cannot_be_read_is_named_with_its_line() {
    let table = |inside: &str| format!("resource \"aws_dynamodb_table\" \"t\" {{\n{inside}\n}}\n");
    for (text, expected) in [
        (table("name = \"a-${var.stage}\""), "line 2: t: name: `\"a-${var.stage}\"` is a variable"),
        (
            table("name = join(\"-\", [\"a\"])"),
            "line 2: t: name: `join(\"-\", [\"a\"])` is a variable",
        ),
        (table("name = <<EOT\nx\nEOT"), "line 2: t: name: a heredoc is not understood here"),
        (table("name = 5"), "line 2: t: name is no text"),
        (table(""), "line 1: t: name is missing"),
        (table("name = \"t\""), "line 1: t: hash_key is missing"),
        (
            table("name = \"t\"\nhash_key = \"a\"\nbilling_mode = \"FREE\""),
            "line 4: t: \"FREE\" is no billing_mode",
        ),
        (
            table("name = \"t\"\nhash_key = \"a\"\ntags = {\n a = \"b\"\n c = var.c\n}"),
            "line 6: t: tags: `var.c` is a variable",
        ),
        (
            table(
                "name = \"t\"\nhash_key = \"a\"\nglobal_secondary_index {\nname = \"g\"\nhash_key = \"a\"\n\
                 non_key_attributes = [\n\"x\",\nlocal.y,\n]\n}",
            ),
            "line 9: t: non_key_attributes: `local.y` is a variable",
        ),
        (
            table("name = \"t\"\nhash_key = \"a\"\nread_capacity = 1.5"),
            "line 4: t: read_capacity is no whole number",
        ),
        (table("name = \"t\"\ncount = 2"), "line 3: t: count makes several tables"),
        (table("name = \"t"), "line 2: a text is not closed"),
        (table("name = \"\\q\""), "line 2: an unknown escape"),
        (table("name ="), "line 2: a value is missing"),
        ("resource \"x\" {".to_owned(), "line 1: the block resource is not closed"),
        ("a = [1, 2".to_owned(), "line 1: a list is not closed"),
        ("a = <<X\n".to_owned(), "line 1: a heredoc is not closed"),
        ("/* x".to_owned(), "line 1: a comment is not closed"),
        ("}".to_owned(), "line 1: } closes nothing"),
        ("a".to_owned(), "line 1: = or { is expected behind a"),
        ("a {".repeat(40), "line 1: nested more than 32 deep"),
        (format!("a = {}", "[".repeat(40)), "line 1: nested more than 32 deep"),
        (format!("a = {}", "\"${".repeat(40)), "line 1: nested more than 32 deep"),
        ("a=1\n".repeat(200_001), "line 100001: more than 200000"),
    ] {
        let fault = formats::read_terraform(&text).expect_err(&text).to_string();
        assert!(fault.starts_with(expected), "{text:.80}: {fault}");
    }
}

#[test]
fn templates_of_cloudformation_have_all_of_a_table() {
    let plans = plans();
    let written = formats::cloudformation_json(&plans);
    let template: Value = serde_json::from_str(&written.text).expect("JSON");
    let resources = object(template["Resources"].clone());
    let ids: Vec<&String> = resources.keys().collect();
    assert_eq!(ids, ["ShopOrders", "9Lives", "9Lives2"]);
    let properties = &resources["ShopOrders"]["Properties"];
    assert_eq!(properties["StreamSpecification"], json!({"StreamViewType": "KEYS_ONLY"}));
    let key =
        json!({"SSEEnabled": true, "SSEType": "KMS", "KMSMasterKeyId": "arn:aws:kms:r:1:key/k"});
    assert_eq!(properties["SSESpecification"], key);
    for name in ["Tags", "WarmThroughput"] {
        assert_eq!(properties[name], plans[0].request[name]);
    }
    let ttl = json!({"AttributeName": "expires", "Enabled": true});
    assert_eq!(properties["TimeToLiveSpecification"], ttl);
    assert_eq!(properties["GlobalSecondaryIndexes"], plans[0].request["GlobalSecondaryIndexes"]);
    let yaml = formats::cloudformation_yaml(&plans[2..]).text;
    assert_eq!(
        yaml,
        "AWSTemplateFormatVersion: \"2010-09-09\"\nResources:\n  \"9Lives\":\n    Type: \"AWS::DynamoDB::Table\"\n    \
         Properties:\n      TableName: \"9_lives\"\n      AttributeDefinitions:\n        - AttributeName: \"id\"\n          \
         AttributeType: \"S\"\n      KeySchema:\n        - AttributeName: \"id\"\n          KeyType: \"HASH\"\n      \
         BillingMode: \"PAY_PER_REQUEST\"\n"
    );
}

#[test]
fn models_of_workbench_have_facets_with_their_data() {
    let mut plan = plans().remove(1);
    plan.time_to_live = Some("expires".to_owned());
    plan.templates = vec!["x = \"{y}\"".to_owned()];
    plan.items = [
        json!({"id": {"S": "USER#1"}, "name": {"S": "a"}}),
        json!({"id": {"S": "x"}, "n": {"N": "1"}}),
    ]
    .map(object)
    .to_vec();
    plan.facets = vec![Facet {
        name: "User".to_owned(),
        partition: "USER#{no}".to_owned(),
        sort: None,
        attributes: vec!["name".to_owned()],
        rows: vec![0],
    }];
    let written = formats::workbench(std::slice::from_ref(&plan), "shop").expect("a model");
    let model: Value = serde_json::from_str(&written.text).expect("JSON");
    let table = &model["DataModel"][0];
    assert_eq!(
        table["TableFacets"][0]["KeyAttributeAlias"],
        json!({"PartitionKeyAlias": "USER#{no}"})
    );
    assert_eq!(table["TableFacets"][0]["TableData"], json!([plan.items[0]]));
    assert_eq!(table["TableData"], json!([plan.items[1]]));
    assert_eq!(
        table["NonKeyAttributes"],
        json!([{"AttributeName": "n", "AttributeType": "N"}, {"AttributeName": "name", "AttributeType": "S"}])
    );
    assert_eq!(table["BillingMode"], "PROVISIONED");
    assert_eq!(
        written.lost,
        [
            "9-lives: 1 key template, which this form has not",
            "9-lives: time to live by expires, which a model has not"
        ]
    );
    let written = formats::workbench(&plans()[..1], "m").expect("a model");
    let model: Value = serde_json::from_str(&written.text).expect("JSON");
    let indexes = model["DataModel"][0]["GlobalSecondaryIndexes"].as_array().expect("indexes");
    let names: Vec<&Value> = indexes.iter().map(|it| &it["IndexName"]).collect();
    assert_eq!(names, ["plain"]);
    let told = "shop.orders: the index several, because a model has no key of several attributes";
    assert!(written.lost.iter().any(|it| it == told), "{:?}", written.lost);
}
