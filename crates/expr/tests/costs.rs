//! What an expression of 4 KB and the legacy and PartiQL forms of an update may cost: never much
//! more than the result, whatever it repeats. Bytes that are allocated are counted, not time.

use hashrange_expr::legacy::{AttributeAction, AttributeUpdate, attribute_updates};
use hashrange_expr::partiql::{self, Statement};
use hashrange_expr::{Placeholders, update};
use hashrange_model::error::Reason;
use hashrange_model::{AttributeValue, Item, Value};
use hashrange_scratch::allocated::{Counting, counted};

#[global_allocator]
static COUNTING: Counting = Counting;

const KIB: usize = 1024;
const MIB: usize = 1024 * KIB;

fn placeholders<'a>(name: Option<&'a str>, value: Option<&'a Value>) -> Placeholders<'a> {
    let names = name.map(|name| [("#n", name)]);
    let values = value.map(|value| [(":v", value)]);
    Placeholders::new(names, values).expect("the placeholders are sound")
}

/// Compiles and applies an update; returns its result with the bytes allocated.
fn cost(text: &str, value: &AttributeValue, old: &Item) -> (Result<Item, Reason>, usize) {
    assert!(text.len() <= 4096, "the service takes no longer expression");
    let value = value.to_value();
    counted(|| update(text, &mut placeholders(None, Some(&value)))?.apply(old))
}

fn list(action: impl Fn(usize) -> String, count: usize) -> String {
    (0..count).map(action).collect::<Vec<_>>().join(",")
}

fn key() -> Item {
    Item::from_attributes([("pk", "key".into())])
}

fn long_text(bytes: usize) -> AttributeValue {
    "z".repeat(bytes).into()
}

fn long_list(bytes: usize) -> AttributeValue {
    AttributeValue::list((0..bytes / 100).map(|_| long_text(100)))
}

#[test]
fn a_value_set_four_hundred_times_is_not_copied_before_the_item_is_full() {
    let text = format!("SET {}", list(|nth| format!("a{nth}=:v"), 400));
    for bytes in [2 * KIB, 100 * KIB, 399 * KIB] {
        let (result, allocated) = cost(&text, &long_text(bytes), &key());
        assert_eq!(result, Err(Reason::UpdatedItemTooLarge), "{bytes}");
        assert!(allocated < 300 * KIB, "{allocated} for a value of {bytes}");
    }
}

#[test]
fn an_attribute_set_a_thousand_times_is_not_copied_before_the_item_is_full() {
    let old = Item::from_attributes([("pk", "key".into()), ("l", long_list(200 * KIB))]);
    let text = format!("SET {}", list(|nth| format!("a{nth}=l"), 500));
    let (result, allocated) = cost(&text, &0.into(), &old);
    assert_eq!(result, Err(Reason::UpdatedItemTooLarge));
    assert!(allocated < 700 * KIB, "{allocated}");
}

#[test]
fn lists_are_joined_only_while_the_item_has_room() {
    let text = format!("SET {}", list(|nth| format!("a{nth}=list_append(:v,:v)"), 100));
    let (result, allocated) = cost(&text, &long_list(300 * KIB), &key());
    assert_eq!(result, Err(Reason::UpdatedItemTooLarge));
    assert!(allocated < 200 * KIB, "{allocated}");
}

#[test]
fn nested_list_append_of_a_statement_copies_each_list_once() {
    let nested = |depth| {
        format!(
            "UPDATE t SET a = {}l{} WHERE pk = 'key'",
            "list_append(".repeat(depth),
            ", l)".repeat(depth)
        )
    };
    let old = |bytes| Item::from_attributes([("pk", "key".into()), ("l", long_list(bytes))]);
    let run = |depth, bytes| {
        let Ok(Statement::Update(change)) =
            partiql::parse(&nested(depth), partiql::Parameters::none())
        else {
            panic!("a statement that updates")
        };
        let old = old(bytes);
        counted(|| change.update.apply(&old))
    };
    let (result, allocated) = run(90, 4 * KIB);
    let result = result.expect("an item of less than 400 KB");
    assert!(result.size() > 350 * KIB);
    assert!(allocated < 8 * result.size(), "{allocated}");
    let (result, allocated) = run(90, 100 * KIB);
    assert_eq!(result, Err(Reason::UpdatedItemTooLarge));
    assert!(allocated < 200 * KIB, "{allocated}");
}

#[test]
fn legacy_lists_are_joined_only_while_the_item_has_room() {
    let names: Vec<String> = (0..300).map(|nth| format!("l{nth}")).collect();
    let short = AttributeValue::list([1.into()]);
    let old = Item::from_attributes(names.iter().map(|name| (name.as_str(), short.clone())));
    let value = long_list(300 * KIB).to_value();
    let update = |name| AttributeUpdate {
        attribute: name,
        action: Some(AttributeAction::Add),
        value: Some(value.clone()),
    };
    let updates = names.iter().map(|name| update(name.as_str())).collect();
    let compiled = attribute_updates(updates).expect("sound updates");
    let (result, allocated) = counted(|| compiled.apply(&old));
    assert_eq!(result, Err(Reason::UpdatedItemTooLarge));
    assert!(allocated < 3 * MIB, "{allocated}");
}

#[test]
fn a_set_taken_from_many_sets_is_laid_out_once() {
    let members = AttributeValue::string_set((0..50_000).map(|nth| format!("{nth:05}")));
    let names: Vec<String> = (0..500).map(|nth| format!("s{nth}")).collect();
    let small = AttributeValue::string_set(["00007", "x"]);
    let old = Item::from_attributes(names.iter().map(|name| (name.as_str(), small.clone())));
    let text = format!("DELETE {}", list(|nth| format!("s{nth} :v"), 500));
    let (result, allocated) = cost(&text, &members, &old);
    assert_eq!(result.expect("a small item").get("s499").map(|it| it.size()), Some(1));
    assert!(allocated < 4 * MIB, "{allocated}");
}

/// Captured: a DELETE costs its target, not its value.
#[test]
fn a_large_set_may_be_taken_from_many_sets() {
    let members = AttributeValue::string_set((0..50_000).map(|nth| format!("{nth:05}")));
    let old = Item::from_attributes([("s0", AttributeValue::string_set(["00007", "x"]))]);
    let text = format!("DELETE {}", list(|nth| format!("s{nth} :v"), 300));
    let value = members.to_value();
    let compiled = update(&text, &mut placeholders(None, Some(&value))).expect("it is sound");
    let sized = compiled.sized_by_statement().expect("the statement is short");
    assert_eq!(sized.apply(&old).map(|new| new.size()), Ok("s0".len() + 1));
}

#[test]
fn a_long_name_is_copied_once_however_often_it_is_used() {
    let name = "n".repeat(65_535);
    let text = format!("REMOVE {}", list(|nth| format!("a{nth}.#n.#n.#n"), 200));
    let (compiled, allocated) =
        counted(|| update(&text, &mut placeholders(Some(&name), None)).expect("it is sound"));
    assert_eq!(compiled.targets().count(), 200);
    assert!(allocated < MIB, "{allocated}");
}
