//! Changes of billing mode and of provisioned, on-demand and warm throughput of a table.

use crate::definition::throughput;
use crate::schema::{Billing, IndexKind, TableRecord, Throughput};
use hashrange_model::Reason;
use hashrange_wire::{BillingMode, ProvisionedThroughput, UpdateTableInput};

/// Applies the requested changes of a table's throughput to its record.
pub(super) fn change(
    record: &mut TableRecord,
    input: &UpdateTableInput<'_>,
    now_ms: u64,
) -> Result<(), Reason> {
    let asked = input.provisioned_throughput.as_ref();
    match (input.billing_mode, asked) {
        (Some(BillingMode::PayPerRequest), _) => to_on_demand(record, now_ms),
        (Some(BillingMode::Provisioned), Some(asked))
            if record.billing == Billing::PayPerRequest =>
        {
            to_provisioned(record, asked, now_ms)?;
        }
        (_, Some(asked)) => change_units(record, asked, now_ms)?,
        (_, None) => {}
    }
    let maxima = input.on_demand_throughput.as_ref();
    throughput::check_billing_of_maxima(record.billing, None, maxima, true)?;
    record.on_demand = throughput::on_demand(record.on_demand, None, maxima)?;
    let current = throughput::warm_now(record.billing, record.warm, &record.throughput);
    let raised = throughput::raised_warm(current, None, input.warm_throughput.as_ref())?;
    record.warm = raised.or(record.warm);
    Ok(())
}

/// Makes a table on demand; leaves a table that is already on demand as it is.
fn to_on_demand(record: &mut TableRecord, now_ms: u64) {
    if record.billing == Billing::PayPerRequest {
        return;
    }
    record.billing = Billing::PayPerRequest;
    record.on_demand_since_ms = Some(now_ms);
    record.throughput = Throughput::default();
    for index in &mut record.indexes {
        index.throughput = Throughput::default();
    }
}

/// Makes a table provisioned; drops its maxima, and requires throughput for each of its global
/// indexes.
fn to_provisioned(
    record: &mut TableRecord,
    asked: &ProvisionedThroughput,
    now_ms: u64,
) -> Result<(), Reason> {
    record.billing = Billing::Provisioned;
    record.on_demand = None;
    let new = throughput::provisioned(asked)?;
    record.throughput = throughput::changed(&record.throughput, &new, now_ms);
    let missing: Vec<String> = record
        .visible_indexes()
        .filter(|index| index.kind == IndexKind::Global && index.throughput.read == 0)
        .map(|index| index.name.clone())
        .collect();
    for index in &mut record.indexes {
        index.on_demand = None;
    }
    if missing.is_empty() { Ok(()) } else { Err(Reason::UpdateIndexThroughputMissing(missing)) }
}

fn change_units(
    record: &mut TableRecord,
    asked: &ProvisionedThroughput,
    now_ms: u64,
) -> Result<(), Reason> {
    if record.billing == Billing::PayPerRequest {
        return Err(Reason::ThroughputOnDemand);
    }
    let new = throughput::provisioned(asked)?;
    if (new.read, new.write) == (record.throughput.read, record.throughput.write) {
        return Err(Reason::ThroughputUnchanged { read: new.read, write: new.write });
    }
    record.throughput = throughput::changed(&record.throughput, &new, now_ms);
    Ok(())
}

/// Records warm throughput that would otherwise fall with a change of units or billing mode.
pub(super) fn keep_warm(old: &TableRecord, record: &mut TableRecord) {
    let before = throughput::warm_now(old.billing, old.warm, &old.throughput);
    record.warm = throughput::kept_warm(before, record.billing, record.warm, &record.throughput);
    let billing = record.billing;
    for index in record.indexes.iter_mut().filter(|index| index.kind == IndexKind::Global) {
        let known = old.indexes.iter().find(|known| known.id == index.id);
        if let Some(known) = known {
            let before = throughput::warm_now(old.billing, known.warm, &known.throughput);
            index.warm = throughput::kept_warm(before, billing, index.warm, &index.throughput);
        }
    }
}
