//! The items of the sample `shop`: a year of a shop's orders, drawn from a seed.
//!
//! A few wholesale customers have about a third of all orders. The number of an order tells nothing of
//! its date, as where a shop hides how much it sells. So a question for a month, or for a status, of one of
//! them reads all orders that the customer ever made: the table is the one that lacks an index.
//!
//! Invariant: the orders are the same in every build: no clock, no number but whole ones, and a
//! generator of our own.

mod drawn;
mod words;

use crate::items::Items;
use drawn::Drawn;
use hashrange::{AttributeValue, Item, Number};
use words::{CARRIERS, CITIES, COUPONS, NOTES, PRODUCTS, REASONS, WHOLESALE};

/// Number of orders.
pub(crate) const ITEM_COUNT: u64 = 20_000;

/// The year of orders begins with 1 December 2025; seconds since 1970.
const FIRST_DAY_S: u64 = 1_764_547_200;
/// Days of the year of orders.
const DAYS: u64 = 365;
/// Seconds of a day.
const DAY_S: u64 = 86_400;
/// Days at the end with more orders than others.
const BUSY_DAYS: u64 = 60;
/// Seed of the numbers that are drawn.
const SEED: u64 = 0x5348_4f50;
/// Numbers of orders are below this.
const ORDER_NUMBERS: u64 = 10_000_000;
/// A prime that does not divide [`ORDER_NUMBERS`]: no number comes twice.
const ORDER_STEP: u64 = 7_368_787;

/// A customer.
#[derive(Debug, Clone, Copy)]
struct Customer {
    number: usize,
    /// Name of the company, if it is wholesale.
    company: Option<&'static str>,
    city: &'static str,
    country: &'static str,
}

/// An order before its attributes are drawn.
#[derive(Debug, Clone, Copy)]
struct Order {
    customer: Customer,
    number: u64,
    /// Seed of its attributes.
    seed: u64,
}

/// Returns the orders, sorted by key.
pub(crate) fn items() -> Items {
    let mut orders = orders();
    orders.sort_unstable_by_key(|order| (order.customer.number, order.number));
    Box::new(orders.into_iter().map(|order| Ok(item(order))))
}

/// Returns who ordered, order by order.
fn orders() -> Vec<Order> {
    let mut drawn = Drawn::new(SEED);
    let mut orders = Vec::new();
    for (nth, &(company, city, country, count)) in WHOLESALE.iter().enumerate() {
        let customer = Customer { number: nth + 1, company: Some(company), city, country };
        add(&mut orders, customer, count, &mut drawn);
    }
    let mut number = WHOLESALE.len();
    while (orders.len() as u64) < ITEM_COUNT {
        number += 1;
        let (city, country) = *drawn.one_of(&CITIES);
        let mut count = 1 + drawn.below(4);
        if drawn.percent(12) {
            count += drawn.below(20);
        }
        if drawn.percent(3) {
            count += drawn.below(60);
        }
        add(&mut orders, Customer { number, company: None, city, country }, count, &mut drawn);
    }
    orders
}

/// Adds orders of a customer, up to the number of all.
fn add(orders: &mut Vec<Order>, customer: Customer, count: u64, drawn: &mut Drawn) {
    for _ in 0..count.min(ITEM_COUNT - orders.len() as u64) {
        let number = (orders.len() as u64 + 1) * ORDER_STEP % ORDER_NUMBERS;
        orders.push(Order { customer, number, seed: drawn.next() });
    }
}

/// Returns the item of an order.
fn item(order: Order) -> Item {
    let Order { customer, number, seed } = order;
    let drawn = &mut Drawn::new(seed);
    let day = day(drawn);
    let hour = if customer.company.is_some() { 6 + drawn.below(11) } else { 7 + drawn.below(16) };
    let second = hour * 3600 + drawn.below(3600);
    let status = status(customer.company.is_some(), DAYS - 1 - day, drawn);
    let (lines, cents) = lines(customer.company.is_some(), drawn);
    let mut attributes: Vec<(&str, AttributeValue)> = vec![
        ("customer", format!("C-{:04}", customer.number).into()),
        ("order_id", format!("O-{number:07}").into()),
        ("status", status.into()),
        ("placed", moment(day, second).into()),
        ("total", price(cents)),
        ("currency", currency(customer.country).into()),
        ("lines", AttributeValue::L(lines)),
        ("city", customer.city.into()),
        ("country", customer.country.into()),
    ];
    if let Some(company) = customer.company {
        attributes.push(("company", company.into()));
    } else {
        add_wishes(&mut attributes, drawn);
    }
    if drawn.percent(5) {
        attributes.push(("note", (*drawn.one_of(&NOTES)).into()));
    }
    add_delivery(&mut attributes, status, day, second, drawn);
    Item::from_attributes(attributes)
}

/// Returns the day of an order: any, more often one of the last.
fn day(drawn: &mut Drawn) -> u64 {
    let is_of_busy_days = drawn.percent(16);
    if is_of_busy_days { DAYS - 1 - drawn.below(BUSY_DAYS) } else { drawn.below(DAYS) }
}

/// Returns the status of an order of this age in days.
fn status(is_wholesale: bool, age: u64, drawn: &mut Drawn) -> &'static str {
    // Of a hundred orders: open, paid, shipped, cancelled, returned; the others are delivered.
    let [open, paid, shipped, cancelled, returned] = match (is_wholesale, age) {
        (true, 0..30) => [10, 15, 25, 4, 1],
        (true, 30..90) => [2, 4, 3, 5, 4],
        (false, 0..2) => [48, 42, 6, 4, 0],
        (false, 2..7) => [9, 24, 52, 6, 0],
        (false, 7..14) => [2, 3, 28, 6, 2],
        (_, _) => [1, 0, 0, 5, 6],
    };
    let mut place = drawn.below(100);
    let shares = [
        (open, "open"),
        (paid, "paid"),
        (shipped, "shipped"),
        (cancelled, "cancelled"),
        (returned, "returned"),
    ];
    for (share, status) in shares {
        if place < share {
            return status;
        }
        place -= share;
    }
    "delivered"
}

/// Returns the lines of an order, and their sum in hundredths.
fn lines(is_wholesale: bool, drawn: &mut Drawn) -> (Vec<AttributeValue>, u64) {
    let count = if is_wholesale { 1 + drawn.below(2) } else { 1 + drawn.below(4) };
    let mut cents = 0;
    let mut lines = Vec::new();
    for _ in 0..count {
        let &(sku, each) = drawn.one_of(&PRODUCTS);
        let quantity = if is_wholesale { 12 * (1 + drawn.below(10)) } else { 1 + drawn.below(3) };
        cents += quantity * each;
        let line = [("sku", sku.into()), ("quantity", quantity.into()), ("price", price(each))];
        lines.push(AttributeValue::map(line));
    }
    (lines, cents)
}

/// Adds what some customers ask for.
fn add_wishes(attributes: &mut Vec<(&str, AttributeValue)>, drawn: &mut Drawn) {
    if drawn.percent(9) {
        attributes.push(("coupon", (*drawn.one_of(&COUPONS)).into()));
    }
    if drawn.percent(4) {
        attributes.push(("gift", true.into()));
    }
}

/// Adds what orders have that left the shop.
fn add_delivery(
    attributes: &mut Vec<(&str, AttributeValue)>,
    status: &str,
    day: u64,
    second: u64,
    drawn: &mut Drawn,
) {
    if !["shipped", "delivered", "returned"].contains(&status) {
        return;
    }
    attributes.push(("carrier", (*drawn.one_of(&CARRIERS)).into()));
    attributes.push(("tracking", format!("{:012}", drawn.below(1_000_000_000_000)).into()));
    if status == "returned" {
        attributes.push(("return_reason", (*drawn.one_of(&REASONS)).into()));
    }
    let days = drawn.below(3);
    if day + days < DAYS {
        let second = if days == 0 { second + drawn.below(DAY_S - second) } else { 18 * 3600 };
        attributes.push(("shipped_on", moment(day + days, second).into()));
    }
}

/// Returns hundredths as a number.
fn price(cents: u64) -> AttributeValue {
    let text = format!("{}.{:02}", cents / 100, cents % 100);
    Number::parse(&text).map_or(AttributeValue::Null, AttributeValue::from)
}

fn currency(country: &str) -> &'static str {
    match country {
        "CH" => "CHF",
        "GB" => "GBP",
        "US" => "USD",
        _ => "EUR",
    }
}

/// Returns the moment of a second of a day of the year of orders, in the form of ISO 8601.
fn moment(day: u64, second: u64) -> String {
    let with_fraction = hashrange::moment::extended(1000 * (FIRST_DAY_S + DAY_S * day + second));
    with_fraction.replace(".000Z", "Z")
}

#[cfg(test)]
mod tests;
