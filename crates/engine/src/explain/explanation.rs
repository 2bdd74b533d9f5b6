//! The value that EXPLAIN answers. Its JSON has members named as the fields, each word of a
//! name in a capital letter; what is absent is left out.

use hashrange_cost::Pattern;
use serde::Serialize;

/// Whether what is explained runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// It is planned; a bounded sample of what it would read is looked at.
    Plan,
    /// It runs, and what it does is counted: a write writes.
    Analyze,
}

/// What a request does, and what it costs.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct Explanation {
    /// The operation, such as `Query`.
    pub operation: &'static str,
    /// The request without its values, as [`crate::Usage`] has it when it runs. No member of the JSON.
    #[serde(skip)]
    pub pattern: Pattern,
    /// Whether it ran.
    pub analyzed: bool,
    /// What is read or written, in order.
    pub steps: Vec<Step>,
    /// What the steps take together, if they are the parts of a batch or transaction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub together: Option<Together>,
    /// What it costs on demand, if prices are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub price: Option<Price>,
    /// What may be meant otherwise, or is cheaper another way.
    pub advice: Vec<Advice>,
    /// How long it took, if it ran.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<Time>,
}

/// What requests cost on demand: reads to their end, page by page.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct Price {
    /// The region whose prices these are.
    pub region: String,
    /// The currency.
    pub currency: String,
    /// What a million such requests cost.
    pub million: Bounds<f64>,
}

/// One access to a table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub enum Step {
    /// A read of a table or index.
    Read(Box<ReadStep>),
    /// A write of an item.
    Write(Box<WriteStep>),
    /// A part of a batch or transaction that its table or its own statement refuses.
    Failed(Box<FailedStep>),
}

/// A part of a batch or transaction that is refused before it is looked at what is stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct FailedStep {
    /// The table, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub table: Option<String>,
    /// Why it is refused.
    pub refused: String,
}

/// What the parts of a batch or transaction take together.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct Together {
    /// Whether all parts are done or none, which costs twice as much on the table.
    pub is_transaction: bool,
    /// Items that are read or written.
    pub items: usize,
    /// Their size in bytes; of a write the larger one of before and after.
    pub bytes: usize,
    /// Of writes that ran: their requests to the database, as [`Counted::round_trips`] has them of reads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub round_trips: Option<u64>,
    /// Capacity units by table and index: of reads, or of writes.
    pub units: Vec<TableUnits>,
    /// Parts that are left for another request.
    #[serde(skip_serializing_if = "is_zero")]
    pub unprocessed: usize,
    /// Why nothing is done at all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
    /// Whether the same request was done before, and is not done again.
    #[serde(skip_serializing_if = "is_false")]
    pub already_done: bool,
}

/// Capacity units used on a table or its index.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct TableUnits {
    /// The table.
    pub table: String,
    /// Where on it, and how many.
    #[serde(flatten)]
    pub on: UnitsOn,
}

/// What a write does to its item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum WriteAction {
    /// Creates or replaces it.
    Put,
    /// Changes or creates it.
    Update,
    /// Removes it.
    Delete,
    /// Leaves it: only the condition counts.
    Check,
}

/// A write of an item with all that follows in the indexes.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct WriteStep {
    /// The table.
    pub table: String,
    /// What it does.
    pub action: WriteAction,
    /// The item's primary key.
    pub key: String,
    /// The byte key of the store, in hexadecimal digits.
    pub byte_key: String,
    /// The condition that has to hold for the stored item.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
    /// The actions of an update.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub update: Option<String>,
    /// Why it is refused, as the item is now; then nothing is written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
    /// Size of the item before, in bytes; absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes_before: Option<usize>,
    /// Size of the item afterwards, in bytes; absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes_after: Option<usize>,
    /// The entries of indexes that change.
    pub indexes: Vec<EntryChange>,
    /// Of a write by itself that ran: its requests to the database, as [`Counted::round_trips`] has them of reads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub round_trips: Option<u64>,
    /// Write capacity units by table and index.
    pub units: Vec<UnitsOn>,
}

/// How the entry of an item in an index changes.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct EntryChange {
    /// The index.
    pub index: String,
    /// The key of the entry that is removed, or overwritten if it is that of the one written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub removed: Option<String>,
    /// The key of the entry that is written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub written: Option<String>,
}

/// How a read finds its items.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Access {
    /// One item by its whole primary key.
    OneItem,
    /// A range of sort keys in one partition.
    KeyRange,
    /// All of one partition.
    Partition,
    /// Several ranges or partitions, one after the other.
    SeveralRanges,
    /// A whole table.
    WholeTable,
    /// A whole index.
    WholeIndex,
    /// One of several equal parts of a table or index.
    Segment,
}

/// A read of a table or index.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct ReadStep {
    /// The table.
    pub table: String,
    /// What of its past is read, as it stands in the name: `history`, or `asof.` and a moment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub past: Option<String>,
    /// The secondary index read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<String>,
    /// How items are found.
    pub access: Access,
    /// The ranges read, at most 50 of them.
    pub ranges: Vec<RangeRead>,
    /// How many ranges there are beyond these.
    #[serde(skip_serializing_if = "is_zero")]
    pub more_ranges: usize,
    /// From the last sort key to the first.
    pub backward: bool,
    /// The key after which the read begins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_after: Option<String>,
    /// The condition that is applied to each item read. It makes nothing cheaper.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filter: Option<String>,
    /// What is returned of each item: paths, `all attributes`, `what the index holds` or `their number`.
    pub returns: String,
    /// Most items examined for a page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
    /// Whether each item is fetched from the table, because the local index read lacks attributes.
    pub fetches_from_table: bool,
    /// Whether the read is consistent, which costs twice as much.
    pub consistent_read: bool,
    /// Why this part of a batch is not read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
    /// Where the range lies in its item collection.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub collection: Option<Collection>,
    /// Of an index that is not there: what it would be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub what_if: Option<Supposed>,
    /// The beginning of what would be read, looked at.
    pub sample: Sample,
    /// What reading all of it takes, by the sample and the counts of the table or index.
    pub estimate: Estimate,
    /// What it took, counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counted: Option<Counted>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
fn is_false(truth: &bool) -> bool {
    !truth
}

/// A range that is read.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct RangeRead {
    /// The partition key; absent if the range is of many partitions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partition: Option<String>,
    /// The sort key between its ends; absent if every sort key is read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sort: Option<String>,
    /// The parts of its keys, where key templates derive them; of a beginning those that are whole in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parts: Option<String>,
    /// The first byte key of the store that is read, in hexadecimal digits.
    pub first_key: String,
    /// The first byte key of the store behind what is read; absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_key: Option<String>,
}

/// Where a range lies in its item collection: sort keys that are stored.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct Collection {
    /// The first of the collection.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first: Option<String>,
    /// The last one before the range.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// The first one in the range.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_in_range: Option<String>,
    /// The last one in the range.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_in_range: Option<String>,
    /// The first one behind the range.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// The last of the collection.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<String>,
}

/// An index that is not there, as a sample of the table shows it. Figures are estimated unless the sample
/// is the whole table.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct Supposed {
    /// Whether it is local to the partitions of the table: then only a new table can have it.
    #[serde(skip_serializing_if = "is_false")]
    pub is_local: bool,
    /// Its key in words.
    pub key: String,
    /// What it holds of an item.
    pub projection: String,
    /// The items of the table that were looked at.
    pub looked_at: Amount,
    /// Whether these are all of the table.
    pub is_all: bool,
    /// The entries that it would have.
    pub entries: Amount,
    /// Those that the read would examine.
    pub examined: Amount,
    /// How many these are likely at most, if that is estimated: of a few items in the sample, or none, the
    /// table may hold more or fewer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub likely_at_most: Option<usize>,
    /// Read capacity units of examining them at once, and of the items that are fetched for them.
    pub units: f64,
    /// Size of an entry in bytes, on average.
    pub entry_bytes: usize,
    /// Write capacity units that writing an entry costs beside the item, on average. A write that changes the
    /// entry's key pays twice: for the old one and for the new one.
    pub write_units: f64,
}

/// The beginning of what would be read: at most 1,000 items and 1 MiB.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct Sample {
    /// Items looked at.
    pub items: usize,
    /// Their size in bytes.
    pub bytes: usize,
    /// How many of them the filter keeps.
    pub matching: usize,
    /// Whether these are all that would be read.
    pub is_all: bool,
}

/// The least and the most that something takes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct Bounds<T> {
    /// At least so much.
    pub at_least: T,
    /// At most so much; absent if nobody knows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_most: Option<T>,
}

/// What reading all of it takes, as the table is now.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct Estimate {
    /// Items examined.
    pub items: Bounds<u64>,
    /// Their size in bytes.
    pub bytes: Bounds<u64>,
    /// Pages a client needs.
    pub pages: Bounds<u64>,
    /// Read capacity units.
    pub units: Bounds<f64>,
}

/// A number of items and their size.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct Amount {
    /// How many.
    pub items: usize,
    /// Their size in bytes.
    pub bytes: usize,
}

/// What a read took, page by page to its end.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct Counted {
    /// Pages read.
    pub pages: usize,
    /// Whether they were all; else the count stopped there.
    pub is_all: bool,
    /// Items or index entries examined.
    pub examined: Amount,
    /// Items returned, projected.
    pub returned: Amount,
    /// Items that the filter threw away.
    pub filtered_out: usize,
    /// Items fetched from the table for entries of a local index.
    pub fetched: Amount,
    /// Requests to the database where the data are, if that is a remote one: each is a round trip, or goes in
    /// one with requests of others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub round_trips: Option<u64>,
    /// Read capacity units by table and index.
    pub units: Vec<UnitsOn>,
}

/// Capacity units used on a table or index.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct UnitsOn {
    /// The index; absent for the table itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<String>,
    /// Capacity units.
    pub units: f64,
}

/// Milliseconds by the database's clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct Time {
    /// Checking and planning.
    pub plan_ms: u64,
    /// Running.
    pub run_ms: u64,
}

/// What advice is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum AdviceKind {
    /// A table or index is read whole to find what a condition wants.
    WholeRead,
    /// Another index, or the table, has the partition key that the filter fixes.
    IndexFits,
    /// The filter throws most of what is read away.
    FilterWaste,
    /// The prefix ends inside a part of the sort key and matches siblings.
    OpenPrefix,
    /// The range is open at an end and leaves the prefix of its value.
    OpenRange,
    /// A name in double quotes is compared, where text was likely meant.
    TwoAttributes,
    /// Limit counts before the filter.
    LimitBeforeFilter,
    /// A consistent read costs twice as much.
    ConsistentRead,
}

/// What may be meant otherwise, or is cheaper another way.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct Advice {
    /// What it is about.
    pub kind: AdviceKind,
    /// What was found.
    pub finding: String,
    /// What shows it.
    pub evidence: String,
    /// What to do.
    pub remedy: String,
}

impl Counted {
    /// Returns all capacity units.
    pub fn total_units(&self) -> f64 {
        self.units.iter().map(|on| on.units).sum()
    }
}
