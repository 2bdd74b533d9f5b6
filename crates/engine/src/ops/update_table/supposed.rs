//! Indexes that requests suppose for EXPLAIN: checked as the request is that would create them.

use super::indexes::{self, IndexChange};
use crate::describe;
use crate::schema::{IndexId, IndexState, TableRecord};
use hashrange_model::error::StateFault;
use hashrange_model::{ApiResult, Reason};
use hashrange_wire::check::check_value;
use hashrange_wire::{
    AttributeDefinition, BillingMode, CreateGlobalSecondaryIndexAction, CreateTableInput, Decode,
    GlobalSecondaryIndexUpdate, KeySchemaElement, KeyType, LocalSecondaryIndex, Operation,
    Projection, ProjectionType, UpdateTableInput, decode,
};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;

/// An index that a request supposes.
#[derive(Debug, Clone, PartialEq)]
pub struct SupposedIndex<'a> {
    /// Its table, if it is not that of the request.
    pub table_name: Option<String>,
    /// Whether it is a local index.
    pub is_local: bool,
    /// Its name.
    pub index_name: Cow<'a, str>,
    /// Its key schema. That of a local index may leave out the partition key, which is the table's.
    pub key_schema: Vec<KeySchemaElement>,
    /// Its projection.
    pub projection: Projection,
    /// Types of key attributes that the table does not define.
    pub attribute_definitions: Vec<AttributeDefinition>,
    /// Most items of the table that are looked at, of 1 KiB in the mean; a million if left out.
    pub look_at: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "PascalCase")]
struct Given<'a> {
    table_name: Option<String>,
    #[serde(borrow)]
    index_name: &'a RawValue,
    #[serde(borrow)]
    key_schema: &'a RawValue,
    #[serde(borrow)]
    projection: Option<&'a RawValue>,
    #[serde(borrow)]
    attribute_definitions: Option<&'a RawValue>,
    #[serde(default)]
    local: bool,
    look_at: Option<u64>,
}

impl<'a> SupposedIndex<'a> {
    /// Reads `{"IndexName", "KeySchema", "Projection", "AttributeDefinitions", "TableName", "Local", "LookAt"}`,
    /// the first four as UpdateTable has them; the last five may be left out: the projection is then of all
    /// attributes.
    pub fn from_json(text: &'a [u8]) -> ApiResult<Self> {
        let form = |why: serde_json::Error| Reason::State(StateFault::Form(why.to_string()));
        let given: Given<'a> = serde_json::from_slice(text).map_err(form)?;
        let all =
            || Projection { projection_type: Some(ProjectionType::All), ..Projection::default() };
        Ok(Self {
            table_name: given.table_name,
            is_local: given.local,
            look_at: given.look_at,
            index_name: member(given.index_name)?,
            key_schema: member(given.key_schema)?,
            projection: given.projection.map_or_else(|| Ok(all()), member)?,
            attribute_definitions: given
                .attribute_definitions
                .map_or_else(|| Ok(Vec::new()), member)?,
        })
    }
}

fn member<'a, T: Decode<'a>>(text: &'a RawValue) -> ApiResult<T> {
    Ok(decode::<T>(text.get().as_bytes())?.value)
}

/// Returns a table's record as it would be with a supposed index, filled.
pub(in crate::ops) fn with_supposed_index(
    record: TableRecord,
    index: &SupposedIndex<'_>,
    now_ms: u64,
) -> ApiResult<(TableRecord, IndexId)> {
    if index.is_local { with_local(record, index) } else { with_global(record, index, now_ms) }
}

fn with_global(
    mut record: TableRecord,
    index: &SupposedIndex<'_>,
    now_ms: u64,
) -> ApiResult<(TableRecord, IndexId)> {
    let create = CreateGlobalSecondaryIndexAction {
        index_name: Some(index.index_name.clone()),
        key_schema: Some(index.key_schema.clone()),
        projection: Some(index.projection.clone()),
        ..CreateGlobalSecondaryIndexAction::default()
    };
    let update = GlobalSecondaryIndexUpdate {
        create: Some(create),
        ..GlobalSecondaryIndexUpdate::default()
    };
    let name = record.name.clone();
    let mut update = UpdateTableInput {
        table_name: Some(name.as_str().into()),
        billing_mode: Some(BillingMode::PayPerRequest),
        global_secondary_index_updates: Some(vec![update]),
        attribute_definitions: Some(index.attribute_definitions.clone()),
        ..UpdateTableInput::default()
    };
    if let Some(violations) = check_value(Operation::UpdateTable, &update) {
        return Err(violations.into());
    }
    let given = update.attribute_definitions.get_or_insert_default();
    for known in describe::definitions(&record) {
        if !given.iter().any(|it| it.attribute_name == known.attribute_name) {
            given.push(known);
        }
    }
    let IndexChange::Create(id) = indexes::change(&mut record, &mut update, now_ms)? else {
        return Err(Reason::IndexUpdateEmpty.into());
    };
    for index in record.indexes.iter_mut().filter(|index| index.id == id) {
        index.state = IndexState::Active;
    }
    Ok((record, id))
}

fn with_local(
    mut record: TableRecord,
    index: &SupposedIndex<'_>,
) -> ApiResult<(TableRecord, IndexId)> {
    let mut key_schema = index.key_schema.clone();
    if let [KeySchemaElement { key_type: Some(KeyType::Range), .. }] = &key_schema[..] {
        let of_partition = |name: &String| KeySchemaElement {
            attribute_name: Some(name.clone()),
            key_type: Some(KeyType::Hash),
        };
        key_schema.splice(0..0, record.key.partition.iter().map(of_partition));
    }
    let local = LocalSecondaryIndex {
        index_name: Some(index.index_name.clone()),
        key_schema: Some(key_schema.clone()),
        projection: Some(index.projection.clone()),
    };
    let name = record.name.clone();
    let create = CreateTableInput {
        table_name: Some(name.as_str().into()),
        key_schema: Some(key_schema),
        attribute_definitions: Some(index.attribute_definitions.clone()),
        local_secondary_indexes: Some(vec![local]),
        ..CreateTableInput::default()
    };
    if let Some(violations) = check_value(Operation::CreateTable, &create) {
        return Err(violations.into());
    }
    let id = indexes::suppose_local(&mut record, create)?;
    Ok((record, id))
}
