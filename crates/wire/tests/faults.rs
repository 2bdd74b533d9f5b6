//! Faults of a body: malformed, of a wrong type, or with a faulty value.

use hashrange_model::error::ValueFault;
use hashrange_model::number::NumberFault;
use hashrange_model::{AttributeType, Item};
use hashrange_wire::{
    CreateTableInput, Fault, GetItemInput, PutItemInput, QueryInput, TransactWriteItemsInput,
    UpdateTableInput, decode, syntax_check,
};

fn type_fault(message: &str) -> Fault {
    Fault::Type(message.to_owned())
}

#[test]
fn malformed_bodies_are_syntax_faults() {
    let deep = |depth: usize| format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
    let malformed: Vec<Vec<u8>> = [
        "",
        " ",
        "{",
        "}",
        "{}}",
        "{} {}",
        "{,}",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1,}",
        "{a:1}",
        "{'a':1}",
        "[1,]",
        "[,1]",
        "[1 2]",
        "{\"a\":1 \"b\":2}",
        "01",
        "-",
        "1.",
        ".5",
        "1e",
        "+1",
        "NaN",
        "tru",
        "nul",
        "True",
        "\"",
        "\"\\x\"",
        "\"\\u12\"",
        "\"\\u12g4\"",
        "\"\\ud800\"",
        "\"\\udc00\\ud800\"",
        "\"\\ud800\\u0041\"",
        "\"a\nb\"",
        "\"\u{0}\"",
        "\u{FEFF}{}",
        "//\n{}",
    ]
    .iter()
    .map(|body| body.as_bytes().to_vec())
    .chain([b"\"\xFF\"".to_vec(), b"\"\xC3\"".to_vec(), deep(257).into_bytes()])
    .collect();
    for body in malformed {
        let shown = String::from_utf8_lossy(&body).into_owned();
        assert_eq!(syntax_check(&body), Err(Fault::Syntax), "{shown}");
        assert!(decode::<GetItemInput<'_>>(&body).is_err(), "{shown}");
    }
    let well_formed = [
        "{}",
        " {\t\"a\" :\r\n[ 1 , {} ] } ",
        "-0.5e+10",
        "0",
        "\"\\ud83d\\ude00\"",
        "[[],[[]]]",
        "[{\"a\":[{}]},2]",
        "null",
        "\"\u{7F}é\"",
        &deep(256),
    ];
    for body in well_formed {
        assert_eq!(syntax_check(body.as_bytes()), Ok(()), "{body}");
    }
}

#[test]
fn wrong_types_are_worded_as_by_the_service() {
    const CLASS: &str = "com.amazonaws.dynamodb.v20120810";
    let attributes = format!(
        "Unrecognized collection type java.util.Map<java.lang.String, {CLASS}.AttributeValue>"
    );
    let table = format!("Unrecognized collection type class {CLASS}.StreamSpecification");
    let request = format!("Unrecognized collection type class {CLASS}.QueryInput");
    let cases = [
        (r#"{"TableName":true}"#, "TRUE_VALUE cannot be converted to String"),
        (r#"{"TableName":false}"#, "FALSE_VALUE cannot be converted to String"),
        (r#"{"TableName":23}"#, "NUMBER_VALUE cannot be converted to String"),
        (r#"{"TableName":23.5}"#, "DECIMAL_VALUE cannot be converted to String"),
        (r#"{"TableName":[]}"#, "Unrecognized collection type class java.lang.String"),
        (r#"{"TableName":{}}"#, "Start of structure or map found where not expected"),
        (r#"{"Select":1}"#, "NUMBER_VALUE cannot be converted to String"),
        (r#"{"Limit":"1"}"#, "STRING_VALUE cannot be converted to Integer"),
        (r#"{"Limit":true}"#, "TRUE_VALUE cannot be converted to Integer"),
        (r#"{"Limit":[]}"#, "Unrecognized collection type class java.lang.Integer"),
        (r#"{"ConsistentRead":1}"#, "NUMBER_VALUE cannot be converted to Boolean"),
        (r#"{"ConsistentRead":"x"}"#, "Unexpected token received from parser"),
        (r#"{"AttributesToGet":"a"}"#, "Unexpected field type"),
        (r#"{"AttributesToGet":{}}"#, "Start of structure or map found where not expected"),
        (r#"{"AttributesToGet":[1]}"#, "NUMBER_VALUE cannot be converted to String"),
        (r#"{"ExclusiveStartKey":"a"}"#, "Unexpected field type"),
        (r#"{"ExclusiveStartKey":[]}"#, &attributes),
        (r#"{"ExclusiveStartKey":{"a":1}}"#, "Unexpected value type in payload"),
        (r#"{"KeyConditions":{"a":1}}"#, "Unexpected value type in payload"),
        (r#"{"StreamSpecification":1}"#, "Unexpected field type"),
        (r#"{"StreamSpecification":[]}"#, &table),
        (r"[]", &request),
    ];
    for (body, expected) in cases {
        let fault = if body.contains("StreamSpecification") {
            decode::<UpdateTableInput<'_>>(body.as_bytes()).err()
        } else {
            decode::<QueryInput<'_>>(body.as_bytes()).err()
        };
        assert_eq!(fault, Some(type_fault(expected)), "{body}");
    }
}

#[test]
fn wrong_types_in_attribute_values_are_faults_at_once() {
    let base64_length = "Base64 encoded length is expected a multiple of 4 bytes but found: 3";
    let base64_tail = "Invalid last non-pad Base64 character dectected";
    let not_base64 = "only base-64-encoded strings are convertible to bytes";
    let cases = [
        (r#"{"S":5}"#, "NUMBER_VALUE cannot be converted to String"),
        (r#"{"N":5}"#, "NUMBER_VALUE cannot be converted to String"),
        (r#"{"B":5}"#, not_base64),
        (r#"{"B":true}"#, not_base64),
        (r#"{"B":[]}"#, "Unrecognized collection type class java.nio.ByteBuffer"),
        (r#"{"B":"abc"}"#, base64_length),
        (r#"{"B":"aa=="}"#, base64_tail),
        (r#"{"B":"*Q=="}"#, base64_tail),
        (r#"{"B":"ab=="}"#, base64_tail),
        (r#"{"BS":["abc"]}"#, base64_length),
        (r#"{"SS":"a"}"#, "Unexpected field type"),
        (r#"{"SS":[1]}"#, "NUMBER_VALUE cannot be converted to String"),
        (r#"{"L":{}}"#, "Start of structure or map found where not expected"),
        (r#"{"L":[1]}"#, "Unexpected value type in payload"),
        (
            r#"{"M":{"a":[]}}"#,
            "Unrecognized collection type class com.amazonaws.dynamodb.v20120810.AttributeValue",
        ),
        (r#"{"BOOL":"maybe"}"#, "Unexpected token received from parser"),
        // A type fault is reported before the fault of an earlier value.
        (r#"{"SS":[],"S":5}"#, "NUMBER_VALUE cannot be converted to String"),
    ];
    for (value, expected) in cases {
        let body = format!(r#"{{"Item":{{"bad":{{"NS":[]}},"a":{value}}}}}"#);
        let fault = decode::<PutItemInput<'_>>(body.as_bytes()).err();
        assert_eq!(fault, Some(type_fault(expected)), "{value}");
    }
}

#[test]
fn a_syntax_fault_wins_over_a_type_fault_before_it() {
    let body = br#"{"TableName":5,"Limit":}"#;
    assert_eq!(decode::<QueryInput<'_>>(body).err(), Some(Fault::Syntax));
}

#[test]
fn the_first_fault_of_a_value_is_kept() {
    let nested = |levels: usize| {
        format!("{}{{\"S\":\"\"}}{}", "{\"L\":[".repeat(levels), "]}".repeat(levels))
    };
    let duplicates = |set, members: [&str; 3]| ValueFault::DuplicateMembers {
        set,
        members: members.map(str::to_owned).to_vec(),
    };
    let not_numeric = |text: &str| ValueFault::Number(NumberFault::NotNumeric(text.to_owned()));
    let (within, beyond) = (nested(31), nested(32));
    let cases = [
        (r"{}", Some(ValueFault::EmptyAttributeValue)),
        (r"null", Some(ValueFault::EmptyAttributeValue)),
        (r#"{"X":1}"#, Some(ValueFault::EmptyAttributeValue)),
        (r#"{"S":null}"#, Some(ValueFault::EmptyAttributeValue)),
        (r#"{"S":null,"N":"1"}"#, None),
        (r#"{"S":"a","N":"1"}"#, Some(ValueFault::MultipleTypes)),
        (r#"{"N":"x","S":"a"}"#, Some(not_numeric("x"))),
        (r#"{"S":"a","N":"x"}"#, Some(not_numeric("x"))),
        (r#"{"N":""}"#, Some(not_numeric(""))),
        (r#"{"N":"1e126"}"#, Some(ValueFault::Number(NumberFault::Overflow))),
        (r#"{"NULL":false}"#, Some(ValueFault::NullFalse)),
        (r#"{"NULL":"true"}"#, None),
        (r#"{"BOOL":"NO"}"#, None),
        (r#"{"SS":[]}"#, Some(ValueFault::EmptySet(AttributeType::Ss))),
        (r#"{"NS":[]}"#, Some(ValueFault::EmptySet(AttributeType::Ns))),
        (r#"{"BS":[]}"#, Some(ValueFault::EmptySet(AttributeType::Bs))),
        (r#"{"SS":[""]}"#, None),
        (r#"{"SS":["b","a","b"]}"#, Some(duplicates(AttributeType::Ss, ["b", "a", "b"]))),
        (r#"{"NS":["1","2","1.0"]}"#, Some(duplicates(AttributeType::Ns, ["1", "1", "2"]))),
        (
            r#"{"BS":["/w==","AA==","AA=="]}"#,
            Some(duplicates(AttributeType::Bs, ["/w==", "AA==", "AA=="])),
        ),
        (r#"{"M":{"":{"S":"a"}}}"#, Some(ValueFault::EmptyAttributeName)),
        (r#"{"L":[{"M":{"a":{}}},{"N":"x"}]}"#, Some(ValueFault::EmptyAttributeValue)),
        (&within, None),
        (&beyond, Some(ValueFault::NestingTooDeep)),
    ];
    for (value, expected) in cases {
        let body = format!(
            r#"{{"Item":{{"a":{value}}},"ExpressionAttributeValues":{{":v":{}}}}}"#,
            if value == "null" { "{}" } else { value }
        );
        let decoded = decode::<PutItemInput<'_>>(body.as_bytes()).expect("no type is wrong").value;
        let item = decoded.item.expect("the body has an item");
        let values = decoded.expression_attribute_values.expect("the body has values");
        let value_fault = values.get(":v").expect("the placeholder is there").fault.clone();
        assert_eq!(value_fault.map(|fault| *fault), expected, "{value}");
        assert_eq!(item.item == Item::empty(), expected.is_some(), "{value}");
        assert_eq!(item.into_result().err().map(|fault| *fault), expected, "{value}");
    }
}

#[test]
fn scalars_are_coerced() {
    let cases = [
        (r#"{"Limit":1.9}"#, Some(1), None),
        (r#"{"Limit":-1.5}"#, Some(-2), None),
        (r#"{"Limit":1e2}"#, Some(100), None),
        (r#"{"Limit":99999999999999999999999}"#, Some(i32::MAX), None),
        (r#"{"ConsistentRead":"YES"}"#, None, Some(true)),
        (r#"{"ConsistentRead":"0"}"#, None, Some(false)),
        (r#"{"Limit":3,"Limit":4}"#, Some(4), None),
        (r#"{"Limit":3,"Limit":null}"#, None, None),
        (r#"{"limit":3,"Unknown":{"a":[[1],{"b":null}]}}"#, None, None),
    ];
    for (body, limit, consistent_read) in cases {
        let query = decode::<QueryInput<'_>>(body.as_bytes()).expect("nothing is wrong").value;
        assert_eq!((query.limit, query.consistent_read), (limit, consistent_read), "{body}");
    }
}

#[test]
fn strings_borrow_unless_escaped() {
    let body = br#"{"TableName":"T\u0061b","IndexName":"index"}"#;
    let query = decode::<QueryInput<'_>>(body).expect("nothing is wrong").value;
    assert_eq!(query.table_name.as_deref(), Some("Tab"));
    assert!(matches!(query.index_name, Some(std::borrow::Cow::Borrowed("index"))));
}

#[test]
fn elements_that_are_null_or_unknown_make_a_request_suspect() {
    let cases = [
        (r#"{"TableName":"Tab","KeySchema":[null]}"#, true),
        (r#"{"TableName":"Tab","KeySchema":[{"AttributeName":"a","KeyType":"X"}]}"#, true),
        (
            r#"{"AttributeDefinitions":[],"TableName":"Tab","KeySchema":[{"AttributeName":"a","KeyType":"HASH"}]}"#,
            false,
        ),
        (r#"{"TableName":"Tab","KeySchema":[]}"#, true),
    ];
    for (body, suspect) in cases {
        let decoded = decode::<CreateTableInput<'_>>(body.as_bytes()).expect("nothing is wrong");
        assert_eq!(decoded.suspect, suspect, "{body}");
    }
    let body = br#"{"TransactItems":[{"Put":{"TableName":"T","Item":{}}},{"Put":{}}]}"#;
    assert!(decode::<TransactWriteItemsInput<'_>>(body).is_ok_and(|decoded| decoded.suspect));
}
