//! Report of the advisor.

use hashrange_cost::Pattern;
use serde::{Serialize, Serializer};
use serde_json::Value;

/// Advice for a recording. Money is for a month of 30 days that is like the recorded time
/// throughout.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct Report {
    /// Region of the prices.
    pub region: String,
    /// The currency.
    pub currency: String,
    /// Start of the recording, in milliseconds since 1970.
    pub began_ms: u64,
    /// End of the recording, in milliseconds since 1970.
    pub until_ms: u64,
    /// Requests in the recording.
    pub requests: u64,
    /// Indexes worth adding, for each table the one that saves most first.
    pub add: Vec<NewIndex>,
    /// Requests that an existing key answers.
    pub unused_keys: Vec<UnusedKey>,
    /// Indexes that can go, or be smaller.
    pub spare: Vec<SpareIndex>,
    /// Tables with too little traffic to state money and spare indexes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub too_little: Vec<TooLittle>,
    /// Tables whose keys are not in the recording.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unknown_tables: Vec<String>,
}

/// A table with too little traffic to estimate a month.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct TooLittle {
    /// The table.
    pub table: String,
    /// Requests of the table in the recording.
    pub requests: u64,
}

/// A kind of request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct Request {
    /// The operation, such as `Query`.
    pub operation: String,
    /// The table.
    pub table: String,
    /// The index.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<String>,
    /// The request without its values; text in JSON.
    #[serde(serialize_with = "text")]
    pub pattern: Pattern,
}

fn text<S: Serializer>(pattern: &Pattern, out: S) -> Result<S::Ok, S::Error> {
    out.collect_str(pattern)
}

/// A kind of request that a key answers.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct Answered {
    /// The request as it is.
    pub request: Request,
    /// The request that reads by the key.
    pub instead: Request,
    /// Requests of this kind in the recording.
    pub requests: u64,
    /// Items they examined.
    pub examined: u64,
    /// Items they returned.
    pub returned: u64,
    /// Read units they used.
    pub read_units: f64,
    /// Items they would examine.
    pub examined_then: f64,
    /// Read units they would use.
    pub read_units_then: f64,
    /// The most read units that they would use: if a filter is left, values may be anything but
    /// evenly frequent.
    pub read_units_at_most: f64,
}

/// An attribute of a key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct KeyAttribute {
    /// Its name.
    pub name: String,
    /// `S`, `N` or `B`.
    pub key_type: String,
}

/// Attributes of the entries of an index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub enum Entries {
    /// Key attributes.
    KeysOnly,
    /// Key attributes and these.
    Include(Vec<String>),
    /// All.
    All,
}

/// An index worth adding.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct NewIndex {
    /// The table.
    pub table: String,
    /// A name for it.
    pub index: String,
    /// Its partition key.
    pub partition: Vec<KeyAttribute>,
    /// Its sort key.
    pub sort: Vec<KeyAttribute>,
    /// Attributes of its entries.
    pub entries: Entries,
    /// The requests that it answers.
    pub answers: Vec<Answered>,
    /// Write units that entries would have used in the recorded time.
    pub write_units: f64,
    /// Write units of filling it, once.
    pub build_units: f64,
    /// Savings and costs of a month; none if too little was recorded.
    #[serde(flatten)]
    pub money: Option<Money>,
    /// Assumptions.
    pub assumptions: Vec<String>,
    /// Argument for `hashrange explain --what-if` and `hashrange alter --add-gsi`.
    pub definition: String,
    /// The request of UpdateTable that makes it.
    pub update_table: Value,
}

/// Savings and costs of an index in a month.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct Money {
    /// Savings on reads.
    pub reads_saved: f64,
    /// Cost of writing its entries.
    pub writes: f64,
    /// Cost of storing its entries.
    pub storage: f64,
    /// Net savings.
    pub net: f64,
}

/// Requests that an existing key answers: of the table, or of an index.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct UnusedKey {
    /// The requests.
    pub answered: Answered,
    /// Savings on reads in a month; none if too little was recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reads_saved: Option<f64>,
    /// Assumptions.
    pub assumptions: Vec<String>,
}

/// Reason why an index can go, or be smaller.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub enum Spare {
    /// No request of the recording read it.
    Unread,
    /// This index answers all its requests.
    ContainedIn(String),
    /// Its readers ask for no more than these attributes.
    HoldsTooMuch(Entries),
}

/// An index that can go, or be smaller.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct SpareIndex {
    /// The table.
    pub table: String,
    /// The index.
    pub index: String,
    /// True for a local index, which can go only with its table.
    pub is_local: bool,
    /// The reason.
    pub why: Spare,
    /// Requests of the recording that read it.
    pub read_by: u64,
    /// Write units that its entries used in the recorded time.
    pub write_units: f64,
    /// Savings on writes.
    pub writes_saved: f64,
    /// Savings on storage.
    pub storage_saved: f64,
    /// Savings on reads; below 0 if reads cost more without it.
    pub reads_saved: f64,
    /// Net savings.
    pub net: f64,
    /// Assumptions.
    pub assumptions: Vec<String>,
}
