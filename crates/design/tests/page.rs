//! The page: whole, bounded, and without a text of an item that acts.

use hashrange_cost::{
    AccessPattern, AttributeDefinition, Definition, KeyElement, Pattern, PriceList, TableFacts,
};
use hashrange_design::page::{self, PAGE_MAX_BYTES, StudiedTable, Study};
use hashrange_design::plan::TablePlan;
use hashrange_design::{coverage, entities};
use hashrange_lint::{Scalar, Source, SourceKind, Table};
use hashrange_model::Item;
use serde_json::{Value, json};

const HOSTILE: &str = "</td><script>alert(1)</script><img src=x onerror='x'>\"&\u{202e}\u{0}";

fn plan() -> TablePlan {
    let request = json!({"TableName": HOSTILE, "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}, {"AttributeName": "sk", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}]});
    let Value::Object(request) = request else { panic!("{request}") };
    TablePlan { name: HOSTILE.to_owned(), request, ..TablePlan::default() }
}

fn definition() -> Definition {
    let key = |name: &str, kind: &str| KeyElement {
        attribute_name: name.to_owned(),
        key_type: kind.to_owned(),
    };
    let attribute = |name: &str| AttributeDefinition {
        attribute_name: name.to_owned(),
        attribute_type: "S".to_owned(),
    };
    Definition {
        key_schema: vec![key("pk", "HASH"), key("sk", "RANGE")],
        attribute_definitions: vec![attribute("pk"), attribute("sk")],
        item_count: 60,
        table_size_bytes: 6000,
        ..Definition::default()
    }
}

fn items() -> Vec<Item> {
    let item = |nth: usize| {
        let (pk, sk) = (format!("USER#{}", nth % 7), format!("v_{nth}"));
        Item::from_attributes([
            ("pk", pk.as_str().into()),
            ("sk", sk.as_str().into()),
            ("type", ["User", HOSTILE][nth % 2].into()),
            (HOSTILE, HOSTILE.into()),
        ])
    };
    (0..60).map(item).collect()
}

/// Returns the page of so many tables.
fn rendered(tables: usize) -> String {
    let (plan, items) = (plan(), items());
    let facts = TableFacts {
        table: HOSTILE.to_owned(),
        definition: Some(definition()),
        stored_items: 60,
        stored_bytes: 6000,
        ..TableFacts::default()
    };
    let found = entities::infer(HOSTILE, &definition(), &items);
    let pattern = AccessPattern {
        name: HOSTILE.to_owned(),
        operation: "Query".to_owned(),
        table: HOSTILE.to_owned(),
        index: None,
        pattern: Some(Pattern::read("pk = ? FILTER `<b>` = ?").expect("a pattern")),
        most_units: None,
        example: None,
    };
    let covered = coverage::cover(std::slice::from_ref(&facts), &[pattern]);
    let source = Source {
        kind: SourceKind::Table,
        name: HOSTILE.to_owned(),
        partition: vec!["pk".to_owned()],
        sort: vec!["sk".to_owned()],
    };
    let table = Table { name: HOSTILE.to_owned(), definitions: Vec::new(), sources: vec![source] };
    let scalars = |item: &Item| {
        let texts = item.iter().filter_map(|(name, value)| {
            Some((name.to_owned(), Scalar::S(value.to_attribute_value().as_str()?.to_owned())))
        });
        texts.collect()
    };
    let findings =
        hashrange_lint::lint(&table, &items.iter().map(scalars).collect::<Vec<_>>(), &[]);
    assert!(!findings.is_empty());
    let prices = page::prices(&facts, &found, &PriceList::of_region("us-east-1").expect("prices"));
    let collections = page::collections(&definition(), &items, &found);
    assert_eq!((collections.len(), collections[0].items), (7, 9));
    let studied = StudiedTable {
        plan: &plan,
        facts: &facts,
        entities: &found,
        coverage: covered.tables.first(),
        findings: &findings,
        prices: Some(&prices),
        collections: &collections,
    };
    let study =
        Study { title: HOSTILE, tables: vec![studied; tables], notes: vec![HOSTILE.to_owned()] };
    page::render(&study)
}

#[test]
fn the_page_stands_alone_and_no_text_acts() {
    let html = rendered(2);
    for absent in
        ["<script", "<img", "onerror='", "http:", "https:", "src=\"", "url(", "\u{202e}", "\u{0}"]
    {
        let at = html.find(absent);
        assert_eq!(at.map(|at| &html[at.saturating_sub(60)..at + 20]), None, "{absent}");
    }
    for present in [
        "<!DOCTYPE html>",
        "<html lang=\"en\">",
        "prefers-color-scheme: dark",
        "default-src &#39;none&#39;",
        "<th scope=\"col\">",
        "<th scope=\"row\"",
        "<caption>",
        "role=\"img\" aria-label=\"Item collections",
        "&lt;script&gt;",
        "filter after range",
        "unpadded-number",
        "<h3>Prices</h3>",
    ] {
        let present = present.replace("&#39;", "'");
        assert!(html.contains(&present), "{present}");
    }
    // Each element that is opened is closed.
    for name in [
        "table", "section", "tr", "td", "th", "div", "code", "svg", "p", "h3", "h4", "main",
        "small",
    ] {
        let (opened, closed) = (format!("<{name}"), format!("</{name}>"));
        let begins = |it: &str| it.starts_with(['>', ' ']);
        let opened = html.split(&opened).skip(1).filter(|it| begins(it)).count();
        assert_eq!(opened, html.matches(&closed).count(), "{name}");
    }
}

#[test]
fn the_page_is_bounded() {
    let one = rendered(1).len();
    let html = rendered(PAGE_MAX_BYTES / one * 2);
    assert!(html.len() < PAGE_MAX_BYTES + one * 2 + PAGE_MAX_BYTES / 8, "{}", html.len());
    assert!(html.contains("Tables without room on this page"));
}
