//! Projections: what is left of an item, and each fault with its sentence.

mod request;

use hashrange_expr::{Projection, projection};
use hashrange_model::{AttributeValue, Item};
use request::{Request, sentence};

fn element(a: i32, b: i32) -> AttributeValue {
    AttributeValue::map([("a", a.into()), ("b", b.into())])
}

fn item() -> Item {
    Item::from_attributes([
        ("pk", "p".into()),
        ("l", AttributeValue::list([10.into(), 11.into(), 12.into()])),
        ("maps", AttributeValue::list([element(1, 2), element(3, 4)])),
        ("m", AttributeValue::map([("x", element(5, 6)), ("y", 7.into())])),
        ("a.b", "dotted".into()),
    ])
}

fn request() -> Request {
    Request::new().name("#dotted", "a.b").name("#pk", "pk").name("#l", "l")
}

#[test]
fn the_named_parts_are_left() {
    let list = |elements: &[i32]| AttributeValue::list(elements.iter().map(|it| (*it).into()));
    let x = |value| AttributeValue::map([("x", value)]);
    let one = |name: &str, value: i32| AttributeValue::map([(name, value.into())]);
    for (text, expected) in [
        ("pk", vec![("pk", "p".into())]),
        ("gone", vec![]),
        ("gone, pk", vec![("pk", "p".into())]),
        ("l[2], l[0]", vec![("l", list(&[10, 12]))]),
        ("l[9]", vec![]),
        ("l[9], l[1]", vec![("l", list(&[11]))]),
        ("l.x", vec![]),
        ("pk.x, pk2[0]", vec![]),
        ("maps[0].a, maps[0].b", vec![("maps", AttributeValue::list([element(1, 2)]))]),
        ("maps[1].b, maps[0].a", {
            vec![("maps", AttributeValue::list([one("a", 1), one("b", 4)]))]
        }),
        ("maps[0].gone, maps[1].a", vec![("maps", AttributeValue::list([one("a", 3)]))]),
        ("m.x.a", vec![("m", x(one("a", 5)))]),
        ("m.x.a, m.y", { vec![("m", AttributeValue::map([("x", one("a", 5)), ("y", 7.into())]))] }),
        ("m.gone.a", vec![]),
        ("m.x", vec![("m", x(element(5, 6)))]),
        ("#dotted", vec![("a.b", "dotted".into())]),
        ("#pk , #l [ 0 ]", vec![("pk", "p".into()), ("l", list(&[10]))]),
    ] {
        let compiled = request().with(|placeholders| projection(text, placeholders)).unwrap();
        let reduced = compiled.apply(&item());
        assert_eq!(reduced, Item::from_attributes(expected), "{text}");
    }
}

#[test]
fn attribute_names_alone_make_a_projection() {
    let projection = Projection::from_attribute_names(["pk", "a.b", "gone"]);
    let expected = Item::from_attributes([("pk", "p".into()), ("a.b", "dotted".into())]);
    assert_eq!(projection.apply(&item()), expected);
    assert_eq!(projection.attribute_names().collect::<Vec<_>>(), ["a.b", "gone", "pk"]);
}

#[test]
fn faults_have_their_sentences() {
    let two = |how: &str, one: &str, two: &str| {
        format!(
            "Two document paths {how} with each other; must remove or rewrite one of these paths; \
             path one: {one}, path two: {two}"
        )
    };
    for (text, words) in [
        ("", "The expression can not be empty;".to_owned()),
        ("a,", "Syntax error; token: \"<EOF>\", near: \",\"".to_owned()),
        ("a b", "Syntax error; token: \"b\", near: \"a b\"".to_owned()),
        ("a, , b", "Syntax error; token: \",\", near: \", , b\"".to_owned()),
        ("_x", "Syntax error; token: \"_\", near: \"_x\"".to_owned()),
        (
            "a[99999999999999]",
            "List index is not within the allowable range; index: [99999999999999]".to_owned(),
        ),
        ("a[x]", "Syntax error; token: \"x\", near: \"[x]\"".to_owned()),
        ("size(a)", "Syntax error; token: \"(\", near: \"size(a\"".to_owned()),
        (":v", "Syntax error; token: \":v\", near: \":v\"".to_owned()),
        ("#x, name", "Attribute name is a reserved keyword; reserved keyword: name".to_owned()),
        (
            "a, a, #x",
            "An expression attribute name used in the document path is not defined; attribute \
             name: #x"
                .to_owned(),
        ),
        ("a, a", two("overlap", "[a]", "[a]")),
        ("a, a.b", two("overlap", "[a]", "[a, b]")),
        ("a.b, c, a", two("overlap", "[a, b]", "[a]")),
        ("#pk, pk", two("overlap", "[pk]", "[pk]")),
        ("a[0], a[0].b", two("overlap", "[a, [0]]", "[a, [0], b]")),
        ("a.b, a[0]", two("conflict", "[a, b]", "[a, [0]]")),
        ("c, a[1], a[0].x, a.b", two("conflict", "[a, [1]]", "[a, b]")),
        ("a.b, a[0], a[1]", two("conflict", "[a, b]", "[a, [0]]")),
        ("a.b, a[0], d, d", two("overlap", "[d]", "[d]")),
    ] {
        let fault = request().with(|placeholders| projection(text, placeholders)).unwrap_err();
        assert_eq!(sentence(&fault), format!("Invalid ProjectionExpression: {words}"), "{text}");
    }
}
