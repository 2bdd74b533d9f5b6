//! What is advised.

use serde::Serialize;
use serde_json::Value;

/// What of a recording can be had for less. Money is for a month of 30 days in which all is as in the time that
/// was recorded.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct Report {
    /// The region whose prices these are.
    pub region: String,
    /// The currency.
    pub currency: String,
    /// When the recording began, in milliseconds since 1970.
    pub began_ms: u64,
    /// When it was taken.
    pub until_ms: u64,
    /// How many requests it has.
    pub requests: u64,
    /// Indexes worth adding, for each table the one first that saves most.
    pub add: Vec<NewIndex>,
    /// Requests that a key answers that is there.
    pub unused_keys: Vec<UnusedKey>,
    /// Indexes that can go, or be smaller.
    pub spare: Vec<SpareIndex>,
    /// Tables whose traffic is too little to tell money and indexes that could go.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub too_little: Vec<TooLittle>,
    /// Tables whose keys the recording does not have.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unknown_tables: Vec<String>,
}

/// A table whose traffic says nothing about a month.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct TooLittle {
    /// The table.
    pub table: String,
    /// How many requests of it were recorded.
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
    /// The request without its values.
    pub pattern: String,
}

/// A kind of request that a key answers.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct Answered {
    /// It as it is.
    pub request: Request,
    /// It as it would be.
    pub instead: Request,
    /// How many there were.
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
    /// The most that they would use: where a filter is left, values may be anything but evenly frequent.
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

/// Which attributes the entries of an index have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub enum Entries {
    /// Those of the keys.
    KeysOnly,
    /// Those and these.
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
    /// What its entries have.
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
    /// What is taken for granted.
    pub assumptions: Vec<String>,
    /// How `hashrange explain --what-if` and `hashrange alter --add-gsi` take it.
    pub definition: String,
    /// The request of UpdateTable that makes it.
    pub update_table: Value,
}

/// Savings and costs of an index in a month.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct Money {
    /// What is saved on reads.
    pub reads_saved: f64,
    /// What writing its entries costs.
    pub writes: f64,
    /// What storing its entries costs.
    pub storage: f64,
    /// What is left.
    pub net: f64,
}

/// Requests that a key answers that is there: of the table, or of an index.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct UnusedKey {
    /// The requests.
    pub answered: Answered,
    /// Savings on reads in a month; none if too little was recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reads_saved: Option<f64>,
    /// What is taken for granted.
    pub assumptions: Vec<String>,
}

/// Why an index can go, or be smaller.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub enum Spare {
    /// No request of the recording read it.
    Unread,
    /// This index answers what it answers.
    ContainedIn(String),
    /// All who read it ask for no more than this.
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
    /// Whether it is local: such an index goes only with its table.
    pub is_local: bool,
    /// Why.
    pub why: Spare,
    /// Requests of the recording that read it.
    pub read_by: u64,
    /// Write units that its entries used in the recorded time.
    pub write_units: f64,
    /// What of its writes is saved.
    pub writes_saved: f64,
    /// What of its storage is saved.
    pub storage_saved: f64,
    /// What is saved on reads; below 0 if those cost more then.
    pub reads_saved: f64,
    /// What is left.
    pub net: f64,
    /// What is taken for granted.
    pub assumptions: Vec<String>,
}
