//! Checks which changes one UpdateTable combines. The checks see only the request; other files
//! check the table's existence and settings, so these faults come before that of a table that does
//! not exist. Source: answers of 2026-10.

use crate::definition::{encryption, stream, throughput};
use hashrange_model::Reason;
use hashrange_model::error::{Asked, TableFault};
use hashrange_wire::{BillingMode, GlobalSecondaryIndexUpdate, UpdateTableInput};

fn refused(fault: TableFault) -> Result<(), Reason> {
    Err(Reason::TableDefinition(fault))
}

/// Refuses parameters of the service that have no effect here yet, instead of ignoring them.
pub(super) fn refuse_parameters_to_come(input: &UpdateTableInput<'_>) -> Result<(), Reason> {
    let to_come = [
        ("ReplicaUpdates", input.replica_updates.is_some()),
        ("MultiRegionConsistency", input.multi_region_consistency.is_some()),
        ("GlobalTableWitnessUpdates", input.global_table_witness_updates.is_some()),
        ("DisassociationProtectionEnabled", input.disassociation_protection_enabled.is_some()),
        ("VectorIndexUpdates", input.vector_index_updates.is_some()),
    ];
    match to_come.into_iter().find(|(_, given)| *given) {
        Some((parameter, _)) => Err(Reason::ParameterNotYetAvailable { parameter }),
        None => Ok(()),
    }
}

/// Refuses a request that changes nothing. Definitions, consistency and witnesses alone change
/// nothing.
pub(super) fn check_asks_something(input: &UpdateTableInput<'_>) -> Result<(), Reason> {
    let asks = !changes(input).is_empty()
        || input.on_demand_throughput.is_some()
        || input.replica_updates.is_some()
        || input.disassociation_protection_enabled.is_some()
        || input.vector_index_updates.is_some();
    let has_consistency = input.multi_region_consistency.is_some();
    if asks { Ok(()) } else { refused(TableFault::NothingToUpdate { has_consistency }) }
}

/// Kind of change that a request makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Change {
    Units,
    Mode,
    Indexes,
    Stream,
    Encryption,
    Class,
    Protection,
    Maxima,
    Warm,
    SettingsReplication,
}

/// Returns the changes that a request makes; empty lists and maxima make none.
fn changes(input: &UpdateTableInput<'_>) -> Vec<Change> {
    let updates = input.global_secondary_index_updates.as_ref();
    let given = [
        (Change::Units, input.provisioned_throughput.is_some()),
        (Change::Mode, input.billing_mode.is_some()),
        (Change::Indexes, updates.is_some_and(|updates| !updates.is_empty())),
        (Change::Stream, input.stream_specification.is_some()),
        (Change::Encryption, input.sse_specification.is_some()),
        (Change::Class, input.table_class.is_some()),
        (Change::Protection, input.deletion_protection_enabled.is_some()),
        (Change::Maxima, throughput::has_maximum(input.on_demand_throughput.as_ref())),
        (Change::Warm, input.warm_throughput.is_some()),
        (Change::SettingsReplication, input.global_table_settings_replication_mode.is_some()),
    ];
    given.into_iter().filter(|(_, given)| *given).map(|(change, _)| change).collect()
}

/// Returns the requested changes that other changes under way may forbid.
pub(super) fn asked(input: &UpdateTableInput<'_>) -> Vec<Asked> {
    let mut asked: Vec<Asked> = Vec::new();
    for change in changes(input) {
        match change {
            Change::Units | Change::Mode => asked.push(Asked::Units),
            Change::Stream => asked.push(Asked::Stream),
            Change::Encryption => asked.push(Asked::Encryption),
            Change::Class => asked.push(Asked::Class),
            Change::Protection => asked.push(Asked::Protection),
            Change::Maxima => asked.push(Asked::Maxima),
            Change::Warm => asked.push(Asked::Warm),
            Change::SettingsReplication => {}
            Change::Indexes => {
                let updates = input.global_secondary_index_updates.iter().flatten();
                asked.extend(updates.filter_map(index_asked));
            }
        }
    }
    asked
}

fn index_asked(update: &GlobalSecondaryIndexUpdate<'_>) -> Option<Asked> {
    let name = |name: Option<&str>| name.unwrap_or_default().to_owned();
    let deleted = update.delete.as_ref().map(|action| name(action.index_name.as_deref()));
    let updated = update.update.as_ref().map(|action| name(action.index_name.as_deref()));
    let created = update.create.as_ref().map(|_| Asked::IndexCreation);
    created.or(deleted.map(Asked::IndexDeletion)).or(updated.map(Asked::IndexUpdate))
}

/// Refuses changes that are invalid, or invalid together.
pub(super) fn check(input: &UpdateTableInput<'_>) -> Result<(), Reason> {
    let updates = input.global_secondary_index_updates.as_deref();
    check_warm_indexes(updates.unwrap_or_default())?;
    let changes = changes(input);
    check_alone(&changes, updates.unwrap_or_default())?;
    check_units_and_mode(&changes, input)?;
    check_index_updates(&changes, input)?;
    stream::check_change(input.stream_specification.as_ref())?;
    if let Some(asked) = &input.sse_specification {
        encryption::asked(asked)?;
    }
    if input.warm_throughput.as_ref().is_some_and(|asked| !throughput::is_warm_given(asked)) {
        return refused(TableFault::WarmEmpty { index: None });
    }
    if changes.is_empty() {
        return refused(TableFault::MaximaEmpty);
    }
    Ok(())
}

/// Refuses empty warm throughput of an index. Source: this comes before the other faults, and
/// before that of an index that does not exist.
fn check_warm_indexes(updates: &[GlobalSecondaryIndexUpdate<'_>]) -> Result<(), Reason> {
    let empty = updates.iter().filter_map(|update| update.update.as_ref()).find(|update| {
        update.warm_throughput.as_ref().is_some_and(|asked| !throughput::is_warm_given(asked))
    });
    match empty.and_then(|update| update.index_name.as_deref()) {
        Some(index) => refused(TableFault::WarmEmpty { index: Some(index.to_owned()) }),
        None => Ok(()),
    }
}

/// Refuses changes that must be the only one. The error names the first of them in the service's
/// order.
fn check_alone(
    changes: &[Change],
    updates: &[GlobalSecondaryIndexUpdate<'_>],
) -> Result<(), Reason> {
    if changes.len() < 2 {
        return Ok(());
    }
    let is_created = updates.iter().any(|update| update.create.is_some());
    for (change, words) in [
        (Change::Encryption, "Server-Side Encryption modification"),
        (Change::Class, "TableClass modification"),
        (Change::Protection, "DeletionProtection modification"),
        (Change::Warm, "WarmThroughput"),
    ] {
        if !changes.contains(&change) {
            continue;
        }
        return match change {
            Change::Warm if is_created => refused(TableFault::IndexWithWarm),
            _ => refused(TableFault::NotAlone(words)),
        };
    }
    let is_beside_maxima = |change: &Change| !matches!(change, Change::Maxima | Change::Mode);
    if changes.contains(&Change::Maxima) && changes.iter().any(is_beside_maxima) {
        return refused(TableFault::MaximaNotAlone);
    }
    Ok(())
}

fn check_units_and_mode(changes: &[Change], input: &UpdateTableInput<'_>) -> Result<(), Reason> {
    let has_units = changes.contains(&Change::Units);
    let to_provisioned = input.billing_mode == Some(BillingMode::Provisioned);
    if changes.contains(&Change::Stream) && (has_units || to_provisioned) {
        return refused(TableFault::StreamWithUnits);
    }
    match input.billing_mode {
        Some(BillingMode::Provisioned) if !has_units => Err(Reason::UpdateThroughputMissing),
        Some(BillingMode::PayPerRequest) if has_units => refused(TableFault::UnitsWithOnDemand),
        _ => Ok(()),
    }
}

fn check_index_updates(changes: &[Change], input: &UpdateTableInput<'_>) -> Result<(), Reason> {
    let Some(updates) = &input.global_secondary_index_updates else { return Ok(()) };
    if updates.is_empty() {
        return refused(TableFault::IndexUpdatesEmpty);
    }
    let mut named: Vec<&str> = Vec::new();
    for update in updates {
        let actions = [
            update.create.as_ref().map(|action| action.index_name.as_deref()),
            update.update.as_ref().map(|action| action.index_name.as_deref()),
            update.delete.as_ref().map(|action| action.index_name.as_deref()),
        ];
        let mut actions = actions.into_iter().flatten();
        let Some(index) = actions.next() else { return Err(Reason::IndexUpdateEmpty) };
        if actions.next().is_some() {
            return refused(TableFault::IndexUpdateSeveral);
        }
        let Some(index) = index else { continue };
        if named.contains(&index) {
            return refused(TableFault::IndexUpdateTwice(index.to_owned()));
        }
        named.push(index);
    }
    let changes_set =
        updates.iter().any(|update| update.create.is_some() || update.delete.is_some());
    if changes_set && changes.contains(&Change::Units) {
        return refused(TableFault::IndexWithUnits);
    }
    if changes_set && changes.contains(&Change::Stream) {
        return refused(TableFault::IndexWithStream);
    }
    let is_undefined = input.attribute_definitions.as_ref().is_none_or(Vec::is_empty);
    let created = updates.iter().find_map(|update| update.create.as_ref());
    match created.and_then(|created| created.index_name.as_deref()) {
        Some(index) if is_undefined => refused(TableFault::DefinitionsMissing(index.to_owned())),
        _ => Ok(()),
    }
}
