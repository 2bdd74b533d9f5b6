//! Key conditions: what they ask of a schema, and each fault with its sentence.

mod request;

use hashrange_expr::{KeyAttribute, KeyOperator, KeyPlan, key_condition};
use hashrange_model::error::Reason;
use hashrange_model::{AttributeType, AttributeValue, Value};
use request::{Request, sentence};

fn request() -> Request {
    Request::new()
        .name("#pk", "pk")
        .name("#sk", "sk")
        .value(":p", "p")
        .value(":n", 1)
        .value(":m", 5)
        .value(":a", "a")
        .value(":b", "b")
        .value(":empty", "")
        .value(":true", true)
        .value(":bin", AttributeValue::B(vec![1].into()))
}

const PK: KeyAttribute<'_> = KeyAttribute { name: "pk", attribute_type: AttributeType::S };
const SK: KeyAttribute<'_> = KeyAttribute { name: "sk", attribute_type: AttributeType::S };
const NUMBER_SK: KeyAttribute<'_> = KeyAttribute { name: "sk", attribute_type: AttributeType::N };

fn plan(
    text: &str,
    partition: &[KeyAttribute<'_>],
    sort: &[KeyAttribute<'_>],
) -> Result<KeyPlan, Reason> {
    request().with(|placeholders| key_condition(text, placeholders))?.plan(partition, sort)
}

fn value(value: impl Into<AttributeValue>) -> Value {
    value.into().to_value()
}

#[test]
fn ranges_are_planned() {
    for (text, sort_equal, sort_range) in [
        ("pk = :p", vec![], None),
        ("(pk = :p)", vec![], None),
        (":p = pk", vec![], None),
        ("#pk = :p and sk = :a", vec![value("a")], None),
        ("sk = :a AND pk = :p", vec![value("a")], None),
        ("(pk = :p) AND (sk = :a)", vec![value("a")], None),
        ("(pk = :p AND sk = :a)", vec![value("a")], None),
        ("pk = :p AND sk < :a", vec![], Some(KeyOperator::Less(value("a")))),
        ("pk = :p AND sk <= :a", vec![], Some(KeyOperator::LessOrEqual(value("a")))),
        ("pk = :p AND sk > :a", vec![], Some(KeyOperator::Greater(value("a")))),
        ("pk = :p AND sk >= :a", vec![], Some(KeyOperator::GreaterOrEqual(value("a")))),
        ("pk = :p AND :a <= sk", vec![], Some(KeyOperator::GreaterOrEqual(value("a")))),
        ("pk = :p AND :a < sk", vec![], Some(KeyOperator::Greater(value("a")))),
        ("pk = :p AND :a >= sk", vec![], Some(KeyOperator::LessOrEqual(value("a")))),
        ("pk = :p AND :a > sk", vec![], Some(KeyOperator::Less(value("a")))),
        ("pk = :p AND begins_with(sk, :a)", vec![], Some(KeyOperator::BeginsWith(value("a")))),
        (
            "pk = :p AND sk BETWEEN :a AND :b",
            vec![],
            Some(KeyOperator::Between(value("a"), value("b"))),
        ),
        (
            "sk between :a and :b and pk = :p",
            vec![],
            Some(KeyOperator::Between(value("a"), value("b"))),
        ),
    ] {
        let expected = KeyPlan { partition: vec![value("p")], sort_equal, sort_range };
        assert_eq!(plan(text, &[PK], &[SK]), Ok(expected), "{text}");
    }
}

#[test]
fn keys_of_several_attributes_are_planned() {
    let attribute = |name| KeyAttribute { name, attribute_type: AttributeType::S };
    let partition = [attribute("h1"), attribute("h2")];
    let sort = [attribute("r1"), attribute("r2"), attribute("r3")];
    let hashes = "h2 = :b AND h1 = :a";
    let gap = |attributes: &str, on: &str| {
        Err(format!(
            "RANGE key attributes {attributes} must have equality conditions specified in the \
             query because a condition is present on key attribute {on}"
        ))
    };
    for (rest, expected) in [
        ("", Ok((0, false))),
        (" AND r1 = :a", Ok((1, false))),
        (" AND r2 > :a AND r1 = :a", Ok((1, true))),
        (" AND r1 = :a AND r2 = :a AND r3 = :a", Ok((3, false))),
        (" AND r1 = :a AND r2 = :a AND begins_with(r3, :a)", Ok((2, true))),
        (" AND r2 = :a", gap("r1", "r2")),
        (" AND r3 = :a", gap("r1, r2", "r3")),
        (" AND r1 = :a AND r3 = :a", gap("r2", "r3")),
        (" AND r1 > :a AND r2 = :a", gap("r1", "r2")),
        (" AND r1 > :a AND r2 > :a", gap("r1", "r2")),
        (" AND x = :a", Err("Query condition missed key schema element: r1".to_owned())),
    ] {
        let planned = plan(&format!("{hashes}{rest}"), &partition, &sort);
        let found = planned
            .map(|plan| {
                assert_eq!(plan.partition, [value("a"), value("b")]);
                (plan.sort_equal.len(), plan.sort_range.is_some())
            })
            .map_err(|reason| sentence(&reason));
        assert_eq!(found, expected, "{rest}");
    }
    let missed = plan("h2 = :b AND r1 = :a", &partition, &sort).unwrap_err();
    assert_eq!(
        sentence(&missed),
        "HASH key attributes h1 must have equality conditions specified in the query"
    );
}

#[test]
fn faults_against_the_schema_have_their_sentences() {
    for (text, sort, expected) in [
        (
            "pk = :p AND sk = :a AND x = :a",
            &[SK][..],
            "The number of query conditions (3) exceeds the number of key attributes defined in \
             the schema (2)",
        ),
        ("pk = :p AND sk = :a", &[], "Query key condition not supported"),
        (
            "pk = :p AND sk = :a AND x = :a",
            &[],
            "The number of query conditions (3) exceeds the number of key attributes defined in \
             the schema (1)",
        ),
        ("sk = :a", &[SK], "Query condition missed key schema element: pk"),
        ("x = :a", &[], "Query condition missed key schema element: pk"),
        ("pk = :p AND x = :a", &[SK], "Query condition missed key schema element: sk"),
        ("pk > :p", &[SK], "Query key condition not supported"),
        ("begins_with(pk, :p)", &[SK], "Query key condition not supported"),
        (
            "pk = :n",
            &[],
            "One or more parameter values were invalid: Condition parameter type does not match \
             schema type",
        ),
        (
            "pk = :p AND sk = :true",
            &[SK],
            "One or more parameter values were invalid: Condition parameter type does not match \
             schema type",
        ),
        (
            "pk = :p AND begins_with(sk, :a)",
            &[NUMBER_SK],
            "One or more parameter values were invalid: Condition parameter type does not match \
             schema type",
        ),
        (
            "pk = :empty",
            &[SK],
            "One or more parameter values are not valid. The AttributeValue for a key attribute \
             cannot contain an empty string value. Key: pk",
        ),
    ] {
        assert_eq!(sentence(&plan(text, &[PK], sort).unwrap_err()), expected, "{text}");
    }
}

#[test]
#[expect(clippy::too_many_lines, reason = "a flat table of cases")]
fn faults_without_a_schema_have_their_sentences() {
    const NESTED: &str = "Invalid KeyConditionExpression: KeyConditionExpressions cannot have \
                          conditions on nested attributes";
    const SEVERAL: &str = "Invalid KeyConditionExpression: Invalid condition in \
                           KeyConditionExpression: Multiple attribute names used in one condition";
    const NONE: &str = "Invalid KeyConditionExpression: Invalid condition in \
                        KeyConditionExpression: No key attribute specified";
    const NOT_ALLOWED: &str =
        "Invalid KeyConditionExpression: Invalid operator used in KeyConditionExpression: ";
    const KEY_FIRST: &str =
        "Invalid KeyConditionExpression: Invalid condition in KeyConditionExpression: ";
    const TWICE: &str = "Invalid KeyConditionExpression: KeyConditionExpressions must only \
                         contain one condition per key";
    const TYPE: &str = "Invalid KeyConditionExpression: Incorrect operand type for operator or \
                        function; operator or function: ";
    const FIRST: &str = " operator must have the key attribute as its first operand";
    for (text, expected) in [
        ("", "Invalid KeyConditionExpression: The expression can not be empty;".to_owned()),
        (
            "pk = :p AND",
            "Invalid KeyConditionExpression: Syntax error; token: \"<EOF>\", near: \"AND\""
                .to_owned(),
        ),
        (
            "((pk = :p))",
            "Invalid KeyConditionExpression: The expression has redundant parentheses;".to_owned(),
        ),
        (
            "hash = :p",
            "Invalid KeyConditionExpression: Attribute name is a reserved keyword; reserved \
             keyword: hash"
                .to_owned(),
        ),
        (
            "foo(pk)",
            "Invalid KeyConditionExpression: Invalid function name; function: foo".to_owned(),
        ),
        ("pk = :p OR sk = :a", format!("{NOT_ALLOWED}OR")),
        ("pk = :p AND (sk = :a OR sk = :b)", format!("{NOT_ALLOWED}OR")),
        ("NOT pk = :p", format!("{NOT_ALLOWED}NOT")),
        ("pk = :p AND sk IN (:a)", format!("{NOT_ALLOWED}IN")),
        ("pk <> :p", format!("{NOT_ALLOWED}<>")),
        ("pk = :p AND contains(sk, :a)", format!("{NOT_ALLOWED}contains")),
        ("attribute_exists(pk)", format!("{NOT_ALLOWED}attribute_exists")),
        (
            "size(pk) = :n",
            "Invalid KeyConditionExpression: KeyConditionExpressions cannot contain nested \
             operations"
                .to_owned(),
        ),
        ("pk.a = :p", NESTED.to_owned()),
        ("pk[0] = :p", NESTED.to_owned()),
        ("pk = sk", SEVERAL.to_owned()),
        ("pk BETWEEN sk AND :b", SEVERAL.to_owned()),
        ("begins_with(pk, sk)", SEVERAL.to_owned()),
        (":p = :a", NONE.to_owned()),
        (":p BETWEEN :a AND :b", NONE.to_owned()),
        ("begins_with(:p, :a)", NONE.to_owned()),
        ("pk = :p AND :a BETWEEN sk AND :b", format!("{KEY_FIRST}BETWEEN{FIRST}")),
        ("pk = :p AND begins_with(:a, sk)", format!("{KEY_FIRST}begins_with{FIRST}")),
        ("pk = :p AND pk = :a", TWICE.to_owned()),
        ("pk = :p AND sk > :a AND sk < :b", TWICE.to_owned()),
        ("begins_with(sk, :n)", format!("{TYPE}begins_with, operand type: N")),
        ("sk < :true", format!("{TYPE}<, operand type: BOOL")),
        ("sk BETWEEN :true AND :true", format!("{TYPE}BETWEEN, operand type: BOOL")),
        (
            "begins_with(sk)",
            "Invalid KeyConditionExpression: Incorrect number of operands for operator or \
             function; operator or function: begins_with, number of operands: 1"
                .to_owned(),
        ),
        (
            "sk BETWEEN :m AND :n",
            "Invalid KeyConditionExpression: The BETWEEN operator requires upper bound to be \
             greater than or equal to lower bound; lower bound operand: AttributeValue: {N:5}, \
             upper bound operand: AttributeValue: {N:1}"
                .to_owned(),
        ),
        (
            "sk BETWEEN :a AND :n",
            "Invalid KeyConditionExpression: The BETWEEN operator requires same data type for \
             lower and upper bounds; lower bound operand: AttributeValue: {S:a}, upper bound \
             operand: AttributeValue: {N:1}"
                .to_owned(),
        ),
        (
            "pk = :x AND sk < :true",
            "Invalid KeyConditionExpression: An expression attribute value used in expression is \
             not defined; attribute value: :x"
                .to_owned(),
        ),
        ("sk < :true AND pk = :x", format!("{TYPE}<, operand type: BOOL")),
        (":true >= sk", format!("{TYPE}>=, operand type: BOOL")),
        ("size(pk) = :n AND sk < :true", format!("{TYPE}<, operand type: BOOL")),
        (
            "NOT pk = :x",
            "Invalid KeyConditionExpression: An expression attribute value used in expression is \
             not defined; attribute value: :x"
                .to_owned(),
        ),
    ] {
        let fault = request().with(|placeholders| key_condition(text, placeholders)).unwrap_err();
        assert_eq!(sentence(&fault), expected, "{text}");
    }
}
