//! Backups and point-in-time recovery: both are off, and no backup exists.

use crate::arn::{self, Arn};
use crate::engine::Engine;
use crate::request::required;
use crate::throughput::Readiness;
use hashrange_model::{ApiResult, Reason};
use hashrange_storage::Store;
use hashrange_wire::{
    ContinuousBackupsDescription, ContinuousBackupsStatus, DeleteBackupInput, DeleteBackupOutput,
    DescribeBackupInput, DescribeBackupOutput, DescribeContinuousBackupsInput,
    DescribeContinuousBackupsOutput, ListBackupsInput, ListBackupsOutput,
    PointInTimeRecoveryDescription, PointInTimeRecoveryStatus, UpdateContinuousBackupsInput,
    UpdateContinuousBackupsOutput,
};

impl<S: Store> Engine<S> {
    /// Describes point-in-time recovery of a table as off.
    pub async fn describe_continuous_backups(
        &self,
        input: DescribeContinuousBackupsInput<'_>,
    ) -> ApiResult<DescribeContinuousBackupsOutput> {
        let table_name = required(input.table_name.as_deref(), "tableName")?;
        let status = match self.backed_up_table(table_name)? {
            Readiness::InUse => ContinuousBackupsStatus::Enabled,
            Readiness::Unseen | Readiness::Creating | Readiness::WithoutBackups => {
                ContinuousBackupsStatus::Disabled
            }
        };
        Ok(DescribeContinuousBackupsOutput { continuous_backups_description: Some(off(status)) })
    }

    /// Accepts point-in-time recovery to be off, and refuses to enable it.
    pub async fn update_continuous_backups(
        &self,
        input: UpdateContinuousBackupsInput<'_>,
    ) -> ApiResult<UpdateContinuousBackupsOutput> {
        let table_name = required(input.table_name.as_deref(), "tableName")?;
        let asked = required(
            input.point_in_time_recovery_specification,
            "pointInTimeRecoverySpecification",
        )?;
        let enabled = required(
            asked.point_in_time_recovery_enabled,
            "pointInTimeRecoverySpecification.pointInTimeRecoveryEnabled",
        )?;
        if !enabled && asked.recovery_period_in_days.is_some() {
            return Err(Reason::RecoveryPeriodOfDisabled.into());
        }
        if self.backed_up_table(table_name)? != Readiness::InUse {
            let name = arn::control_table_name(self.environment(), table_name)?;
            return Err(Reason::BackupsBeingEnabled(name.to_owned()).into());
        }
        if enabled {
            let parameter = "PointInTimeRecoveryEnabled";
            return Err(Reason::ParameterNotYetAvailable { parameter }.into());
        }
        let description = off(ContinuousBackupsStatus::Enabled);
        Ok(UpdateContinuousBackupsOutput { continuous_backups_description: Some(description) })
    }

    /// Returns an empty list of backups.
    pub async fn list_backups(&self, input: ListBackupsInput<'_>) -> ApiResult<ListBackupsOutput> {
        // The list is empty for every table, kind and page size.
        let ListBackupsInput {
            table_name: _,
            limit: _,
            time_range_lower_bound,
            time_range_upper_bound,
            exclusive_start_backup_arn,
            backup_type: _,
        } = input;
        if let (Some(lower), Some(upper)) = (time_range_lower_bound, time_range_upper_bound)
            && lower > upper
        {
            return Err(Reason::BackupTimeRange.into());
        }
        if let Some(start) = exclusive_start_backup_arn.as_deref() {
            let arn = Arn::parse(start).ok_or(Reason::InvalidBackupArn)?;
            if arn.is_foreign_region(self.environment()) {
                return Err(Reason::BackupArnRegion.into());
            }
        }
        Ok(ListBackupsOutput {
            backup_summaries: Some(Vec::new()),
            last_evaluated_backup_arn: None,
        })
    }

    /// Answers that the backup does not exist.
    pub async fn describe_backup(
        &self,
        input: DescribeBackupInput<'_>,
    ) -> ApiResult<DescribeBackupOutput> {
        let arn = required(input.backup_arn.as_deref(), "backupArn")?;
        Err(self.no_such_backup(arn).into())
    }

    /// Answers that the backup does not exist.
    pub async fn delete_backup(
        &self,
        input: DeleteBackupInput<'_>,
    ) -> ApiResult<DeleteBackupOutput> {
        let arn = required(input.backup_arn.as_deref(), "backupArn")?;
        Err(self.no_such_backup(arn).into())
    }

    /// Returns the readiness of a table, or an error if it is not found.
    fn backed_up_table(&self, name_or_arn: &str) -> ApiResult<Readiness> {
        let name = arn::control_table_name(self.environment(), name_or_arn)?;
        if self.is_deleted_with_backups(name) {
            return Ok(Readiness::InUse);
        }
        let table = self.core().catalog.get(name);
        table
            .map(|table| self.readiness(&table))
            .filter(|readiness| *readiness != Readiness::Unseen)
            .ok_or_else(|| Reason::BackedUpTableNotFound(name.to_owned()).into())
    }

    fn no_such_backup(&self, text: &str) -> Reason {
        match Arn::parse(text) {
            Some(arn) if arn.is_below_table("backup") => {
                let unknown = Reason::BackupNotFound(text.to_owned());
                arn.not_found(self.environment(), Reason::BackupArnForeign, unknown)
            }
            Some(_) | None => Reason::InvalidBackupArn,
        }
    }
}

/// Returns the description with recovery off. The service keeps continuous backups of every table;
/// a request can only switch recovery from them.
fn off(status: ContinuousBackupsStatus) -> ContinuousBackupsDescription {
    ContinuousBackupsDescription {
        continuous_backups_status: Some(status),
        point_in_time_recovery_description: Some(PointInTimeRecoveryDescription {
            point_in_time_recovery_status: Some(PointInTimeRecoveryStatus::Disabled),
            ..PointInTimeRecoveryDescription::default()
        }),
    }
}
