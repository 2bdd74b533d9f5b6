//! What is written in a form that loses nothing is read back as the same item, for items of all types
//! at random.

use super::*;
use super::csv::records::Position;
use hashrange_testkit::random::Random;
use hashrange_testkit::wire_item::item;
use serde_json::json;

const ITEMS: usize = 3000;

fn items() -> impl Iterator<Item = WireItem> {
    let mut random = Random::new(11);
    (0..ITEMS).map(move |_| item(&mut random))
}

#[test]
fn lines_are_read_as_they_were_written() {
    for item in items() {
        for form in [Form::Item, Form::Ddb] {
            let line = form.line(&item).unwrap();
            assert!(!line.contains('\n'), "{line}");
            assert_eq!(read_line(form, &line), Ok(item.clone()), "{line}");
        }
    }
}

#[test]
fn rows_are_read_as_they_were_written() {
    let items: Vec<WireItem> = items().collect();
    // Few items at a time, so that a header has the columns of all of them.
    for items in items.chunks(5) {
        let mut columns: Vec<csv::Column> = items.iter().flat_map(csv::columns_of).collect();
        columns.sort();
        columns.dedup();
        if columns.is_empty() {
            continue;
        }
        let header = csv::header(&columns);
        let read = csv::columns(&header, &csv::Types::new()).unwrap();
        assert_eq!(read, columns, "{header}");
        for item in items {
            let row = csv::text(&columns, item);
            assert_ne!(Position::default().after(row.as_bytes()), Position::Quoted, "{row}");
            // The order of columns is that of the header.
            assert_eq!(csv::read(&columns, &row).map(Value::Object), Ok(json!(item)), "{row}");
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
