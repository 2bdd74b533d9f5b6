//! What a table is: key schema, indexes, settings. [`TableRecord`] is the form that is stored;
//! [`Table`] is the record with what is derived from it, shared by all requests.
//!
//! Left to others: where tables are kept (`core/catalog.rs`), how keys become bytes
//! (`layout/`).

mod expiry;
mod history;
mod insights;
mod stream;
mod template;

pub use expiry::Expiry;
pub use history::{HistoryRecord, HistoryState, RETENTION_HOURS_MAX};
pub use insights::{InsightsMode, InsightsRecord};
pub(crate) use stream::{StreamChange, StreamId, StreamTarget};
pub use stream::{StreamSettings, StreamView};
pub(crate) use template::{DerivedKey, SCANS_MAX, TEMPLATES_MAX};
pub use template::{Rewritten, TemplateMode, TemplateRecord};

use hashrange_expr::{KeyReading, KeyTemplate};
use hashrange_model::{AttributeType, Item};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Number of a table, never used again after the table is deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct TableId(pub u32);

/// Number of a keyspace of a table: 0 is the table itself, each index has its own, never reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct IndexId(pub u16);

impl IndexId {
    /// The items of the table itself.
    pub const BASE: Self = Self(0);
}

/// Version of [`TableRecord`]'s stored form without key templates.
const RECORD_VERSION: u32 = 1;

/// The types that key attributes may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum KeyType {
    /// String
    S,
    /// Number
    N,
    /// Binary
    B,
}

impl KeyType {
    /// Returns the attribute type.
    pub fn attribute_type(self) -> AttributeType {
        match self {
            Self::S => AttributeType::S,
            Self::N => AttributeType::N,
            Self::B => AttributeType::B,
        }
    }
}

/// The names of the key attributes in order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyNames {
    /// HASH elements.
    pub partition: Vec<String>,
    /// RANGE elements.
    pub sort: Vec<String>,
}

impl KeyNames {
    /// Returns all names, HASH elements first.
    pub fn all(&self) -> impl Iterator<Item = &str> {
        self.partition.iter().chain(&self.sort).map(String::as_str)
    }

    /// Returns true if `name` is one of them.
    pub fn contains(&self, name: &str) -> bool {
        self.all().any(|known| known == name)
    }
}

/// Which attributes an index holds besides the keys.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum IndexProjection {
    /// None.
    KeysOnly,
    /// These, as given.
    Include(Vec<String>),
    /// Every one.
    All,
}

/// The two kinds of secondary index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum IndexKind {
    /// Shares the table's partition key.
    Local,
    /// Has a partition key of its own.
    Global,
}

/// Where an index stands in its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum IndexState {
    /// Existing items are being added; writes keep it up to date, reads are refused.
    Creating,
    /// Complete.
    Active,
    /// Its entries are being removed; nobody sees it any more.
    Deleting,
}

/// Read and write units per second.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Throughput {
    /// Read capacity units.
    pub read: i64,
    /// Write capacity units.
    pub write: i64,
    /// When a unit was last raised, epoch milliseconds.
    pub increased_at_ms: Option<u64>,
    /// When a unit was last lowered, epoch milliseconds.
    pub decreased_at_ms: Option<u64>,
    /// How often it was lowered on the day (UTC) of the last time.
    pub decreases_that_day: i64,
}

impl Throughput {
    /// Returns how often it was lowered on the day (UTC) of `now_ms`.
    pub fn decreases_on_day_of(&self, now_ms: u64) -> i64 {
        const DAY_MS: u64 = 24 * 60 * 60 * 1000;
        match self.decreased_at_ms {
            Some(at_ms) if at_ms / DAY_MS == now_ms / DAY_MS => self.decreases_that_day,
            _ => 0,
        }
    }
}

/// Limits on a table or index in on-demand mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct OnDemandLimits {
    /// Most read units per second.
    pub read: Option<i64>,
    /// Most write units per second.
    pub write: Option<i64>,
}

/// Throughput that a table or index is prepared for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct WarmUnits {
    /// Read units per second.
    pub read: i64,
    /// Write units per second.
    pub write: i64,
}

/// The stored form of a secondary index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct IndexRecord {
    /// Its keyspace.
    pub id: IndexId,
    /// Its name.
    pub name: String,
    /// Local or global.
    pub kind: IndexKind,
    /// Its key attributes.
    pub key: KeyNames,
    /// What it holds.
    pub projection: IndexProjection,
    /// Where it stands in its life.
    pub state: IndexState,
    /// Provisioned throughput of a global index.
    pub throughput: Throughput,
    /// On-demand limits of a global index.
    pub on_demand: Option<OnDemandLimits>,
    /// Warm throughput asked for.
    pub warm: Option<WarmUnits>,
}

/// Billing modes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Billing {
    /// Provisioned
    Provisioned,
    /// On demand
    PayPerRequest,
}

/// Storage classes of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum StorageClass {
    /// `STANDARD`
    Standard,
    /// `STANDARD_INFREQUENT_ACCESS`
    InfrequentAccess,
}

/// Where time to live stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum TimeToLiveState {
    /// Existing items are being added to the expiry index; writes keep it up to date.
    Enabling,
    /// Expired items are removed.
    Enabled,
    /// The expiry index is being removed.
    Disabling,
}

/// Time to live of a table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimeToLive {
    /// The attribute with the epoch second at which an item expires.
    pub attribute: String,
    /// Where it stands.
    pub state: TimeToLiveState,
}

/// The tags of a table or stream, by key.
pub type Tags = BTreeMap<String, String>;

/// The stored form of a table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableRecord {
    /// Version of this form.
    pub version: u32,
    /// Its number.
    pub id: TableId,
    /// Its name.
    pub name: String,
    /// The `TableId` that clients see.
    pub uuid: String,
    /// Epoch milliseconds.
    pub created_at_ms: u64,
    /// Declared types of the key attributes, in the order given.
    pub definitions: Vec<(String, KeyType)>,
    /// Its primary key.
    pub key: KeyNames,
    /// Its indexes, local ones first.
    pub indexes: Vec<IndexRecord>,
    /// The id of the next index.
    pub next_index_id: u16,
    /// Billing mode.
    pub billing: Billing,
    /// When the table last became on demand, epoch milliseconds.
    pub on_demand_since_ms: Option<u64>,
    /// Provisioned throughput.
    pub throughput: Throughput,
    /// On-demand limits.
    pub on_demand: Option<OnDemandLimits>,
    /// Warm throughput asked for.
    pub warm: Option<WarmUnits>,
    /// Deletion protection.
    pub protected: bool,
    /// Storage class, if ever set, and when it last changed.
    pub class: Option<(StorageClass, Option<u64>)>,
    /// Server-side encryption, if asked for: its key.
    pub encryption: Option<EncryptionKey>,
    /// Tags.
    pub tags: Tags,
    /// Its latest stream.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stream: Option<StreamSettings>,
    /// Time to live, unless it is disabled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_to_live: Option<TimeToLive>,
    /// Whether replicas are to follow changes of settings, if ever said; there are no replicas.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replicates_settings: Option<bool>,
    /// Its key templates, in the order in which they were declared. With any the version is 2.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub key_templates: Vec<TemplateRecord>,
    /// Its history, if it keeps one. With any the version is 4; 3 says that it has only entries of the first form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub history: Option<HistoryRecord>,
    /// Contributor Insights of the table and of its global indexes, where it was ever enabled.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub insights: Vec<InsightsRecord>,
}

/// The key that a table is to be encrypted with. Stored as its name, an empty one for that of the account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum EncryptionKey {
    /// The account's key for DynamoDB, `alias/aws/dynamodb`.
    OfAccount,
    /// The key of this name.
    Named(String),
}

impl From<String> for EncryptionKey {
    fn from(name: String) -> Self {
        if name.is_empty() { Self::OfAccount } else { Self::Named(name) }
    }
}

impl From<EncryptionKey> for String {
    fn from(key: EncryptionKey) -> Self {
        match key {
            EncryptionKey::OfAccount => Self::new(),
            EncryptionKey::Named(name) => name,
        }
    }
}

impl TableRecord {
    /// Version that new records carry.
    pub const VERSION: u32 = RECORD_VERSION;
    /// Version of records with key templates: a release that knows none must not write such a table.
    pub const VERSION_WITH_TEMPLATES: u32 = 2;
    /// Version of records of tables that have had a history: a release that knows none, or only its first
    /// form, which had version 3, must not write such a table.
    pub const VERSION_WITH_HISTORY: u32 = 4;
    /// The newest version that can be read.
    pub const VERSION_MAX: u32 = Self::VERSION_WITH_HISTORY;

    /// Returns the declared type of a key attribute.
    pub fn key_type(&self, name: &str) -> Option<KeyType> {
        self.definitions.iter().find(|(known, _)| known == name).map(|(_, key_type)| *key_type)
    }

    /// Returns the index named `name` unless it is being deleted.
    pub fn index(&self, name: &str) -> Option<&IndexRecord> {
        self.visible_indexes().find(|index| index.name == name)
    }

    /// Returns the indexes that are not being deleted.
    pub fn visible_indexes(&self) -> impl Iterator<Item = &IndexRecord> {
        self.indexes.iter().filter(|index| index.state != IndexState::Deleting)
    }
}

/// A key attribute with its declared type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyAttribute {
    /// Attribute name.
    pub name: String,
    /// Declared type.
    pub key_type: KeyType,
}

/// The key attributes of a table or index, with types.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeySchema {
    /// HASH elements.
    pub partition: Vec<KeyAttribute>,
    /// RANGE elements.
    pub sort: Vec<KeyAttribute>,
}

impl KeySchema {
    fn resolve(record: &TableRecord, names: &KeyNames) -> Self {
        let resolve = |names: &[String]| {
            names
                .iter()
                .map(|name| KeyAttribute {
                    name: name.clone(),
                    key_type: record.key_type(name).expect("key attributes are declared"),
                })
                .collect()
        };
        Self { partition: resolve(&names.partition), sort: resolve(&names.sort) }
    }

    /// Returns all attributes, HASH elements first.
    pub fn all(&self) -> impl Iterator<Item = &KeyAttribute> {
        self.partition.iter().chain(&self.sort)
    }

    /// Returns true if `name` is one of them.
    pub fn contains(&self, name: &str) -> bool {
        self.all().any(|attribute| attribute.name == name)
    }

    /// Returns the number of attributes.
    pub fn len(&self) -> usize {
        self.partition.len() + self.sort.len()
    }
}

/// What is read of a table's past.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Past {
    /// The items as they were at a moment, epoch milliseconds.
    At(u64),
    /// Every version of the items.
    Versions,
}

/// A secondary index in use.
#[derive(Debug)]
pub struct Index {
    /// Its keyspace.
    pub id: IndexId,
    /// Its name.
    pub name: String,
    /// Local or global.
    pub kind: IndexKind,
    /// Its key attributes.
    pub key: KeySchema,
    /// What it holds.
    pub projection: IndexProjection,
    /// Creating or active.
    pub state: IndexState,
    /// Every attribute it holds, for a projection other than ALL; sorted.
    held: Vec<String>,
}

impl Index {
    fn new(record: &TableRecord, index: &IndexRecord) -> Self {
        let mut held: Vec<String> = match &index.projection {
            IndexProjection::All => Vec::new(),
            IndexProjection::KeysOnly => key_names(record, index),
            IndexProjection::Include(names) => {
                key_names(record, index).into_iter().chain(names.iter().cloned()).collect()
            }
        };
        held.sort();
        held.dedup();
        Self {
            id: index.id,
            name: index.name.clone(),
            kind: index.kind,
            key: KeySchema::resolve(record, &index.key),
            projection: index.projection.clone(),
            state: index.state,
            held,
        }
    }

    /// Returns true if the index holds the attribute.
    pub fn holds(&self, name: &str) -> bool {
        self.projection == IndexProjection::All
            || self.held.binary_search_by(|known| known.as_str().cmp(name)).is_ok()
    }

    /// Returns what the index holds of an item.
    pub fn project(&self, item: &Item) -> Item {
        match self.projection {
            IndexProjection::All => item.clone(),
            _ => item.retain(|name| self.holds(name)),
        }
    }
}

fn key_names(record: &TableRecord, index: &IndexRecord) -> Vec<String> {
    record.key.all().chain(index.key.all()).map(str::to_owned).collect()
}

/// A table in use: one immutable version of its definition.
#[derive(Debug)]
pub struct Table {
    /// The stored form.
    pub record: TableRecord,
    /// The primary key.
    pub key: KeySchema,
    /// Every index that writes maintain: all but the ones being deleted.
    pub indexes: Vec<Index>,
    /// Whether there is a local index, so that item collections are sized.
    pub has_local_index: bool,
    /// Whether one of its indexes is being filled.
    pub(crate) is_being_indexed: bool,
    /// Where changes are logged, while a stream is enabled.
    pub(crate) stream: Option<StreamTarget>,
    /// The expiry index, while time to live is enabled.
    pub(crate) expiry: Option<Expiry>,
    /// The key templates that writes follow, if there are any.
    pub(crate) derived: Option<Vec<DerivedKey>>,
    /// How many tests of what derives them may read through the whole item.
    derived_scans: usize,
    /// Whether writes keep its history.
    pub(crate) keeps_history: bool,
    /// What of the past is read, if this is not the table as it is.
    pub(crate) past: Option<Past>,
    /// What Contributor Insights watches: the table itself, indexes of it, mostly nothing.
    pub(crate) watched: Vec<(IndexId, InsightsMode)>,
    /// Its name, to be kept by whoever meters requests.
    pub(crate) shared_name: Arc<str>,
    /// Set when a newer version has taken its place: a write that still holds this one must begin
    /// again. See `core/catalog.rs`.
    superseded: AtomicBool,
    /// What the rows of the last page took: the next one likely takes as much.
    last_page_bytes: AtomicUsize,
}

impl Table {
    /// Returns the table that a record describes.
    pub fn new(record: TableRecord) -> Self {
        let indexes: Vec<Index> =
            record.visible_indexes().map(|index| Index::new(&record, index)).collect();
        let derived = record.derived_keys();
        let derived_scans = derived.iter().flatten().map(|key| key.template.scans()).sum();
        Self {
            derived_scans,
            key: KeySchema::resolve(&record, &record.key),
            has_local_index: indexes.iter().any(|index| index.kind == IndexKind::Local),
            is_being_indexed: indexes.iter().any(|index| index.state == IndexState::Creating),
            indexes,
            stream: StreamTarget::of(record.id, record.stream.as_ref()),
            expiry: Expiry::of(record.time_to_live.as_ref()),
            derived,
            keeps_history: record.history.as_ref().is_some_and(HistoryRecord::is_written),
            past: None,
            watched: record.watched(),
            shared_name: record.name.as_str().into(),
            superseded: AtomicBool::new(false),
            last_page_bytes: AtomicUsize::new(0),
            record,
        }
    }

    /// Reads a value of a key attribute, if a template derives it; or what such values begin with. Of several cases
    /// that make such values the one that reads the most parts.
    pub(crate) fn key_reading(
        &self,
        attribute: &str,
        text: &str,
        is_beginning: bool,
    ) -> Option<KeyReading> {
        self.template_of(attribute)?.fullest_reading(text, is_beginning)
    }

    /// Returns the parts of a value as a condition, if it has any.
    pub(crate) fn key_parts(
        &self,
        attribute: &str,
        text: &str,
        is_beginning: bool,
    ) -> Option<String> {
        let reading = self.key_reading(attribute, text, is_beginning)?;
        (!reading.parts.is_empty()).then(|| reading.to_string())
    }

    /// Returns how many tests of its key templates a write makes that may read through the whole item.
    pub(crate) fn derived_scans(&self) -> usize {
        self.derived_scans
    }

    /// Returns what derives a key attribute.
    pub(crate) fn template_of(&self, attribute: &str) -> Option<&KeyTemplate> {
        let mut templates = self.derived.iter().flatten().map(|derived| &derived.template);
        templates.find(|template| template.attribute() == attribute)
    }

    /// Returns its number.
    pub fn id(&self) -> TableId {
        self.record.id
    }

    /// Returns whether its items are being rewritten by key templates.
    pub(crate) fn is_rewriting(&self) -> bool {
        self.record.key_templates.iter().any(|template| template.is_rewriting)
    }

    /// Returns the table with another record, keeping what only memory knows.
    pub(crate) fn successor(&self, record: TableRecord) -> Self {
        let mut successor = Self::new(record);
        assert_eq!(successor.id(), self.id(), "a version is followed by one of the same table");
        if let (Some(expiry), Some(old)) = (&mut successor.expiry, &self.expiry) {
            expiry.succeed(old);
        }
        successor
    }

    /// Returns the table as it was, to be read.
    pub(crate) fn of_past(&self, past: Past) -> Self {
        Self { past: Some(past), ..self.successor(self.record.clone()) }
    }

    /// Returns what the rows of the last page took.
    pub(crate) fn last_page_bytes(&self) -> usize {
        self.last_page_bytes.load(Ordering::Relaxed)
    }

    /// Remembers what the rows of a page took.
    pub(crate) fn remember_page_bytes(&self, bytes: usize) {
        self.last_page_bytes.store(bytes, Ordering::Relaxed);
    }

    /// Returns whether a write may still be decided on this version.
    pub(crate) fn admits_writes(&self) -> bool {
        !self.superseded.load(Ordering::Acquire)
    }

    /// Marks that a newer version has taken its place, or that the table is gone.
    pub(crate) fn supersede(&self) {
        let was_superseded = self.superseded.swap(true, Ordering::AcqRel);
        assert!(!was_superseded, "a version of a table is superseded once");
    }
}
