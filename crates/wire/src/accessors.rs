//! Accessors for members of responses that are optional on the wire, without a chain of `unwrap`:
//! an absent list is returned as empty, an absent text as `None`, a member that always comes as a
//! reference.
//!
//! They exist only for the responses that programs read most; every member is public besides.

use crate::{
    BatchExecuteStatementOutput, BatchGetItemOutput, DescribeStreamOutput, DescribeTableOutput,
    ExecuteStatementOutput, ExecuteTransactionOutput, GetRecordsOutput,
    GlobalSecondaryIndexDescription, KeySchemaElement, ListStreamsOutput, ListTablesOutput,
    LocalSecondaryIndexDescription, QueryOutput, Record, ScanOutput, Shard, Stream,
    StreamDescription, TableDescription, TransactGetItemsOutput,
};
use hashrange_model::Item;

/// Defines methods that return a list, empty if it is absent.
macro_rules! lists {
    ($($output:ident.$member:ident: $element:ty, $what:literal;)*) => {$(
        impl $output {
            #[doc = concat!("Returns ", $what, "; none if the member is absent.")]
            pub fn $member(&self) -> &[$element] {
                self.$member.as_deref().unwrap_or_default()
            }
        }
    )*};
}

/// Defines methods that return a text.
macro_rules! texts {
    ($($output:ident.$member:ident, $what:literal;)*) => {$(
        impl $output {
            #[doc = concat!("Returns ", $what, ", if there is one.")]
            pub fn $member(&self) -> Option<&str> {
                self.$member.as_deref()
            }
        }
    )*};
}

/// Defines methods that return a member as a count, 0 if it is absent.
macro_rules! counts {
    ($($output:ident.$member:ident, $what:literal;)*) => {$(
        impl $output {
            #[doc = concat!("Returns ", $what, ".")]
            pub fn $member(&self) -> u64 {
                self.$member.and_then(|count| u64::try_from(count).ok()).unwrap_or(0)
            }
        }
    )*};
}

/// Defines methods that return a member by reference.
macro_rules! references {
    ($($output:ident.$member:ident: $target:ty, $what:literal;)*) => {$(
        impl $output {
            #[doc = concat!("Returns ", $what, ", if there is one.")]
            pub fn $member(&self) -> Option<&$target> {
                self.$member.as_ref()
            }
        }
    )*};
}

lists! {
    QueryOutput.items: Item, "the items of the page";
    ScanOutput.items: Item, "the items of the page";
    ExecuteStatementOutput.items: Item, "the items of the page";
    BatchExecuteStatementOutput.responses: crate::BatchStatementResponse, "the answer of each statement";
    ExecuteTransactionOutput.responses: crate::ItemResponse, "the answer of each statement";
    TransactGetItemsOutput.responses: crate::ItemResponse, "the answer of each read";
    GetRecordsOutput.records: Record, "the records";
    ListTablesOutput.table_names: String, "the names of tables";
    ListStreamsOutput.streams: Stream, "the streams";
    StreamDescription.shards: Shard, "the shards";
    TableDescription.key_schema: KeySchemaElement, "the attributes of the primary key";
    TableDescription.global_secondary_indexes: GlobalSecondaryIndexDescription, "the global indexes";
    TableDescription.local_secondary_indexes: LocalSecondaryIndexDescription, "the local indexes";
}

texts! {
    TableDescription.table_name, "the table's name";
    TableDescription.table_arn, "the table's ARN";
    TableDescription.latest_stream_arn, "the ARN of the table's latest stream";
    ListTablesOutput.last_evaluated_table_name, "the name after which the next page begins";
    ExecuteStatementOutput.next_token, "the token of the next page";
    GetRecordsOutput.next_shard_iterator, "where the next read of the shard begins";
    Shard.shard_id, "the shard's id";
    Shard.parent_shard_id, "the id of the shard's parent";
    KeySchemaElement.attribute_name, "the attribute's name";
}

counts! {
    QueryOutput.count, "how many items were found";
    QueryOutput.scanned_count, "how many items were read";
    ScanOutput.count, "how many items were found";
    ScanOutput.scanned_count, "how many items were read";
    TableDescription.item_count, "how many items the table has";
    TableDescription.table_size_bytes, "how large all items of the table are, in bytes";
}

references! {
    QueryOutput.last_evaluated_key: Item, "the key after which the next page begins";
    ScanOutput.last_evaluated_key: Item, "the key after which the next page begins";
    DescribeTableOutput.table: TableDescription, "the table's description";
    DescribeStreamOutput.stream_description: StreamDescription, "the stream's description";
}

impl BatchGetItemOutput {
    /// Returns the items found in a table.
    pub fn items_of(&self, table: &str) -> &[Item] {
        let responses = self.responses.as_ref();
        responses.and_then(|tables| tables.get(table)).map(Vec::as_slice).unwrap_or_default()
    }
}

impl Record {
    /// Returns the key of the changed item.
    pub fn key(&self) -> Option<&Item> {
        self.dynamodb.as_ref()?.keys.as_ref()
    }

    /// Returns the item after the change.
    pub fn new_image(&self) -> Option<&Item> {
        self.dynamodb.as_ref()?.new_image.as_ref()
    }

    /// Returns the item before the change.
    pub fn old_image(&self) -> Option<&Item> {
        self.dynamodb.as_ref()?.old_image.as_ref()
    }

    /// Returns the record's number, which grows within a shard.
    pub fn sequence_number(&self) -> Option<&str> {
        self.dynamodb.as_ref()?.sequence_number.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_absent_is_empty() {
        let absent = QueryOutput::default();
        assert_eq!(
            (absent.items().len(), absent.count(), absent.last_evaluated_key()),
            (0, 0, None)
        );
        let present = QueryOutput {
            items: Some(vec![Item::empty()]),
            count: Some(1),
            scanned_count: Some(-1),
            ..QueryOutput::default()
        };
        assert_eq!((present.items().len(), present.count(), present.scanned_count()), (1, 1, 0));
        assert_eq!(ListTablesOutput::default().last_evaluated_table_name(), None);
        assert_eq!(BatchGetItemOutput::default().items_of("t"), []);
        assert_eq!(Record::default().new_image(), None);
    }
}
