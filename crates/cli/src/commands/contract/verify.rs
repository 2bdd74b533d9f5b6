//! `hashrange contract --verify`: explains the examples of a contract's patterns. Reads run to
//! their end, and their units are counted; writes are decided on the present items, and not
//! committed.
//!
//! Left to others: the units of a request and its pattern (EXPLAIN), and the contract's pattern for
//! it (the crate `cost`): so an example is matched as such a request is while a server runs it.

use crate::client::Client;
use crate::commands::api;
use crate::exit::CheckFailed;
use crate::output::{self, printer::Printer, table::Table};
use anyhow::Context;
use hashrange::Operation;
use hashrange::cost::{AccessPattern, Contract, KeyRef, Pattern, dollars, units};
use serde_json::{Value, json};

/// Outcome of an example.
struct Verified<'c> {
    pattern: &'c AccessPattern,
    /// None if there is no example.
    units: Option<f64>,
    /// Price of a million such requests, if prices are known.
    million: Option<f64>,
    fault: Option<String>,
}

/// Explains the example of each pattern, and fails if one cannot be run, matches another pattern,
/// or uses too many units.
pub fn run(client: &mut Client, contract: &Contract, printer: &Printer) -> anyhow::Result<()> {
    let mut verified = Vec::with_capacity(contract.patterns.len());
    for pattern in &contract.patterns {
        verified.push(of_pattern(client, contract, pattern)?);
    }
    print(&verified, printer)?;
    match verified.iter().filter(|it| it.fault.is_some()).count() {
        0 => Ok(()),
        faults => {
            Err(CheckFailed::new(format!("{faults} of the examples are not as the contract says"))
                .into())
        }
    }
}

fn of_pattern<'c>(
    client: &mut Client,
    contract: &Contract,
    pattern: &'c AccessPattern,
) -> anyhow::Result<Verified<'c>> {
    let mut verified = Verified { pattern, units: None, million: None, fault: None };
    let Some(example) = &pattern.example else { return Ok(verified) };
    let analyzes = matches!(
        api::operation(&pattern.operation)?,
        Operation::GetItem | Operation::Query | Operation::Scan
    );
    let request = json!({
        "Operation": pattern.operation, "Request": example, "Analyze": analyzes,
    });
    match client.call_own("Explain", &request) {
        Err(error) => verified.fault = Some(error.to_string()),
        Ok(answer) => {
            let explanation = &answer["Explanation"];
            let used = units_of(explanation);
            verified.units = Some(used);
            verified.million = explanation["Price"]["Million"]["AtMost"].as_f64();
            let asked: Pattern = serde_json::from_value(answer["Pattern"].clone())
                .context("the answer lacks its pattern")?;
            verified.fault = mismatch(contract, pattern, explanation, &asked)
                .or_else(|| refusal(explanation))
                .or_else(|| over(pattern, used));
        }
    }
    Ok(verified)
}

/// Returns the mismatch of an example and its pattern. The other tables of a batch or transaction
/// may have patterns of their own in the contract.
fn mismatch(
    contract: &Contract,
    pattern: &AccessPattern,
    explanation: &Value,
    asked: &Pattern,
) -> Option<String> {
    // A part that the database refuses by itself may name no table.
    let keys = steps(explanation).filter_map(|step| {
        let (table, index) = (step["Table"].as_str()?, step["Index"].as_str());
        Some(KeyRef { operation: &pattern.operation, table, index, pattern: asked, caller: "" })
    });
    let keys: Vec<KeyRef<'_>> = keys.collect();
    let is_several = keys.iter().any(|key| key.table == pattern.table);
    let is_of_other = |key: &KeyRef<'_>| {
        is_several && key.table != pattern.table && contract.find(*key).is_some()
    };
    let mismatch = |key: &KeyRef<'_>| contract.mismatch(pattern, *key);
    let mut own = keys.iter().filter(|key| !is_of_other(key));
    own.find_map(mismatch).map(|mismatch| mismatch.to_string())
}

fn refusal(explanation: &Value) -> Option<String> {
    let refused = steps(explanation).find_map(|step| step["Refused"].as_str())?;
    Some(format!("refused: {refused}"))
}

fn over(pattern: &AccessPattern, used: f64) -> Option<String> {
    let most = pattern.most_units.filter(|most| used > *most)?;
    Some(format!("over {}", units(most)))
}

/// Returns the members of each step.
fn steps(explanation: &Value) -> impl Iterator<Item = &Value> {
    let steps = explanation["Steps"].as_array().into_iter().flatten();
    steps.filter_map(Value::as_object).flat_map(|step| step.values())
}

fn units_of(explanation: &Value) -> f64 {
    let sum = |on: &Value| {
        let each = on.as_array().into_iter().flatten();
        each.filter_map(|it| it["Units"].as_f64()).fold(0.0, |sum, units| sum + units)
    };
    match &explanation["Together"] {
        Value::Null => steps(explanation).fold(0.0, |all, step| {
            all + match &step["Counted"] {
                Value::Null => sum(&step["Units"]),
                counted => sum(&counted["Units"]),
            }
        }),
        together => sum(&together["Units"]),
    }
}

fn print(verified: &[Verified<'_>], printer: &Printer) -> anyhow::Result<()> {
    if printer.format != crate::arguments::Format::Table {
        return verified.iter().try_for_each(|it| {
            output::line(json!({
                "Name": it.pattern.name, "Units": it.units, "Million": it.million,
                "Fault": it.fault,
            }))
        });
    }
    let mut table = Table::new(&["pattern", "units", "a million", ""].map(str::to_owned));
    for it in verified {
        let remark = match (&it.fault, it.units) {
            (Some(fault), _) => fault.clone(),
            (None, None) => "no example".to_owned(),
            (None, Some(_)) => String::new(),
        };
        let figures = [
            it.units.map(units).unwrap_or_default(),
            it.million.map(dollars).unwrap_or_default(),
            remark,
        ];
        table.add_figures(std::slice::from_ref(&it.pattern.name), &figures);
    }
    printer.table(&table)
}
