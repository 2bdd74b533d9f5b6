//! The history of a table: enables, disables and describes it. Operations of our own; the service
//! has none like them.

use crate::engine::{Engine, removed_ms};
use crate::fault;
use crate::history::Ahead;
use crate::jobs::Job;
use crate::layout;
use crate::schema::{HistoryRecord, HistoryState, RETENTION_HOURS_MAX, Table};
use hashrange_model::error::HistoryFault;
use hashrange_model::{ApiResult, Reason};
use hashrange_storage::{Batch, Store};
use std::sync::Arc;

/// Number of items up to which disabling waits until the history is removed.
const READY_ITEMS_MAX: i64 = 10_000;

/// The history of a table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HistoryDescription {
    /// State of the history; `None` if the table keeps none.
    pub state: Option<HistoryState>,
    /// Hours for which a version is kept; for ever if `None`.
    pub retention_hours: Option<u32>,
    /// First moment that can be read, epoch milliseconds, while the history is kept.
    pub reaches_back_to_ms: Option<u64>,
    /// Changes whose moments are later than the clock, while the history is kept.
    pub ahead: Ahead,
}

impl<S: Store> Engine<S> {
    /// Enables the history of a table, from now on and without copying, or changes the retention of
    /// versions; without `retention_hours` they are kept for ever. A longer retention does not
    /// bring removed versions back.
    pub async fn enable_history(
        &self,
        table_name: &str,
        retention_hours: Option<u32>,
    ) -> ApiResult<HistoryDescription> {
        if retention_hours.is_some_and(|hours| !(1..=RETENTION_HOURS_MAX).contains(&hours)) {
            return Err(refused(HistoryFault::Retention { most: RETENTION_HOURS_MAX }));
        }
        let table = {
            let _definitions = self.core().lock_definitions().await?;
            let table = self.changeable_table(table_name)?;
            let history = self.enabled(&table, retention_hours)?;
            if table.record.history.as_ref() == Some(&history) {
                return self.described(&table).await;
            }
            self.replace_history(&table, history).await?
        };
        self.finish_history(&table, i64::MAX).await?;
        self.describe_history(table_name).await
    }

    /// Disables the history of a table: a job removes its versions in the background. For a small
    /// table this waits for the job.
    pub async fn disable_history(&self, table_name: &str) -> ApiResult<HistoryDescription> {
        let table = {
            let _definitions = self.core().lock_definitions().await?;
            let table = self.changeable_table(table_name)?;
            let Some(history) = table.record.history.clone() else {
                return self.described(&table).await;
            };
            if history.state == HistoryState::Ending {
                return self.described(&table).await;
            }
            let history = HistoryRecord { state: HistoryState::Ending, ..history };
            self.replace_history(&table, history).await?
        };
        self.finish_history(&table, READY_ITEMS_MAX).await?;
        self.describe_history(table_name).await
    }

    /// Describes the history of a table.
    pub async fn describe_history(&self, table_name: &str) -> ApiResult<HistoryDescription> {
        let table = self.named_table(table_name)?;
        self.described(&table).await
    }

    fn enabled(&self, table: &Table, retention_hours: Option<u32>) -> ApiResult<HistoryRecord> {
        let Some(history) = &table.record.history else {
            let state = HistoryState::Beginning;
            return Ok(HistoryRecord { state, since_ms: 0, retention_hours });
        };
        if history.state == HistoryState::Ending {
            return Err(refused(HistoryFault::Ending(table.record.name.clone())));
        }
        // Expired versions stay invisible.
        let since_ms = history.reaches_back_to_ms(self.now_ms());
        Ok(HistoryRecord {
            since_ms: if history.retention_hours == retention_hours {
                history.since_ms
            } else {
                since_ms
            },
            retention_hours,
            ..history.clone()
        })
    }

    async fn replace_history(
        &self,
        table: &Arc<Table>,
        history: HistoryRecord,
    ) -> ApiResult<Arc<Table>> {
        let mut record = table.record.clone();
        record.set_history(Some(history));
        // This declares the key that sweeps declare, so no sweep goes on under the definition
        // before.
        let progress = vec![layout::history_progress(table.id())];
        self.core().replace_table(table, record, progress, |_: &mut Batch| {}).await
    }

    /// Waits for the job that a change of a history has made due, if the table is small.
    async fn finish_history(&self, table: &Table, items_max: i64) -> ApiResult<()> {
        let ended = self.begin_job(Job::History { table: table.id() });
        if self.core().options.jobs_run && self.counted_items(table).await? <= items_max {
            // Whatever the outcome: a failed job is tried again, and the description is true.
            ended.await.unwrap_or_default();
        }
        Ok(())
    }

    async fn described(&self, table: &Table) -> ApiResult<HistoryDescription> {
        let Some(history) = &table.record.history else {
            return Ok(HistoryDescription::default());
        };
        let (view, now_ms) = (self.core().view().await?, self.now_ms());
        let reaches_back_to_ms =
            history.reaches_back_to_ms(now_ms).max(removed_ms(&view, table).await?);
        let is_kept = history.state == HistoryState::Kept;
        let ahead =
            if is_kept { Ahead::read(&view, table, now_ms).await } else { Ok(Ahead::default()) };
        Ok(HistoryDescription {
            state: Some(history.state),
            retention_hours: history.retention_hours,
            reaches_back_to_ms: is_kept.then_some(reaches_back_to_ms),
            ahead: ahead.map_err(|error| fault::of_tables([table], error))?,
        })
    }
}

fn refused(fault: HistoryFault) -> hashrange_model::ApiError {
    Reason::History(fault).into()
}
