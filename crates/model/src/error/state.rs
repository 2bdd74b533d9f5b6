//! Why the server's own operations on its whole state are refused: saves, the clock, namespaces. The
//! sentences stand in [`super::wording`].

use super::ErrorKind;

/// What is wrong with a request about the whole state of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StateFault {
    /// The request is not in the form of its operation; holds what the reader of it says.
    Form(String),
    /// The name of a save is empty, too long, or has other characters than names of tables.
    SaveName(String),
    /// There is no save of this name; holds the names that there are.
    NoSuchSave {
        /// The name.
        name: String,
        /// Every save.
        known: Vec<String>,
    },
    /// There are as many saves as there may be.
    TooManySaves(usize),
    /// The data are in a folder, whose state cannot be put back in one step; holds the operation.
    InFolder(&'static str),
    /// A point in time that the clock cannot be set to; holds its text.
    Time(String),
    /// A length of time that is none; holds its text.
    Step(String),
    /// `Now` and `Advance` in one request.
    SetAndAdvance,
    /// The clock would leave the years 1970 to 9999.
    TimeOutOfRange,
    /// The access key id of a request cannot name a namespace; holds it.
    NamespaceKey(String),
    /// There are as many namespaces as there may be.
    TooManyNamespaces(usize),
    /// The namespace's database cannot be opened; holds why.
    NamespaceUnusable(String),
    /// EXPLAIN knows nothing of the operation; holds its name.
    NotExplained(&'static str),
    /// EXPLAIN supposes an index for reads only; holds the operation or statement.
    NotSupposed(&'static str),
    /// The request does not read the index that is supposed; holds the index.
    SupposedNotRead(String),
    /// An index that is not there is not read.
    SupposedAnalyzed,
}

impl StateFault {
    /// Returns the exception this is reported as.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::NoSuchSave { .. } => ErrorKind::ResourceNotFound,
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
            | Self::SupposedAnalyzed => ErrorKind::Validation,
        }
    }
}
