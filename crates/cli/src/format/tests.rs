//! Items that were written in a form that loses nothing are read back as the same items, for items
//! of all types at random.

use super::csv::records::Position;
use super::*;
use hashrange::{AttributeValue, PutItemInput};
use hashrange_testkit::random::Random;
use hashrange_testkit::wire_item::item;
use serde_json::json;
use std::collections::BTreeMap;

const ITEMS: usize = 3000;

fn items() -> impl Iterator<Item = WireItem> {
    let mut random = Random::new(11);
    (0..ITEMS).map(move |_| item(&mut random))
}

/// Returns an item as the database keeps it: with numbers and sets in one form and names in order.
fn kept(item: &WireItem) -> BTreeMap<String, AttributeValue> {
    let request = json!({ "TableName": "any", "Item": item }).to_string();
    let request = hashrange::decode::<PutItemInput<'_>>(request.as_bytes()).unwrap();
    let item = request.value.item.unwrap().into_result().unwrap();
    item.iter().map(|(name, value)| (name.to_owned(), value.into())).collect()
}

#[test]
fn lines_are_read_as_they_were_written() {
    for item in items() {
        for form in [Form::Item, Form::Ddb] {
            let line = form.line(&item).unwrap();
            assert!(!line.contains('\n'), "{line}");
            assert_eq!(kept(&read_item(form, &line, 1).unwrap()), kept(&item), "{line}");
        }
    }
}

#[test]
fn rows_are_read_as_they_were_written() {
    let items: Vec<WireItem> = items().collect();
    let comma = csv::Delimiter::default();
    // Few items at a time, so that a header has the columns of all of them.
    for items in items.chunks(5) {
        let mut columns: Vec<csv::Column> = items.iter().flat_map(csv::columns_of).collect();
        columns.sort();
        columns.dedup();
        if columns.is_empty() {
            continue;
        }
        let header = csv::header(&columns);
        let read = csv::columns(comma, &header, &csv::Types::new()).unwrap();
        assert_eq!(read, columns, "{header}");
        for item in items {
            let row = csv::text(&columns, item);
            assert_ne!(Position::default().after(comma, row.as_bytes()), Position::Quoted, "{row}");
            assert_eq!(kept(&csv::read(comma, &columns, &row).unwrap()), kept(item), "{row}");
        }
    }
}

#[test]
fn a_name_tells_csv() {
    for (name, expected) in [
        ("a.csv", Some(Form::Csv)),
        ("a/b.CSV.gz", Some(Form::Csv)),
        ("csv", None),
        ("a.csv/b", None),
        ("a.json", None),
    ] {
        assert_eq!(Form::of_name(Path::new(name)), expected, "{name}");
    }
}
