//! Random WHERE clauses mean what the same conditions mean in an expression, and what is read for
//! them holds every item that matches.

#![allow(clippy::unwrap_used, reason = "a test: failures panic")]

use hashrange_expr::partiql::{KeyRead, Parameters, Statement, parse, reads};
use hashrange_expr::{Condition, KeyOperator, Placeholders, condition};
use hashrange_model::error::ExpressionKind;
use hashrange_model::{AttributeValue, Item, Value, ValueRef};
use proptest::prelude::*;

/// Attributes that conditions name and items have; `pk` and `sk` are the key.
const NAMES: [&str; 4] = ["pk", "sk", "a", "b"];

/// A condition to be written in both languages.
#[derive(Debug, Clone)]
enum Tree {
    Compare(usize, &'static str, i32),
    Mirrored(i32, &'static str, usize),
    Between(usize, i32, i32),
    In(usize, Vec<i32>),
    Exists(usize),
    Not(Box<Tree>),
    And(Vec<Tree>),
    Or(Vec<Tree>),
}

/// A condition in PartiQL and as an expression.
fn texts(tree: &Tree) -> (String, String) {
    let joined = |trees: &[Tree], word: &str| {
        let (one, two): (Vec<_>, Vec<_>) = trees
            .iter()
            .map(texts)
            .map(|(one, two)| (format!("({one})"), format!("({two})")))
            .unzip();
        (one.join(word), two.join(word))
    };
    match tree {
        // A missing attribute is not unequal in PartiQL.
        Tree::Compare(nth, "<>", value) => {
            let name = NAMES[*nth];
            let native = format!("(attribute_exists({name})) AND {name} <> :v{value}");
            (format!("{name} <> {value}"), native)
        }
        Tree::Compare(nth, operator, value) => {
            let name = NAMES[*nth];
            (format!("{name} {operator} {value}"), format!("{name} {operator} :v{value}"))
        }
        Tree::Mirrored(value, operator, nth) => {
            let name = NAMES[*nth];
            (format!("{value} {operator} {name}"), format!(":v{value} {operator} {name}"))
        }
        Tree::Between(nth, low, high) => {
            let name = NAMES[*nth];
            (
                format!("{name} BETWEEN {low} AND {high}"),
                format!("{name} BETWEEN :v{low} AND :v{high}"),
            )
        }
        Tree::In(nth, values) => {
            let name = NAMES[*nth];
            let list = |prefix: &str| {
                let values: Vec<_> =
                    values.iter().map(|value| format!("{prefix}{value}")).collect();
                values.join(", ")
            };
            (format!("{name} IN [{}]", list("")), format!("{name} IN ({})", list(":v")))
        }
        Tree::Exists(nth) => {
            let name = NAMES[*nth];
            (format!("{name} IS NOT MISSING"), format!("attribute_exists({name})"))
        }
        Tree::Not(inner) => {
            let (one, two) = texts(inner);
            (format!("NOT ({one})"), format!("NOT ({two})"))
        }
        Tree::And(trees) => joined(trees, " AND "),
        Tree::Or(trees) => joined(trees, " or "),
    }
}

fn trees() -> impl Strategy<Value = Tree> {
    let operator = prop::sample::select(vec!["=", "<>", "<", "<=", ">", ">="]);
    let ordered = prop::sample::select(vec!["=", "<", "<=", ">", ">="]);
    let leaf = prop_oneof![
        3 => (0..4_usize, operator, 0..5).prop_map(|(name, op, value)| Tree::Compare(name, op, value)),
        1 => (0..5, ordered, 0..4_usize).prop_map(|(value, op, name)| Tree::Mirrored(value, op, name)),
        1 => (0..4_usize, 0..3, 0..3).prop_map(|(name, low, more)| Tree::Between(name, low, low + more)),
        2 => (0..4_usize, prop::collection::vec(0..5, 1..4)).prop_map(|(name, values)| Tree::In(name, values)),
        1 => (0..4_usize).prop_map(Tree::Exists),
    ];
    leaf.prop_recursive(4, 24, 3, |inner| {
        prop_oneof![
            1 => inner.clone().prop_map(|tree| Tree::Not(Box::new(tree))),
            2 => prop::collection::vec(inner.clone(), 2..4).prop_map(Tree::And),
            2 => prop::collection::vec(inner, 2..4).prop_map(Tree::Or),
        ]
    })
}

fn items() -> impl Strategy<Value = Item> {
    (0..5_i32, 0..5_i32, prop::option::of(0..5_i32), prop::option::of(0..5_i32)).prop_map(
        |(pk, sk, a, b)| {
            let optional: [(&str, Option<i32>); 2] = [("a", a), ("b", b)];
            let optional =
                optional.into_iter().filter_map(|(name, value)| Some((name, value?.into())));
            let key: [(&str, AttributeValue); 2] = [("pk", pk.into()), ("sk", sk.into())];
            Item::from_attributes(key.into_iter().chain(optional))
        },
    )
}

fn native(text: &str) -> Condition {
    let values: Vec<(String, Value)> = (0..8)
        .map(|value: i32| (format!(":v{value}"), AttributeValue::from(value).to_value()))
        .collect();
    let values = values.iter().map(|(name, value)| (name.as_str(), value));
    let mut placeholders = Placeholders::new(None::<[(&str, &str); 0]>, Some(values)).unwrap();
    condition(ExpressionKind::Filter, text, &mut placeholders).unwrap()
}

fn partiql(text: &str) -> Condition {
    let statement = parse(&format!("SELECT * FROM t WHERE {text}"), Parameters::none()).unwrap();
    let Statement::Select(select) = statement else { panic!("it is a SELECT") };
    select.condition.unwrap()
}

fn holds(read: &KeyRead, item: &Item) -> bool {
    item.get("pk") == Some(read.partition.get())
        && read.sort.iter().all(|operator| {
            let Some(ValueRef::N(sort)) = item.get("sk") else { return false };
            let bound = |value: &Value| match value.get() {
                ValueRef::N(number) => number.to_number(),
                _ => panic!("all values are numbers"),
            };
            let sort = sort.to_number();
            match operator {
                KeyOperator::Equal(value) => sort == bound(value),
                KeyOperator::Less(value) => sort < bound(value),
                KeyOperator::LessOrEqual(value) => sort <= bound(value),
                KeyOperator::Greater(value) => sort > bound(value),
                KeyOperator::GreaterOrEqual(value) => sort >= bound(value),
                KeyOperator::Between(low, high) => bound(low) <= sort && sort <= bound(high),
                KeyOperator::BeginsWith(_) => panic!("none is written"),
            }
        })
}

proptest! {
    #[test]
    fn where_means_the_same_as_an_expression(tree in trees(), items in prop::collection::vec(items(), 1..12)) {
        let (text, expression) = texts(&tree);
        // An expression has less room than a statement.
        prop_assume!(!expression.is_empty() && expression.len() < 4000);
        let (statement, expression) = (partiql(&text), native(&expression));
        let reads = reads(&statement, "pk", Some("sk"));
        for item in &items {
            let matches = statement.matches(item);
            prop_assert_eq!(matches, expression.matches(item), "{} {:?}", &text, item);
            if let Some(reads) = &reads {
                let is_read = reads.reads.iter().any(|read| holds(read, item));
                prop_assert!(is_read || !matches, "not read: {} {:?}", &text, item);
                prop_assert!(!reads.is_exact || is_read == matches, "not exact: {} {:?}", &text, item);
            }
        }
    }

    #[test]
    fn any_text_is_answered(text in "(SELECT|INSERT|UPDATE|DELETE|FROM|WHERE|SET| |a|'x'|1|<<|>>|\\[|\\]|\\{|\\}|\\(|\\)|,|=|\\?|\\.|:|é){0,40}") {
        drop(parse(&text, Parameters::none()));
    }

    #[test]
    fn any_clause_is_answered(
        head in prop::sample::select(vec!["SELECT ", "SELECT * FROM t WHERE ", "UPDATE t SET a = ", "INSERT INTO t VALUE {'a': "]),
        text in "(a |a\\.b|'x'|1|-|\\+|\\?|\\[|\\]|\\(|\\)|, | = | < | AND | OR |NOT | IN | IS | BETWEEN |missing|null|upper\\(|size\\(|contains\\(|set_add\\(|list_append\\(| FROM | as | SET |\\}){0,30}",
    ) {
        drop(parse(&format!("{head}{text}"), Parameters::none()));
    }
}
