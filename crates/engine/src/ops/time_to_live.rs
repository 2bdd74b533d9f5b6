//! UpdateTimeToLive and DescribeTimeToLive.

use crate::engine::Engine;
use crate::jobs::Job;
use crate::request::required;
use crate::schema::{TimeToLive, TimeToLiveState};
use crate::throughput::{Readiness, Status};
use hashrange_model::{ApiError, ApiResult, Reason};
use hashrange_storage::Store;
use hashrange_wire::{
    DescribeTimeToLiveInput, DescribeTimeToLiveOutput, TimeToLiveDescription, TimeToLiveStatus,
    UpdateTimeToLiveInput, UpdateTimeToLiveOutput,
};

/// Number of items up to which the operation waits until the change is complete; with more it
/// returns while time to live is described as ENABLING or DISABLING.
const READY_ITEMS_MAX: i64 = 10_000;

impl<S: Store> Engine<S> {
    /// Enables or disables time to live. A job fills or removes the expiry index in the background.
    /// For a small table this waits for the job.
    pub async fn update_time_to_live(
        &self,
        input: UpdateTimeToLiveInput<'_>,
    ) -> ApiResult<UpdateTimeToLiveOutput> {
        let table_name = required(input.table_name.as_deref(), "tableName")?;
        let asked = required(input.time_to_live_specification, "timeToLiveSpecification")?;
        let enabled = required(asked.enabled, "timeToLiveSpecification.enabled")?;
        let attribute =
            required(asked.attribute_name.as_deref(), "timeToLiveSpecification.attributeName")?;
        let table = {
            let _definitions = self.core().lock_definitions().await?;
            let table = self
                .changeable_table(table_name)
                .map_err(|error| self.in_words_of_time_to_live(error))?;
            let changed = changed(table.record.time_to_live.as_ref(), enabled, attribute)?;
            self.check_time_to_live_pause(table.id())?;
            let table = self.core().change_table(&table, |record| {
                record.time_to_live = Some(changed);
                Ok(())
            });
            let table = table.await?;
            self.remember_time_to_live(table.id());
            table
        };
        let ended = self.begin_job(Job::ExpiryIndex { table: table.id() });
        if self.core().options.jobs_run && self.counted_items(&table).await? <= READY_ITEMS_MAX {
            // Whatever the outcome: a failed job is tried again, and the description is true.
            ended.await.unwrap_or_default();
        }
        Ok(UpdateTimeToLiveOutput { time_to_live_specification: Some(asked) })
    }

    /// Describes time to live of a table.
    #[expect(
        clippy::unused_async,
        reason = "the operations are awaited all alike; this one needs no view"
    )]
    pub async fn describe_time_to_live(
        &self,
        input: DescribeTimeToLiveInput<'_>,
    ) -> ApiResult<DescribeTimeToLiveOutput> {
        let table_name = required(input.table_name.as_deref(), "tableName")?;
        let is_deleted = self.deleted_table(table_name).is_some();
        if is_deleted {
            return Err(Reason::TimeToLiveNotReady { is_deleted }.into());
        }
        let table = self.named_table(table_name)?;
        if self.status(&table) == Status::Creating {
            return Err(Reason::TimeToLiveNotReady { is_deleted }.into());
        }
        let record = table.record.time_to_live.as_ref();
        Ok(DescribeTimeToLiveOutput {
            time_to_live_description: Some(TimeToLiveDescription {
                time_to_live_status: Some(match record.map(|record| record.state) {
                    None => TimeToLiveStatus::Disabled,
                    Some(TimeToLiveState::Enabling) => TimeToLiveStatus::Enabling,
                    Some(TimeToLiveState::Enabled) => TimeToLiveStatus::Enabled,
                    Some(TimeToLiveState::Disabling) => TimeToLiveStatus::Disabling,
                }),
                attribute_name: record.map(|record| record.attribute.clone()),
            }),
        })
    }

    /// Converts an error about a table that is being created: at first the table is not found,
    /// later UpdateTimeToLive has a sentence of its own.
    fn in_words_of_time_to_live(&self, error: ApiError) -> ApiError {
        let Reason::TableBeingCreated(name) = error.reason() else { return error };
        let table = self.core().catalog.get(name);
        if table.is_some_and(|table| self.readiness(&table) == Readiness::Unseen) {
            return Reason::NamedTableNotFound(name.clone()).into();
        }
        Reason::TimeToLiveOfNewTable(name.clone()).into()
    }
}

/// Returns the setting after a change.
fn changed(
    current: Option<&TimeToLive>,
    enable: bool,
    attribute: &str,
) -> Result<TimeToLive, Reason> {
    let changed = |state| Ok(TimeToLive { attribute: attribute.to_owned(), state });
    match current {
        None if enable => changed(TimeToLiveState::Enabling),
        None => Err(Reason::TimeToLiveDisabled),
        Some(current) if current.state != TimeToLiveState::Enabled => {
            Err(Reason::TimeToLiveChanging)
        }
        Some(current) if current.attribute != attribute => {
            Err(Reason::TimeToLiveOtherAttribute(current.attribute.clone()))
        }
        Some(_) if enable => Err(Reason::TimeToLiveEnabled),
        Some(_) => changed(TimeToLiveState::Disabling),
    }
}
