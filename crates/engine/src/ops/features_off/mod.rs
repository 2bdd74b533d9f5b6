//! Operations on features that this database does not have: answers as the service does about
//! tables without them.
//!
//! Tools ask on every refresh whether a table has backups, a resource policy or replicas; the truth
//! is that it has none. Reads return that, and so do changes that leave it so. A request that would
//! begin to use such a feature is refused as not implemented, elsewhere. Source: recorded answers
//! of control operations, October 2026.
#![expect(
    clippy::unused_async,
    reason = "the operations are awaited all alike; these ask no store"
)]

mod backups;
mod global_tables;
mod kinesis;
mod policies;
mod transfers;

use super::dispatch::{response, run};
use crate::engine::Engine;
use hashrange_model::{ApiResult, Reason};
use hashrange_storage::Store;
use hashrange_wire::{Operation, calls, read_request};

impl<S: Store> Engine<S> {
    /// Runs one operation on a feature that is off; refuses an operation that would begin to use
    /// it.
    #[expect(clippy::too_many_lines, reason = "a flat table of operations, exhaustive")]
    pub(super) async fn call_feature_off(
        &self,
        operation: Operation,
        body: &[u8],
    ) -> ApiResult<Vec<u8>> {
        match operation {
            Operation::CancelBulkOperation => {
                run!(self, CancelBulkOperation, cancel_bulk_operation, body)
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
            Operation::DescribeBulkOperation => {
                run!(self, DescribeBulkOperation, describe_bulk_operation, body)
            }
            Operation::DescribeContinuousBackups => {
                run!(self, DescribeContinuousBackups, describe_continuous_backups, body)
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
            Operation::ListBulkOperations => {
                run!(self, ListBulkOperations, list_bulk_operations, body)
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
            not_implemented => {
                Err(Reason::NotYetAvailable { operation: not_implemented.name() }.into())
            }
        }
    }
}

/// Refuses a token for the next page: no response has contained one.
fn check_no_token(token: Option<&str>) -> Result<(), Reason> {
    token.map_or(Ok(()), |token| Err(Reason::NextTokenUnknown(token.to_owned())))
}
