//! The sections of a table: keys, entities, coverage, findings, prices, item collections.

use super::html::{Cell, Html};
use super::{StudiedTable, TablePrices, collections};
use crate::coverage::{Answer, SourceKey, TableCoverage};
use crate::difference::key_of_request;
use crate::entities::{Drift, Entities, Entity, KeyPattern};
use crate::words::counted;
use hashrange_cost::{dollars, grouped};
use hashrange_lint::Finding;
use serde_json::Value;
use std::fmt::Write as _;

/// Most rows of one table of the page.
const ROWS_MAX: usize = 200;
/// Most attributes of an entity.
const ATTRIBUTES_MAX: usize = 60;

/// Writes a table.
pub(super) fn table(html: &mut Html, nth: usize, table: &StudiedTable<'_>) {
    html.raw(&format!("<section id=\"table-{nth}\">\n"));
    html.element("h2", &table.plan.name);
    keys(html, table);
    entities(html, table.entities);
    collections::draw(html, table.collections, table.entities);
    if let Some(covered) = table.coverage {
        coverage(html, covered);
    }
    findings(html, table.findings);
    if let Some(of_table) = table.prices {
        prices(html, of_table);
    }
    html.raw("</section>\n");
}

/// Says how many rows have no room.
fn rest(html: &mut Html, number: usize, most: usize, noun: &str) {
    if let Some(left @ 1..) = number.checked_sub(most) {
        let left = counted(crate::words::count(left), noun);
        html.element("p", &format!("{left} more, for which there is no room here."));
    }
}

fn keys(html: &mut Html, table: &StudiedTable<'_>) {
    let request = Value::Object(table.plan.canonical());
    let definition = table.facts.definition.clone().unwrap_or_default();
    let billing = match request["BillingMode"].as_str() {
        Some("PAY_PER_REQUEST") => "on demand",
        _ => "provisioned",
    };
    let mut told = format!(
        "{} of {} bytes, {billing}",
        counted(definition.item_count, "item"),
        grouped(definition.table_size_bytes)
    );
    if let Some(attribute) = &table.plan.time_to_live {
        write!(told, ", expiring by {attribute}").ok();
    }
    html.element("p", &told);
    let mut rows = vec![vec![
        Cell::text("table"),
        Cell::code(key_of_request(&request, &request)),
        Cell::text("all attributes"),
        Cell::Figure(grouped(definition.item_count)),
        Cell::Figure(grouped(definition.table_size_bytes)),
    ]];
    for (member, indexes) in [
        ("LocalSecondaryIndexes", &definition.local_secondary_indexes),
        ("GlobalSecondaryIndexes", &definition.global_secondary_indexes),
    ] {
        for index in request[member].as_array().into_iter().flatten() {
            let name = index["IndexName"].as_str().unwrap_or_default();
            let sizes = indexes.iter().find(|known| known.index_name == name);
            let (number, bytes) = sizes.map_or((0, 0), |it| (it.item_count, it.index_size_bytes));
            let kind = if member.starts_with("Local") { " (local)" } else { "" };
            rows.push(vec![
                Cell::text(format!("{name}{kind}")),
                Cell::code(key_of_request(index, &request)),
                Cell::text(index["Projection"]["ProjectionType"].as_str().unwrap_or("ALL")),
                Cell::Figure(grouped(number)),
                Cell::Figure(grouped(bytes)),
            ]);
        }
    }
    html.element("h3", "Keys and indexes");
    html.table("Keys and indexes", &["", "key", "entries hold", "entries", "bytes"], &rows);
}

fn entities(html: &mut Html, found: &Entities) {
    html.element("h3", "Entities");
    let told_by = found.told_by.as_ref().map_or_else(
        || "told apart by their keys".to_owned(),
        |name| format!("named by the attribute {name}"),
    );
    html.element("p", &format!("{} looked at; kinds {told_by}.", counted(found.items, "item")));
    for note in &found.notes {
        html.element("p", note);
    }
    if !found.templates.is_empty() {
        let rows: Vec<Vec<Cell>> = found
            .templates
            .iter()
            .take(ROWS_MAX)
            .map(|it| {
                vec![
                    Cell::text(&it.attribute),
                    Cell::code(&it.template),
                    Cell::Figure(format!("{} of {}", grouped(it.derived), grouped(it.items))),
                    Cell::text(if it.is_check { "set it with --check" } else { "" }),
                ]
            })
            .collect();
        html.table(
            "Key templates that can be set",
            &["attribute", "template", "derived", ""],
            &rows,
        );
    }
    for each in &found.entities {
        entity(html, each);
    }
    if found.others.items > 0 {
        let examples = found.others.examples.join("; ");
        let number = counted(found.others.items, "item");
        html.element("p", &format!("{number} of no entity, such as {examples}."));
    }
}

fn entity(html: &mut Html, entity: &Entity) {
    html.element("h4", &entity.name);
    html.element(
        "p",
        &format!(
            "{}, {:.1} % of the sample, {} bytes; example {}",
            counted(entity.items, "item"),
            entity.share * 100.0,
            grouped(entity.bytes),
            entity.example
        ),
    );
    let rows: Vec<Vec<Cell>> =
        entity.keys.iter().filter(|key| key.items > 0).take(ROWS_MAX).map(key).collect();
    let caption = format!("Keys of {}", entity.name);
    html.table(
        &caption,
        &["attribute", "pattern", "key of", "derived", "drift, or why none"],
        &rows,
    );
    let rows: Vec<Vec<Cell>> = entity
        .attributes
        .iter()
        .take(ATTRIBUTES_MAX)
        .map(|it| {
            vec![
                Cell::text(&it.name),
                Cell::text(it.types.join(", ")),
                Cell::Figure(format!("{:.0} %", it.share * 100.0)),
                Cell::code(&it.example),
            ]
        })
        .collect();
    let caption = format!("Attributes of {}", entity.name);
    html.table(&caption, &["attribute", "types", "items", "example"], &rows);
    rest(html, entity.attributes.len(), ATTRIBUTES_MAX, "attribute");
}

fn key(key: &KeyPattern) -> Vec<Cell> {
    let mut places: Vec<String> =
        key.of_table.iter().map(|kind| format!("table ({kind})")).collect();
    places.extend(key.indexes.iter().cloned());
    let pattern = match &key.when {
        Some(when) => format!("{} when {when}", key.pattern),
        None => key.pattern.clone(),
    };
    let derived = if key.is_template {
        format!("{} of {}", grouped(key.derived), grouped(key.items))
    } else {
        format!("- of {}", grouped(key.items))
    };
    let drift = |it: &Drift| {
        let text = |side: &Option<String>| side.clone().unwrap_or_else(|| "nothing".to_owned());
        format!("{}: {}, derived {}", it.item, text(&it.found), text(&it.derived))
    };
    let mut lines: Vec<String> = key.why.iter().cloned().collect();
    lines.extend(key.drift.iter().map(drift));
    vec![
        Cell::text(&key.attribute),
        Cell::code(pattern),
        Cell::text(places.join(", ")),
        Cell::Figure(derived),
        Cell::Code(lines),
    ]
}

fn coverage(html: &mut Html, covered: &TableCoverage) {
    html.element("h3", "Access patterns");
    if covered.rows.is_empty() {
        html.element("p", "No access pattern is of this table.");
        return;
    }
    let titles: Vec<String> = covered.sources.iter().map(SourceKey::title).collect();
    let mut header = vec!["access pattern", "operation"];
    header.extend(titles.iter().map(String::as_str));
    let row = |row: &crate::coverage::Row| {
        let pattern = row.pattern.clone().unwrap_or_default();
        let name = Cell::Marked("", row.name.clone(), vec![pattern]);
        let mut cells = vec![name, Cell::text(&row.operation)];
        cells.extend(
            row.cells.iter().enumerate().map(|(nth, cell)| answer(cell, row.best == Some(nth))),
        );
        cells
    };
    let rows: Vec<Vec<Cell>> = covered.rows.iter().take(ROWS_MAX).map(row).collect();
    html.table("Access patterns against keys; RU are read units of a request", &header, &rows);
    rest(html, covered.rows.len(), ROWS_MAX, "access pattern");
    if let Some(note) = covered.units_note() {
        html.element("p", &format!("{note}."));
    }
    for (row, fault) in
        covered.rows.iter().filter_map(|row| Some((row, row.fault.as_ref()?))).take(ROWS_MAX)
    {
        html.element("p", &format!("{}: {fault}", row.name));
    }
    if !covered.unused.is_empty() {
        html.element("p", &format!("No access pattern needs: {}.", covered.unused.join(", ")));
    }
}

fn answer(cell: &crate::coverage::Cell, is_best: bool) -> Cell {
    let class = match cell.answer {
        Answer::Key => "key",
        Answer::KeyAndFilter => "filter",
        Answer::Scan => "scan",
        Answer::No => "no",
    };
    let mut lines = Vec::new();
    if cell.answer == Answer::KeyAndFilter {
        lines.push(format!("filter: {}", cell.filter.join(" AND ")));
    }
    lines.extend(cell.read_units.map(|units| format!("{} RU", units.text())));
    if cell.is_fetched {
        lines.push("each item fetched from the table".to_owned());
    }
    if cell.answer != Answer::No && !cell.assumes.is_empty() {
        lines.push(format!("if the items have {}", cell.assumes.join(", ")));
    }
    lines.extend(cell.why.clone());
    let best = if is_best { " (best)" } else { "" };
    Cell::Marked(class, format!("{}{best}", cell.words()), lines)
}

fn findings(html: &mut Html, findings: &[Finding]) {
    html.element("h3", "Findings");
    if findings.is_empty() {
        html.element("p", "The linter finds nothing.");
        return;
    }
    let row = |finding: &Finding| {
        let severity = finding.rule.severity().word();
        let places = [finding.index.clone(), finding.attribute.clone()];
        vec![
            Cell::Marked(severity, finding.rule.id().to_owned(), vec![severity.to_owned()]),
            Cell::text(places.into_iter().flatten().collect::<Vec<_>>().join(", ")),
            Cell::Marked(
                "",
                finding.evidence.clone(),
                finding.examples.iter().take(5).cloned().collect(),
            ),
            Cell::text(finding.fix.as_ref()),
        ]
    };
    let rows: Vec<Vec<Cell>> = findings.iter().take(ROWS_MAX).map(row).collect();
    html.table("Findings of the linter", &["rule", "place", "evidence", "fix"], &rows);
    rest(html, findings.len(), ROWS_MAX, "finding");
}

fn prices(html: &mut Html, prices: &TablePrices) {
    html.element("h3", "Prices");
    html.element(
        "p",
        &format!(
            "On demand in {} ({}): storage for a month {}, a read of all items {}.",
            prices.region,
            prices.currency,
            dollars(prices.storage_month),
            dollars(prices.scan)
        ),
    );
    let row = |it: &super::EntityPrice| {
        vec![
            Cell::text(&it.entity),
            Cell::Figure(format!("{:.0}", it.item_bytes)),
            Cell::Figure(format!("{:.1}", it.indexes)),
            Cell::Figure(dollars(it.million_reads)),
            Cell::Figure(dollars(it.million_writes)),
        ]
    };
    let rows: Vec<Vec<Cell>> = prices.entities.iter().take(ROWS_MAX).map(row).collect();
    let header =
        ["entity", "bytes of an item", "indexes it is in", "a million reads", "a million writes"];
    html.table("Prices by entity", &header, &rows);
}
