//! Billing mode, provisioned, on-demand and warm throughput of tables and global indexes in
//! CreateTable and UpdateTable.

use crate::schema::{Billing, OnDemandLimits, Throughput, WarmUnits};
use hashrange_model::Reason;
use hashrange_model::error::{TableFault, WarmFloor};
use hashrange_wire as wire;

/// Largest throughput that a request may ask for. Source: API reference, as enforced.
const UNITS_MAX: i64 = 1_000_000_000_000;
/// Warm throughput of an on-demand table for which no request has raised it. Source: developer
/// guide, warm throughput.
const WARM_ON_DEMAND: WarmUnits = WarmUnits { read: 12_000, write: 4_000 };

/// Returns the billing mode; the default is provisioned.
pub(crate) fn billing(mode: Option<wire::BillingMode>) -> Billing {
    match mode {
        Some(wire::BillingMode::PayPerRequest) => Billing::PayPerRequest,
        Some(wire::BillingMode::Provisioned) | None => Billing::Provisioned,
    }
}

/// Returns the throughput of a new table under its billing mode.
pub(crate) fn of_table(
    billing: Billing,
    asked: Option<&wire::ProvisionedThroughput>,
) -> Result<Throughput, Reason> {
    match (billing, asked) {
        (Billing::PayPerRequest, Some(_)) => Err(Reason::ThroughputOnDemand),
        (Billing::PayPerRequest, None) => Ok(Throughput::default()),
        (Billing::Provisioned, None) => Err(Reason::ThroughputMissing),
        (Billing::Provisioned, Some(asked)) => provisioned(asked),
    }
}

/// Returns the throughput of a global index under its table's billing mode; `missing` makes the
/// reason for an index that needs throughput and has none.
pub(crate) fn of_index(
    billing: Billing,
    index: &str,
    asked: Option<&wire::ProvisionedThroughput>,
    of_update: bool,
    missing: impl FnOnce(String) -> Reason,
) -> Result<Throughput, Reason> {
    match (billing, asked) {
        (Billing::PayPerRequest, Some(_)) => {
            Err(Reason::IndexThroughputOnDemand { index: index.to_owned(), of_update })
        }
        (Billing::PayPerRequest, None) => Ok(Throughput::default()),
        (Billing::Provisioned, None) => Err(missing(index.to_owned())),
        (Billing::Provisioned, Some(asked)) => provisioned(asked),
    }
}

/// Returns provisioned units within bounds.
pub(crate) fn provisioned(asked: &wire::ProvisionedThroughput) -> Result<Throughput, Reason> {
    let units = |value: Option<i64>, member| match value {
        Some(value) if value > UNITS_MAX => Err(Reason::ThroughputOutOfBounds { value, member }),
        Some(value) => Ok(value),
        None => Err(Reason::ThroughputMissing),
    };
    Ok(Throughput {
        read: units(asked.read_capacity_units, "ReadCapacityUnits")?,
        write: units(asked.write_capacity_units, "WriteCapacityUnits")?,
        ..Throughput::default()
    })
}

/// Returns the throughput after a change, with the times of rises and falls.
pub(crate) fn changed(old: &Throughput, new: &Throughput, now_ms: u64) -> Throughput {
    let is_raised = new.read > old.read || new.write > old.write;
    let is_lowered = new.read < old.read || new.write < old.write;
    Throughput {
        increased_at_ms: if is_raised { Some(now_ms) } else { old.increased_at_ms },
        decreased_at_ms: if is_lowered { Some(now_ms) } else { old.decreased_at_ms },
        decreases_that_day: if is_lowered {
            old.decreases_on_day_of(now_ms) + 1
        } else {
            old.decreases_that_day
        },
        ..*new
    }
}

const READ_MAXIMUM: &str = "MaxReadRequestUnits";
const WRITE_MAXIMUM: &str = "MaxWriteRequestUnits";

/// Returns the name of the first maximum that is given; an empty structure counts as absent.
fn first_maximum(asked: Option<&wire::OnDemandThroughput>) -> Option<&'static str> {
    let asked = asked?;
    let read = asked.max_read_request_units.map(|_| READ_MAXIMUM);
    read.or_else(|| asked.max_write_request_units.map(|_| WRITE_MAXIMUM))
}

/// Returns whether a maximum is given.
pub(crate) fn has_maximum(asked: Option<&wire::OnDemandThroughput>) -> bool {
    first_maximum(asked).is_some()
}

/// Refuses maxima for a provisioned table, or for an index of one.
pub(crate) fn check_billing_of_maxima(
    billing: Billing,
    index: Option<&str>,
    asked: Option<&wire::OnDemandThroughput>,
    of_update: bool,
) -> Result<(), Reason> {
    match first_maximum(asked) {
        Some(member) if billing == Billing::Provisioned => {
            let index = index.map(str::to_owned);
            Err(Reason::TableDefinition(TableFault::MaximumOnProvisioned {
                index,
                member,
                of_update,
            }))
        }
        _ => Ok(()),
    }
}

/// Returns the on-demand limits of a new table or index. -1 is refused: there is no limit to
/// remove.
pub(crate) fn new_on_demand(
    index: Option<&str>,
    asked: Option<&wire::OnDemandThroughput>,
) -> Result<Option<OnDemandLimits>, Reason> {
    if let Some(asked) = asked {
        maximum(index, asked.max_read_request_units, READ_MAXIMUM)?;
        maximum(index, asked.max_write_request_units, WRITE_MAXIMUM)?;
    }
    on_demand(None, index, asked)
}

/// Returns on-demand limits: the known ones, replaced by the given members; -1 removes a limit.
pub(crate) fn on_demand(
    known: Option<OnDemandLimits>,
    index: Option<&str>,
    asked: Option<&wire::OnDemandThroughput>,
) -> Result<Option<OnDemandLimits>, Reason> {
    let Some(asked) = asked else { return Ok(known) };
    let known = known.unwrap_or_default();
    let merge = |known: Option<i64>, asked: Option<i64>, member| match asked {
        Some(-1) => Ok(None),
        Some(units) => maximum(index, Some(units), member),
        None => Ok(known),
    };
    let limits = OnDemandLimits {
        read: merge(known.read, asked.max_read_request_units, READ_MAXIMUM)?,
        write: merge(known.write, asked.max_write_request_units, WRITE_MAXIMUM)?,
    };
    Ok((limits != OnDemandLimits::default()).then_some(limits))
}

fn maximum(
    index: Option<&str>,
    units: Option<i64>,
    member: &'static str,
) -> Result<Option<i64>, Reason> {
    match units {
        Some(units) if units < 1 => {
            let index = index.map(str::to_owned);
            Err(Reason::TableDefinition(TableFault::MaximumOutOfRange { index, member }))
        }
        units => Ok(units),
    }
}

/// Returns the warm throughput of a table or index: the recorded one, or the one that its billing
/// mode and units begin with.
pub(crate) fn warm_now(
    billing: Billing,
    recorded: Option<WarmUnits>,
    throughput: &Throughput,
) -> WarmUnits {
    recorded.unwrap_or(match billing {
        Billing::PayPerRequest => WARM_ON_DEMAND,
        Billing::Provisioned => WarmUnits { read: throughput.read, write: throughput.write },
    })
}

/// Returns the warm throughput that a new table or index requests; a missing member takes the value
/// that the table or index begins with.
pub(crate) fn new_warm(
    billing: Billing,
    index: Option<&str>,
    throughput: &Throughput,
    asked: Option<&wire::WarmThroughput>,
) -> Result<Option<WarmUnits>, Reason> {
    let floor = match billing {
        Billing::PayPerRequest => WarmFloor::OnDemand,
        Billing::Provisioned => WarmFloor::Provisioned,
    };
    warm_above(warm_now(billing, None, throughput), floor, index, asked)
}

/// Returns the warm throughput that is requested for a table or index which has `current`.
pub(crate) fn raised_warm(
    current: WarmUnits,
    index: Option<&str>,
    asked: Option<&wire::WarmThroughput>,
) -> Result<Option<WarmUnits>, Reason> {
    warm_above(current, WarmFloor::Current, index, asked)
}

fn warm_above(
    least: WarmUnits,
    floor: WarmFloor,
    index: Option<&str>,
    asked: Option<&wire::WarmThroughput>,
) -> Result<Option<WarmUnits>, Reason> {
    let Some(asked) = asked else { return Ok(None) };
    let units = |asked: Option<i64>, least: i64, is_write| match asked {
        Some(units) if units < least => {
            let index = index.map(str::to_owned);
            Err(Reason::TableDefinition(TableFault::WarmTooLow { index, is_write, floor }))
        }
        asked => Ok(asked.unwrap_or(least)),
    };
    let read = units(asked.read_units_per_second, least.read, false)?;
    let write = units(asked.write_units_per_second, least.write, true)?;
    Ok((is_warm_given(asked)).then_some(WarmUnits { read, write }))
}

/// Returns whether a warm throughput has a member.
pub(crate) fn is_warm_given(asked: &wire::WarmThroughput) -> bool {
    asked.read_units_per_second.is_some() || asked.write_units_per_second.is_some()
}

/// Returns the warm throughput to record after a change, so that it never falls. Source: answers of
/// 2026-10: a provisioned table is as warm as its highest units so far, and keeps the warm
/// throughput that it had on demand.
pub(crate) fn kept_warm(
    before: WarmUnits,
    billing: Billing,
    recorded: Option<WarmUnits>,
    throughput: &Throughput,
) -> Option<WarmUnits> {
    let begun = warm_now(billing, None, throughput);
    let kept = recorded.unwrap_or(begun);
    let highest = WarmUnits {
        read: before.read.max(begun.read).max(kept.read),
        write: before.write.max(begun.write).max(kept.write),
    };
    (recorded.is_some() || highest != begun).then_some(highest)
}
