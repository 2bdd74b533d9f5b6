//! Definitions of tables: key schema, indexes, settings. [`TableRecord`] is the stored form;
//! [`Table`] is the record with values derived from it, shared by all requests.
//!
//! Left to others: the tables in use (`core/catalog.rs`), the conversion of keys to bytes
//! (`layout/`).

mod expiry;
mod history;
mod insights;
mod stream;
mod template;
mod versions;

pub use expiry::Expiry;
pub use history::{HistoryRecord, HistoryState, RETENTION_HOURS_MAX};
pub use insights::{InsightsMode, InsightsRecord};
pub(crate) use stream::{StreamChange, StreamId, StreamTarget};
pub use stream::{StreamSettings, StreamView};
pub(crate) use template::{DerivedKey, SCANS_MAX, TEMPLATES_MAX};
pub use template::{Rewritten, TemplateMode, TemplateRecord, Undoing};
pub(crate) use versions::VersionRules;
pub use versions::VersionsRecord;

use hashrange_expr::{KeyReading, KeyTemplate};
use hashrange_model::{AttributeType, Item};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Number of a table, never reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct TableId(pub u32);

/// Number of a keyspace of a table: 0 is the table itself, each index has its own, never reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct IndexId(pub u16);

impl IndexId {
    /// Id of the items of the table itself.
    pub const BASE: Self = Self(0);
}

/// Version of [`TableRecord`]'s stored form without key templates and histories.
const RECORD_VERSION: u32 = 1;

/// Types of key attributes.
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

/// Names of the key attributes in order.
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

    /// Returns true if `name` is one of the key attributes.
    pub fn contains(&self, name: &str) -> bool {
        self.all().any(|known| known == name)
    }
}

/// Attributes that an index holds besides the keys.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum IndexProjection {
    /// No other attributes.
    KeysOnly,
    /// The given attributes.
    Include(Vec<String>),
    /// Every attribute.
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

/// State of an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum IndexState {
    /// A job is adding existing items; writes maintain the index, reads are refused.
    Creating,
    /// The index is complete.
    Active,
    /// A job is removing the entries; the index is invisible.
    Deleting,
}

/// Read and write units per second.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Throughput {
    /// Read capacity units.
    pub read: i64,
    /// Write capacity units.
    pub write: i64,
    /// Time at which read or write units were last raised, epoch milliseconds.
    pub increased_at_ms: Option<u64>,
    /// Time at which read or write units were last lowered, epoch milliseconds.
    pub decreased_at_ms: Option<u64>,
    /// Number of decreases on the day (UTC) of the last one.
    pub decreases_that_day: i64,
}

impl Throughput {
    /// Returns the number of decreases on the day (UTC) of `now_ms`.
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
    /// Maximum of read units per second.
    pub read: Option<i64>,
    /// Maximum of write units per second.
    pub write: Option<i64>,
}

/// Throughput for which a table or index is prepared.
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
    /// Number of the index, which selects its keyspace.
    pub id: IndexId,
    /// Name of the index.
    pub name: String,
    /// Local or global.
    pub kind: IndexKind,
    /// Key attributes of the index.
    pub key: KeyNames,
    /// Attributes that the index holds.
    pub projection: IndexProjection,
    /// State of the index.
    pub state: IndexState,
    /// Provisioned throughput of a global index.
    pub throughput: Throughput,
    /// On-demand limits of a global index.
    pub on_demand: Option<OnDemandLimits>,
    /// Requested warm throughput.
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

/// State of time to live.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum TimeToLiveState {
    /// A job is adding existing items to the expiry index; writes maintain it.
    Enabling,
    /// Sweeps remove expired items.
    Enabled,
    /// A job is removing the expiry index.
    Disabling,
}

/// Time to live of a table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimeToLive {
    /// The attribute with the epoch second at which an item expires.
    pub attribute: String,
    /// State of time to live.
    pub state: TimeToLiveState,
}

/// The tags of a table or stream, by key.
pub type Tags = BTreeMap<String, String>;

/// The stored form of a table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableRecord {
    /// Version of this form.
    pub version: u32,
    /// Number of the table.
    pub id: TableId,
    /// Name of the table.
    pub name: String,
    /// The `TableId` that clients see.
    pub uuid: String,
    /// Time of creation, epoch milliseconds.
    pub created_at_ms: u64,
    /// Declared types of the key attributes, in the order given.
    pub definitions: Vec<(String, KeyType)>,
    /// Primary key.
    pub key: KeyNames,
    /// Indexes, local ones first.
    pub indexes: Vec<IndexRecord>,
    /// Id of the next index.
    pub next_index_id: u16,
    /// Billing mode.
    pub billing: Billing,
    /// Time at which the table last became on demand, epoch milliseconds.
    pub on_demand_since_ms: Option<u64>,
    /// Provisioned throughput.
    pub throughput: Throughput,
    /// On-demand limits.
    pub on_demand: Option<OnDemandLimits>,
    /// Requested warm throughput.
    pub warm: Option<WarmUnits>,
    /// Deletion protection.
    pub protected: bool,
    /// Storage class, if ever set, and the time of its last change, epoch milliseconds.
    pub class: Option<(StorageClass, Option<u64>)>,
    /// Key of the server-side encryption, if a request asked for encryption.
    pub encryption: Option<EncryptionKey>,
    /// Tags.
    pub tags: Tags,
    /// Latest stream of the table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stream: Option<StreamSettings>,
    /// Time to live, unless it is disabled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_to_live: Option<TimeToLive>,
    /// True if replicas are to follow changes of settings, `None` if never set; there are no
    /// replicas.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replicates_settings: Option<bool>,
    /// Key templates, in the order in which they were declared. A record with templates has version
    /// 2 or higher.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub key_templates: Vec<TemplateRecord>,
    /// Rewritings by key templates that an undo has begun to put back.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub undoing: Vec<Undoing>,
    /// History, if the table keeps one. A record with a history has version 4; version 3 has only
    /// entries of the first form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub history: Option<HistoryRecord>,
    /// Versions kept as items, if they are. A record with them has version 5.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub versions: Option<VersionsRecord>,
    /// Contributor Insights of the table and of its global indexes that were ever enabled.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub insights: Vec<InsightsRecord>,
}

/// Key for the encryption of a table. Stored as its name; the empty name is the account's key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum EncryptionKey {
    /// The account's key for DynamoDB, `alias/aws/dynamodb`.
    OfAccount,
    /// Key with this name.
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
    /// Version of new records.
    pub const VERSION: u32 = RECORD_VERSION;
    /// Version of records with key templates: a release without key templates must not write such a
    /// table.
    pub const VERSION_WITH_TEMPLATES: u32 = 2;
    /// Version of records of tables that have had a history: a release without histories, or with
    /// only their first form, which had version 3, must not write such a table.
    pub const VERSION_WITH_HISTORY: u32 = 4;
    /// Version of records of tables that have kept versions as items: a release without them must not write such a
    /// table.
    pub const VERSION_WITH_VERSIONS: u32 = 5;
    /// Newest version that this release can read.
    pub const VERSION_MAX: u32 = Self::VERSION_WITH_VERSIONS;

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

    /// Returns true if `name` is one of the attributes.
    pub fn contains(&self, name: &str) -> bool {
        self.all().any(|attribute| attribute.name == name)
    }

    /// Returns the number of attributes.
    pub fn len(&self) -> usize {
        self.partition.len() + self.sort.len()
    }
}

/// Past of a table that is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Past {
    /// The items as they were at a moment, epoch milliseconds.
    At(u64),
    /// Every version of the items.
    Versions,
    /// Every item that is or was, the latter in its last state.
    Ever,
}

/// A secondary index in use.
#[derive(Debug)]
pub struct Index {
    /// Number of the index, which selects its keyspace.
    pub id: IndexId,
    /// Name of the index.
    pub name: String,
    /// Local or global.
    pub kind: IndexKind,
    /// Key attributes of the index.
    pub key: KeySchema,
    /// Attributes that the index holds.
    pub projection: IndexProjection,
    /// State of the index: creating or active.
    pub state: IndexState,
    /// All attributes that the index holds, for a projection other than ALL; sorted.
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

    /// Returns the attributes of an item that the index holds.
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
    /// Indexes that writes maintain: all but the ones being deleted.
    pub indexes: Vec<Index>,
    /// True if there is a local index, so that writes keep the sizes of item collections.
    pub has_local_index: bool,
    /// True if an index of the table is being filled.
    pub(crate) is_being_indexed: bool,
    /// Target of logged changes, while a stream is enabled.
    pub(crate) stream: Option<StreamTarget>,
    /// Expiry index, while time to live is enabled.
    pub(crate) expiry: Option<Expiry>,
    /// Key templates that writes follow, if there are any.
    pub(crate) derived: Option<Vec<DerivedKey>>,
    /// Number of tests in key templates that may read through the whole item.
    derived_scans: usize,
    /// True if writes keep the history.
    pub(crate) keeps_history: bool,
    /// Rules by which writes keep versions as items, if they do.
    pub(crate) versions: Option<VersionRules>,
    /// Past that is read; `None` for the present table.
    pub(crate) past: Option<Past>,
    /// The table itself and indexes that Contributor Insights watches; mostly empty.
    pub(crate) watched: Vec<(IndexId, InsightsMode)>,
    /// Name of the table, shared with the meters of requests.
    pub(crate) shared_name: Arc<str>,
    /// Set when a newer version has replaced this one: a write that still holds this one must begin
    /// again. See `core/catalog.rs`.
    superseded: AtomicBool,
    /// Size of the rows of the last page, bytes: an estimate for the next page.
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
            versions: record.versions.as_ref().and_then(|versions| VersionRules::of(versions).ok()),
            past: None,
            watched: record.watched(),
            shared_name: record.name.as_str().into(),
            superseded: AtomicBool::new(false),
            last_page_bytes: AtomicUsize::new(0),
            record,
        }
    }

    /// Parses a value of a key attribute, or the beginning of one, with the template that derives
    /// the attribute, if there is one. Of several cases of the template that fit returns the
    /// reading with the most parts.
    pub(crate) fn key_reading(
        &self,
        attribute: &str,
        text: &str,
        is_beginning: bool,
    ) -> Option<KeyReading> {
        self.template_of(attribute)?.fullest_reading(text, is_beginning)
    }

    /// Returns the characters that end parts of an attribute, by its template.
    pub(crate) fn delimiters_of(&self, attribute: &str) -> Vec<char> {
        let mut templates = self.derived.iter().flatten().map(|derived| &derived.template);
        let template = templates.find(|template| template.attribute() == attribute);
        template.map(|template| template.delimiters().collect()).unwrap_or_default()
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

    /// Returns whether the server may set an attribute to the second of an expiry: no key of the table, and no key of
    /// an index that is no number.
    pub(crate) fn can_expire_by(&self, attribute: &str) -> bool {
        let is_number = self.record.key_type(attribute).is_none_or(|kind| kind == KeyType::N);
        is_number && !self.key.contains(attribute)
    }

    /// Returns the number of tests in key templates that may read through the whole item in a
    /// write.
    pub(crate) fn derived_scans(&self) -> usize {
        self.derived_scans
    }

    /// Returns the template that derives a key attribute.
    pub(crate) fn template_of(&self, attribute: &str) -> Option<&KeyTemplate> {
        let mut templates = self.derived.iter().flatten().map(|derived| &derived.template);
        templates.find(|template| template.attribute() == attribute)
    }

    /// Returns the table's number.
    pub fn id(&self) -> TableId {
        self.record.id
    }

    /// Returns whether a job is rewriting the table's items by key templates.
    pub(crate) fn is_rewriting(&self) -> bool {
        self.record.key_templates.iter().any(|template| template.is_rewriting)
    }

    /// Returns the table with another record, and with the state that is only in memory.
    pub(crate) fn successor(&self, record: TableRecord) -> Self {
        let mut successor = Self::new(record);
        assert_eq!(successor.id(), self.id(), "a version is followed by one of the same table");
        if let (Some(expiry), Some(old)) = (&mut successor.expiry, &self.expiry) {
            expiry.succeed(old);
        }
        successor
    }

    /// Returns the table for reads of a past. Its indexes hold what was whole: they are not stored.
    pub(crate) fn of_past(&self, past: Past) -> Self {
        let mut table = Self { past: Some(past), ..self.successor(self.record.clone()) };
        for index in &mut table.indexes {
            index.projection = IndexProjection::All;
        }
        table
    }

    /// Returns the size of the rows of the last page, bytes.
    pub(crate) fn last_page_bytes(&self) -> usize {
        self.last_page_bytes.load(Ordering::Relaxed)
    }

    /// Stores the size of the rows of a page, bytes.
    pub(crate) fn remember_page_bytes(&self, bytes: usize) {
        self.last_page_bytes.store(bytes, Ordering::Relaxed);
    }

    /// Returns whether a write can still be decided on this version.
    pub(crate) fn admits_writes(&self) -> bool {
        !self.superseded.load(Ordering::Acquire)
    }

    /// Marks this version as replaced by a newer one, or as that of a deleted table.
    pub(crate) fn supersede(&self) {
        let was_superseded = self.superseded.swap(true, Ordering::AcqRel);
        assert!(!was_superseded, "a version of a table is superseded once");
    }
}
