//! Lists and maps far longer than the model allows: refused as short ones are, and not kept.
#![expect(clippy::format_collect, reason = "long requests are made once")]

use hashrange_model::AttributeType;
use hashrange_model::error::ValueFault;
use hashrange_model::limits::ITEM_SIZE_MAX_BYTES;
use hashrange_wire::check::check;
use hashrange_wire::{
    BatchExecuteStatementInput, BatchGetItemInput, BatchWriteItemInput, Decoded, Fault, Operation,
    PutItemInput, TransactGetItemsInput, TransactWriteItemsInput, decode,
};

const MANY: usize = 20_000;
/// More members than an item can hold of seven digits each.
const MEMBERS: usize = 250_000;

/// Returns a list of so many elements.
fn list(element: &str, count: usize) -> String {
    format!("[{}{element}]", format!("{element},").repeat(count - 1))
}

fn message(operation: Operation, body: &str) -> String {
    check(operation, body.as_bytes()).expect("it violates the model").message
}

fn decoded<'a, T: hashrange_wire::Decode<'a>>(body: &'a str) -> Decoded<T> {
    let decoded = decode::<T>(body.as_bytes()).expect("it decodes");
    assert!(decoded.suspect);
    decoded
}

#[test]
fn one_element_more_than_allowed_is_kept() {
    let body = format!("{{\"TransactItems\":{}}}", list("{}", MANY));
    let writes = decoded::<TransactWriteItemsInput<'_>>(&body).value.transact_items;
    assert_eq!(writes.map(|items| items.len()), Some(101));
    let reads = decoded::<TransactGetItemsInput<'_>>(&body).value.transact_items;
    assert_eq!(reads.map(|items| items.len()), Some(101));
    let body = format!("{{\"Statements\":{}}}", list("{\"Statement\":\"x\"}", MANY));
    let statements = decoded::<BatchExecuteStatementInput<'_>>(&body).value.statements;
    assert_eq!(statements.map(|statements| statements.len()), Some(26));
    let keys = list("{\"pk\":{\"S\":\"a\"}}", MANY);
    let body = format!("{{\"RequestItems\":{{\"Tab\":{{\"Keys\":{keys}}}}}}}");
    let tables = decoded::<BatchGetItemInput<'_>>(&body).value.request_items.expect("it is there");
    let kept = tables.get("Tab").and_then(|table| table.keys.as_ref());
    assert_eq!(kept.map(Vec::len), Some(101));
    let writes = list("{\"DeleteRequest\":{\"Key\":{\"pk\":{\"S\":\"a\"}}}}", MANY);
    let body = format!("{{\"RequestItems\":{{\"Tab\":{writes}}}}}");
    let tables =
        decoded::<BatchWriteItemInput<'_>>(&body).value.request_items.expect("it is there");
    assert_eq!(tables.get("Tab").map(Vec::len), Some(26));
}

#[test]
fn long_lists_are_refused_in_the_words_for_those_one_too_long() {
    const GET: &str = "{\"Get\":{\"TableName\":\"Tab\",\"Key\":{\"pk\":{\"S\":\"a\"}}}}";
    let keys = |count| {
        let keys = list("{\"pk\":{\"S\":\"a\"}}", count);
        format!("{{\"RequestItems\":{{\"Tab\":{{\"Keys\":{keys}}}}}}}")
    };
    let expected = message(Operation::BatchGetItem, &keys(101));
    assert!(expected.ends_with("Member must have length less than or equal to 100"), "{expected}");
    assert_eq!(message(Operation::BatchGetItem, &keys(MANY)), expected);
    let writes = |count| {
        let writes = list("{\"DeleteRequest\":{\"Key\":{\"pk\":{\"S\":\"a\"}}}}", count);
        format!("{{\"RequestItems\":{{\"Tab\":{writes}}}}}")
    };
    let expected = message(Operation::BatchWriteItem, &writes(26));
    assert!(expected.ends_with("Member must have length less than or equal to 25"), "{expected}");
    assert_eq!(message(Operation::BatchWriteItem, &writes(MANY)), expected);
    let gets = |count| format!("{{\"TransactItems\":{}}}", list(GET, count));
    let short = message(Operation::TransactGetItems, &gets(101));
    let long = message(Operation::TransactGetItems, &gets(MANY));
    let end = "failed to satisfy constraint: Member must have length less than or equal to 100";
    assert!(short.ends_with(end) && long.ends_with(end));
    assert!(long.len() < 300_000, "the value is cut off");
}

#[test]
fn a_violation_in_an_element_is_told_beside_the_length() {
    let body = format!(
        "{{\"Statements\":[{{\"Statement\":\"\"}},{}]}}",
        &list("{\"Statement\":\"x\"}", 30)[1..30 * 18]
    );
    let body = body.replace("}]]}", "}]}");
    let message = message(Operation::BatchExecuteStatement, &body);
    assert!(message.starts_with("2 validation errors detected: "), "{message}");
    assert!(message.contains("'statements.1.member.statement'"), "{message}");
}

#[test]
fn faults_of_type_and_syntax_beyond_the_bound_are_found() {
    let body = |last: &str| format!("{{\"TransactItems\":[{}{last}]}}", "{},".repeat(MANY));
    let fault = |body: &str| decode::<TransactWriteItemsInput<'_>>(body.as_bytes()).err();
    assert!(matches!(fault(&body("5")), Some(Fault::Type(_))));
    assert_eq!(fault(&body("{")), Some(Fault::Syntax));
    assert_eq!(fault(&body("{}")), None);
}

#[test]
fn a_table_named_again_and_again_counts_once() {
    let table = "\"Tab\":{\"Keys\":[{}]},";
    let body = |tables: String| {
        format!("{{\"RequestItems\":{{{tables}\"Tab\":{{\"Keys\":[{{}},{{}}]}}}}}}")
    };
    let body = body(table.repeat(MANY));
    let read = decode::<BatchGetItemInput<'_>>(body.as_bytes()).expect("it decodes");
    assert!(!read.suspect);
    let tables = read.value.request_items.expect("it is there");
    assert_eq!(tables.len(), 1);
    assert_eq!(tables.get("Tab").and_then(|it| it.keys.as_ref()).map(Vec::len), Some(2));
    assert_eq!(check(Operation::BatchGetItem, body.as_bytes()), None);
    let many: String = (0..MANY).map(|nth| format!("\"T{nth}\":{{\"Keys\":[{{}}]}},")).collect();
    let body = format!("{{\"RequestItems\":{{{many}\"Tab\":{{\"Keys\":[{{}}]}}}}}}");
    let tables = decoded::<BatchGetItemInput<'_>>(&body).value.request_items;
    assert!(tables.is_some_and(|tables| (101..=201).contains(&tables.len())));
}

/// Returns an item with a set of so many numbers, as strings or as numbers, and then of `last`.
fn item_with_set(set: &str, count: usize, last: &str) -> String {
    let members: String = (0..count).map(|nth| format!("\"{}\",", 1_000_000 + nth)).collect();
    format!("{{\"Item\":{{\"pk\":{{\"S\":\"a\"}},\"set\":{{\"{set}\":[{members}{last}]}}}}}}")
}

#[test]
fn a_set_larger_than_any_item_is_not_kept_whole_and_still_too_large() {
    for set in ["SS", "NS"] {
        let body = item_with_set(set, MEMBERS, "\"5\"");
        let item = decode::<PutItemInput<'_>>(body.as_bytes()).expect("it decodes").value.item;
        let item = item.and_then(|item| item.into_result().ok()).expect("it is an item");
        let few = ITEM_SIZE_MAX_BYTES + 100;
        assert!((ITEM_SIZE_MAX_BYTES + 1..few).contains(&item.size()), "{set} {}", item.size());
    }
}

#[test]
fn faults_of_members_that_are_not_kept_are_found() {
    let fault = |body: &str| {
        let item = decode::<PutItemInput<'_>>(body.as_bytes()).map(|input| input.value.item);
        item.map(|item| item.and_then(|item| item.into_result().err()).map(|fault| *fault))
    };
    for (set, attribute_type) in [("SS", AttributeType::Ss), ("NS", AttributeType::Ns)] {
        // One of those that are kept comes again, and one of those that are not.
        for last in ["\"1000000\"", "\"5\",\"5\""] {
            let found = fault(&item_with_set(set, MEMBERS, last));
            assert!(
                matches!(
                    found,
                    Ok(Some(ValueFault::DuplicateMembers { set, .. })) if set == attribute_type
                ),
                "{set} {last}"
            );
        }
        assert!(matches!(fault(&item_with_set(set, MEMBERS, "5")), Err(Fault::Type(_))));
    }
    let found = fault(&item_with_set("NS", MEMBERS, "\"five\""));
    assert!(matches!(found, Ok(Some(ValueFault::Number(_)))));
    let equal = fault(&item_with_set("NS", MEMBERS, "\"7\",\"7.0\""));
    assert!(matches!(equal, Ok(Some(ValueFault::DuplicateMembers { .. }))));
    let empty = format!("{{\"Item\":{{\"set\":{{\"SS\":{}}}}}}}", list("\"\"", 2 * MEMBERS));
    assert!(matches!(fault(&empty), Ok(Some(ValueFault::DuplicateMembers { .. }))));
}
