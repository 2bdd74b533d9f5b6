//! `ExpressionAttributeNames` and -Values: keys, emptiness, and what no expression uses.

mod request;

use hashrange_expr::{Placeholders, condition, projection};
use hashrange_model::error::{ExpressionKind, Reason};
use hashrange_model::{AttributeValue, Value};
use request::{Request, sentence};

type Names<'a> = Option<Vec<(&'a str, &'a str)>>;

fn fault_of_names(names: Names<'_>) -> String {
    let no_values: Option<Vec<(&str, &Value)>> = None;
    sentence(&Placeholders::new(names, no_values).expect_err("the names are faulty"))
}

fn fault_of_values(key: Option<&str>) -> String {
    let value = AttributeValue::from(1).to_value();
    let values: Vec<_> = key.into_iter().map(|key| (key, &value)).collect();
    let no_names: Names<'_> = None;
    sentence(&Placeholders::new(no_names, Some(values)).expect_err("the values are faulty"))
}

#[test]
fn keys_are_checked() {
    assert_eq!(fault_of_names(Some(vec![])), "ExpressionAttributeNames must not be empty");
    assert_eq!(fault_of_values(None), "ExpressionAttributeValues must not be empty");
    for key in ["x", "", "#", "##", "#a.b", "#a b", ":a", "#é"] {
        assert_eq!(
            fault_of_names(Some(vec![("#ok", "a"), (key, "a")])),
            format!("ExpressionAttributeNames contains invalid key: Syntax error; key: \"{key}\"")
        );
    }
    for key in ["x", "", ":", "#a", ":a-b"] {
        assert_eq!(
            fault_of_values(Some(key)),
            format!("ExpressionAttributeValues contains invalid key: Syntax error; key: \"{key}\"")
        );
    }
}

#[test]
fn what_no_expression_uses_is_refused_names_first() {
    let request = Request::new().name("#a", "a").name("#b", "b").value(":a", 1).value(":b", 2);
    let unused = |texts: &[&str]| {
        request.with(|placeholders| {
            for text in texts {
                match text.strip_prefix("PROJECT ") {
                    Some(paths) => projection(paths, placeholders).map(|_| ())?,
                    None => {
                        condition(ExpressionKind::Filter, text, placeholders).map(|_| ())?;
                    }
                }
            }
            placeholders.check_all_used()
        })
    };
    let sentence_of = |texts: &[&str]| sentence(&unused(texts).unwrap_err());
    assert_eq!(
        sentence_of(&["c = :a"]),
        "Value provided in ExpressionAttributeNames unused in expressions: keys: {#a, #b}"
    );
    assert_eq!(
        sentence_of(&["#b = :a OR #a = :a"]),
        "Value provided in ExpressionAttributeValues unused in expressions: keys: {:b}"
    );
    assert_eq!(unused(&["#a = :a OR c = :b", "PROJECT #b"]), Ok(()));
}

#[test]
fn absent_placeholders_are_no_fault() {
    let mut none = Placeholders::none();
    assert!(none.is_empty());
    assert_eq!(none.check_all_used(), Ok(()));
    let undefined = condition(ExpressionKind::Condition, "a = :v", &mut none).unwrap_err();
    assert!(matches!(undefined, Reason::Expression(ExpressionKind::Condition, _)));
}
