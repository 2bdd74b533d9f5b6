//! CreateTable: checks a definition in the service's order and makes the table ready at once.

use crate::change_log::Stream;
use crate::core::encode_record;
use crate::definition::indexes::{
    GivenSchema, check_definitions, check_global_indexes, check_local_indexes, check_names,
    check_projected, definitions, global_indexes, local_indexes, table_key,
};
use crate::definition::{encryption, storage_class, stream, tags, throughput};
use crate::engine::Engine;
use crate::request::required;
use crate::schema::{Billing, IndexId, StreamView, Table, TableId, TableRecord};
use crate::throughput::Status;
use crate::{environment::table_name_of, fault, layout};
use bytes::Bytes;
use hashrange_model::{ApiResult, Reason};
use hashrange_storage::Store;
use hashrange_wire::{
    CreateTableInput, CreateTableOutput, IndexStatus, KeySchemaElement, TableDescription,
    TableStatus,
};
use std::sync::Arc;

impl<S: Store> Engine<S> {
    /// Creates a table. It is in use when this returns, but described as being created, as on the
    /// service.
    pub async fn create_table(&self, input: CreateTableInput<'_>) -> ApiResult<CreateTableOutput> {
        let stream = stream::asked_of_new_table(input.stream_specification.as_ref())?;
        let is_warmed = Warmed::of(&input);
        let record = self.check_create_table(input)?;
        let _definitions = self.core().lock_definitions().await?;
        let known = self.core().catalog.get(&record.name);
        if known.as_ref().is_some_and(|known| self.status(known) == Status::Creating) {
            return Err(Reason::TableBeingCreated(record.name).into());
        }
        if known.is_some() || self.deleted_table(&record.name).is_some() {
            return Err(Reason::TableExists(record.name).into());
        }
        self.check_new_table(&record)?;
        let table = self.store_new_table(record, stream).await?;
        self.remember_creation(&table);
        let description = as_created(self.describe(&table).await?, &is_warmed);
        Ok(CreateTableOutput { table_description: Some(description) })
    }

    fn check_create_table(&self, mut input: CreateTableInput<'_>) -> ApiResult<TableRecord> {
        refuse_parameters_to_come(&input)?;
        let name = input.table_name.take().ok_or(Reason::TableNameMissing)?;
        let name = table_name_of(&name).to_owned();
        let definitions =
            definitions(required(input.attribute_definitions.take(), "attributeDefinitions")?)?;
        let key_schema = required(input.key_schema.take(), "keySchema")?;
        check_definitions(&definitions, &schemas(&input, &key_schema))?;
        let key = table_key(key_schema)?;
        let local = local_indexes(input.local_secondary_indexes.take())?;
        let billing = throughput::billing(input.billing_mode);
        let units = throughput::of_table(billing, input.provisioned_throughput.as_ref())?;
        let maxima = input.on_demand_throughput.as_ref();
        throughput::check_billing_of_maxima(billing, None, maxima, false)?;
        let on_demand = throughput::new_on_demand(None, maxima)?;
        let warm = throughput::new_warm(billing, None, &units, input.warm_throughput.as_ref())?;
        let global = global_indexes(input.global_secondary_indexes.take(), billing)?;
        check_local_indexes(local.as_deref(), &key)?;
        check_global_indexes(global.as_deref())?;
        let mut indexes: Vec<_> = local.into_iter().chain(global).flatten().collect();
        check_names(&indexes)?;
        check_projected(indexes.iter())?;
        let mut next_index_id = 1;
        for index in &mut indexes {
            index.id = IndexId(next_index_id);
            next_index_id += 1;
        }
        let now_ms = (self.environment().now_ms)();
        Ok(TableRecord {
            version: TableRecord::VERSION,
            id: TableId(0),
            name,
            uuid: self.environment().uuid(),
            created_at_ms: now_ms,
            definitions,
            key,
            indexes,
            next_index_id,
            billing,
            on_demand_since_ms: (billing == Billing::PayPerRequest).then_some(now_ms),
            throughput: units,
            on_demand,
            warm,
            protected: input.deletion_protection_enabled == Some(true),
            class: input.table_class.map(|class| (storage_class(class), None)),
            encryption: match &input.sse_specification {
                Some(asked) => encryption::asked(asked)?,
                None => None,
            },
            tags: tags::checked_tags(input.tags.unwrap_or_default())?,
            stream: None,
            time_to_live: None,
            key_templates: Vec::new(),
            undoing: Vec::new(),
            history: None,
            versions: None,
            insights: Vec::new(),
            replicates_settings: None,
        })
    }

    /// Assigns the table its number and puts it in use. The caller holds the definitions lock.
    async fn store_new_table(
        &self,
        mut record: TableRecord,
        view: Option<StreamView>,
    ) -> ApiResult<Arc<Table>> {
        let (next_key, name_key) = (layout::next_table_id(), layout::table_name(&record.name));
        let mut keys = vec![next_key.clone(), name_key.clone()];
        let stream = match view {
            Some(view) => Some(self.core().begin_stream(&mut record, view).await?),
            None => None,
        };
        keys.extend(stream.as_ref().map(Stream::store_key));
        let newest = self.core().catalog.newest_id();
        let record = self.core().commit_definition(keys, |current, batch| {
            let id = next_id(current[0].as_deref(), newest)?;
            let after = id.checked_add(1).ok_or(Reason::NumbersUsedUp("tables"))?;
            let record = TableRecord { id: TableId(id), ..record.clone() };
            let id_bytes = |id: u32| Bytes::copy_from_slice(&id.to_le_bytes());
            batch.put(next_key.clone(), id_bytes(after));
            batch.put(name_key.clone(), id_bytes(id));
            batch.put(layout::table_record(record.id), encode_record(&record));
            if let Some(stream) = &stream {
                Stream { table: record.id, ..stream.clone() }.open_all(batch);
            }
            ApiResult::Ok(record)
        });
        Ok(self.core().put_in_use(Table::new(record.await??)))
    }
}

/// Returns the number of the next table. A counter that is unreadable, missing, or not past the
/// newest table is damage: a table with a reused number would overwrite another one.
fn next_id(stored: Option<&[u8]>, newest: Option<TableId>) -> ApiResult<u32> {
    let next = match stored {
        None => Some(1),
        Some(stored) => stored.try_into().ok().map(u32::from_le_bytes),
    };
    next.filter(|next| newest.is_none_or(|newest| newest.0 < *next)).ok_or_else(|| {
        let what = match stored {
            None => "no number of the next table beside tables".to_owned(),
            Some(stored) => {
                format!(
                    "the number of the next table is {} after {newest:?}",
                    stored.escape_ascii()
                )
            }
        };
        let place = layout::next_table_id().escape_ascii().to_string();
        fault::of_store(hashrange_storage::Error::corrupt(what, place))
    })
}

/// Refuses parameters of the service that have no effect here yet, instead of ignoring them.
fn refuse_parameters_to_come(input: &CreateTableInput<'_>) -> ApiResult<()> {
    let to_come = [
        ("ResourcePolicy", input.resource_policy.is_some()),
        ("GlobalTableSourceArn", input.global_table_source_arn.is_some()),
        (
            "GlobalTableSettingsReplicationMode",
            input.global_table_settings_replication_mode.is_some(),
        ),
        ("VectorIndexes", input.vector_indexes.is_some()),
    ];
    match to_come.into_iter().find(|(_, given)| *given) {
        Some((parameter, _)) => Err(Reason::ParameterNotYetAvailable { parameter }.into()),
        None => Ok(()),
    }
}

/// Returns the key schemas of a request: the table's, then those of its indexes.
fn schemas<'i>(
    input: &'i CreateTableInput<'_>,
    table: &'i [KeySchemaElement],
) -> Vec<GivenSchema<'i>> {
    let local = input.local_secondary_indexes.iter().flatten().map(|index| &index.key_schema);
    let global = input.global_secondary_indexes.iter().flatten().map(|index| &index.key_schema);
    let given = |of_global_index| move |elements| GivenSchema { elements, of_global_index };
    let local = local.flatten().map(Vec::as_slice).map(given(false));
    let global = global.flatten().map(Vec::as_slice).map(given(true));
    std::iter::once(table).map(given(false)).chain(local).chain(global).collect()
}

/// The table and indexes for which a request sets warm throughput.
struct Warmed {
    table: bool,
    indexes: Vec<String>,
}

impl Warmed {
    fn of(input: &CreateTableInput<'_>) -> Self {
        let indexes = input.global_secondary_indexes.iter().flatten();
        let indexes = indexes.filter(|index| index.warm_throughput.is_some());
        Self {
            table: input.warm_throughput.is_some(),
            indexes: indexes.filter_map(|index| index.index_name.clone()).collect(),
        }
    }
}

/// Returns the description of a new table as CreateTable returns it: without the members that only
/// a table that is ready has. Source: answers of 2026-10.
fn as_created(mut description: TableDescription, warmed: &Warmed) -> TableDescription {
    description.table_status = Some(TableStatus::Creating);
    if !warmed.table {
        description.warm_throughput = None;
    }
    if let Some(summary) = &mut description.billing_mode_summary {
        summary.last_update_to_pay_per_request_date_time = None;
    }
    for index in description.global_secondary_indexes.iter_mut().flatten() {
        index.index_status = Some(IndexStatus::Creating);
        let is_warmed = index.index_name.as_ref().is_some_and(|name| warmed.indexes.contains(name));
        if !is_warmed {
            index.warm_throughput = None;
        }
    }
    description
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_never_given_twice() {
        let id = |stored: Option<&[u8]>, newest: Option<u32>| next_id(stored, newest.map(TableId));
        assert_eq!(id(None, None), Ok(1));
        assert_eq!(id(Some(&[8, 0, 0, 0]), Some(7)), Ok(8));
        let damaged: [(Option<&[u8]>, _); 5] = [
            (None, Some(1)),
            (Some(&[]), None),
            (Some(&[8, 0, 0]), None),
            (Some(&[8, 0, 0, 0, 0]), None),
            (Some(&[8, 0, 0, 0]), Some(8)),
        ];
        for (stored, newest) in damaged {
            assert_eq!(id(stored, newest), Err(Reason::Internal.into()), "{stored:?}");
        }
    }
}
