//! Conditions against a naive model: the evaluators over the binary form, the plain one and that of
//! filters, must agree with an evaluator over trees, for random conditions and items.

use hashrange_expr::{Filter, Placeholders, condition};
use hashrange_model::error::{ExpressionFault, ExpressionKind, Reason};
use hashrange_model::{AttributeType, AttributeValue, Item, Value};
use proptest::prelude::*;
use std::cmp::Ordering;
use std::collections::BTreeMap;

type Tree = BTreeMap<String, AttributeValue>;

#[derive(Debug, Clone)]
enum Operand {
    Path(String),
    Size(String),
    Literal(usize),
}

#[derive(Debug, Clone)]
enum Model {
    Or(Box<Model>, Box<Model>),
    And(Box<Model>, Box<Model>),
    Not(Box<Model>),
    Compare(&'static str, Operand, Operand),
    Between(Operand, Operand, Operand),
    In(Operand, Vec<Operand>),
    Exists(String),
    NotExists(String),
    HasType(String, usize),
    BeginsWith(Operand, Operand),
    Contains(Operand, Operand),
}

/// The values behind `:v0`, `:v1`, …; those of the last ten name the types.
fn literals() -> Vec<AttributeValue> {
    let number = |text: &str| AttributeValue::N(text.parse().expect("a number"));
    let mut literals = vec![
        "".into(),
        "a".into(),
        "ab".into(),
        "é😀".into(),
        0.into(),
        1.into(),
        2.into(),
        number("-1.5"),
        number("1e20"),
        AttributeValue::B(vec![].into()),
        AttributeValue::B(vec![0x61].into()),
        AttributeValue::B(vec![0x61, 0xFF].into()),
        true.into(),
        AttributeValue::Null,
        AttributeValue::string_set(["a", "b"]),
        AttributeValue::number_set([1, 2]),
        AttributeValue::binary_set([vec![0x61]]),
        AttributeValue::list([1.into(), "a".into()]),
        AttributeValue::list([]),
        AttributeValue::map([("x", 1.into())]),
    ];
    literals.extend(AttributeType::ALL.map(|it| it.as_str().into()));
    literals
}

fn value() -> impl Strategy<Value = AttributeValue> {
    let scalar = (0..20_usize).prop_map(|nth| literals().swap_remove(nth));
    scalar.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(AttributeValue::L),
            prop::collection::btree_map("[xyz]", inner, 0..3).prop_map(AttributeValue::M),
        ]
    })
}

fn item() -> impl Strategy<Value = Tree> {
    prop::collection::btree_map("[abcd]", value(), 0..4)
}

fn path() -> impl Strategy<Value = String> {
    ("[abcd]", prop::collection::vec(prop_oneof!["\\.[xyz]", "\\[[0-2]\\]"], 0..3))
        .prop_map(|(name, steps)| name + &steps.concat())
}

fn operand() -> impl Strategy<Value = Operand> {
    prop_oneof![
        4 => path().prop_map(Operand::Path),
        4 => (0..20_usize).prop_map(Operand::Literal),
        1 => path().prop_map(Operand::Size),
    ]
}

/// Operands that the operators on ordered types take.
fn ordered_operand() -> impl Strategy<Value = Operand> {
    prop_oneof![
        4 => path().prop_map(Operand::Path),
        4 => (0..12_usize).prop_map(Operand::Literal),
        1 => path().prop_map(Operand::Size),
    ]
}

fn model() -> impl Strategy<Value = Model> {
    let equality = prop::sample::select(vec!["=", "<>"]);
    let range = prop::sample::select(vec!["<", "<=", ">", ">="]);
    let leaf = prop_oneof![
        3 => (equality, operand(), operand()).prop_map(|(op, l, r)| Model::Compare(op, l, r)),
        3 => (range, ordered_operand(), ordered_operand())
            .prop_map(|(op, l, r)| Model::Compare(op, l, r)),
        1 => (ordered_operand(), ordered_operand(), ordered_operand())
            .prop_map(|(it, low, high)| Model::Between(it, low, high)),
        1 => (operand(), prop::collection::vec(operand(), 1..12))
            .prop_map(|(it, list)| Model::In(it, list)),
        1 => path().prop_map(Model::Exists),
        1 => path().prop_map(Model::NotExists),
        1 => (path(), 20..30_usize).prop_map(|(path, nth)| Model::HasType(path, nth)),
        1 => (ordered_operand(), ordered_operand()).prop_map(|(l, r)| Model::BeginsWith(l, r)),
        2 => (operand(), operand()).prop_map(|(l, r)| Model::Contains(l, r)),
    ];
    let few = || prop::sample::select(vec!["a", "b", "a.x", "a[0]"]).prop_map(str::to_owned);
    let equal = move |op: &'static str| {
        (few(), 0..20_usize, any::<bool>(), 0..8_u8).prop_map(move |(path, nth, swapped, kind)| {
            let (path, value) = match kind {
                0 => (Operand::Size(path), Operand::Literal(nth)),
                1 => (Operand::Path(path), Operand::Literal(nth)),
                _ => (Operand::Path(path), Operand::Literal(nth % 12)),
            };
            let (left, right) = if swapped { (value, path) } else { (path, value) };
            Model::Compare(op, left, right)
        })
    };
    // Chains of equalities, as filters have them: several operands among each other.
    let chain = |join: fn(Box<Model>, Box<Model>) -> Model, link: BoxedStrategy<Model>| {
        prop::collection::vec(link, 2..20).prop_map(move |links| {
            let links = links.into_iter().reduce(|l, r| join(Box::new(l), Box::new(r)));
            links.expect("there are at least two")
        })
    };
    let leaf = prop_oneof![
        4 => leaf.clone(),
        1 => chain(Model::Or, prop_oneof![6 => equal("="), 1 => leaf.clone()].boxed()),
        1 => chain(Model::And, prop_oneof![6 => equal("<>"), 1 => leaf].boxed()),
    ];
    leaf.prop_recursive(4, 24, 2, |inner| {
        let pair = || (inner.clone().prop_map(Box::new), inner.clone().prop_map(Box::new));
        prop_oneof![
            pair().prop_map(|(l, r)| Model::Or(l, r)),
            pair().prop_map(|(l, r)| Model::And(l, r)),
            inner.clone().prop_map(|it| Model::Not(Box::new(it))),
        ]
    })
}

impl Operand {
    fn text(&self) -> String {
        match self {
            Self::Path(path) => path.clone(),
            Self::Size(path) => format!("size({path})"),
            Self::Literal(nth) => format!(":v{nth}"),
        }
    }

    fn value(&self, item: &Tree) -> Option<AttributeValue> {
        match self {
            Self::Path(path) => find(path, item).cloned(),
            Self::Literal(nth) => Some(literals().swap_remove(*nth)),
            Self::Size(path) => match find(path, item)? {
                AttributeValue::S(text) => Some(text.encode_utf16().count().into()),
                AttributeValue::B(bytes) => Some(bytes.len().into()),
                AttributeValue::Ss(set) => Some(set.len().into()),
                AttributeValue::Ns(set) => Some(set.len().into()),
                AttributeValue::Bs(set) => Some(set.len().into()),
                AttributeValue::L(list) => Some(list.len().into()),
                AttributeValue::M(map) => Some(map.len().into()),
                AttributeValue::N(_) | AttributeValue::Bool(_) | AttributeValue::Null => None,
            },
        }
    }
}

fn find<'t>(path: &str, item: &'t Tree) -> Option<&'t AttributeValue> {
    let mut place = item.get(&path[..1])?;
    let mut rest = &path[1..];
    while !rest.is_empty() {
        let (step, after) = rest.split_at(if rest.starts_with('.') { 2 } else { 3 });
        place = match place {
            AttributeValue::M(map) if step.starts_with('.') => map.get(&step[1..])?,
            AttributeValue::L(list) if step.starts_with('[') => {
                list.get(step[1..2].parse::<usize>().expect("a digit"))?
            }
            _ => return None,
        };
        rest = after;
    }
    Some(place)
}

impl Model {
    fn text(&self) -> String {
        match self {
            Self::Or(l, r) => format!("({}) OR ({})", l.text(), r.text()),
            Self::And(l, r) => format!("({}) AND ({})", l.text(), r.text()),
            Self::Not(it) => format!("NOT ({})", it.text()),
            Self::Compare(op, l, r) => format!("{} {op} {}", l.text(), r.text()),
            Self::Between(it, low, high) => {
                format!("{} BETWEEN {} AND {}", it.text(), low.text(), high.text())
            }
            Self::In(it, list) => {
                let list: Vec<_> = list.iter().map(Operand::text).collect();
                format!("{} IN ({})", it.text(), list.join(", "))
            }
            Self::Exists(path) => format!("attribute_exists({path})"),
            Self::NotExists(path) => format!("attribute_not_exists({path})"),
            Self::HasType(path, nth) => format!("attribute_type({path}, :v{nth})"),
            Self::BeginsWith(l, r) => format!("begins_with({}, {})", l.text(), r.text()),
            Self::Contains(l, r) => format!("contains({}, {})", l.text(), r.text()),
        }
    }

    fn holds(&self, item: &Tree) -> bool {
        match self {
            Self::Or(l, r) => l.holds(item) || r.holds(item),
            Self::And(l, r) => l.holds(item) && r.holds(item),
            Self::Not(it) => !it.holds(item),
            Self::Compare(op, l, r) => {
                let has_no_size = |operand: &Operand| {
                    matches!(operand, Operand::Size(_)) && operand.value(item).is_none()
                };
                !has_no_size(l) && !has_no_size(r) && compare(op, l.value(item), r.value(item))
            }
            Self::Between(it, low, high) => {
                compare(">=", it.value(item), low.value(item))
                    && compare("<=", it.value(item), high.value(item))
            }
            Self::In(it, list) => {
                list.iter().any(|candidate| compare("=", it.value(item), candidate.value(item)))
            }
            Self::Exists(path) => find(path, item).is_some(),
            Self::NotExists(path) => find(path, item).is_none(),
            Self::HasType(path, nth) => find(path, item).is_some_and(|value| {
                literals()[*nth].as_str() == Some(value.attribute_type().as_str())
            }),
            Self::BeginsWith(l, r) => match (l.value(item), r.value(item)) {
                (Some(AttributeValue::S(l)), Some(AttributeValue::S(r))) => l.starts_with(&r),
                (Some(AttributeValue::B(l)), Some(AttributeValue::B(r))) => l.starts_with(&r),
                _ => false,
            },
            Self::Contains(l, r) => match (l.value(item), r.value(item)) {
                (Some(l), Some(r)) => contains(&l, &r),
                _ => false,
            },
        }
    }
}

fn compare(op: &str, left: Option<AttributeValue>, right: Option<AttributeValue>) -> bool {
    let (Some(left), Some(right)) = (left, right) else { return op == "<>" };
    let order = match (&left, &right) {
        (AttributeValue::S(l), AttributeValue::S(r)) => Some(l.as_bytes().cmp(r.as_bytes())),
        (AttributeValue::N(l), AttributeValue::N(r)) => Some(l.cmp(r)),
        (AttributeValue::B(l), AttributeValue::B(r)) => Some(l.cmp(r)),
        _ => None,
    };
    match op {
        "=" => left == right,
        "<>" => left != right,
        "<" => order == Some(Ordering::Less),
        "<=" => order.is_some_and(Ordering::is_le),
        ">" => order == Some(Ordering::Greater),
        _ => order.is_some_and(Ordering::is_ge),
    }
}

fn contains(container: &AttributeValue, member: &AttributeValue) -> bool {
    match (container, member) {
        (AttributeValue::S(l), AttributeValue::S(r)) => l.contains(r.as_str()),
        (AttributeValue::B(l), AttributeValue::B(r)) => {
            r.is_empty() || l.windows(r.len()).any(|window| window == &r[..])
        }
        (AttributeValue::Ss(set), AttributeValue::S(it)) => set.contains(it),
        (AttributeValue::Ns(set), AttributeValue::N(it)) => set.contains(it),
        (AttributeValue::Bs(set), AttributeValue::B(it)) => set.contains(it),
        (AttributeValue::L(list), it) => list.contains(it),
        _ => false,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 4000, ..Default::default() })]

    #[test]
    fn the_evaluator_agrees_with_trees(model in model(), tree in item()) {
        let keys: Vec<String> = (0..literals().len()).map(|nth| format!(":v{nth}")).collect();
        let values: Vec<Value> = literals().iter().map(AttributeValue::to_value).collect();
        let no_names: Option<[(&str, &str); 0]> = None;
        let values = keys.iter().map(String::as_str).zip(&values);
        let mut placeholders = Placeholders::new(no_names, Some(values)).unwrap();
        let text = model.text();
        let attributes = tree.iter().map(|(name, value)| (name.as_str(), value.clone()));
        let item = Item::from_attributes(attributes);
        match condition(ExpressionKind::Condition, &text, &mut placeholders) {
            Ok(compiled) => {
                prop_assert_eq!(compiled.matches(&item), model.holds(&tree), "{}", text);
                let filter = Filter::from(&compiled);
                prop_assert_eq!(filter.matches(&item), model.holds(&tree), "filter: {}", text);
                for (name, of) in compiled.existing_attributes() {
                    let held = tree.get(name).map(AttributeValue::attribute_type);
                    let is_as_told = held.is_some_and(|held| of.is_none_or(|of| of == held));
                    prop_assert!(!model.holds(&tree) || is_as_told, "{} of {}", name, text);
                }
            }
            Err(Reason::Expression(_, fault)) => prop_assert!(
                matches!(
                    fault,
                    ExpressionFault::OperandType { .. }
                        | ExpressionFault::OperandsNotDistinct { .. }
                        | ExpressionFault::BetweenTypes(..)
                        | ExpressionFault::BetweenReversed(..)
                ),
                "{}: {:?}", text, fault
            ),
            Err(other) => prop_assert!(false, "{}: {:?}", text, other),
        }
    }
}
