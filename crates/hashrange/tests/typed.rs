//! Types with serde's derives as items: each shape of serde is exactly one attribute value, and what
//! was written is read back.

use hashrange::{
    AttributeValue, Item, Number, binary_set, from_attribute_value, from_item, item, number_set,
    string_set, to_attribute_value, to_item,
};
use proptest::prelude::*;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_bytes::{ByteBuf, Bytes};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Debug;

fn number(text: &str) -> AttributeValue {
    AttributeValue::N(Number::parse(text).expect("a number of a test"))
}

fn map<const N: usize>(entries: [(&str, AttributeValue); N]) -> AttributeValue {
    AttributeValue::map(entries)
}

/// Asserts what a value is written as, and that it is read back.
#[expect(clippy::needless_pass_by_value, reason = "cases are written in place")]
fn check<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: T, expected: AttributeValue) {
    let written = to_attribute_value(&value);
    assert_eq!(written.as_ref(), Ok(&expected), "{value:?}");
    assert_eq!(from_attribute_value::<T>(&expected), Ok(value));
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Unit;
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Wrapped(u8);
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Pair(u8, String);
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Named {
    first: u8,
    #[serde(rename = "2nd")]
    second: Option<String>,
}
#[derive(Debug, PartialEq, Serialize, Deserialize)]
enum External {
    Unit,
    Wrapped(u8),
    Pair(u8, String),
    Named { first: u8 },
}
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type")]
enum Internal {
    Unit,
    Wrapped(Named),
    Named { first: i64 },
}
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "t", content = "c")]
enum Adjacent {
    Unit,
    Wrapped(u8),
    Pair(u8, String),
    Named { first: u8 },
}
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
enum Untagged {
    Named { first: u8 },
    Number(i64),
    Float(f64),
    Text(String),
    Nothing,
}
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Flat {
    id: String,
    #[serde(flatten)]
    inner: Internal,
    #[serde(flatten)]
    rest: BTreeMap<String, Untagged>,
}

#[test]
fn scalars_have_their_types() {
    check(true, true.into());
    check(i8::MIN, number("-128"));
    check(i16::MAX, number("32767"));
    check(i32::MIN, number("-2147483648"));
    check(i64::MIN, number("-9223372036854775808"));
    check(-9_007_199_254_740_993_i128, number("-9007199254740993"));
    check(u8::MAX, number("255"));
    check(u16::MAX, number("65535"));
    check(u32::MAX, number("4294967295"));
    check(u64::MAX, number("18446744073709551615"));
    check(10_u128.pow(37) + 1, number("10000000000000000000000000000000000001"));
    check(0.1_f32, number("0.1"));
    check(-1.5e-100_f64, number("-1.5e-100"));
    check('é', "é".into());
    check("text".to_owned(), "text".into());
    check(String::new(), "".into());
    check(ByteBuf::from(vec![0, 255]), vec![0_u8, 255].into());
    check((), AttributeValue::Null);
    check(None::<u8>, AttributeValue::Null);
    check(Some(7_u8), 7.into());
}

#[test]
fn containers_have_their_shapes() {
    check(Unit, AttributeValue::Null);
    check(Wrapped(1), 1.into());
    check(Pair(1, "a".into()), AttributeValue::list([1.into(), "a".into()]));
    check((1_u8, true), AttributeValue::list([1.into(), true.into()]));
    check([1_u8, 2], AttributeValue::list([1.into(), 2.into()]));
    check(vec![1_u8, 2], AttributeValue::list([1.into(), 2.into()]));
    check(Vec::<u8>::new(), AttributeValue::list([]));
    check(vec![Some(1), None], AttributeValue::list([1.into(), AttributeValue::Null]));
    check(BTreeSet::from([2, 1]), AttributeValue::list([1.into(), 2.into()]));
    check(HashMap::from([("a".to_owned(), 1)]), map([("a", 1.into())]));
    check(BTreeMap::from([(-1_i64, 'x'), (2, 'y')]), map([("-1", "x".into()), ("2", "y".into())]));
    check(BTreeMap::from([(true, 1)]), map([("true", 1.into())]));
    check(
        Named { first: 1, second: None },
        map([("first", 1.into()), ("2nd", AttributeValue::Null)]),
    );
    check(
        Named { first: 1, second: Some("b".into()) },
        map([("first", 1.into()), ("2nd", "b".into())]),
    );
}

#[test]
fn enums_have_the_form_of_their_tagging() {
    let list = || AttributeValue::list([1.into(), "a".into()]);
    let named = || map([("first", 1.into())]);
    check(External::Unit, "Unit".into());
    check(External::Wrapped(1), map([("Wrapped", 1.into())]));
    check(External::Pair(1, "a".into()), map([("Pair", list())]));
    check(External::Named { first: 1 }, map([("Named", named())]));
    check(BTreeMap::from([("k".to_owned(), External::Unit)]), map([("k", "Unit".into())]));

    check(Internal::Unit, map([("type", "Unit".into())]));
    check(
        Internal::Wrapped(Named { first: 1, second: None }),
        map([("type", "Wrapped".into()), ("first", 1.into()), ("2nd", AttributeValue::Null)]),
    );
    check(Internal::Named { first: -1 }, map([("type", "Named".into()), ("first", (-1).into())]));

    check(Adjacent::Unit, map([("t", "Unit".into())]));
    check(Adjacent::Wrapped(1), map([("t", "Wrapped".into()), ("c", 1.into())]));
    check(Adjacent::Pair(1, "a".into()), map([("t", "Pair".into()), ("c", list())]));
    check(Adjacent::Named { first: 1 }, map([("t", "Named".into()), ("c", named())]));

    check(Untagged::Named { first: 1 }, named());
    check(Untagged::Number(-5), number("-5"));
    check(Untagged::Float(2.5), number("2.5"));
    check(Untagged::Text("x".into()), "x".into());
    check(Untagged::Nothing, AttributeValue::Null);
}

#[test]
fn flattened_structs_are_one_map() {
    let rest = BTreeMap::from([("x".to_owned(), Untagged::Float(0.5))]);
    let flat = Flat { id: "1".into(), inner: Internal::Named { first: 3 }, rest };
    let expected = item! { "id": "1", "type": "Named", "first": 3, "x": 0.5 };
    // What flattens takes the entries that are left over, the ones of `inner` among them.
    assert_eq!(to_item(&flat), Ok(expected));
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Sets {
    #[serde(with = "string_set", default, skip_serializing_if = "Vec::is_empty")]
    names: Vec<String>,
    #[serde(with = "number_set")]
    numbers: BTreeSet<i64>,
    #[serde(with = "binary_set")]
    data: Vec<ByteBuf>,
}

#[test]
fn sets_are_sequences_with_a_wrapper() {
    let mut sets = Sets {
        names: vec!["a".into(), "b".into()],
        numbers: BTreeSet::from([-1, 2]),
        data: vec![ByteBuf::from(vec![1])],
    };
    let expected = item! {
        "names": AttributeValue::string_set(["b", "a"]),
        "numbers": AttributeValue::number_set([2, -1]),
        "data": AttributeValue::binary_set([vec![1_u8]]),
    };
    assert_eq!(to_item(&sets).as_ref(), Ok(&expected));
    assert_eq!(from_item::<Sets>(&expected).as_ref(), Ok(&sets));
    sets.names.clear();
    let without = expected.retain(|name| name != "names");
    assert_eq!(to_item(&sets).as_ref(), Ok(&without));
    assert_eq!(from_item::<Sets>(&without), Ok(sets));

    check(string_set::StringSet(vec!["a".to_owned()]), AttributeValue::string_set(["a"]));
    check(number_set::NumberSet([1.5]), AttributeValue::Ns(vec![Number::parse("1.5").unwrap()]));
    check(
        binary_set::BinarySet([ByteBuf::from(vec![7])]),
        AttributeValue::binary_set([vec![7_u8]]),
    );
    // Sets are sequences for whoever reads them.
    let read: Vec<String> = from_attribute_value(&AttributeValue::string_set(["x", "y"])).unwrap();
    assert_eq!(read, ["x", "y"]);
}

#[test]
fn what_has_no_attribute_value_is_refused_with_its_place() {
    #[derive(Serialize)]
    struct Line {
        price: f64,
    }
    #[derive(Serialize)]
    struct Order {
        lines: Vec<Line>,
    }
    #[derive(Serialize)]
    enum Shape {
        Circle { radius: f32 },
        Box(f64, f64),
    }
    let message = |written: Result<AttributeValue, hashrange::TypedError>| {
        written.map_or_else(|error| error.to_string(), |value| format!("{value:?}"))
    };
    let order = Order { lines: vec![Line { price: 1.0 }, Line { price: f64::NAN }] };
    let deep = (0..40).fold(serde_json::json!(1), |inner, _| serde_json::json!([inner]));
    let cases = [
        (message(to_attribute_value(&order)), "lines[1].price: NaN is not a number"),
        (message(to_attribute_value(&f32::INFINITY)), "inf is not a number"),
        (message(to_attribute_value(&1e200)), "the number is 1E126 or more"),
        (message(to_attribute_value(&u128::MAX)), "the number has more than 38 digits"),
        (
            message(to_attribute_value(&Shape::Circle { radius: f32::NAN })),
            "Circle.radius: NaN is not a number",
        ),
        (
            message(to_attribute_value(&Shape::Box(1.0, f64::NEG_INFINITY))),
            "Box[1]: -inf is not a number",
        ),
        (
            message(to_attribute_value(&BTreeMap::from([(vec![1], 1)]))),
            "the key of a map is text, an integer, a boolean, a character or a variant",
        ),
        (
            message(to_attribute_value(&string_set::StringSet([1]))),
            "a set of type SS is a sequence of text",
        ),
        (
            message(to_attribute_value(&number_set::NumberSet(1))),
            "a set of type NS is a sequence of numbers",
        ),
        (
            message(to_attribute_value(&binary_set::BinarySet::<[&Bytes; 0]>([]))),
            "a set is not empty; leave the attribute out (skip_serializing_if)",
        ),
        (
            message(to_attribute_value(&string_set::StringSet(["a", "a"]))),
            "an element stands twice in a set",
        ),
    ];
    for (found, expected) in cases {
        assert_eq!(found, expected);
    }
    let error = to_attribute_value(&deep).unwrap_err();
    assert_eq!(error.message(), "more than 32 levels of values inside each other");
    assert_eq!(error.path(), "[0]".repeat(31));
    assert_eq!(
        to_item(&1).unwrap_err().to_string(),
        "an item is a struct or a map, not a value of type N"
    );
}

#[test]
fn what_does_not_fit_a_type_is_refused_with_its_place() {
    #[derive(Debug, Deserialize)]
    #[expect(dead_code, reason = "only read into")]
    struct Order {
        id: u8,
        lines: Vec<BTreeMap<String, Option<i32>>>,
        state: External,
    }
    let good = || item! { "id": 1, "lines": [{ "n": 1 }], "state": { "Wrapped": 7 } };
    assert!(from_item::<Order>(&good()).is_ok());
    let cases = [
        (item! { "id": 256 }, "id: invalid type: number 256, expected u8"),
        (item! { "id": 1.5 }, "id: invalid type: number 1.5, expected u8"),
        (item! { "id": "1" }, "id: invalid type: string \"1\", expected u8"),
        (item! { "id": null }, "id: invalid type: unit value, expected u8"),
        (
            item! { "lines": [{}, { "n": "x" }] },
            "lines[1].n: invalid type: string \"x\", expected i32",
        ),
        (item! { "lines": {} }, "lines: invalid type: map, expected a sequence"),
        (
            item! { "state": { "Wrapped": true } },
            "state.Wrapped: invalid type: boolean `true`, expected u8",
        ),
        (item! { "state": {} }, "state: a variant is a map with one entry, named as it"),
        (
            item! { "state": 1 },
            "state: invalid type: number 1, expected a variant: its name or a map with one entry",
        ),
        (
            item! { "state": "Other" },
            "state: unknown variant `Other`, expected one of `Unit`, `Wrapped`, `Pair`, `Named`",
        ),
        (
            item! { "state": { "Pair": [1, "a", 3] } },
            "state.Pair: invalid length 3, expected fewer elements",
        ),
    ];
    for (changed, expected) in cases {
        let changes = changed.iter().map(|(name, value)| (name, Some(value)));
        let item = good().with_changes(changes);
        assert_eq!(from_item::<Order>(&item).unwrap_err().to_string(), expected);
    }
    let without = good().retain(|name| name != "id");
    assert_eq!(from_item::<Order>(&without).unwrap_err().to_string(), "missing field `id`");
}

#[test]
fn text_and_bytes_are_borrowed_from_the_item() {
    #[derive(Debug, PartialEq, Deserialize)]
    struct View<'a> {
        text: &'a str,
        #[serde(with = "serde_bytes")]
        data: &'a [u8],
    }
    let item = item! { "text": "abc", "data": b"xyz" };
    assert_eq!(from_item::<View<'_>>(&item), Ok(View { text: "abc", data: b"xyz" }));
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Whole {
    flag: bool,
    small: i8,
    large: i64,
    wide: i128,
    unsigned: u64,
    float: f64,
    single: f32,
    text: String,
    letter: char,
    #[serde(with = "serde_bytes")]
    data: Vec<u8>,
    maybe: Option<String>,
    list: Vec<Option<i16>>,
    map: BTreeMap<String, (u8, String)>,
    integers: BTreeMap<i32, bool>,
    choice: Choice,
    nested: Vec<Choice>,
    #[serde(with = "string_set", default, skip_serializing_if = "BTreeSet::is_empty")]
    names: BTreeSet<String>,
    #[serde(with = "hashrange::number")]
    exact: Number,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum Choice {
    None,
    One(u64),
    Two(String, bool),
    Named { a: i32, b: Option<Box<Choice>> },
}

fn choice() -> impl Strategy<Value = Choice> {
    let leaf = prop_oneof![
        Just(Choice::None),
        any::<u64>().prop_map(Choice::One),
        any::<(String, bool)>().prop_map(|(text, flag)| Choice::Two(text, flag)),
    ];
    leaf.prop_recursive(4, 8, 1, |inner| {
        (any::<i32>(), prop::option::of(inner))
            .prop_map(|(a, b)| Choice::Named { a, b: b.map(Box::new) })
    })
}

/// Floats that can be stored: beyond are refusals, which have a test of their own.
fn float() -> impl Strategy<Value = f64> {
    any::<f64>().prop_map(|float| {
        let is_stored = float == 0.0 || (1e-130..1e126).contains(&float.abs());
        // Zero has no sign as an attribute value.
        if is_stored && float != 0.0 { float } else { 0.0 }
    })
}

fn single() -> impl Strategy<Value = f32> {
    any::<f32>().prop_map(|float| if float.is_finite() && float != 0.0 { float } else { 0.0 })
}

fn whole() -> impl Strategy<Value = Whole> {
    let wide = -(10_i128.pow(38) - 1)..10_i128.pow(38);
    let scalars = (any::<(bool, i8, i64, u64)>(), wide, float(), single());
    let texts = any::<(String, char, Vec<u8>, Option<String>)>();
    let entries = prop::collection::btree_map(any::<String>(), any::<(u8, String)>(), 0..4);
    let integers = prop::collection::btree_map(any::<i32>(), any::<bool>(), 0..4);
    let containers = (prop::collection::vec(any::<Option<i16>>(), 0..4), entries, integers);
    let names = prop::collection::btree_set(any::<String>(), 0..3);
    let rest = (choice(), prop::collection::vec(choice(), 0..3), names, "[1-9][0-9]{0,36}\\.[1-9]");
    (scalars, texts, containers, rest).prop_map(|(scalars, texts, containers, rest)| {
        let ((flag, small, large, unsigned), wide, float, single) = scalars;
        let (text, letter, data, maybe) = texts;
        let (list, map, integers) = containers;
        let (choice, nested, names, exact) = rest;
        let exact = Number::parse(&exact).expect("at most 38 digits");
        Whole {
            flag,
            small,
            large,
            wide,
            unsigned,
            float,
            single,
            text,
            letter,
            data,
            maybe,
            list,
            map,
            integers,
            choice,
            nested,
            names,
            exact,
        }
    })
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(value in whole()) {
        let item = to_item(&value).expect("it can be stored");
        let read = from_item::<Whole>(&item);
        prop_assert_eq!(read.as_ref(), Ok(&value));
        // Through the tree as well.
        let tree = to_attribute_value(&value).expect("it can be stored");
        prop_assert_eq!(&AttributeValue::from(&item), &tree);
        let read = from_attribute_value::<Whole>(&tree);
        prop_assert_eq!(read.as_ref(), Ok(&value));
    }

    #[test]
    fn what_reads_anything_never_panics(entries in any::<BTreeMap<String, (f64, String)>>()) {
        // A map with floats that may be refused: an item, or an error with its place.
        match to_item(&entries) {
            Ok(item) => prop_assert_eq!(item.iter().count(), entries.len()),
            Err(error) => prop_assert!(!error.path().is_empty()),
        }
        let item = Item::from_attributes(entries.keys().map(|name| (name.as_str(), 1.into())));
        prop_assert!(from_item::<Whole>(&item).is_err());
    }
}
