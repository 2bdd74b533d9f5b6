//! The error catalogue: every reason with its exception and its sentence, as one golden file.
//!
//! A reason without a sample here does not compile. `HASHRANGE_BLESS=1` rewrites
//! `error_catalogue.txt`; then read the difference.

#![expect(
    clippy::disallowed_methods,
    reason = "whether to rewrite the golden file comes from the environment"
)]
#![expect(clippy::unwrap_used, reason = "a test: failures panic")]

use hashrange_model::error::{
    Asked, Busy, DerivedKeyFault, ExpressionFault, ExpressionKind, HistoryFault, IndexedKeyFault,
    Layer, Malformed, Quota, Span, StateFault, StatementFault, TableFault, TemplateFault,
    TemplateTextFault, Throttle, ThrottleLimit, TransactionFault, TreeFault, UnderWay, ValueFault,
    WarmFloor,
};
use hashrange_model::number::NumberFault;
use hashrange_model::{ApiError, AttributeType, Reason};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

/// A list of samples that has at least one for every variant: the match is exhaustive, and a sample
/// stands beside the pattern that it must fit.
macro_rules! samples {
    ($type:ty: $($pattern:pat => [$($sample:expr),+ $(,)?]),+ $(,)?) => {{
        let _ = |value: &$type| match value { $($pattern => ()),+ };
        let samples: Vec<$type> = vec![$($({
            let sample = $sample;
            assert!(matches!(&sample, $pattern), "{} has the sample of another", stringify!($pattern));
            sample
        }),+),+];
        samples
    }};
}

/// Returns everything that is refused while something else is under way.
fn refused() -> impl Iterator<Item = Busy> {
    let pair = |asked: Asked| under_way().into_iter().map(move |now| (asked.clone(), now));
    asked()
        .into_iter()
        .flat_map(pair)
        .filter(|(asked, under_way)| asked.is_refused(under_way))
        .map(|(asked, under_way)| Busy { table: "music".to_owned(), asked, under_way })
}

fn throttle(is_on_demand: bool, limit: ThrottleLimit) -> Throttle {
    let resource = "arn:aws:dynamodb:us-east-1:123456789012:table/music".to_owned();
    Throttle { limit, is_index: false, is_write: true, is_on_demand, resource }
}

#[expect(clippy::too_many_lines, reason = "a flat table of reasons with samples")]
fn reasons() -> Vec<Reason> {
    let mut samples = samples! { Reason:
        Reason::MalformedJson => [Reason::MalformedJson],
        Reason::Serialization(..) => [Reason::Serialization("text".to_owned())],
        Reason::UnknownOperation => [Reason::UnknownOperation],
        Reason::NotYetAvailable { .. } => [Reason::NotYetAvailable { operation: "CreateBackup" }],
        Reason::ParameterNotYetAvailable { .. } => [Reason::ParameterNotYetAvailable { parameter: "VectorIndexes" }],
        Reason::Constraints(..) => [Reason::Constraints("text".to_owned())],
        Reason::NotAuthorized { .. } => [Reason::NotAuthorized { principal: "arn:aws:iam::123456789012:user/ada".to_owned(), operation: "CreateBackup", resource: "arn:aws:dynamodb:us-east-1:123456789012:table/music".to_owned() }],
        Reason::Internal => [Reason::Internal],
        Reason::StoreUnavailable(..) => [Reason::StoreUnavailable("text".to_owned())],
        Reason::Contended => [Reason::Contended],
        Reason::NumbersUsedUp(..) => [Reason::NumbersUsedUp("text")],
        Reason::Value(..) => [Reason::Value(ValueFault::EmptyAttributeValue)],
        Reason::ExpressionValue { .. } => [Reason::ExpressionValue { fault: ValueFault::EmptyAttributeValue, placeholder: ":v".to_owned() }],
        Reason::UpdateResult(..) => [Reason::UpdateResult(ValueFault::EmptyAttributeValue)],
        Reason::ItemTooLarge => [Reason::ItemTooLarge],
        Reason::UpdatedItemTooLarge => [Reason::UpdatedItemTooLarge],
        Reason::SubstitutionsTooLarge => [Reason::SubstitutionsTooLarge],
        Reason::KeyElementMismatch => [Reason::KeyElementMismatch],
        Reason::MissingKey { .. } => [Reason::MissingKey { attribute: "genre".to_owned() }],
        Reason::KeyTypeMismatch { .. } => [Reason::KeyTypeMismatch { attribute: "genre".to_owned(), expected: AttributeType::S, actual: AttributeType::S }],
        Reason::EmptyKeyValue { .. } => [Reason::EmptyKeyValue { attribute: "genre".to_owned(), attribute_type: AttributeType::S }],
        Reason::PartitionKeyTooLong => [Reason::PartitionKeyTooLong],
        Reason::SortKeyTooLong => [Reason::SortKeyTooLong],
        Reason::IndexKey { .. } => [Reason::IndexKey { index: "by-year".to_owned(), attribute: "genre".to_owned(), fault: IndexedKeyFault::Type { expected: AttributeType::S, actual: AttributeType::S } }],
        Reason::UpdatedIndexKey { .. } => [Reason::UpdatedIndexKey { index: "by-year".to_owned(), attribute: "genre".to_owned(), fault: IndexedKeyFault::Type { expected: AttributeType::S, actual: AttributeType::S } }],
        Reason::UpdatedIndexKeyType => [Reason::UpdatedIndexKeyType],
        Reason::CannotUpdateKey { .. } => [Reason::CannotUpdateKey { attribute: "genre".to_owned() }],
        Reason::KeyNotScalar { .. } => [Reason::KeyNotScalar { attribute: "genre".to_owned() }],
        Reason::IndexKeyNotScalar { .. } => [Reason::IndexKeyNotScalar { attribute: "genre".to_owned() }],
        Reason::Expression(..) => [Reason::Expression(ExpressionKind::Condition, ExpressionFault::Empty)],
        Reason::UnusedNames(..) => [Reason::UnusedNames(vec!["one".to_owned(), "two".to_owned()])],
        Reason::UnusedValues(..) => [Reason::UnusedValues(vec!["one".to_owned(), "two".to_owned()])],
        Reason::NamesWithoutExpression(..) => [Reason::NamesWithoutExpression(vec!["KeyConditions", "QueryFilter"])],
        Reason::ValuesWithoutExpression(..) => [Reason::ValuesWithoutExpression(vec!["KeyConditions", "QueryFilter"])],
        Reason::EmptyNames => [Reason::EmptyNames],
        Reason::EmptyValues => [Reason::EmptyValues],
        Reason::InvalidNameKey(..) => [Reason::InvalidNameKey("text".to_owned())],
        Reason::EmptyNameOf(..) => [Reason::EmptyNameOf("text".to_owned())],
        Reason::InvalidValueKey(..) => [Reason::InvalidValueKey("text".to_owned())],
        Reason::BothStyles { .. } => [Reason::BothStyles { legacy: vec!["KeyConditions", "QueryFilter"], expression: vec!["KeyConditions", "QueryFilter"] }],
        Reason::InvalidDocumentPath => [Reason::InvalidDocumentPath],
        Reason::UpdateOperandType => [Reason::UpdateOperandType],
        Reason::UpdateMissingAttribute => [Reason::UpdateMissingAttribute],
        Reason::ConditionalCheckFailed => [Reason::ConditionalCheckFailed],
        Reason::TooManyLegacyConditions(..) => [Reason::TooManyLegacyConditions(3)],
        Reason::DuplicateAttributeName(..) => [Reason::DuplicateAttributeName("text".to_owned())],
        Reason::ExpectedValueMissing { .. } => [Reason::ExpectedValueMissing { attribute: "genre".to_owned(), exists: None }, Reason::ExpectedValueMissing { attribute: "genre".to_owned(), exists: Some(true) }],
        Reason::ExpectedValueForbidden { .. } => [Reason::ExpectedValueForbidden { attribute: "genre".to_owned() }],
        Reason::ExpectedValueAndList { .. } => [Reason::ExpectedValueAndList { attribute: "genre".to_owned() }],
        Reason::ExpectedExistsAndOperator { .. } => [Reason::ExpectedExistsAndOperator { attribute: "genre".to_owned() }],
        Reason::ExpectedOperatorWithoutValues { .. } => [Reason::ExpectedOperatorWithoutValues { operator: "BETWEEN", attribute: "genre".to_owned() }],
        Reason::ExpectedListWithoutOperator { .. } => [Reason::ExpectedListWithoutOperator { attribute: "genre".to_owned() }],
        Reason::ArgumentCount { .. } => [Reason::ArgumentCount { operator: "BETWEEN" }],
        Reason::ArgumentTypesDiffer => [Reason::ArgumentTypesDiffer],
        Reason::ArgumentType { .. } => [Reason::ArgumentType { operator: "BETWEEN", attribute_type: AttributeType::S }],
        Reason::LegacyBetweenReversed => [Reason::LegacyBetweenReversed],
        Reason::NotIndexable => [Reason::NotIndexable],
        Reason::ConditionalOperatorAlone => [Reason::ConditionalOperatorAlone],
        Reason::ConditionalOperatorWithoutConditions => [Reason::ConditionalOperatorWithoutConditions],
        Reason::AddNotSupported(..) => [Reason::AddNotSupported(AttributeType::S)],
        Reason::DeleteNotSupported(..) => [Reason::DeleteNotSupported(AttributeType::S)],
        Reason::OnlyDeleteWithoutValue => [Reason::OnlyDeleteWithoutValue],
        Reason::LegacyUpdateTypeMismatch => [Reason::LegacyUpdateTypeMismatch],
        Reason::ReturnValuesPutDelete => [Reason::ReturnValuesPutDelete],
        Reason::KeyConditionsMissing => [Reason::KeyConditionsMissing],
        Reason::KeyConditionCount => [Reason::KeyConditionCount],
        Reason::TooManyKeyConditions { .. } => [Reason::TooManyKeyConditions { conditions: 3, attributes: 3 }],
        Reason::MissedKeyElement(..) => [Reason::MissedKeyElement("text".to_owned())],
        Reason::KeyConditionNotSupported => [Reason::KeyConditionNotSupported],
        Reason::PartitionNeedsEquality { .. } => [Reason::PartitionNeedsEquality { attributes: "attributes".to_owned() }],
        Reason::RangeNeedsEquality { .. } => [Reason::RangeNeedsEquality { attribute: "genre".to_owned(), condition_on: "year".to_owned() }],
        Reason::ConditionTypeMismatch => [Reason::ConditionTypeMismatch],
        Reason::FilterOnKey { .. } => [Reason::FilterOnKey { parameter: "VectorIndexes", attribute: "genre".to_owned() }],
        Reason::NoSuchIndex(..) => [Reason::NoSuchIndex("text".to_owned())],
        Reason::IndexBackfilling(..) => [Reason::IndexBackfilling("text".to_owned())],
        Reason::ConsistentReadOnGlobalIndex => [Reason::ConsistentReadOnGlobalIndex],
        Reason::AllProjectedWithoutIndex { .. } => [Reason::AllProjectedWithoutIndex { enveloped: false }, Reason::AllProjectedWithoutIndex { enveloped: true }],
        Reason::AllAttributesNotProjected(..) => [Reason::AllAttributesNotProjected("text".to_owned())],
        Reason::NotProjected { .. } => [Reason::NotProjected { index: "by-year".to_owned(), attributes: vec!["one".to_owned(), "two".to_owned()] }],
        Reason::SelectNeedsProjection { .. } => [Reason::SelectNeedsProjection { enveloped: false }, Reason::SelectNeedsProjection { enveloped: true }],
        Reason::SelectWithProjection { .. } => [Reason::SelectWithProjection { parameter: "VectorIndexes", select: "COUNT", enveloped: false }, Reason::SelectWithProjection { parameter: "VectorIndexes", select: "COUNT", enveloped: true }],
        Reason::StartKeyInvalid => [Reason::StartKeyInvalid],
        Reason::StartKeySchema => [Reason::StartKeySchema],
        Reason::StartKeyValue(..) => [Reason::StartKeyValue(Box::new(Reason::KeyElementMismatch))],
        Reason::StartKeyOutsideBoundaries => [Reason::StartKeyOutsideBoundaries],
        Reason::StartKeyOutsideRange => [Reason::StartKeyOutsideRange],
        Reason::StartKeyOneRow(..) => [Reason::StartKeyOneRow("text".to_owned())],
        Reason::StartKeySegment { .. } => [Reason::StartKeySegment { total_segments: 3, segment: 3 }],
        Reason::TotalSegmentsMissing => [Reason::TotalSegmentsMissing],
        Reason::SegmentMissing => [Reason::SegmentMissing],
        Reason::SegmentTooLarge { .. } => [Reason::SegmentTooLarge { segment: 3, total_segments: 3 }],
        Reason::DuplicateKeys => [Reason::DuplicateKeys],
        Reason::TooManyBatchGetKeys => [Reason::TooManyBatchGetKeys],
        Reason::TooManyBatchWriteRequests => [Reason::TooManyBatchWriteRequests],
        Reason::BatchMixedProjection => [Reason::BatchMixedProjection],
        Reason::EmptyWriteRequest => [Reason::EmptyWriteRequest],
        Reason::TwoWritesInRequest => [Reason::TwoWritesInRequest],
        Reason::TransactionCanceled(..) => [Reason::TransactionCanceled(vec![None, Some(ApiError::new(Reason::ConditionalCheckFailed))])],
        Reason::TransactionSameItem => [Reason::TransactionSameItem],
        Reason::TransactionTooLarge => [Reason::TransactionTooLarge],
        Reason::TransactionPayloadTooLarge(..) => [Reason::TransactionPayloadTooLarge(3)],
        Reason::TransactionSeveralActions => [Reason::TransactionSeveralActions],
        Reason::TransactionNoAction => [Reason::TransactionNoAction],
        Reason::TokenReused => [Reason::TokenReused],
        Reason::TransactionConflict => [Reason::TransactionConflict],
        Reason::TransactionInProgress => [Reason::TransactionInProgress],
        Reason::Throttled(..) => [Reason::Throttled(throttle(false, ThrottleLimit::KeyRange)), Reason::Throttled(throttle(true, ThrottleLimit::KeyRange)), Reason::Throttled(throttle(true, ThrottleLimit::MaxOnDemand))],
        Reason::Quota(..) => [Reason::Quota(Quota::Tables(3))],
        Reason::State(..) => [Reason::State(StateFault::SetAndAdvance)],
        Reason::Tree(..) => [Reason::Tree(TreeFault::EmptyDelimiter)],
        Reason::History(..) => [Reason::History(HistoryFault::IndexOfThePast)],
        Reason::KeyTemplate(..) => [Reason::KeyTemplate(TemplateFault::KeyOfNone)],
        Reason::DerivedKey { .. } => [Reason::DerivedKey { attribute: "sk".to_owned(), fault: DerivedKeyFault::Empty }],
        Reason::Statement(..) => [Reason::Statement(StatementFault::Malformed(Malformed::Token))],
        Reason::DuplicateItem => [Reason::DuplicateItem],
        Reason::ItemCollectionTooLarge => [Reason::ItemCollectionTooLarge],
        Reason::TableNotFound => [Reason::TableNotFound],
        Reason::NamedTableNotFound(..) => [Reason::NamedTableNotFound("text".to_owned())],
        Reason::TableExists(..) => [Reason::TableExists("text".to_owned())],
        Reason::TableBusy(..) => [Reason::TableBusy(Box::new(refused().next().expect("something is refused")))],
        Reason::TableBeingCreated(..) => [Reason::TableBeingCreated("text".to_owned())],
        Reason::TableTagsBeingUpdated(..) => [Reason::TableTagsBeingUpdated("text".to_owned())],
        Reason::TableBeingDeleted(..) => [Reason::TableBeingDeleted("text".to_owned())],
        Reason::TableProtected => [Reason::TableProtected],
        Reason::TableNameMissing => [Reason::TableNameMissing],
        Reason::InvalidArn(..) => [Reason::InvalidArn("text".to_owned())],
        Reason::ResourceNotFound(..) => [Reason::ResourceNotFound("text".to_owned())],
        Reason::TableDefinition(..) => [Reason::TableDefinition(TableFault::IndexKeyTwice)],
        Reason::AccessDenied => [Reason::AccessDenied],
        Reason::NotInContract(..) => [Reason::NotInContract("Query orders status = ?".to_owned())],
        Reason::ArnRegion(..) => [Reason::ArnRegion("text".to_owned())],
        Reason::ArnPartition(..) => [Reason::ArnPartition("text".to_owned())],
        Reason::ArnResourceType(..) => [Reason::ArnResourceType("text".to_owned())],
        Reason::NotAnArn(..) => [Reason::NotAnArn("text".to_owned())],
        Reason::NotDynamoDbArn(..) => [Reason::NotDynamoDbArn("text".to_owned())],
        Reason::NotTableOrStream(..) => [Reason::NotTableOrStream("text".to_owned())],
        Reason::KeySchemaFirst => [Reason::KeySchemaFirst],
        Reason::KeySchemaSecond => [Reason::KeySchemaSecond],
        Reason::KeySchemaTwice => [Reason::KeySchemaTwice],
        Reason::KeyUndefined => [Reason::KeyUndefined],
        Reason::KeyAttributesUndefined { .. } => [Reason::KeyAttributesUndefined { keys: vec!["one".to_owned(), "two".to_owned()], definitions: vec!["one".to_owned(), "two".to_owned()] }],
        Reason::DefinitionsNotExact => [Reason::DefinitionsNotExact],
        Reason::DefinitionsUnused { .. } => [Reason::DefinitionsUnused { definitions: vec!["one".to_owned(), "two".to_owned()], keys: vec!["one".to_owned(), "two".to_owned()] }],
        Reason::DuplicateDefinition(..) => [Reason::DuplicateDefinition("text".to_owned())],
        Reason::ThroughputOnDemand => [Reason::ThroughputOnDemand],
        Reason::ThroughputMissing => [Reason::ThroughputMissing],
        Reason::ThroughputOutOfBounds { .. } => [Reason::ThroughputOutOfBounds { value: 3, member: "ReadCapacityUnits" }],
        Reason::LocalIndexNeedsSortKey => [Reason::LocalIndexNeedsSortKey],
        Reason::LocalIndexWithoutRange(..) => [Reason::LocalIndexWithoutRange("text".to_owned())],
        Reason::LocalIndexHash { .. } => [Reason::LocalIndexHash { index: "by-year".to_owned(), index_key: "a".to_owned(), table_key: "b".to_owned() }],
        Reason::EmptyLocalIndexes => [Reason::EmptyLocalIndexes],
        Reason::EmptyGlobalIndexes => [Reason::EmptyGlobalIndexes],
        Reason::TooManyLocalIndexes => [Reason::TooManyLocalIndexes],
        Reason::TooManyGlobalIndexes => [Reason::TooManyGlobalIndexes],
        Reason::DuplicateIndexName(..) => [Reason::DuplicateIndexName("text".to_owned())],
        Reason::ProjectionMissing => [Reason::ProjectionMissing],
        Reason::ProjectionTypeMissing => [Reason::ProjectionTypeMissing],
        Reason::NonKeyAttributesForbidden(..) => [Reason::NonKeyAttributesForbidden("text")],
        Reason::NonKeyAttributesMissing => [Reason::NonKeyAttributesMissing],
        Reason::TooManyProjectedAttributes => [Reason::TooManyProjectedAttributes],
        Reason::IndexThroughputOnDemand { .. } => [Reason::IndexThroughputOnDemand { index: "text".to_owned(), of_update: false }, Reason::IndexThroughputOnDemand { index: "text".to_owned(), of_update: true }],
        Reason::ThroughputUnchanged { .. } => [Reason::ThroughputUnchanged { read: 3, write: 3 }],
        Reason::UpdateThroughputMissing => [Reason::UpdateThroughputMissing],
        Reason::UpdateIndexThroughputMissing(..) => [Reason::UpdateIndexThroughputMissing(vec!["one".to_owned(), "two".to_owned()])],
        Reason::IndexUpdateEmpty => [Reason::IndexUpdateEmpty],
        Reason::OneIndexAtATime => [Reason::OneIndexAtATime],
        Reason::IndexExists => [Reason::IndexExists],
        Reason::IndexNotFound { .. } => [Reason::IndexNotFound { index: "by-year".to_owned(), table: "music".to_owned() }],
        Reason::IndexUnchanged { .. } => [Reason::IndexUnchanged { index: "by-year".to_owned(), read: 3, write: 3 }],
        Reason::NoTags => [Reason::NoTags],
        Reason::NoTagKeys => [Reason::NoTagKeys],
        Reason::TooManyTags => [Reason::TooManyTags],
        Reason::DuplicateTag(..) => [Reason::DuplicateTag("text".to_owned())],
        Reason::TagKeyReserved(..) => [Reason::TagKeyReserved("text".to_owned())],
        Reason::TagKeyInvalid(..) => [Reason::TagKeyInvalid("text".to_owned())],
        Reason::TagValueInvalid(..) => [Reason::TagValueInvalid("text".to_owned())],
        Reason::TagsTooLarge { .. } => [Reason::TagsTooLarge { size_bytes: 3, max_bytes: 3 }],
        Reason::BackupsBeingEnabled(..) => [Reason::BackupsBeingEnabled("text".to_owned())],
        Reason::BackedUpTableNotFound(..) => [Reason::BackedUpTableNotFound("text".to_owned())],
        Reason::BackupNotFound(..) => [Reason::BackupNotFound("text".to_owned())],
        Reason::InvalidBackupArn => [Reason::InvalidBackupArn],
        Reason::BackupArnForeign => [Reason::BackupArnForeign],
        Reason::BackupArnRegion => [Reason::BackupArnRegion],
        Reason::BackupTimeRange => [Reason::BackupTimeRange],
        Reason::RecoveryPeriodOfDisabled => [Reason::RecoveryPeriodOfDisabled],
        Reason::PolicyNotFound(..) => [Reason::PolicyNotFound("text".to_owned())],
        Reason::PolicyArn(..) => [Reason::PolicyArn("text".to_owned())],
        Reason::PolicyOfOtherAccount => [Reason::PolicyOfOtherAccount],
        Reason::PolicyStreamNotFound { .. } => [Reason::PolicyStreamNotFound { stream: "2026-11-22T00:00:00.000".to_owned(), table: "music".to_owned() }],
        Reason::ExportNotFound(..) => [Reason::ExportNotFound("text".to_owned())],
        Reason::ExportElsewhere => [Reason::ExportElsewhere],
        Reason::InvalidExportArn => [Reason::InvalidExportArn],
        Reason::ImportNotFound(..) => [Reason::ImportNotFound("text".to_owned())],
        Reason::InvalidImportArn => [Reason::InvalidImportArn],
        Reason::NextTokenUnknown(..) => [Reason::NextTokenUnknown("text".to_owned())],
        Reason::GlobalTableNotFound(..) => [Reason::GlobalTableNotFound("text".to_owned())],
        Reason::OldGlobalTables => [Reason::OldGlobalTables],
        Reason::ReplicasNotFound(..) => [Reason::ReplicasNotFound("text".to_owned())],
        Reason::InsightsIndexNotFound { .. } => [Reason::InsightsIndexNotFound { index: "by-year".to_owned(), table: "music".to_owned() }],
        Reason::InsightsNotReady { .. } => [Reason::InsightsNotReady { is_index: false }, Reason::InsightsNotReady { is_index: true }],
        Reason::TableOfServer(..) => [Reason::TableOfServer("text".to_owned())],
        Reason::KinesisNotActive => [Reason::KinesisNotActive],
        Reason::KinesisNotUpdatable { .. } => [Reason::KinesisNotUpdatable { table: "music".to_owned(), stream_arn: "stream_arn".to_owned() }],
        Reason::StreamEnabled(..) => [Reason::StreamEnabled("text".to_owned())],
        Reason::StreamDisabled(..) => [Reason::StreamDisabled("text".to_owned())],
        Reason::InvalidStreamArn => [Reason::InvalidStreamArn],
        Reason::StreamNotFound(..) => [Reason::StreamNotFound("text".to_owned())],
        Reason::ShardNotFound { .. } => [Reason::ShardNotFound { shard: "shardId-1".to_owned(), stream: "2026-11-22T00:00:00.000".to_owned() }],
        Reason::ShardFilterIncomplete => [Reason::ShardFilterIncomplete],
        Reason::SequenceNumberMissing => [Reason::SequenceNumberMissing],
        Reason::TimestampForbidden => [Reason::TimestampForbidden],
        Reason::SequenceNumberForbidden => [Reason::SequenceNumberForbidden],
        Reason::InvalidSequenceNumber(..) => [Reason::InvalidSequenceNumber("text".to_owned())],
        Reason::TimestampMissing => [Reason::TimestampMissing],
        Reason::TimestampInFuture => [Reason::TimestampInFuture],
        Reason::InvalidShardIterator => [Reason::InvalidShardIterator],
        Reason::ShardIteratorExpired => [Reason::ShardIteratorExpired],
        Reason::RecordsTrimmed => [Reason::RecordsTrimmed],
        Reason::TimeToLiveEnabled => [Reason::TimeToLiveEnabled],
        Reason::TimeToLiveDisabled => [Reason::TimeToLiveDisabled],
        Reason::TimeToLiveOtherAttribute(..) => [Reason::TimeToLiveOtherAttribute("text".to_owned())],
        Reason::TimeToLiveChanging => [Reason::TimeToLiveChanging],
        Reason::TimeToLiveOfNewTable(..) => [Reason::TimeToLiveOfNewTable("text".to_owned())],
        Reason::TimeToLiveNotReady { .. } => [Reason::TimeToLiveNotReady { is_deleted: false }, Reason::TimeToLiveNotReady { is_deleted: true }],
    };
    samples.extend(value_faults().into_iter().skip(1).map(Reason::Value));
    samples.extend(
        value_faults()
            .into_iter()
            .skip(1)
            .map(|fault| Reason::ExpressionValue { fault, placeholder: ":v".to_owned() }),
    );
    samples.extend(value_faults().into_iter().skip(1).map(Reason::UpdateResult));
    samples.extend(indexed_key_faults().into_iter().skip(1).map(|fault| Reason::IndexKey {
        index: "by-year".to_owned(),
        attribute: "genre".to_owned(),
        fault,
    }));
    samples.extend(indexed_key_faults().into_iter().skip(1).map(|fault| Reason::UpdatedIndexKey {
        index: "by-year".to_owned(),
        attribute: "genre".to_owned(),
        fault,
    }));
    samples.extend(
        expression_faults()
            .into_iter()
            .skip(1)
            .map(|fault| Reason::Expression(ExpressionKind::Condition, fault)),
    );
    samples.extend(quotas().into_iter().skip(1).map(Reason::Quota));
    samples.extend(state_faults().into_iter().skip(1).map(Reason::State));
    samples.extend(tree_faults().into_iter().skip(1).map(Reason::Tree));
    samples.extend(history_faults().into_iter().skip(1).map(Reason::History));
    samples.extend(template_faults().into_iter().skip(1).map(Reason::KeyTemplate));
    samples.extend(
        derived_key_faults()
            .into_iter()
            .skip(1)
            .map(|fault| Reason::DerivedKey { attribute: "sk".to_owned(), fault }),
    );
    samples.extend(statement_faults().into_iter().skip(1).map(Reason::Statement));
    samples.extend(table_faults().into_iter().skip(1).map(Reason::TableDefinition));
    samples.extend(refused().skip(1).map(|busy| Reason::TableBusy(Box::new(busy))));
    samples
}

fn value_faults() -> Vec<ValueFault> {
    let mut samples = samples! { ValueFault:
        ValueFault::EmptyAttributeValue => [ValueFault::EmptyAttributeValue],
        ValueFault::MultipleTypes => [ValueFault::MultipleTypes],
        ValueFault::NullFalse => [ValueFault::NullFalse],
        ValueFault::EmptySet(..) => [ValueFault::EmptySet(AttributeType::S)],
        ValueFault::DuplicateMembers { .. } => [ValueFault::DuplicateMembers { set: AttributeType::S, members: vec!["one".to_owned(), "two".to_owned()] }],
        ValueFault::Number(..) => [ValueFault::Number(NumberFault::NotNumeric("text".to_owned()))],
        ValueFault::EmptyAttributeName => [ValueFault::EmptyAttributeName],
        ValueFault::NestingTooDeep => [ValueFault::NestingTooDeep],
    };
    samples.extend(number_faults().into_iter().skip(1).map(ValueFault::Number));
    samples
}

fn number_faults() -> Vec<NumberFault> {
    samples! { NumberFault:
        NumberFault::NotNumeric(..) => [NumberFault::NotNumeric("text".to_owned())],
        NumberFault::Overflow => [NumberFault::Overflow],
        NumberFault::Underflow => [NumberFault::Underflow],
        NumberFault::TooManyDigits => [NumberFault::TooManyDigits],
        NumberFault::ExponentBeyond32Bits { .. } => [NumberFault::ExponentBeyond32Bits { text: "1e99".to_owned(), overflow: false }, NumberFault::ExponentBeyond32Bits { text: "1e99".to_owned(), overflow: true }],
        NumberFault::ExponentAt32BitMax => [NumberFault::ExponentAt32BitMax],
    }
}

fn indexed_key_faults() -> Vec<IndexedKeyFault> {
    samples! { IndexedKeyFault:
        IndexedKeyFault::Type { .. } => [IndexedKeyFault::Type { expected: AttributeType::S, actual: AttributeType::S }],
        IndexedKeyFault::Empty(..) => [IndexedKeyFault::Empty(AttributeType::S)],
        IndexedKeyFault::TooLong { .. } => [IndexedKeyFault::TooLong { size_bytes: 2175, max_bytes: 2048 }],
    }
}

fn state_faults() -> Vec<StateFault> {
    let text = || "text".to_owned();
    samples! { StateFault:
        StateFault::SetAndAdvance => [StateFault::SetAndAdvance],
        StateFault::Form(..) => [StateFault::Form(text())],
        StateFault::SaveName(..) => [StateFault::SaveName("a b".to_owned())],
        StateFault::NoSuchSave { .. } => [StateFault::NoSuchSave { name: text(), known: Vec::new() }, StateFault::NoSuchSave { name: text(), known: vec!["a".to_owned(), "b".to_owned()] }],
        StateFault::TooManySaves(..) => [StateFault::TooManySaves(3)],
        StateFault::InFolder(..) => [StateFault::InFolder("Save")],
        StateFault::Time(..) => [StateFault::Time(text())],
        StateFault::Step(..) => [StateFault::Step(text())],
        StateFault::TimeOutOfRange => [StateFault::TimeOutOfRange],
        StateFault::NamespaceKey(..) => [StateFault::NamespaceKey("a b".to_owned())],
        StateFault::TooManyNamespaces(..) => [StateFault::TooManyNamespaces(3)],
        StateFault::NamespaceUnusable(..) => [StateFault::NamespaceUnusable(text())],
        StateFault::NotExplained(..) => [StateFault::NotExplained("CreateTable")],
        StateFault::NotSupposed(..) => [StateFault::NotSupposed("GetItem")],
        StateFault::SupposedNotRead(..) => [StateFault::SupposedNotRead("by-date".to_owned())],
        StateFault::SupposedAnalyzed => [StateFault::SupposedAnalyzed],
        StateFault::NoSuchSample { .. } => [StateFault::NoSuchSample { name: text(), known: vec!["a".to_owned(), "b".to_owned()] }],
        StateFault::SampleTableExists(..) => [StateFault::SampleTableExists("orders".to_owned())],
        StateFault::UnreadableModel(..) => [StateFault::UnreadableModel(text())],
    }
}

fn template_faults() -> Vec<TemplateFault> {
    let text = || "text".to_owned();
    let mut samples = samples! { TemplateFault:
        TemplateFault::KeyOfNone => [TemplateFault::KeyOfNone],
        TemplateFault::Text { .. } => [TemplateFault::Text { fault: TemplateTextFault::TooLong(3), column: 1 }],
        TemplateFault::When { .. } => [TemplateFault::When { reason: Box::new(Reason::Statement(StatementFault::Malformed(Malformed::Token))), column: 3 }],
        TemplateFault::NotAString { .. } => [TemplateFault::NotAString { attribute: text(), declared: AttributeType::N }],
        TemplateFault::UsesNumber { .. } => [TemplateFault::UsesNumber { attribute: "sk".to_owned(), used: text() }],
        TemplateFault::UsesDerived { .. } => [TemplateFault::UsesDerived { attribute: "sk".to_owned(), used: text() }],
        TemplateFault::KeysAreSet(..) => [TemplateFault::KeysAreSet(text())],
        TemplateFault::Generates(..) => [TemplateFault::Generates(text())],
        TemplateFault::Mistaken(..) => [TemplateFault::Mistaken(vec![text(), text()])],
        TemplateFault::TooMany(..) => [TemplateFault::TooMany(3)],
        TemplateFault::TooManyTests(..) => [TemplateFault::TooManyTests(3)],
        TemplateFault::NoSuchTemplate(..) => [TemplateFault::NoSuchTemplate(text())],
        TemplateFault::Mode(..) => [TemplateFault::Mode(text())],
    };
    samples.extend(
        template_text_faults()
            .into_iter()
            .skip(1)
            .map(|fault| TemplateFault::Text { fault, column: 3 }),
    );
    samples
}

fn template_text_faults() -> Vec<TemplateTextFault> {
    let text = || "text".to_owned();
    samples! { TemplateTextFault:
        TemplateTextFault::TooLong(..) => [TemplateTextFault::TooLong(3)],
        TemplateTextFault::Expected(..) => [TemplateTextFault::Expected("text")],
        TemplateTextFault::TooMany(..) => [TemplateTextFault::TooMany("cases", 3)],
        TemplateTextFault::PartName(..) => [TemplateTextFault::PartName("a.b".to_owned())],
        TemplateTextFault::UnknownEncoder(..) => [TemplateTextFault::UnknownEncoder(text())],
        TemplateTextFault::UnknownFunction(..) => [TemplateTextFault::UnknownFunction(text())],
        TemplateTextFault::Shards => [TemplateTextFault::Shards],
        TemplateTextFault::Default(..) => [TemplateTextFault::Default(text())],
        TemplateTextFault::NeverMissing(..) => [TemplateTextFault::NeverMissing(text())],
        TemplateTextFault::BehindOptional(..) => [TemplateTextFault::BehindOptional(text())],
        TemplateTextFault::EncoderArgument { .. } => [TemplateTextFault::EncoderArgument { encoder: "pad", takes: "text" }],
        TemplateTextFault::EncoderPlace { .. } => [TemplateTextFault::EncoderPlace { encoder: "desc".to_owned(), belongs: "text" }],
        TemplateTextFault::EndUnknown(..) => [TemplateTextFault::EndUnknown(text())],
        TemplateTextFault::EscapeBefore(..) => [TemplateTextFault::EscapeBefore('/')],
        TemplateTextFault::ComparesAttributes(..) => [TemplateTextFault::ComparesAttributes(text())],
    }
}

fn derived_key_faults() -> Vec<DerivedKeyFault> {
    let part = || "status".to_owned();
    samples! { DerivedKeyFault:
        DerivedKeyFault::Empty => [DerivedKeyFault::Empty],
        DerivedKeyFault::PartType { .. } => [DerivedKeyFault::PartType { part: part(), takes: "a string", actual: AttributeType::N }],
        DerivedKeyFault::Delimiter { .. } => [DerivedKeyFault::Delimiter { part: part(), delimiter: '#' }],
        DerivedKeyFault::NotATime { .. } => [DerivedKeyFault::NotATime { part: part() }],
        DerivedKeyFault::TimeOutOfRange { .. } => [DerivedKeyFault::TimeOutOfRange { part: part() }],
        DerivedKeyFault::TooWide { .. } => [DerivedKeyFault::TooWide { part: part(), digits: 3 }],
        DerivedKeyFault::TooPrecise { .. } => [DerivedKeyFault::TooPrecise { part: part(), digits: 0 }, DerivedKeyFault::TooPrecise { part: part(), digits: 3 }],
        DerivedKeyFault::TooLong { .. } => [DerivedKeyFault::TooLong { limit_bytes: 1024 }],
        DerivedKeyFault::PartMissing { .. } => [DerivedKeyFault::PartMissing { part: part() }],
        DerivedKeyFault::Differs { .. } => [DerivedKeyFault::Differs { derived: Some("a#b".to_owned()) }, DerivedKeyFault::Differs { derived: None }],
    }
}

fn quotas() -> Vec<Quota> {
    samples! { Quota:
        Quota::Tables(..) => [Quota::Tables(3)],
        Quota::TableChanges(..) => [Quota::TableChanges(3)],
        Quota::IndexedTableCreations => [Quota::IndexedTableCreations],
        Quota::Decreases { .. } => [Quota::Decreases { today: 3, last_ms: 3, next_ms: 3 }],
        Quota::Units { .. } => [Quota::Units { index: None, is_write: false, requested: 3, limit: 3, region: "region".to_owned() }, Quota::Units { index: None, is_write: true, requested: 3, limit: 3, region: "region".to_owned() }, Quota::Units { index: Some("by-year".to_owned()), is_write: false, requested: 3, limit: 3, region: "region".to_owned() }, Quota::Units { index: Some("by-year".to_owned()), is_write: true, requested: 3, limit: 3, region: "region".to_owned() }],
        Quota::AccountUnits { .. } => [Quota::AccountUnits { is_write: false, reserved: 3, requested: 3, limit: 3, region: "region".to_owned() }, Quota::AccountUnits { is_write: true, reserved: 3, requested: 3, limit: 3, region: "region".to_owned() }],
        Quota::OnDemandMaximum { .. } => [Quota::OnDemandMaximum { index: None, is_write: false, region: "region".to_owned() }, Quota::OnDemandMaximum { index: None, is_write: true, region: "region".to_owned() }, Quota::OnDemandMaximum { index: Some("by-year".to_owned()), is_write: false, region: "region".to_owned() }],
        Quota::Protection { .. } => [Quota::Protection { table: "music".to_owned(), until_ms: 3 }],
        Quota::TagChanges { .. } => [Quota::TagChanges { table: "music".to_owned() }],
        Quota::ClassChanges => [Quota::ClassChanges],
        Quota::EncryptionChanges { .. } => [Quota::EncryptionChanges { count: 3, window_ms: 3, last_ms: 3, next_ms: 3 }],
    }
}

fn tree_faults() -> Vec<TreeFault> {
    let names = || vec!["state".to_owned(), "city".to_owned()];
    samples! { TreeFault:
        TreeFault::EmptyDelimiter => [TreeFault::EmptyDelimiter],
        TreeFault::NoSortKey(..) => [TreeFault::NoSortKey("music".to_owned())],
        TreeFault::NotText { .. } => [TreeFault::NotText { member: "Prefix", attribute: "year".to_owned(), attribute_type: AttributeType::N }],
        TreeFault::TooLong { .. } => [TreeFault::TooLong { member: "Prefix", most_bytes: 1024 }],
        TreeFault::OutOfBounds { .. } => [TreeFault::OutOfBounds { member: "Depth", most: 32 }],
        TreeFault::PartitionKey(..) => [TreeFault::PartitionKey(names())],
        TreeFault::SortKey(..) => [TreeFault::SortKey(Vec::new()), TreeFault::SortKey(names())],
        TreeFault::Start => [TreeFault::Start],
        TreeFault::Cursor => [TreeFault::Cursor],
        TreeFault::End { .. } => [TreeFault::End { member: "From", attribute: "year".to_owned(), attribute_type: AttributeType::N }],
        TreeFault::BelowPartitionKey(..) => [TreeFault::BelowPartitionKey("Prefix")],
    }
}

fn history_faults() -> Vec<HistoryFault> {
    let orders = || "orders".to_owned();
    let (early_ms, late_ms) = (1_796_000_000_000, 1_796_000_000_250);
    samples! { HistoryFault:
        HistoryFault::IndexOfThePast => [HistoryFault::IndexOfThePast],
        HistoryFault::TooMuchForAnIndex { .. } => [HistoryFault::TooMuchForAnIndex { table: orders() }],
        HistoryFault::NotKept(..) => [HistoryFault::NotKept(orders())],
        HistoryFault::Beginning(..) => [HistoryFault::Beginning(orders())],
        HistoryFault::Ending(..) => [HistoryFault::Ending(orders())],
        HistoryFault::NotAMoment(..) => [HistoryFault::NotAMoment("yesterday".to_owned())],
        HistoryFault::TooEarly { .. } => [HistoryFault::TooEarly { table: orders(), at_ms: early_ms, reaches_back_to_ms: late_ms }],
        HistoryFault::Future { .. } => [HistoryFault::Future { at_ms: late_ms, now_ms: early_ms }],
        HistoryFault::ReadOnly(..) => [HistoryFault::ReadOnly("orders.history".to_owned())],
        HistoryFault::Versions(..) => [HistoryFault::Versions("the table has no sort key".to_owned())],
        HistoryFault::VersionTooHigh { .. } => [HistoryFault::VersionTooHigh { form: "v{n:pad:3}_{name}".to_owned(), number: 1000 }],
        HistoryFault::VersionWritten(..) => [HistoryFault::VersionWritten("v003_Audit".to_owned())],
        HistoryFault::VersionsByQuery(..) => [HistoryFault::VersionsByQuery("orders.history".to_owned())],
        HistoryFault::Key => [HistoryFault::Key],
        HistoryFault::SortKeyPrefix => [HistoryFault::SortKeyPrefix],
        HistoryFault::Limit { .. } => [HistoryFault::Limit { most: 7 }],
        HistoryFault::Backward => [HistoryFault::Backward],
        HistoryFault::Start => [HistoryFault::Start],
        HistoryFault::RestoreTo => [HistoryFault::RestoreTo],
        HistoryFault::Retention { .. } => [HistoryFault::Retention { most: 3 }],
    }
}

fn statement_faults() -> Vec<StatementFault> {
    let mut samples = samples! { StatementFault:
        StatementFault::Malformed(..) => [StatementFault::Malformed(Malformed::Token)],
        StatementFault::Alias => [StatementFault::Alias],
        StatementFault::EmptyComponent => [StatementFault::EmptyComponent],
        StatementFault::TooManyComponents => [StatementFault::TooManyComponents],
        StatementFault::ReturningOfDelete(..) => [StatementFault::ReturningOfDelete("text")],
        StatementFault::PathComponent(..) => [StatementFault::PathComponent(Span { line: 1, column: 8, length: 3 })],
        StatementFault::UnknownFunction { .. } => [StatementFault::UnknownFunction { function: "list_append".to_owned(), at: Span { line: 1, column: 8, length: 3 } }],
        StatementFault::SetArguments { .. } => [StatementFault::SetArguments { function: "list_append", at: Span { line: 1, column: 8, length: 3 } }],
        StatementFault::SetTarget { .. } => [StatementFault::SetTarget { function: "list_append", at: Span { line: 1, column: 8, length: 3 } }],
        StatementFault::SetOperand { .. } => [StatementFault::SetOperand { function: "list_append", at: Span { line: 1, column: 8, length: 3 } }],
        StatementFault::EmptyBag => [StatementFault::EmptyBag],
        StatementFault::BagMembers => [StatementFault::BagMembers],
        StatementFault::LiteralValue { .. } => [StatementFault::LiteralValue { word: "path".to_owned(), at: Span { line: 1, column: 8, length: 3 } }],
        StatementFault::Number { .. } => [StatementFault::Number { fault: NumberFault::NotNumeric("text".to_owned()), place: "root.x".to_owned() }],
        StatementFault::Value(..) => [StatementFault::Value(ValueFault::EmptyAttributeValue)],
        StatementFault::ParameterCount => [StatementFault::ParameterCount],
        StatementFault::KeyEquality => [StatementFault::KeyEquality],
        StatementFault::InsertOfOther => [StatementFault::InsertOfOther],
        StatementFault::OrderWithoutWhere => [StatementFault::OrderWithoutWhere],
        StatementFault::OrderWithoutKey => [StatementFault::OrderWithoutKey],
        StatementFault::OrderAttribute(..) => [StatementFault::OrderAttribute("text".to_owned())],
        StatementFault::TooManyReads => [StatementFault::TooManyReads],
        StatementFault::Overlap => [StatementFault::Overlap],
        StatementFault::MultiAttributeKey => [StatementFault::MultiAttributeKey],
        StatementFault::NoSuchIndex => [StatementFault::NoSuchIndex],
        StatementFault::ConsistentRead => [StatementFault::ConsistentRead],
        StatementFault::FilterNotProjected { .. } => [StatementFault::FilterNotProjected { index: "by-year".to_owned(), attributes: vec!["one".to_owned(), "two".to_owned()] }],
        StatementFault::IndexWrite => [StatementFault::IndexWrite],
        StatementFault::TokenMismatch => [StatementFault::TokenMismatch],
        StatementFault::TokenInvalid => [StatementFault::TokenInvalid],
        StatementFault::BatchMixed => [StatementFault::BatchMixed],
        StatementFault::BatchSelect => [StatementFault::BatchSelect],
        StatementFault::TransactionMixed => [StatementFault::TransactionMixed],
        StatementFault::InTransaction(..) => [StatementFault::InTransaction(3, TransactionFault::Select)],
    };
    samples.extend(malformed().into_iter().skip(1).map(StatementFault::Malformed));
    samples.extend(
        number_faults()
            .into_iter()
            .skip(1)
            .map(|fault| StatementFault::Number { fault, place: "root.x".to_owned() }),
    );
    samples.extend(value_faults().into_iter().skip(1).map(StatementFault::Value));
    samples.extend(
        transaction_faults()
            .into_iter()
            .skip(1)
            .map(|fault| StatementFault::InTransaction(3, fault)),
    );
    samples
}

fn malformed() -> Vec<Malformed> {
    samples! { Malformed:
        Malformed::Token => [Malformed::Token],
        Malformed::Leftover => [Malformed::Leftover],
        Malformed::Term => [Malformed::Term],
        Malformed::Statement => [Malformed::Statement],
        Malformed::PathDot => [Malformed::PathDot],
        Malformed::Keyword => [Malformed::Keyword],
        Malformed::SimplePath => [Malformed::SimplePath],
    }
}

fn transaction_faults() -> Vec<TransactionFault> {
    samples! { TransactionFault:
        TransactionFault::Select => [TransactionFault::Select],
        TransactionFault::Index => [TransactionFault::Index],
        TransactionFault::Returning => [TransactionFault::Returning],
        TransactionFault::Exists => [TransactionFault::Exists],
    }
}

fn table_faults() -> Vec<TableFault> {
    let mut samples = samples! { TableFault:
        TableFault::IndexKeyTwice => [TableFault::IndexKeyTwice],
        TableFault::TooManyIndexKeys(..) => [TableFault::TooManyIndexKeys("text")],
        TableFault::IndexKeyOrder => [TableFault::IndexKeyOrder],
        TableFault::ProjectedTwice(..) => [TableFault::ProjectedTwice("text".to_owned())],
        TableFault::Redefined { .. } => [TableFault::Redefined { existing: "existing".to_owned(), new: "new".to_owned() }],
        TableFault::DefinitionsMissing(..) => [TableFault::DefinitionsMissing("text".to_owned())],
        TableFault::TooManyIndexes => [TableFault::TooManyIndexes],
        TableFault::NotGlobal { .. } => [TableFault::NotGlobal { action: "ADD", index: "by-year".to_owned() }],
        TableFault::IndexUnitsMissing(..) => [TableFault::IndexUnitsMissing("text".to_owned())],
        TableFault::AddedIndexUnitsMissing(..) => [TableFault::AddedIndexUnitsMissing("text".to_owned())],
        TableFault::UnitsWithOnDemand => [TableFault::UnitsWithOnDemand],
        TableFault::MaximumOnProvisioned { .. } => [TableFault::MaximumOnProvisioned { index: None, member: "ReadCapacityUnits", of_update: false }, TableFault::MaximumOnProvisioned { index: None, member: "ReadCapacityUnits", of_update: true }, TableFault::MaximumOnProvisioned { index: Some("by-year".to_owned()), member: "ReadCapacityUnits", of_update: false }, TableFault::MaximumOnProvisioned { index: Some("by-year".to_owned()), member: "ReadCapacityUnits", of_update: true }],
        TableFault::MaximumOutOfRange { .. } => [TableFault::MaximumOutOfRange { index: None, member: "ReadCapacityUnits" }, TableFault::MaximumOutOfRange { index: Some("by-year".to_owned()), member: "ReadCapacityUnits" }],
        TableFault::MaximaEmpty => [TableFault::MaximaEmpty],
        TableFault::WarmTooLow { .. } => [TableFault::WarmTooLow { index: None, is_write: false, floor: WarmFloor::OnDemand }],
        TableFault::WarmEmpty { .. } => [TableFault::WarmEmpty { index: None }, TableFault::WarmEmpty { index: Some("by-year".to_owned()) }],
        TableFault::SettingsOverridden => [TableFault::SettingsOverridden],
        TableFault::NothingToUpdate { .. } => [TableFault::NothingToUpdate { has_consistency: false }, TableFault::NothingToUpdate { has_consistency: true }],
        TableFault::NotAlone(..) => [TableFault::NotAlone("text")],
        TableFault::MaximaNotAlone => [TableFault::MaximaNotAlone],
        TableFault::StreamWithUnits => [TableFault::StreamWithUnits],
        TableFault::IndexWithUnits => [TableFault::IndexWithUnits],
        TableFault::IndexWithStream => [TableFault::IndexWithStream],
        TableFault::IndexWithWarm => [TableFault::IndexWithWarm],
        TableFault::IndexUpdatesEmpty => [TableFault::IndexUpdatesEmpty],
        TableFault::IndexUpdateTwice(..) => [TableFault::IndexUpdateTwice("text".to_owned())],
        TableFault::IndexUpdateSeveral => [TableFault::IndexUpdateSeveral],
        TableFault::IndexUpdateOnDemand(..) => [TableFault::IndexUpdateOnDemand("text".to_owned())],
        TableFault::StreamViewMissing { .. } => [TableFault::StreamViewMissing { of_update: false }, TableFault::StreamViewMissing { of_update: true }],
        TableFault::StreamViewForbidden { .. } => [TableFault::StreamViewForbidden { of_update: false }, TableFault::StreamViewForbidden { of_update: true }],
        TableFault::EncryptionOffWith { .. } => [TableFault::EncryptionOffWith { member: "ReadCapacityUnits" }],
        TableFault::EncryptionKeyWithoutType => [TableFault::EncryptionKeyWithoutType],
        TableFault::EncryptionTypeUnsupported => [TableFault::EncryptionTypeUnsupported],
        TableFault::EncryptionOff => [TableFault::EncryptionOff],
        TableFault::EncryptionKeyUnchanged => [TableFault::EncryptionKeyUnchanged],
    };
    samples.extend(warm_floors().into_iter().skip(1).map(|fault| TableFault::WarmTooLow {
        index: None,
        is_write: false,
        floor: fault,
    }));
    samples
}

fn warm_floors() -> Vec<WarmFloor> {
    samples! { WarmFloor:
        WarmFloor::OnDemand => [WarmFloor::OnDemand],
        WarmFloor::Provisioned => [WarmFloor::Provisioned],
        WarmFloor::Current => [WarmFloor::Current],
    }
}

fn expression_faults() -> Vec<ExpressionFault> {
    samples! { ExpressionFault:
        ExpressionFault::Empty => [ExpressionFault::Empty],
        ExpressionFault::TooLong(..) => [ExpressionFault::TooLong(3)],
        ExpressionFault::Syntax { .. } => [ExpressionFault::Syntax { token: "=".to_owned(), near: "a = =".to_owned() }],
        ExpressionFault::RedundantParentheses => [ExpressionFault::RedundantParentheses],
        ExpressionFault::ReservedWord(..) => [ExpressionFault::ReservedWord("text".to_owned())],
        ExpressionFault::UndefinedName(..) => [ExpressionFault::UndefinedName("text".to_owned())],
        ExpressionFault::UndefinedValue(..) => [ExpressionFault::UndefinedValue("text".to_owned())],
        ExpressionFault::Overlap(..) => [ExpressionFault::Overlap("text".to_owned(), "text".to_owned())],
        ExpressionFault::Conflict(..) => [ExpressionFault::Conflict("text".to_owned(), "text".to_owned())],
        ExpressionFault::UnknownFunction(..) => [ExpressionFault::UnknownFunction("text".to_owned())],
        ExpressionFault::FunctionMisused(..) => [ExpressionFault::FunctionMisused("text".to_owned())],
        ExpressionFault::OperandCount { .. } => [ExpressionFault::OperandCount { operator: "BETWEEN".to_owned(), count: 3 }],
        ExpressionFault::OperandType { .. } => [ExpressionFault::OperandType { operator: "BETWEEN".to_owned(), operand: AttributeType::S }],
        ExpressionFault::AnyOperandType(..) => [ExpressionFault::AnyOperandType("text".to_owned())],
        ExpressionFault::ActionOperandType { .. } => [ExpressionFault::ActionOperandType { action: "ADD", operand: AttributeType::S }],
        ExpressionFault::PathRequired(..) => [ExpressionFault::PathRequired("text".to_owned())],
        ExpressionFault::OperandsNotDistinct { .. } => [ExpressionFault::OperandsNotDistinct { operator: "BETWEEN".to_owned(), operand: "operand".to_owned() }],
        ExpressionFault::UnknownTypeName(..) => [ExpressionFault::UnknownTypeName("text".to_owned())],
        ExpressionFault::BetweenTypes(..) => [ExpressionFault::BetweenTypes("text".to_owned(), "text".to_owned())],
        ExpressionFault::BetweenReversed(..) => [ExpressionFault::BetweenReversed("text".to_owned(), "text".to_owned())],
        ExpressionFault::DuplicateSection(..) => [ExpressionFault::DuplicateSection("text")],
        ExpressionFault::TooManyOperators(..) => [ExpressionFault::TooManyOperators(301)],
        ExpressionFault::TooManyInOperands(..) => [ExpressionFault::TooManyInOperands(3)],
        ExpressionFault::TooDeep => [ExpressionFault::TooDeep],
        ExpressionFault::PathTooDeep => [ExpressionFault::PathTooDeep],
        ExpressionFault::ListIndex(..) => [ExpressionFault::ListIndex("text".to_owned())],
        ExpressionFault::KeyOperator(..) => [ExpressionFault::KeyOperator("text".to_owned())],
        ExpressionFault::KeyNestedOperation => [ExpressionFault::KeyNestedOperation],
        ExpressionFault::KeyNestedAttribute => [ExpressionFault::KeyNestedAttribute],
        ExpressionFault::KeyMultipleNames => [ExpressionFault::KeyMultipleNames],
        ExpressionFault::KeyNoName => [ExpressionFault::KeyNoName],
        ExpressionFault::KeyNotFirst(..) => [ExpressionFault::KeyNotFirst("text".to_owned())],
        ExpressionFault::KeyTwice => [ExpressionFault::KeyTwice],
    }
}

fn asked() -> Vec<Asked> {
    samples! { Asked:
        Asked::Deletion => [Asked::Deletion],
        Asked::Protection => [Asked::Protection],
        Asked::Units => [Asked::Units],
        Asked::Stream => [Asked::Stream],
        Asked::Maxima => [Asked::Maxima],
        Asked::Warm => [Asked::Warm],
        Asked::Class => [Asked::Class],
        Asked::Encryption => [Asked::Encryption],
        Asked::IndexCreation => [Asked::IndexCreation],
        Asked::IndexDeletion(..) => [Asked::IndexDeletion("text".to_owned())],
        Asked::IndexUpdate(..) => [Asked::IndexUpdate("text".to_owned())],
    }
}

fn under_way() -> Vec<UnderWay> {
    samples! { UnderWay:
        UnderWay::Units => [UnderWay::Units],
        UnderWay::BillingMode { .. } => [UnderWay::BillingMode { to_on_demand: false }, UnderWay::BillingMode { to_on_demand: true }],
        UnderWay::Stream { .. } => [UnderWay::Stream { label: "label".to_owned(), enables: false }, UnderWay::Stream { label: "label".to_owned(), enables: true }],
        UnderWay::Class(..) => [UnderWay::Class("text")],
        UnderWay::Encryption => [UnderWay::Encryption],
        UnderWay::Warm => [UnderWay::Warm],
        UnderWay::IndexAllocation(..) => [UnderWay::IndexAllocation("text".to_owned())],
        UnderWay::IndexBackfill(..) => [UnderWay::IndexBackfill("text".to_owned())],
        UnderWay::IndexDeletion(..) => [UnderWay::IndexDeletion("text".to_owned())],
        UnderWay::IndexUpdate(..) => [UnderWay::IndexUpdate("text".to_owned())],
        UnderWay::IndexWarm(..) => [UnderWay::IndexWarm("text".to_owned())],
    }
}

/// Returns the lines of one reason: what it is, then its sentence as each layer words it.
#[expect(clippy::needless_pass_by_value, reason = "it is mapped over the samples")]
fn describe(reason: Reason) -> String {
    let name = format!("{reason:?}");
    let kind = reason.kind();
    let mut text = format!("{name}\n  {} {}\n", kind.http_status(), kind.short_name());
    let sentence = |layer| {
        let message = ApiError::new(reason.clone()).in_layer(layer).message();
        message.unwrap_or_else(|| "(no message)".to_owned())
    };
    let current = sentence(Layer::Current);
    writeln!(text, "  {current}").unwrap();
    for (name, layer) in [("enveloped", Layer::Enveloped), ("older", Layer::Older)] {
        let other = sentence(layer);
        if other != current {
            writeln!(text, "  {name}: {other}").unwrap();
        }
    }
    text
}

#[test]
fn every_reason_has_its_exception_and_its_sentence() {
    let described: Vec<String> = reasons().into_iter().map(describe).collect();
    let distinct: BTreeSet<&String> = described.iter().collect();
    assert_eq!(distinct.len(), described.len(), "a sample stands twice");
    let catalogue = described.concat();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/error_catalogue.txt");
    if std::env::var_os("HASHRANGE_BLESS").is_some() {
        std::fs::write(&path, &catalogue).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap();
    for (nth, (is, was)) in catalogue.lines().zip(written.lines()).enumerate() {
        assert_eq!(is, was, "line {} of the catalogue", nth + 1);
    }
    assert_eq!(catalogue.lines().count(), written.lines().count(), "lines of the catalogue");
}
