//! No text makes a parser panic, and what compiles can be evaluated.

mod request;

use hashrange_expr::{condition, key_condition, projection, update};
use hashrange_model::error::ExpressionKind;
use hashrange_model::{AttributeValue, Item};
use proptest::prelude::*;
use request::{Request, sentence};

fn request() -> Request {
    Request::new()
        .name("#a", "a")
        .value(":n", 1)
        .value(":s", "x")
        .value(":l", AttributeValue::list([1.into()]))
        .value(":ss", AttributeValue::string_set(["x"]))
}

/// Compiles the text as each kind of expression and runs what compiles.
fn run_all(text: &str) {
    let item = Item::from_attributes([
        ("a", 1.into()),
        ("b", AttributeValue::list([2.into(), AttributeValue::map([("c", "x".into())])])),
        ("c", AttributeValue::string_set(["x", "y"])),
    ]);
    let outcomes = [
        request().with(|it| {
            let compiled = condition(ExpressionKind::Filter, text, it)?;
            let _ = compiled.matches(&item);
            let _ = compiled.attribute_names().count();
            Ok(())
        }),
        request().with(|it| key_condition(text, it)?.plan(&[], &[]).map(|_| ())),
        request().with(|it| projection(text, it).map(|it| drop(it.apply(&item)))),
        request().with(|it| {
            let compiled = update(text, it)?;
            let _ = compiled.updated_old(&item);
            let new = compiled.apply(&item)?;
            let _ = compiled.updated_new(&new);
            Ok(())
        }),
    ];
    for reason in outcomes.into_iter().filter_map(Result::err) {
        assert!(!sentence(&reason).is_empty(), "{text}");
    }
}

fn token() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "a",
        "b",
        "c",
        "#a",
        "#x",
        ":n",
        ":s",
        ":l",
        ":ss",
        ":x",
        "=",
        "<>",
        "<",
        "<=",
        ">",
        ">=",
        "(",
        ")",
        "[",
        "]",
        "[0]",
        "[1]",
        ",",
        ".",
        ".c",
        "+",
        "-",
        "AND",
        "OR",
        "NOT",
        "BETWEEN",
        "IN",
        "SET",
        "REMOVE",
        "ADD",
        "DELETE",
        "size",
        "size(b)",
        "attribute_exists(a)",
        "attribute_type(a, :s)",
        "begins_with(a, :s)",
        "contains(b, :n)",
        "if_not_exists(a, :n)",
        "list_append(b, :l)",
        "a = :n",
        "b[1].c = :s",
        "status",
        "!",
        "é",
        "9",
        "#",
        ":",
    ])
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 4000, ..Default::default() })]

    #[test]
    fn arbitrary_text_is_refused_or_compiles(text in "\\PC{0,40}") {
        run_all(&text);
    }

    #[test]
    fn arbitrary_tokens_are_refused_or_compile(
        tokens in prop::collection::vec(token(), 0..14),
        separator in prop::sample::select(vec![" ", ""]),
    ) {
        run_all(&tokens.join(separator));
    }
}

#[test]
fn deep_and_wide_texts_are_bounded() {
    for unit in ["(", "NOT (", "a.", "a[0]", "size(", "list_append(", "SET a = (", "a,", "+", "-"] {
        run_all(&unit.repeat(4096 / unit.len()));
        run_all(&format!("SET a = {}", unit.repeat(4000 / unit.len())));
    }
    let paths: Vec<String> = (0..700).map(|nth| format!("a{nth}")).collect();
    run_all(&paths.join(","));
    run_all(&format!("REMOVE {}", paths.join(",")));
    run_all(&format!("SET a = :n{}", "+:n".repeat(1300)));
}
