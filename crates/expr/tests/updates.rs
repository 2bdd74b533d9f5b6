//! Updates: what becomes of an item, what `UPDATED_OLD` and `UPDATED_NEW` return, and each fault.

mod request;

use hashrange_expr::{Target, update};
use hashrange_model::{AttributeValue, Item};
use request::{Request, sentence};

fn numbers(elements: &[i32]) -> AttributeValue {
    AttributeValue::list(elements.iter().map(|element| (*element).into()))
}

fn request() -> Request {
    Request::new()
        .name("#status", "status")
        .name("#dotted", "a.b")
        .value(":s", "new")
        .value(":one", 1)
        .value(":two", 2)
        .value(":zero", 0)
        .value(":big", AttributeValue::N("9E125".parse().expect("a number")))
        .value(":small", AttributeValue::N("1E-100".parse().expect("a number")))
        .value(":true", true)
        .value(":null", AttributeValue::Null)
        .value(":bin", AttributeValue::B(vec![1].into()))
        .value(":list", numbers(&[8, 9]))
        .value(":nolist", numbers(&[]))
        .value(":map", AttributeValue::map([("k", 1.into())]))
        .value(":ss", AttributeValue::string_set(["b", "c"]))
        .value(":ns", AttributeValue::number_set([2, 3]))
        .value(":bs", AttributeValue::binary_set([vec![2], vec![3]]))
}

/// The item before each update: `p` is its key.
fn before() -> Vec<(&'static str, AttributeValue)> {
    vec![
        ("p", "key".into()),
        ("n", 5.into()),
        ("s", "old".into()),
        ("l", numbers(&[10, 11, 12])),
        ("e", numbers(&[])),
        ("m", AttributeValue::map([("x", 1.into()), ("y", numbers(&[7]))])),
        ("ss", AttributeValue::string_set(["a", "b"])),
        ("ns", AttributeValue::number_set([1, 2])),
        ("bs", AttributeValue::binary_set([vec![1], vec![2]])),
        ("ms", AttributeValue::list([AttributeValue::map([("k", before_set())])])),
    ]
}

fn before_set() -> AttributeValue {
    AttributeValue::string_set(["b"])
}

fn item(attributes: Vec<(&str, AttributeValue)>) -> Item {
    Item::from_attributes(attributes)
}

fn apply(text: &str) -> Result<Item, String> {
    request()
        .with(|placeholders| update(text, placeholders)?.apply(&item(before())))
        .map_err(|reason| sentence(&reason))
}

/// An update and the attributes it changes; `None` is removed.
type Case<'c> = (&'c str, &'c [(&'static str, Option<AttributeValue>)]);

/// Checks updates that leave all attributes alone but those given.
fn check(cases: &[Case<'_>]) {
    for (text, changes) in cases {
        let mut expected = before();
        for (name, value) in *changes {
            expected.retain(|(other, _)| other != name);
            expected.extend(value.clone().map(|value| (*name, value)));
        }
        assert_eq!(apply(text), Ok(item(expected)), "{text}");
    }
}

#[test]
fn set_writes_values_of_the_old_image() {
    let m = |x: i32| AttributeValue::map([("x", x.into()), ("y", numbers(&[7]))]);
    check(&[
        ("SET n = :two", &[("n", Some(2.into()))]),
        ("set fresh = :s", &[("fresh", Some("new".into()))]),
        ("SET n = :two, c = n", &[("n", Some(2.into())), ("c", Some(5.into()))]),
        ("SET n = s, s = n", &[("n", Some("old".into())), ("s", Some(5.into()))]),
        ("SET n = n + :one", &[("n", Some(6.into()))]),
        ("SET n = :one - n", &[("n", Some((-4).into()))]),
        ("SET n = (n + :one)", &[("n", Some(6.into()))]),
        ("SET n = (n) + (:one)", &[("n", Some(6.into()))]),
        ("SET n = n", &[]),
        ("SET c = m.x + :one", &[("c", Some(2.into()))]),
        ("SET c = l[1]", &[("c", Some(11.into()))]),
        ("SET c = if_not_exists(c, :zero) + :one", &[("c", Some(1.into()))]),
        ("SET n = if_not_exists(n, :zero) + :one", &[("n", Some(6.into()))]),
        ("SET n = if_not_exists(n, s)", &[]),
        ("SET c = if_not_exists(m.q, n)", &[("c", Some(5.into()))]),
        ("SET c = if_not_exists(c, if_not_exists(d, :s))", &[("c", Some("new".into()))]),
        ("SET c = if_not_exists(c, (n))", &[("c", Some(5.into()))]),
        (
            "SET c = if_not_exists(c, list_append(:list, l))",
            &[("c", Some(numbers(&[8, 9, 10, 11, 12])))],
        ),
        ("SET l = list_append(l, :list)", &[("l", Some(numbers(&[10, 11, 12, 8, 9])))]),
        ("SET l = list_append(:list, l)", &[("l", Some(numbers(&[8, 9, 10, 11, 12])))]),
        ("SET c = list_append(if_not_exists(c, :nolist), :list)", &[("c", Some(numbers(&[8, 9])))]),
        ("SET m.x = :two", &[("m", Some(m(2)))]),
        ("SET m.x = m.x + n", &[("m", Some(m(6)))]),
        ("SET #status = :s", &[("status", Some("new".into()))]),
        ("SET #dotted = :s", &[("a.b", Some("new".into()))]),
        (
            "SET m.y[0] = :one, m.x = :two",
            &[("m", Some(AttributeValue::map([("x", 2.into()), ("y", numbers(&[1]))])))],
        ),
    ]);
}

#[test]
fn list_elements_are_replaced_or_appended() {
    check(&[
        ("SET l[0] = :one", &[("l", Some(numbers(&[1, 11, 12])))]),
        ("SET l[3] = :one", &[("l", Some(numbers(&[10, 11, 12, 1])))]),
        ("SET l[50] = :one", &[("l", Some(numbers(&[10, 11, 12, 1])))]),
        ("SET e[0] = :one", &[("e", Some(numbers(&[1])))]),
        ("SET e[7] = :one", &[("e", Some(numbers(&[1])))]),
        ("SET l[9] = :two, l[5] = :one", &[("l", Some(numbers(&[10, 11, 12, 1, 2])))]),
        ("SET l[2147483647] = :one", &[("l", Some(numbers(&[10, 11, 12, 1])))]),
        ("SET l[2] = l[0], l[0] = l[2]", &[("l", Some(numbers(&[12, 11, 10])))]),
        ("SET l[9] = :one REMOVE l[0]", &[("l", Some(numbers(&[11, 12, 1])))]),
    ]);
}

#[test]
fn remove_means_the_item_as_it_was() {
    let m = AttributeValue::map([("y", numbers(&[7]))]);
    check(&[
        ("REMOVE n", &[("n", None)]),
        ("REMOVE gone", &[]),
        ("REMOVE n, s", &[("n", None), ("s", None)]),
        ("REMOVE l[1]", &[("l", Some(numbers(&[10, 12])))]),
        ("REMOVE l[0], l[1]", &[("l", Some(numbers(&[12])))]),
        ("REMOVE l[2], l[0]", &[("l", Some(numbers(&[11])))]),
        ("REMOVE l[0], l[1], l[2]", &[("l", Some(numbers(&[])))]),
        (
            "REMOVE ms[0].k, l[2], m.y[0], l[0], m.x",
            &[
                ("l", Some(numbers(&[11]))),
                ("m", Some(AttributeValue::map([("y", numbers(&[]))]))),
                (
                    "ms",
                    Some(AttributeValue::list([AttributeValue::M(
                        std::collections::BTreeMap::default(),
                    )])),
                ),
            ],
        ),
        ("REMOVE l[7]", &[]),
        ("SET l[3] = :one, l[9] = :two REMOVE l[4]", &[("l", Some(numbers(&[10, 11, 12, 1, 2])))]),
        ("REMOVE m.x", &[("m", Some(m))]),
        ("REMOVE m.gone", &[]),
        ("SET c = n REMOVE n", &[("c", Some(5.into())), ("n", None)]),
        ("REMOVE n SET c = n", &[("c", Some(5.into())), ("n", None)]),
    ]);
}

#[test]
fn add_and_delete_change_numbers_and_sets() {
    let strings = |members: &[&str]| AttributeValue::string_set(members.to_vec());
    let map_of = |set: AttributeValue| AttributeValue::list([AttributeValue::map([("k", set)])]);
    check(&[
        ("ADD n :two", &[("n", Some(7.into()))]),
        ("ADD c :two", &[("c", Some(2.into()))]),
        ("ADD c :ss", &[("c", Some(strings(&["b", "c"])))]),
        ("ADD ss :ss", &[("ss", Some(strings(&["a", "b", "c"])))]),
        ("ADD ns :ns", &[("ns", Some(AttributeValue::number_set([1, 2, 3])))]),
        ("ADD bs :bs", &[("bs", Some(AttributeValue::binary_set([vec![1], vec![2], vec![3]])))]),
        ("ADD n :one, c :one", &[("n", Some(6.into())), ("c", Some(1.into()))]),
        (
            "ADD m.x :two",
            &[("m", Some(AttributeValue::map([("x", 3.into()), ("y", numbers(&[7]))])))],
        ),
        ("ADD l[0] :two", &[("l", Some(numbers(&[12, 11, 12])))]),
        ("ADD ms[0].k :ss", &[("ms", Some(map_of(strings(&["b", "c"]))))]),
        ("DELETE ss :ss", &[("ss", Some(strings(&["a"])))]),
        ("DELETE ns :ns", &[("ns", Some(AttributeValue::number_set([1])))]),
        ("DELETE bs :bs", &[("bs", Some(AttributeValue::binary_set([vec![1]])))]),
        ("DELETE gone :ss", &[]),
        (
            "DELETE ms[0].k :ss",
            &[(
                "ms",
                Some(AttributeValue::list([AttributeValue::M(
                    std::collections::BTreeMap::default(),
                )])),
            )],
        ),
        (
            "DELETE ss :ss ADD n :one REMOVE s SET c = s",
            &[
                ("ss", Some(strings(&["a"]))),
                ("n", Some(6.into())),
                ("s", None),
                ("c", Some("old".into())),
            ],
        ),
    ]);
    let emptied = request().with(|placeholders| {
        let all = update("DELETE a :ss", placeholders)?;
        all.apply(&item(vec![("a", strings(&["b"])), ("k", 1.into())]))
    });
    assert_eq!(emptied, Ok(item(vec![("k", 1.into())])));
}

#[test]
fn faults_against_the_item_have_their_sentences() {
    const PATH: &str = "The document path provided in the update expression is invalid for update";
    const TYPE: &str = "An operand in the update expression has an incorrect data type";
    const GONE: &str =
        "The provided expression refers to an attribute that does not exist in the item";
    const OVERFLOW: &str =
        "Number overflow. Attempting to store a number with magnitude larger than supported range";
    for (text, expected) in [
        ("SET gone.x = :one", PATH),
        ("SET n.x = :one", PATH),
        ("SET m.gone.x = :one", PATH),
        ("SET l.x = :one", PATH),
        ("SET m[0] = :one", PATH),
        ("SET gone[0] = :one", PATH),
        ("SET s[0] = :one", PATH),
        ("SET l[9].x = :one", PATH),
        ("REMOVE gone.x", PATH),
        ("REMOVE n[0]", PATH),
        ("SET l[3] = :one, l[9] = :map REMOVE l[4].k", PATH),
        ("ADD gone.x :one", PATH),
        ("DELETE gone.x :ss", PATH),
        ("SET n = gone", GONE),
        ("SET n = gone + :one", GONE),
        ("SET n = :one + m.gone", GONE),
        ("SET n = list_append(gone, :list)", GONE),
        ("SET n = if_not_exists(gone, lost)", GONE),
        ("SET n = s + :one", TYPE),
        ("SET n = :one - l", TYPE),
        ("SET n = list_append(n, :list)", TYPE),
        ("SET n = if_not_exists(s, :one) + :one", TYPE),
        ("ADD s :one", TYPE),
        ("ADD n :ss", TYPE),
        ("ADD ss :ns", TYPE),
        ("DELETE n :ss", TYPE),
        ("DELETE ss :ns", TYPE),
        ("SET n = :big + :big", OVERFLOW),
        // What has more than 38 digits counts as too large.
        ("ADD n :small", OVERFLOW),
        ("SET n = :big - :one", OVERFLOW),
    ] {
        assert_eq!(apply(text), Err(expected.to_owned()), "{text}");
    }
}

#[test]
fn results_may_nest_to_the_limit() {
    let nest =
        |levels| (1..levels).fold(AttributeValue::from(1), |it, _| AttributeValue::list([it]));
    let outcome = |levels| {
        let request = Request::new().value(":v", nest(levels));
        request.with(|placeholders| update("SET m.x = :v", placeholders)?.apply(&item(before())))
    };
    assert!(outcome(31).is_ok());
    assert_eq!(
        sentence(&outcome(32).unwrap_err()),
        "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels \
         beyond supported limit"
    );
}

#[test]
#[expect(clippy::too_many_lines, reason = "a flat table of cases")]
fn faults_without_an_item_have_their_sentences() {
    let wrong_type = |operator: &str, operand: &str| {
        format!(
            "Incorrect operand type for operator or function; operator or function: {operator}, \
             operand type: {operand}"
        )
    };
    let action_type = |action: &str, operand: &str| {
        format!(
            "Incorrect operand type for operator or function; operator: {action}, operand type: \
             {operand}"
        )
    };
    let two = |how: &str, one: &str, two: &str| {
        format!(
            "Two document paths {how} with each other; must remove or rewrite one of these paths; \
             path one: {one}, path two: {two}"
        )
    };
    let syntax =
        |token: &str, near: &str| format!("Syntax error; token: \"{token}\", near: \"{near}\"");
    for (text, words) in [
        ("", "The expression can not be empty;".to_owned()),
        (
            &*format!("SET n = :one{}", " ".repeat(4096)),
            "Expression size has exceeded the maximum allowed size;".to_owned(),
        ),
        ("INVALID SYNTAX HERE", syntax("INVALID", "INVALID SYNTAX")),
        ("SET", syntax("<EOF>", "SET")),
        ("SET n", syntax("<EOF>", "n")),
        ("SET n :one", syntax(":one", "n :one")),
        ("SET n = :one,", syntax("<EOF>", ",")),
        ("SET n = :one :two", syntax(":two", ":one :two")),
        ("SET n = :one AND s = :two", syntax("AND", ":one AND s")),
        ("SET n <> :one", syntax("<>", "n <> :one")),
        ("SET set = :one", syntax("set", "SET set =")),
        ("SET n = n * :one", syntax("*", "n * :one")),
        ("SET n += :one", syntax("+", "n +=")),
        ("SET :one = n", syntax(":one", "SET :one =")),
        ("SET n = list_append()", syntax(")", "()")),
        ("ADD n", syntax("<EOF>", "n")),
        ("ADD n s", syntax("s", "n s")),
        ("ADD n = :one", syntax("=", "n = :one")),
        ("REMOVE", syntax("<EOF>", "REMOVE")),
        ("REMOVE :one", syntax(":one", "REMOVE :one")),
        ("SET _123 = :one", syntax("_", "SET _123")),
        ("SET n = _s", syntax("_", "= _s")),
        ("SET n = _f(s)", syntax("_", "= _f")),
        ("REMOVE m._x", syntax("_", "._x")),
        ("SET n = :one + :two + n", syntax("+", ":two + n")),
        ("SET n = :one - (n - :two)", syntax("-", "n - :two")),
        ("SET n = (:one - n) - :two", syntax("-", ") - :two")),
        ("SET n = if_not_exists(n, :one+:two)", syntax("+", ":one+:two")),
        ("SET l = list_append(l + :one, l)", syntax("+", "l + :one")),
        (
            "SET l = list_append(list_append(l, :list), :list)",
            "The function is not allowed to be used this way in an expression; function: \
             list_append"
                .to_owned(),
        ),
        (
            "SET l = list_append(l, if_not_exists(e, list_append(l, l)))",
            "The function is not allowed to be used this way in an expression; function: \
             list_append"
                .to_owned(),
        ),
        (
            "REMOVE l[2147483648]",
            "List index is not within the allowable range; index: [2147483648]".to_owned(),
        ),
        (
            "SET l[99999999999999999999999] = :one",
            "List index is not within the allowable range; index: [99999999999999999999999]"
                .to_owned(),
        ),
        ("SET n = ((:one))", "The expression has redundant parentheses;".to_owned()),
        (
            "SET status = :one",
            "Attribute name is a reserved keyword; reserved keyword: status".to_owned(),
        ),
        ("SET n = foo(n)", "Invalid function name; function: foo".to_owned()),
        (
            "SET n = size(l)",
            "The function is not allowed to be used this way in an expression; function: size"
                .to_owned(),
        ),
        (
            "SET n = :one SET s = :s",
            "The \"SET\" section can only be used once in an update expression;".to_owned(),
        ),
        (
            "REMOVE a remove b",
            "The \"REMOVE\" section can only be used once in an update expression;".to_owned(),
        ),
        (
            "SET n = :x, #x = :one",
            "An expression attribute name used in the document path is not defined; attribute \
             name: #x"
                .to_owned(),
        ),
        (
            "SET n = :x",
            "An expression attribute value used in expression is not defined; attribute value: :x"
                .to_owned(),
        ),
        ("SET n = :one REMOVE n", two("overlap", "[n]", "[n]")),
        ("SET m.x = :one, m = :map", two("overlap", "[m, x]", "[m]")),
        ("SET m.x = :one REMOVE m[0]", two("conflict", "[m, x]", "[m, [0]]")),
        ("SET m.x = :one, m[0] = :one, m = :one", two("overlap", "[m, x]", "[m]")),
        ("ADD n :s", action_type("ADD", "STRING")),
        ("ADD n :bin", action_type("ADD", "BINARY")),
        ("ADD n :true", action_type("ADD", "BOOLEAN")),
        ("ADD n :null", action_type("ADD", "NULL")),
        ("ADD n :list", action_type("ADD", "LIST")),
        ("ADD n :map", action_type("ADD", "MAP")),
        ("DELETE n :one", action_type("DELETE", "NUMBER")),
        ("SET n = n + :s", wrong_type("+", "S")),
        ("SET n = :s + n", wrong_type("+", "S")),
        ("SET n = n - :list", wrong_type("-", "L")),
        ("SET n = n + list_append(l, :list)", wrong_type("+", "L")),
        ("SET l = list_append(l, :one)", wrong_type("list_append", "N")),
        ("SET l = list_append(:s, l)", wrong_type("list_append", "S")),
        (
            "SET n = if_not_exists(:one, :two)",
            "Operator or function requires a document path; operator or function: if_not_exists"
                .to_owned(),
        ),
        (
            "SET n = if_not_exists(n)",
            "Incorrect number of operands for operator or function; operator or function: \
             if_not_exists, number of operands: 1"
                .to_owned(),
        ),
        (
            "SET n = list_append(l, l, l)",
            "Incorrect number of operands for operator or function; operator or function: \
             list_append, number of operands: 3"
                .to_owned(),
        ),
    ] {
        let fault = request().with(|placeholders| update(text, placeholders)).unwrap_err();
        assert_eq!(sentence(&fault), format!("Invalid UpdateExpression: {words}"), "{text}");
    }
}

#[test]
fn the_first_fault_in_the_services_order_is_reported() {
    for (text, start) in [
        ("SET status = foo(n) SET", "Syntax error"),
        ("SET n = foo(n), status = :one", "Attribute name is a reserved"),
        ("SET n = foo(n) SET s = :s", "Invalid function name"),
        ("SET n = #x SET s = :s", "The \"SET\" section"),
        ("SET n = :x, s = #x", "An expression attribute name"),
        ("SET n = :x, n = :one", "An expression attribute value"),
        ("SET m.x = :one, m[0] = :one, n = :one, n = :one", "Two document paths overlap"),
        ("SET m.x = :one, m[0] = :one ADD n :s", "Two document paths conflict"),
        (
            "SET l = list_append(l, :one) ADD n :s",
            "Incorrect operand type for operator or function; operator: ADD",
        ),
    ] {
        let fault = request().with(|placeholders| update(text, placeholders)).unwrap_err();
        let sentence = sentence(&fault);
        let words = sentence.strip_prefix("Invalid UpdateExpression: ").unwrap();
        assert!(words.starts_with(start), "{text}: {sentence}");
    }
}

#[test]
fn updated_attributes_are_the_paths_that_were_written() {
    let x = |value: i32| Some(vec![("m", AttributeValue::map([("x", value.into())]))]);
    for (text, old, new) in [
        ("SET n = :one", Some(vec![("n", 5.into())]), Some(vec![("n", 1.into())])),
        ("SET fresh = :one", None, Some(vec![("fresh", 1.into())])),
        ("SET m.x = :two", x(1), x(2)),
        ("REMOVE n", Some(vec![("n", 5.into())]), None),
        ("REMOVE gone", None, None),
        ("REMOVE l[0]", Some(vec![("l", numbers(&[10]))]), Some(vec![("l", numbers(&[11]))])),
        ("REMOVE l[2]", Some(vec![("l", numbers(&[12]))]), None),
        ("SET l[9] = :one", None, None),
        ("SET l[3] = :one", None, Some(vec![("l", numbers(&[1]))])),
        (
            "SET l[9] = :two, l[5] = :one, l[1] = :zero",
            Some(vec![("l", numbers(&[11]))]),
            Some(vec![("l", numbers(&[0]))]),
        ),
        (
            "SET l[2] = :one REMOVE l[0], l[7]",
            Some(vec![("l", numbers(&[10, 12]))]),
            Some(vec![("l", numbers(&[11]))]),
        ),
        (
            "SET l[1] = :one REMOVE l[0]",
            Some(vec![("l", numbers(&[10, 11]))]),
            Some(vec![("l", numbers(&[1, 12]))]),
        ),
        (
            "SET l[8] = :one, l[1] = :two REMOVE l[0], l[2], l[7]",
            Some(vec![("l", numbers(&[10, 11, 12]))]),
            Some(vec![("l", numbers(&[2, 1]))]),
        ),
        (
            "REMOVE m.y[0], l[2] SET m.x = :two",
            {
                let y = numbers(&[7]);
                Some(vec![
                    ("m", AttributeValue::map([("x", 1.into()), ("y", y)])),
                    ("l", numbers(&[12])),
                ])
            },
            x(2),
        ),
        (
            "SET l[2] = :one, l[0] = :two",
            { Some(vec![("l", numbers(&[10, 12]))]) },
            Some(vec![("l", numbers(&[2, 1]))]),
        ),
        (
            "ADD n :one REMOVE s",
            { Some(vec![("n", 5.into()), ("s", "old".into())]) },
            Some(vec![("n", 6.into())]),
        ),
    ] {
        let compiled = request().with(|placeholders| update(text, placeholders)).unwrap();
        let changed = compiled.apply(&item(before())).unwrap();
        assert_eq!(compiled.updated_old(&item(before())), old.map(item), "{text}");
        assert_eq!(compiled.updated_new(&changed), new.map(item), "{text}");
    }
}

#[test]
fn targets_tell_attributes_from_paths_inside_them() {
    let compiled = request()
        .with(|placeholders| update("SET n = :one, m.x = n REMOVE l[0]", placeholders))
        .unwrap();
    let target = |name, is_nested| Target { name, is_nested };
    assert_eq!(
        compiled.targets().collect::<Vec<_>>(),
        [target("n", false), target("m", true), target("l", true)]
    );
}
