//! Prints how fast items of about 1 KiB become their binary form and JSON again.
//!
//! Run with `cargo run --release -p hashrange-wire --example transcode_bench [-- FILTER]`; the
//! filter is a part of the name of a measurement.
#![expect(
    clippy::cast_precision_loss,
    reason = "rates are shown with few digits: no count comes near 2^53"
)]
#![expect(clippy::disallowed_methods, reason = "it measures time")]
#![expect(clippy::print_stdout, reason = "printing is what it is for")]

use std::hint::black_box;
use std::time::Instant;

use hashrange_model::{AttributeValue, Item, Number};
use hashrange_wire::json::attribute_value::write_item;
use hashrange_wire::{Encode, PutItemInput, QueryOutput, decode, syntax_check};

const ROUNDS: usize = 200_000;

/// Eight strings of 100 bytes, some numbers, a list and a map: what an application stores.
fn mixed_item() -> Item {
    let texts =
        (0..8).map(|nth| (format!("attribute{nth}"), AttributeValue::from("x".repeat(100))));
    let numbers = (0..6).map(|nth| (format!("number{nth}"), Number::from(nth * 1_234_567).into()));
    let nested = AttributeValue::map([("street", "Main Street 1".into()), ("zip", 68118.into())]);
    let list = AttributeValue::list([1.into(), "two".into(), true.into()]);
    let attributes: Vec<(String, AttributeValue)> = texts
        .chain(numbers)
        .chain([("address".to_owned(), nested), ("list".to_owned(), list)])
        .collect();
    Item::from_attributes(attributes.iter().map(|(name, value)| (&**name, value.clone())))
}

/// One long string.
fn plain_item() -> Item {
    Item::from_attributes([("pk", "user#1".into()), ("data", "x".repeat(1000).into())])
}

fn measure(what: &str, bytes: usize, rounds: usize, mut work: impl FnMut()) {
    if std::env::args().nth(1).is_some_and(|filter| !what.contains(&filter)) {
        return;
    }
    let start = Instant::now();
    for _ in 0..rounds {
        work();
    }
    let seconds = start.elapsed().as_secs_f64();
    let (bytes, rounds) = (bytes as f64, rounds as f64);
    let rate = bytes * rounds / seconds / 1e6;
    println!("{what:32} {bytes:>8} bytes {rate:>8.0} MB/s {:>8.0} ns", seconds / rounds * 1e9);
}

fn main() {
    for (name, item) in [("mixed", mixed_item()), ("plain", plain_item())] {
        let mut json = Vec::new();
        write_item(&mut json, &item);
        let mut out = Vec::with_capacity(2 * json.len());
        measure(&format!("{name} item: write"), json.len(), ROUNDS, || {
            out.clear();
            write_item(&mut out, black_box(&item));
        });
        let text = String::from_utf8(json).expect("JSON is UTF-8");
        let body = format!(r#"{{"TableName":"Table","Item":{text}}}"#);
        measure(&format!("{name} item: read PutItem"), body.len(), ROUNDS, || {
            let request = decode::<PutItemInput<'_>>(black_box(body.as_bytes()));
            drop(black_box(request));
        });
        measure(&format!("{name} item: check syntax"), body.len(), ROUNDS, || {
            drop(black_box(syntax_check(black_box(body.as_bytes()))));
        });
        let page = QueryOutput {
            items: Some(vec![item; 100]),
            count: Some(100),
            ..QueryOutput::default()
        };
        let mut out = Vec::new();
        page.encode(&mut out);
        measure(&format!("{name} page of 100: write"), out.len(), ROUNDS / 100, || {
            out.clear();
            page.encode(&mut out);
        });
    }
}
