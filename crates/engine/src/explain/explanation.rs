//! The answer of EXPLAIN. Its JSON has members named as the fields, each word of a name in a capital letter; absent
//! ones are left out.

use hashrange_cost::Pattern;
use serde::Serialize;

/// Whether the explained request runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// It is planned; a bounded sample of its range is read.
    Plan,
    /// It runs, and its work is counted: a write writes.
    Analyze,
}

/// Plan and cost of a request.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct Explanation {
    /// The operation, such as `Query`.
    pub operation: &'static str,
    /// The request without its values, as [`hashrange_cost::Usage`] has it when it runs. No member of the JSON.
    #[serde(skip)]
    pub pattern: Pattern,
    /// Whether it ran.
    pub analyzed: bool,
    /// Reads or writes, in order.
    pub steps: Vec<Step>,
    /// Sums of all steps, if they are the parts of a batch or transaction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub together: Option<Together>,
    /// Price on demand, if prices are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub price: Option<Price>,
    /// Likely mistakes, and cheaper ways.
    pub advice: Vec<Advice>,
    /// Duration, if it ran.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<Time>,
}

/// Price of requests on demand: of reads to their end, page by page.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct Price {
    /// Region of the prices.
    pub region: String,
    /// The currency.
    pub currency: String,
    /// Price of a million such requests.
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

/// A part of a batch or transaction that is refused without a look at the stored items.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct FailedStep {
    /// The table, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub table: Option<String>,
    /// Reason of the refusal.
    pub refused: String,
}

/// Sums of all parts of a batch or transaction.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct Together {
    /// Whether all parts are done or none, at twice the cost on the table.
    pub is_transaction: bool,
    /// Items read or written.
    pub items: usize,
    /// Their size in bytes; of a write the larger one of before and after.
    pub bytes: usize,
    /// Requests of executed writes to the database, as [`Counted::round_trips`] counts those of reads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub round_trips: Option<u64>,
    /// Read or write capacity units by table and index.
    pub units: Vec<TableUnits>,
    /// Parts left for another request.
    #[serde(skip_serializing_if = "is_zero")]
    pub unprocessed: usize,
    /// Reason to do nothing at all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
    /// Whether the same request was done before, and is not repeated.
    #[serde(skip_serializing_if = "is_false")]
    pub already_done: bool,
}

/// Capacity units used on a table or its index.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct TableUnits {
    /// The table.
    pub table: String,
    /// Index and number of units.
    #[serde(flatten)]
    pub on: UnitsOn,
}

/// Action of a write on its item.
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

/// A write of an item with its index entries.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct WriteStep {
    /// The table.
    pub table: String,
    /// Action on the item.
    pub action: WriteAction,
    /// The item's primary key.
    pub key: String,
    /// The byte key of the store, in hexadecimal digits.
    pub byte_key: String,
    /// Condition on the stored item.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
    /// The actions of an update.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub update: Option<String>,
    /// Reason of a refusal, as the item is now; then nothing is written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
    /// Size of the item before, in bytes; absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes_before: Option<usize>,
    /// Size of the item afterwards, in bytes; absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes_after: Option<usize>,
    /// Changed index entries.
    pub indexes: Vec<EntryChange>,
    /// Requests of a single executed write to the database, as [`Counted::round_trips`] counts those of reads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub round_trips: Option<u64>,
    /// Write capacity units by table and index.
    pub units: Vec<UnitsOn>,
}

/// Change of an item's entry in an index.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct EntryChange {
    /// The index.
    pub index: String,
    /// Key of the entry that is removed, or overwritten if it equals `written`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub removed: Option<String>,
    /// Key of the written entry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub written: Option<String>,
}

/// Access path of a read.
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
    /// Past of the table that is read, as in its name: `history`, or `asof.` and a moment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub past: Option<String>,
    /// The secondary index read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<String>,
    /// Access path.
    pub access: Access,
    /// The ranges read, at most 50 of them.
    pub ranges: Vec<RangeRead>,
    /// Number of ranges beyond these.
    #[serde(skip_serializing_if = "is_zero")]
    pub more_ranges: usize,
    /// Whether the last sort key comes first.
    pub backward: bool,
    /// The key after which the read begins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_after: Option<String>,
    /// Condition applied to each item read. It makes nothing cheaper.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filter: Option<String>,
    /// Returned part of each item: paths, `all attributes`, `what the index holds` or `their number`.
    pub returns: String,
    /// Most items examined for a page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
    /// Whether each item is fetched from the table, because the local index read lacks attributes.
    pub fetches_from_table: bool,
    /// Whether the read is consistent, which costs twice as much.
    pub consistent_read: bool,
    /// Reason to refuse this part of a batch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
    /// Position of the range in its item collection.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub collection: Option<Collection>,
    /// The supposed index, if the read is of one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub what_if: Option<Supposed>,
    /// Sample of the first items in the ranges.
    pub sample: Sample,
    /// Estimated cost of reading all, by the sample and the counts of the table or index.
    pub estimate: Estimate,
    /// Counted cost, if it ran.
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
    /// Condition on the sort key; absent if every sort key is read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sort: Option<String>,
    /// Parts of its keys, where key templates derive them; of a beginning its whole parts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parts: Option<String>,
    /// First byte key of the range, in hexadecimal digits.
    pub first_key: String,
    /// First byte key behind the range; absent if there is no end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_key: Option<String>,
}

/// Position of a range in its item collection, as stored sort keys.
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

/// A supposed index, which does not exist, by a sample of the table. Figures are estimates unless the sample is the
/// whole table.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct Supposed {
    /// Whether it is local to the partitions of the table: then only a new table can have it.
    #[serde(skip_serializing_if = "is_false")]
    pub is_local: bool,
    /// Its key in words.
    pub key: String,
    /// Attributes in its entries.
    pub projection: String,
    /// Items of the table that were looked at.
    pub looked_at: Amount,
    /// Whether the table has no others; else figures are estimated.
    pub is_all: bool,
    /// Whether the sample cannot tell: then figures are of what was looked at, and bounds are sure.
    #[serde(skip_serializing_if = "is_false")]
    pub cannot_tell: bool,
    /// Entries of the index.
    pub entries: Amount,
    /// Interval of their number that holds the truth in 95 of 100 samples, if estimated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entries_between: Option<Bounds<u64>>,
    /// Entries that the read examines.
    pub examined: Amount,
    /// Interval of their number, if estimated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub examined_between: Option<Bounds<u64>>,
    /// Read capacity units of examining them at once, and of the items fetched for them.
    pub units: f64,
    /// Interval of the units, if estimated, or if each of several pages rounds its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub units_between: Option<Bounds<f64>>,
    /// Mean size of an entry, in bytes.
    pub entry_bytes: usize,
    /// Mean write capacity units of writing an entry, beside those of the item. A write that changes the entry's key
    /// pays twice: for the old one and for the new one.
    pub write_units: f64,
}

/// Sample of a read: at most 1,000 items and 1 MiB from its beginning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct Sample {
    /// Items sampled.
    pub items: usize,
    /// Their size in bytes.
    pub bytes: usize,
    /// Items that the filter keeps.
    pub matching: usize,
    /// Whether the ranges hold no others.
    pub is_all: bool,
}

/// Bounds of a figure.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct Bounds<T> {
    /// Lower bound.
    pub at_least: T,
    /// Upper bound; absent if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_most: Option<T>,
}

/// Estimated cost of reading all, as the table is now.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct Estimate {
    /// Items examined.
    pub items: Bounds<u64>,
    /// Their size in bytes.
    pub bytes: Bounds<u64>,
    /// Pages that a client reads.
    pub pages: Bounds<u64>,
    /// Read capacity units.
    pub units: Bounds<f64>,
}

/// A number of items and their size.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct Amount {
    /// Their number.
    pub items: usize,
    /// Their size in bytes.
    pub bytes: usize,
}

impl Amount {
    /// Returns the sum of both.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self { items: self.items + other.items, bytes: self.bytes + other.bytes }
    }
}

/// Counted cost of a read, page by page to its end.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct Counted {
    /// Pages read.
    pub pages: usize,
    /// Whether the read reached its end; else the count stopped.
    pub is_all: bool,
    /// Items or index entries examined.
    pub examined: Amount,
    /// Items returned, projected.
    pub returned: Amount,
    /// Items that the filter dropped.
    pub filtered_out: usize,
    /// Items fetched from the table for entries of a local index.
    pub fetched: Amount,
    /// Requests to a remote database: each is a round trip, or shares one with requests of others.
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

/// Kind of advice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum AdviceKind {
    /// A condition is met by reading a whole table or index.
    WholeRead,
    /// Another index, or the table, has the partition key that the filter fixes.
    IndexFits,
    /// The filter drops most of the items read.
    FilterWaste,
    /// The prefix ends inside a part of the sort key and matches siblings.
    OpenPrefix,
    /// The range is open at an end and leaves the prefix of its value.
    OpenRange,
    /// Dates in the condition are written in a form that does not sort.
    DateForm,
    /// The upper end of the range is not the last of the keys with its prefix.
    UpperEnd,
    /// The prefix of versions takes the pointer to the newest along.
    VersionPointer,
    /// The last key has not the greatest number, because numbers have no leading zeros.
    UnpaddedNumber,
    /// An index holds only the items that have an attribute.
    SparseIndex,
    /// An index of a table of the past is made of the table's items for each page.
    IndexOfPast,
    /// An index has all that is wanted, in entries much smaller than the items.
    NarrowIndex,
    /// A name in double quotes is compared, where text was likely meant.
    TwoAttributes,
    /// Limit counts before the filter.
    LimitBeforeFilter,
    /// A consistent read costs twice as much.
    ConsistentRead,
}

/// A likely mistake, or a cheaper way.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct Advice {
    /// The kind.
    pub kind: AdviceKind,
    /// The finding.
    pub finding: String,
    /// Evidence.
    pub evidence: String,
    /// Suggested change.
    pub remedy: String,
}

impl Counted {
    /// Returns the sum of all units.
    pub fn total_units(&self) -> f64 {
        self.units.iter().fold(0.0, |units, on| units + on.units)
    }
}
