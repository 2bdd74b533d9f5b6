//! Two recordings compared: kinds of requests that became dearer or cheaper, and whether the second keeps to a
//! budget.

use crate::bill::{Bill, Line};
use crate::recording::RowKey;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

/// Cost of a kind of requests in two recordings.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct Difference {
    /// The kind, of all callers.
    #[serde(flatten)]
    pub key: RowKey,
    /// Before; none if there was no such request.
    pub before: Option<Side>,
    /// Now; likewise.
    pub after: Option<Side>,
}

/// One side of a difference.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct Side {
    /// Requests.
    pub requests: u64,
    /// Read and write units.
    pub units: f64,
    /// Cost on demand.
    pub cost: f64,
}

impl Difference {
    /// Returns the growth of the cost.
    pub fn growth(&self) -> f64 {
        let cost = |side: Option<Side>| side.map_or(0.0, |side| side.cost);
        cost(self.after) - cost(self.before)
    }
}

/// Returns the kinds that differ between two bills, the largest growth first.
pub fn compare(before: &Bill, after: &Bill) -> Vec<Difference> {
    let mut all: BTreeMap<RowKey, (Option<Side>, Option<Side>)> = BTreeMap::new();
    for line in &before.lines {
        add(&mut all.entry(without_caller(&line.key)).or_default().0, line);
    }
    for line in &after.lines {
        add(&mut all.entry(without_caller(&line.key)).or_default().1, line);
    }
    let mut differences: Vec<Difference> = all
        .into_iter()
        .map(|(key, (before, after))| Difference { key, before, after })
        .filter(|one| one.before != one.after)
        .collect();
    differences.sort_by(|one, other| {
        other.growth().total_cmp(&one.growth()).then(one.key.cmp(&other.key))
    });
    differences
}

fn without_caller(key: &RowKey) -> RowKey {
    RowKey { caller: String::new(), ..key.clone() }
}

fn add(side: &mut Option<Side>, line: &Line) {
    let sum = side.get_or_insert_default();
    sum.requests = sum.requests.saturating_add(line.used.requests);
    sum.units += line.used.read_units + line.used.write_units;
    sum.cost += line.cost;
}

/// Limit of the cost of a recording.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Budget {
    /// An amount, in the currency of the prices.
    Amount(f64),
    /// Percent more than the cost before.
    Percent(f64),
}

impl Budget {
    /// Returns the most that may be spent; none if that depends on `before` and it is none.
    pub fn most(self, before: Option<f64>) -> Option<f64> {
        match self {
            Self::Amount(most) => Some(most),
            Self::Percent(percent) => before.map(|before| before * (1.0 + percent / 100.0)),
        }
    }

    /// Returns whether `after` is over the budget by more than a millionth of it.
    pub fn is_exceeded(self, before: Option<f64>, after: f64) -> bool {
        self.most(before).is_some_and(|most| after > most + most * 1e-6)
    }
}

impl FromStr for Budget {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wanted = || format!("{text:?} is no budget: write 5% or 0.02");
        let number = |text: &str| {
            let number = text.trim().parse::<f64>().map_err(|_| wanted())?;
            if number.is_finite() && number >= 0.0 { Ok(number) } else { Err(wanted()) }
        };
        match text.trim().strip_suffix('%') {
            Some(percent) => number(percent.trim_start_matches('+')).map(Self::Percent),
            None => number(text.trim().trim_start_matches('$')).map(Self::Amount),
        }
    }
}

impl fmt::Display for Budget {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Amount(most) => formatter.write_str(&crate::dollars(*most)),
            Self::Percent(percent) => write!(formatter, "{percent} % more than before"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Pattern, PriceList, Recording, Row, Used, bill};

    fn bill_of(rows: &[(&str, &str, f64)]) -> Bill {
        let row = |(pattern, caller, read_units): &(&str, &str, f64)| Row {
            key: RowKey {
                operation: "Scan".to_owned(),
                table: "t".to_owned(),
                index: None,
                pattern: Pattern::read(&format!("{pattern} = ?")).unwrap(),
                caller: (*caller).to_owned(),
            },
            used: Used { requests: 1, read_units: *read_units, ..Used::default() },
        };
        let recording = Recording { rows: rows.iter().map(row).collect(), ..Recording::new(0, 0) };
        bill(&recording, &PriceList::of_region("us-east-1").unwrap())
    }

    #[test]
    fn what_became_dearer_comes_first_and_callers_do_not_count() {
        let before = bill_of(&[("a", "one", 1e6), ("b", "", 2e6), ("same", "", 5.0)]);
        let after = bill_of(&[("a", "two", 3e6), ("c", "", 1e6), ("same", "", 5.0)]);
        let differences = compare(&before, &after);
        let told: Vec<(String, f64)> =
            differences.iter().map(|one| (one.key.pattern.to_string(), one.growth())).collect();
        let expected = [("a = ?", 0.25), ("c = ?", 0.125), ("b = ?", -0.25)];
        assert_eq!(told, expected.map(|(pattern, growth)| (pattern.to_owned(), growth)));
    }

    #[test]
    fn a_budget_is_an_amount_or_a_growth() {
        assert_eq!("5%".parse(), Ok(Budget::Percent(5.0)));
        assert_eq!(" +2.5 %".parse(), Ok(Budget::Percent(2.5)));
        assert_eq!("$0.02".parse(), Ok(Budget::Amount(0.02)));
        for wrong in ["", "five", "-1", "NaN", "inf", "5%%", "-3%"] {
            assert!(wrong.parse::<Budget>().is_err(), "{wrong}");
        }
        assert!(!Budget::Percent(10.0).is_exceeded(Some(1.0), 1.1));
        assert!(Budget::Percent(10.0).is_exceeded(Some(1.0), 1.11));
        assert!(Budget::Percent(0.0).is_exceeded(Some(0.0), 0.001));
        assert!(!Budget::Amount(0.02).is_exceeded(None, 0.02));
        assert!(Budget::Amount(0.02).is_exceeded(None, 0.021));
    }
}
