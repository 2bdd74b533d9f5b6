//! Typed reasons of errors.

use super::{
    ApiError, Busy, DerivedKeyFault, ErrorKind, ExpressionFault, ExpressionKind, HistoryFault,
    Quota, StateFault, StatementFault, TableFault, TemplateFault, Throttle, TreeFault, ValueFault,
};
use crate::number::NumberFault;
use crate::value::AttributeType;

/// Fault of an index key attribute in a write or a read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IndexedKeyFault {
    /// The attribute has another type than the index declares.
    Type {
        /// Declared type.
        expected: AttributeType,
        /// Type in the item.
        actual: AttributeType,
    },
    /// An empty string or binary; holds the type.
    Empty(AttributeType),
    /// A value over 2048 bytes in a partition key, or over 1024 in a sort key.
    TooLong {
        /// Bytes of the value.
        size_bytes: usize,
        /// Most bytes of a value there.
        max_bytes: usize,
    },
}

/// Reason why a request was refused. One variant is one sentence of [`super::wording`].
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "the fields are named as in the sentences that print them")]
pub enum Reason {
    // ---- protocol
    /// The body is not JSON.
    MalformedJson,
    /// A member has another JSON type than in the API's model; holds the words of the sentence.
    Serialization(String),
    /// The target names no operation.
    UnknownOperation,
    /// The service has the operation, this server not yet.
    NotYetAvailable {
        operation: &'static str,
    },
    /// The service has the parameter, this server not yet.
    ParameterNotYetAvailable {
        parameter: &'static str,
    },
    /// Constraints of the API's model; holds the whole joined message.
    Constraints(String),
    /// The caller may not do this.
    NotAuthorized {
        principal: String,
        operation: &'static str,
        resource: String,
    },
    /// A fault of the server; the details are in the log.
    Internal,
    /// The store refuses writes since a write failed.
    StoreUnavailable(String),
    /// Other writers committed first, again and again.
    Contended,
    /// No number is left for a new table or index; holds the word.
    NumbersUsedUp(&'static str),

    // ---- values
    /// A value in an item, a key or a legacy parameter.
    Value(ValueFault),
    /// A value in `ExpressionAttributeValues`.
    ExpressionValue {
        fault: ValueFault,
        placeholder: String,
    },
    /// The result of arithmetic or of an update cannot be stored.
    UpdateResult(ValueFault),
    /// The item exceeds 400 KB.
    ItemTooLarge,
    /// The updated item exceeds 400 KB.
    UpdatedItemTooLarge,
    /// `ExpressionAttributeNames` and -Values exceed 2 MB together.
    SubstitutionsTooLarge,

    // ---- keys
    /// A key member of an operation does not fit the table's key schema.
    KeyElementMismatch,
    /// An item lacks a key attribute.
    MissingKey {
        attribute: String,
    },
    /// A key attribute has another type than declared.
    KeyTypeMismatch {
        attribute: String,
        expected: AttributeType,
        actual: AttributeType,
    },
    /// A key attribute is an empty string or binary; holds which.
    EmptyKeyValue {
        attribute: String,
        attribute_type: AttributeType,
    },
    /// A partition key value over 2048 bytes.
    PartitionKeyTooLong,
    /// A sort key value over 1024 bytes.
    SortKeyTooLong,
    /// An index key attribute in a put item, in an attribute that an update leaves as it is, or in
    /// a key condition.
    IndexKey {
        index: String,
        attribute: String,
        fault: IndexedKeyFault,
    },
    /// An index key attribute in an update.
    UpdatedIndexKey {
        index: String,
        attribute: String,
        fault: IndexedKeyFault,
    },
    /// An update that computes an index key attribute of another type than declared.
    UpdatedIndexKeyType,
    /// An update that touches the primary key.
    CannotUpdateKey {
        attribute: String,
    },
    /// A nested path into a key attribute.
    KeyNotScalar {
        attribute: String,
    },
    /// A nested path into an index key attribute.
    IndexKeyNotScalar {
        attribute: String,
    },

    // ---- expressions
    /// A fault of one expression.
    Expression(ExpressionKind, ExpressionFault),
    /// Names that no expression uses.
    UnusedNames(Vec<String>),
    /// Values that no expression uses.
    UnusedValues(Vec<String>),
    /// `ExpressionAttributeNames` without any expression; holds the parameters that are null.
    NamesWithoutExpression(Vec<&'static str>),
    /// `ExpressionAttributeValues` without any expression; holds the parameters that are null.
    ValuesWithoutExpression(Vec<&'static str>),
    EmptyNames,
    EmptyValues,
    InvalidNameKey(String),
    /// An alias that stands for the empty name.
    EmptyNameOf(String),
    InvalidValueKey(String),
    /// Legacy and expression parameters in one request.
    BothStyles {
        legacy: Vec<&'static str>,
        expression: Vec<&'static str>,
    },
    /// An update to a path whose parent does not exist.
    InvalidDocumentPath,
    /// An operand of an update has the wrong type in the stored item.
    UpdateOperandType,
    /// An update reads an attribute that does not exist.
    UpdateMissingAttribute,

    // ---- conditions and legacy parameters
    ConditionalCheckFailed,
    DuplicateAttributeName(String),
    /// Legacy conditions, with their values, are more than one request may have.
    TooManyLegacyConditions(usize),
    ExpectedValueMissing {
        attribute: String,
        exists: Option<bool>,
    },
    ExpectedValueForbidden {
        attribute: String,
    },
    ExpectedValueAndList {
        attribute: String,
    },
    ExpectedExistsAndOperator {
        attribute: String,
    },
    ExpectedOperatorWithoutValues {
        operator: &'static str,
        attribute: String,
    },
    ExpectedListWithoutOperator {
        attribute: String,
    },
    ArgumentCount {
        operator: &'static str,
    },
    ArgumentTypesDiffer,
    ArgumentType {
        operator: &'static str,
        attribute_type: AttributeType,
    },
    LegacyBetweenReversed,
    NotIndexable,
    ConditionalOperatorAlone,
    ConditionalOperatorWithoutConditions,
    AddNotSupported(AttributeType),
    DeleteNotSupported(AttributeType),
    OnlyDeleteWithoutValue,
    LegacyUpdateTypeMismatch,
    ReturnValuesPutDelete,

    // ---- reads
    KeyConditionsMissing,
    KeyConditionCount,
    TooManyKeyConditions {
        conditions: usize,
        attributes: usize,
    },
    MissedKeyElement(String),
    KeyConditionNotSupported,
    /// Partition key attributes of an index with several, joined by commas.
    PartitionNeedsEquality {
        attributes: String,
    },
    RangeNeedsEquality {
        attribute: String,
        condition_on: String,
    },
    ConditionTypeMismatch,
    FilterOnKey {
        parameter: &'static str,
        attribute: String,
    },
    NoSuchIndex(String),
    IndexBackfilling(String),
    ConsistentReadOnGlobalIndex,
    AllProjectedWithoutIndex {
        enveloped: bool,
    },
    AllAttributesNotProjected(String),
    NotProjected {
        index: String,
        attributes: Vec<String>,
    },
    SelectNeedsProjection {
        enveloped: bool,
    },
    SelectWithProjection {
        parameter: &'static str,
        select: &'static str,
        enveloped: bool,
    },
    StartKeyInvalid,
    StartKeySchema,
    /// The key of an index in `ExclusiveStartKey`; holds the inner sentence's reason.
    StartKeyValue(Box<Reason>),
    StartKeyOutsideBoundaries,
    StartKeyOutsideRange,
    /// A start key where at most one item can match; holds it as the sentence prints it.
    StartKeyOneRow(String),
    StartKeySegment {
        total_segments: i64,
        segment: i64,
    },
    TotalSegmentsMissing,
    SegmentMissing,
    SegmentTooLarge {
        segment: i64,
        total_segments: i64,
    },

    // ---- batches
    DuplicateKeys,
    TooManyBatchGetKeys,
    TooManyBatchWriteRequests,
    BatchMixedProjection,
    EmptyWriteRequest,
    TwoWritesInRequest,

    // ---- transactions
    /// Some action failed, so none was done; holds each action's error in request order.
    TransactionCanceled(Vec<Option<ApiError>>),
    TransactionSameItem,
    TransactionTooLarge,
    /// The items and expressions of the request exceed 4 MB; holds their size in bytes.
    TransactionPayloadTooLarge(usize),
    TransactionSeveralActions,
    TransactionNoAction,
    /// The token was used for another request.
    TokenReused,
    /// A transaction holds the item of a single write.
    TransactionConflict,
    /// The first request with this token is under way.
    TransactionInProgress,

    // ---- throughput
    /// A limit of throughput is exceeded.
    Throttled(Throttle),
    /// A change of tables exceeds a quota of the account.
    Quota(Quota),
    /// The server's whole state cannot be saved, restored or set in this way.
    State(StateFault),
    /// A tree of keys cannot be listed in this way.
    Tree(TreeFault),
    /// An operation on key templates is refused.
    KeyTemplate(TemplateFault),
    /// A request for the history of a table, or for the table as of a moment, is refused.
    History(HistoryFault),
    /// A key template refuses an item.
    DerivedKey {
        attribute: String,
        fault: DerivedKeyFault,
    },

    // ---- statements
    Statement(StatementFault),
    /// INSERT of a key that exists.
    DuplicateItem,

    // ---- item collections
    ItemCollectionTooLarge,

    // ---- tables
    /// A table named in a data operation does not exist.
    TableNotFound,
    /// A table named in a control operation does not exist.
    NamedTableNotFound(String),
    TableExists(String),
    /// Another change of the table is under way.
    TableBusy(Box<Busy>),
    TableBeingCreated(String),
    TableBeingDeleted(String),
    /// A table is to be deleted while its tags change.
    TableTagsBeingUpdated(String),
    TableProtected,
    TableNameMissing,
    InvalidArn(String),
    ResourceNotFound(String),
    /// A fault of a definition or of a change of it.
    TableDefinition(TableFault),
    /// The caller belongs to another account than the resource.
    AccessDenied,
    /// The contract of access patterns has no such request; holds the request.
    NotInContract(String),
    /// A table ARN of another region; holds the ARN, as the following do.
    ArnRegion(String),
    ArnPartition(String),
    ArnResourceType(String),
    NotAnArn(String),
    NotDynamoDbArn(String),
    NotTableOrStream(String),
    KeySchemaFirst,
    KeySchemaSecond,
    KeySchemaTwice,
    KeyUndefined,
    KeyAttributesUndefined {
        keys: Vec<String>,
        definitions: Vec<String>,
    },
    DefinitionsNotExact,
    DefinitionsUnused {
        definitions: Vec<String>,
        keys: Vec<String>,
    },
    DuplicateDefinition(String),
    ThroughputOnDemand,
    ThroughputMissing,
    ThroughputOutOfBounds {
        value: i64,
        member: &'static str,
    },
    LocalIndexNeedsSortKey,
    LocalIndexWithoutRange(String),
    LocalIndexHash {
        index: String,
        index_key: String,
        table_key: String,
    },
    EmptyLocalIndexes,
    EmptyGlobalIndexes,
    TooManyLocalIndexes,
    TooManyGlobalIndexes,
    DuplicateIndexName(String),
    ProjectionMissing,
    ProjectionTypeMissing,
    NonKeyAttributesForbidden(&'static str),
    NonKeyAttributesMissing,
    TooManyProjectedAttributes,
    IndexThroughputOnDemand {
        index: String,
        of_update: bool,
    },
    ThroughputUnchanged {
        read: i64,
        write: i64,
    },
    UpdateThroughputMissing,
    UpdateIndexThroughputMissing(Vec<String>),
    IndexUpdateEmpty,
    OneIndexAtATime,
    IndexExists,
    IndexNotFound {
        index: String,
        table: String,
    },
    IndexUnchanged {
        index: String,
        read: i64,
        write: i64,
    },
    NoTags,
    NoTagKeys,
    TooManyTags,
    DuplicateTag(String),
    TagKeyReserved(String),
    TagKeyInvalid(String),
    TagValueInvalid(String),
    TagsTooLarge {
        size_bytes: usize,
        max_bytes: usize,
    },

    // ---- features that are off
    /// A table named in an operation on backups does not exist.
    BackedUpTableNotFound(String),
    /// A new table has no continuous backups yet.
    BackupsBeingEnabled(String),
    BackupNotFound(String),
    InvalidBackupArn,
    /// The ARN of a backup in another region or partition.
    BackupArnForeign,
    /// A cursor of another region.
    BackupArnRegion,
    BackupTimeRange,
    RecoveryPeriodOfDisabled,
    PolicyNotFound(String),
    PolicyArn(String),
    PolicyOfOtherAccount,
    PolicyStreamNotFound {
        stream: String,
        table: String,
    },
    ExportNotFound(String),
    /// The ARN is of another region.
    ExportElsewhere,
    InvalidExportArn,
    ImportNotFound(String),
    InvalidImportArn,
    NextTokenUnknown(String),
    GlobalTableNotFound(String),
    /// Global tables of version 2017.11.29.
    OldGlobalTables,
    ReplicasNotFound(String),
    InsightsIndexNotFound {
        index: String,
        table: String,
    },
    /// Contributor Insights of a table, or index, that is not active.
    InsightsNotReady {
        is_index: bool,
    },
    /// A table that the server fills and clients only read.
    TableOfServer(String),
    KinesisNotActive,
    KinesisNotUpdatable {
        table: String,
        stream_arn: String,
    },

    // ---- streams and time to live
    /// A stream is enabled already; holds the table's name.
    StreamEnabled(String),
    /// No stream is enabled; holds the table's name.
    StreamDisabled(String),
    InvalidStreamArn,
    StreamNotFound(String),
    ShardNotFound {
        shard: String,
        stream: String,
    },
    ShardFilterIncomplete,
    SequenceNumberMissing,
    /// A sequence number with an iterator type that takes none.
    SequenceNumberForbidden,
    /// A timestamp with an iterator type that takes none.
    TimestampForbidden,
    InvalidSequenceNumber(String),
    TimestampMissing,
    TimestampInFuture,
    InvalidShardIterator,
    ShardIteratorExpired,
    RecordsTrimmed,
    TimeToLiveEnabled,
    TimeToLiveDisabled,
    /// Time to live is enabled on another attribute; holds that attribute.
    TimeToLiveOtherAttribute(String),
    /// Time to live is still being enabled or disabled.
    TimeToLiveChanging,
    /// A request changes time to live of a table that is being created.
    TimeToLiveOfNewTable(String),
    /// A request describes time to live of a table that is being created or deleted.
    TimeToLiveNotReady {
        is_deleted: bool,
    },
}

impl Reason {
    /// Returns the exception that the answer reports.
    #[expect(clippy::too_many_lines, reason = "a flat table of reasons, exhaustive")]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::MalformedJson | Self::Serialization(_) => ErrorKind::Serialization,
            // Tools that manage tables tolerate only this exception for a feature that the server
            // does not have.
            Self::UnknownOperation | Self::NotYetAvailable { .. } => ErrorKind::UnknownOperation,
            Self::ParameterNotYetAvailable { .. } => ErrorKind::NotImplemented,
            Self::NotAuthorized { .. } | Self::AccessDenied | Self::NotInContract(_) => {
                ErrorKind::AccessDenied
            }
            Self::BackedUpTableNotFound(_) => ErrorKind::TableNotFound,
            Self::BackupsBeingEnabled(_) => ErrorKind::ContinuousBackupsUnavailable,
            Self::BackupNotFound(_) => ErrorKind::BackupNotFound,
            Self::PolicyNotFound(_) => ErrorKind::PolicyNotFound,
            Self::ExportNotFound(_) | Self::ExportElsewhere => ErrorKind::ExportNotFound,
            Self::ImportNotFound(_) => ErrorKind::ImportNotFound,
            Self::GlobalTableNotFound(_) => ErrorKind::GlobalTableNotFound,
            Self::Internal | Self::StoreUnavailable(_) => ErrorKind::InternalServerError,
            Self::ConditionalCheckFailed => ErrorKind::ConditionalCheckFailed,
            Self::DuplicateItem => ErrorKind::DuplicateItem,
            Self::ItemCollectionTooLarge => ErrorKind::ItemCollectionSizeLimitExceeded,
            Self::TransactionCanceled(_) => ErrorKind::TransactionCanceled,
            Self::TransactionConflict => ErrorKind::TransactionConflict,
            Self::TransactionInProgress => ErrorKind::TransactionInProgress,
            Self::Contended => ErrorKind::Throttling,
            Self::Throttled(throttle) if throttle.is_on_demand => ErrorKind::Throttling,
            Self::Throttled(_) => ErrorKind::ProvisionedThroughputExceeded,
            Self::TokenReused => ErrorKind::IdempotentParameterMismatch,
            Self::TableNotFound
            | Self::NamedTableNotFound(_)
            | Self::ResourceNotFound(_)
            | Self::StreamNotFound(_)
            | Self::PolicyStreamNotFound { .. }
            | Self::ReplicasNotFound(_)
            | Self::InsightsIndexNotFound { .. }
            | Self::ShardNotFound { .. }
            | Self::IndexNotFound { .. } => ErrorKind::ResourceNotFound,
            Self::TableExists(_)
            | Self::TableBeingCreated(_)
            | Self::TableBeingDeleted(_)
            | Self::TableTagsBeingUpdated(_)
            | Self::TimeToLiveOfNewTable(_) => ErrorKind::ResourceInUse,
            Self::TableBusy(busy) => busy.kind(),
            Self::ShardIteratorExpired => ErrorKind::ExpiredIterator,
            Self::RecordsTrimmed => ErrorKind::TrimmedDataAccess,
            Self::TableDefinition(fault) => fault.kind(),
            Self::OneIndexAtATime | Self::NumbersUsedUp(_) => ErrorKind::LimitExceeded,
            Self::Quota(quota) => quota.kind(),
            Self::State(fault) => fault.kind(),
            Self::KeyTemplate(fault) => fault.kind(),
            Self::Tree(..)
            | Self::History(..)
            | Self::Constraints(..)
            | Self::Value(..)
            | Self::ExpressionValue { .. }
            | Self::UpdateResult(..)
            | Self::ItemTooLarge
            | Self::UpdatedItemTooLarge
            | Self::SubstitutionsTooLarge
            | Self::KeyElementMismatch
            | Self::MissingKey { .. }
            | Self::KeyTypeMismatch { .. }
            | Self::EmptyKeyValue { .. }
            | Self::PartitionKeyTooLong
            | Self::SortKeyTooLong
            | Self::IndexKey { .. }
            | Self::UpdatedIndexKey { .. }
            | Self::UpdatedIndexKeyType
            | Self::CannotUpdateKey { .. }
            | Self::KeyNotScalar { .. }
            | Self::IndexKeyNotScalar { .. }
            | Self::DerivedKey { .. }
            | Self::Expression(..)
            | Self::UnusedNames(..)
            | Self::UnusedValues(..)
            | Self::NamesWithoutExpression(..)
            | Self::ValuesWithoutExpression(..)
            | Self::EmptyNames
            | Self::EmptyValues
            | Self::InvalidNameKey(..)
            | Self::EmptyNameOf(..)
            | Self::InvalidValueKey(..)
            | Self::BothStyles { .. }
            | Self::InvalidDocumentPath
            | Self::UpdateOperandType
            | Self::UpdateMissingAttribute
            | Self::DuplicateAttributeName(..)
            | Self::TooManyLegacyConditions(..)
            | Self::ExpectedValueMissing { .. }
            | Self::ExpectedValueForbidden { .. }
            | Self::ExpectedValueAndList { .. }
            | Self::ExpectedExistsAndOperator { .. }
            | Self::ExpectedOperatorWithoutValues { .. }
            | Self::ExpectedListWithoutOperator { .. }
            | Self::ArgumentCount { .. }
            | Self::ArgumentTypesDiffer
            | Self::ArgumentType { .. }
            | Self::LegacyBetweenReversed
            | Self::NotIndexable
            | Self::ConditionalOperatorAlone
            | Self::ConditionalOperatorWithoutConditions
            | Self::AddNotSupported(..)
            | Self::DeleteNotSupported(..)
            | Self::OnlyDeleteWithoutValue
            | Self::LegacyUpdateTypeMismatch
            | Self::ReturnValuesPutDelete
            | Self::KeyConditionsMissing
            | Self::KeyConditionCount
            | Self::TooManyKeyConditions { .. }
            | Self::MissedKeyElement(..)
            | Self::KeyConditionNotSupported
            | Self::PartitionNeedsEquality { .. }
            | Self::RangeNeedsEquality { .. }
            | Self::ConditionTypeMismatch
            | Self::FilterOnKey { .. }
            | Self::NoSuchIndex(..)
            | Self::IndexBackfilling(..)
            | Self::ConsistentReadOnGlobalIndex
            | Self::AllProjectedWithoutIndex { .. }
            | Self::AllAttributesNotProjected(..)
            | Self::NotProjected { .. }
            | Self::SelectNeedsProjection { .. }
            | Self::SelectWithProjection { .. }
            | Self::StartKeyInvalid
            | Self::StartKeySchema
            | Self::StartKeyValue(..)
            | Self::StartKeyOutsideBoundaries
            | Self::StartKeyOutsideRange
            | Self::StartKeyOneRow(..)
            | Self::StartKeySegment { .. }
            | Self::TotalSegmentsMissing
            | Self::SegmentMissing
            | Self::SegmentTooLarge { .. }
            | Self::DuplicateKeys
            | Self::TooManyBatchGetKeys
            | Self::TooManyBatchWriteRequests
            | Self::BatchMixedProjection
            | Self::EmptyWriteRequest
            | Self::TwoWritesInRequest
            | Self::TransactionSameItem
            | Self::TransactionTooLarge
            | Self::TransactionPayloadTooLarge(..)
            | Self::TransactionSeveralActions
            | Self::TransactionNoAction
            | Self::Statement(..)
            | Self::TableProtected
            | Self::TableNameMissing
            | Self::InvalidArn(..)
            | Self::KeySchemaFirst
            | Self::KeySchemaSecond
            | Self::KeySchemaTwice
            | Self::KeyUndefined
            | Self::KeyAttributesUndefined { .. }
            | Self::DefinitionsNotExact
            | Self::DefinitionsUnused { .. }
            | Self::DuplicateDefinition(..)
            | Self::ThroughputOnDemand
            | Self::ThroughputMissing
            | Self::ThroughputOutOfBounds { .. }
            | Self::LocalIndexNeedsSortKey
            | Self::LocalIndexWithoutRange(..)
            | Self::LocalIndexHash { .. }
            | Self::EmptyLocalIndexes
            | Self::EmptyGlobalIndexes
            | Self::TooManyLocalIndexes
            | Self::TooManyGlobalIndexes
            | Self::DuplicateIndexName(..)
            | Self::ProjectionMissing
            | Self::ProjectionTypeMissing
            | Self::NonKeyAttributesForbidden(..)
            | Self::NonKeyAttributesMissing
            | Self::TooManyProjectedAttributes
            | Self::IndexThroughputOnDemand { .. }
            | Self::ThroughputUnchanged { .. }
            | Self::UpdateThroughputMissing
            | Self::UpdateIndexThroughputMissing(..)
            | Self::IndexUpdateEmpty
            | Self::IndexExists
            | Self::IndexUnchanged { .. }
            | Self::NoTags
            | Self::NoTagKeys
            | Self::DuplicateTag(..)
            | Self::ArnRegion(..)
            | Self::ArnPartition(..)
            | Self::ArnResourceType(..)
            | Self::NotAnArn(..)
            | Self::NotDynamoDbArn(..)
            | Self::NotTableOrStream(..)
            | Self::TooManyTags
            | Self::TagKeyInvalid(..)
            | Self::TagValueInvalid(..)
            | Self::TagsTooLarge { .. }
            | Self::InvalidBackupArn
            | Self::BackupArnForeign
            | Self::BackupArnRegion
            | Self::BackupTimeRange
            | Self::RecoveryPeriodOfDisabled
            | Self::PolicyArn(..)
            | Self::PolicyOfOtherAccount
            | Self::InvalidExportArn
            | Self::InvalidImportArn
            | Self::NextTokenUnknown(..)
            | Self::OldGlobalTables
            | Self::KinesisNotActive
            | Self::KinesisNotUpdatable { .. }
            | Self::TagKeyReserved(..)
            | Self::StreamEnabled(..)
            | Self::StreamDisabled(..)
            | Self::InvalidStreamArn
            | Self::ShardFilterIncomplete
            | Self::SequenceNumberMissing
            | Self::SequenceNumberForbidden
            | Self::TimestampForbidden
            | Self::InvalidSequenceNumber(..)
            | Self::TimestampMissing
            | Self::TimestampInFuture
            | Self::InvalidShardIterator
            | Self::TimeToLiveEnabled
            | Self::TimeToLiveDisabled
            | Self::TimeToLiveOtherAttribute(..)
            | Self::TimeToLiveChanging
            | Self::InsightsNotReady { .. }
            | Self::TableOfServer(_)
            | Self::TimeToLiveNotReady { .. } => ErrorKind::Validation,
        }
    }

    /// Returns true for the families that the newer layer wraps in `1 validation error detected: `
    /// on PutItem, UpdateItem and DeleteItem. Source: captures of 2026-10.
    #[expect(clippy::too_many_lines, reason = "a flat table of reasons, exhaustive")]
    pub fn is_enveloped(&self) -> bool {
        match self {
            Self::Value(fault) | Self::ExpressionValue { fault, .. } => !matches!(
                fault,
                ValueFault::EmptyAttributeValue
                    | ValueFault::MultipleTypes
                    | ValueFault::EmptyAttributeName
                    | ValueFault::NestingTooDeep
            ),
            Self::Expression(..)
            | Self::UnusedNames(_)
            | Self::UnusedValues(_)
            | Self::NamesWithoutExpression(_)
            | Self::ValuesWithoutExpression(_)
            | Self::EmptyNames
            | Self::EmptyValues
            | Self::SubstitutionsTooLarge
            | Self::InvalidNameKey(_)
            | Self::EmptyNameOf(_)
            | Self::InvalidValueKey(_)
            | Self::BothStyles { .. }
            | Self::ExpectedValueMissing { .. }
            | Self::ExpectedValueForbidden { .. }
            | Self::ExpectedValueAndList { .. }
            | Self::ExpectedExistsAndOperator { .. }
            | Self::ExpectedOperatorWithoutValues { .. }
            | Self::ExpectedListWithoutOperator { .. }
            | Self::ArgumentCount { .. }
            | Self::ArgumentTypesDiffer
            | Self::ArgumentType { .. }
            | Self::LegacyBetweenReversed
            | Self::ConditionalOperatorAlone
            | Self::ConditionalOperatorWithoutConditions
            | Self::ReturnValuesPutDelete => true,
            Self::MalformedJson
            | Self::Serialization(..)
            | Self::UnknownOperation
            | Self::NotYetAvailable { .. }
            | Self::ParameterNotYetAvailable { .. }
            | Self::Constraints(..)
            | Self::NotAuthorized { .. }
            | Self::Internal
            | Self::StoreUnavailable(..)
            | Self::Contended
            | Self::NumbersUsedUp(_)
            | Self::UpdateResult(..)
            | Self::ItemTooLarge
            | Self::UpdatedItemTooLarge
            | Self::KeyElementMismatch
            | Self::MissingKey { .. }
            | Self::KeyTypeMismatch { .. }
            | Self::EmptyKeyValue { .. }
            | Self::PartitionKeyTooLong
            | Self::SortKeyTooLong
            | Self::IndexKey { .. }
            | Self::UpdatedIndexKey { .. }
            | Self::UpdatedIndexKeyType
            | Self::CannotUpdateKey { .. }
            | Self::KeyNotScalar { .. }
            | Self::IndexKeyNotScalar { .. }
            | Self::InvalidDocumentPath
            | Self::UpdateOperandType
            | Self::UpdateMissingAttribute
            | Self::ConditionalCheckFailed
            | Self::DuplicateAttributeName(..)
            | Self::TooManyLegacyConditions(..)
            | Self::NotIndexable
            | Self::AddNotSupported(..)
            | Self::DeleteNotSupported(..)
            | Self::OnlyDeleteWithoutValue
            | Self::LegacyUpdateTypeMismatch
            | Self::KeyConditionsMissing
            | Self::KeyConditionCount
            | Self::TooManyKeyConditions { .. }
            | Self::MissedKeyElement(..)
            | Self::KeyConditionNotSupported
            | Self::PartitionNeedsEquality { .. }
            | Self::RangeNeedsEquality { .. }
            | Self::ConditionTypeMismatch
            | Self::FilterOnKey { .. }
            | Self::NoSuchIndex(..)
            | Self::IndexBackfilling(..)
            | Self::ConsistentReadOnGlobalIndex
            | Self::AllProjectedWithoutIndex { .. }
            | Self::AllAttributesNotProjected(..)
            | Self::NotProjected { .. }
            | Self::SelectNeedsProjection { .. }
            | Self::SelectWithProjection { .. }
            | Self::StartKeyInvalid
            | Self::StartKeySchema
            | Self::StartKeyValue(..)
            | Self::StartKeyOutsideBoundaries
            | Self::StartKeyOutsideRange
            | Self::StartKeyOneRow(..)
            | Self::StartKeySegment { .. }
            | Self::TotalSegmentsMissing
            | Self::SegmentMissing
            | Self::SegmentTooLarge { .. }
            | Self::DuplicateKeys
            | Self::TooManyBatchGetKeys
            | Self::TooManyBatchWriteRequests
            | Self::BatchMixedProjection
            | Self::EmptyWriteRequest
            | Self::TwoWritesInRequest
            | Self::TransactionCanceled(..)
            | Self::TransactionSameItem
            | Self::TransactionTooLarge
            | Self::TransactionPayloadTooLarge(..)
            | Self::TransactionSeveralActions
            | Self::TransactionNoAction
            | Self::TokenReused
            | Self::TransactionConflict
            | Self::TransactionInProgress
            | Self::Throttled(..)
            | Self::Quota(..)
            | Self::State(..)
            | Self::Tree(..)
            | Self::KeyTemplate(..)
            | Self::History(..)
            | Self::DerivedKey { .. }
            | Self::Statement(..)
            | Self::DuplicateItem
            | Self::ItemCollectionTooLarge
            | Self::TableNotFound
            | Self::NamedTableNotFound(..)
            | Self::TableExists(..)
            | Self::TableBusy(..)
            | Self::TableBeingCreated(..)
            | Self::TableBeingDeleted(..)
            | Self::TableTagsBeingUpdated(..)
            | Self::TableProtected
            | Self::TableNameMissing
            | Self::InvalidArn(..)
            | Self::ResourceNotFound(..)
            | Self::TableDefinition(..)
            | Self::KeySchemaFirst
            | Self::KeySchemaSecond
            | Self::KeySchemaTwice
            | Self::KeyUndefined
            | Self::KeyAttributesUndefined { .. }
            | Self::DefinitionsNotExact
            | Self::DefinitionsUnused { .. }
            | Self::DuplicateDefinition(..)
            | Self::ThroughputOnDemand
            | Self::ThroughputMissing
            | Self::ThroughputOutOfBounds { .. }
            | Self::LocalIndexNeedsSortKey
            | Self::LocalIndexWithoutRange(..)
            | Self::LocalIndexHash { .. }
            | Self::EmptyLocalIndexes
            | Self::EmptyGlobalIndexes
            | Self::TooManyLocalIndexes
            | Self::TooManyGlobalIndexes
            | Self::DuplicateIndexName(..)
            | Self::ProjectionMissing
            | Self::ProjectionTypeMissing
            | Self::NonKeyAttributesForbidden(..)
            | Self::NonKeyAttributesMissing
            | Self::TooManyProjectedAttributes
            | Self::IndexThroughputOnDemand { .. }
            | Self::ThroughputUnchanged { .. }
            | Self::UpdateThroughputMissing
            | Self::UpdateIndexThroughputMissing(..)
            | Self::IndexUpdateEmpty
            | Self::OneIndexAtATime
            | Self::IndexExists
            | Self::IndexNotFound { .. }
            | Self::IndexUnchanged { .. }
            | Self::NoTags
            | Self::NoTagKeys
            | Self::TooManyTags
            | Self::DuplicateTag(..)
            | Self::ArnRegion(..)
            | Self::ArnPartition(..)
            | Self::ArnResourceType(..)
            | Self::NotAnArn(..)
            | Self::NotDynamoDbArn(..)
            | Self::NotTableOrStream(..)
            | Self::TagKeyInvalid(..)
            | Self::TagValueInvalid(..)
            | Self::TagsTooLarge { .. }
            | Self::InvalidBackupArn
            | Self::BackupArnForeign
            | Self::BackupArnRegion
            | Self::BackupTimeRange
            | Self::RecoveryPeriodOfDisabled
            | Self::PolicyArn(..)
            | Self::PolicyOfOtherAccount
            | Self::InvalidExportArn
            | Self::InvalidImportArn
            | Self::NextTokenUnknown(..)
            | Self::OldGlobalTables
            | Self::KinesisNotActive
            | Self::KinesisNotUpdatable { .. }
            | Self::AccessDenied
            | Self::NotInContract(..)
            | Self::BackedUpTableNotFound(..)
            | Self::BackupsBeingEnabled(..)
            | Self::BackupNotFound(..)
            | Self::PolicyNotFound(..)
            | Self::ExportNotFound(..)
            | Self::ExportElsewhere
            | Self::ImportNotFound(..)
            | Self::GlobalTableNotFound(..)
            | Self::PolicyStreamNotFound { .. }
            | Self::ReplicasNotFound(..)
            | Self::InsightsIndexNotFound { .. }
            | Self::TagKeyReserved(..)
            | Self::StreamEnabled(..)
            | Self::StreamDisabled(..)
            | Self::InvalidStreamArn
            | Self::StreamNotFound(..)
            | Self::ShardNotFound { .. }
            | Self::ShardFilterIncomplete
            | Self::SequenceNumberMissing
            | Self::SequenceNumberForbidden
            | Self::TimestampForbidden
            | Self::InvalidSequenceNumber(..)
            | Self::TimestampMissing
            | Self::TimestampInFuture
            | Self::InvalidShardIterator
            | Self::ShardIteratorExpired
            | Self::RecordsTrimmed
            | Self::TimeToLiveEnabled
            | Self::TimeToLiveDisabled
            | Self::TimeToLiveOtherAttribute(..)
            | Self::TimeToLiveChanging
            | Self::TimeToLiveOfNewTable(..)
            | Self::InsightsNotReady { .. }
            | Self::TableOfServer(_)
            | Self::TimeToLiveNotReady { .. } => false,
        }
    }
}

impl From<ValueFault> for Reason {
    fn from(fault: ValueFault) -> Self {
        Self::Value(fault)
    }
}

impl From<NumberFault> for Reason {
    fn from(fault: NumberFault) -> Self {
        Self::Value(ValueFault::Number(fault))
    }
}
