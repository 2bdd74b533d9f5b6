//! Errors of all calls, in one type.

use crate::text::TextFault;
use crate::typed::TypedError;
use hashrange_engine::{CopyError, OpenError};
use hashrange_model::error::StateFault;
use hashrange_model::{ApiError, ErrorKind, Item, NumberFault, Reason, WrongType};
use std::convert::Infallible;
use std::fmt;

/// Result of a short call, and of every call whose errors convert into [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Reason why a database cannot be opened or has refused a call.
///
/// An error answer of the service is [`Error::Api`], with the service's exception in
/// [`Error::kind`]. The methods that begin with `is_` test for the cases that programs decide by:
///
/// ```
/// # use hashrange::{Database, create_table, item};
/// # let db = Database::memory().blocking();
/// # db.create("shop", "id:S").run()?;
/// let order = item! { "id": "ORDER#1", "total": 129 };
/// db.put("shop", order.clone()).run()?;
/// let again = db.put("shop", order.clone()).when("attribute_not_exists(id)").run();
/// match again {
///     Err(error) if error.is_condition_failed() => assert_eq!(error.item(), Some(&order)),
///     other => panic!("{other:?}"),
/// }
/// # Ok::<(), hashrange::Error>(())
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The data folder cannot be used: in use, of another format, not readable.
    Folder(hashrange_storage::OpenError),
    /// The database on PostgreSQL cannot be used: wrong URL, not reachable, refused.
    #[cfg(feature = "postgres")]
    Store(hashrange_storage::postgres::OpenError),
    /// The store is there, but its tables cannot be read.
    Tables(OpenError),
    /// A database cannot be copied.
    Copy(CopyError),
    /// The service's answer is an error.
    Api(ApiError),
    /// A condition, an update or a literal cannot be read.
    Text(TextFault),
    /// A type and an item do not fit.
    Typed(TypedError),
    /// A number cannot be stored.
    Number(NumberFault),
    /// An attribute has another type than the one asked for.
    Attribute(WrongType),
    /// The text of a position in a stream of records cannot be read.
    Position(String),
    /// The text of a key cannot be read; holds it.
    Key(String),
    /// A table has no stream; holds its name.
    NoStream(String),
    /// A batch ended early.
    Batch {
        /// Items of the batch that were read or written.
        done: usize,
        /// Items that were not read or written, or may not have been.
        open: usize,
        /// Cause of the end.
        cause: Box<Error>,
    },
    /// The database put off a part of a batch again and again; wait, then try the open part.
    PutOff,
}

impl Error {
    /// Returns the exception of the service, if the service's answer is the reason.
    pub fn kind(&self) -> Option<ErrorKind> {
        self.api().map(ApiError::kind)
    }

    /// Returns the service's answer, also of a batch.
    pub fn api(&self) -> Option<&ApiError> {
        match self {
            Self::Api(error) => Some(error),
            Self::Batch { cause, .. } => cause.api(),
            _ => None,
        }
    }

    /// Returns whether a condition failed, of a single write or of a transaction.
    pub fn is_condition_failed(&self) -> bool {
        self.any_kind(|kind| kind == ErrorKind::ConditionalCheckFailed)
    }

    /// Returns whether another transaction used an item at the same time: try again.
    pub fn is_conflict(&self) -> bool {
        self.any_kind(|kind| {
            matches!(kind, ErrorKind::TransactionConflict | ErrorKind::TransactionInProgress)
        })
    }

    /// Returns whether there is no such table, index or stream.
    pub fn is_not_found(&self) -> bool {
        self.any_kind(|kind| matches!(kind, ErrorKind::ResourceNotFound | ErrorKind::TableNotFound))
    }

    /// Returns whether a table exists already, or is being changed.
    pub fn is_in_use(&self) -> bool {
        self.any_kind(|kind| kind == ErrorKind::ResourceInUse)
    }

    /// Returns whether a limit of throughput was exceeded: wait, then try again. Only profiles have
    /// such limits.
    pub fn is_throttled(&self) -> bool {
        matches!(self, Self::PutOff)
            || self.any_kind(|kind| {
                matches!(kind, ErrorKind::ProvisionedThroughputExceeded | ErrorKind::Throttling)
            })
    }

    /// Returns whether the request itself is wrong: the same one will be refused again.
    pub fn is_invalid(&self) -> bool {
        let is_ours =
            matches!(self, Self::Text(_) | Self::Typed(_) | Self::Number(_) | Self::Key(_));
        is_ours || self.kind() == Some(ErrorKind::Validation)
    }

    /// Returns the item for which a condition failed.
    pub fn item(&self) -> Option<&Item> {
        self.api()?.item()
    }

    /// Returns whether `is_such` holds for the exception, or for that of an action of the
    /// transaction.
    fn any_kind(&self, is_such: impl Fn(ErrorKind) -> bool) -> bool {
        let Some(error) = self.api() else { return false };
        let actions = error.cancellation_reasons().unwrap_or_default().iter().flatten();
        is_such(error.kind()) || actions.map(ApiError::kind).any(is_such)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder(error) => error.fmt(formatter),
            #[cfg(feature = "postgres")]
            Self::Store(error) => error.fmt(formatter),
            Self::Tables(error) => error.fmt(formatter),
            Self::Copy(error) => error.fmt(formatter),
            Self::Api(error) => error.fmt(formatter),
            Self::Text(fault) => fault.fmt(formatter),
            Self::Typed(error) => error.fmt(formatter),
            Self::Number(fault) => fault.fmt(formatter),
            Self::Attribute(wrong) => wrong.fmt(formatter),
            Self::Position(text) => write!(formatter, "{text:?} is no position in a stream"),
            Self::Key(text) => write!(
                formatter,
                "{text:?} is no key: write the partition key, then perhaps the sort key, with their \
                 types, as \"pk:S sk:N\""
            ),
            Self::NoStream(table) => write!(formatter, "table {table} has no stream"),
            Self::Batch { done, open, cause } => {
                write!(formatter, "{cause}; {done} of the batch are done, {open} are open")
            }
            Self::PutOff => formatter.write_str("some of the batch was put off again and again"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Batch { cause, .. } => Some(cause),
            _ => None,
        }
    }
}

macro_rules! from {
    ($($variant:ident($cause:ty)),*) => {$(
        impl From<$cause> for Error {
            fn from(cause: $cause) -> Self {
                Self::$variant(cause)
            }
        }
    )*};
}
from!(Api(ApiError), Text(TextFault), Typed(TypedError), Number(NumberFault), Attribute(WrongType));

impl From<StateFault> for Error {
    fn from(fault: StateFault) -> Self {
        Self::Api(Reason::State(fault).into())
    }
}

impl From<Infallible> for Error {
    fn from(never: Infallible) -> Self {
        match never {}
    }
}
