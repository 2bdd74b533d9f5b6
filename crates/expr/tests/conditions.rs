//! Conditions: what holds for which item, and each fault with its sentence.

mod request;

use hashrange_expr::condition;
use hashrange_model::error::ExpressionKind;
use hashrange_model::{AttributeValue, Item};
use request::Request;

fn item() -> Item {
    Item::from_attributes([
        ("pk", "a".into()),
        ("n", 5.into()),
        ("s", "Hello".into()),
        ("smile", "😀é".into()),
        ("b", AttributeValue::B(vec![1, 2, 3].into())),
        ("t", true.into()),
        ("z", AttributeValue::Null),
        ("ss", AttributeValue::string_set(["x", "y"])),
        ("ns", AttributeValue::number_set([1, 2])),
        ("bs", AttributeValue::binary_set([vec![1], vec![2]])),
        ("l", AttributeValue::list([1.into(), "two".into(), AttributeValue::list([3.into()])])),
        ("m", AttributeValue::map([("k", 7.into()), ("deep", AttributeValue::list([9.into()]))])),
        ("dotted.name", 1.into()),
    ])
}

fn request() -> Request {
    Request::new()
        .name("#n", "n")
        .name("#dotted", "dotted.name")
        .name("#status", "status")
        .value(":a", "a")
        .value(":five", 5)
        .value(":four", 4)
        .value(":six", 6)
        .value(":two", 2)
        .value(":three", 3)
        .value(":nine", 9)
        .value(":seven", 7)
        .value(":one", 1)
        .value(":Hel", "Hel")
        .value(":ell", "ell")
        .value(":x", "x")
        .value(":str", "two")
        .value(":bin", AttributeValue::B(vec![2, 3].into()))
        .value(":bin1", AttributeValue::B(vec![1].into()))
        .value(":true", true)
        .value(":null", AttributeValue::Null)
        .value(":yx", AttributeValue::string_set(["y", "x"]))
        .value(":list3", AttributeValue::list([3.into()]))
        .value(":empty", AttributeValue::list([]))
        .value(":map", AttributeValue::map([("k", 1)].map(|(k, v)| (k, v.into()))))
        .value(":S", "S")
        .value(":NS", "NS")
        .value(":NULL", "NULL")
        .value(":X", "X")
}

#[test]
#[expect(clippy::too_many_lines, reason = "a flat table of cases")]
fn conditions_hold_as_documented() {
    for (text, holds) in [
        ("pk = :a", true),
        ("pk = :x", false),
        ("pk <> :x", true),
        ("gone = :a", false),
        ("gone <> :a", true),
        ("NOT gone = :a", true),
        ("NOT (gone = :a)", true),
        ("gone = lost", false),
        ("gone <> lost", true),
        ("n > :four", true),
        ("n > :five", false),
        ("n >= :five", true),
        ("n < :five", false),
        ("n <= :five", true),
        ("n < :six", true),
        (":four < n", true),
        ("n < :a", false),
        ("n = :a", false),
        ("n <> :a", true),
        ("t = :true", true),
        ("z = :null", true),
        ("t < n", false),
        ("ss = :yx", true),
        ("ss <> :yx", false),
        ("l[2] = :list3", true),
        ("l < m", false),
        ("n BETWEEN :four AND :six", true),
        ("n BETWEEN :five AND :five", true),
        ("n BETWEEN :six AND :six", false),
        ("pk BETWEEN :four AND :six", false),
        (":five BETWEEN :four AND n", true),
        ("n IN (:four, :five)", true),
        ("n IN (:four)", false),
        ("gone IN (:four)", false),
        ("attribute_exists(z)", true),
        ("attribute_exists(m.k)", true),
        ("attribute_exists(m.q)", false),
        ("attribute_exists(l[9])", false),
        ("attribute_exists(l[2147483647])", false),
        ("attribute_exists(pk.x)", false),
        ("attribute_not_exists(m.q)", true),
        ("attribute_not_exists(m)", false),
        ("attribute_type(s, :S)", true),
        ("attribute_type(ns, :NS)", true),
        ("attribute_type(z, :NULL)", true),
        ("attribute_type(n, :S)", false),
        ("attribute_type(gone, :S)", false),
        ("attribute_type(:Hel, :S)", true),
        ("attribute_type(:Hel, :NULL)", false),
        ("NOT attribute_type(:Hel, :NULL) AND pk = :a", true),
        ("begins_with(s, :Hel)", true),
        ("begins_with(s, :ell)", false),
        ("begins_with(b, :bin1)", true),
        ("begins_with(n, :Hel)", false),
        ("contains(s, :ell)", true),
        ("contains(b, :bin)", true),
        ("contains(ss, :x)", true),
        ("contains(ss, :ell)", false),
        ("contains(ns, :two)", true),
        ("contains(ns, :x)", false),
        ("contains(bs, :bin1)", true),
        ("contains(l, :str)", true),
        ("contains(l, :list3)", true),
        ("contains(l, :three)", false),
        ("contains(m, :x)", false),
        ("size(s) = :five", true),
        ("size(smile) = :three", true),
        ("size(b) = :three", true),
        ("size(l) = :three", true),
        ("size(m) = :two", true),
        ("size(ss) = :two", true),
        ("size(n) = :one", false),
        ("NOT NOT size(s) = :five", true),
        ("NOT NOT NOT size(s) = :five", false),
        ("size(n) <> :one", false),
        ("size(gone) < :nine", false),
        ("size(:Hel) = :three", true),
        (":three = size(b)", true),
        ("m.k = :seven", true),
        ("m.deep[0] = :nine", true),
        ("#n = :five", true),
        ("#dotted = :one", true),
        ("attribute_not_exists(#status)", true),
        ("pk = :a AND n = :five", true),
        ("pk = :a and n = :six", false),
        ("pk = :x OR n = :five", true),
        ("pk = :a OR pk = :x AND n = :six", true),
        ("(pk = :a OR pk = :x) AND n = :six", false),
        ("NOT pk = :x AND n = :five", true),
        ("NOT pk = :a OR n = :five", true),
        ("(pk) = (:a)", true),
        ("(size(s)) = :five", true),
        ("(attribute_exists(pk))", true),
        ("(n BETWEEN :four AND :six) AND (pk = :a)", true),
        ("pk=:a", true),
        ("\tpk\r\n= :a ", true),
    ] {
        let request = request();
        let compiled = request
            .with(|placeholders| condition(ExpressionKind::Condition, text, placeholders))
            .unwrap_or_else(|reason| panic!("{text}: {}", request::sentence(&reason)));
        assert_eq!(compiled.matches(&item()), holds, "{text}");
    }
}

#[test]
fn an_item_that_does_not_exist_is_empty() {
    for (text, holds) in [
        ("attribute_not_exists(pk)", true),
        ("attribute_exists(pk)", false),
        ("pk <> :a", true),
        ("pk = :a", false),
    ] {
        let compiled = request()
            .with(|placeholders| condition(ExpressionKind::Condition, text, placeholders))
            .unwrap();
        assert_eq!(compiled.matches(&Item::empty()), holds, "{text}");
    }
}
