//! What UpdateTable answers: the table as it is described from now on, except that changes which
//! the service makes in the background still show the old values. Source: answers of 2026-10.

use crate::schema::{Billing, IndexRecord, TableRecord};
use hashrange_wire::{
    GlobalSecondaryIndexDescription, IndexStatus, ProvisionedThroughputDescription, SSEDescription,
    SSEStatus, TableDescription, TableStatus,
};

/// Returns the answer to a change from the table `old`, described as `before`, to `new`.
pub(super) fn of_change(
    old: &TableRecord,
    before: &TableDescription,
    new: &TableRecord,
    mut after: TableDescription,
) -> TableDescription {
    let is_stream_changed = old.stream != new.stream;
    let is_class_changed = before.table_class_summary.as_ref().map(|summary| summary.table_class)
        != after.table_class_summary.as_ref().map(|summary| summary.table_class);
    let are_units_changed =
        (old.throughput.read, old.throughput.write) != (new.throughput.read, new.throughput.write);
    if old.billing == new.billing && new.billing == Billing::Provisioned {
        after.provisioned_throughput =
            old_units(before.provisioned_throughput.as_ref(), after.provisioned_throughput.take());
    }
    if is_class_changed {
        after.table_class_summary.clone_from(&before.table_class_summary);
    }
    show_old_warm(old, before, new, &mut after);
    if old.encryption != new.encryption {
        let shown = after.sse_description.take().is_some() && old.encryption.is_some();
        let before = before.sse_description.clone().unwrap_or_default();
        let before = if shown { before } else { SSEDescription::default() };
        after.sse_description =
            Some(SSEDescription { status: Some(SSEStatus::Updating), ..before });
    }
    let is_set_changed = show_indexes(old, before, new, &mut after);
    let is_updating = is_stream_changed
        || is_class_changed
        || are_units_changed
        || old.billing != new.billing
        || is_set_changed;
    if is_updating {
        after.table_status = Some(TableStatus::Updating);
    }
    after
}

/// Returns the units and the counter of before with the dates of after.
fn old_units(
    before: Option<&ProvisionedThroughputDescription>,
    after: Option<ProvisionedThroughputDescription>,
) -> Option<ProvisionedThroughputDescription> {
    let (before, after) = (before?, after?);
    Some(ProvisionedThroughputDescription {
        number_of_decreases_today: before.number_of_decreases_today,
        read_capacity_units: before.read_capacity_units,
        write_capacity_units: before.write_capacity_units,
        ..after
    })
}

/// Warm throughput that was asked for shows the old values until it is there.
fn show_old_warm(
    old: &TableRecord,
    before: &TableDescription,
    new: &TableRecord,
    after: &mut TableDescription,
) {
    let is_asked = (old.billing, old.throughput) == (new.billing, new.throughput);
    if old.warm == new.warm || !is_asked {
        return;
    }
    after.warm_throughput.clone_from(&before.warm_throughput);
    if let Some(warm) = &mut after.warm_throughput {
        warm.status = Some(TableStatus::Updating);
    }
}

/// Shows what happens to the indexes. Returns whether one comes or goes.
fn show_indexes(
    old: &TableRecord,
    before: &TableDescription,
    new: &TableRecord,
    after: &mut TableDescription,
) -> bool {
    let is_of = |name: &str| {
        let name = name.to_owned();
        move |index: &&GlobalSecondaryIndexDescription| index.index_name.as_ref() == Some(&name)
    };
    let described = before.global_secondary_indexes.iter().flatten();
    let mut is_set_changed = false;
    for index in after.global_secondary_indexes.iter_mut().flatten() {
        let name = index.index_name.clone().unwrap_or_default();
        let Some(known) = old.index(&name) else {
            index.backfilling = Some(false);
            is_set_changed = true;
            continue;
        };
        let was = described.clone().find(is_of(&name));
        if let (Some(was), Some(changed)) = (was, new.index(&name)) {
            show_change(index, was, known, changed, old.billing == new.billing);
        }
    }
    for gone in old.visible_indexes().filter(|index| new.index(&index.name).is_none()) {
        let Some(was) = described.clone().find(is_of(&gone.name)) else { continue };
        after.global_secondary_indexes.get_or_insert_default().push(
            GlobalSecondaryIndexDescription {
                index_status: Some(IndexStatus::Deleting),
                backfilling: None,
                ..was.clone()
            },
        );
        is_set_changed = true;
    }
    is_set_changed
}

fn show_change(
    index: &mut GlobalSecondaryIndexDescription,
    was: &GlobalSecondaryIndexDescription,
    old: &IndexRecord,
    new: &IndexRecord,
    is_billing_kept: bool,
) {
    let are_units_changed =
        (old.throughput.read, old.throughput.write) != (new.throughput.read, new.throughput.write);
    if is_billing_kept && are_units_changed {
        index.index_status = Some(IndexStatus::Updating);
        index.provisioned_throughput =
            old_units(was.provisioned_throughput.as_ref(), index.provisioned_throughput.take());
    } else if is_billing_kept && old.warm != new.warm {
        index.warm_throughput.clone_from(&was.warm_throughput);
        if let Some(warm) = &mut index.warm_throughput {
            warm.status = Some(IndexStatus::Updating);
        }
    }
}
