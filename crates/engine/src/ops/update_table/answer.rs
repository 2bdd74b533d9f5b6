//! The description that UpdateTable returns: the table after the change, except that changes which
//! the service makes in the background still show the old values. Source: answers of 2026-10.

use crate::schema::{Billing, IndexRecord, StorageClass, TableRecord, Throughput};
use hashrange_model::error::UnderWay;
use hashrange_wire::{
    GlobalSecondaryIndexDescription, IndexStatus, ProvisionedThroughputDescription, SSEDescription,
    SSEStatus, TableClass, TableDescription, TableStatus,
};

/// Returns the changes that the service makes in the background from `old` to `new`; requested
/// encryption counts as a change even if the table has it already.
pub(super) fn changes(
    old: &TableRecord,
    new: &TableRecord,
    is_encryption_asked: bool,
) -> Vec<UnderWay> {
    let mut changes = Vec::new();
    let is_billing_kept = old.billing == new.billing;
    let are_units_kept = units(&old.throughput) == units(&new.throughput);
    if !is_billing_kept {
        changes.push(UnderWay::BillingMode { to_on_demand: new.billing == Billing::PayPerRequest });
    } else if !are_units_kept {
        changes.push(UnderWay::Units);
    }
    if let Some(stream) = new.stream.as_ref().filter(|_| old.stream != new.stream) {
        changes.push(UnderWay::Stream { label: stream.label.clone(), enables: stream.enabled });
    }
    if class(old) != class(new) {
        changes.push(UnderWay::Class(match class(new) {
            StorageClass::Standard => TableClass::Standard.as_str(),
            StorageClass::InfrequentAccess => TableClass::StandardInfrequentAccess.as_str(),
        }));
    }
    if is_encryption_asked {
        changes.push(UnderWay::Encryption);
    }
    if is_billing_kept && are_units_kept && old.warm != new.warm {
        changes.push(UnderWay::Warm);
    }
    for index in new.visible_indexes() {
        let known = old.index(&index.name);
        changes.extend(match known {
            None => Some(UnderWay::IndexAllocation(index.name.clone())),
            Some(known) => index_change(known, index).filter(|_| is_billing_kept),
        });
    }
    let gone = old.visible_indexes().filter(|index| new.index(&index.name).is_none());
    changes.extend(gone.map(|index| UnderWay::IndexDeletion(index.name.clone())));
    changes
}

fn units(throughput: &Throughput) -> (i64, i64) {
    (throughput.read, throughput.write)
}

fn class(record: &TableRecord) -> StorageClass {
    record.class.map_or(StorageClass::Standard, |(class, _)| class)
}

fn index_change(old: &IndexRecord, new: &IndexRecord) -> Option<UnderWay> {
    if units(&old.throughput) != units(&new.throughput) {
        return Some(UnderWay::IndexUpdate(new.name.clone()));
    }
    (old.warm != new.warm).then(|| UnderWay::IndexWarm(new.name.clone()))
}

/// Returns the description for changes of a table, from its descriptions before and after them.
pub(super) fn of_changes(
    changes: &[UnderWay],
    before: &TableDescription,
    mut after: TableDescription,
) -> TableDescription {
    for change in changes {
        match change {
            UnderWay::Units => {
                after.provisioned_throughput = old_units(
                    before.provisioned_throughput.as_ref(),
                    after.provisioned_throughput.take(),
                );
                after.table_status = Some(TableStatus::Updating);
            }
            UnderWay::Class(_) => {
                after.table_class_summary.clone_from(&before.table_class_summary);
                after.table_status = Some(TableStatus::Updating);
            }
            UnderWay::BillingMode { .. } | UnderWay::Stream { .. } => {
                after.table_status = Some(TableStatus::Updating);
            }
            UnderWay::Encryption => {
                after.sse_description = Some(SSEDescription {
                    status: Some(SSEStatus::Updating),
                    ..before.sse_description.clone().unwrap_or_default()
                });
            }
            UnderWay::Warm => {
                after.warm_throughput.clone_from(&before.warm_throughput);
                if let Some(warm) = &mut after.warm_throughput {
                    warm.status = Some(TableStatus::Updating);
                }
            }
            UnderWay::IndexAllocation(name) | UnderWay::IndexBackfill(name) => {
                if let Some(created) = index(&mut after, name) {
                    created.backfilling = Some(false);
                }
                after.table_status = Some(TableStatus::Updating);
            }
            UnderWay::IndexDeletion(name) => {
                let deleted = index_of(before, name).map(|was| GlobalSecondaryIndexDescription {
                    index_status: Some(IndexStatus::Deleting),
                    backfilling: None,
                    ..was.clone()
                });
                after.global_secondary_indexes.get_or_insert_default().extend(deleted);
                after.table_status = Some(TableStatus::Updating);
            }
            UnderWay::IndexUpdate(name) => {
                let was = index_of(before, name);
                if let Some(changed) = index(&mut after, name) {
                    changed.index_status = Some(IndexStatus::Updating);
                    changed.provisioned_throughput = old_units(
                        was.and_then(|was| was.provisioned_throughput.as_ref()),
                        changed.provisioned_throughput.take(),
                    );
                }
            }
            UnderWay::IndexWarm(name) => {
                let was = index_of(before, name).and_then(|was| was.warm_throughput.clone());
                if let Some(changed) = index(&mut after, name) {
                    changed.warm_throughput = was;
                    if let Some(warm) = &mut changed.warm_throughput {
                        warm.status = Some(IndexStatus::Updating);
                    }
                }
            }
        }
    }
    after
}

fn index<'d>(
    description: &'d mut TableDescription,
    name: &str,
) -> Option<&'d mut GlobalSecondaryIndexDescription> {
    let mut described = description.global_secondary_indexes.iter_mut().flatten();
    described.find(|index| index.index_name.as_deref() == Some(name))
}

fn index_of<'d>(
    description: &'d TableDescription,
    name: &str,
) -> Option<&'d GlobalSecondaryIndexDescription> {
    let mut described = description.global_secondary_indexes.iter().flatten();
    described.find(|index| index.index_name.as_deref() == Some(name))
}

/// Returns the units and the counter of `before` with the dates of `after`.
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
