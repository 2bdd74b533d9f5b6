//! Findings of the linter.

use crate::design::{Source, SourceKind};
use std::borrow::Cow;
use std::fmt;

/// Severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The service refuses this, now or later.
    Error,
    /// Queries return other items than intended.
    Warning,
    /// There is a simpler or cheaper way.
    Suggestion,
}

/// Kind of a finding; the order is that of the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rule {
    /// An attribute is defined but is no key.
    UnusedAttribute,
    /// An item collection comes near the limit of tables with local indexes.
    LargeCollection,
    /// Numbers without leading zeros sort as text.
    UnpaddedNumber,
    /// A number has more digits than its neighbours are padded to.
    PaddingOverflow,
    /// The pointer to the newest version sorts among the versions.
    PointerAmongVersions,
    /// Dates begin with the day or the month.
    DateOrder,
    /// Dates and times are written in different forms.
    MixedTimeForms,
    /// Times have different offsets from UTC.
    LocalOffsets,
    /// Times have different precision.
    MixedPrecision,
    /// Seconds and milliseconds occur side by side.
    MixedEpochs,
    /// Names differ in capitals only.
    MixedCase,
    /// Partition keys of one thing differ in their spelling.
    SplitPartition,
    /// A key has a word for a value that was missing.
    PlaceholderInKey,
    /// A component of a key has a blank at an end.
    TrailingBlank,
    /// A component of a key is empty where others have a value.
    EmptyComponent,
    /// Keys of one kind have different delimiters.
    MixedDelimiters,
    /// No prefix reads a key with all that is below it and nothing else.
    PrefixOfSibling,
    /// The delimiter is in the data.
    DelimiterInData,
    /// A key was put together from an attribute that has changed since.
    DriftedComposite,
    /// One partition has most of the entries.
    DominantPartition,
    /// All entries of an index have one partition key.
    SinglePartitionIndex,
    /// A key of an index is concatenated from attributes that could be the keys of the index
    /// themselves.
    ConcatenatedKey,
    /// A partition key takes more than a partition of the service gives.
    HotKey,
    /// A request reads many items to return few, and an index would pay.
    FilterNotKey,
    /// A filter of a request is a key condition of the table or of an index.
    UnusedKey,
    /// No request of the recording reads an index.
    UnreadIndex,
    /// Another index contains an index.
    ContainedIndex,
    /// An index holds more than its readers ask for.
    OverProjected,
}

/// Most items that show a finding.
const SHOWN_MAX: usize = 2;

/// A finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The rule that found it.
    pub rule: Rule,
    /// The table.
    pub table: String,
    /// The index, if the finding is not the table's own.
    pub index: Option<String>,
    /// The attribute, if the finding is about one.
    pub attribute: Option<String>,
    /// Evidence in the sample.
    pub evidence: String,
    /// Keys of the sample as evidence, in their order.
    pub examples: Vec<String>,
    /// Items that show it, as offsets in the sample, two at most; empty if the sample has none.
    pub items: Vec<usize>,
    /// Fix.
    pub fix: Cow<'static, str>,
}

impl Rule {
    /// Returns the rule's stable name.
    pub fn id(self) -> &'static str {
        match self {
            Self::UnusedAttribute => "unused-attribute",
            Self::LargeCollection => "large-collection",
            Self::UnpaddedNumber => "unpadded-number",
            Self::PaddingOverflow => "padding-overflow",
            Self::PointerAmongVersions => "pointer-among-versions",
            Self::DateOrder => "date-order",
            Self::MixedTimeForms => "mixed-time-forms",
            Self::LocalOffsets => "local-offsets",
            Self::MixedPrecision => "mixed-precision",
            Self::MixedEpochs => "mixed-epochs",
            Self::MixedCase => "mixed-case",
            Self::SplitPartition => "split-partition",
            Self::PlaceholderInKey => "placeholder-in-key",
            Self::TrailingBlank => "trailing-blank",
            Self::EmptyComponent => "empty-component",
            Self::MixedDelimiters => "mixed-delimiters",
            Self::PrefixOfSibling => "prefix-of-sibling",
            Self::DelimiterInData => "delimiter-in-data",
            Self::DriftedComposite => "drifted-composite",
            Self::DominantPartition => "dominant-partition",
            Self::SinglePartitionIndex => "single-partition-index",
            Self::ConcatenatedKey => "concatenated-key",
            Self::HotKey => "hot-key",
            Self::FilterNotKey => "filter-not-key",
            Self::UnusedKey => "unused-key",
            Self::UnreadIndex => "unread-index",
            Self::ContainedIndex => "contained-index",
            Self::OverProjected => "over-projected",
        }
    }

    /// Returns what it finds, in a sentence.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::UnusedAttribute => "An attribute is defined but is no key",
            Self::LargeCollection => {
                "An item collection comes near the limit of tables with local indexes"
            }
            Self::UnpaddedNumber => "Numbers without leading zeros sort as text",
            Self::PaddingOverflow => "A number has more digits than its neighbours are padded to",
            Self::PointerAmongVersions => {
                "The pointer to the newest version sorts among the versions"
            }
            Self::DateOrder => "Dates begin with the day or the month",
            Self::MixedTimeForms => "Dates and times are written in different forms",
            Self::LocalOffsets => "Times have different offsets from UTC",
            Self::MixedPrecision => "Times have different precision",
            Self::MixedEpochs => "Seconds and milliseconds occur side by side",
            Self::MixedCase => "Names differ in capitals only",
            Self::SplitPartition => "Partition keys of one thing differ in their spelling",
            Self::PlaceholderInKey => "A key has a word for a value that was missing",
            Self::TrailingBlank => "A component of a key has a blank at an end",
            Self::EmptyComponent => "A component of a key is empty where others have a value",
            Self::MixedDelimiters => "Keys of one kind have different delimiters",
            Self::PrefixOfSibling => {
                "No prefix reads a key with all that is below it and nothing else"
            }
            Self::DelimiterInData => "The delimiter is in the data",
            Self::DriftedComposite => {
                "A key was put together from an attribute that has changed since"
            }
            Self::DominantPartition => "One partition has most of the entries",
            Self::SinglePartitionIndex => "All entries of an index have one partition key",
            Self::ConcatenatedKey => {
                "A key of an index is concatenated from attributes that could be the keys of the index themselves"
            }
            Self::HotKey => "A partition key takes more than a partition of the service gives",
            Self::FilterNotKey => {
                "A request reads many items to return few, and an index would pay"
            }
            Self::UnusedKey => {
                "A filter of a request is a key condition of the table or of an index"
            }
            Self::UnreadIndex => "No request of the recording reads an index",
            Self::ContainedIndex => "Another index contains an index",
            Self::OverProjected => "An index holds more than its readers ask for",
        }
    }

    /// Returns the rule's severity.
    pub fn severity(self) -> Severity {
        match self {
            Self::UnusedAttribute | Self::LargeCollection => Severity::Error,
            Self::UnpaddedNumber
            | Self::PaddingOverflow
            | Self::PointerAmongVersions
            | Self::DateOrder
            | Self::MixedTimeForms
            | Self::LocalOffsets
            | Self::MixedPrecision
            | Self::MixedEpochs
            | Self::MixedCase
            | Self::SplitPartition
            | Self::PlaceholderInKey
            | Self::TrailingBlank
            | Self::EmptyComponent
            | Self::MixedDelimiters
            | Self::PrefixOfSibling
            | Self::DelimiterInData
            | Self::DriftedComposite
            | Self::HotKey
            | Self::UnusedKey => Severity::Warning,
            Self::ConcatenatedKey
            | Self::DominantPartition
            | Self::SinglePartitionIndex
            | Self::FilterNotKey
            | Self::UnreadIndex
            | Self::ContainedIndex
            | Self::OverProjected => Severity::Suggestion,
        }
    }

    fn fix(self) -> &'static str {
        match self {
            Self::UnusedAttribute => "take it out of AttributeDefinitions: only keys are defined",
            Self::LargeCollection => {
                "divide the partition key, or replace the local indexes by global ones, which have no \
                 such limit"
            }
            Self::UnpaddedNumber => {
                "pad it with zeros to a width that is enough for ever, such as v0002 and v0010, or \
                 make it a number attribute"
            }
            Self::PaddingOverflow => {
                "pad all of them to a greater width, which means writing them anew"
            }
            Self::PointerAmongVersions => {
                "give the pointer a name that sorts outside of the versions, such as latest, or as \
                 many zeros as they have digits"
            }
            Self::DateOrder => "write dates as YYYY-MM-DD",
            Self::LocalOffsets => "write all times in UTC, with Z",
            Self::MixedPrecision => "write all times with the same number of digits",
            Self::MixedEpochs => "write all of them in seconds, or all in milliseconds",
            Self::MixedCase => {
                "write names in keys in one case, and keep the form that is shown in another attribute"
            }
            Self::PrefixOfSibling => {
                "end the key that has others below it with the delimiter, too, so that a prefix with \
                 the delimiter reads all of them, or give such names one width"
            }
            Self::DelimiterInData => {
                "replace or escape the delimiter where the key is put together, or choose one that \
                 data cannot have"
            }
            Self::MixedTimeForms => "write all of them in one form, such as 2026-03-01T10:15:00Z",
            Self::SplitPartition => {
                "fold capitals, blanks, forms of Unicode and leading zeros where the key is put together, and move the items of one of the two"
            }
            Self::PlaceholderInKey => {
                "refuse to write the item, or leave the key attribute of the index out, as long as there is no value"
            }
            Self::TrailingBlank => {
                "take blanks off both ends of a value before it becomes part of a key"
            }
            Self::EmptyComponent => {
                "leave the key attribute of an index out as long as there is no value, or write a word for it that sorts where it should"
            }
            Self::MixedDelimiters => {
                "put the key together in one place with one delimiter, and write the other keys anew"
            }
            Self::DriftedComposite => {
                "write the key together with the attribute: an index key in the same update, a primary key as a new item in one transaction"
            }
            Self::DominantPartition => {
                "divide it by another component, such as the day or a number of a shard, if it takes many writes"
            }
            Self::SinglePartitionIndex => {
                "give the index a partition key with many values, or divide this one into shards, unless few items are written"
            }
            Self::ConcatenatedKey => {
                "give the index these attributes as its key, up to four of each kind: nothing has to \
                 be put together and kept up to date"
            }
            // The fix comes from the recording of requests or the heat.
            Self::HotKey
            | Self::FilterNotKey
            | Self::UnusedKey
            | Self::UnreadIndex
            | Self::ContainedIndex
            | Self::OverProjected => "",
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.id())
    }
}

impl Severity {
    /// Returns the severity's word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Suggestion => "suggestion",
        }
    }
}

impl Finding {
    pub(crate) fn new(rule: Rule, evidence: String, examples: Vec<String>) -> Self {
        let fix = Cow::Borrowed(rule.fix());
        let (table, index, attribute, items) = (String::new(), None, None, Vec::new());
        Self { rule, table, index, attribute, evidence, examples, items, fix }
    }

    /// Returns the finding with the items that show it, as offsets in the sample.
    pub(crate) fn shown_by(self, items: impl IntoIterator<Item = usize>) -> Self {
        Self { items: items.into_iter().take(SHOWN_MAX).collect(), ..self }
    }

    /// Returns the finding with a fix of its own.
    pub(crate) fn with_fix(self, fix: &'static str) -> Self {
        Self { fix: Cow::Borrowed(fix), ..self }
    }

    /// Returns the finding with its place.
    pub(crate) fn of(self, table: &str, source: &Source, attribute: &str) -> Self {
        let index = (source.kind != SourceKind::Table).then(|| source.name.clone());
        Self { table: table.to_owned(), index, attribute: Some(attribute.to_owned()), ..self }
    }

    /// Returns the finding as one of a whole table.
    pub(crate) fn of_table(self, table: &str, attribute: Option<String>) -> Self {
        Self { table: table.to_owned(), attribute, ..self }
    }
}
