//! Every sentence the API says in an error, each once. A comment gives the source where the
//! sentence is not in the service's public API reference. Those that are "ours" or "not captured"
//! were looked for in November 2026 in public issues, code and pages, where an answer with a
//! request id, a log of the service or its documentation counts, and what other implementations say
//! does not.
//!
//! [`render`] is the only way from a [`Reason`] to text: it chooses between the wording of the
//! newer and of the older validation layer and adds the envelope where an operation has it.

mod busy;
mod expression;
mod history;
mod quota;
mod state;
mod statement;
mod table;
mod template;
mod tree;
mod value;

use super::{
    IndexedKeyFault, Layer, Reason, Throttle, ThrottleLimit, ValueFault, cancellation_code,
};
use expression::expression;
use statement::statement;
use value::{empty_key, number, value};

/// Opens most complaints about parameters.
const INVALID_PARAMETERS: &str = "One or more parameter values were invalid: ";
/// Opens constraint violations, and on some operations much more.
pub const ENVELOPE: &str = "1 validation error detected: ";
const NOT_VALID: &str = "One or more parameter values are not valid. ";
const KINESIS_STATE: &str =
    "Table is not in a valid state to enable Kinesis Streaming Destination: ";
const START_KEY: &str = "The provided starting key is invalid";

/// Returns the message for `reason` as an operation of `layer` words it.
pub fn render(reason: &Reason, layer: Layer) -> String {
    let text = sentence(reason, layer);
    if layer == Layer::Enveloped && reason.is_enveloped() {
        return format!("{ENVELOPE}{text}");
    }
    text
}

fn invalid(rest: impl AsRef<str>) -> String {
    format!("{INVALID_PARAMETERS}{}", rest.as_ref())
}

fn envelope_if(enveloped: bool) -> &'static str {
    if enveloped { ENVELOPE } else { "" }
}

fn join(names: &[String]) -> String {
    names.join(", ")
}

#[expect(clippy::too_many_lines, reason = "a flat table of sentences, one an arm")]
fn sentence(reason: &Reason, layer: Layer) -> String {
    const PARTITION: &str = "Size of hashkey has exceeded the maximum size limit of2048 bytes"; // sic
    const SORT: &str =
        "Aggregated size of all range keys has exceeded the size limit of 1024 bytes";
    match reason {
        Reason::MalformedJson | Reason::UnknownOperation => String::new(),
        Reason::Serialization(words) | Reason::Constraints(words) => words.clone(),
        Reason::NotYetAvailable { operation } => {
            format!("The operation {operation} is not implemented in Hashrange.")
        }
        Reason::ParameterNotYetAvailable { parameter } => {
            format!("The parameter {parameter} is not implemented in Hashrange.")
        }
        Reason::NotAuthorized { principal, operation, resource } => format!(
            "User: {principal} is not authorized to perform: dynamodb:{operation} on resource: \
             {resource}"
        ),
        Reason::Internal => "Internal server error".to_owned(),
        Reason::StoreUnavailable(why) => format!("The store does not accept writes: {why}"),
        // Source: not captured; the words of the service's other throttles of control operations.
        Reason::Contended => "Rate exceeded".to_owned(),
        Reason::NumbersUsedUp(what) => format!("No number is left for new {what}."),
        Reason::Value(fault) | Reason::UpdateResult(fault) => value(fault, layer),
        Reason::ExpressionValue { fault, placeholder } => match layer {
            Layer::Older => format!(
                "ExpressionAttributeValues contains invalid value: {} for key {placeholder}",
                value(fault, layer)
            ),
            Layer::Current | Layer::Enveloped => value(fault, layer),
        },
        Reason::ItemTooLarge => "Item size has exceeded the maximum allowed size".to_owned(),
        Reason::UpdatedItemTooLarge => {
            "Item size to update has exceeded the maximum allowed size".to_owned()
        }
        // Source: not captured; in the form of the other sizes.
        Reason::SubstitutionsTooLarge => invalid(
            "Aggregated size of ExpressionAttributeNames and ExpressionAttributeValues has \
             exceeded the size limit of 2097152 bytes",
        ),
        Reason::Expression(kind, fault) => expression(*kind, fault),
        Reason::ConditionalCheckFailed => "The conditional request failed".to_owned(),
        Reason::InvalidDocumentPath => {
            "The document path provided in the update expression is invalid for update".to_owned()
        }
        Reason::UpdateOperandType => {
            "An operand in the update expression has an incorrect data type".to_owned()
        }
        Reason::UpdateMissingAttribute => {
            "The provided expression refers to an attribute that does not exist in the item"
                .to_owned()
        }
        Reason::Statement(fault) => statement(fault, layer),
        // Source: an answer with its request id, quoted in a public tutorial.
        Reason::DuplicateItem => "Duplicate primary key exists in table".to_owned(),
        Reason::ItemCollectionTooLarge => "Collection size exceeded.".to_owned(),
        // ---- keys
        Reason::KeyElementMismatch => {
            "The provided key element does not match the schema".to_owned()
        }
        Reason::MissingKey { attribute } => {
            invalid(format!("Missing the key {attribute} in the item"))
        }
        Reason::KeyTypeMismatch { attribute, expected, actual } => invalid(format!(
            "Type mismatch for key {attribute} expected: {} actual: {}",
            expected.as_str(),
            actual.as_str()
        )),
        Reason::EmptyKeyValue { attribute, attribute_type } => {
            format!("{NOT_VALID}{} Key: {attribute}", empty_key(*attribute_type))
        }
        Reason::PartitionKeyTooLong => invalid(PARTITION),
        Reason::SortKeyTooLong => invalid(SORT),
        Reason::IndexKey { index, attribute, fault }
        | Reason::UpdatedIndexKey {
            index,
            attribute,
            fault: fault @ IndexedKeyFault::Type { .. },
        } => match fault {
            IndexedKeyFault::Type { expected, actual } => invalid(format!(
                "Type mismatch for Index Key {attribute} Expected: {} Actual: {} IndexName: \
                     {index}",
                expected.as_str(),
                actual.as_str()
            )),
            IndexedKeyFault::Empty(attribute_type) => format!(
                "{NOT_VALID}A value specified for a secondary index key is not supported. {} \
                     IndexName: {index}, IndexKey: {attribute}",
                empty_key(*attribute_type)
            ),
            // Source: an answer of PutItem, wellcomecollection/platform 2285 (2018).
            IndexedKeyFault::TooLong { size_bytes, max_bytes } => invalid(format!(
                "Size limit exceeded for Index Key {attribute} Actual Size: {size_bytes} bytes Max \
                     Size: {max_bytes} bytes IndexName: {index}"
            )),
        },
        Reason::UpdatedIndexKey { fault: IndexedKeyFault::Empty(attribute_type), .. } => format!(
            "{NOT_VALID}The update expression attempted to update a secondary index key to a \
             value that is not supported. {}",
            empty_key(*attribute_type)
        ),
        Reason::UpdatedIndexKey { .. } => {
            "The update expression attempted to update the secondary index key beyond allowed \
             size limits"
                .to_owned()
        }
        Reason::CannotUpdateKey { attribute } => invalid(format!(
            "Cannot update attribute {attribute}. This attribute is part of the key"
        )),
        Reason::KeyNotScalar { attribute } => format!(
            "Key attributes must be scalars; list random access '[]' and map lookup '.' are not \
             allowed: Key: {attribute}"
        ),
        Reason::IndexKeyNotScalar { attribute } => format!(
            "Key attributes must be scalars; list random access '[]' and map lookup '.' are not \
             allowed: IndexKey: {attribute}"
        ),
        // ---- names and values of expressions
        Reason::UnusedNames(keys) => format!(
            "Value provided in ExpressionAttributeNames unused in expressions: keys: {{{}}}",
            join(keys)
        ),
        Reason::UnusedValues(keys) => format!(
            "Value provided in ExpressionAttributeValues unused in expressions: keys: {{{}}}",
            join(keys)
        ),
        Reason::NamesWithoutExpression(absent) => {
            without_expression("ExpressionAttributeNames", absent, layer)
        }
        Reason::ValuesWithoutExpression(absent) => {
            without_expression("ExpressionAttributeValues", absent, layer)
        }
        Reason::EmptyNames => "ExpressionAttributeNames must not be empty".to_owned(),
        Reason::EmptyValues => "ExpressionAttributeValues must not be empty".to_owned(),
        Reason::InvalidNameKey(name) => {
            format!("ExpressionAttributeNames contains invalid key: Syntax error; key: \"{name}\"")
        }
        Reason::EmptyNameOf(alias) => format!(
            "ExpressionAttributeNames contains invalid value: Empty attribute name for key {alias}"
        ),
        Reason::InvalidValueKey(name) => {
            format!("ExpressionAttributeValues contains invalid key: Syntax error; key: \"{name}\"")
        }
        Reason::BothStyles { legacy, expression } => format!(
            "Can not use both expression and non-expression parameters in the same request: \
             Non-expression parameters: {{{}}} Expression parameters: {{{}}}",
            legacy.join(", "),
            expression.join(", ")
        ),
        // ---- conditions and legacy parameters
        // Ours: the service is not known to count them.
        Reason::TooManyLegacyConditions(most) => {
            invalid(format!("Conditions and their values are more than {most}"))
        }
        Reason::DuplicateAttributeName(name) => {
            invalid(format!("Duplicate value in attribute name: {name}"))
        }
        Reason::ExpectedValueMissing { attribute, exists } => invalid(format!(
            "Value must be provided when Exists is {} for Attribute: {attribute}",
            exists.map_or("null", |_| "true")
        )),
        Reason::ExpectedValueForbidden { attribute } => {
            invalid(format!("Value cannot be used when Exists is false for Attribute: {attribute}"))
        }
        Reason::ExpectedValueAndList { attribute } => invalid(format!(
            "Value and AttributeValueList cannot be used together for Attribute: {attribute}"
        )),
        Reason::ExpectedExistsAndOperator { attribute } => invalid(format!(
            "Exists and ComparisonOperator cannot be used together for Attribute: {attribute}"
        )),
        Reason::ExpectedOperatorWithoutValues { operator, attribute } => invalid(format!(
            "Value or AttributeValueList must be used with ComparisonOperator: {operator} for \
             Attribute: {attribute}"
        )),
        Reason::ExpectedListWithoutOperator { attribute } => invalid(format!(
            "AttributeValueList can only be used with a ComparisonOperator for Attribute: \
             {attribute}"
        )),
        Reason::ArgumentCount { operator } => {
            invalid(format!("Invalid number of argument(s) for the {operator} ComparisonOperator"))
        }
        Reason::ArgumentTypesDiffer => {
            invalid("AttributeValues inside AttributeValueList must be of same type")
        }
        Reason::ArgumentType { operator, attribute_type } => invalid(format!(
            "ComparisonOperator {operator} is not valid for {} AttributeValue type",
            attribute_type.as_str()
        )),
        Reason::LegacyBetweenReversed => {
            "The BETWEEN condition was provided a range where the lower bound is greater than the \
             upper bound"
                .to_owned()
        }
        Reason::NotIndexable => {
            "Attempted conditional constraint is not an indexable operation".to_owned()
        }
        Reason::ConditionalOperatorAlone => {
            "ConditionalOperator can only be used when Filter or Expected has two or more elements"
                .to_owned()
        }
        Reason::ConditionalOperatorWithoutConditions => {
            "ConditionalOperator cannot be used without Filter or Expected".to_owned()
        }
        Reason::AddNotSupported(attribute_type) => {
            invalid(format!("ADD action is not supported for the type {}", attribute_type.as_str()))
        }
        Reason::DeleteNotSupported(attribute_type) => invalid(format!(
            "DELETE action with value is not supported for the type {}",
            attribute_type.as_str()
        )),
        Reason::OnlyDeleteWithoutValue => {
            invalid("Only DELETE action is allowed when no attribute value is specified")
        }
        Reason::LegacyUpdateTypeMismatch => "Type mismatch for attribute to update".to_owned(),
        Reason::ReturnValuesPutDelete => "ReturnValues can only be ALL_OLD or NONE".to_owned(),
        // ---- reads
        Reason::KeyConditionsMissing => {
            "Either the KeyConditions or KeyConditionExpression parameter must be specified in \
             the request."
                .to_owned()
        }
        Reason::KeyConditionCount => "Conditions can be of length 1 or 2 only".to_owned(),
        Reason::TooManyKeyConditions { conditions, attributes } => format!(
            "The number of query conditions ({conditions}) exceeds the number of key attributes \
             defined in the schema ({attributes})"
        ),
        Reason::MissedKeyElement(attribute) => {
            format!("Query condition missed key schema element: {attribute}")
        }
        Reason::KeyConditionNotSupported => "Query key condition not supported".to_owned(),
        // Source: not captured; in the words of the next.
        Reason::PartitionNeedsEquality { attributes } => format!(
            "HASH key attributes {attributes} must have equality conditions specified in the query"
        ),
        Reason::RangeNeedsEquality { attribute, condition_on } => format!(
            "RANGE key attributes {attribute} must have equality conditions specified in the \
             query because a condition is present on key attribute {condition_on}"
        ),
        Reason::ConditionTypeMismatch => {
            invalid("Condition parameter type does not match schema type")
        }
        Reason::FilterOnKey { parameter, attribute } => format!(
            "{parameter} can only contain non-primary key attributes: Primary key attribute: \
             {attribute}"
        ),
        Reason::NoSuchIndex(index) => {
            format!("The table does not have the specified index: {index}")
        }
        Reason::IndexBackfilling(index) => {
            format!("Cannot read from backfilling global secondary index: {index}")
        }
        Reason::ConsistentReadOnGlobalIndex => {
            "Consistent reads are not supported on global secondary indexes".to_owned()
        }
        Reason::AllProjectedWithoutIndex { enveloped } => format!(
            "{}ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName",
            envelope_if(*enveloped)
        ),
        Reason::AllAttributesNotProjected(index) => invalid(format!(
            "Select type ALL_ATTRIBUTES is not supported for global secondary index {index} \
             because its projection type is not ALL"
        )),
        Reason::NotProjected { index, attributes } => invalid(format!(
            "Global secondary index {index} does not project [{}]",
            join(attributes)
        )),
        Reason::SelectNeedsProjection { enveloped } => format!(
            "{}Must specify the AttributesToGet or ProjectionExpression when choosing to get \
             SPECIFIC_ATTRIBUTES",
            envelope_if(*enveloped)
        ),
        Reason::SelectWithProjection { parameter, select, enveloped } => {
            let what = if *select == "COUNT" { "only the Count" } else { select };
            let envelope = envelope_if(*enveloped);
            format!("{envelope}Cannot specify the {parameter} when choosing to get {what}")
        }
        Reason::StartKeyInvalid => START_KEY.to_owned(),
        Reason::StartKeySchema => {
            format!("{START_KEY}: The provided key element does not match the schema")
        }
        Reason::StartKeyValue(inner) => {
            format!("{START_KEY}: {}", sentence(inner, Layer::Current))
        }
        Reason::StartKeyOutsideBoundaries => {
            "The provided starting key is outside query boundaries based on provided conditions"
                .to_owned()
        }
        Reason::StartKeyOutsideRange => {
            "The provided starting key does not match the range key predicate".to_owned()
        }
        Reason::StartKeyOneRow(key) => {
            format!("The provided exclusive start key is invalid: ExclusiveStartKey: {key}")
        }
        Reason::StartKeySegment { total_segments, segment } => format!(
            "{START_KEY}: Invalid ExclusiveStartKey. Please use ExclusiveStartKey with correct \
             Segment. TotalSegments: {total_segments} Segment: {segment}"
        ),
        Reason::TotalSegmentsMissing => {
            "The TotalSegments parameter is required but was not present in the request when \
             Segment parameter is present"
                .to_owned()
        }
        Reason::SegmentMissing => {
            "The Segment parameter is required but was not present in the request when parameter \
             TotalSegments is present"
                .to_owned()
        }
        Reason::SegmentTooLarge { segment, total_segments } => format!(
            "The Segment parameter is zero-based and must be less than parameter TotalSegments: \
             Segment: {segment} is not less than TotalSegments: {total_segments}"
        ),
        // ---- batches
        Reason::DuplicateKeys => "Provided list of item keys contains duplicates".to_owned(),
        Reason::TooManyBatchGetKeys => {
            "Too many items requested for the BatchGetItem call".to_owned()
        }
        Reason::TooManyBatchWriteRequests => {
            "Too many items requested for the BatchWriteItem call".to_owned()
        }
        Reason::BatchMixedProjection => {
            "Can not use both expression and non-expression parameters in the same request: \
             Non-expression parameters: {AttributesToGet} Expression parameters: \
             {ProjectionExpression}"
                .to_owned()
        }
        Reason::EmptyWriteRequest => value(&ValueFault::EmptyAttributeValue, Layer::Older),
        Reason::TwoWritesInRequest => value(&ValueFault::MultipleTypes, Layer::Older),
        // ---- transactions
        // The first sentence is the API reference's; the service answers the second to two
        // operations on one item. Sources of the others: answers quoted in public questions; for
        // the size of a transaction no answer is known, the words are the API reference's.
        Reason::TransactionCanceled(errors) => {
            let codes: Vec<_> =
                errors.iter().map(|error| cancellation_code(error.as_ref())).collect();
            format!(
                "Transaction cancelled, please refer cancellation reasons for specific reasons \
                 [{}]",
                codes.join(", ")
            )
        }
        Reason::TransactionSameItem => {
            "Transaction request cannot include multiple operations on one item".to_owned()
        }
        Reason::UpdatedIndexKeyType => {
            "The update expression attempted to update the secondary index key to unsupported type"
                .to_owned()
        }
        Reason::TransactionPayloadTooLarge(size) => {
            format!("Transaction payload size cannot exceed 4MB. Payload Size: {size}")
        }
        Reason::TransactionTooLarge => {
            "The aggregate size of the items in the transaction exceeds 4 MB".to_owned()
        }
        Reason::TransactionSeveralActions => {
            "TransactItems can only contain one of Check, Put, Update or Delete".to_owned()
        }
        Reason::TransactionNoAction => {
            "Invalid Request: TransactWriteRequest should contain Delete or Put or Update request"
                .to_owned()
        }
        // Source: API reference, TransactGetItems, "Cancellation reason codes".
        Reason::TransactionConflict => match layer {
            Layer::Older => "Transaction is ongoing for the item.".to_owned(),
            Layer::Current | Layer::Enveloped => "Transaction is ongoing for the item".to_owned(),
        },
        // Source: an answer, aws/aws-sdk-java-v2 2518 (2021).
        Reason::TransactionInProgress => {
            "Transaction from previous request is still in progress".to_owned()
        }
        Reason::Throttled(throttle) => throttled(throttle).to_owned(),
        // Source: not captured; the API reference has the exception only.
        Reason::TokenReused => {
            "Request parameters do not match the parameters of the earlier request with the same \
             client request token"
                .to_owned()
        }
        // ---- tables
        Reason::TableNotFound => "Requested resource not found".to_owned(),
        Reason::NamedTableNotFound(table) => {
            format!("Requested resource not found: Table: {table} not found")
        }
        Reason::TableExists(table) => format!("Table already exists: {table}"),
        Reason::TableBusy(busy) => busy::sentence(busy),
        Reason::TableBeingCreated(table) => {
            format!(
                "Attempt to change a resource which is still in use: Table is being created: {table}"
            )
        }
        Reason::TableBeingDeleted(table) => {
            format!(
                "Attempt to change a resource which is still in use: Table is being deleted: {table}"
            )
        }
        Reason::TableTagsBeingUpdated(table) => format!(
            "Attempt to change a resource which is still in use: Table tags are being updated: \
             {table}"
        ),
        Reason::TableProtected => {
            "Resource cannot be deleted as it is currently protected against deletion. Disable \
             deletion protection first."
                .to_owned()
        }
        Reason::TableNameMissing => {
            "The parameter 'TableName' is required but was not present in the request".to_owned()
        }
        Reason::InvalidArn(arn) => {
            format!("Invalid TableArn: Invalid ResourceArn provided as input {arn}")
        }
        Reason::ResourceNotFound(resource) => {
            format!("Requested resource not found: ResourceArn: {resource} not found")
        }
        Reason::TableDefinition(fault) => table::fault(fault),
        Reason::AccessDenied => "Access is denied".to_owned(),
        Reason::NotInContract(asked) => {
            format!("The contract of access patterns does not allow this: {asked}")
        }
        Reason::ArnRegion(arn) => format!("{ENVELOPE}Invalid AWS region in '{arn}'"),
        Reason::ArnPartition(arn) => format!("{ENVELOPE}Invalid AWS partition in '{arn}'"),
        Reason::ArnResourceType(arn) => format!("{ENVELOPE}Invalid resource type in '{arn}'"),
        Reason::NotAnArn(text) => invalid(format!("ARNs must start with 'arn:': {text}")),
        Reason::NotDynamoDbArn(arn) => {
            invalid(format!("Provided Arn is not a DynamoDB resource arn: {arn}"))
        }
        Reason::NotTableOrStream(arn) => invalid(format!(
            "Invalid resource arn provided, only table or stream is accepted. Provided resource \
             arn: {arn}"
        )),
        Reason::KeySchemaFirst => {
            "Invalid KeySchema: The first KeySchemaElement is not a HASH key type".to_owned()
        }
        Reason::KeySchemaSecond => {
            "Invalid KeySchema: The second KeySchemaElement is not a RANGE key type".to_owned()
        }
        Reason::KeySchemaTwice => {
            "Both the Hash Key and the Range Key element in the KeySchema have the same name"
                .to_owned()
        }
        Reason::KeyUndefined => {
            "Invalid KeySchema: Some index key attribute have no definition".to_owned()
        }
        Reason::KeyAttributesUndefined { keys, definitions } => invalid(format!(
            "Some index key attributes are not defined in AttributeDefinitions. Keys: [{}], \
             AttributeDefinitions: [{}]",
            join(keys),
            join(definitions)
        )),
        Reason::DefinitionsNotExact => invalid(
            "Number of attributes in KeySchema does not exactly match number of attributes defined \
             in AttributeDefinitions",
        ),
        Reason::DefinitionsUnused { definitions, keys } => invalid(format!(
            "Some AttributeDefinitions are not used. AttributeDefinitions: [{}], keys used: [{}]",
            join(definitions),
            join(keys)
        )),
        Reason::DuplicateDefinition(attribute) => {
            format!("Attribute Name is duplicated: {attribute}")
        }
        Reason::ThroughputOnDemand => invalid(
            "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is \
             PAY_PER_REQUEST",
        ),
        Reason::ThroughputMissing => invalid(
            "ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is \
             PROVISIONED",
        ),
        Reason::ThroughputOutOfBounds { value, member } => {
            format!("Given value {value} for {member} is out of bounds")
        }
        Reason::LocalIndexNeedsSortKey => invalid(
            "Table KeySchema does not have a range key, which is required when specifying a \
             LocalSecondaryIndex",
        ),
        Reason::LocalIndexWithoutRange(index) => {
            invalid(format!("Index KeySchema does not have a range key for index: {index}"))
        }
        Reason::LocalIndexHash { index, index_key, table_key } => invalid(format!(
            "Index KeySchema does not have the same leading hash key as table KeySchema for index: \
             {index}. index hash key: {index_key}, table hash key: {table_key}"
        )),
        Reason::EmptyLocalIndexes => invalid("List of LocalSecondaryIndexes is empty"),
        Reason::EmptyGlobalIndexes => invalid("List of GlobalSecondaryIndexes is empty"),
        Reason::TooManyLocalIndexes => {
            invalid("Number of LocalSecondaryIndexes exceeds per-table limit of 5")
        }
        Reason::TooManyGlobalIndexes => {
            invalid("GlobalSecondaryIndex count exceeds the per-table limit of 20")
        }
        Reason::DuplicateIndexName(index) => invalid(format!("Duplicate index name: {index}")),
        Reason::ProjectionMissing => invalid("Indexes must have a projection specified"),
        Reason::ProjectionTypeMissing => invalid("Unknown ProjectionType: null"),
        Reason::NonKeyAttributesForbidden(projection) => {
            invalid(format!("ProjectionType is {projection}, but NonKeyAttributes is specified"))
        }
        Reason::NonKeyAttributesMissing => {
            invalid("ProjectionType is INCLUDE, but NonKeyAttributes is not specified")
        }
        Reason::TooManyProjectedAttributes => invalid(
            "Number of projected attributes exceeds the limit of 100 for all indexes of a table",
        ),
        // Sources: answers, bchew/dynamodump 266 (2024) of CreateTable,
        // gabehollombe-aws/react-graphql-amplify-blog-post 1 (2019) of UpdateTable.
        Reason::IndexThroughputOnDemand { index, of_update } => {
            let refused = if *of_update {
                "Neither ReadCapacityUnits nor WriteCapacityUnits can"
            } else {
                "ProvisionedThroughput should not"
            };
            invalid(format!(
                "{refused} be specified for index: {index} when BillingMode is PAY_PER_REQUEST"
            ))
        }
        // ---- changes of tables
        Reason::ThroughputUnchanged { read, write } => {
            unchanged("the table", "the table", *read, *write)
        }
        Reason::IndexUnchanged { index, read, write } => {
            let (the_index, index) = (format!("the index {index}"), format!("index {index}"));
            unchanged(&the_index, &index, *read, *write)
        }
        Reason::UpdateThroughputMissing => {
            invalid("ProvisionedThroughput must be specified when BillingMode is PROVISIONED")
        }
        Reason::UpdateIndexThroughputMissing(indexes) => invalid(format!(
            "ProvisionedThroughput must be specified for index: {}",
            indexes.join(",")
        )),
        Reason::IndexUpdateEmpty => invalid(
            "One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, \
             GlobalSecondaryIndexUpdate.Delete must not be null",
        ),
        Reason::OneIndexAtATime => {
            "Subscriber limit exceeded: Only 1 online index can be created or deleted \
             simultaneously per table"
                .to_owned()
        }
        Reason::Quota(quota) => quota::exceeded(quota),
        Reason::State(fault) => state::refused(fault),
        Reason::Tree(fault) => tree::refused(fault),
        Reason::KeyTemplate(fault) => template::refused(fault),
        Reason::History(fault) => history::refused(fault),
        Reason::DerivedKey { attribute, fault } => template::derived(attribute, fault),
        Reason::IndexExists => "Attempting to create an index which already exists".to_owned(),
        Reason::IndexNotFound { index, table } => {
            format!("Requested resource not found: Index {index} for table {table}")
        }
        Reason::NoTags => "Atleast one Tag needs to be provided as Input.".to_owned(), // sic
        Reason::NoTagKeys => "Atleast one Tag Key needs to be provided as Input.".to_owned(), // sic
        Reason::TooManyTags => {
            "Number of Tags exceed the current limit for the provided ResourceArn".to_owned()
        }
        Reason::DuplicateTag(key) => {
            format!("Duplicate Tag Keys provided as input: Duplicate Tag Key found {key}")
        }
        Reason::TagKeyReserved(key) => format!("Tag Key cannot be prefixed with aws:, Key: {key}"),
        Reason::TagKeyInvalid(key) => format!("The Tag Key provided is invalid, Key: {key}"),
        Reason::TagValueInvalid(value) => {
            format!("The Tag Value provided is invalid, Value: {value}")
        }
        Reason::TagsTooLarge { size_bytes, max_bytes } => {
            format!("Tag set size {size_bytes} bytes is above max size limit of {max_bytes} bytes")
        }
        // ---- features that are off
        Reason::BackedUpTableNotFound(table) => format!("Table not found: {table}"),
        Reason::BackupsBeingEnabled(table) => {
            format!("Backups are being enabled for the table: {table}. Please retry later")
        }
        Reason::BackupNotFound(arn) => format!("Backup not found: {arn}"),
        Reason::InvalidBackupArn => "Invalid Backup ARN".to_owned(),
        Reason::BackupArnForeign => "Invalid Request: BackupArn is not valid".to_owned(),
        Reason::BackupArnRegion => {
            "Invalid Request: The supplied ExclusiveStartBackupArn does not match the region"
                .to_owned()
        }
        Reason::BackupTimeRange => {
            invalid("Time range lower bound must be less than or equal to upper bound")
        }
        Reason::RecoveryPeriodOfDisabled => {
            "Invalid Request: Cannot specify RecoveryPeriodInDays when disabling point-in-time \
             recovery."
                .to_owned()
        }
        Reason::PolicyNotFound(arn) => {
            format!("Resource-based policy not found for the provided ResourceArn: {arn}")
        }
        Reason::PolicyArn(arn) => invalid(format!("Invalid resource Arn: {arn}")),
        Reason::PolicyOfOtherAccount => "This action is only supported by accounts that match the \
                                         resource owner\u{2019}s account."
            .to_owned(),
        Reason::PolicyStreamNotFound { stream, table } => {
            format!("Requested resource not found: Stream: {stream} not found for Table: {table}")
        }
        Reason::ExportNotFound(arn) => format!("Export not found: Export not found: {arn}"), // sic
        // Source: an answer of 2026-10.
        Reason::ExportElsewhere => "Export not found: Invalid export arn".to_owned(),
        Reason::InvalidExportArn => "Invalid Export ARN".to_owned(),
        // Source: not captured; as of exports.
        Reason::ImportNotFound(arn) => format!("Import not found: Import not found: {arn}"),
        Reason::InvalidImportArn => "Invalid Import ARN".to_owned(),
        Reason::NextTokenUnknown(token) => {
            format!("Invalid Request: Provided nextToken is invalid: {token}")
        }
        Reason::GlobalTableNotFound(table) => {
            format!("Global table not found: Global table with name: '{table}' does not exist.")
        }
        Reason::OldGlobalTables => invalid(
            "DynamoDB global tables version 2017.11.29 is not supported. We recommend using \
             DynamoDB global tables version 2019.11.21, instead of version 2017.11.29 (Legacy).",
        ),
        Reason::ReplicasNotFound(table) => {
            format!("Global table with name: '{table}' does not exist.")
        }
        Reason::InsightsIndexNotFound { index, table } => {
            format!("Requested resource not found: Index: {index} not found for table: {table}")
        }
        Reason::InsightsNotReady { is_index } => format!(
            "Table or Index is not in a valid state to update Key Access Insights: {} must be ACTIVE to \
             enable ContributorInsights.",
            if *is_index { "IndexStatus" } else { "TableStatus" }
        ),
        Reason::TableOfServer(table) => format!(
            "{table} is made by the server: GetItem, Query, Scan and SELECT read it, and nothing else can \
             be done with it"
        ),
        Reason::KinesisNotActive => format!(
            "{KINESIS_STATE}KinesisStreamingDestination must be ACTIVE to perform DISABLE operation."
        ),
        Reason::KinesisNotUpdatable { table, stream_arn } => format!(
            "{KINESIS_STATE}Kinesis streaming is not in ACTIVE state. Updates are only allowed in \
             ACTIVE state. TableName: {table}, kdsArn: {stream_arn}"
        ),
        // ---- streams and time to live
        // Sentences of streams and of time to live. Sources: the API references of both services;
        // the words of those marked "ours" are not documented, and those that are quoted in public
        // are of Kinesis, which has others.
        Reason::StreamEnabled(table) => {
            format!("Table already has an enabled stream: TableName: {table}")
        }
        // Source: answers of 2026-10.
        Reason::StreamDisabled(table) => {
            format!("Table has no stream to disable: TableName: {table}")
        }
        Reason::InvalidStreamArn => {
            // Source: an answer, amazon-archives/logstash-input-dynamodb 18 (2016).
            "Invalid StreamArn".to_owned()
        }
        Reason::StreamNotFound(arn) => {
            format!("Requested resource not found: Stream: {arn} not found")
        }
        Reason::ShardNotFound { shard, stream } => {
            format!("Requested resource not found: Shard: {shard} in Stream: {stream} not found")
        }
        Reason::ShardFilterIncomplete => {
            invalid("ShardFilter needs both Type and ShardId") // ours
        }
        // Source: not captured; in the words of the next.
        Reason::TimestampForbidden => {
            invalid("Timestamp should not be passed for this iterator type")
        }
        Reason::SequenceNumberForbidden => {
            invalid("SequenceNumber should not be passed for this iterator type")
        }
        Reason::SequenceNumberMissing => {
            "SequenceNumber must be specified for ShardIteratorType AT_SEQUENCE_NUMBER and \
             AFTER_SEQUENCE_NUMBER" // ours
                .to_owned()
        }
        Reason::InvalidSequenceNumber(number) => format!("Invalid SequenceNumber: {number}"), // ours
        Reason::TimestampMissing => {
            "Timestamp must be specified for ShardIteratorType AT_TIMESTAMP".to_owned() // ours
        }
        Reason::TimestampInFuture => "Timestamp must not be in the future".to_owned(), // ours
        Reason::InvalidShardIterator => "Invalid ShardIterator".to_owned(),            // ours
        Reason::ShardIteratorExpired => {
            // Source: the API's model, as of the next.
            "The provided iterator exceeds the maximum age allowed".to_owned()
        }
        // Sources: the API's model, the message of the exception; ironSource/node-dynamodb-stream
        // 13 (2019).
        Reason::RecordsTrimmed => "The data you are trying to access has been trimmed".to_owned(),
        Reason::TimeToLiveEnabled => "TimeToLive is already enabled".to_owned(),
        Reason::TimeToLiveDisabled => "TimeToLive is already disabled".to_owned(),
        Reason::TimeToLiveOtherAttribute(attribute) => format!(
            "TimeToLive is active on a different AttributeName: current AttributeName is {attribute}"
        ),
        Reason::TimeToLiveChanging => {
            "Time to live has been modified multiple times within a fixed interval".to_owned()
        }
        Reason::TimeToLiveOfNewTable(table) => format!(
            "Attempt to change a resource which is still in use: Table {table} is being created"
        ),
        Reason::TimeToLiveNotReady { is_deleted } => {
            let state = if *is_deleted { "DELETING" } else { "CREATING" };
            format!(
                "Cannot describe time to live while table is in {state} state: Current table state \
                 is {state}"
            )
        }
    }
}

/// The newer layer of the single-item writes leaves out which expressions are null.
/// Source: captures of 2026-10.
fn without_expression(parameter: &str, absent: &[&str], layer: Layer) -> String {
    let sentence = format!("{parameter} can only be specified when using expressions");
    match (layer, absent) {
        (Layer::Enveloped, _) | (_, []) => sentence,
        (_, [one]) => format!("{sentence}: {one} is null"),
        (_, several) => format!("{sentence}: {} are null", several.join(" and ")),
    }
}

/// Source: API reference, TransactGetItems, "Cancellation reason codes": the same sentences are
/// answered outside of transactions. Of maxima: developer guide, "Diagnosing throttling", and an
/// answer in airbytehq/oncall 13650 (2026).
fn throttled(throttle: &Throttle) -> &'static str {
    if throttle.limit == ThrottleLimit::MaxOnDemand {
        return "Throughput exceeds the maximum OnDemandThroughput configured on table or index";
    }
    match (throttle.is_on_demand, throttle.is_index && throttle.is_write) {
        (false, false) => {
            "The level of configured provisioned throughput for the table was exceeded. Consider \
             increasing your provisioning level with the UpdateTable API."
        }
        (false, true) => {
            "The level of configured provisioned throughput for one or more global secondary \
             indexes of the table was exceeded. Consider increasing your provisioning level for \
             the under-provisioned global secondary indexes with the UpdateTable API."
        }
        (true, false) => {
            "Throughput exceeds the current capacity of your table or index. DynamoDB is \
             automatically scaling your table or index so please try again shortly. If exceptions \
             persist, check if you have a hot key: \
             https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html"
        }
        (true, true) => {
            "Throughput exceeds the current capacity for one or more global secondary indexes. \
             DynamoDB is automatically scaling your index so please try again shortly."
        }
    }
}

fn unchanged(what: &str, of: &str, read: i64, write: i64) -> String {
    format!(
        "The provisioned throughput for {what} will not change. The requested value equals the \
         current value. Current ReadCapacityUnits provisioned for {of}: {read}. Requested \
         ReadCapacityUnits: {read}. Current WriteCapacityUnits provisioned for {of}: {write}. \
         Requested WriteCapacityUnits: {write}. Refer to the Amazon DynamoDB Developer Guide for \
         current limits and how to request higher limits."
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_envelope_is_only_for_its_families_and_operations() {
        let enveloped = Reason::UnusedNames(vec!["#a".to_owned()]);
        let bare = Reason::InvalidDocumentPath;
        assert!(render(&enveloped, Layer::Enveloped).starts_with(ENVELOPE));
        assert!(!render(&enveloped, Layer::Current).starts_with(ENVELOPE));
        assert!(!render(&bare, Layer::Enveloped).starts_with(ENVELOPE));
    }
}
