//! The largest item collections of a sample, and their drawing: a bar for each partition key, with its items in the
//! order of their sort keys, coloured by entity.

use super::html::Html;
use super::style::COLOURS;
use crate::entities::Entities;
use crate::words::{count, counted, short};
use hashrange_cost::{Definition, key_names};
use hashrange_expr::value_text;
use hashrange_model::Item;
use std::collections::BTreeMap;

/// Most collections that are drawn.
const COLLECTIONS_MAX: usize = 12;
/// Most runs of items that are drawn of one collection.
const RUNS_MAX: usize = 200;
const WIDTH: u64 = 900;
const NAME_WIDTH: u64 = 260;
const ROW_HEIGHT: u64 = 26;
const BAR_HEIGHT: u64 = 18;

/// An item collection of a sample.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Collection {
    /// The partition key, as text.
    pub partition: String,
    /// Number of its items in the sample.
    pub items: u64,
    /// Its items in the order of their sort keys: runs of one entity.
    pub runs: Vec<Run>,
}

/// Items of one entity side by side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Run {
    /// The entity, as an offset; none for an item of no entity.
    pub entity: Option<usize>,
    /// Number of the items.
    pub items: u64,
}

/// Returns the largest item collections of a table in a sample, of which `entities` were told.
pub fn collections(
    definition: &Definition,
    items: &[Item],
    entities: &Entities,
) -> Vec<Collection> {
    let names = |kind| key_names(&definition.key_schema, kind).into_iter().next();
    let Some(partition) = names("HASH") else { return Vec::new() };
    let sort = names("RANGE");
    let mut of_row: BTreeMap<usize, usize> = BTreeMap::new();
    for (nth, entity) in entities.entities.iter().enumerate() {
        of_row.extend(entity.rows.iter().map(|row| (*row, nth)));
    }
    let mut by_key: BTreeMap<&[u8], Vec<(&[u8], usize)>> = BTreeMap::new();
    for (row, item) in items.iter().enumerate() {
        let Some(key) = item.get(partition) else { continue };
        let sorted = sort.and_then(|name| item.get(name)).map_or(&[][..], |it| it.canonical().1);
        by_key.entry(key.canonical().1).or_default().push((sorted, row));
    }
    let mut found: Vec<Vec<(&[u8], usize)>> = by_key.into_values().collect();
    found.sort_by_key(|rows| std::cmp::Reverse(rows.len()));
    found.truncate(COLLECTIONS_MAX);
    let collection = |mut rows: Vec<(&[u8], usize)>| {
        rows.sort_unstable();
        let first = rows.first().and_then(|(_, row)| items.get(*row)?.get(partition));
        let mut runs: Vec<Run> = Vec::new();
        for (_, row) in &rows {
            let entity = of_row.get(row).copied();
            let is_full = runs.len() == RUNS_MAX;
            match runs.last_mut() {
                // What has no room counts to the last run.
                Some(run) if run.entity == entity || is_full => run.items += 1,
                _ => runs.push(Run { entity, items: 1 }),
            }
        }
        let partition = first.map(value_text).unwrap_or_default();
        Collection { partition: short(&partition), items: count(rows.len()), runs }
    };
    found.into_iter().map(collection).collect()
}

/// Draws collections.
pub(super) fn draw(html: &mut Html, collections: &[Collection], entities: &Entities) {
    let Some(most) = collections.iter().map(|it| it.items).max().filter(|most| *most > 0) else {
        return;
    };
    html.element("h3", "Item collections");
    html.raw("<p class=\"note\">");
    html.text("The largest of the sample: each bar is a partition key, its items from left to right by sort key.");
    html.raw("</p>\n<p>");
    for (nth, entity) in entities.entities.iter().enumerate() {
        html.raw(&format!("<span class=\"key-of e{}\"></span>", nth % COLOURS));
        html.text(&entity.name);
    }
    html.raw("</p>\n");
    let height = count(collections.len()) * ROW_HEIGHT + 8;
    html.raw(&format!("<svg viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\""));
    let told: Vec<String> = collections
        .iter()
        .take(3)
        .map(|it| format!("{}: {}", it.partition, counted(it.items, "item")))
        .collect();
    html.text(&format!("Item collections by size; {}", told.join(", ")));
    html.raw("\">\n");
    for (nth, collection) in collections.iter().enumerate() {
        bar(html, count(nth) * ROW_HEIGHT + 4, collection, most);
    }
    html.raw("</svg>\n");
}

fn bar(html: &mut Html, top: u64, collection: &Collection, most: u64) {
    let name: String = collection.partition.chars().take(30).collect();
    html.raw(&format!("<text x=\"0\" y=\"{}\">", top + 14));
    html.text(&name);
    html.raw("</text>\n");
    let room = WIDTH - NAME_WIDTH - 60;
    let place = |items: u64| NAME_WIDTH + items.saturating_mul(room) / most;
    let mut before = 0;
    for run in &collection.runs {
        let (left, right) = (place(before), place(before + run.items));
        let colour = run.entity.map_or(COLOURS - 1, |nth| nth % COLOURS);
        let width = right.saturating_sub(left).max(1);
        html.raw(&format!(
            "<rect class=\"e{colour}\" x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"{BAR_HEIGHT}\"/>"
        ));
        before += run.items;
    }
    html.raw(&format!(
        "\n<text x=\"{}\" y=\"{}\">{}</text>\n",
        place(before) + 6,
        top + 14,
        collection.items
    ));
}
