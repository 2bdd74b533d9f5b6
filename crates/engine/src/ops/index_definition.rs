//! Definitions of keys and indexes as CreateTable and UpdateTable take them, with every fault.

use super::throughput;
use crate::engine::required;
use crate::schema::{
    Billing, IndexId, IndexKind, IndexProjection, IndexRecord, IndexState, KeyNames, KeyType,
    OnDemandLimits, Throughput, WarmUnits,
};
use hashrange_model::limits::{GLOBAL_INDEXES_MAX, LOCAL_INDEXES_MAX, PROJECTED_ATTRIBUTES_MAX};
use hashrange_model::{ApiResult, Reason};
use hashrange_wire as wire;

/// Most HASH, and most RANGE, attributes of a global index.
const GLOBAL_KEY_ATTRIBUTES_MAX: usize = 4;

/// Declared types of attributes, in the order given.
pub(super) type Definitions = Vec<(String, KeyType)>;

/// Returns the declared types.
pub(super) fn definitions(given: Vec<wire::AttributeDefinition>) -> ApiResult<Definitions> {
    let mut definitions = Definitions::new();
    for definition in given {
        let name = required(definition.attribute_name, "attributeDefinitions.attributeName")?;
        let key_type =
            match required(definition.attribute_type, "attributeDefinitions.attributeType")? {
                wire::ScalarAttributeType::S => KeyType::S,
                wire::ScalarAttributeType::N => KeyType::N,
                wire::ScalarAttributeType::B => KeyType::B,
            };
        if definitions.iter().any(|(known, _)| *known == name) {
            return Err(Reason::DuplicateDefinition(name).into());
        }
        definitions.push((name, key_type));
    }
    Ok(definitions)
}

/// A key schema as given: names with their role.
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
pub(super) fn table_key(
    given: Vec<wire::KeySchemaElement>,
    definitions: &Definitions,
) -> ApiResult<KeyNames> {
    let elements = elements(given)?;
    check_single_key(&elements)?;
    let names: Vec<String> = elements.into_iter().map(|(name, _)| name).collect();
    check_defined(&names, definitions)?;
    check_distinct(&names)?;
    Ok(key_names(names, 1))
}

fn check_single_key(elements: &[(String, wire::KeyType)]) -> Result<(), Reason> {
    match elements {
        [(_, wire::KeyType::Hash)] | [(_, wire::KeyType::Hash), (_, wire::KeyType::Range)] => {
            Ok(())
        }
        [(_, wire::KeyType::Hash), ..] => Err(Reason::KeySchemaSecond),
        _ => Err(Reason::KeySchemaFirst),
    }
}

/// Source: which of the two sentences the service chooses is observed, not documented: the short
/// one when there are fewer definitions than key elements.
fn check_defined(names: &[String], definitions: &Definitions) -> Result<(), Reason> {
    let is_defined = |name: &String| definitions.iter().any(|(known, _)| known == name);
    if names.len() > definitions.len() {
        return Err(Reason::KeyUndefined);
    }
    if names.iter().all(is_defined) {
        return Ok(());
    }
    Err(Reason::KeyAttributesUndefined {
        keys: names.to_vec(),
        definitions: definitions.iter().map(|(name, _)| name.clone()).collect(),
    })
}

fn check_distinct(names: &[String]) -> Result<(), Reason> {
    let is_repeated = |nth: usize| names[..nth].contains(&names[nth]);
    if (0..names.len()).any(is_repeated) { Err(Reason::KeySchemaTwice) } else { Ok(()) }
}

fn key_names(mut names: Vec<String>, partition: usize) -> KeyNames {
    let sort = names.split_off(partition);
    KeyNames { partition: names, sort }
}

/// Returns the key of a global index: one to four HASH elements, then up to four RANGE elements.
fn global_key(
    given: Vec<wire::KeySchemaElement>,
    definitions: &Definitions,
) -> ApiResult<KeyNames> {
    let elements = elements(given)?;
    let partition = elements.iter().take_while(|(_, role)| *role == wire::KeyType::Hash).count();
    let sort = elements.len() - partition;
    if partition == 0 {
        return Err(Reason::KeySchemaFirst.into());
    }
    if elements[partition..].iter().any(|(_, role)| *role != wire::KeyType::Range) {
        return Err(if elements.len() == 2 {
            Reason::KeySchemaSecond.into()
        } else {
            Reason::IndexKeySchema("All HASH key elements must come before RANGE key elements")
                .into()
        });
    }
    if partition > GLOBAL_KEY_ATTRIBUTES_MAX || sort > GLOBAL_KEY_ATTRIBUTES_MAX {
        return Err(Reason::IndexKeySchema(
            "An index key has at most 4 HASH and 4 RANGE key elements",
        )
        .into());
    }
    let names: Vec<String> = elements.into_iter().map(|(name, _)| name).collect();
    check_defined(&names, definitions)?;
    check_distinct(&names)?;
    Ok(key_names(names, partition))
}

/// Returns the local indexes of a new table.
pub(super) fn local_indexes(
    given: Option<Vec<wire::LocalSecondaryIndex<'_>>>,
    table: &KeyNames,
    definitions: &Definitions,
) -> ApiResult<Vec<IndexRecord>> {
    let Some(given) = given else { return Ok(Vec::new()) };
    if given.is_empty() {
        return Err(Reason::EmptyLocalIndexes.into());
    }
    if table.sort.is_empty() {
        return Err(Reason::LocalIndexNeedsSortKey.into());
    }
    let count = given.len();
    let indexes = given
        .into_iter()
        .map(|index| local_index(index, table, definitions))
        .collect::<ApiResult<Vec<_>>>()?;
    check_names(&indexes)?;
    if count > LOCAL_INDEXES_MAX {
        return Err(Reason::TooManyLocalIndexes.into());
    }
    Ok(indexes)
}

fn local_index(
    index: wire::LocalSecondaryIndex<'_>,
    table: &KeyNames,
    definitions: &Definitions,
) -> ApiResult<IndexRecord> {
    let name = required(index.index_name, "localSecondaryIndexes.indexName")?.into_owned();
    let elements = elements(required(index.key_schema, "localSecondaryIndexes.keySchema")?)?;
    check_single_key(&elements)?;
    let names: Vec<String> = elements.into_iter().map(|(name, _)| name).collect();
    check_defined(&names, definitions)?;
    check_distinct(&names)?;
    if names.len() < 2 {
        return Err(Reason::LocalIndexWithoutRange(name).into());
    }
    if names[0] != table.partition[0] {
        return Err(Reason::LocalIndexHash {
            index: name,
            index_key: names[0].clone(),
            table_key: table.partition[0].clone(),
        }
        .into());
    }
    let projection = projection(index.projection)?;
    Ok(record(name, IndexKind::Local, key_names(names, 1), projection))
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
pub(super) struct GlobalIndexDefinition {
    pub(super) name: Option<String>,
    pub(super) key_schema: Option<Vec<wire::KeySchemaElement>>,
    pub(super) projection: Option<wire::Projection>,
    pub(super) throughput: Option<wire::ProvisionedThroughput>,
    pub(super) on_demand: Option<wire::OnDemandThroughput>,
    pub(super) warm: Option<wire::WarmThroughput>,
}

impl GlobalIndexDefinition {
    /// Returns the index; its id is not given yet.
    pub(super) fn into_record(
        self,
        billing: Billing,
        definitions: &Definitions,
    ) -> ApiResult<IndexRecord> {
        let name = required(self.name, "globalSecondaryIndexes.indexName")?;
        let key = global_key(
            required(self.key_schema, "globalSecondaryIndexes.keySchema")?,
            definitions,
        )?;
        let projection = projection(self.projection)?;
        let throughput = throughput::of_index(billing, &name, self.throughput.as_ref())?;
        if billing == Billing::Provisioned && has_limits(self.on_demand.as_ref()) {
            return Err(Reason::IndexOnDemandThroughputOnProvisioned(name).into());
        }
        let on_demand: Option<OnDemandLimits> = throughput::new_on_demand(self.on_demand.as_ref())?;
        let warm: Option<WarmUnits> = throughput::warm(None, self.warm.as_ref());
        let record = record(name, IndexKind::Global, key, projection);
        Ok(IndexRecord { throughput, on_demand, warm, ..record })
    }
}

/// Returns whether on-demand limits are given; an empty structure counts as absent.
pub(super) fn has_limits(limits: Option<&wire::OnDemandThroughput>) -> bool {
    limits.is_some_and(|limits| {
        limits.max_read_request_units.is_some() || limits.max_write_request_units.is_some()
    })
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
        }
    }
}

/// Returns the global indexes of a new table.
pub(super) fn global_indexes(
    given: Option<Vec<wire::GlobalSecondaryIndex>>,
    billing: Billing,
    definitions: &Definitions,
) -> ApiResult<Vec<IndexRecord>> {
    let Some(given) = given else { return Ok(Vec::new()) };
    if given.is_empty() {
        return Err(Reason::EmptyGlobalIndexes.into());
    }
    let indexes = given
        .into_iter()
        .map(|index| GlobalIndexDefinition::from(index).into_record(billing, definitions))
        .collect::<ApiResult<Vec<_>>>()?;
    if indexes.len() > GLOBAL_INDEXES_MAX {
        return Err(Reason::TooManyGlobalIndexes.into());
    }
    Ok(indexes)
}

/// Refuses two indexes of one name; local and global ones share the namespace.
pub(super) fn check_names(indexes: &[IndexRecord]) -> Result<(), Reason> {
    let repeated = indexes
        .iter()
        .enumerate()
        .find(|(nth, index)| indexes[..*nth].iter().any(|known| known.name == index.name));
    match repeated {
        Some((_, index)) => Err(Reason::DuplicateIndexName(index.name.clone())),
        None => Ok(()),
    }
}

/// Refuses more than 100 attributes named by projections over all indexes.
pub(super) fn check_projected<'i>(
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
            Ok(IndexProjection::Include(names))
        }
        (Some(wire::ProjectionType::Include), _) => Err(Reason::NonKeyAttributesMissing),
        (Some(wire::ProjectionType::All), None) => Ok(IndexProjection::All),
        (Some(wire::ProjectionType::KeysOnly), None) => Ok(IndexProjection::KeysOnly),
        (Some(other), Some(_)) => Err(Reason::NonKeyAttributesForbidden(other.as_str())),
    }
}
