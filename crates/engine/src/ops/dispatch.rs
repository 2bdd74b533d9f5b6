//! From an operation's name and a request body to a response body.
//!
//! A request is decoded in one pass; only if that pass met something suspect is the exhaustive
//! check of the model's constraints run, to word the violations.

use crate::engine::Engine;
use hashrange_model::{ApiResult, Reason};
use hashrange_storage::Store;
use hashrange_wire::{Encode, Operation, calls, read_request};

fn response(output: &impl Encode) -> Vec<u8> {
    let mut body = Vec::with_capacity(256);
    output.encode(&mut body);
    body
}

/// Runs the method for an operation: decode, call, encode.
macro_rules! run {
    ($engine:expr, $call:ident, $method:ident, $body:expr) => {
        $engine.$method(read_request::<calls::$call>($body)?).await.map(|output| response(&output))
    };
}

impl<S: Store> Engine<S> {
    /// Runs one operation on a JSON request and returns the JSON response.
    pub async fn call(&self, operation: Operation, body: &[u8]) -> ApiResult<Vec<u8>> {
        match operation {
            Operation::BatchExecuteStatement => {
                run!(self, BatchExecuteStatement, batch_execute_statement, body)
            }
            Operation::BatchGetItem => run!(self, BatchGetItem, batch_get_item, body),
            Operation::BatchWriteItem => run!(self, BatchWriteItem, batch_write_item, body),
            Operation::CreateTable => run!(self, CreateTable, create_table, body),
            Operation::DeleteItem => run!(self, DeleteItem, delete_item, body),
            Operation::DeleteTable => run!(self, DeleteTable, delete_table, body),
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
            Operation::ListStreams => run!(self, ListStreams, list_streams, body),
            Operation::ListTables => run!(self, ListTables, list_tables, body),
            Operation::ListTagsOfResource => {
                run!(self, ListTagsOfResource, list_tags_of_resource, body)
            }
            Operation::PutItem => run!(self, PutItem, put_item, body),
            Operation::Query => self.query_json(read_request::<calls::Query>(body)?).await,
            Operation::Scan => self.scan_json(read_request::<calls::Scan>(body)?).await,
            Operation::TagResource => run!(self, TagResource, tag_resource, body),
            Operation::TransactGetItems => run!(self, TransactGetItems, transact_get_items, body),
            Operation::TransactWriteItems => {
                run!(self, TransactWriteItems, transact_write_items, body)
            }
            Operation::UntagResource => run!(self, UntagResource, untag_resource, body),
            Operation::UpdateItem => run!(self, UpdateItem, update_item, body),
            Operation::UpdateTable => run!(self, UpdateTable, update_table, body),
            Operation::UpdateTimeToLive => {
                run!(self, UpdateTimeToLive, update_time_to_live, body)
            }
            Operation::CreateGlobalTable => {
                run!(self, CreateGlobalTable, create_global_table, body)
            }
            Operation::DeleteBackup => {
                run!(self, DeleteBackup, delete_backup, body)
            }
            Operation::DeleteResourcePolicy => {
                run!(self, DeleteResourcePolicy, delete_resource_policy, body)
            }
            Operation::DescribeBackup => {
                run!(self, DescribeBackup, describe_backup, body)
            }
            Operation::DescribeContinuousBackups => {
                run!(self, DescribeContinuousBackups, describe_continuous_backups, body)
            }
            Operation::DescribeContributorInsights => {
                run!(self, DescribeContributorInsights, describe_contributor_insights, body)
            }
            Operation::DescribeExport => {
                run!(self, DescribeExport, describe_export, body)
            }
            Operation::DescribeGlobalTable => {
                run!(self, DescribeGlobalTable, describe_global_table, body)
            }
            Operation::DescribeGlobalTableSettings => {
                run!(self, DescribeGlobalTableSettings, describe_global_table_settings, body)
            }
            Operation::DescribeImport => {
                run!(self, DescribeImport, describe_import, body)
            }
            Operation::DescribeKinesisStreamingDestination => {
                run!(
                    self,
                    DescribeKinesisStreamingDestination,
                    describe_kinesis_streaming_destination,
                    body
                )
            }
            Operation::DescribeTableReplicaAutoScaling => {
                run!(
                    self,
                    DescribeTableReplicaAutoScaling,
                    describe_table_replica_auto_scaling,
                    body
                )
            }
            Operation::DisableKinesisStreamingDestination => {
                run!(
                    self,
                    DisableKinesisStreamingDestination,
                    disable_kinesis_streaming_destination,
                    body
                )
            }
            Operation::GetResourcePolicy => {
                run!(self, GetResourcePolicy, get_resource_policy, body)
            }
            Operation::ListBackups => {
                run!(self, ListBackups, list_backups, body)
            }
            Operation::ListContributorInsights => {
                run!(self, ListContributorInsights, list_contributor_insights, body)
            }
            Operation::ListExports => {
                run!(self, ListExports, list_exports, body)
            }
            Operation::ListGlobalTables => {
                run!(self, ListGlobalTables, list_global_tables, body)
            }
            Operation::ListImports => {
                run!(self, ListImports, list_imports, body)
            }
            Operation::UpdateContinuousBackups => {
                run!(self, UpdateContinuousBackups, update_continuous_backups, body)
            }
            Operation::UpdateContributorInsights => {
                run!(self, UpdateContributorInsights, update_contributor_insights, body)
            }
            Operation::UpdateGlobalTable => {
                run!(self, UpdateGlobalTable, update_global_table, body)
            }
            Operation::UpdateGlobalTableSettings => {
                run!(self, UpdateGlobalTableSettings, update_global_table_settings, body)
            }
            Operation::UpdateKinesisStreamingDestination => {
                run!(
                    self,
                    UpdateKinesisStreamingDestination,
                    update_kinesis_streaming_destination,
                    body
                )
            }
            Operation::CancelBulkOperation
            | Operation::CreateBackup
            | Operation::DescribeBulkOperation
            | Operation::EnableKinesisStreamingDestination
            | Operation::ExportTableToPointInTime
            | Operation::ImportTable
            | Operation::ListBulkOperations
            | Operation::PutResourcePolicy
            | Operation::RestoreTableFromBackup
            | Operation::RestoreTableToPointInTime
            | Operation::SearchVectors
            | Operation::StartBulkPutItems
            | Operation::UpdateTableReplicaAutoScaling => {
                Err(Reason::NotYetAvailable { operation: operation.name() }.into())
            }
        }
    }
}
