//! Cost of a recording by a price list: of each row on demand, of each table and index with capacity provisioned for
//! its busiest minute, and of storage.
//!
//! Source of the rules: DynamoDB developer guide, "Read and write operations" for units, "Managing throughput
//! capacity automatically" for the target of 70 %, "Estimate your storage costs" for 100 bytes an item.

use crate::prices::PriceList;
use crate::recording::{Kind, Peak, Place, Recording, RowKey, Used};
use serde::Serialize;
use std::collections::BTreeMap;

/// Units used in a minute for each unit that is provisioned: 70 % of one a second.
const MINUTE_OF_UNIT: f64 = 42.0;
const MINUTES_OF_HOUR: f64 = 60.0;
/// Billed storage overhead of each item or index entry.
const ITEM_OVERHEAD_BYTES: u64 = 100;
const GB: f64 = 1_073_741_824.0;

/// Cost of a recording.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct Bill {
    /// Region of the price list.
    pub region: String,
    /// The currency.
    pub currency: String,
    /// Cost of each row on demand, the dearest first.
    pub lines: Vec<Line>,
    /// Sum of the lines.
    pub total: f64,
    /// Cost of each table and index with provisioned capacity.
    pub places: Vec<PlaceBill>,
    /// Cost of storage for a month.
    pub storage_month: f64,
}

/// Cost of one kind of request.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct Line {
    /// The kind.
    #[serde(flatten)]
    pub key: RowKey,
    /// Its use.
    #[serde(flatten)]
    pub used: Used,
    /// Cost on demand.
    pub cost: f64,
}

impl Line {
    /// Returns the cost of a million such requests; none if the line counts no requests.
    pub fn of_a_million(&self) -> Option<f64> {
        of_a_million(self.cost, self.used.requests)
    }
}

/// Returns the cost of a million requests if `requests` cost `cost`; none if 0.
pub fn of_a_million(cost: f64, requests: u64) -> Option<f64> {
    const MILLION: f64 = 1e6;
    (requests > 0).then(|| cost / exact(requests) * MILLION)
}

/// Cost of a table or index with provisioned capacity.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct PlaceBill {
    /// The place.
    #[serde(flatten)]
    pub place: Place,
    /// Read capacity units of which its busiest minute takes 70 %.
    pub read_units: u64,
    /// Write capacity units of the same.
    pub write_units: u64,
    /// Cost of these units for an hour.
    pub provisioned_hour: f64,
    /// Cost on demand of an hour of minutes like the busiest.
    pub on_demand_hour: f64,
}

impl PlaceBill {
    /// Returns the capacity units of which a minute with `units` takes 70 %; at least 1.
    pub fn units_for_minute(units: f64) -> u64 {
        whole((units / MINUTE_OF_UNIT).ceil().max(1.0))
    }
}

/// Returns the cost of a recording.
pub fn bill(recording: &Recording, prices: &PriceList) -> Bill {
    let of_table = |table: &str| {
        let facts = recording.facts(table);
        prices.of_class(facts.is_some_and(|facts| facts.is_infrequent_access))
    };
    let line = |row: &crate::Row| Line {
        key: row.key.clone(),
        used: row.used,
        cost: of_table(&row.key.table).of_requests(row.used.read_units, row.used.write_units),
    };
    let mut lines: Vec<Line> = recording.rows.iter().map(line).collect();
    lines.sort_by(|one, other| other.cost.total_cmp(&one.cost).then(one.key.cmp(&other.key)));
    let storage = recording.tables.iter().map(|facts| {
        let overhead = ITEM_OVERHEAD_BYTES.saturating_mul(facts.stored_items);
        let bytes = facts.stored_bytes.saturating_add(overhead);
        exact(bytes) / GB * prices.of_class(facts.is_infrequent_access).storage_gb_month
    });
    Bill {
        region: prices.region.clone(),
        currency: prices.currency.clone(),
        total: lines.iter().fold(0.0, |sum, line| sum + line.cost),
        lines,
        places: places(recording, prices),
        storage_month: storage.fold(0.0, |sum, cost| sum + cost),
    }
}

fn places(recording: &Recording, prices: &PriceList) -> Vec<PlaceBill> {
    let mut peaks: BTreeMap<Place, (f64, f64)> = BTreeMap::new();
    for Peak { place, kind, units } in &recording.peaks {
        let facts = recording.facts(&place.table);
        let is_local =
            |name: &String| facts.is_some_and(|facts| facts.local_indexes.contains(name));
        let index = place.index.clone().filter(|name| !is_local(name));
        let sum = peaks.entry(Place { index, ..place.clone() }).or_default();
        match kind {
            Kind::Read => sum.0 += units,
            Kind::Write => sum.1 += units,
        }
    }
    let of_place = |(place, (read, written)): (Place, (f64, f64))| {
        let facts = recording.facts(&place.table);
        let prices = prices.of_class(facts.is_some_and(|facts| facts.is_infrequent_access));
        let provisioned = PlaceBill::units_for_minute;
        let (read_units, write_units) = (provisioned(read), provisioned(written));
        PlaceBill {
            place,
            read_units,
            write_units,
            provisioned_hour: exact(read_units) * prices.read_unit_hour
                + exact(write_units) * prices.write_unit_hour,
            on_demand_hour: prices.of_requests(read * MINUTES_OF_HOUR, written * MINUTES_OF_HOUR),
        }
    };
    peaks.into_iter().map(of_place).collect()
}

#[expect(clippy::cast_precision_loss, reason = "2^53 requests or bytes are more than are counted")]
pub(crate) fn exact(number: u64) -> f64 {
    number as f64
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a number from 1 on without fraction; what is larger than u64 becomes its largest"
)]
fn whole(number: f64) -> u64 {
    number as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TableFacts;
    use crate::recording::Row;

    fn row(operation: &str, index: Option<&str>, read_units: f64, write_units: f64) -> Row {
        Row {
            key: RowKey {
                operation: operation.to_owned(),
                table: "cities".to_owned(),
                index: index.map(str::to_owned),
                pattern: crate::Pattern::default(),
                caller: String::new(),
            },
            used: Used { requests: 4, read_units, write_units, ..Used::default() },
        }
    }

    fn recording() -> Recording {
        let peak = |index: Option<&str>, kind, units| {
            let place = Place { table: "cities".to_owned(), index: index.map(str::to_owned) };
            Peak { place, kind, units }
        };
        Recording {
            rows: vec![row("GetItem", None, 2e6, 0.0), row("PutItem", Some("by-name"), 0.0, 1e6)],
            peaks: vec![
                peak(None, Kind::Read, 420.0),
                peak(Some("by-place"), Kind::Read, 42.0),
                peak(Some("by-name"), Kind::Write, 1.0),
            ],
            tables: vec![TableFacts {
                table: "cities".to_owned(),
                stored_bytes: 1_073_741_824 - 1000,
                stored_items: 10,
                local_indexes: vec!["by-place".to_owned()],
                ..TableFacts::default()
            }],
            ..Recording::new(0, 0)
        }
    }

    fn near(one: f64, other: f64) {
        assert!((one - other).abs() < 1e-9, "{one} {other}");
    }

    #[test]
    fn requests_storage_and_capacity_are_priced() {
        let bill = bill(&recording(), &PriceList::of_region("us-east-1").unwrap());
        let [put, get] = &bill.lines[..] else { panic!("{bill:?}") };
        assert_eq!((&*put.key.operation, &*get.key.operation), ("PutItem", "GetItem"));
        near(put.cost, 0.625);
        near(get.cost, 0.25);
        near(bill.total, 0.875);
        near(get.of_a_million().unwrap(), 0.25 / 4.0 * 1e6);
        near(bill.storage_month, 0.25);
        let [table, index] = &bill.places[..] else { panic!("{bill:?}") };
        // A local index uses the capacity of its table: 462 units in a minute are 7.7 a second.
        assert_eq!((table.read_units, table.write_units), (11, 1));
        near(table.provisioned_hour, 11.0 * 0.00013 + 0.00065);
        near(table.on_demand_hour, 462.0 * 60.0 * 0.125 / 1e6);
        assert_eq!((index.read_units, index.write_units), (1, 1));
    }

    #[test]
    fn tables_that_are_rarely_read_have_their_own_prices() {
        let mut recording = recording();
        recording.tables[0].is_infrequent_access = true;
        let bill = bill(&recording, &PriceList::of_region("us-east-1").unwrap());
        near(bill.total, 2.0 * 0.155 + 0.78);
        near(bill.storage_month, 0.1);
    }

    #[test]
    fn files_may_have_the_largest_numbers() {
        let mut recording = recording();
        recording.rows[0].used.requests = u64::MAX;
        recording.tables[0].stored_bytes = u64::MAX;
        recording.tables[0].stored_items = u64::MAX;
        recording.add(recording.clone());
        assert_eq!(recording.requests(), u64::MAX);
        let prices = PriceList::of_region("us-east-1").unwrap();
        let bill = bill(&recording, &prices);
        assert!(bill.storage_month > 0.0);
        assert!(crate::compare(&bill, &bill).is_empty());
    }
}
