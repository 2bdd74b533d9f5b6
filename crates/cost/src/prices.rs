//! Price lists: data in `prices/`, one file for each known region, and users' files of the same form.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Price lists that come with the program.
const LISTS: [&str; 3] = [
    include_str!("../prices/us-east-1.json"),
    include_str!("../prices/us-east-2.json"),
    include_str!("../prices/us-west-2.json"),
];

/// Prices of one region.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", deny_unknown_fields)]
pub struct PriceList {
    /// The region.
    pub region: String,
    /// The currency.
    pub currency: String,
    /// Source of the prices, with its date.
    pub source: String,
    /// Of tables of the class `STANDARD`.
    pub standard: Prices,
    /// Of tables of the class `STANDARD_INFREQUENT_ACCESS`.
    pub infrequent_access: Prices,
}

/// Prices of one class of tables.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", deny_unknown_fields)]
pub struct Prices {
    /// Of a million read request units.
    pub read_million: f64,
    /// Of a million write request units.
    pub write_million: f64,
    /// Of a provisioned read capacity unit for an hour.
    pub read_unit_hour: f64,
    /// Of a provisioned write capacity unit for an hour.
    pub write_unit_hour: f64,
    /// Of a GB stored for a month.
    pub storage_gb_month: f64,
}

impl PriceList {
    /// Returns the list of a region, if one comes with the program.
    pub fn of_region(region: &str) -> Option<Self> {
        known().find(|list| list.region == region)
    }

    /// Parses and checks a list.
    pub fn read(text: &[u8]) -> Result<Self, PriceFault> {
        let list: Self = serde_json::from_slice(text).map_err(|why| PriceFault(why.to_string()))?;
        let is_price = |price: f64| price.is_finite() && price >= 0.0;
        let all = [list.standard, list.infrequent_access].map(|prices| {
            [
                prices.read_million,
                prices.write_million,
                prices.read_unit_hour,
                prices.write_unit_hour,
                prices.storage_gb_month,
            ]
        });
        if all.iter().flatten().all(|price| is_price(*price)) {
            Ok(list)
        } else {
            Err(PriceFault("a price is below 0".to_owned()))
        }
    }

    /// Returns the prices of a class of tables.
    pub fn of_class(&self, is_infrequent_access: bool) -> &Prices {
        if is_infrequent_access { &self.infrequent_access } else { &self.standard }
    }
}

impl Prices {
    /// Returns the cost of request units on demand.
    pub fn of_requests(&self, read_units: f64, write_units: f64) -> f64 {
        const MILLION: f64 = 1e6;
        (read_units * self.read_million + write_units * self.write_million) / MILLION
    }
}

/// Returns the regions whose prices come with the program.
pub fn regions() -> Vec<String> {
    known().map(|list| list.region).collect()
}

fn known() -> impl Iterator<Item = PriceList> {
    LISTS.iter().map(|text| {
        PriceList::read(text.as_bytes()).expect("a test reads each list of the program")
    })
}

/// Fault of a price list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PriceFault(String);

impl fmt::Display for PriceFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "this is no price list: {}", self.0)
    }
}

impl std::error::Error for PriceFault {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_list_can_be_read_and_names_its_region_and_source() {
        assert_eq!(regions(), ["us-east-1", "us-east-2", "us-west-2"]);
        for region in regions() {
            let list = PriceList::of_region(&region).unwrap();
            assert!(list.source.starts_with("https://"), "{list:?}");
        }
        assert_eq!(PriceList::of_region("mars-1"), None);
    }

    #[test]
    fn a_list_with_what_is_no_price_is_refused() {
        let good = LISTS[0];
        for (text, why) in [
            (good.replace("0.125", "-1"), "below 0"),
            (good.replace("ReadMillion", "Reads"), "unknown field"),
            (good.replace("\"Currency\": \"USD\",", ""), "missing field"),
        ] {
            let fault = PriceList::read(text.as_bytes()).unwrap_err().to_string();
            assert!(fault.contains(why), "{fault}");
        }
    }

    #[test]
    fn a_million_units_cost_their_price() {
        let prices = PriceList::of_region("us-east-1").unwrap().standard;
        assert!((prices.of_requests(1e6, 0.0) - 0.125).abs() < 1e-12);
        assert!((prices.of_requests(2.0, 1e6) - 0.625_000_25).abs() < 1e-12);
    }
}
