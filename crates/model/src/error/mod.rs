//! Errors that the API answers with: kind (the exception on the wire), typed reason, and the
//! members that travel with it. The sentences stand in [`wording`]; no other code composes one.

#![deny(clippy::wildcard_enum_match_arm)]

mod busy;
mod cancellation;
mod expression;
mod history;
mod indexed_key;
mod quota;
mod reason;
mod state;
mod statement;
mod table;
mod template;
mod throttle;
mod tree;
mod value;
pub mod wording;

pub use busy::{Asked, Busy, UnderWay};
pub use cancellation::cancellation_code;
pub use expression::{ExpressionFault, ExpressionKind};
pub use history::HistoryFault;
pub use indexed_key::IndexedKeyFault;
pub use quota::Quota;
pub use reason::Reason;
pub use state::StateFault;
pub use statement::{Malformed, Span, StatementFault, TransactionFault};
pub use table::{TableFault, WarmFloor};
pub use template::{DerivedKeyFault, TemplateFault, TemplateTextFault};
pub use throttle::{Throttle, ThrottleLimit};
pub use tree::TreeFault;
pub use value::ValueFault;

use crate::item::Item;
use std::fmt;

/// The exception that names an error on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// `ValidationException`
    Validation,
    /// `SerializationException`
    Serialization,
    /// `UnknownOperationException`
    UnknownOperation,
    /// `ResourceNotFoundException`
    ResourceNotFound,
    /// `TableNotFoundException`
    TableNotFound,
    /// `ContinuousBackupsUnavailableException`
    ContinuousBackupsUnavailable,
    /// `BackupNotFoundException`
    BackupNotFound,
    /// `PolicyNotFoundException`
    PolicyNotFound,
    /// `ExportNotFoundException`
    ExportNotFound,
    /// `ImportNotFoundException`
    ImportNotFound,
    /// `GlobalTableNotFoundException`
    GlobalTableNotFound,
    /// `ResourceInUseException`
    ResourceInUse,
    /// `LimitExceededException`
    LimitExceeded,
    /// `ConditionalCheckFailedException`
    ConditionalCheckFailed,
    /// `ItemCollectionSizeLimitExceededException`
    ItemCollectionSizeLimitExceeded,
    /// `TransactionConflictException`
    TransactionConflict,
    /// `TransactionInProgressException`
    TransactionInProgress,
    /// `TransactionCanceledException`
    TransactionCanceled,
    /// `IdempotentParameterMismatchException`
    IdempotentParameterMismatch,
    /// `ProvisionedThroughputExceededException`
    ProvisionedThroughputExceeded,
    /// `ThrottlingException`
    Throttling,
    /// `ExpiredIteratorException`
    ExpiredIterator,
    /// `TrimmedDataAccessException`
    TrimmedDataAccess,
    /// `DuplicateItemException`
    DuplicateItem,
    /// `AccessDeniedException`
    AccessDenied,
    /// `NotImplementedException`: the service has this parameter, this server does not yet.
    NotImplemented,
    /// `InternalServerError`
    InternalServerError,
}

impl ErrorKind {
    /// Returns the `__type` of the error body.
    pub fn type_name(self) -> &'static str {
        match self {
            Self::Validation => "com.amazon.coral.validate#ValidationException",
            Self::Serialization => "com.amazon.coral.service#SerializationException",
            Self::UnknownOperation => "com.amazon.coral.service#UnknownOperationException",
            Self::ResourceNotFound => "com.amazonaws.dynamodb.v20120810#ResourceNotFoundException",
            Self::TableNotFound => "com.amazonaws.dynamodb.v20120810#TableNotFoundException",
            Self::ContinuousBackupsUnavailable => {
                "com.amazonaws.dynamodb.v20120810#ContinuousBackupsUnavailableException"
            }
            Self::BackupNotFound => "com.amazonaws.dynamodb.v20120810#BackupNotFoundException",
            Self::PolicyNotFound => "com.amazonaws.dynamodb.v20120810#PolicyNotFoundException",
            Self::ExportNotFound => "com.amazonaws.dynamodb.v20120810#ExportNotFoundException",
            Self::ImportNotFound => "com.amazonaws.dynamodb.v20120810#ImportNotFoundException",
            Self::GlobalTableNotFound => {
                "com.amazonaws.dynamodb.v20120810#GlobalTableNotFoundException"
            }
            Self::ResourceInUse => "com.amazonaws.dynamodb.v20120810#ResourceInUseException",
            Self::LimitExceeded => "com.amazonaws.dynamodb.v20120810#LimitExceededException",
            Self::ConditionalCheckFailed => {
                "com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException"
            }
            Self::ItemCollectionSizeLimitExceeded => {
                "com.amazonaws.dynamodb.v20120810#ItemCollectionSizeLimitExceededException"
            }
            Self::TransactionConflict => {
                "com.amazonaws.dynamodb.v20120810#TransactionConflictException"
            }
            Self::TransactionInProgress => {
                "com.amazonaws.dynamodb.v20120810#TransactionInProgressException"
            }
            Self::ProvisionedThroughputExceeded => {
                "com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException"
            }
            Self::Throttling => "com.amazonaws.dynamodb.v20120810#ThrottlingException",
            Self::TransactionCanceled => {
                "com.amazonaws.dynamodb.v20120810#TransactionCanceledException"
            }
            Self::IdempotentParameterMismatch => {
                "com.amazonaws.dynamodb.v20120810#IdempotentParameterMismatchException"
            }
            Self::ExpiredIterator => "com.amazonaws.dynamodb.v20120810#ExpiredIteratorException",
            Self::TrimmedDataAccess => {
                "com.amazonaws.dynamodb.v20120810#TrimmedDataAccessException"
            }
            Self::DuplicateItem => "com.amazonaws.dynamodb.v20120810#DuplicateItemException",
            Self::AccessDenied => "com.amazon.coral.service#AccessDeniedException",
            Self::NotImplemented => "com.amazonaws.dynamodb.v20120810#NotImplementedException",
            Self::InternalServerError => "com.amazonaws.dynamodb.v20120810#InternalServerError",
        }
    }

    /// Returns the exception's name without its namespace.
    pub fn short_name(self) -> &'static str {
        let name = self.type_name();
        name.rsplit_once('#').map_or(name, |(_, short)| short)
    }

    /// Returns the HTTP status of the answer.
    pub fn http_status(self) -> u16 {
        match self {
            Self::InternalServerError => 500,
            Self::Validation
            | Self::Serialization
            | Self::UnknownOperation
            | Self::ResourceNotFound
            | Self::TableNotFound
            | Self::ContinuousBackupsUnavailable
            | Self::BackupNotFound
            | Self::PolicyNotFound
            | Self::ExportNotFound
            | Self::ImportNotFound
            | Self::GlobalTableNotFound
            | Self::ResourceInUse
            | Self::LimitExceeded
            | Self::ConditionalCheckFailed
            | Self::ItemCollectionSizeLimitExceeded
            | Self::TransactionConflict
            | Self::TransactionInProgress
            | Self::TransactionCanceled
            | Self::IdempotentParameterMismatch
            | Self::ProvisionedThroughputExceeded
            | Self::Throttling
            | Self::ExpiredIterator
            | Self::TrimmedDataAccess
            | Self::DuplicateItem
            | Self::AccessDenied
            | Self::NotImplemented => 400,
        }
    }

    /// Returns the member that carries the message: most use `message`, some `Message`.
    pub fn message_member(self) -> &'static str {
        match self {
            Self::Serialization
            | Self::AccessDenied
            | Self::TransactionCanceled
            | Self::TransactionInProgress
            | Self::IdempotentParameterMismatch => "Message",
            Self::Validation
            | Self::UnknownOperation
            | Self::ResourceNotFound
            | Self::TableNotFound
            | Self::ContinuousBackupsUnavailable
            | Self::BackupNotFound
            | Self::PolicyNotFound
            | Self::ExportNotFound
            | Self::ImportNotFound
            | Self::GlobalTableNotFound
            | Self::ResourceInUse
            | Self::LimitExceeded
            | Self::ConditionalCheckFailed
            | Self::ItemCollectionSizeLimitExceeded
            | Self::TransactionConflict
            | Self::ProvisionedThroughputExceeded
            | Self::Throttling
            | Self::ExpiredIterator
            | Self::TrimmedDataAccess
            | Self::DuplicateItem
            | Self::NotImplemented
            | Self::InternalServerError => "message",
        }
    }
}

/// Validation layer of the service that words an operation's errors.
/// Source: captures of 2026-10 (us-east-1): the newer layer serves some operations only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Layer {
    /// PutItem, UpdateItem, DeleteItem: newer wording inside `1 validation error detected: …`.
    Enveloped,
    /// GetItem, BatchGetItem, Query and everything else: newer wording, bare.
    #[default]
    Current,
    /// BatchWriteItem, Scan, transactions: the older wording.
    Older,
}

/// Error answer.
#[derive(Clone, PartialEq)]
pub struct ApiError(Box<Inner>);

#[derive(Clone, PartialEq)]
struct Inner {
    reason: Reason,
    layer: Layer,
    item: Option<Item>,
    met_bytes: Option<usize>,
}

/// Result of an operation.
pub type ApiResult<T> = Result<T, ApiError>;

impl ApiError {
    /// Returns the error for `reason`.
    pub fn new(reason: Reason) -> Self {
        Self(Box::new(Inner { reason, layer: Layer::default(), item: None, met_bytes: None }))
    }

    /// Returns the error as an operation of `layer` words it.
    #[must_use]
    pub fn in_layer(mut self, layer: Layer) -> Self {
        self.0.layer = layer;
        self
    }

    /// Adds the item that a failed condition was asked to return.
    #[must_use]
    pub fn with_item(mut self, item: Option<Item>) -> Self {
        self.0.item = item;
        self
    }

    /// Adds the size in bytes of the stored item that a failed condition met, 0 if there was none.
    #[must_use]
    pub fn with_met_bytes(mut self, met_bytes: usize) -> Self {
        self.0.met_bytes = Some(met_bytes);
        self
    }

    /// Returns the exception.
    pub fn kind(&self) -> ErrorKind {
        self.0.reason.kind()
    }

    /// Returns the typed reason.
    pub fn reason(&self) -> &Reason {
        &self.0.reason
    }

    /// Returns the item that travels with a failed condition.
    pub fn item(&self) -> Option<&Item> {
        self.0.item.as_ref()
    }

    /// Returns the size in bytes of the stored item that a failed condition met; the write is
    /// charged for it.
    pub fn met_bytes(&self) -> Option<usize> {
        self.0.met_bytes
    }

    /// Returns each action's error, in request order, if this is a cancelled transaction.
    pub fn cancellation_reasons(&self) -> Option<&[Option<ApiError>]> {
        let Reason::TransactionCanceled(errors) = &self.0.reason else { return None };
        Some(errors)
    }

    /// Returns the exceeded limit, if the request was throttled.
    pub fn throttle(&self) -> Option<&Throttle> {
        let Reason::Throttled(throttle) = &self.0.reason else { return None };
        Some(throttle)
    }

    /// Returns the member that carries the message: that of the exception, but `Message` where an
    /// item travels with a failed condition. Source: recorded answers of 2025-10.
    pub fn message_member(&self) -> &'static str {
        if self.0.item.is_some() { "Message" } else { self.kind().message_member() }
    }

    /// Returns the message, or `None` for the few errors that carry none.
    pub fn message(&self) -> Option<String> {
        if matches!(self.0.reason, Reason::MalformedJson | Reason::UnknownOperation) {
            return None;
        }
        Some(self.0.reason.message(self.0.layer))
    }
}

impl From<Reason> for ApiError {
    fn from(reason: Reason) -> Self {
        Self::new(reason)
    }
}

impl fmt::Display for ApiError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.kind().short_name();
        match self.message() {
            Some(message) => write!(formatter, "{name}: {message}"),
            None => formatter.write_str(name),
        }
    }
}

impl fmt::Debug for ApiError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

impl std::error::Error for ApiError {}
