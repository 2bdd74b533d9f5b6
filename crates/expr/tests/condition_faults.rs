//! Each fault of a condition with its sentence, and which of several faults is reported.

mod request;

use hashrange_expr::condition;
use hashrange_model::AttributeValue;
use hashrange_model::error::ExpressionKind;
use request::{Request, sentence};

fn request() -> Request {
    Request::new()
        .name("#n", "n")
        .value(":s", "s")
        .value(":a", "a")
        .value(":n", 1)
        .value(":m", 5)
        .value(":b", AttributeValue::B(vec![0xFF, 0].into()))
        .value(":b2", AttributeValue::B(vec![1].into()))
        .value(":true", true)
        .value(":null", AttributeValue::Null)
        .value(":ss", AttributeValue::string_set(["x"]))
        .value(":ns", AttributeValue::number_set([1]))
        .value(":bs", AttributeValue::binary_set([vec![1]]))
        .value(":l", AttributeValue::list([]))
        .value(":map", AttributeValue::map([("k", true.into())]))
        .value(":S", "S")
        .value(":X", "X")
}

fn fault(kind: ExpressionKind, text: &str) -> String {
    match request().with(|placeholders| condition(kind, text, placeholders)) {
        Ok(compiled) => panic!("{text} compiled to {compiled:?}"),
        Err(reason) => sentence(&reason),
    }
}

/// Checks sentences that open with `Invalid ConditionExpression: `.
fn check(cases: &[(&str, &str)]) {
    for (text, words) in cases {
        let expected = format!("Invalid ConditionExpression: {words}");
        assert_eq!(fault(ExpressionKind::Condition, text), expected, "{text}");
    }
}

#[test]
fn syntax_errors_name_the_token_and_its_neighbours() {
    for (text, token, near) in [
        ("attribute_not_exists(", "<EOF>", "("),
        ("a = = :s", "=", "= = :s"),
        ("!!! x", "!", "!!"),
        ("a", "<EOF>", "a"),
        ("a = :s AND", "<EOF>", "AND"),
        ("a = :s b", "b", ":s b"),
        ("a b = :s", "b", "a b ="),
        ("a =", "<EOF>", "="),
        ("(a = :s", "<EOF>", ":s"),
        ("a = :s)", ")", ":s)"),
        ("()", ")", "()"),
        ("a[b] = :s", "b", "[b]"),
        ("a[-1] = :s", "-", "[-1"),
        ("a. = :s", "=", ". = :s"),
        ("a..b = :s", ".", "..b"),
        (".a = :s", ".", ".a"),
        ("a = 5", "5", "= 5"),
        ("a = \"s\"", "\"", "= \"s"),
        ("a IN ()", ")", "()"),
        ("a IN :s", ":s", "IN :s"),
        ("a BETWEEN :n OR :m", "OR", ":n OR :m"),
        ("a BETWEEN :n", "<EOF>", ":n"),
        ("and = :s", "and", "and ="),
        ("size() = :n", ")", "() ="),
        ("_a = :s", "_", "_a"),
        ("a._b = :s", "_", "._b"),
        ("a = _f(b)", "_", "= _f"),
        ("(a = :s) = :s", "=", ") = :s"),
        ("a = (b = :s)", "=", "b = :s"),
        ("a AND b = :s", "AND", "a AND b"),
        ("a = :s + :n", "+", ":s + :n"),
        ("# = :s", "#", "# ="),
        ("a = :", ":", "= :"),
        ("é = :s", "é", "é ="),
        ("a == :s", "=", "== :s"),
    ] {
        check(&[(text, &format!("Syntax error; token: \"{token}\", near: \"{near}\""))]);
    }
}

#[test]
fn structure_is_checked() {
    check(&[
        ("", "The expression can not be empty;"),
        (" \t\r\n", "The expression can not be empty;"),
        ("((a = :s))", "The expression has redundant parentheses;"),
        ("((a)) = :s", "The expression has redundant parentheses;"),
        ("a = ((:s))", "The expression has redundant parentheses;"),
        ("((a = :s)) AND b = :s", "The expression has redundant parentheses;"),
        ("NOT ((a = :s))", "The expression has redundant parentheses;"),
        ("foo(a)", "Invalid function name; function: foo"),
        ("SIZE(a) = :n", "Invalid function name; function: SIZE"),
        (
            "size(a)",
            "The function is not allowed to be used this way in an expression; function: size",
        ),
        (
            "a = :s AND size(a)",
            "The function is not allowed to be used this way in an expression; function: size",
        ),
        (
            "attribute_exists(a) = :true",
            "The function is not allowed to be used this way in an expression; function: \
             attribute_exists",
        ),
        (
            "contains(a, begins_with(a, :s))",
            "The function is not allowed to be used this way in an expression; function: \
             begins_with",
        ),
        ("status = :s", "Attribute name is a reserved keyword; reserved keyword: status"),
        ("a.Status = :s", "Attribute name is a reserved keyword; reserved keyword: Status"),
        ("set = :s", "Attribute name is a reserved keyword; reserved keyword: set"),
        (
            "#x = :s",
            "An expression attribute name used in the document path is not defined; attribute \
             name: #x",
        ),
        (
            "a.#x = :s",
            "An expression attribute name used in the document path is not defined; attribute \
             name: #x",
        ),
        (
            "a = :x",
            "An expression attribute value used in expression is not defined; attribute value: :x",
        ),
        (
            "a IN (:s, :x)",
            "An expression attribute value used in expression is not defined; attribute value: :x",
        ),
    ]);
}

#[test]
#[expect(clippy::too_many_lines, reason = "a flat table of cases")]
fn operands_are_checked() {
    const ANY_TYPE: &str = "{NS,SS,L,BS,N,M,B,BOOL,NULL,S}";
    let count = |operator: &str, count: usize| {
        format!(
            "Incorrect number of operands for operator or function; operator or function: \
             {operator}, number of operands: {count}"
        )
    };
    let wrong_type = |operator: &str, operand: &str| {
        format!(
            "Incorrect operand type for operator or function; operator or function: {operator}, \
             operand type: {operand}"
        )
    };
    let same = |operator: &str, operand: &str| {
        format!(
            "The first operand must be distinct from the remaining operands for this operator or \
             function; operator: {operator}, first operand: {operand}"
        )
    };
    let path = |operator: &str| {
        format!("Operator or function requires a document path; operator or function: {operator}")
    };
    for (text, words) in [
        ("size(a, b) = :n", count("size", 2)),
        ("attribute_exists(a, b)", count("attribute_exists", 2)),
        ("attribute_not_exists(a, b)", count("attribute_not_exists", 2)),
        ("begins_with(a)", count("begins_with", 1)),
        ("contains(a, :s, :s)", count("contains", 3)),
        ("attribute_type(a)", count("attribute_type", 1)),
        ("attribute_exists(:s)", path("attribute_exists")),
        ("attribute_not_exists(:s)", path("attribute_not_exists")),
        ("attribute_exists(size(a))", path("attribute_exists")),
        ("attribute_type(size(a), :S)", path("attribute_type")),
        ("attribute_type(a, b)", wrong_type("attribute_type", ANY_TYPE)),
        ("attribute_type(:s, b)", wrong_type("attribute_type", ANY_TYPE)),
        ("attribute_type(a, size(a))", wrong_type("attribute_type", "N")),
        ("attribute_type(:s, :n)", wrong_type("attribute_type", "N")),
        (
            "a[2147483648] = :s",
            "List index is not within the allowable range; index: [2147483648]".to_owned(),
        ),
        ("a = a", same("=", "[a]")),
        ("a.b[0] <> a.b[0]", same("<>", "[a, b, [0]]")),
        ("#n < n", same("<", "[n]")),
        ("contains(a, a)", same("contains", "[a]")),
        ("a < :true", wrong_type("<", "BOOL")),
        ("a <= :null", wrong_type("<=", "NULL")),
        ("a > :ss", wrong_type(">", "SS")),
        (":ns >= a", wrong_type(">=", "NS")),
        ("a < :bs", wrong_type("<", "BS")),
        ("a < :l", wrong_type("<", "L")),
        ("a < :map", wrong_type("<", "M")),
        ("a BETWEEN :true AND :true", wrong_type("BETWEEN", "BOOL")),
        ("begins_with(a, :n)", wrong_type("begins_with", "N")),
        ("begins_with(:n, a)", wrong_type("begins_with", "N")),
        ("begins_with(size(a), :s)", wrong_type("begins_with", "N")),
        ("size(:n) = :n", wrong_type("size", "N")),
        ("size(:true) = :n", wrong_type("size", "BOOL")),
        ("size(:null) = :n", wrong_type("size", "NULL")),
        ("size(size(a)) = :n", wrong_type("size", "N")),
        ("attribute_type(a, :n)", wrong_type("attribute_type", "N")),
        (
            "attribute_type(a, :X)",
            "Invalid attribute type name found; type: X, valid types: \
             {B,NULL,SS,BOOL,L,BS,N,NS,S,M}"
                .to_owned(),
        ),
        (
            "a BETWEEN :a AND :n",
            "The BETWEEN operator requires same data type for lower and upper bounds; lower bound \
             operand: AttributeValue: {S:a}, upper bound operand: AttributeValue: {N:1}"
                .to_owned(),
        ),
        (
            "a BETWEEN :m AND :n",
            "The BETWEEN operator requires upper bound to be greater than or equal to lower \
             bound; lower bound operand: AttributeValue: {N:5}, upper bound operand: \
             AttributeValue: {N:1}"
                .to_owned(),
        ),
        (
            "a BETWEEN :b AND :b2",
            "The BETWEEN operator requires upper bound to be greater than or equal to lower \
             bound; lower bound operand: AttributeValue: {B:/wA=}, upper bound operand: \
             AttributeValue: {B:AQ==}"
                .to_owned(),
        ),
    ] {
        check(&[(text, &words)]);
    }
}

#[test]
fn the_first_fault_in_the_services_order_is_reported() {
    let starts = [
        ("((a = :s)) AND foo(a) AND", "Syntax error"),
        ("foo(a) AND ((b = :s))", "The expression has redundant"),
        ("size(a) AND foo(a)", "Invalid function name"),
        ("status = :s AND size(a)", "The function is not allowed"),
        ("a = :x AND status = :s", "Attribute name is a reserved"),
        ("a < :true AND b = :x", "Incorrect operand type"),
        ("b = :x AND a < :true", "An expression attribute value"),
        ("a = a AND size(a, b) = :n", "The first operand must be distinct"),
        ("size(a, b) = :n AND a = a", "Incorrect number of operands"),
        ("#x = :x", "An expression attribute name"),
        (":x = #x", "An expression attribute value"),
        ("size(:n) = :x", "An expression attribute value"),
    ];
    for (text, start) in starts {
        let sentence = fault(ExpressionKind::Condition, text);
        let words = sentence.strip_prefix("Invalid ConditionExpression: ").unwrap();
        assert!(words.starts_with(start), "{text}: {sentence}");
    }
}

#[test]
fn limits_hold() {
    let long = format!("a = :s{}", " ".repeat(4091));
    assert_eq!(
        fault(ExpressionKind::Filter, &long),
        "Invalid FilterExpression: Expression size has exceeded the maximum allowed size; \
         expression size: 4097"
    );
    let operators = vec!["a=:s"; 151].join(" OR ");
    assert_eq!(
        fault(ExpressionKind::Condition, &operators),
        "Invalid ConditionExpression: The expression contains too many operators; operator count: \
         301"
    );
    let candidates = vec![":s"; 101].join(",");
    assert_eq!(
        fault(ExpressionKind::Condition, &format!("a IN ({candidates})")),
        "Invalid ConditionExpression: The IN operator is provided with too many operands; number \
         of operands: 101"
    );
    let candidates = vec![":s"; 163].join(",");
    assert_eq!(
        fault(ExpressionKind::Filter, &format!("NOT (b = :s OR a IN ({candidates}))")),
        "Invalid FilterExpression: The IN operator is provided with too many operands; number of \
         operands: 163"
    );
    let path = vec!["a"; 33].join(".");
    assert_eq!(
        fault(ExpressionKind::Condition, &format!("{path} = :s")),
        "Invalid ConditionExpression: The document path has too many nesting elements; nesting \
         levels: 32"
    );
    for deep in ["(".repeat(4000), "NOT (".repeat(800), "size(".repeat(800)] {
        assert_eq!(
            fault(ExpressionKind::Condition, &deep),
            "Invalid ConditionExpression: The expression is nested too deeply; max depth: 300"
        );
    }
}

#[test]
fn what_is_just_within_the_limits_compiles() {
    let operators = vec!["a=:s"; 150].join(" OR ");
    let candidates = vec![":s"; 100].join(",");
    let path = vec!["a"; 32].join(".");
    let spaces = format!("a = :s{}", " ".repeat(4090));
    for text in [operators, format!("a IN ({candidates})"), format!("{path} = :s"), spaces] {
        let compiled = request()
            .with(|placeholders| condition(ExpressionKind::Condition, &text, placeholders));
        assert!(compiled.is_ok(), "{text}");
    }
}
