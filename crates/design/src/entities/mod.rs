//! Entities of a table: the kinds of its items, from its definition and a sample of items.
//!
//! Two facts tell kinds apart: an attribute that names the kind (`type`, `_et`, `__edb_e__`, or any other whose values
//! agree with the keys), and the literal beginnings of keys. For each kind and each key attribute the inference looks
//! for a key template whose parts are attributes of the items. It names a template only if that derives at least 95 %
//! of the values as they are; the rest is drift, with examples.
//!
//! | file | idea |
//! |---|---|
//! | `skeleton.rs` | keys divided at their delimiter into literals and parts |
//! | `kinds.rs` | items divided into kinds |
//! | `kind_attribute.rs` | the attribute that names the kind |
//! | `narrow.rs` | items with very many attributes |
//! | `part.rs` | the attribute and the encoder behind a part of a key |
//! | `pattern.rs` | the template of a key attribute for the items of one kind, and its drift |
//! | `when.rs` | conditions that tell one kind from the others, or the items that have an index key |
//! | `matrix.rs` | templates of partition keys by templates of sort keys, of the table and each index |
//! | `templates.rs` | templates of the table, as text that `hashrange template set` takes |
//! | `seen.rs` | attributes of a kind: types, share, examples |
//!
//! Left to others: the language of key templates and its rendering (the crate `expr`).

mod kind_attribute;
mod kinds;
mod matrix;
mod narrow;
mod part;
mod pattern;
mod seen;
mod skeleton;
mod templates;
mod when;

pub use matrix::{KeyMatrix, MatrixCell};
pub use pattern::{Drift, KeyPattern};
pub use seen::AttributeSeen;
pub use templates::TableTemplate;

use crate::words::{count, counted};
use hashrange_cost::{Definition, KeyElement};
use hashrange_expr::value_text;
use hashrange_model::Item;
use kinds::Kind;
use serde::Serialize;

/// Most items that are looked at.
pub const ITEMS_MAX: usize = 10_000;
/// Most kinds that are told; the items of smaller ones are counted with those of no kind.
const ENTITIES_MAX: usize = 40;
/// Most examples of items that fit no entity, and of drift.
pub(crate) const EXAMPLES_MAX: usize = 5;

/// Entities of a table.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct Entities {
    /// The table.
    pub table: String,
    /// Number of items that were looked at.
    pub items: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Attribute that names the kind of an item, if one does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub told_by: Option<String>,
    /// The entities, the most frequent first.
    pub entities: Vec<Entity>,
    /// Key templates of the table, which `PutKeyTemplate` takes.
    pub templates: Vec<TableTemplate>,
    /// Keys of the table and of its indexes: partition key by sort key.
    pub matrix: Vec<KeyMatrix>,
    /// Items that fit no entity.
    pub others: Others,
    /// What cannot be told, in sentences.
    pub notes: Vec<String>,
}

/// A kind of items.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct Entity {
    /// Its name: the value that names it, or the literals of its key.
    pub name: String,
    /// Number of its items in the sample.
    pub items: u64,
    /// Part of the items, from 0 to 1.
    pub share: f64,
    /// Bytes of its items in the sample.
    pub bytes: u64,
    /// Its key attributes: those of the table, then those of the indexes.
    pub keys: Vec<KeyPattern>,
    /// Its attributes, the most frequent first.
    pub attributes: Vec<AttributeSeen>,
    /// Number of attributes that are left out of the list.
    pub more_attributes: u64,
    /// Key of the item that the examples are from.
    pub example: String,
    /// Its items, as offsets in those that were looked at.
    #[serde(skip)]
    pub rows: Vec<usize>,
}

/// Items that fit no entity.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct Others {
    /// Number of them.
    pub items: u64,
    /// Keys of some.
    pub examples: Vec<String>,
}

/// A key attribute, and the keys that it belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct KeyAttribute {
    pub(crate) name: String,
    /// `S`, `N` or `B`.
    pub(crate) kind: String,
    /// The table's key: HASH or RANGE; none if only indexes have it.
    pub(crate) of_table: Option<&'static str>,
    /// Names of indexes that have it.
    pub(crate) indexes: Vec<String>,
}

/// Returns the entities of a table; looks at the first [`ITEMS_MAX`] items.
pub fn infer(table: &str, definition: &Definition, items: &[Item]) -> Entities {
    let items = items.get(..ITEMS_MAX).unwrap_or(items);
    let keys = key_attributes(definition);
    let (narrow, note) = narrow::narrowed(&keys, items);
    let kinds::Kinds { told_by, told: mut kinds, mut others } =
        kinds::divide(table, &keys, &narrow);
    let mut notes: Vec<String> = note.into_iter().collect();
    if items.is_empty() {
        notes.push("no items were looked at, so nothing is told of entities".to_owned());
    } else if told_by.is_none() && kinds.len() > 1 {
        notes.push("no attribute names the kind of an item; the keys tell kinds apart".to_owned());
    }
    if kinds.len() > ENTITIES_MAX {
        let few = kinds.split_off(ENTITIES_MAX);
        let (number, in_them) = (count(few.len()), few.iter().flat_map(|kind| kind.rows.clone()));
        others.extend(in_them);
        notes.push(format!("{} of few items are not told", counted(number, "kind")));
    }
    let patterns: Vec<Vec<KeyPattern>> =
        kinds.iter().map(|kind| pattern::of_kind(&keys, kind, &narrow)).collect();
    let table_templates =
        templates::of_table(&keys, (&kinds, &patterns, told_by.as_deref()), &narrow, &mut notes);
    let entities: Vec<Entity> = kinds
        .iter()
        .zip(patterns)
        .map(|(kind, patterns)| entity(&keys, kind, patterns, items))
        .collect();
    let examples = others.iter().take(EXAMPLES_MAX).map(|row| key_text(&keys, &items[*row]));
    Entities {
        table: table.to_owned(),
        items: count(items.len()),
        bytes: items.iter().fold(0, |sum, item| sum + count(item.size())),
        told_by,
        matrix: matrix::of(definition, &entities, items),
        entities,
        templates: table_templates,
        others: Others { items: count(others.len()), examples: examples.collect() },
        notes,
    }
}

fn entity(keys: &[KeyAttribute], kind: &Kind, patterns: Vec<KeyPattern>, items: &[Item]) -> Entity {
    let rows: Vec<&Item> = kind.rows.iter().filter_map(|row| items.get(*row)).collect();
    let (attributes, more_attributes, example) = seen::of(&rows);
    Entity {
        name: kind.name.clone(),
        items: count(rows.len()),
        share: share(rows.len(), items.len()),
        bytes: rows.iter().fold(0, |sum, item| sum + count(item.size())),
        keys: patterns,
        attributes,
        more_attributes,
        example: example.map(|item| key_text(keys, item)).unwrap_or_default(),
        rows: kind.rows.clone(),
    }
}

/// Returns a part of a whole, from 0 to 1.
pub(crate) fn share(part: usize, whole: usize) -> f64 {
    let exact = |number: usize| f64::from(u32::try_from(number).unwrap_or(u32::MAX));
    exact(part) / exact(whole.max(1))
}

/// Returns the key of an item in words, such as `pk = 'USER#1', sk = 'PROFILE'`.
pub(crate) fn key_text(keys: &[KeyAttribute], item: &Item) -> String {
    let of_table = keys.iter().filter(|key| key.of_table.is_some());
    let texts = of_table.filter_map(|key| {
        let value = value_text(item.get(&key.name)?);
        Some(format!("{} = {}", key.name, crate::words::short(&value)))
    });
    texts.collect::<Vec<_>>().join(", ")
}

/// Returns the key attributes of a table, each once: those of its own key first.
pub(crate) fn key_attributes(definition: &Definition) -> Vec<KeyAttribute> {
    let mut found: Vec<KeyAttribute> = Vec::new();
    let mut add = |schema: &[KeyElement], index: Option<&str>| {
        for element in schema {
            let name = &element.attribute_name;
            let nth = found.iter().position(|known| known.name == *name).unwrap_or_else(|| {
                let of_type = definition.attribute_definitions.iter();
                let kind = of_type
                    .filter(|known| known.attribute_name == *name)
                    .map(|known| known.attribute_type.clone())
                    .next();
                found.push(KeyAttribute {
                    name: name.clone(),
                    kind: kind.unwrap_or_default(),
                    of_table: None,
                    indexes: Vec::new(),
                });
                found.len() - 1
            });
            match index {
                None if element.key_type == "HASH" => found[nth].of_table = Some("HASH"),
                None => found[nth].of_table = Some("RANGE"),
                Some(index) => found[nth].indexes.push(index.to_owned()),
            }
        }
    };
    add(&definition.key_schema, None);
    let local = definition.local_secondary_indexes.iter();
    for index in local.chain(&definition.global_secondary_indexes) {
        add(&index.key_schema, Some(&index.index_name));
    }
    found
}
