//! The service's limits, each named once with its unit.
//!
//! Source: Amazon DynamoDB developer guide, "Quotas in Amazon DynamoDB", unless noted.

/// Largest item, in bytes of DynamoDB's own item size.
pub const ITEM_SIZE_MAX_BYTES: usize = 400 * 1024;
/// Deepest nesting of an attribute value; the attribute itself is level 1.
pub const NESTING_DEPTH_MAX: usize = 32;
/// Longest partition key value.
pub const PARTITION_KEY_MAX_BYTES: usize = 2048;
/// Longest sort key value.
pub const SORT_KEY_MAX_BYTES: usize = 1024;
/// Longest attribute name.
pub const ATTRIBUTE_NAME_MAX_BYTES: usize = 65_535;
/// Longest expression text, aliases unexpanded.
pub const EXPRESSION_MAX_BYTES: usize = 4096;
/// Most operators and functions in one expression.
pub const EXPRESSION_OPERATORS_MAX: usize = 300;
/// Most operands of an IN operator.
pub const IN_OPERANDS_MAX: usize = 100;
/// Greatest list index of a document path. Source: captured.
pub const LIST_INDEX_MAX: usize = 2_147_483_647;
/// Most bytes of all `ExpressionAttributeNames` and -Values of a request together.
pub const SUBSTITUTIONS_MAX_BYTES: usize = 2 * 1024 * 1024;
/// Bytes of evaluated items after which a Query or Scan page ends.
pub const PAGE_SIZE_MAX_BYTES: usize = 1024 * 1024;
/// Most bytes of items that BatchGetItem returns.
pub const BATCH_GET_SIZE_MAX_BYTES: usize = 16 * 1024 * 1024;
/// Most keys in BatchGetItem.
pub const BATCH_GET_KEYS_MAX: usize = 100;
/// Most requests in BatchWriteItem.
pub const BATCH_WRITE_REQUESTS_MAX: usize = 25;
/// Most bytes of all items of a transaction.
pub const TRANSACTION_SIZE_MAX_BYTES: usize = 4 * 1024 * 1024;
/// Lifetime of a client request token, in milliseconds.
/// Source: DynamoDB API reference, TransactWriteItems, `ClientRequestToken`.
pub const TOKEN_LIFETIME_MS: u64 = 10 * 60 * 1000;
/// Largest HTTP request body.
pub const REQUEST_SIZE_MAX_BYTES: usize = 16 * 1024 * 1024;
/// Most local secondary indexes of a table.
pub const LOCAL_INDEXES_MAX: usize = 5;
/// Most global secondary indexes of a table.
pub const GLOBAL_INDEXES_MAX: usize = 20;
/// Most attributes named by INCLUDE projections over all indexes of a table.
pub const PROJECTED_ATTRIBUTES_MAX: usize = 100;
/// Largest item collection of a table with local secondary indexes.
pub const ITEM_COLLECTION_MAX_BYTES: i64 = 10 * 1024 * 1024 * 1024;
/// Bytes that one read unit covers.
pub const READ_UNIT_BYTES: usize = 4096;
/// Bytes that one write unit covers.
pub const WRITE_UNIT_BYTES: usize = 1024;
/// Most tags of a resource.
pub const TAGS_MAX: usize = 50;
