//! The orders are those that the page speaks of.

use super::*;
use std::collections::{BTreeMap, BTreeSet};

fn text(item: &Item, name: &str) -> String {
    item.get(name).unwrap().to_attribute_value().as_str().unwrap().to_owned()
}

#[test]
fn orders_are_sorted_and_of_a_year() {
    let mut last = None;
    let mut count = 0;
    let mut numbers = BTreeSet::new();
    for item in items() {
        let item = item.unwrap();
        let key = (text(&item, "customer"), text(&item, "order_id"));
        assert!(last.as_ref() < Some(&key), "{last:?} before {key:?}");
        assert!(numbers.insert(key.1.clone()), "{key:?} comes twice");
        let placed = text(&item, "placed");
        assert!(*"2025-12-01" < *placed && *placed < *"2026-12-01", "{placed}");
        last = Some(key);
        count += 1;
    }
    assert_eq!(count, ITEM_COUNT);
}

#[test]
fn the_orders_never_change() {
    let mut sum: u64 = 0;
    for item in items() {
        for byte in item.unwrap().as_bytes() {
            sum = sum.wrapping_mul(31).wrapping_add(u64::from(*byte));
        }
    }
    assert_eq!(
        sum, 2_353_445_897_614_343_422,
        "a change of the data changes the pages that show it"
    );
}

#[test]
fn a_wholesale_customer_has_two_in_a_hundred_that_are_open_and_of_the_last_month() {
    let mut found: BTreeMap<String, (u32, u32, usize)> = BTreeMap::new();
    for item in items() {
        let item = item.unwrap();
        if item.get("company").is_none() {
            continue;
        }
        let counts = found.entry(text(&item, "customer")).or_default();
        counts.0 += 1;
        if text(&item, "status") == "open" && *text(&item, "placed") >= *"2026-11-01" {
            counts.1 += 1;
            counts.2 += item.size();
        }
    }
    assert_eq!(found.len(), WHOLESALE.len());
    for (customer, (orders, open, _)) in &found {
        assert!((800..=1500).contains(orders), "{customer}");
        assert!((8..=40).contains(&(1000 * open / orders)), "{customer}: {open} of {orders}");
    }
    // The customer of the page: so few bytes are half a read unit, 4,096 at most.
    assert_eq!(found["C-0004"], (960, 19, 3_691));
}
