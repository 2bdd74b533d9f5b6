//! Legacy parameters: what they compile to, and each fault with its sentence.

mod request;

use hashrange_expr::legacy::{
    AttributeAction, AttributeCondition, AttributeUpdate, ComparisonOperator, ConditionalOperator,
    Expected, attribute_updates, expected, filter, key_conditions,
};
use hashrange_expr::{KeyAttribute, KeyOperator};
use hashrange_model::{AttributeType, AttributeValue, Item, Value};
use request::sentence;

use ComparisonOperator as Op;

fn item() -> Item {
    Item::from_attributes([
        ("s", "hello".into()),
        ("n", 5.into()),
        ("nothing", AttributeValue::Null),
        ("ss", AttributeValue::string_set(["a", "b"])),
        ("l", AttributeValue::list([1.into()])),
    ])
}

fn values(values: &[AttributeValue]) -> Vec<Value> {
    values.iter().map(AttributeValue::to_value).collect()
}

fn compare<'a>(
    attribute: &'a str,
    operator: Op,
    arguments: &[AttributeValue],
) -> AttributeCondition<'a> {
    AttributeCondition { attribute, operator, arguments: values(arguments) }
}

fn set(members: &[&str]) -> AttributeValue {
    AttributeValue::string_set(members.to_vec())
}

#[test]
fn comparisons_hold_as_documented() {
    for (attribute, operator, arguments, holds) in [
        ("n", Op::Eq, vec![5.into()], true),
        ("n", Op::Eq, vec!["5".into()], false),
        ("ss", Op::Eq, vec![set(&["b", "a"])], true),
        ("gone", Op::Eq, vec![5.into()], false),
        ("n", Op::Ne, vec![5.into()], false),
        ("gone", Op::Ne, vec![5.into()], true),
        ("n", Op::Lt, vec![6.into()], true),
        ("n", Op::Le, vec![5.into()], true),
        ("n", Op::Gt, vec![5.into()], false),
        ("n", Op::Ge, vec![5.into()], true),
        ("s", Op::Gt, vec![1.into()], false),
        ("n", Op::Between, vec![5.into(), 6.into()], true),
        ("n", Op::Between, vec![6.into(), 7.into()], false),
        ("n", Op::In, vec![1.into(), 5.into()], true),
        ("n", Op::In, vec![1.into()], false),
        ("s", Op::BeginsWith, vec!["he".into()], true),
        ("s", Op::BeginsWith, vec!["lo".into()], false),
        ("s", Op::Contains, vec!["ell".into()], true),
        ("ss", Op::Contains, vec!["a".into()], true),
        ("l", Op::Contains, vec![1.into()], true),
        ("s", Op::NotContains, vec!["ell".into()], false),
        ("gone", Op::NotContains, vec!["ell".into()], false),
        ("gone", Op::Null, vec![], true),
        ("nothing", Op::Null, vec![], false),
        ("nothing", Op::NotNull, vec![], true),
        ("gone", Op::NotNull, vec![], false),
    ] {
        let condition = filter(vec![compare(attribute, operator, &arguments)], None).unwrap();
        let found = condition.expect("one condition makes a filter").matches(&item());
        assert_eq!(found, holds, "{attribute} {} {arguments:?}", operator.as_str());
    }
}

#[test]
fn conditions_are_joined() {
    let right = || compare("n", Op::Eq, &[5.into()]);
    let wrong = || compare("n", Op::Eq, &[6.into()]);
    for (operator, holds) in [
        (None, false),
        (Some(ConditionalOperator::And), false),
        (Some(ConditionalOperator::Or), true),
    ] {
        let joined = filter(vec![right(), wrong()], operator).unwrap();
        assert_eq!(joined.map(|it| it.matches(&item())), Some(holds));
    }
    assert_eq!(filter(vec![], None), Ok(None));
    let or = Some(ConditionalOperator::Or);
    assert_eq!(
        sentence(&filter(vec![right()], or).unwrap_err()),
        "ConditionalOperator can only be used when Filter or Expected has two or more elements"
    );
    assert_eq!(
        sentence(&expected(vec![], or).unwrap_err()),
        "ConditionalOperator cannot be used without Filter or Expected"
    );
}

#[test]
fn arguments_are_checked() {
    const INVALID: &str = "One or more parameter values were invalid: ";
    let count = |operator: &str| {
        format!("{INVALID}Invalid number of argument(s) for the {operator} ComparisonOperator")
    };
    let wrong_type = |operator: &str, attribute_type: &str| {
        format!(
            "{INVALID}ComparisonOperator {operator} is not valid for {attribute_type} \
             AttributeValue type"
        )
    };
    let differ = format!("{INVALID}AttributeValues inside AttributeValueList must be of same type");
    for (operator, arguments, expected) in [
        (Op::Between, vec![1.into()], count("BETWEEN")),
        (Op::Eq, vec![], count("EQ")),
        (Op::Eq, vec![1.into(), 2.into()], count("EQ")),
        (Op::In, vec![], count("IN")),
        (Op::Null, vec![1.into()], count("NULL")),
        (Op::NotNull, vec![1.into()], count("NOT_NULL")),
        (Op::In, vec![1.into(), "a".into()], differ.clone()),
        (Op::Between, vec![1.into(), "a".into()], differ),
        (Op::BeginsWith, vec![1.into()], wrong_type("BEGINS_WITH", "N")),
        (Op::Lt, vec![true.into()], wrong_type("LT", "BOOL")),
        (Op::In, vec![set(&["a"])], wrong_type("IN", "SS")),
        (Op::Contains, vec![AttributeValue::list([])], wrong_type("CONTAINS", "L")),
        (Op::NotContains, vec![AttributeValue::Null], wrong_type("NOT_CONTAINS", "NULL")),
        (
            Op::Between,
            vec![2.into(), 1.into()],
            "The BETWEEN condition was provided a range where the lower bound is greater than the \
             upper bound"
                .to_owned(),
        ),
    ] {
        let fault = filter(vec![compare("a", operator, &arguments)], None).unwrap_err();
        assert_eq!(sentence(&fault), expected, "{} {arguments:?}", operator.as_str());
    }
    // One value is a range, too.
    filter(vec![compare("a", Op::Between, &[1.into(), 1.into()])], None).unwrap();
}

fn entry(
    value: Option<AttributeValue>,
    exists: Option<bool>,
    operator: Option<Op>,
    arguments: Option<Vec<AttributeValue>>,
) -> Expected<'static> {
    Expected {
        attribute: "n",
        value: value.map(|value| value.to_value()),
        exists,
        operator,
        arguments: arguments.map(|arguments| values(&arguments)),
    }
}

#[test]
fn expected_entries_hold_as_documented() {
    for (entry, on_item, on_nothing) in [
        (entry(Some(5.into()), None, None, None), true, false),
        (entry(Some(5.into()), Some(true), None, None), true, false),
        (entry(Some(6.into()), None, None, None), false, false),
        (entry(None, Some(false), None, None), false, true),
        (entry(Some(5.into()), None, Some(Op::Ge), None), true, false),
        (entry(None, None, Some(Op::Ge), Some(vec![5.into()])), true, false),
        (entry(None, None, Some(Op::Null), None), false, true),
        (entry(None, None, Some(Op::NotNull), Some(vec![])), true, false),
    ] {
        let condition = expected(vec![entry.clone()], None).unwrap().expect("one entry");
        assert_eq!(condition.matches(&item()), on_item, "{entry:?}");
        assert_eq!(condition.matches(&Item::empty()), on_nothing, "{entry:?}");
    }
}

#[test]
fn hundreds_of_expected_entries_hold_as_each_does() {
    let names: Vec<String> = (0..300).map(|nth| format!("a{nth:03}")).collect();
    let stored = |count| {
        let names = names.iter().take(count).map(String::as_str);
        Item::from_attributes(names.map(|name| (name, AttributeValue::from(name))))
    };
    let absent = |operator| {
        let entry = |name| Expected {
            attribute: name,
            value: None,
            exists: Some(false),
            operator: None,
            arguments: None,
        };
        let entries = names.iter().map(|name| entry(name.as_str())).collect();
        expected(entries, Some(operator)).expect("sound entries").expect("a condition")
    };
    let (all, any) = (absent(ConditionalOperator::And), absent(ConditionalOperator::Or));
    for (count, all_hold, any_holds) in [(0, true, true), (1, false, true), (300, false, false)] {
        assert_eq!(all.matches(&stored(count)), all_hold, "{count}");
        assert_eq!(any.matches(&stored(count)), any_holds, "{count}");
    }
}

#[test]
fn expected_entries_are_checked() {
    let one = || Some(AttributeValue::from(1));
    let list = || Some(vec![AttributeValue::from(1)]);
    for (entry, words) in [
        (entry(None, Some(true), None, None), "Value must be provided when Exists is true for"),
        (entry(None, None, None, None), "Value must be provided when Exists is null for"),
        (entry(one(), Some(false), None, None), "Value cannot be used when Exists is false for"),
        (
            entry(one(), None, Some(Op::Eq), list()),
            "Value and AttributeValueList cannot be used together for",
        ),
        (
            entry(one(), Some(true), Some(Op::Eq), None),
            "Exists and ComparisonOperator cannot be used together for",
        ),
        (
            entry(None, None, Some(Op::Eq), None),
            "Value or AttributeValueList must be used with ComparisonOperator: EQ for",
        ),
        (
            entry(None, None, None, list()),
            "AttributeValueList can only be used with a ComparisonOperator for",
        ),
    ] {
        let fault = expected(vec![entry], None).unwrap_err();
        assert_eq!(
            sentence(&fault),
            format!("One or more parameter values were invalid: {words} Attribute: n")
        );
    }
}

#[test]
fn key_conditions_become_the_same_plan() {
    const NOT_INDEXABLE: &str = "Attempted conditional constraint is not an indexable operation";
    let pk = KeyAttribute { name: "pk", attribute_type: AttributeType::S };
    let sk = KeyAttribute { name: "sk", attribute_type: AttributeType::N };
    let plan = |operator, arguments: &[AttributeValue]| {
        key_conditions(vec![
            compare("sk", operator, arguments),
            compare("pk", Op::Eq, &["p".into()]),
        ])
        .and_then(|conditions| conditions.plan(&[pk], &[sk]))
        .map_err(|reason| sentence(&reason))
    };
    let one = || AttributeValue::from(1).to_value();
    for (operator, range) in [
        (Op::Lt, KeyOperator::Less(one())),
        (Op::Le, KeyOperator::LessOrEqual(one())),
        (Op::Gt, KeyOperator::Greater(one())),
        (Op::Ge, KeyOperator::GreaterOrEqual(one())),
    ] {
        assert_eq!(plan(operator, &[1.into()]).map(|it| it.sort_range), Ok(Some(range)));
    }
    let equal = plan(Op::Eq, &[1.into()]).unwrap();
    assert_eq!((equal.sort_equal, equal.sort_range), (vec![one()], None));
    let two = AttributeValue::from(2).to_value();
    assert_eq!(
        plan(Op::Between, &[1.into(), 2.into()]).map(|it| it.sort_range),
        Ok(Some(KeyOperator::Between(one(), two)))
    );
    for (operator, arguments, expected) in [
        (Op::Ne, vec![1.into()], NOT_INDEXABLE),
        (Op::In, vec![1.into()], NOT_INDEXABLE),
        (Op::Null, vec![], NOT_INDEXABLE),
        (Op::NotNull, vec![], NOT_INDEXABLE),
        (Op::Contains, vec![1.into()], NOT_INDEXABLE),
        (Op::NotContains, vec![1.into()], NOT_INDEXABLE),
        (
            Op::BeginsWith,
            vec!["a".into()],
            "One or more parameter values were invalid: Condition parameter type does not match \
             schema type",
        ),
    ] {
        assert_eq!(plan(operator, &arguments), Err(expected.to_owned()));
    }
    let none = key_conditions(vec![]).unwrap_err();
    assert_eq!(sentence(&none), "Conditions can be of length 1 or 2 only");
}

fn change(
    attribute: &str,
    action: Option<AttributeAction>,
    value: Option<AttributeValue>,
) -> Result<Item, String> {
    let value = value.map(|value| value.to_value());
    attribute_updates(vec![AttributeUpdate { attribute, action, value }])
        .and_then(|update| update.apply(&item()))
        .map_err(|reason| sentence(&reason))
}

#[test]
fn attribute_updates_change_the_item() {
    const INVALID: &str = "One or more parameter values were invalid: ";
    const MISMATCH: &str = "Type mismatch for attribute to update";
    const ADD: Option<AttributeAction> = Some(AttributeAction::Add);
    const PUT: Option<AttributeAction> = Some(AttributeAction::Put);
    const DELETE: Option<AttributeAction> = Some(AttributeAction::Delete);
    for (attribute, action, value, result) in [
        ("n", PUT, Some(1.into()), Some(1.into())),
        ("n", None, Some("x".into()), Some("x".into())),
        ("fresh", None, Some(1.into()), Some(1.into())),
        ("n", ADD, Some(2.into()), Some(7.into())),
        ("fresh", ADD, Some(2.into()), Some(2.into())),
        ("ss", ADD, Some(set(&["c"])), Some(set(&["a", "b", "c"]))),
        ("l", ADD, Some(AttributeValue::list([2.into()])), {
            Some(AttributeValue::list([1.into(), 2.into()]))
        }),
        ("fresh", ADD, Some(AttributeValue::list([])), Some(AttributeValue::list([]))),
        ("n", DELETE, None, None),
        ("gone", DELETE, None, None),
        ("ss", DELETE, Some(set(&["a", "z"])), Some(set(&["b"]))),
        ("ss", DELETE, Some(set(&["a", "b"])), None),
        ("gone", DELETE, Some(set(&["a"])), None),
    ] {
        let result = result.map(|value| value.to_value());
        let expected = item().with_changes([(attribute, result.as_ref().map(Value::get))]);
        assert_eq!(change(attribute, action, value), Ok(expected), "{attribute} {action:?}");
    }
    for (attribute, action, value, fault) in [
        (
            "n",
            ADD,
            Some("x".into()),
            format!("{INVALID}ADD action is not supported for the type S"),
        ),
        (
            "n",
            DELETE,
            Some(1.into()),
            format!("{INVALID}DELETE action with value is not supported for the type N"),
        ),
        (
            "n",
            PUT,
            None,
            format!("{INVALID}Only DELETE action is allowed when no attribute value is specified"),
        ),
        (
            "n",
            ADD,
            None,
            format!("{INVALID}Only DELETE action is allowed when no attribute value is specified"),
        ),
        ("s", ADD, Some(1.into()), MISMATCH.to_owned()),
        ("n", ADD, Some(set(&["a"])), MISMATCH.to_owned()),
        ("n", DELETE, Some(set(&["a"])), MISMATCH.to_owned()),
        ("n", ADD, Some(AttributeValue::list([])), MISMATCH.to_owned()),
    ] {
        assert_eq!(change(attribute, action, value), Err(fault), "{attribute} {action:?}");
    }
}
