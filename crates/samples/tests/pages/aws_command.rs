//! Reads a command of the AWS CLI, as the pages write it, into the request it sends.
//!
//! Values of options are plain text, a number for `--limit`, or JSON where they begin with a brace
//! or a bracket.

use hashrange::{Operation, Service};
use hashrange_samples::{DEFAULT_ENDPOINT, page};
use serde_json::{Map, Value};

/// An operation and its request.
pub struct Request {
    pub operation: Operation,
    pub members: Map<String, Value>,
}

pub fn parse(command: &str) -> Request {
    let words = page::words(command).unwrap_or_else(|| panic!("not plain: {command}"));
    let mut words = words.iter().map(String::as_str);
    assert_eq!(words.next(), Some("aws"));
    assert_eq!(words.next(), Some("dynamodb"));
    let name = pascal_case(words.next().expect("an operation"));
    let operation = Operation::from_name(Service::DynamoDb, &name).expect("a known operation");
    let mut members = Map::new();
    let mut endpoint = None;
    while let Some(word) = words.next() {
        let option = word.strip_prefix("--").unwrap_or_else(|| panic!("no option: {word}"));
        let mut next = || words.next().unwrap_or_else(|| panic!("no value: {word}"));
        let (name, value) = match option {
            "endpoint-url" => {
                endpoint = Some(next());
                continue;
            }
            "no-scan-index-forward" => ("ScanIndexForward".to_owned(), false.into()),
            "consistent-read" => ("ConsistentRead".to_owned(), true.into()),
            _ => (pascal_case(option), value(option, next())),
        };
        members.insert(name, value);
    }
    assert_eq!(endpoint, Some(DEFAULT_ENDPOINT), "{command}");
    Request { operation, members }
}

fn value(option: &str, text: &str) -> Value {
    if option == "limit" || text.starts_with(['{', '[']) {
        serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
    } else {
        text.into()
    }
}

fn pascal_case(name: &str) -> String {
    let capital = |part: &str| part[..1].to_ascii_uppercase() + &part[1..];
    name.split('-').map(capital).collect()
}

#[test]
fn commands_become_requests() {
    let request = parse(
        "aws dynamodb query --endpoint-url http://localhost:8000 \\\n  --table-name t --limit 5 \
         --key-condition-expression 'a = :a' --no-scan-index-forward \\\n \
         --expression-attribute-values '{\":a\":{\"S\":\"x y\"}}' --consistent-read\n",
    );
    assert_eq!(request.operation, Operation::Query);
    assert_eq!(
        Value::Object(request.members).to_string(),
        r#"{"TableName":"t","Limit":5,"KeyConditionExpression":"a = :a","ScanIndexForward":false,"ExpressionAttributeValues":{":a":{"S":"x y"}},"ConsistentRead":true}"#
    );
}
