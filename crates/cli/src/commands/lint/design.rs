//! The linter's tables and items from definitions and items in the API's JSON.

use hashrange_lint::{Finding, Item, Scalar, Source, SourceKind, Table};
use serde_json::{Map, Value};

/// Returns a table from the request that creates it, or from its description.
pub fn table(definition: &Value) -> Table {
    let name = text(&definition["TableName"]);
    let mut sources = vec![source(SourceKind::Table, &name, definition)];
    for (kind, member) in [
        (SourceKind::Local, "LocalSecondaryIndexes"),
        (SourceKind::Global, "GlobalSecondaryIndexes"),
    ] {
        let indexes = definition[member].as_array().into_iter().flatten();
        sources.extend(indexes.map(|index| source(kind, &text(&index["IndexName"]), index)));
    }
    let definitions = definition["AttributeDefinitions"].as_array().into_iter().flatten();
    let definitions = definitions.map(|definition| text(&definition["AttributeName"])).collect();
    Table { name, definitions, sources }
}

fn source(kind: SourceKind, name: &str, described: &Value) -> Source {
    let of_type = |wanted: &str| {
        let elements = described["KeySchema"].as_array().into_iter().flatten();
        let elements = elements.filter(|element| element["KeyType"] == wanted);
        elements.map(|element| text(&element["AttributeName"])).collect()
    };
    let (partition, sort) = (of_type("HASH"), of_type("RANGE"));
    Source { kind, name: name.to_owned(), partition, sort }
}

/// Returns the scalar attributes of an item.
pub fn item(item: &Map<String, Value>) -> Item {
    item.iter().filter_map(|(name, value)| Some((name.clone(), scalar(value)?))).collect()
}

/// Returns the key of an item: its attributes that the table's own key has.
pub fn key(table: &Table, item: &Map<String, Value>) -> Value {
    let is_key = |name: &str| table.sources.first().is_some_and(|base| base.holds(name));
    let key = item.iter().filter(|(name, _)| is_key(name));
    Value::Object(key.map(|(name, value)| (name.clone(), value.clone())).collect())
}

/// Returns the keys of the items that show a finding; `keys` are those of the sample.
pub fn keys_of<'k>(finding: &Finding, keys: &'k [Value]) -> Vec<&'k Value> {
    finding.items.iter().filter_map(|nth| keys.get(*nth)).collect()
}

fn scalar(value: &Value) -> Option<Scalar> {
    let text = |name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
    text("S").map(Scalar::S).or_else(|| text("N").map(Scalar::N))
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
