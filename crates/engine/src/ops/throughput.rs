//! Billing mode, provisioned and on-demand throughput as CreateTable and UpdateTable take them.

use crate::schema::{Billing, OnDemandLimits, Throughput, WarmUnits};
use hashrange_model::Reason;
use hashrange_wire as wire;

/// Largest throughput that can be asked for. Source: API reference, as enforced.
const UNITS_MAX: i64 = 1_000_000_000_000;

/// Returns the billing mode; the default is provisioned.
pub(super) fn billing(mode: Option<wire::BillingMode>) -> Billing {
    match mode {
        Some(wire::BillingMode::PayPerRequest) => Billing::PayPerRequest,
        Some(wire::BillingMode::Provisioned) | None => Billing::Provisioned,
    }
}

/// Returns the throughput of a new table under its billing mode.
pub(super) fn of_table(
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

/// Returns the throughput of a global index under its table's billing mode.
pub(super) fn of_index(
    billing: Billing,
    index: &str,
    asked: Option<&wire::ProvisionedThroughput>,
) -> Result<Throughput, Reason> {
    match (billing, asked) {
        (Billing::PayPerRequest, Some(_)) => Err(Reason::IndexThroughputOnDemand(index.to_owned())),
        (Billing::PayPerRequest, None) => Ok(Throughput::default()),
        (Billing::Provisioned, None) => Err(Reason::IndexThroughputMissing(index.to_owned())),
        (Billing::Provisioned, Some(asked)) => provisioned(asked),
    }
}

/// Returns provisioned units within bounds.
pub(super) fn provisioned(asked: &wire::ProvisionedThroughput) -> Result<Throughput, Reason> {
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
pub(super) fn changed(old: &Throughput, new: &Throughput, now_ms: u64) -> Throughput {
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

const READ_LIMIT: &str = "MaxReadRequestUnits";
const WRITE_LIMIT: &str = "MaxWriteRequestUnits";

/// Returns the on-demand limits of a new table or index, which has none that -1 could remove.
pub(super) fn new_on_demand(
    asked: Option<&wire::OnDemandThroughput>,
) -> Result<Option<OnDemandLimits>, Reason> {
    if let Some(asked) = asked {
        limit(asked.max_read_request_units, READ_LIMIT)?;
        limit(asked.max_write_request_units, WRITE_LIMIT)?;
    }
    on_demand(None, asked)
}

/// Returns on-demand limits: those known, with the members given put over them; -1 removes one.
pub(super) fn on_demand(
    known: Option<OnDemandLimits>,
    asked: Option<&wire::OnDemandThroughput>,
) -> Result<Option<OnDemandLimits>, Reason> {
    let Some(asked) = asked else { return Ok(known) };
    let known = known.unwrap_or_default();
    let merge = |known: Option<i64>, asked: Option<i64>, member| match asked {
        Some(-1) => Ok(None),
        Some(units) => limit(Some(units), member),
        None => Ok(known),
    };
    let limits = OnDemandLimits {
        read: merge(known.read, asked.max_read_request_units, READ_LIMIT)?,
        write: merge(known.write, asked.max_write_request_units, WRITE_LIMIT)?,
    };
    Ok((limits != OnDemandLimits::default()).then_some(limits))
}

fn limit(units: Option<i64>, member: &'static str) -> Result<Option<i64>, Reason> {
    match units {
        Some(units) if units < 1 => Err(Reason::OnDemandLimitTooLow(member)),
        units => Ok(units),
    }
}

/// Returns warm throughput; a member not given keeps what the table has.
pub(super) fn warm(
    known: Option<WarmUnits>,
    asked: Option<&wire::WarmThroughput>,
) -> Option<WarmUnits> {
    let asked = asked?;
    Some(WarmUnits {
        read: asked.read_units_per_second.or(known.map(|known| known.read)).unwrap_or(0),
        write: asked.write_units_per_second.or(known.map(|known| known.write)).unwrap_or(0),
    })
    .or(known)
}
