//! Changes of global indexes: creates or deletes one at a time, and changes the throughput of any
//! number. Also adds a hypothetical local index, which no update can create.

use crate::definition::indexes::{
    Definitions, GlobalIndexDefinition, check_defined, check_local_indexes, check_names,
    check_projected, definitions, local_indexes,
};
use crate::definition::throughput;
use crate::request::required;
use crate::schema::{Billing, IndexId, IndexKind, IndexRecord, IndexState, KeyNames, TableRecord};
use hashrange_model::error::{HistoryFault, TableFault};
use hashrange_model::limits::GLOBAL_INDEXES_MAX;
use hashrange_model::{ApiResult, Reason};
use hashrange_wire::{
    CreateTableInput, GlobalSecondaryIndexUpdate, UpdateGlobalSecondaryIndexAction,
    UpdateTableInput,
};

/// Change of the indexes by an update.
pub(super) enum IndexChange {
    None,
    Create(IndexId),
    Delete(IndexId),
}

/// Applies the requested changes of indexes to a record, and removes them from the request.
pub(super) fn change(
    record: &mut TableRecord,
    input: &mut UpdateTableInput<'_>,
    now_ms: u64,
) -> ApiResult<IndexChange> {
    let updates = input.global_secondary_index_updates.take().unwrap_or_default();
    let changes_set = |update: &GlobalSecondaryIndexUpdate<'_>| {
        update.create.is_some() || update.delete.is_some()
    };
    if updates.iter().filter(|update| changes_set(update)).count() > 1 {
        return Err(Reason::OneIndexAtATime.into());
    }
    let billing = match input.billing_mode {
        Some(mode) => throughput::billing(Some(mode)),
        None => record.billing,
    };
    let mut change = IndexChange::None;
    for update in updates {
        match (update.create, update.update, update.delete) {
            (Some(create), None, None) => {
                // Source: captured 2026, only the creation of an index reads the definitions.
                let delta = definitions(input.attribute_definitions.take().unwrap_or_default())?;
                let created = create_index(record, create.into(), billing, &delta)?;
                change = IndexChange::Create(created);
            }
            (None, Some(update), None) => update_index(record, &update, billing, now_ms)?,
            (None, None, Some(delete)) => {
                let name = required(delete.index_name, "globalSecondaryIndexUpdates.indexName")?;
                change = IndexChange::Delete(delete_index(record, &name)?);
            }
            _ => return Err(Reason::IndexUpdateEmpty.into()),
        }
    }
    Ok(change)
}

fn create_index(
    record: &mut TableRecord,
    mut definition: GlobalIndexDefinition,
    billing: Billing,
    delta: &Definitions,
) -> ApiResult<IndexId> {
    let mut index = definition.define()?;
    // Definitions that the table already has do not count. Source: an answer of eu-west-2, 2026-07.
    check_defined(&names(&index.key), delta)?;
    let merged = check_new(record, &index, delta)?;
    definition.provide(&mut index, billing, TableFault::AddedIndexUnitsMissing)?;
    if record.visible_indexes().any(|index| index.state == IndexState::Creating) {
        return Err(Reason::OneIndexAtATime.into());
    }
    index.state = IndexState::Creating;
    let id = add(record, index)?;
    let is_global = |index: &&IndexRecord| index.kind == IndexKind::Global;
    if record.visible_indexes().filter(is_global).count() > GLOBAL_INDEXES_MAX {
        return Err(Reason::TableDefinition(TableFault::TooManyIndexes).into());
    }
    record.definitions = merged;
    prune_definitions(record);
    check_number_of_versions(record)?;
    Ok(id)
}

/// Refuses an index that could not hold the newest states of a table that keeps versions as items.
fn check_number_of_versions(record: &TableRecord) -> Result<(), Reason> {
    match record.versions.as_ref().map(|versions| versions.check_number(record)) {
        Some(Err(why)) => Err(Reason::History(HistoryFault::Versions(why))),
        Some(Ok(())) | None => Ok(()),
    }
}

/// Adds the one local index of a definition, as if the table had been created with it.
pub(super) fn suppose_local(
    record: &mut TableRecord,
    input: CreateTableInput<'_>,
) -> ApiResult<IndexId> {
    let delta = definitions(input.attribute_definitions.unwrap_or_default())?;
    let given = local_indexes(input.local_secondary_indexes)?.unwrap_or_default();
    let Ok([index]) = <[IndexRecord; 1]>::try_from(given) else {
        return Err(Reason::EmptyLocalIndexes.into());
    };
    check_defined(&names(&index.key), &merged_definitions(record, &delta))?;
    let merged = check_new(record, &index, &delta)?;
    let id = add(record, index)?;
    let is_local = |index: &&IndexRecord| index.kind == IndexKind::Local;
    let local: Vec<_> = record.visible_indexes().filter(is_local).cloned().collect();
    check_local_indexes(Some(&local), &record.key)?;
    record.definitions = merged;
    Ok(id)
}

fn names(key: &KeyNames) -> Vec<String> {
    key.all().map(str::to_owned).collect()
}

/// Refuses a new index whose name exists, or whose key attributes have other types in the table.
/// Returns the definitions that the table has with the index.
fn check_new(
    record: &TableRecord,
    index: &IndexRecord,
    delta: &Definitions,
) -> Result<Definitions, Reason> {
    if record.index(&index.name).is_some() {
        return Err(Reason::IndexExists);
    }
    check_types(record, &index.key, delta)?;
    Ok(merged_definitions(record, delta))
}

/// Adds an index and assigns it a number.
fn add(record: &mut TableRecord, mut index: IndexRecord) -> Result<IndexId, Reason> {
    let id = IndexId(record.next_index_id);
    index.id = id;
    let next_index_id = record.next_index_id.checked_add(1);
    record.next_index_id = next_index_id.ok_or(Reason::NumbersUsedUp("indexes of this table"))?;
    record.indexes.push(index);
    let visible: Vec<IndexRecord> = record.visible_indexes().cloned().collect();
    check_names(&visible)?;
    check_projected(visible.iter())?;
    Ok(id)
}

/// Returns the table's definitions with those of the request added; a known attribute keeps its
/// type. Source: captured 2026, definitions of UpdateTable are a delta.
fn merged_definitions(record: &TableRecord, delta: &Definitions) -> Definitions {
    // A table has few definitions; a request may have many, each with another name.
    let is_new = |name: &String| record.definitions.iter().all(|(known, _)| known != name);
    let added = delta.iter().filter(|(name, _)| is_new(name)).cloned();
    record.definitions.iter().cloned().chain(added).collect()
}

/// Refuses a new index whose key attribute has another type than it has as a key of the table or
/// of another index. Re-typed attributes that the new index does not use are ignored.
fn check_types(record: &TableRecord, key: &KeyNames, delta: &Definitions) -> Result<(), Reason> {
    let redefined = key.all().find(|name| {
        let declared = delta.iter().find(|(known, _)| known == name);
        declared.is_some_and(|(_, key_type)| {
            record.key_type(name).is_some_and(|known| known != *key_type)
        })
    });
    let Some(name) = redefined else { return Ok(()) };
    let keys = std::iter::once(&record.key).chain(record.visible_indexes().map(|index| &index.key));
    let existing = keys.into_iter().find(|known| known.contains(name)).unwrap_or(&record.key);
    Err(Reason::TableDefinition(TableFault::Redefined {
        existing: shown_schema(existing, &record.definitions),
        new: shown_schema(key, delta),
    }))
}

/// Returns a key schema as the service prints it: `SchemaElement: key{a:S:HASH}` for each
/// attribute.
fn shown_schema(key: &KeyNames, definitions: &Definitions) -> String {
    let shown = |(nth, name): (usize, &str)| {
        let declared = definitions.iter().find(|(known, _)| known == name);
        let key_type = declared.map_or("", |(_, key_type)| key_type.attribute_type().as_str());
        let role = if nth < key.partition.len() { "HASH" } else { "RANGE" };
        format!("SchemaElement: key{{{name}:{key_type}:{role}}}")
    };
    key.all().enumerate().map(shown).collect::<Vec<_>>().join(", ")
}

/// Drops definitions that no key uses.
fn prune_definitions(record: &mut TableRecord) {
    let used: Vec<String> = record
        .key
        .all()
        .chain(record.visible_indexes().flat_map(|index| index.key.all()))
        .map(str::to_owned)
        .collect();
    record.definitions.retain(|(name, _)| used.contains(name));
}

/// Returns the global index that is to be changed; `action` is the word for the change in the
/// error.
fn named_index<'r>(
    record: &'r mut TableRecord,
    name: &str,
    action: &'static str,
) -> ApiResult<&'r mut IndexRecord> {
    let table = record.name.clone();
    let index = record
        .indexes
        .iter_mut()
        .find(|index| index.name == name && index.state != IndexState::Deleting)
        .ok_or_else(|| Reason::IndexNotFound { index: name.to_owned(), table })?;
    if index.kind == IndexKind::Local {
        let index = name.to_owned();
        return Err(Reason::TableDefinition(TableFault::NotGlobal { action, index }).into());
    }
    Ok(index)
}

fn update_index(
    record: &mut TableRecord,
    update: &UpdateGlobalSecondaryIndexAction<'_>,
    billing: Billing,
    now_ms: u64,
) -> ApiResult<()> {
    let name = required(update.index_name.as_deref(), "globalSecondaryIndexUpdates.indexName")?;
    let old_billing = record.billing;
    let index = named_index(record, name, "update")?;
    let units = update.provisioned_throughput.as_ref();
    let maxima = update.on_demand_throughput.as_ref();
    let changes_more = throughput::has_maximum(maxima) || update.warm_throughput.is_some();
    match billing {
        Billing::PayPerRequest if units.is_some() || !changes_more => {
            let fault = TableFault::IndexUpdateOnDemand(name.to_owned());
            return Err(Reason::TableDefinition(fault).into());
        }
        Billing::Provisioned if units.is_none() && !changes_more => {
            return Err(Reason::UpdateIndexThroughputMissing(vec![name.to_owned()]).into());
        }
        Billing::PayPerRequest | Billing::Provisioned => {}
    }
    throughput::check_billing_of_maxima(billing, Some(name), maxima, true)?;
    let current = throughput::warm_now(old_billing, index.warm, &index.throughput);
    if let Some(units) = units {
        let new = throughput::provisioned(units)?;
        if old_billing == Billing::Provisioned
            && (new.read, new.write) == (index.throughput.read, index.throughput.write)
        {
            let (read, write) = (new.read, new.write);
            return Err(Reason::IndexUnchanged { index: name.to_owned(), read, write }.into());
        }
        index.throughput = throughput::changed(&index.throughput, &new, now_ms);
    }
    index.on_demand = throughput::on_demand(index.on_demand, Some(name), maxima)?;
    let raised = throughput::raised_warm(current, Some(name), update.warm_throughput.as_ref())?;
    index.warm = raised.or(index.warm);
    Ok(())
}

fn delete_index(record: &mut TableRecord, name: &str) -> ApiResult<IndexId> {
    let is_other_creating = record
        .visible_indexes()
        .any(|index| index.state == IndexState::Creating && index.name != name);
    let index = named_index(record, name, "delete")?;
    if is_other_creating {
        return Err(Reason::OneIndexAtATime.into());
    }
    index.state = IndexState::Deleting;
    let id = index.id;
    prune_definitions(record);
    record.forget_insights(id);
    Ok(id)
}
