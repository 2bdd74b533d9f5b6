//! Why an operation on the history of a table is refused. The sentences stand in [`super::wording`].

/// What is wrong with a request for the history of a table, or for the table as it was.
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
        /// What was asked for, epoch milliseconds.
        at_ms: u64,
        /// The first moment that can be read, epoch milliseconds.
        reaches_back_to_ms: u64,
    },
    /// The moment is not over yet.
    Future {
        /// What was asked for, epoch milliseconds.
        at_ms: u64,
        /// The last moment that can be read, epoch milliseconds.
        now_ms: u64,
    },
    /// A write names a table as it was, or the history of one.
    ReadOnly(String),
    /// An index is read as it was.
    IndexOfThePast,
    /// The versions of items are read in another way than by Query, Scan and ExecuteStatement.
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
    /// `ExclusiveStart` is none that a page of the same request has returned.
    Start,
    /// Items are to be put back to what they were at two moments.
    RestoreTo,
    /// The retention is out of bounds, hours.
    Retention {
        /// The longest that there is.
        most: u32,
    },
}
