//! Refusals of operations on the history of a table. The sentences stand in [`super::wording`].

/// Fault of a request for the history of a table, or for the table as of a moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HistoryFault {
    /// The table keeps no history.
    NotKept(String),
    /// The history of the table is not complete yet: it was enabled a moment ago.
    Beginning(String),
    /// The history of the table is being removed.
    Ending(String),
    /// A text that is no moment.
    NotAMoment(String),
    /// The moment lies before the history begins.
    TooEarly {
        /// The table.
        table: String,
        /// Requested moment, epoch milliseconds.
        at_ms: u64,
        /// The first moment that can be read, epoch milliseconds.
        reaches_back_to_ms: u64,
    },
    /// The moment is not over yet.
    Future {
        /// Requested moment, epoch milliseconds.
        at_ms: u64,
        /// The last moment that can be read, epoch milliseconds.
        now_ms: u64,
    },
    /// A write names a table as of a moment, or the history of one.
    ReadOnly(String),
    /// Another read than Query, Scan and SELECT names an index of a table of the past.
    IndexOfThePast,
    /// A read of an index of the past would have to look through too much.
    TooMuchForAnIndex {
        /// The table.
        table: String,
    },
    /// Another operation than Query, Scan and ExecuteStatement reads the versions of items.
    VersionsByQuery(String),
    /// `Key` of a request for changes is neither a partition key nor a whole key.
    Key,
    /// `SortKeyPrefix` of a table whose sort key is no string.
    SortKeyPrefix,
    /// `Limit` of a request for changes is out of bounds.
    Limit {
        /// The greatest.
        most: usize,
    },
    /// The second moment is before the first.
    Backward,
    /// `ExclusiveStart` was not returned by a page of the same request.
    Start,
    /// A restore names two moments.
    RestoreTo,
    /// The forms of versions that are kept as items say nothing clear, or the table cannot have them.
    Versions(String),
    /// The next version of an item has no key.
    VersionTooHigh {
        /// Form of the keys.
        form: String,
        /// Number of the version.
        number: u64,
    },
    /// A request writes an item and a version of it, which the server keeps.
    VersionWritten(String),
    /// The retention is out of bounds, hours.
    Retention {
        /// The longest that there is.
        most: u32,
    },
}
