//! Refusals of the server's own operations on its whole state: saves, the clock, namespaces. The
//! sentences stand in [`super::wording`].

use super::ErrorKind;

/// Fault of a request about the whole state of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StateFault {
    /// The request has not the form of its operation; holds the decoder's message.
    Form(String),
    /// The name of a save is empty, too long, or has other characters than names of tables.
    SaveName(String),
    /// There is no save of this name; holds the existing names.
    NoSuchSave {
        /// The name.
        name: String,
        /// Every save.
        known: Vec<String>,
    },
    /// The number of saves has reached its maximum, which this holds.
    TooManySaves(usize),
    /// The data are in a folder, whose state cannot be restored in one step; holds the operation.
    InFolder(&'static str),
    /// A point in time that the clock cannot be set to; holds its text.
    Time(String),
    /// A text that is no length of time; holds it.
    Step(String),
    /// `Now` and `Advance` in one request.
    SetAndAdvance,
    /// The clock would leave the years 1970 to 9999.
    TimeOutOfRange,
    /// The access key id of a request cannot name a namespace; holds it.
    NamespaceKey(String),
    /// The number of namespaces has reached its maximum, which this holds.
    TooManyNamespaces(usize),
    /// The namespace's database cannot be opened; holds the cause.
    NamespaceUnusable(String),
    /// EXPLAIN does not cover the operation; holds its name.
    NotExplained(&'static str),
    /// EXPLAIN supposes an index for reads only; holds the operation or statement.
    NotSupposed(&'static str),
    /// The request does not read the supposed index; holds the index.
    SupposedNotRead(String),
    /// ANALYZE cannot read a supposed index.
    SupposedAnalyzed,
    /// There is no sample of this name; holds the existing names.
    NoSuchSample {
        /// The name.
        name: String,
        /// Every sample.
        known: Vec<String>,
    },
    /// A sample's table exists; holds the table.
    SampleTableExists(String),
    /// A text cannot be read as tables; holds the cause.
    UnreadableModel(String),
}

impl StateFault {
    /// Returns the exception that the answer reports.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::NoSuchSave { .. } | Self::NoSuchSample { .. } => ErrorKind::ResourceNotFound,
            Self::SampleTableExists(_) => ErrorKind::ResourceInUse,
            Self::TooManySaves(_) | Self::TooManyNamespaces(_) => ErrorKind::LimitExceeded,
            Self::NamespaceUnusable(_) => ErrorKind::InternalServerError,
            Self::Form(_)
            | Self::SaveName(_)
            | Self::InFolder(_)
            | Self::Time(_)
            | Self::Step(_)
            | Self::SetAndAdvance
            | Self::TimeOutOfRange
            | Self::NamespaceKey(_)
            | Self::NotExplained(_)
            | Self::NotSupposed(_)
            | Self::SupposedNotRead(_)
            | Self::SupposedAnalyzed
            | Self::UnreadableModel(_) => ErrorKind::Validation,
        }
    }
}
