//! UpdateTable: changes throughput, billing, class, protection, encryption, streams, and one index
//! at a time. Checks and changes happen under the lock of definitions; the change is one commit.
//!
//! | file | idea |
//! |---|---|
//! | `combination.rs` | checks of combined changes, whatever the table |
//! | `indexes.rs` | changes of global indexes; a hypothetical local index |
//! | `supposed.rs` | indexes that a request supposes for EXPLAIN |
//! | `units.rs` | billing mode, provisioned, on-demand and warm throughput |
//! | `answer.rs` | the description in the response, which shows changes under way |

mod answer;
mod combination;
mod indexes;
mod supposed;
mod units;

pub use supposed::SupposedIndex;
pub(super) use supposed::with_supposed_index;

use crate::definition::{encryption, storage_class, stream};
use crate::engine::Engine;
use crate::jobs::Job;
use crate::request::required;
use crate::schema::{StorageClass, TableId, TableRecord};
use hashrange_model::error::{Asked, Busy, TableFault, UnderWay};
use hashrange_model::{ApiError, ApiResult, Reason};
use hashrange_storage::Store;
use hashrange_wire::{GlobalTableSettingsReplicationMode, UpdateTableInput, UpdateTableOutput};
use indexes::IndexChange;

impl<S: Store> Engine<S> {
    /// Changes a table. A job fills a new index in the background.
    pub async fn update_table(
        &self,
        mut input: UpdateTableInput<'_>,
    ) -> ApiResult<UpdateTableOutput> {
        combination::check_asks_something(&input)?;
        combination::refuse_parameters_to_come(&input)?;
        combination::check(&input)?;
        let table_name = required(input.table_name.take(), "tableName")?;
        let _definitions = self.core().lock_definitions().await?;
        let asked = combination::asked(&input);
        let old = self.changeable_table(&table_name).map_err(|error| in_words_of(&asked, error))?;
        self.check_admitted(&old, &asked)?;
        let before = self.describe(&old).await?;
        let mut record = old.record.clone();
        let now_ms = (self.environment().now_ms)();
        let index_change = indexes::change(&mut record, &mut input, now_ms)?;
        units::change(&mut record, &input, now_ms)?;
        units::keep_warm(&old.record, &mut record);
        self.check_new_units(&old.record, &record)?;
        change_settings(&mut record, &input, now_ms)?;
        self.check_new_settings(&old.record, &record, input.sse_specification.is_some())?;
        let stream_change = stream::change(&record, input.stream_specification.as_ref())?;
        let deleted = match index_change {
            IndexChange::Delete(index) => Some(index),
            IndexChange::None | IndexChange::Create(_) => None,
        };
        let replaced = self.core().replace_with_stream(&old, record, stream_change, deleted);
        let (new, ended) = replaced.await?;
        // Before the next await: the caller may drop this future there.
        self.start_index_job(new.id(), &index_change);
        self.close_shards(ended).await;
        let changes = answer::changes(&old.record, &new.record, input.sse_specification.is_some());
        let after = self.describe(&new).await?;
        let description = answer::of_changes(&changes, &before, after);
        self.remember_settings(&old.record, &new.record, input.sse_specification.is_some());
        self.remember_changes(&new, changes, &description);
        Ok(UpdateTableOutput { table_description: Some(description) })
    }

    fn start_index_job(&self, table: TableId, change: &IndexChange) {
        match *change {
            IndexChange::None => {}
            IndexChange::Create(index) => self.start_job(Job::Backfill { table, index }),
            IndexChange::Delete(index) => self.start_job(Job::Purge { table, index }),
        }
    }
}

/// Converts an error about a table that is being created: deletion protection has a sentence of its
/// own.
fn in_words_of(asked: &[Asked], error: ApiError) -> ApiError {
    match (error.reason(), asked) {
        (Reason::TableBeingCreated(table), [Asked::Protection]) => {
            let (table, asked) = (table.clone(), Asked::Protection);
            Reason::TableBusy(Box::new(Busy { table, asked, under_way: UnderWay::Units })).into()
        }
        _ => error,
    }
}

fn change_settings(
    record: &mut TableRecord,
    input: &UpdateTableInput<'_>,
    now_ms: u64,
) -> Result<(), Reason> {
    if let Some(class) = input.table_class.map(storage_class) {
        let (known, changed_at_ms) = record.class.unwrap_or((StorageClass::Standard, None));
        let changed_at_ms = if known == class { changed_at_ms } else { Some(now_ms) };
        record.class = Some((class, changed_at_ms));
    }
    // There is one region, so no other region can have overridden settings.
    match input.global_table_settings_replication_mode {
        None => {}
        Some(GlobalTableSettingsReplicationMode::Enabled) => {
            record.replicates_settings = Some(true);
        }
        Some(GlobalTableSettingsReplicationMode::Disabled) => {
            record.replicates_settings = Some(false);
        }
        Some(GlobalTableSettingsReplicationMode::EnabledWithOverrides) => {
            return Err(Reason::TableDefinition(TableFault::SettingsOverridden));
        }
    }
    if let Some(protected) = input.deletion_protection_enabled {
        record.protected = protected;
    }
    if let Some(asked) = &input.sse_specification {
        record.encryption = encryption::changed(&record.encryption, asked)?;
    }
    Ok(())
}
