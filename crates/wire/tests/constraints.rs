//! Answers of the exhaustive check to requests: the exact messages, operation by operation.

use hashrange_wire::check::check;
use hashrange_wire::{Call, Decode, Operation, decode, with_call};

/// Returns the message, and checks that the decoder had noticed.
fn message(operation: Operation, body: &str) -> Option<String> {
    let suspect = with_call!(operation, C => suspects::<C>(body));
    let message = check(operation, body.as_bytes()).map(|violations| violations.message);
    assert!(suspect || message.is_none(), "the decoder missed {message:?} in {body}");
    message
}

fn suspects<C: Call>(body: &str) -> bool {
    fn decoded<'a, T: Decode<'a>>(body: &'a str) -> bool {
        decode::<T>(body.as_bytes()).expect("the body decodes").suspect
    }
    decoded::<C::Input<'_>>(body)
}

const KEY: &str = r#""Key":{"pk":{"S":"a"}}"#;
const ITEM: &str = r#""Item":{"pk":{"S":"a"}}"#;

#[test]
fn valid_requests_pass() {
    let arn = "arn:aws:dynamodb:us-east-1:314159265358:table/T";
    let cases = [
        (Operation::PutItem, format!(r#"{{"TableName":"T",{ITEM},"ReturnValues":"ALL_OLD"}}"#)),
        (Operation::GetItem, format!(r#"{{"TableName":"{arn}",{KEY},"Unknown":[{{}}]}}"#)),
        (Operation::Query, r#"{"TableName":"T","Limit":1,"Select":null}"#.to_owned()),
        (Operation::ListTables, "{}".to_owned()),
        (Operation::DescribeLimits, "{}".to_owned()),
        (Operation::BatchGetItem, r#"{"RequestItems":{"Tab":{"Keys":[{}]}}}"#.to_owned()),
    ];
    for (operation, body) in cases {
        assert_eq!(message(operation, &body), None, "{body}");
    }
}

#[test]
#[expect(clippy::too_many_lines, reason = "a flat table of cases")]
fn violations_are_worded_as_by_the_service() {
    let cases = [
        // The parts of a message.
        (
            Operation::Query,
            r"{}".to_owned(),
            "1 validation error detected: Value null at 'tableName' failed to satisfy constraint: \
             Member must not be null",
        ),
        (
            Operation::Query,
            r#"{"TableName":"a b","ReturnConsumedCapacity":"x","Select":"y"}"#.to_owned(),
            "3 validation errors detected: Value 'x' at 'returnConsumedCapacity' failed to satisfy \
             constraint: Member must satisfy enum value set: [INDEXES, TOTAL, NONE]; Value 'a b' \
             at 'tableName' failed to satisfy constraint: Member must satisfy regular expression \
             pattern: [a-zA-Z0-9_.-]+; Value 'y' at 'select' failed to satisfy constraint: Member \
             must satisfy enum value set: [SPECIFIC_ATTRIBUTES, COUNT, ALL_ATTRIBUTES, \
             ALL_PROJECTED_ATTRIBUTES]",
        ),
        (
            Operation::Scan,
            r#"{"TableName":"T","Limit":0}"#.to_owned(),
            "1 validation error detected: Value '0' at 'limit' failed to satisfy constraint: \
             Member must have value greater than or equal to 1",
        ),
        (
            Operation::Scan,
            r#"{"TableName":"T","TotalSegments":1000001,"Segment":1000000}"#.to_owned(),
            "2 validation errors detected: Value '1000001' at 'totalSegments' failed to satisfy \
             constraint: Member must have value less than or equal to 1000000; Value '1000000' at \
             'segment' failed to satisfy constraint: Member must have value less than or equal to \
             999999",
        ),
        (
            Operation::Query,
            r#"{"TableName":"T","Limit":0}"#.to_owned(),
            "1 validation error detected: Value at 'Limit' failed to satisfy constraint: Member \
             must have value greater than or equal to 1",
        ),
        (
            Operation::UpdateTimeToLive,
            r#"{"TableName":"Tab","TimeToLiveSpecification":{"Enabled":true,"AttributeName":""}}"#
                .to_owned(),
            "1 validation error detected: Value '' at 'timeToLiveSpecification.attributeName' \
             failed to satisfy constraint: Member must have length greater than or equal to 1",
        ),
        (
            Operation::GetItem,
            format!(r#"{{"TableName":"{}",{KEY}}}"#, "a".repeat(256)),
            Box::leak(
                format!(
                    "1 validation error detected: Value '{}' at 'tableName' failed to satisfy \
                     constraint: Member must have length less than or equal to 255",
                    "a".repeat(256)
                )
                .into_boxed_str(),
            ),
        ),
        // PutItem: a bad name alone, without the value only if it is empty; enums joined.
        (
            Operation::PutItem,
            format!(r#"{{"TableName":"bad table!@#",{ITEM},"ReturnConsumedCapacity":"x"}}"#),
            "1 validation error detected: Value 'bad table!@#' at 'tableName' failed to satisfy \
             constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+",
        ),
        (
            Operation::DeleteItem,
            format!(r#"{{"TableName":"a b",{KEY},"ReturnValues":"x"}}"#),
            "1 validation error detected: Value 'a b' at 'tableName' failed to satisfy \
             constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+",
        ),
        (
            Operation::UpdateItem,
            r#"{"TableName":"Tab","ConditionalOperator":"XOR"}"#.to_owned(),
            "2 validation errors detected: Value 'XOR' at 'conditionalOperator' failed to satisfy \
             constraint: Member must satisfy enum value set: [OR, AND]; Value null at 'key' failed \
             to satisfy constraint: Member must not be null",
        ),
        (
            Operation::BatchGetItem,
            r#"{"RequestItems":{"!":{"Keys":[{}]}},"ReturnConsumedCapacity":"x"}"#.to_owned(),
            "2 validation errors detected: Value '{\"!\":{\"Keys\":[{}]}}' at 'requestItems' \
             failed to satisfy constraint: Map keys must satisfy constraint: [Member must have \
             length less than or equal to 255, Member must have length greater than or equal to 3, \
             Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+]; Value 'x' at \
             'returnConsumedCapacity' failed to satisfy constraint: Member must satisfy enum value \
             set: [INDEXES, TOTAL, NONE]",
        ),
        (
            Operation::BatchWriteItem,
            r#"{"RequestItems":{"!":[{"PutRequest":{"Item":{"pk":{"S":"x"},
                "l":{"L":[{"NULL":true},{"M":{"a":{"N":"1"},"s":{"SS":["a","b"]}}}]}}}}]}}"#
                .to_owned(),
            "1 validation error detected: Value \
             '{!=[WriteRequest(putRequest=PutRequest(item={pk=AttributeValue: {S:x}, l=AttributeValue: \
             {L:[AttributeValue: {NULL:true}, AttributeValue: {M:{a=AttributeValue: {N:1}, \
             s=AttributeValue: {SS:[a, b]}}}]}}), deleteRequest=null)]}' at 'requestItems' failed \
             to satisfy constraint: Map keys must satisfy constraint: [Member must have length less \
             than or equal to 255, Member must have length greater than or equal to 3, Member must \
             satisfy regular expression pattern: [a-zA-Z0-9_.-]+]",
        ),
        (
            Operation::PutItem,
            format!(r#"{{"TableName":"",{ITEM},"ReturnConsumedCapacity":"x"}}"#),
            "1 validation error detected: Value at 'TableName' failed to satisfy constraint: \
             Member must have length greater than or equal to 1",
        ),
        (
            Operation::PutItem,
            format!(r#"{{"TableName":"T",{ITEM},"ReturnValues":"y","ReturnConsumedCapacity":"x"}}"#),
            "2 validation errors detected: Value 'x' at 'returnConsumedCapacity' failed to satisfy \
             constraint: Member must satisfy enum value set: [INDEXES, TOTAL, NONE]; Value 'y' at \
             'returnValues' failed to satisfy constraint: Member must satisfy enum value set: \
             [ALL_NEW, UPDATED_OLD, ALL_OLD, NONE, UPDATED_NEW]",
        ),
        // UpdateItem: a missing key brings the old form back.
        (
            Operation::UpdateItem,
            format!(r#"{{"TableName":"T",{KEY},"ReturnValues":"x","ConditionalOperator":"y"}}"#),
            "1 validation error detected: Failed to satisfy constraint: Member must satisfy enum \
             value set: [ALL_OLD, UPDATED_OLD, ALL_NEW, UPDATE_NEW, NONE]",
        ),
        (
            Operation::UpdateItem,
            r#"{"TableName":"","ReturnValues":"y","ReturnConsumedCapacity":"INVALID"}"#.to_owned(),
            "4 validation errors detected: Value 'INVALID' at 'returnConsumedCapacity' failed to \
             satisfy constraint: Member must satisfy enum value set: [INDEXES, TOTAL, NONE]; Value \
             '' at 'tableName' failed to satisfy constraint: Member must have length greater than \
             or equal to 1; Value 'y' at 'returnValues' failed to satisfy constraint: Member must \
             satisfy enum value set: [ALL_NEW, UPDATED_OLD, ALL_OLD, NONE, UPDATED_NEW]; Value \
             null at 'key' failed to satisfy constraint: Member must not be null",
        ),
        // DeleteItem: ReturnValues without its name.
        (
            Operation::DeleteItem,
            format!(r#"{{"TableName":"T",{KEY},"ReturnValues":"x"}}"#),
            "1 validation error detected: Failed to satisfy constraint: Member must satisfy enum \
             value set: [ALL_OLD, UPDATED_OLD, ALL_NEW, UPDATE_NEW, NONE]",
        ),
        (
            Operation::DeleteItem,
            format!(r#"{{"TableName":"T",{KEY},"ReturnConsumedCapacity":"x"}}"#),
            "1 validation error detected: Value 'x' at 'returnConsumedCapacity' failed to satisfy \
             constraint: Member must satisfy enum value set: [INDEXES, TOTAL, NONE]",
        ),
        // Batches.
        (
            Operation::BatchGetItem,
            r#"{"RequestItems":{}}"#.to_owned(),
            "1 validation error detected: Value at 'RequestItems' failed to satisfy constraint: \
             Member must have length greater than or equal to 1",
        ),
        (
            Operation::BatchGetItem,
            r#"{"RequestItems":{"Tab":{"Keys":[]}}}"#.to_owned(),
            "1 validation error detected: Value at 'RequestItems.Tab.member.Keys' failed to \
             satisfy constraint: Member must have length greater than or equal to 1",
        ),
        (
            Operation::BatchGetItem,
            r#"{"RequestItems": {"bad!name": {"Keys": [{"a b": {"S": "\" "}}]}}}"#.to_owned(),
            "1 validation error detected: Value '{\"bad!name\":{\"Keys\":[{\"a b\":{\"S\":\"\\\" \
             \"}}]}}' at 'requestItems' failed to satisfy constraint: Map keys must satisfy \
             constraint: [Member must have length less than or equal to 255, Member must have \
             length greater than or equal to 3, Member must satisfy regular expression pattern: \
             [a-zA-Z0-9_.-]+]",
        ),
        (
            Operation::BatchWriteItem,
            r#"{"RequestItems":{"Tab":[]}}"#.to_owned(),
            "1 validation error detected: Value '{Tab=[]}' at 'requestItems' failed to satisfy \
             constraint: Map value must satisfy constraint: [Member must have length less than or \
             equal to 25, Member must have length greater than or equal to 1]",
        ),
        (
            Operation::BatchWriteItem,
            format!(r#"{{"RequestItems":{{"Tab":[{}{{}}]}}}}"#, "{},".repeat(25)),
            "1 validation error detected: Value at 'RequestItems.Tab.member' failed to satisfy \
             constraint: Member must have length less than or equal to 25",
        ),
        (
            Operation::BatchWriteItem,
            r#"{"RequestItems":{"!":[{}]},"ReturnItemCollectionMetrics":"y",
                "ReturnConsumedCapacity":"x"}"#
                .to_owned(),
            "2 validation errors detected: Value 'x' at 'returnConsumedCapacity' failed to satisfy \
             constraint: Member must satisfy enum value set: [INDEXES, TOTAL, NONE]; Value 'y' at \
             'returnItemCollectionMetrics' failed to satisfy constraint: Member must satisfy enum \
             value set: [SIZE, NONE]",
        ),
        (
            Operation::BatchWriteItem,
            r#"{"RequestItems":{"Tab":[{"PutRequest":{}}]}}"#.to_owned(),
            "1 validation error detected: Value null at \
             'requestItems.Tab.member.1.member.putRequest.item' failed to satisfy constraint: \
             Member must not be null",
        ),
        // Transactions: the token first.
        (
            Operation::TransactWriteItems,
            format!(r#"{{"TransactItems":[],"ClientRequestToken":"{}"}}"#, "t".repeat(37)),
            "2 validation errors detected: Value 'ttttttttttttttttttttttttttttttttttttt' at \
             'clientRequestToken' failed to satisfy constraint: Member must have length less than \
             or equal to 36; Value '[]' at 'transactItems' failed to satisfy constraint: Member \
             must have length greater than or equal to 1",
        ),
        (
            Operation::TransactWriteItems,
            r#"{"TransactItems":[]}"#.to_owned(),
            "1 validation error detected: Value '[]' at 'transactItems' failed to satisfy \
             constraint: Member must have length greater than or equal to 1",
        ),
        (
            Operation::TransactGetItems,
            r#"{"TransactItems":[{}, {"Get":{"TableName":"Tab"}}, null]}"#.to_owned(),
            "3 validation errors detected: Value null at 'transactItems.1.member.get' failed to \
             satisfy constraint: Member must not be null; Value null at \
             'transactItems.2.member.get.key' failed to satisfy constraint: Member must not be \
             null; Value null at 'transactItems.3.member' failed to satisfy constraint: Member \
             must not be null",
        ),
        // Tables.
        (
            Operation::CreateTable,
            r#"{"TableName":null,"BillingMode":"x"}"#.to_owned(),
            "The parameter 'TableName' is required but was not present in the request",
        ),
        (
            Operation::CreateTable,
            r#"{"TableName":"ab","AttributeDefinitions":[],
                "KeySchema":[{"AttributeName":"a","KeyType":"HASH"}]}"#
                .to_owned(),
            "1 validation error detected: Value 'ab' at 'tableName' failed to satisfy constraint: \
             Member must have length greater than or equal to 3",
        ),
        (
            Operation::CreateTable,
            r#"{"TableName":"Tab","AttributeDefinitions":[],
                "KeySchema":[{"AttributeName":"a","KeyType":"HASH"},{"AttributeName":"b","KeyType":"RANGE"},{"AttributeName":"c"}]}"#
                .to_owned(),
            "2 validation errors detected: Value '[KeySchemaElement(attributeName=a, \
             keyType=HASH), KeySchemaElement(attributeName=b, keyType=RANGE), \
             KeySchemaElement(attributeName=c, keyType=null)]' at 'keySchema' failed to satisfy \
             constraint: Member must have length less than or equal to 2; Value null at \
             'keySchema.3.member.keyType' failed to satisfy constraint: Member must not be null",
        ),
        (
            Operation::CreateTable,
            r#"{"TableName":"Tab","AttributeDefinitions":[{"AttributeName":"a","AttributeType":"X"}],
                "KeySchema":[{"AttributeName":"a","KeyType":"HASH"}]}"#
                .to_owned(),
            "1 validation error detected: Value 'X' at \
             'attributeDefinitions.1.member.attributeType' failed to satisfy constraint: Member \
             must satisfy enum value set: [B, N, S]",
        ),
        (
            Operation::DeleteTable,
            r#"{"TableName":""}"#.to_owned(),
            "2 validation errors detected: Value '' at 'tableName' failed to satisfy constraint: \
             Member must have length greater than or equal to 3; Value '' at 'tableName' failed to \
             satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+",
        ),
        (
            Operation::CreateTable,
            r#"{"TableName":"Tab","AttributeDefinitions":[],
                "KeySchema":[{"AttributeName":"a","KeyType":"HASH"}],
                "LocalSecondaryIndexes":[{"IndexName":"l",
                    "KeySchema":[{"AttributeName":"a","KeyType":"HASH"}],"Projection":{}}],
                "GlobalSecondaryIndexes":[{"IndexName":"g",
                    "KeySchema":[{"AttributeName":"a","KeyType":"HASH"}],"Projection":{}}]}"#
                .to_owned(),
            "2 validation errors detected: Value 'g' at \
             'globalSecondaryIndexes.1.member.indexName' failed to satisfy constraint: Member must \
             have length greater than or equal to 3; Value 'l' at \
             'localSecondaryIndexes.1.member.indexName' failed to satisfy constraint: Member must \
             have length greater than or equal to 3",
        ),
    ];
    for (operation, body, expected) in cases {
        assert_eq!(message(operation, &body).as_deref(), Some(expected), "{body}");
    }
}

#[test]
fn attribute_names_are_limited() {
    for (length, is_allowed) in [(65_535, true), (65_536, false)] {
        let body = format!(r#"{{"TableName":"T","Key":{{"{}":{{"S":""}}}}}}"#, "a".repeat(length));
        let message = message(Operation::GetItem, &body);
        let expected = "Map keys must satisfy constraint: [Member must have length less than or \
                        equal to 65535]";
        assert_eq!(message.is_none_or(|message| !message.ends_with(expected)), is_allowed);
    }
}

#[test]
fn at_most_ten_violations_are_listed() {
    let gets = ["{}"; 12].join(",");
    let body = format!(r#"{{"TransactItems":[{gets}]}}"#);
    let violations = check(Operation::TransactGetItems, body.as_bytes()).expect("none has a Get");
    assert_eq!(violations.violations.len(), 10);
    assert!(violations.message.starts_with("10 validation errors detected: "));
}

#[test]
fn bodies_that_do_not_decode_have_no_violations() {
    for body in ["", "[]", "{", "null", "{\"TableName\":5}", "\u{1}"] {
        assert!(check(Operation::PutItem, body.as_bytes()).is_none_or(|found| {
            found.violations.iter().all(|violation| violation.value.is_none())
        }));
    }
}

#[test]
fn requests_made_in_the_process_are_checked_alike() {
    let request = hashrange_wire::GetItemInput {
        table_name: Some("a b".into()),
        ..hashrange_wire::GetItemInput::default()
    };
    let found = hashrange_wire::check::check_value(Operation::GetItem, &request);
    assert_eq!(
        found.expect("the name is no name and the key is missing").message,
        "2 validation errors detected: Value 'a b' at 'tableName' failed to satisfy constraint: \
         Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+; Value null at 'key' \
         failed to satisfy constraint: Member must not be null"
    );
}
