//! Global tables: no table has replicas. The service itself refuses those of version 2017.11.29.

use crate::engine::Engine;
use crate::request::required;
use hashrange_model::{ApiResult, Reason};
use hashrange_storage::Store;
use hashrange_wire::{
    CreateGlobalTableInput, CreateGlobalTableOutput, DescribeGlobalTableInput,
    DescribeGlobalTableOutput, DescribeGlobalTableSettingsInput, DescribeGlobalTableSettingsOutput,
    DescribeTableReplicaAutoScalingInput, DescribeTableReplicaAutoScalingOutput,
    ListGlobalTablesInput, ListGlobalTablesOutput, UpdateGlobalTableInput, UpdateGlobalTableOutput,
    UpdateGlobalTableSettingsInput, UpdateGlobalTableSettingsOutput,
};

impl<S: Store> Engine<S> {
    /// Returns an empty list of global tables.
    pub async fn list_global_tables(
        &self,
        input: ListGlobalTablesInput<'_>,
    ) -> ApiResult<ListGlobalTablesOutput> {
        // The list is empty for every region, start and page size.
        let ListGlobalTablesInput {
            exclusive_start_global_table_name: _,
            limit: _,
            region_name: _,
        } = input;
        Ok(ListGlobalTablesOutput {
            global_tables: Some(Vec::new()),
            last_evaluated_global_table_name: None,
        })
    }

    /// Refuses a global table of version 2017.11.29, as the service does.
    pub async fn create_global_table(
        &self,
        input: CreateGlobalTableInput<'_>,
    ) -> ApiResult<CreateGlobalTableOutput> {
        let CreateGlobalTableInput { global_table_name: _, replication_group: _ } = input;
        Err(Reason::OldGlobalTables.into())
    }

    /// Answers that the global table does not exist.
    pub async fn describe_global_table(
        &self,
        input: DescribeGlobalTableInput<'_>,
    ) -> ApiResult<DescribeGlobalTableOutput> {
        Err(not_found(input.global_table_name.as_deref())?.into())
    }

    /// Answers that the global table does not exist.
    pub async fn describe_global_table_settings(
        &self,
        input: DescribeGlobalTableSettingsInput<'_>,
    ) -> ApiResult<DescribeGlobalTableSettingsOutput> {
        Err(not_found(input.global_table_name.as_deref())?.into())
    }

    /// Answers that the global table does not exist.
    pub async fn update_global_table(
        &self,
        input: UpdateGlobalTableInput<'_>,
    ) -> ApiResult<UpdateGlobalTableOutput> {
        let UpdateGlobalTableInput { global_table_name, replica_updates: _ } = input;
        Err(not_found(global_table_name.as_deref())?.into())
    }

    /// Answers that the global table does not exist.
    pub async fn update_global_table_settings(
        &self,
        input: UpdateGlobalTableSettingsInput<'_>,
    ) -> ApiResult<UpdateGlobalTableSettingsOutput> {
        let UpdateGlobalTableSettingsInput {
            global_table_name,
            global_table_billing_mode: _,
            global_table_provisioned_write_capacity_units: _,
            global_table_provisioned_write_capacity_auto_scaling_settings_update: _,
            global_table_global_secondary_index_settings_update: _,
            replica_settings_update: _,
        } = input;
        Err(not_found(global_table_name.as_deref())?.into())
    }

    /// Answers that there are no replicas, whether the table exists or not.
    pub async fn describe_table_replica_auto_scaling(
        &self,
        input: DescribeTableReplicaAutoScalingInput<'_>,
    ) -> ApiResult<DescribeTableReplicaAutoScalingOutput> {
        let name = required(input.table_name.as_deref(), "tableName")?;
        Err(Reason::ReplicasNotFound(name.to_owned()).into())
    }
}

fn not_found(name: Option<&str>) -> ApiResult<Reason> {
    Ok(Reason::GlobalTableNotFound(required(name, "globalTableName")?.to_owned()))
}
