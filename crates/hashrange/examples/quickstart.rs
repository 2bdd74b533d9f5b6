//! A table, a type of your own, a query: `cargo run -p hashrange --example quickstart`.

use hashrange::{Database, item};
use serde::{Deserialize, Serialize};

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Order {
    customer: String,
    number: u32,
    total: f64,
    note: Option<String>,
}

/// Runs the example.
pub fn main() -> hashrange::Result<()> {
    // In memory; `Database::open("orders-data", &Options::default())?` keeps it in a folder.
    let db = Database::memory().blocking();
    db.create("orders", "customer:S number:N").run()?;

    for (number, total) in [(1, 9.5), (2, 129.0), (3, 42.25)] {
        let order = Order { customer: "alex".to_owned(), number, total, note: None };
        db.put("orders", &order).run()?;
    }

    let large: Vec<Order> =
        db.query_as("orders").key("customer = 'alex'").filter("total >= 40").all()?;
    assert_eq!(large.iter().map(|order| order.number).collect::<Vec<_>>(), [2, 3]);

    let key = item! { "customer": "alex", "number": 1 };
    let changed = db.update("orders", key).set("note = :note").value("note", "paid").run()?;
    assert_eq!(changed.get_as::<&str>("note")?, "paid");
    Ok(())
}
