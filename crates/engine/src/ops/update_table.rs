//! UpdateTable: throughput, billing, class, protection, encryption, and one index at a time.

use super::create_table::{encryption, storage_class};
use super::index_definition::{
    Definitions, GlobalIndexDefinition, check_names, check_projected, definitions, has_limits,
};
use super::{stream, throughput};
use crate::engine::{Engine, required};
use crate::jobs::Job;
use crate::schema::{
    Billing, IndexId, IndexKind, IndexRecord, IndexState, TableId, TableRecord, Throughput,
};
use hashrange_model::limits::GLOBAL_INDEXES_MAX;
use hashrange_model::{ApiResult, Reason};
use hashrange_storage::Store;
use hashrange_wire::{
    BillingMode, GlobalSecondaryIndexDescription, GlobalSecondaryIndexUpdate, IndexStatus,
    TableStatus, UpdateGlobalSecondaryIndexAction, UpdateTableInput, UpdateTableOutput,
};

/// What an update does to the indexes.
enum IndexChange {
    None,
    Create(IndexId),
    Delete(IndexId),
}

impl<S: Store> Engine<S> {
    /// Changes a table. A new index is filled in the background.
    pub async fn update_table(
        &self,
        mut input: UpdateTableInput<'_>,
    ) -> ApiResult<UpdateTableOutput> {
        refuse_parameters_to_come(&input)?;
        check_asks_something(&input)?;
        let table_name = required(input.table_name.take(), "tableName")?;
        let _definitions = self.core().definitions.lock().await;
        let table = self.changeable_table(&table_name)?;
        let mut record = table.record.clone();
        let now_ms = (self.environment().now_ms)();
        let index_change = change_indexes(&mut record, &mut input, now_ms)?;
        change_billing(&mut record, &input, now_ms)?;
        self.check_new_units(&table.record, &record)?;
        change_settings(&mut record, &input, now_ms)?;
        let stream_change = stream::change(&record, input.stream_specification.as_ref())?;
        let deleted = match index_change {
            IndexChange::Delete(index) => Some(index),
            IndexChange::None | IndexChange::Create(_) => None,
        };
        let table = self.core().replace_with_stream(&table, record, stream_change, deleted)?;
        // Before the first wait: nobody may be there to go on after it.
        self.start_index_job(table.id(), &index_change);
        self.remember_update(&table);
        let mut description = self.describe(&table).await?;
        description.table_status = Some(TableStatus::Updating);
        match index_change {
            IndexChange::None => {}
            IndexChange::Create(_) => {
                for created in description.global_secondary_indexes.iter_mut().flatten() {
                    if created.index_status == Some(IndexStatus::Creating) {
                        created.backfilling = Some(false);
                    }
                }
            }
            IndexChange::Delete(index) => {
                let deleted = table.record.indexes.iter().find(|known| known.id == index);
                let listed = description.global_secondary_indexes.get_or_insert_default();
                listed.extend(deleted.map(|deleted| GlobalSecondaryIndexDescription {
                    index_name: Some(deleted.name.clone()),
                    index_status: Some(IndexStatus::Deleting),
                    index_arn: Some(
                        self.environment().index_arn(&table.record.name, &deleted.name),
                    ),
                    ..GlobalSecondaryIndexDescription::default()
                }));
            }
        }
        Ok(UpdateTableOutput { table_description: Some(description) })
    }

    fn start_index_job(&self, table: TableId, change: &IndexChange) {
        match *change {
            IndexChange::None => {}
            IndexChange::Create(index) => self.start_job(Job::Backfill { table, index }),
            IndexChange::Delete(index) => self.start_job(Job::Purge { table, index }),
        }
    }
}

fn refuse_parameters_to_come(input: &UpdateTableInput<'_>) -> ApiResult<()> {
    let to_come = [
        ("ReplicaUpdates", input.replica_updates.is_some()),
        ("MultiRegionConsistency", input.multi_region_consistency.is_some()),
        ("GlobalTableWitnessUpdates", input.global_table_witness_updates.is_some()),
        (
            "GlobalTableSettingsReplicationMode",
            input.global_table_settings_replication_mode.is_some(),
        ),
        ("DisassociationProtectionEnabled", input.disassociation_protection_enabled.is_some()),
        ("VectorIndexUpdates", input.vector_index_updates.is_some()),
    ];
    match to_come.into_iter().find(|(_, given)| *given) {
        Some((parameter, _)) => Err(Reason::ParameterNotYetAvailable { parameter }.into()),
        None => Ok(()),
    }
}

fn check_asks_something(input: &UpdateTableInput<'_>) -> Result<(), Reason> {
    let asks = input.provisioned_throughput.is_some()
        || input.billing_mode.is_some()
        || input.global_secondary_index_updates.as_ref().is_some_and(|updates| !updates.is_empty())
        || input.sse_specification.is_some()
        || input.table_class.is_some()
        || input.deletion_protection_enabled.is_some()
        || input.on_demand_throughput.is_some()
        || input.warm_throughput.is_some()
        || input.stream_specification.is_some();
    if asks { Ok(()) } else { Err(Reason::NothingToUpdate) }
}

fn change_billing(
    record: &mut TableRecord,
    input: &UpdateTableInput<'_>,
    now_ms: u64,
) -> Result<(), Reason> {
    let asked = input.provisioned_throughput.as_ref();
    match input.billing_mode {
        Some(BillingMode::PayPerRequest) => {
            if asked.is_some() {
                return Err(Reason::ThroughputOnDemand);
            }
            if record.billing == Billing::Provisioned {
                record.on_demand_since_ms = Some(now_ms);
            }
            record.billing = Billing::PayPerRequest;
            record.throughput = Throughput::default();
            for index in &mut record.indexes {
                index.throughput = Throughput::default();
            }
        }
        Some(BillingMode::Provisioned) => {
            let asked = asked.ok_or(Reason::UpdateThroughputMissing)?;
            let becomes_provisioned = record.billing == Billing::PayPerRequest;
            record.billing = Billing::Provisioned;
            record.on_demand = None;
            let new = throughput::provisioned(asked)?;
            record.throughput = throughput::changed(&record.throughput, &new, now_ms);
            if becomes_provisioned {
                check_index_throughput(record)?;
            }
        }
        None => {
            if let Some(asked) = asked {
                change_throughput(record, asked, now_ms)?;
            }
        }
    }
    if has_limits(input.on_demand_throughput.as_ref()) && record.billing == Billing::Provisioned {
        return Err(Reason::OnDemandThroughputOnProvisioned);
    }
    record.on_demand =
        throughput::on_demand(record.on_demand, input.on_demand_throughput.as_ref())?;
    Ok(())
}

fn change_throughput(
    record: &mut TableRecord,
    asked: &hashrange_wire::ProvisionedThroughput,
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

/// A table that becomes provisioned needs throughput for each of its global indexes.
fn check_index_throughput(record: &mut TableRecord) -> Result<(), Reason> {
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

fn change_settings(
    record: &mut TableRecord,
    input: &UpdateTableInput<'_>,
    now_ms: u64,
) -> Result<(), Reason> {
    if let Some(class) = input.table_class {
        record.class = Some((storage_class(class), Some(now_ms)));
    }
    if let Some(protected) = input.deletion_protection_enabled {
        record.protected = protected;
    }
    if let Some(asked) = &input.sse_specification {
        record.encryption = encryption(Some(asked.clone()));
    }
    record.warm = throughput::warm(record.warm, input.warm_throughput.as_ref()).or(record.warm);
    Ok(())
}

fn change_indexes(
    record: &mut TableRecord,
    input: &mut UpdateTableInput<'_>,
    now_ms: u64,
) -> ApiResult<IndexChange> {
    let delta = definitions(input.attribute_definitions.take().unwrap_or_default())?;
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
    definition: GlobalIndexDefinition,
    billing: Billing,
    delta: &Definitions,
) -> ApiResult<IndexId> {
    if record.visible_indexes().any(|index| index.state == IndexState::Creating) {
        return Err(Reason::OneIndexAtATime.into());
    }
    let named =
        definition.key_schema.iter().flatten().filter_map(|key| key.attribute_name.as_ref());
    if named.clone().any(|name| !delta.iter().any(|(known, _)| known == name)) {
        return Err(Reason::IndexAttributesUndefined.into());
    }
    let merged = merged_definitions(record, delta);
    let mut index = definition.into_record(billing, &merged)?;
    if record.index(&index.name).is_some() {
        return Err(Reason::IndexExists(index.name).into());
    }
    index.id = IndexId(record.next_index_id);
    index.state = IndexState::Creating;
    let id = index.id;
    let next_index_id = record.next_index_id.checked_add(1);
    record.next_index_id = next_index_id.ok_or(Reason::NumbersUsedUp("indexes of this table"))?;
    record.indexes.push(index);
    let visible: Vec<IndexRecord> = record.visible_indexes().cloned().collect();
    check_names(&visible)?;
    check_projected(visible.iter())?;
    if visible.iter().filter(|index| index.kind == IndexKind::Global).count() > GLOBAL_INDEXES_MAX {
        return Err(Reason::TooManyGlobalIndexes.into());
    }
    record.definitions = merged;
    prune_definitions(record);
    Ok(id)
}

/// Returns the table's definitions with those of the request added; a known attribute keeps its
/// type. Source: captured 2026, definitions of UpdateTable are a delta.
fn merged_definitions(record: &TableRecord, delta: &Definitions) -> Definitions {
    let mut merged = record.definitions.clone();
    for (name, key_type) in delta {
        if !merged.iter().any(|(known, _)| known == name) {
            merged.push((name.clone(), *key_type));
        }
    }
    merged
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

fn named_index<'r>(record: &'r mut TableRecord, name: &str) -> ApiResult<&'r mut IndexRecord> {
    let table = record.name.clone();
    record
        .indexes
        .iter_mut()
        .find(|index| index.name == name && index.state != IndexState::Deleting)
        .filter(|index| index.kind == IndexKind::Global)
        .ok_or_else(|| Reason::IndexNotFound { index: name.to_owned(), table }.into())
}

fn update_index(
    record: &mut TableRecord,
    update: &UpdateGlobalSecondaryIndexAction<'_>,
    billing: Billing,
    now_ms: u64,
) -> ApiResult<()> {
    let name = required(update.index_name.as_deref(), "globalSecondaryIndexUpdates.indexName")?;
    let was_provisioned = record.billing == Billing::Provisioned;
    let index = named_index(record, name)?;
    if let Some(asked) = &update.provisioned_throughput {
        let new = throughput::of_index(billing, name, Some(asked))?;
        if was_provisioned
            && (new.read, new.write) == (index.throughput.read, index.throughput.write)
        {
            let (read, write) = (new.read, new.write);
            return Err(Reason::IndexUnchanged { index: name.to_owned(), read, write }.into());
        }
        index.throughput = throughput::changed(&index.throughput, &new, now_ms);
    }
    if billing == Billing::Provisioned && has_limits(update.on_demand_throughput.as_ref()) {
        return Err(Reason::IndexOnDemandThroughputOnProvisioned(name.to_owned()).into());
    }
    index.on_demand = throughput::on_demand(index.on_demand, update.on_demand_throughput.as_ref())?;
    index.warm = throughput::warm(index.warm, update.warm_throughput.as_ref()).or(index.warm);
    Ok(())
}

fn delete_index(record: &mut TableRecord, name: &str) -> ApiResult<IndexId> {
    let is_other_creating = record
        .visible_indexes()
        .any(|index| index.state == IndexState::Creating && index.name != name);
    if is_other_creating {
        return Err(Reason::OneIndexAtATime.into());
    }
    let index = named_index(record, name)?;
    index.state = IndexState::Deleting;
    let id = index.id;
    prune_definitions(record);
    Ok(id)
}
