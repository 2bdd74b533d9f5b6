//! Random items in DynamoDB's JSON, for tests that write items and read them back.

use crate::random::Random;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Map, Value, json};

/// Pieces of text that need care in some form of items.
const PIECES: &[&str] = &[
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
];

fn text(random: &mut Random) -> String {
    (0..random.below(4)).map(|_| *random.pick(PIECES)).collect()
}

/// Returns a name, which is not empty.
fn name(random: &mut Random) -> String {
    (*random.pick(PIECES)).to_owned() + &text(random)
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

/// Returns an item that a table takes, but for its key: values of all types, texts that need care
/// in forms of items.
pub fn item(random: &mut Random) -> Map<String, Value> {
    members(random, 1)
}

fn members(random: &mut Random, depth: usize) -> Map<String, Value> {
    (0..random.below(5)).map(|_| (name(random), value(random, depth))).collect()
}
