//! Definitions and items of tables from short texts and plain JSON.

use hashrange_lint::{Item, Scalar, Source, SourceKind, Table};
use serde_json::{Map, Value};

/// Reads `name pk:S,sk:S --gsi index=a:S,b:N --lsi index=c:S`.
pub fn table(create: &str) -> Table {
    let mut words = create.split_whitespace();
    let name = words.next().unwrap().to_owned();
    let keys = words.next().unwrap();
    let mut sources = vec![source(SourceKind::Table, &name, keys)];
    while let Some(word) = words.next() {
        let (index, keys) = words.next().unwrap().split_once('=').unwrap();
        match word {
            "--gsi" => sources.push(source(SourceKind::Global, index, keys)),
            "--lsi" => {
                let partition = sources[0].partition.clone();
                let local = source(SourceKind::Local, index, keys);
                sources.push(Source { partition, sort: local.partition, ..local });
            }
            other => panic!("{create}: {other}"),
        }
    }
    let definitions: std::collections::BTreeSet<String> =
        sources.iter().flat_map(|it| it.partition.iter().chain(&it.sort)).cloned().collect();
    Table { name, definitions: definitions.into_iter().collect(), sources }
}

fn source(kind: SourceKind, name: &str, keys: &str) -> Source {
    let mut names = keys.split(',').map(|key| key.split(':').next().unwrap().to_owned());
    let partition = names.next().into_iter().collect();
    Source { kind, name: name.to_owned(), partition, sort: names.collect() }
}

/// Returns the scalar attributes of a plain object.
pub fn item(object: &Map<String, Value>) -> Item {
    let scalar = |value: &Value| match value {
        Value::String(text) => Some(Scalar::S(text.clone())),
        Value::Number(number) => Some(Scalar::N(number.to_string())),
        _ => None,
    };
    object.iter().filter_map(|(name, value)| Some((name.clone(), scalar(value)?))).collect()
}
