//! Price of a request on demand, by the prices of the environment: of a million such requests, since one costs too
//! little to read.

use super::explanation::{Bounds, Explanation, Price, Step, TableUnits};
use crate::engine::Engine;
use crate::environment::{UnitPrice, UnitPrices};
use crate::schema::StorageClass;
use hashrange_storage::Store;

/// Units of reads or of writes.
#[derive(Debug, Clone, Copy)]
enum Kind {
    Read,
    Write,
}

impl<S: Store> Engine<S> {
    /// Returns an explanation with its price, if prices are known.
    pub(crate) fn priced(&self, explanation: Explanation) -> Explanation {
        let Some(prices) = &self.environment().prices else { return explanation };
        let price = |kind: Kind, table: &str, units: f64| units * self.of_unit(prices, kind, table);
        let million = match &explanation.together {
            Some(together) => {
                let is_read = |step: &Step| matches!(step, Step::Read(_));
                let reads = together.already_done || explanation.steps.iter().any(is_read);
                let kind = if reads { Kind::Read } else { Kind::Write };
                let of = |it: &TableUnits| price(kind, &it.table, it.on.units);
                exactly(together.units.iter().map(of).fold(0.0, |sum, it| sum + it))
            }
            None => explanation.steps.iter().map(|step| of_step(step, price)).fold(
                exactly(0.0),
                |sum, it| Bounds {
                    at_least: sum.at_least + it.at_least,
                    at_most: sum.at_most.zip(it.at_most).map(|(sum, more)| sum + more),
                },
            ),
        };
        let price =
            Price { region: prices.region.clone(), currency: prices.currency.clone(), million };
        Explanation { price: Some(price), ..explanation }
    }

    /// Returns the price of a million units; of a dropped table by class `STANDARD`.
    fn of_unit(&self, prices: &UnitPrices, kind: Kind, table: &str) -> f64 {
        let class = self.table(table).ok().and_then(|table| table.record.class);
        let of_class: &UnitPrice = match class {
            Some((StorageClass::InfrequentAccess, _)) => &prices.infrequent_access,
            Some((StorageClass::Standard, _)) | None => &prices.standard,
        };
        match kind {
            Kind::Read => of_class.read_million,
            Kind::Write => of_class.write_million,
        }
    }
}

fn of_step(step: &Step, price: impl Fn(Kind, &str, f64) -> f64) -> Bounds<f64> {
    match step {
        Step::Read(read) => {
            let price = |units| price(Kind::Read, &read.table, units);
            match (&read.counted, &read.what_if) {
                (Some(counted), _) => exactly(price(counted.total_units())),
                (None, Some(supposed)) => match supposed.units_between {
                    None => exactly(price(supposed.units)),
                    Some(Bounds { at_least, at_most }) => {
                        Bounds { at_least: price(at_least), at_most: at_most.map(price) }
                    }
                },
                (None, None) => Bounds {
                    at_least: price(read.estimate.units.at_least),
                    at_most: read.estimate.units.at_most.map(price),
                },
            }
        }
        Step::Write(write) => {
            let units = write.units.iter().fold(0.0, |sum, on| sum + on.units);
            exactly(price(Kind::Write, &write.table, units))
        }
        Step::Failed(_) => exactly(0.0),
    }
}

fn exactly(amount: f64) -> Bounds<f64> {
    Bounds { at_least: amount, at_most: Some(amount) }
}

impl Price {
    /// Returns it in words: `$0.0625 a million such requests, on demand in us-east-1`.
    pub(super) fn text(&self) -> String {
        let Bounds { at_least, at_most } = self.million;
        let least = self.amount(at_least);
        let amount = match at_most.map(|most| self.amount(most)) {
            None => format!("{least} or more for"),
            Some(most) if least == most => least,
            Some(most) => format!("{least} to {most}"),
        };
        format!("{amount} a million such requests, on demand in {}", self.region)
    }

    /// Returns an amount with two places, or as many as show four digits.
    fn amount(&self, amount: f64) -> String {
        const PLACES_MAX: usize = 9;
        let mut places = 2;
        let mut scaled = amount * 100.0;
        while amount < 1.0 && scaled < 1000.0 && places < PLACES_MAX {
            scaled *= 10.0;
            places += 1;
        }
        let text = format!("{amount:.places$}");
        let (whole, fraction) = text.split_once('.').unwrap_or((&text, "00"));
        let said = fraction.trim_end_matches('0').len().max(2);
        let fraction = fraction.get(..said).unwrap_or(fraction);
        if self.currency == "USD" {
            format!("${whole}.{fraction}")
        } else {
            format!("{} {whole}.{fraction}", self.currency)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_price_says_what_a_million_requests_cost() {
        let told = |at_least, at_most: Option<f64>| {
            let million = Bounds { at_least, at_most };
            Price { region: "mars-1".to_owned(), currency: "USD".to_owned(), million }.text()
        };
        for (amount, text) in [
            (0.0, "$0.00"),
            (0.0625, "$0.0625"),
            (0.5, "$0.50"),
            (12.345, "$12.35"),
            (1e-12, "$0.00"),
        ] {
            assert_eq!(
                told(amount, Some(amount)),
                format!("{text} a million such requests, on demand in mars-1")
            );
        }
        assert_eq!(
            told(0.0625, Some(4.0)),
            "$0.0625 to $4.00 a million such requests, on demand in mars-1"
        );
        assert_eq!(
            told(0.0625, None),
            "$0.0625 or more for a million such requests, on demand in mars-1"
        );
    }
}
