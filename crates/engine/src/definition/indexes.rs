//! Definitions of keys and indexes in CreateTable and UpdateTable: checks them, with every fault.

use super::throughput;
use crate::request::required;
use crate::schema::{
    Billing, IndexId, IndexKind, IndexProjection, IndexRecord, IndexState, KeyNames, KeyType,
    Throughput,
};
use hashrange_model::error::TableFault;
use hashrange_model::limits::{GLOBAL_INDEXES_MAX, LOCAL_INDEXES_MAX, PROJECTED_ATTRIBUTES_MAX};
use hashrange_model::{ApiResult, Reason};
use hashrange_wire as wire;
use std::collections::BTreeSet;

/// Maximum of HASH, and of RANGE, attributes of a global index.
const GLOBAL_KEY_ATTRIBUTES_MAX: usize = 4;

/// Declared types of attributes, in the order given.
pub(crate) type Definitions = Vec<(String, KeyType)>;

/// Returns the declared types.
pub(crate) fn definitions(given: Vec<wire::AttributeDefinition>) -> ApiResult<Definitions> {
    let mut definitions = Definitions::new();
    let mut known = BTreeSet::new();
    for definition in given {
        let name = required(definition.attribute_name, "attributeDefinitions.attributeName")?;
        let key_type =
            match required(definition.attribute_type, "attributeDefinitions.attributeType")? {
                wire::ScalarAttributeType::S => KeyType::S,
                wire::ScalarAttributeType::N => KeyType::N,
                wire::ScalarAttributeType::B => KeyType::B,
            };
        if !known.insert(name.clone()) {
            return Err(Reason::DuplicateDefinition(name).into());
        }
        definitions.push((name, key_type));
    }
    Ok(definitions)
}

/// Returns a key schema as given: names with their role.
fn elements(given: Vec<wire::KeySchemaElement>) -> ApiResult<Vec<(String, wire::KeyType)>> {
    given
        .into_iter()
        .map(|element| {
            let name = required(element.attribute_name, "keySchema.attributeName")?;
            Ok((name, required(element.key_type, "keySchema.keyType")?))
        })
        .collect()
}

/// Returns the primary key of a table.
pub(crate) fn table_key(given: Vec<wire::KeySchemaElement>) -> ApiResult<KeyNames> {
    let names = single_key(elements(given)?)?;
    Ok(key_names(names, 1))
}

/// Returns the names of a HASH element and a RANGE element, if there is one.
fn single_key(elements: Vec<(String, wire::KeyType)>) -> Result<Vec<String>, Reason> {
    match &elements[..] {
        [(_, wire::KeyType::Hash)] | [(_, wire::KeyType::Hash), (_, wire::KeyType::Range)] => {}
        [(_, wire::KeyType::Hash), ..] => return Err(Reason::KeySchemaSecond),
        _ => return Err(Reason::KeySchemaFirst),
    }
    let names: Vec<String> = elements.into_iter().map(|(name, _)| name).collect();
    if is_repeated(&names) { Err(Reason::KeySchemaTwice) } else { Ok(names) }
}

/// The key schema of a table or of its index, as given.
pub(crate) struct GivenSchema<'s> {
    pub(crate) elements: &'s [wire::KeySchemaElement],
    pub(crate) of_global_index: bool,
}

impl GivenSchema<'_> {
    fn names(&self) -> Vec<String> {
        self.elements.iter().filter_map(|element| element.attribute_name.clone()).collect()
    }
}

/// Refuses keys without definitions, attributes that a key has twice, and definitions without keys.
/// The schemas are those of the table and then of its indexes.
///
/// Source: answers of 2026-10: this comes before the other faults of a definition.
pub(crate) fn check_definitions(
    definitions: &Definitions,
    schemas: &[GivenSchema<'_>],
) -> Result<(), Reason> {
    let types: BTreeSet<&str> = definitions.iter().map(|(name, _)| name.as_str()).collect();
    for schema in schemas {
        check_typed(&schema.names(), definitions, &types)?;
    }
    if let Some(schema) = schemas.iter().find(|schema| is_repeated(&schema.names())) {
        return Err(if schema.of_global_index {
            Reason::TableDefinition(TableFault::IndexKeyTwice)
        } else {
            Reason::KeySchemaTwice
        });
    }
    let mut known = BTreeSet::new();
    let mut keys: Vec<String> = schemas.iter().flat_map(GivenSchema::names).collect();
    keys.retain(|name| known.insert(name.clone()));
    if definitions.iter().all(|(name, _)| known.contains(name)) {
        return Ok(());
    }
    if schemas.len() < 2 {
        return Err(Reason::DefinitionsNotExact);
    }
    let definitions = definitions.iter().map(|(name, _)| name.clone()).collect();
    Err(Reason::DefinitionsUnused { definitions, keys })
}

/// Refuses a key with an attribute that no definition types.
pub(crate) fn check_defined(names: &[String], definitions: &Definitions) -> Result<(), Reason> {
    let types = definitions.iter().map(|(name, _)| name.as_str()).collect();
    check_typed(names, definitions, &types)
}

/// Refuses a key with an attribute whose name is not among those of the definitions, `types`.
///
/// Source: which of the two sentences the service chooses is observed, not documented: the short
/// one when there are fewer definitions than key elements. An element that is there twice counts
/// once.
fn check_typed(
    names: &[String],
    definitions: &Definitions,
    types: &BTreeSet<&str>,
) -> Result<(), Reason> {
    if names.iter().all(|name| types.contains(name.as_str())) {
        return Ok(());
    }
    if names.len() > definitions.len() {
        return Err(Reason::KeyUndefined);
    }
    Err(Reason::KeyAttributesUndefined {
        keys: names.to_vec(),
        definitions: definitions.iter().map(|(name, _)| name.clone()).collect(),
    })
}

/// Returns the first name that occurs a second time.
fn first_repeated<N: Ord>(names: impl IntoIterator<Item = N>) -> Option<N> {
    let mut known = BTreeSet::new();
    names.into_iter().find_map(|name| known.replace(name))
}

fn is_repeated(names: &[String]) -> bool {
    first_repeated(names).is_some()
}

fn key_names(mut names: Vec<String>, partition: usize) -> KeyNames {
    let sort = names.split_off(partition);
    KeyNames { partition: names, sort }
}

/// Returns the key of a global index: one to four HASH elements, then up to four RANGE elements.
fn global_key(given: Vec<wire::KeySchemaElement>) -> ApiResult<KeyNames> {
    let refused = |fault| Err(Reason::TableDefinition(fault).into());
    let elements = elements(given)?;
    let partition = elements.iter().take_while(|(_, role)| *role == wire::KeyType::Hash).count();
    let sort = elements.len() - partition;
    if elements[partition..].iter().any(|(_, role)| *role != wire::KeyType::Range) {
        return refused(TableFault::IndexKeyOrder);
    }
    if partition == 0 {
        return Err(Reason::KeySchemaFirst.into());
    }
    for (role, count) in [("HASH", partition), ("RANGE", sort)] {
        if count > GLOBAL_KEY_ATTRIBUTES_MAX {
            return refused(TableFault::TooManyIndexKeys(role));
        }
    }
    let names: Vec<String> = elements.into_iter().map(|(name, _)| name).collect();
    if is_repeated(&names) {
        return refused(TableFault::IndexKeyTwice);
    }
    Ok(key_names(names, partition))
}

/// Returns the local indexes of a new table, before the checks of [`check_local_indexes`].
pub(crate) fn local_indexes(
    given: Option<Vec<wire::LocalSecondaryIndex<'_>>>,
) -> ApiResult<Option<Vec<IndexRecord>>> {
    given.map(|given| given.into_iter().map(local_index).collect()).transpose()
}

fn local_index(index: wire::LocalSecondaryIndex<'_>) -> ApiResult<IndexRecord> {
    let name = required(index.index_name, "localSecondaryIndexes.indexName")?.into_owned();
    let elements = elements(required(index.key_schema, "localSecondaryIndexes.keySchema")?)?;
    let names = single_key(elements)?;
    let projection = projection(index.projection)?;
    Ok(record(name, IndexKind::Local, key_names(names, 1), projection))
}

/// Refuses local indexes that do not fit their table, an empty list, and too many.
pub(crate) fn check_local_indexes(
    indexes: Option<&[IndexRecord]>,
    table: &KeyNames,
) -> Result<(), Reason> {
    let Some(indexes) = indexes else { return Ok(()) };
    if indexes.is_empty() {
        return Err(Reason::EmptyLocalIndexes);
    }
    if table.sort.is_empty() {
        return Err(Reason::LocalIndexNeedsSortKey);
    }
    for index in indexes {
        if index.key.sort.is_empty() {
            return Err(Reason::LocalIndexWithoutRange(index.name.clone()));
        }
        if index.key.partition != table.partition {
            return Err(Reason::LocalIndexHash {
                index: index.name.clone(),
                index_key: index.key.partition.concat(),
                table_key: table.partition.concat(),
            });
        }
    }
    check_names(indexes)?;
    if indexes.len() > LOCAL_INDEXES_MAX {
        return Err(Reason::TooManyLocalIndexes);
    }
    Ok(())
}

fn record(
    name: String,
    kind: IndexKind,
    key: KeyNames,
    projection: IndexProjection,
) -> IndexRecord {
    IndexRecord {
        id: IndexId::BASE,
        name,
        kind,
        key,
        projection,
        state: IndexState::Active,
        throughput: Throughput::default(),
        on_demand: None,
        warm: None,
    }
}

/// The members that define a global index, from CreateTable or from UpdateTable.
pub(crate) struct GlobalIndexDefinition {
    pub(crate) name: Option<String>,
    pub(crate) key_schema: Option<Vec<wire::KeySchemaElement>>,
    pub(crate) projection: Option<wire::Projection>,
    pub(crate) throughput: Option<wire::ProvisionedThroughput>,
    pub(crate) on_demand: Option<wire::OnDemandThroughput>,
    pub(crate) warm: Option<wire::WarmThroughput>,
    /// True if the definition is part of an UpdateTable.
    pub(crate) of_update: bool,
}

impl GlobalIndexDefinition {
    /// Returns the index with key and projection; the caller sets its id and its throughput.
    pub(crate) fn define(&mut self) -> ApiResult<IndexRecord> {
        let name = required(self.name.take(), "globalSecondaryIndexes.indexName")?;
        let schema = required(self.key_schema.take(), "globalSecondaryIndexes.keySchema")?;
        let key = global_key(schema)?;
        Ok(record(name, IndexKind::Global, key, projection(self.projection.take())?))
    }

    /// Sets the index's throughput; `missing` makes the fault for an index that needs units and has
    /// none.
    pub(crate) fn provide(
        &self,
        index: &mut IndexRecord,
        billing: Billing,
        missing: impl FnOnce(String) -> TableFault,
    ) -> Result<(), Reason> {
        let missing = |index| Reason::TableDefinition(missing(index));
        let asked = self.throughput.as_ref();
        index.throughput =
            throughput::of_index(billing, &index.name, asked, self.of_update, missing)?;
        let name = Some(index.name.as_str());
        let maxima = self.on_demand.as_ref();
        throughput::check_billing_of_maxima(billing, name, maxima, self.of_update)?;
        index.on_demand = throughput::new_on_demand(name, maxima)?;
        index.warm = throughput::new_warm(billing, name, &index.throughput, self.warm.as_ref())?;
        Ok(())
    }
}

impl From<wire::GlobalSecondaryIndex> for GlobalIndexDefinition {
    fn from(index: wire::GlobalSecondaryIndex) -> Self {
        Self {
            name: index.index_name,
            key_schema: index.key_schema,
            projection: index.projection,
            throughput: index.provisioned_throughput,
            on_demand: index.on_demand_throughput,
            warm: index.warm_throughput,
            of_update: false,
        }
    }
}

impl From<wire::CreateGlobalSecondaryIndexAction<'_>> for GlobalIndexDefinition {
    fn from(index: wire::CreateGlobalSecondaryIndexAction<'_>) -> Self {
        Self {
            name: index.index_name.map(std::borrow::Cow::into_owned),
            key_schema: index.key_schema,
            projection: index.projection,
            throughput: index.provisioned_throughput,
            on_demand: index.on_demand_throughput,
            warm: index.warm_throughput,
            of_update: true,
        }
    }
}

/// Returns the global indexes of a new table, before the check of [`check_global_indexes`].
pub(crate) fn global_indexes(
    given: Option<Vec<wire::GlobalSecondaryIndex>>,
    billing: Billing,
) -> ApiResult<Option<Vec<IndexRecord>>> {
    let Some(given) = given else { return Ok(None) };
    let mut defined: Vec<(GlobalIndexDefinition, IndexRecord)> = Vec::new();
    for index in given {
        let mut definition = GlobalIndexDefinition::from(index);
        let record = definition.define()?;
        defined.push((definition, record));
    }
    for (definition, record) in &mut defined {
        definition.provide(record, billing, TableFault::IndexUnitsMissing)?;
    }
    Ok(Some(defined.into_iter().map(|(_, record)| record).collect()))
}

/// Refuses an empty list of global indexes, and too many of them.
pub(crate) fn check_global_indexes(indexes: Option<&[IndexRecord]>) -> Result<(), Reason> {
    match indexes.map(<[IndexRecord]>::len) {
        Some(0) => Err(Reason::EmptyGlobalIndexes),
        Some(count) if count > GLOBAL_INDEXES_MAX => Err(Reason::TooManyGlobalIndexes),
        _ => Ok(()),
    }
}

/// Refuses two indexes of one name; local and global ones share the namespace.
pub(crate) fn check_names(indexes: &[IndexRecord]) -> Result<(), Reason> {
    match first_repeated(indexes.iter().map(|index| &index.name)) {
        Some(name) => Err(Reason::DuplicateIndexName(name.clone())),
        None => Ok(()),
    }
}

/// Refuses more than 100 attributes named by the projections of all indexes together.
pub(crate) fn check_projected<'i>(
    indexes: impl Iterator<Item = &'i IndexRecord>,
) -> Result<(), Reason> {
    let projected: usize = indexes
        .map(|index| match &index.projection {
            IndexProjection::Include(names) => names.len(),
            IndexProjection::KeysOnly | IndexProjection::All => 0,
        })
        .sum();
    if projected > PROJECTED_ATTRIBUTES_MAX {
        return Err(Reason::TooManyProjectedAttributes);
    }
    Ok(())
}

fn projection(given: Option<wire::Projection>) -> Result<IndexProjection, Reason> {
    let given = given.ok_or(Reason::ProjectionMissing)?;
    match (given.projection_type, given.non_key_attributes) {
        (None, _) => Err(Reason::ProjectionTypeMissing),
        (Some(wire::ProjectionType::Include), Some(names)) if !names.is_empty() => {
            match first_repeated(&names) {
                Some(name) => {
                    Err(Reason::TableDefinition(TableFault::ProjectedTwice(name.clone())))
                }
                None => Ok(IndexProjection::Include(names)),
            }
        }
        (Some(wire::ProjectionType::Include), _) => Err(Reason::NonKeyAttributesMissing),
        (Some(wire::ProjectionType::All), None) => Ok(IndexProjection::All),
        (Some(wire::ProjectionType::KeysOnly), None) => Ok(IndexProjection::KeysOnly),
        (Some(other), Some(_)) => Err(Reason::NonKeyAttributesForbidden(other.as_str())),
    }
}
