//! What is written in a form that loses nothing is read back as the same item, for items of all types
//! at random.

use super::*;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use csv::records::Position;
use hashrange_testkit::random::Random;
use serde_json::json;

const ITEMS: usize = 3000;

/// Pieces of text that some form has to be careful with.
const PIECES: &[&str] = &[
    "",
    "a",
    "é",
    "😀",
    "\"",
    "\"\"",
    "'",
    "\\",
    "\n",
    "\r\n",
    "\t",
    "\u{0}",
    "\u{1b}[2J",
    ",",
    ":",
    ":S",
    "<<",
    ">>",
    "b\"",
    "{",
    "}",
    "[",
    "]",
    " ",
    "\u{feff}",
    "\u{2028}",
    "null",
    "true",
    "1",
    "Item",
    "S",
    "\u{7f}",
];
const NUMBERS: &[&str] = &[
    "0",
    "-1",
    "1.5",
    "0.000001",
    "1E+125",
    "-9.9999999999999999999999999999999999999E+125",
    "1E-130",
    "12345678901234567890123456789012345678",
    "1.50",
];

fn text(random: &mut Random) -> String {
    (0..random.below(4)).map(|_| *random.pick(PIECES)).collect()
}

fn binary(random: &mut Random) -> String {
    let bytes: Vec<u8> = (0..random.below(5)).map(|_| random.bits().to_le_bytes()[0]).collect();
    BASE64_STANDARD.encode(bytes)
}

fn distinct(random: &mut Random, make: impl Fn(&mut Random) -> String) -> Vec<String> {
    let mut members: Vec<String> = (0..=random.below(3)).map(|_| make(random)).collect();
    members.sort();
    members.dedup();
    members
}

fn number(random: &mut Random) -> String {
    (*random.pick(NUMBERS)).to_owned()
}

fn value(random: &mut Random, depth: usize) -> Value {
    let kinds = if depth < 4 { 10 } else { 8 };
    match random.below(kinds) {
        0 => json!({ "S": text(random) }),
        1 => json!({ "N": number(random) }),
        2 => json!({ "B": binary(random) }),
        3 => json!({ "BOOL": random.chance(50) }),
        4 => json!({ "NULL": true }),
        5 => json!({ "SS": distinct(random, text) }),
        6 => json!({ "NS": distinct(random, number) }),
        7 => json!({ "BS": distinct(random, binary) }),
        8 => {
            let elements: Vec<Value> =
                (0..random.below(4)).map(|_| value(random, depth + 1)).collect();
            json!({ "L": elements })
        }
        _ => json!({ "M": members(random, depth + 1) }),
    }
}

fn members(random: &mut Random, depth: usize) -> WireItem {
    (0..random.below(5)).map(|_| (text(random), value(random, depth))).collect()
}

fn items() -> impl Iterator<Item = WireItem> {
    let mut random = Random::new(11);
    (0..ITEMS).map(move |_| members(&mut random, 1))
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
