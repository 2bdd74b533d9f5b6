//! Typed reasons of errors, each with its exception and its sentence. A comment gives the source
//! where the sentence is not in the service's public API reference. Those that are "ours" or "not
//! captured" were looked for in November 2026 in public issues, code and pages, where an answer with
//! a request id, a log of the service or its documentation counts, and what other implementations
//! say does not.

use super::wording::{
    ENVELOPE, KINESIS_STATE, NOT_VALID, START_KEY, busy, empty_key, envelope_if, expression,
    history, index_key, invalid, join, quota, state, statement, table, template, throttled, tree,
    unchanged, updated_index_key, value, without_expression,
};
use super::{
    ApiError, Busy, DerivedKeyFault, ErrorKind, ExpressionFault, ExpressionKind, HistoryFault,
    IndexedKeyFault, Layer, Malformed, Quota, StateFault, StatementFault, TableFault,
    TemplateFault, Throttle, TreeFault, ValueFault, cancellation_code,
};
use crate::number::NumberFault;
use crate::value::AttributeType;

/// Makes [`Reason`] of a table. A row has the variant with its fields, which the sentence names;
/// the exception; `enveloped` if the newer layer wraps the sentence; and the sentence: what it
/// `says`, what it says of `invalid` parameters, or what an expression `gives`.
macro_rules! reasons {
    ($layer:ident: $(
        $(#[$about:meta])*
        $name:ident $(($($position:ident: $holds:ty),+))? $({ $($field:ident: $of:ty),+ $(,)? })?:
        $kind:tt $(enveloped $(if $is_enveloped:expr)?)?,
        $(says($said:literal $(, $say:expr)*))?
        $(invalid($refused:literal $(, $refuse:expr)*))?
        $(gives $given:expr)?;
    )+) => {
        /// Reason why a request was refused.
        #[derive(Debug, Clone, PartialEq)]
        #[expect(missing_docs, reason = "the fields are named as in the sentences that print them")]
        pub enum Reason {
            $($(#[$about])* $name $(($($holds),+))? $({ $($field: $of),+ })?,)+
        }

        impl Reason {
            /// Returns the exception that the answer reports.
            #[expect(unused_variables, reason = "most rows name their exception")]
            pub fn kind(&self) -> ErrorKind {
                match self {
                    $(Self::$name $(($($position),+))? $({ $($field),+ })? => kind!($kind),)+
                }
            }

            /// Returns true for the families that the newer layer wraps in `1 validation error
            /// detected: ` on PutItem, UpdateItem and DeleteItem. Source: captures of 2026-10.
            #[expect(unused_variables, reason = "most rows say it without a condition")]
            pub fn is_enveloped(&self) -> bool {
                match self {
                    $(Self::$name $(($($position),+))? $({ $($field),+ })? => {
                        false $(|| true $(&& $is_enveloped)?)?
                    })+
                }
            }

            /// Returns the sentence as an operation of a layer words it, without the envelope.
            pub(super) fn sentence(&self, $layer: Layer) -> String {
                match self {
                    $(Self::$name $(($($position),+))? $({ $($field),+ })? => {
                        $(format!($said $(, $say)*))?
                        $(invalid(format!($refused $(, $refuse)*)))?
                        $($given)?
                    })+
                }
            }
        }
    };
}

/// The exception of a row: its name, or braces around an expression.
macro_rules! kind {
    ({ $computed:expr }) => {
        $computed
    };
    ($name:ident) => {
        ErrorKind::$name
    };
}

reasons! { layer:
    // ---- protocol
    /// The body is not JSON.
    MalformedJson: Serialization,
        says("");
    /// A member has another JSON type than in the API's model; holds the words of the sentence.
    Serialization(words: String): Serialization,
        gives words.clone();
    /// The target names no operation.
    UnknownOperation: UnknownOperation,
        says("");
    /// The service has the operation, this server not yet.
    NotYetAvailable { operation: &'static str }: UnknownOperation,
        says("The operation {operation} is not implemented in Hashrange.");
    /// The service has the parameter, this server not yet.
    ParameterNotYetAvailable { parameter: &'static str }: NotImplemented,
        says("The parameter {parameter} is not implemented in Hashrange.");
    /// Constraints of the API's model; holds the whole joined message.
    Constraints(words: String): Validation,
        gives words.clone();
    /// The caller may not do this.
    NotAuthorized { principal: String, operation: &'static str, resource: String }: AccessDenied,
        says("User: {principal} is not authorized to perform: dynamodb:{operation} on resource: \
             {resource}");
    /// A fault of the server; the details are in the log.
    Internal: InternalServerError,
        says("Internal server error");
    /// The store refuses writes since a write failed.
    StoreUnavailable(why: String): InternalServerError,
        says("The store does not accept writes: {why}");
    /// Other writers committed first, again and again.
    // Source: not captured; the words of the service's other throttles of control operations.
    Contended: Throttling,
        says("Rate exceeded");
    /// No number is left for a new table or index; holds the word.
    NumbersUsedUp(what: &'static str): LimitExceeded,
        says("No number is left for new {what}.");

    // ---- values
    /// A value in an item, a key or a legacy parameter.
    Value(fault: ValueFault): Validation enveloped if fault.is_enveloped(),
        gives value(fault, layer);
    /// A value in `ExpressionAttributeValues`.
    ExpressionValue {
        fault: ValueFault,
        placeholder: String,
    }: Validation enveloped if fault.is_enveloped(),
        gives match layer {
            Layer::Older => format!(
                "ExpressionAttributeValues contains invalid value: {} for key {placeholder}",
                value(fault, layer)
            ),
            Layer::Current | Layer::Enveloped => value(fault, layer),
        };
    /// The result of arithmetic or of an update cannot be stored.
    UpdateResult(fault: ValueFault): Validation,
        gives value(fault, layer);
    /// The item exceeds 400 KB.
    ItemTooLarge: Validation,
        says("Item size has exceeded the maximum allowed size");
    /// The updated item exceeds 400 KB.
    UpdatedItemTooLarge: Validation,
        says("Item size to update has exceeded the maximum allowed size");
    /// `ExpressionAttributeNames` and -Values exceed 2 MB together.
    // Source: not captured; in the form of the other sizes.
    SubstitutionsTooLarge: Validation enveloped,
        invalid("Aggregated size of ExpressionAttributeNames and ExpressionAttributeValues has \
             exceeded the size limit of 2097152 bytes");

    // ---- keys
    /// A key member of an operation does not fit the table's key schema.
    KeyElementMismatch: Validation,
        says("The provided key element does not match the schema");
    /// An item lacks a key attribute.
    MissingKey { attribute: String }: Validation,
        invalid("Missing the key {attribute} in the item");
    /// A key attribute has another type than declared.
    KeyTypeMismatch {
        attribute: String,
        expected: AttributeType,
        actual: AttributeType,
    }: Validation,
        invalid("Type mismatch for key {attribute} expected: {} actual: \
             {}", expected.as_str(), actual.as_str());
    /// A key attribute is an empty string or binary; holds which.
    EmptyKeyValue { attribute: String, attribute_type: AttributeType }: Validation,
        says("{NOT_VALID}{} Key: {attribute}", empty_key(*attribute_type));
    /// A partition key value over 2048 bytes.
    PartitionKeyTooLong: Validation,
        invalid("Size of hashkey has exceeded the maximum size limit of2048 bytes"); // sic
    /// A sort key value over 1024 bytes.
    SortKeyTooLong: Validation,
        invalid("Aggregated size of all range keys has exceeded the size limit of 1024 bytes");
    /// An index key attribute in a put item, in an attribute that an update leaves as it is, or in
    /// a key condition.
    IndexKey { index: String, attribute: String, fault: IndexedKeyFault }: Validation,
        gives index_key(index, attribute, fault);
    /// An index key attribute in an update.
    UpdatedIndexKey { index: String, attribute: String, fault: IndexedKeyFault }: Validation,
        gives updated_index_key(index, attribute, fault);
    /// An update that computes an index key attribute of another type than declared.
    UpdatedIndexKeyType: Validation,
        says("The update expression attempted to update the secondary index key to unsupported \
             type");
    /// An update that touches the primary key.
    CannotUpdateKey { attribute: String }: Validation,
        invalid("Cannot update attribute {attribute}. This attribute is part of the key");
    /// A nested path into a key attribute.
    KeyNotScalar { attribute: String }: Validation,
        says("Key attributes must be scalars; list random access '[]' and map lookup '.' are not \
             allowed: Key: {attribute}");
    /// A nested path into an index key attribute.
    IndexKeyNotScalar { attribute: String }: Validation,
        says("Key attributes must be scalars; list random access '[]' and map lookup '.' are not \
             allowed: IndexKey: {attribute}");

    // ---- expressions
    /// A fault of one expression.
    Expression(kind: ExpressionKind, fault: ExpressionFault): Validation enveloped,
        gives expression(*kind, fault);
    /// Names that no expression uses.
    UnusedNames(keys: Vec<String>): Validation enveloped,
        says("Value provided in ExpressionAttributeNames unused in expressions: keys: \
             {{{}}}", join(keys));
    /// Values that no expression uses.
    UnusedValues(keys: Vec<String>): Validation enveloped,
        says("Value provided in ExpressionAttributeValues unused in expressions: keys: \
             {{{}}}", join(keys));
    /// `ExpressionAttributeNames` without any expression; holds the parameters that are null.
    NamesWithoutExpression(absent: Vec<&'static str>): Validation enveloped,
        gives without_expression("ExpressionAttributeNames", absent, layer);
    /// `ExpressionAttributeValues` without any expression; holds the parameters that are null.
    ValuesWithoutExpression(absent: Vec<&'static str>): Validation enveloped,
        gives without_expression("ExpressionAttributeValues", absent, layer);
    EmptyNames: Validation enveloped,
        says("ExpressionAttributeNames must not be empty");
    EmptyValues: Validation enveloped,
        says("ExpressionAttributeValues must not be empty");
    InvalidNameKey(name: String): Validation enveloped,
        says("ExpressionAttributeNames contains invalid key: Syntax error; key: \"{name}\"");
    /// An alias that stands for the empty name.
    EmptyNameOf(alias: String): Validation enveloped,
        says("ExpressionAttributeNames contains invalid value: Empty attribute name for key \
             {alias}");
    InvalidValueKey(name: String): Validation enveloped,
        says("ExpressionAttributeValues contains invalid key: Syntax error; key: \"{name}\"");
    /// Legacy and expression parameters in one request.
    BothStyles { legacy: Vec<&'static str>, expression: Vec<&'static str> }: Validation enveloped,
        says("Can not use both expression and non-expression parameters in the same request: \
             Non-expression parameters: {{{}}} Expression parameters: {{{}}}",
            legacy.join(", "), expression.join(", "));
    /// An update to a path whose parent does not exist.
    InvalidDocumentPath: Validation,
        says("The document path provided in the update expression is invalid for update");
    /// An operand of an update has the wrong type in the stored item.
    UpdateOperandType: Validation,
        says("An operand in the update expression has an incorrect data type");
    /// An update reads an attribute that does not exist.
    UpdateMissingAttribute: Validation,
        says("The provided expression refers to an attribute that does not exist in the item");

    // ---- conditions and legacy parameters
    ConditionalCheckFailed: ConditionalCheckFailed,
        says("The conditional request failed");
    DuplicateAttributeName(name: String): Validation,
        invalid("Duplicate value in attribute name: {name}");
    /// Legacy conditions, with their values, are more than one request may have.
    // Ours: the service is not known to count them.
    TooManyLegacyConditions(most: usize): Validation,
        invalid("Conditions and their values are more than {most}");
    ExpectedValueMissing { attribute: String, exists: Option<bool> }: Validation enveloped,
        invalid("Value must be provided when Exists is {} for Attribute: \
             {attribute}", exists.map_or("null", |_| "true"));
    ExpectedValueForbidden { attribute: String }: Validation enveloped,
        invalid("Value cannot be used when Exists is false for Attribute: {attribute}");
    ExpectedValueAndList { attribute: String }: Validation enveloped,
        invalid("Value and AttributeValueList cannot be used together for Attribute: {attribute}");
    ExpectedExistsAndOperator { attribute: String }: Validation enveloped,
        invalid("Exists and ComparisonOperator cannot be used together for Attribute: {attribute}");
    ExpectedOperatorWithoutValues {
        operator: &'static str,
        attribute: String,
    }: Validation enveloped,
        invalid("Value or AttributeValueList must be used with ComparisonOperator: {operator} for \
             Attribute: {attribute}");
    ExpectedListWithoutOperator { attribute: String }: Validation enveloped,
        invalid("AttributeValueList can only be used with a ComparisonOperator for Attribute: \
             {attribute}");
    ArgumentCount { operator: &'static str }: Validation enveloped,
        invalid("Invalid number of argument(s) for the {operator} ComparisonOperator");
    ArgumentTypesDiffer: Validation enveloped,
        invalid("AttributeValues inside AttributeValueList must be of same type");
    ArgumentType { operator: &'static str, attribute_type: AttributeType }: Validation enveloped,
        invalid("ComparisonOperator {operator} is not valid for {} AttributeValue \
             type", attribute_type.as_str());
    LegacyBetweenReversed: Validation enveloped,
        says("The BETWEEN condition was provided a range where the lower bound is greater than the \
             upper bound");
    NotIndexable: Validation,
        says("Attempted conditional constraint is not an indexable operation");
    ConditionalOperatorAlone: Validation enveloped,
        says("ConditionalOperator can only be used when Filter or Expected has two or more \
             elements");
    ConditionalOperatorWithoutConditions: Validation enveloped,
        says("ConditionalOperator cannot be used without Filter or Expected");
    AddNotSupported(attribute_type: AttributeType): Validation,
        invalid("ADD action is not supported for the type {}", attribute_type.as_str());
    DeleteNotSupported(attribute_type: AttributeType): Validation,
        invalid("DELETE action with value is not supported for the type \
             {}", attribute_type.as_str());
    OnlyDeleteWithoutValue: Validation,
        invalid("Only DELETE action is allowed when no attribute value is specified");
    LegacyUpdateTypeMismatch: Validation,
        says("Type mismatch for attribute to update");
    ReturnValuesPutDelete: Validation enveloped,
        says("ReturnValues can only be ALL_OLD or NONE");

    // ---- reads
    KeyConditionsMissing: Validation,
        says("Either the KeyConditions or KeyConditionExpression parameter must be specified in \
             the request.");
    KeyConditionCount: Validation,
        says("Conditions can be of length 1 or 2 only");
    TooManyKeyConditions { conditions: usize, attributes: usize }: Validation,
        says("The number of query conditions ({conditions}) exceeds the number of key attributes \
             defined in the schema ({attributes})");
    MissedKeyElement(attribute: String): Validation,
        says("Query condition missed key schema element: {attribute}");
    KeyConditionNotSupported: Validation,
        says("Query key condition not supported");
    /// Partition key attributes of an index with several, joined by commas.
    // Source: not captured; in the words of the next.
    PartitionNeedsEquality { attributes: String }: Validation,
        says("HASH key attributes {attributes} must have equality conditions specified in the \
             query");
    RangeNeedsEquality { attribute: String, condition_on: String }: Validation,
        says("RANGE key attributes {attribute} must have equality conditions specified in the \
             query because a condition is present on key attribute {condition_on}");
    ConditionTypeMismatch: Validation,
        invalid("Condition parameter type does not match schema type");
    FilterOnKey { parameter: &'static str, attribute: String }: Validation,
        says("{parameter} can only contain non-primary key attributes: Primary key attribute: \
             {attribute}");
    NoSuchIndex(index: String): Validation,
        says("The table does not have the specified index: {index}");
    IndexBackfilling(index: String): Validation,
        says("Cannot read from backfilling global secondary index: {index}");
    ConsistentReadOnGlobalIndex: Validation,
        says("Consistent reads are not supported on global secondary indexes");
    AllProjectedWithoutIndex { enveloped: bool }: Validation,
        says("{}ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an \
             IndexName", envelope_if(*enveloped));
    AllAttributesNotProjected(index: String): Validation,
        invalid("Select type ALL_ATTRIBUTES is not supported for global secondary index {index} \
             because its projection type is not ALL");
    NotProjected { index: String, attributes: Vec<String> }: Validation,
        invalid("Global secondary index {index} does not project [{}]", join(attributes));
    SelectNeedsProjection { enveloped: bool }: Validation,
        says("{}Must specify the AttributesToGet or ProjectionExpression when choosing to get \
             SPECIFIC_ATTRIBUTES", envelope_if(*enveloped));
    SelectWithProjection {
        parameter: &'static str,
        select: &'static str,
        enveloped: bool,
    }: Validation,
        gives {
            let what = if *select == "COUNT" { "only the Count" } else { select };
            let envelope = envelope_if(*enveloped);
            format!("{envelope}Cannot specify the {parameter} when choosing to get {what}")
        };
    StartKeyInvalid: Validation,
        gives START_KEY.to_owned();
    StartKeySchema: Validation,
        says("{START_KEY}: The provided key element does not match the schema");
    /// The key of an index in `ExclusiveStartKey`; holds the inner sentence's reason.
    StartKeyValue(inner: Box<Reason>): Validation,
        says("{START_KEY}: {}", inner.sentence(Layer::Current));
    StartKeyOutsideBoundaries: Validation,
        says("The provided starting key is outside query boundaries based on provided conditions");
    StartKeyOutsideRange: Validation,
        says("The provided starting key does not match the range key predicate");
    /// A start key where at most one item can match; holds it as the sentence prints it.
    StartKeyOneRow(key: String): Validation,
        says("The provided exclusive start key is invalid: ExclusiveStartKey: {key}");
    StartKeySegment { total_segments: i64, segment: i64 }: Validation,
        says("{START_KEY}: Invalid ExclusiveStartKey. Please use ExclusiveStartKey with correct \
             Segment. TotalSegments: {total_segments} Segment: {segment}");
    TotalSegmentsMissing: Validation,
        says("The TotalSegments parameter is required but was not present in the request when \
             Segment parameter is present");
    SegmentMissing: Validation,
        says("The Segment parameter is required but was not present in the request when parameter \
             TotalSegments is present");
    SegmentTooLarge { segment: i64, total_segments: i64 }: Validation,
        says("The Segment parameter is zero-based and must be less than parameter TotalSegments: \
             Segment: {segment} is not less than TotalSegments: {total_segments}");

    // ---- batches
    DuplicateKeys: Validation,
        says("Provided list of item keys contains duplicates");
    TooManyBatchGetKeys: Validation,
        says("Too many items requested for the BatchGetItem call");
    TooManyBatchWriteRequests: Validation,
        says("Too many items requested for the BatchWriteItem call");
    BatchMixedProjection: Validation,
        says("Can not use both expression and non-expression parameters in the same request: \
             Non-expression parameters: {{AttributesToGet}} Expression parameters: \
             {{ProjectionExpression}}");
    EmptyWriteRequest: Validation,
        gives value(&ValueFault::EmptyAttributeValue, Layer::Older);
    TwoWritesInRequest: Validation,
        gives value(&ValueFault::MultipleTypes, Layer::Older);

    // ---- transactions
    /// Some action failed, so none was done; holds each action's error in request order.
    // The first sentence is the API reference's; the service answers the second to two
    // operations on one item. Sources of the others: answers quoted in public questions; for
    // the size of a transaction no answer is known, the words are the API reference's.
    TransactionCanceled(errors: Vec<Option<ApiError>>): TransactionCanceled,
        gives {
            let codes: Vec<_> =
                errors.iter().map(|error| cancellation_code(error.as_ref())).collect();
            format!(
                "Transaction cancelled, please refer cancellation reasons for specific reasons \
                 [{}]",
                codes.join(", ")
            )
        };
    TransactionSameItem: Validation,
        says("Transaction request cannot include multiple operations on one item");
    TransactionTooLarge: Validation,
        says("The aggregate size of the items in the transaction exceeds 4 MB");
    /// The items and expressions of the request exceed 4 MB; holds their size in bytes.
    TransactionPayloadTooLarge(size: usize): Validation,
        says("Transaction payload size cannot exceed 4MB. Payload Size: {size}");
    TransactionSeveralActions: Validation,
        says("TransactItems can only contain one of Check, Put, Update or Delete");
    TransactionNoAction: Validation,
        says("Invalid Request: TransactWriteRequest should contain Delete or Put or Update request");
    /// The token was used for another request.
    // Source: not captured; the API reference has the exception only.
    TokenReused: IdempotentParameterMismatch,
        says("Request parameters do not match the parameters of the earlier request with the same \
             client request token");
    /// A transaction holds the item of a single write.
    // Source: API reference, TransactGetItems, "Cancellation reason codes".
    TransactionConflict: TransactionConflict,
        gives match layer {
            Layer::Older => "Transaction is ongoing for the item.".to_owned(),
            Layer::Current | Layer::Enveloped => "Transaction is ongoing for the item".to_owned(),
        };
    /// The first request with this token is under way.
    // Source: an answer, aws/aws-sdk-java-v2 2518 (2021).
    TransactionInProgress: TransactionInProgress,
        says("Transaction from previous request is still in progress");

    // ---- throughput
    /// A limit of throughput is exceeded.
    Throttled(throttle: Throttle): { throttle.kind() },
        gives throttled(throttle).to_owned();
    /// A change of tables exceeds a quota of the account.
    Quota(quota: Quota): { quota.kind() },
        gives quota::exceeded(quota);
    /// The server's whole state cannot be saved, restored or set in this way.
    State(fault: StateFault): { fault.kind() },
        gives state::refused(fault);
    /// A tree of keys cannot be listed in this way.
    Tree(fault: TreeFault): Validation,
        gives tree::refused(fault);
    /// An operation on key templates is refused.
    KeyTemplate(fault: TemplateFault): { fault.kind() },
        gives template::refused(fault);
    /// A request for the history of a table, or for the table as of a moment, is refused.
    History(fault: HistoryFault): Validation,
        gives history::refused(fault);
    /// A key template refuses an item.
    DerivedKey { attribute: String, fault: DerivedKeyFault }: Validation,
        gives template::derived(attribute, fault);

    // ---- statements
    Statement(fault: StatementFault): Validation,
        gives statement(fault, layer);
    /// INSERT of a key that exists.
    // Source: an answer with its request id, quoted in a public tutorial.
    DuplicateItem: DuplicateItem,
        says("Duplicate primary key exists in table");

    // ---- item collections
    ItemCollectionTooLarge: ItemCollectionSizeLimitExceeded,
        says("Collection size exceeded.");

    // ---- tables
    /// A table named in a data operation does not exist.
    TableNotFound: ResourceNotFound,
        says("Requested resource not found");
    /// A table named in a control operation does not exist.
    NamedTableNotFound(table: String): ResourceNotFound,
        says("Requested resource not found: Table: {table} not found");
    TableExists(table: String): ResourceInUse,
        says("Table already exists: {table}");
    /// Another change of the table is under way.
    TableBusy(busy: Box<Busy>): { busy.kind() },
        gives busy::sentence(busy);
    TableBeingCreated(table: String): ResourceInUse,
        says("Attempt to change a resource which is still in use: Table is being created: {table}");
    TableBeingDeleted(table: String): ResourceInUse,
        says("Attempt to change a resource which is still in use: Table is being deleted: {table}");
    /// A table is to be deleted while its tags change.
    TableTagsBeingUpdated(table: String): ResourceInUse,
        says("Attempt to change a resource which is still in use: Table tags are being updated: \
             {table}");
    TableProtected: Validation,
        says("Resource cannot be deleted as it is currently protected against deletion. Disable \
             deletion protection first.");
    TableNameMissing: Validation,
        says("The parameter 'TableName' is required but was not present in the request");
    InvalidArn(arn: String): Validation,
        says("Invalid TableArn: Invalid ResourceArn provided as input {arn}");
    ResourceNotFound(resource: String): ResourceNotFound,
        says("Requested resource not found: ResourceArn: {resource} not found");
    /// A fault of a definition or of a change of it.
    TableDefinition(fault: TableFault): { fault.kind() },
        gives table::fault(fault);
    /// The caller belongs to another account than the resource.
    AccessDenied: AccessDenied,
        says("Access is denied");
    /// The contract of access patterns has no such request; holds the request.
    NotInContract(asked: String): AccessDenied,
        says("The contract of access patterns does not allow this: {asked}");
    /// A table ARN of another region; holds the ARN, as the following do.
    ArnRegion(arn: String): Validation,
        says("{ENVELOPE}Invalid AWS region in '{arn}'");
    ArnPartition(arn: String): Validation,
        says("{ENVELOPE}Invalid AWS partition in '{arn}'");
    ArnResourceType(arn: String): Validation,
        says("{ENVELOPE}Invalid resource type in '{arn}'");
    NotAnArn(text: String): Validation,
        invalid("ARNs must start with 'arn:': {text}");
    NotDynamoDbArn(arn: String): Validation,
        invalid("Provided Arn is not a DynamoDB resource arn: {arn}");
    NotTableOrStream(arn: String): Validation,
        invalid("Invalid resource arn provided, only table or stream is accepted. Provided \
             resource arn: {arn}");
    KeySchemaFirst: Validation,
        says("Invalid KeySchema: The first KeySchemaElement is not a HASH key type");
    KeySchemaSecond: Validation,
        says("Invalid KeySchema: The second KeySchemaElement is not a RANGE key type");
    KeySchemaTwice: Validation,
        says("Both the Hash Key and the Range Key element in the KeySchema have the same name");
    KeyUndefined: Validation,
        says("Invalid KeySchema: Some index key attribute have no definition");
    KeyAttributesUndefined { keys: Vec<String>, definitions: Vec<String> }: Validation,
        invalid("Some index key attributes are not defined in AttributeDefinitions. Keys: [{}], \
             AttributeDefinitions: [{}]", join(keys), join(definitions));
    DefinitionsNotExact: Validation,
        invalid("Number of attributes in KeySchema does not exactly match number of attributes \
             defined in AttributeDefinitions");
    DefinitionsUnused { definitions: Vec<String>, keys: Vec<String> }: Validation,
        invalid("Some AttributeDefinitions are not used. AttributeDefinitions: [{}], keys used: \
             [{}]", join(definitions), join(keys));
    DuplicateDefinition(attribute: String): Validation,
        says("Attribute Name is duplicated: {attribute}");
    ThroughputOnDemand: Validation,
        invalid("Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when \
             BillingMode is PAY_PER_REQUEST");
    ThroughputMissing: Validation,
        invalid("ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode \
             is PROVISIONED");
    ThroughputOutOfBounds { value: i64, member: &'static str }: Validation,
        says("Given value {value} for {member} is out of bounds");
    LocalIndexNeedsSortKey: Validation,
        invalid("Table KeySchema does not have a range key, which is required when specifying a \
             LocalSecondaryIndex");
    LocalIndexWithoutRange(index: String): Validation,
        invalid("Index KeySchema does not have a range key for index: {index}");
    LocalIndexHash { index: String, index_key: String, table_key: String }: Validation,
        invalid("Index KeySchema does not have the same leading hash key as table KeySchema for \
             index: {index}. index hash key: {index_key}, table hash key: {table_key}");
    EmptyLocalIndexes: Validation,
        invalid("List of LocalSecondaryIndexes is empty");
    EmptyGlobalIndexes: Validation,
        invalid("List of GlobalSecondaryIndexes is empty");
    TooManyLocalIndexes: Validation,
        invalid("Number of LocalSecondaryIndexes exceeds per-table limit of 5");
    TooManyGlobalIndexes: Validation,
        invalid("GlobalSecondaryIndex count exceeds the per-table limit of 20");
    DuplicateIndexName(index: String): Validation,
        invalid("Duplicate index name: {index}");
    ProjectionMissing: Validation,
        invalid("Indexes must have a projection specified");
    ProjectionTypeMissing: Validation,
        invalid("Unknown ProjectionType: null");
    NonKeyAttributesForbidden(projection: &'static str): Validation,
        invalid("ProjectionType is {projection}, but NonKeyAttributes is specified");
    NonKeyAttributesMissing: Validation,
        invalid("ProjectionType is INCLUDE, but NonKeyAttributes is not specified");
    TooManyProjectedAttributes: Validation,
        invalid("Number of projected attributes exceeds the limit of 100 for all indexes of a \
             table");
    // Sources: answers, bchew/dynamodump 266 (2024) of CreateTable,
    // gabehollombe-aws/react-graphql-amplify-blog-post 1 (2019) of UpdateTable.
    IndexThroughputOnDemand { index: String, of_update: bool }: Validation,
        gives {
            let refused = if *of_update {
                "Neither ReadCapacityUnits nor WriteCapacityUnits can"
            } else {
                "ProvisionedThroughput should not"
            };
            invalid(format!(
                "{refused} be specified for index: {index} when BillingMode is PAY_PER_REQUEST"
            ))
        };
    ThroughputUnchanged { read: i64, write: i64 }: Validation,
        gives unchanged("the table", "the table", *read, *write);
    UpdateThroughputMissing: Validation,
        invalid("ProvisionedThroughput must be specified when BillingMode is PROVISIONED");
    UpdateIndexThroughputMissing(indexes: Vec<String>): Validation,
        invalid("ProvisionedThroughput must be specified for index: {}", indexes.join(","));
    IndexUpdateEmpty: Validation,
        invalid("One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, \
             GlobalSecondaryIndexUpdate.Delete must not be null");
    OneIndexAtATime: LimitExceeded,
        says("Subscriber limit exceeded: Only 1 online index can be created or deleted \
             simultaneously per table");
    IndexExists: Validation,
        says("Attempting to create an index which already exists");
    IndexNotFound { index: String, table: String }: ResourceNotFound,
        says("Requested resource not found: Index {index} for table {table}");
    IndexUnchanged { index: String, read: i64, write: i64 }: Validation,
        gives {
            let (the_index, index) = (format!("the index {index}"), format!("index {index}"));
            unchanged(&the_index, &index, *read, *write)
        };
    // sic
    NoTags: Validation,
        says("Atleast one Tag needs to be provided as Input.");
    // sic
    NoTagKeys: Validation,
        says("Atleast one Tag Key needs to be provided as Input.");
    TooManyTags: Validation,
        says("Number of Tags exceed the current limit for the provided ResourceArn");
    DuplicateTag(key: String): Validation,
        says("Duplicate Tag Keys provided as input: Duplicate Tag Key found {key}");
    TagKeyReserved(key: String): Validation,
        says("Tag Key cannot be prefixed with aws:, Key: {key}");
    TagKeyInvalid(key: String): Validation,
        says("The Tag Key provided is invalid, Key: {key}");
    TagValueInvalid(value: String): Validation,
        says("The Tag Value provided is invalid, Value: {value}");
    TagsTooLarge { size_bytes: usize, max_bytes: usize }: Validation,
        says("Tag set size {size_bytes} bytes is above max size limit of {max_bytes} bytes");

    // ---- features that are off
    /// A table named in an operation on backups does not exist.
    BackedUpTableNotFound(table: String): TableNotFound,
        says("Table not found: {table}");
    /// A new table has no continuous backups yet.
    BackupsBeingEnabled(table: String): ContinuousBackupsUnavailable,
        says("Backups are being enabled for the table: {table}. Please retry later");
    BackupNotFound(arn: String): BackupNotFound,
        says("Backup not found: {arn}");
    InvalidBackupArn: Validation,
        says("Invalid Backup ARN");
    /// The ARN of a backup in another region or partition.
    BackupArnForeign: Validation,
        says("Invalid Request: BackupArn is not valid");
    /// A cursor of another region.
    BackupArnRegion: Validation,
        says("Invalid Request: The supplied ExclusiveStartBackupArn does not match the region");
    BackupTimeRange: Validation,
        invalid("Time range lower bound must be less than or equal to upper bound");
    RecoveryPeriodOfDisabled: Validation,
        says("Invalid Request: Cannot specify RecoveryPeriodInDays when disabling point-in-time \
             recovery.");
    PolicyNotFound(arn: String): PolicyNotFound,
        says("Resource-based policy not found for the provided ResourceArn: {arn}");
    PolicyArn(arn: String): Validation,
        invalid("Invalid resource Arn: {arn}");
    PolicyOfOtherAccount: Validation,
        says("This action is only supported by accounts that match the resource owner\u{2019}s \
             account.");
    PolicyStreamNotFound { stream: String, table: String }: ResourceNotFound,
        says("Requested resource not found: Stream: {stream} not found for Table: {table}");
    // sic
    ExportNotFound(arn: String): ExportNotFound,
        says("Export not found: Export not found: {arn}");
    /// The ARN is of another region.
    // Source: an answer of 2026-10.
    ExportElsewhere: ExportNotFound,
        says("Export not found: Invalid export arn");
    InvalidExportArn: Validation,
        says("Invalid Export ARN");
    // Source: not captured; as of exports.
    ImportNotFound(arn: String): ImportNotFound,
        says("Import not found: Import not found: {arn}");
    InvalidImportArn: Validation,
        says("Invalid Import ARN");
    NextTokenUnknown(token: String): Validation,
        says("Invalid Request: Provided nextToken is invalid: {token}");
    GlobalTableNotFound(table: String): GlobalTableNotFound,
        says("Global table not found: Global table with name: '{table}' does not exist.");
    /// Global tables of version 2017.11.29.
    OldGlobalTables: Validation,
        invalid("DynamoDB global tables version 2017.11.29 is not supported. We recommend using \
             DynamoDB global tables version 2019.11.21, instead of version 2017.11.29 (Legacy).");
    ReplicasNotFound(table: String): ResourceNotFound,
        says("Global table with name: '{table}' does not exist.");
    InsightsIndexNotFound { index: String, table: String }: ResourceNotFound,
        says("Requested resource not found: Index: {index} not found for table: {table}");
    /// Contributor Insights of a table, or index, that is not active.
    InsightsNotReady { is_index: bool }: Validation,
        says("Table or Index is not in a valid state to update Key Access Insights: {} must be \
             ACTIVE to enable ContributorInsights.",
            if *is_index { "IndexStatus" } else { "TableStatus" });
    /// A table that the server fills and clients only read.
    TableOfServer(table: String): Validation,
        says("{table} is made by the server: GetItem, Query, Scan and SELECT read it, and nothing \
             else can be done with it");
    KinesisNotActive: Validation,
        says("{KINESIS_STATE}KinesisStreamingDestination must be ACTIVE to perform DISABLE \
             operation.");
    KinesisNotUpdatable { table: String, stream_arn: String }: Validation,
        says("{KINESIS_STATE}Kinesis streaming is not in ACTIVE state. Updates are only allowed in \
             ACTIVE state. TableName: {table}, kdsArn: {stream_arn}");

    // ---- streams and time to live
    // Sources: the API references of both services. The words of those marked "ours" are not
    // documented; those that are quoted in public are of Kinesis, which has others.
    /// A stream is enabled already; holds the table's name.
    StreamEnabled(table: String): Validation,
        says("Table already has an enabled stream: TableName: {table}");
    /// No stream is enabled; holds the table's name.
    // Source: answers of 2026-10.
    StreamDisabled(table: String): Validation,
        says("Table has no stream to disable: TableName: {table}");
    // Source: an answer, amazon-archives/logstash-input-dynamodb 18 (2016).
    InvalidStreamArn: Validation,
        says("Invalid StreamArn");
    StreamNotFound(arn: String): ResourceNotFound,
        says("Requested resource not found: Stream: {arn} not found");
    ShardNotFound { shard: String, stream: String }: ResourceNotFound,
        says("Requested resource not found: Shard: {shard} in Stream: {stream} not found");
    // Ours.
    ShardFilterIncomplete: Validation,
        invalid("ShardFilter needs both Type and ShardId");
    // Ours.
    SequenceNumberMissing: Validation,
        says("SequenceNumber must be specified for ShardIteratorType AT_SEQUENCE_NUMBER and \
             AFTER_SEQUENCE_NUMBER");
    /// A sequence number with an iterator type that takes none.
    SequenceNumberForbidden: Validation,
        invalid("SequenceNumber should not be passed for this iterator type");
    /// A timestamp with an iterator type that takes none.
    // Source: not captured; in the words of the next.
    TimestampForbidden: Validation,
        invalid("Timestamp should not be passed for this iterator type");
    // Ours.
    InvalidSequenceNumber(number: String): Validation,
        says("Invalid SequenceNumber: {number}");
    // Ours.
    TimestampMissing: Validation,
        says("Timestamp must be specified for ShardIteratorType AT_TIMESTAMP");
    // Ours.
    TimestampInFuture: Validation,
        says("Timestamp must not be in the future");
    // Ours.
    InvalidShardIterator: Validation,
        says("Invalid ShardIterator");
    // Source: the API's model, as of the next.
    ShardIteratorExpired: ExpiredIterator,
        says("The provided iterator exceeds the maximum age allowed");
    // Sources: the API's model, the message of the exception; ironSource/node-dynamodb-stream
    // 13 (2019).
    RecordsTrimmed: TrimmedDataAccess,
        says("The data you are trying to access has been trimmed");
    TimeToLiveEnabled: Validation,
        says("TimeToLive is already enabled");
    TimeToLiveDisabled: Validation,
        says("TimeToLive is already disabled");
    /// Time to live is enabled on another attribute; holds that attribute.
    TimeToLiveOtherAttribute(attribute: String): Validation,
        says("TimeToLive is active on a different AttributeName: current AttributeName is \
             {attribute}");
    /// Time to live is still being enabled or disabled.
    TimeToLiveChanging: Validation,
        says("Time to live has been modified multiple times within a fixed interval");
    /// A request changes time to live of a table that is being created.
    TimeToLiveOfNewTable(table: String): ResourceInUse,
        says("Attempt to change a resource which is still in use: Table {table} is being created");
    /// A request describes time to live of a table that is being created or deleted.
    TimeToLiveNotReady { is_deleted: bool }: Validation,
        gives {
            let state = if *is_deleted { "DELETING" } else { "CREATING" };
            format!(
                "Cannot describe time to live while table is in {state} state: Current table state \
                 is {state}"
            )
        };
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

impl From<StatementFault> for Reason {
    fn from(fault: StatementFault) -> Self {
        Self::Statement(fault)
    }
}

impl From<Malformed> for Reason {
    fn from(malformed: Malformed) -> Self {
        Self::Statement(malformed.into())
    }
}

impl From<ExpressionFault> for Reason {
    fn from(fault: ExpressionFault) -> Self {
        Self::Expression(ExpressionKind::Statement, fault)
    }
}

impl Reason {
    /// Returns the message as an operation of a layer words it: the sentence, in the envelope where
    /// the operation has one.
    pub fn message(&self, layer: Layer) -> String {
        let text = self.sentence(layer);
        if layer == Layer::Enveloped && self.is_enveloped() {
            return format!("{ENVELOPE}{text}");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_envelope_is_only_for_its_families_and_operations() {
        let enveloped = Reason::UnusedNames(vec!["#a".to_owned()]);
        let bare = Reason::InvalidDocumentPath;
        assert!(enveloped.message(Layer::Enveloped).starts_with(ENVELOPE));
        assert!(!enveloped.message(Layer::Current).starts_with(ENVELOPE));
        assert!(!bare.message(Layer::Enveloped).starts_with(ENVELOPE));
    }
}
