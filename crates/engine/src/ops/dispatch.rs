//! Runs an operation on a request body, for a response body.
//!
//! A request is decoded in one pass; only if that pass met something suspect is the exhaustive
//! check of the model's constraints run, to word the violations.

use crate::engine::Engine;
use hashrange_model::ApiResult;
use hashrange_storage::Store;
use hashrange_wire::{Encode, Operation, calls, read_request};

/// Bytes of most answers, without items.
const BODY_BYTES: usize = 256;

pub(super) fn response(output: &impl Encode) -> Vec<u8> {
    let mut body = Vec::with_capacity(BODY_BYTES + output.size_hint());
    output.encode(&mut body);
    body
}

/// Runs the method for an operation: decode, call, encode.
macro_rules! run {
    ($engine:expr, $call:ident, $method:ident, $body:expr) => {
        $engine.$method(read_request::<calls::$call>($body)?).await.map(|output| response(&output))
    };
}
pub(super) use run;

/// Runs the method for an operation that is rare, on the heap: the largest of the futures makes all of them large.
macro_rules! run_rarely {
    ($engine:expr, $call:ident, $method:ident, $body:expr) => {
        Box::pin(async { run!($engine, $call, $method, $body) }).await
    };
}

impl<S: Store> Engine<S> {
    /// Runs one operation on a JSON request and returns the JSON response.
    pub async fn call(&self, operation: Operation, body: &[u8]) -> ApiResult<Vec<u8>> {
        if self.store().is_shared() {
            return self.on_newest(operation, || Box::pin(self.run(operation, body))).await;
        }
        self.run(operation, body).await
    }

    /// Runs one operation on the definitions in use.
    #[expect(clippy::too_many_lines, reason = "a flat table of operations, exhaustive")]
    async fn run(&self, operation: Operation, body: &[u8]) -> ApiResult<Vec<u8>> {
        match operation {
            Operation::BatchExecuteStatement => {
                run!(self, BatchExecuteStatement, batch_execute_statement, body)
            }
            Operation::BatchGetItem => run!(self, BatchGetItem, batch_get_item, body),
            Operation::BatchWriteItem => run!(self, BatchWriteItem, batch_write_item, body),
            Operation::CreateTable => run_rarely!(self, CreateTable, create_table, body),
            Operation::DeleteItem => run!(self, DeleteItem, delete_item, body),
            Operation::DeleteTable => run_rarely!(self, DeleteTable, delete_table, body),
            Operation::DescribeContributorInsights => {
                run_rarely!(self, DescribeContributorInsights, describe_contributor_insights, body)
            }
            Operation::DescribeEndpoints => {
                run!(self, DescribeEndpoints, describe_endpoints, body)
            }
            Operation::DescribeLimits => run!(self, DescribeLimits, describe_limits, body),
            Operation::DescribeTable => run!(self, DescribeTable, describe_table, body),
            Operation::DescribeStream => run!(self, DescribeStream, describe_stream, body),
            Operation::DescribeTimeToLive => {
                run!(self, DescribeTimeToLive, describe_time_to_live, body)
            }
            Operation::ExecuteStatement => {
                self.execute_statement_json(read_request::<calls::ExecuteStatement>(body)?).await
            }
            Operation::ExecuteTransaction => {
                run!(self, ExecuteTransaction, execute_transaction, body)
            }
            Operation::GetItem => run!(self, GetItem, get_item, body),
            Operation::GetRecords => run!(self, GetRecords, get_records, body),
            Operation::GetShardIterator => run!(self, GetShardIterator, get_shard_iterator, body),
            Operation::ListContributorInsights => {
                run_rarely!(self, ListContributorInsights, list_contributor_insights, body)
            }
            Operation::ListStreams => run!(self, ListStreams, list_streams, body),
            Operation::ListTables => run!(self, ListTables, list_tables, body),
            Operation::ListTagsOfResource => {
                run!(self, ListTagsOfResource, list_tags_of_resource, body)
            }
            Operation::PutItem => run!(self, PutItem, put_item, body),
            Operation::Query => self.query_json(read_request::<calls::Query>(body)?).await,
            Operation::Scan => self.scan_json(read_request::<calls::Scan>(body)?).await,
            Operation::TagResource => run_rarely!(self, TagResource, tag_resource, body),
            Operation::TransactGetItems => run!(self, TransactGetItems, transact_get_items, body),
            Operation::TransactWriteItems => {
                run!(self, TransactWriteItems, transact_write_items, body)
            }
            Operation::UntagResource => run_rarely!(self, UntagResource, untag_resource, body),
            Operation::UpdateContributorInsights => {
                run_rarely!(self, UpdateContributorInsights, update_contributor_insights, body)
            }
            Operation::UpdateItem => run!(self, UpdateItem, update_item, body),
            Operation::UpdateTable => run_rarely!(self, UpdateTable, update_table, body),
            Operation::UpdateTimeToLive => {
                run_rarely!(self, UpdateTimeToLive, update_time_to_live, body)
            }
            Operation::CancelBulkOperation
            | Operation::CreateBackup
            | Operation::CreateGlobalTable
            | Operation::DeleteBackup
            | Operation::DeleteResourcePolicy
            | Operation::DescribeBackup
            | Operation::DescribeBulkOperation
            | Operation::DescribeContinuousBackups
            | Operation::DescribeExport
            | Operation::DescribeGlobalTable
            | Operation::DescribeGlobalTableSettings
            | Operation::DescribeImport
            | Operation::DescribeKinesisStreamingDestination
            | Operation::DescribeTableReplicaAutoScaling
            | Operation::DisableKinesisStreamingDestination
            | Operation::EnableKinesisStreamingDestination
            | Operation::ExportTableToPointInTime
            | Operation::GetResourcePolicy
            | Operation::ImportTable
            | Operation::ListBackups
            | Operation::ListBulkOperations
            | Operation::ListExports
            | Operation::ListGlobalTables
            | Operation::ListImports
            | Operation::PutResourcePolicy
            | Operation::RestoreTableFromBackup
            | Operation::RestoreTableToPointInTime
            | Operation::SearchVectors
            | Operation::StartBulkPutItems
            | Operation::UpdateContinuousBackups
            | Operation::UpdateGlobalTable
            | Operation::UpdateGlobalTableSettings
            | Operation::UpdateKinesisStreamingDestination
            | Operation::UpdateTableReplicaAutoScaling => {
                // On the heap: rare, and the largest of the futures makes all of them large.
                Box::pin(self.call_feature_off(operation, body)).await
            }
        }
    }
}
