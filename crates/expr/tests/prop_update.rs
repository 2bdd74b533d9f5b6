//! Updates against a naive model: trees in which every change is only marked, and lists are put
//! together at the end.

use hashrange_expr::{Placeholders, Update, update};
use hashrange_model::error::{ExpressionFault, Reason};
use hashrange_model::{AttributeValue, Item, Value};
use proptest::prelude::*;
use std::collections::BTreeMap;

/// A value with marks: `None` in a slot was removed, appended elements wait at their offsets.
#[derive(Debug, Clone)]
enum Marked {
    Leaf(AttributeValue),
    List(Vec<Option<Marked>>, BTreeMap<usize, AttributeValue>),
    Map(BTreeMap<String, Marked>, BTreeMap<String, Option<AttributeValue>>),
}

#[derive(Debug, Clone)]
enum Action {
    Set(String, Operand),
    Remove(String),
    Add(String, usize),
    Delete(String, usize),
}

#[derive(Debug, Clone)]
enum Operand {
    Literal(usize),
    Path(String),
    Sum(Box<Operand>, &'static str, Box<Operand>),
    IfNotExists(String, Box<Operand>),
    Append(Box<Operand>, Box<Operand>),
}

type Tree = BTreeMap<String, AttributeValue>;

fn literals() -> Vec<AttributeValue> {
    vec![
        1.into(),
        (-3).into(),
        "text".into(),
        AttributeValue::list([1.into(), "x".into()]),
        AttributeValue::map([("x", 1.into()), ("y", AttributeValue::list([2.into()]))]),
        AttributeValue::string_set(["a", "b"]),
        AttributeValue::string_set(["b", "c"]),
        AttributeValue::number_set([1, 2]),
        AttributeValue::binary_set([vec![1], vec![2]]),
        true.into(),
    ]
}

fn value() -> impl Strategy<Value = AttributeValue> {
    let leaf = (0..literals().len()).prop_map(|nth| literals().swap_remove(nth));
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(AttributeValue::L),
            prop::collection::btree_map("[xy]", inner, 0..3).prop_map(AttributeValue::M),
        ]
    })
}

fn path() -> impl Strategy<Value = String> {
    ("[abc]", prop::collection::vec(prop_oneof!["\\.[xy]", "\\[[0-6]\\]"], 0..3))
        .prop_map(|(name, steps)| name + &steps.concat())
}

/// An operand; with `appends` one in which `list_append` may stand, but not within another.
fn term(appends: bool) -> BoxedStrategy<Operand> {
    let leaf = prop_oneof![
        (0..literals().len()).prop_map(Operand::Literal),
        path().prop_map(Operand::Path),
    ];
    let boxed = |strategy: BoxedStrategy<Operand>| strategy.prop_map(Box::new);
    let simple = leaf
        .prop_recursive(2, 4, 1, |inner| {
            (path(), inner.prop_map(Box::new)).prop_map(|(path, it)| Operand::IfNotExists(path, it))
        })
        .boxed();
    if !appends {
        return simple;
    }
    let append = (boxed(term(false)), boxed(term(false))).prop_map(|(l, r)| Operand::Append(l, r));
    prop_oneof![3 => simple, 1 => append].boxed()
}

fn operand() -> impl Strategy<Value = Operand> {
    let boxed = || term(true).prop_map(Box::new);
    prop_oneof![
        2 => term(true),
        1 => (boxed(), prop::sample::select(vec!["+", "-"]), boxed())
            .prop_map(|(l, sign, r)| Operand::Sum(l, sign, r)),
    ]
}

fn action() -> impl Strategy<Value = Action> {
    let literal = || 0..literals().len();
    prop_oneof![
        4 => (path(), operand()).prop_map(|(path, it)| Action::Set(path, it)),
        3 => path().prop_map(Action::Remove),
        1 => (path(), literal()).prop_map(|(path, it)| Action::Add(path, it)),
        1 => (path(), literal()).prop_map(|(path, it)| Action::Delete(path, it)),
    ]
}

/// List updates: many offsets of one list.
fn list_actions() -> impl Strategy<Value = Vec<Action>> {
    let offset = || (0..9_usize).prop_map(|offset| format!("a[{offset}]"));
    prop::collection::vec(
        prop_oneof![
            (offset(), 0..3_usize).prop_map(|(path, it)| Action::Set(path, Operand::Literal(it))),
            offset().prop_map(Action::Remove),
        ],
        1..6,
    )
}

impl Operand {
    fn text(&self) -> String {
        match self {
            Self::Literal(nth) => format!(":v{nth}"),
            Self::Path(path) => path.clone(),
            Self::Sum(l, sign, r) => format!("{} {sign} {}", l.text(), r.text()),
            Self::IfNotExists(path, it) => format!("if_not_exists({path}, {})", it.text()),
            Self::Append(l, r) => format!("list_append({}, {})", l.text(), r.text()),
        }
    }

    fn value(&self, old: &Tree) -> Option<AttributeValue> {
        match self {
            Self::Literal(nth) => Some(literals().swap_remove(*nth)),
            Self::Path(path) => find(path, old).cloned(),
            Self::Sum(l, sign, r) => match (l.value(old)?, r.value(old)?) {
                (AttributeValue::N(l), AttributeValue::N(r)) => {
                    let sum = if *sign == "+" { l.checked_add(&r) } else { l.checked_sub(&r) };
                    Some(AttributeValue::N(sum.ok()?))
                }
                _ => None,
            },
            Self::IfNotExists(path, it) => find(path, old).cloned().or_else(|| it.value(old)),
            Self::Append(l, r) => match (l.value(old)?, r.value(old)?) {
                (AttributeValue::L(l), AttributeValue::L(r)) => {
                    Some(AttributeValue::L([l, r].concat()))
                }
                _ => None,
            },
        }
    }
}

fn steps(path: &str) -> Vec<String> {
    let mut steps = vec![path[..1].to_owned()];
    let mut rest = &path[1..];
    while !rest.is_empty() {
        let (step, after) = rest.split_at(if rest.starts_with('.') { 2 } else { 3 });
        steps.push(step[..2].to_owned());
        rest = after;
    }
    steps
}

fn find<'t>(path: &str, tree: &'t Tree) -> Option<&'t AttributeValue> {
    let steps = steps(path);
    let mut place = tree.get(&steps[0])?;
    for step in &steps[1..] {
        place = match place {
            AttributeValue::M(map) if step.starts_with('.') => map.get(&step[1..])?,
            AttributeValue::L(list) if step.starts_with('[') => list.get(offset(step))?,
            _ => return None,
        };
    }
    Some(place)
}

fn offset(step: &str) -> usize {
    step[1..].parse().expect("a digit")
}

fn mark(value: &AttributeValue) -> Marked {
    match value {
        AttributeValue::L(list) => {
            Marked::List(list.iter().map(|it| Some(mark(it))).collect(), BTreeMap::new())
        }
        AttributeValue::M(map) => {
            let map = map.iter().map(|(name, it)| (name.clone(), mark(it))).collect();
            Marked::Map(map, BTreeMap::new())
        }
        leaf => Marked::Leaf(leaf.clone()),
    }
}

fn unmark(marked: Marked) -> AttributeValue {
    match marked {
        Marked::Leaf(leaf) => leaf,
        Marked::List(slots, appended) => AttributeValue::L(
            slots.into_iter().flatten().map(unmark).chain(appended.into_values()).collect(),
        ),
        Marked::Map(map, changes) => {
            let mut map: BTreeMap<_, _> =
                map.into_iter().map(|(name, it)| (name, unmark(it))).collect();
            for (name, change) in changes {
                match change {
                    Some(value) => map.insert(name, value),
                    None => map.remove(&name),
                };
            }
            AttributeValue::M(map)
        }
    }
}

/// Marks one change; `None` if the path is invalid.
fn change(place: &mut Marked, steps: &[String], value: Option<AttributeValue>) -> Option<()> {
    let (step, rest) = steps.split_first()?;
    match place {
        Marked::Map(map, changes) if step.starts_with('.') => {
            if !rest.is_empty() {
                return change(map.get_mut(&step[1..])?, rest, value);
            }
            changes.insert(step[1..].to_owned(), value);
        }
        Marked::List(slots, appended) if step.starts_with('[') => {
            match (slots.get_mut(offset(step)), value) {
                (Some(slot), value) if !rest.is_empty() => {
                    return change(slot.as_mut()?, rest, value);
                }
                (Some(slot), value) => *slot = value.map(Marked::Leaf),
                (None, _) if !rest.is_empty() => return None,
                (None, Some(value)) => {
                    appended.insert(offset(step), value);
                }
                (None, None) => {}
            }
        }
        _ => return None,
    }
    Some(())
}

fn add(stored: Option<&AttributeValue>, value: AttributeValue) -> Option<AttributeValue> {
    Some(match (stored, value) {
        (None, value) => value,
        (Some(AttributeValue::N(l)), AttributeValue::N(r)) => {
            AttributeValue::N(l.checked_add(&r).ok()?)
        }
        (Some(AttributeValue::Ss(l)), AttributeValue::Ss(r)) => {
            AttributeValue::string_set([l.clone(), r].concat())
        }
        (Some(AttributeValue::Ns(l)), AttributeValue::Ns(r)) => {
            AttributeValue::number_set([l.clone(), r].concat())
        }
        (Some(AttributeValue::Bs(l)), AttributeValue::Bs(r)) => {
            AttributeValue::binary_set([l.clone(), r].concat())
        }
        _ => return None,
    })
}

fn without<T: PartialEq + Clone>(
    set: &[T],
    removed: &[T],
    wrap: fn(Vec<T>) -> AttributeValue,
) -> Option<AttributeValue> {
    let left: Vec<T> = set.iter().filter(|it| !removed.contains(it)).cloned().collect();
    (!left.is_empty()).then(|| wrap(left))
}

#[expect(clippy::option_option, reason = "another type, and nothing left, are two answers")]
fn delete(
    stored: Option<&AttributeValue>,
    value: &AttributeValue,
) -> Option<Option<AttributeValue>> {
    Some(match (stored, value) {
        (None, _) => None,
        (Some(AttributeValue::Ss(l)), AttributeValue::Ss(r)) => without(l, r, AttributeValue::Ss),
        (Some(AttributeValue::Ns(l)), AttributeValue::Ns(r)) => without(l, r, AttributeValue::Ns),
        (Some(AttributeValue::Bs(l)), AttributeValue::Bs(r)) => without(l, r, AttributeValue::Bs),
        _ => return None,
    })
}

impl Action {
    fn section(&self) -> (&'static str, String) {
        match self {
            Self::Set(path, operand) => ("SET", format!("{path} = {}", operand.text())),
            Self::Remove(path) => ("REMOVE", path.clone()),
            Self::Add(path, nth) => ("ADD", format!("{path} :v{nth}")),
            Self::Delete(path, nth) => ("DELETE", format!("{path} :v{nth}")),
        }
    }

    /// Returns the path and its new value; `None` if an operand is faulty.
    fn outcome(&self, old: &Tree) -> Option<(String, Option<AttributeValue>)> {
        let literal = |nth: &usize| literals().swap_remove(*nth);
        Some(match self {
            Self::Set(path, operand) => (path.clone(), Some(operand.value(old)?)),
            Self::Remove(path) => (path.clone(), None),
            Self::Add(path, nth) => (path.clone(), Some(add(find(path, old), literal(nth))?)),
            Self::Delete(path, nth) => (path.clone(), delete(find(path, old), &literal(nth))?),
        })
    }
}

fn text(actions: &[Action]) -> String {
    let mut sections: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for action in actions {
        let (section, text) = action.section();
        sections.entry(section).or_default().push(text);
    }
    let sections: Vec<_> =
        sections.iter().map(|(section, texts)| format!("{section} {}", texts.join(", "))).collect();
    sections.join(" ")
}

/// Applies all actions to the tree; `None` if one is faulty.
fn expected(actions: &[Action], old: &Tree) -> Option<Tree> {
    let mut new: BTreeMap<String, Marked> =
        old.iter().map(|(name, value)| (name.clone(), mark(value))).collect();
    for action in actions {
        let (path, value) = action.outcome(old)?;
        let steps = steps(&path);
        match (steps.len(), value) {
            (1, Some(value)) => drop(new.insert(path, mark(&value))),
            (1, None) => drop(new.remove(&path)),
            (_, value) => change(new.get_mut(&steps[0])?, &steps[1..], value)?,
        }
    }
    Some(new.into_iter().map(|(name, marked)| (name, unmark(marked))).collect())
}

fn to_item(tree: &Tree) -> Item {
    Item::from_attributes(tree.iter().map(|(name, value)| (name.as_str(), value.clone())))
}

/// Compiles the actions; `None` if they are refused for their paths or operand types.
fn compile(actions: &[Action]) -> Result<Option<Update>, TestCaseError> {
    let keys: Vec<String> = (0..literals().len()).map(|nth| format!(":v{nth}")).collect();
    let values: Vec<Value> = literals().iter().map(AttributeValue::to_value).collect();
    let no_names: Option<[(&str, &str); 0]> = None;
    let values = keys.iter().map(String::as_str).zip(&values);
    let mut placeholders = Placeholders::new(no_names, Some(values)).expect("keys are sound");
    match update(&text(actions), &mut placeholders) {
        Ok(compiled) => Ok(Some(compiled)),
        Err(Reason::Expression(
            _,
            ExpressionFault::Overlap(..)
            | ExpressionFault::Conflict(..)
            | ExpressionFault::OperandType { .. }
            | ExpressionFault::ActionOperandType { .. },
        )) => Ok(None),
        Err(other) => Err(TestCaseError::fail(format!("{}: {other:?}", text(actions)))),
    }
}

fn check(actions: &[Action], old: &Tree) -> Result<(), TestCaseError> {
    let Some(compiled) = compile(actions)? else { return Ok(()) };
    let text = text(actions);
    let new = compiled.apply(&to_item(old));
    match (&new, expected(actions, old)) {
        (Ok(new), Some(expected)) => {
            prop_assert_eq!(new, &to_item(&expected), "{}", text);
            prop_assert_eq!(new.size(), to_item(&expected).size(), "{}", text);
        }
        (Err(_), None) => {}
        (new, expected) => prop_assert!(false, "{}: {:?} but {:?}", text, new, expected),
    }
    Ok(())
}

/// Checks `UPDATED_OLD` and `UPDATED_NEW` of changes to elements of the list `a`: what stands at the
/// offsets that are named, before and after.
fn check_updated(actions: &[Action], old: &Tree) -> Result<(), TestCaseError> {
    let Some(compiled) = compile(actions)? else { return Ok(()) };
    let changes: BTreeMap<String, Option<AttributeValue>> =
        actions.iter().filter_map(|action| action.outcome(old)).collect();
    let named = |tree: &Tree| {
        let elements: Vec<_> =
            changes.keys().filter_map(|path| find(path, tree).cloned()).collect();
        let attributes = [("a", AttributeValue::L(elements.clone()))];
        (!elements.is_empty()).then(|| Item::from_attributes(attributes))
    };
    let new = compiled.apply(&to_item(old)).expect("elements of a list can be changed");
    let after = expected(actions, old).expect("elements of a list can be changed");
    prop_assert_eq!(compiled.updated_old(&to_item(old)), named(old), "{}", text(actions));
    prop_assert_eq!(compiled.updated_new(&new), named(&after), "{}", text(actions));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 4000, ..Default::default() })]

    #[test]
    fn updates_agree_with_trees(
        actions in prop::collection::vec(action(), 1..4),
        old in prop::collection::btree_map("[abc]", value(), 0..4),
    ) {
        check(&actions, &old)?;
    }

    #[test]
    fn list_updates_agree_with_trees(actions in list_actions(), length in 0..6_i32) {
        let list = AttributeValue::list((10..10 + length).map(Into::into));
        let old = BTreeMap::from([("a".to_owned(), list)]);
        check(&actions, &old)?;
        check_updated(&actions, &old)?;
    }
}
