//! DeleteTable: removes a table from use at once; a job removes its items in the background.

use crate::change_log::EndedShards;
use crate::engine::Engine;
use crate::jobs::Job;
use crate::layout;
use crate::request::required;
use crate::schema::IndexId;
use bytes::Bytes;
use hashrange_model::error::Asked;
use hashrange_model::{ApiResult, Reason};
use hashrange_storage::Store;
use hashrange_wire::{DeleteTableInput, DeleteTableOutput, TableDescription, TableStatus};

impl<S: Store> Engine<S> {
    /// Deletes a table.
    pub async fn delete_table(&self, input: DeleteTableInput<'_>) -> ApiResult<DeleteTableOutput> {
        let table_name = required(input.table_name.as_deref(), "tableName")?;
        let _definitions = self.core().lock_definitions().await?;
        let table = self.changeable_table(table_name)?;
        if table.record.protected {
            return Err(Reason::TableProtected.into());
        }
        self.check_admitted(&table, &[Asked::Deletion])?;
        self.check_deletable_tags(&table)?;
        let mut description = self.describe(&table).await?;
        description.table_status = Some(TableStatus::Deleting);
        let keys = vec![
            layout::table_record(table.id()),
            layout::table_name(&table.record.name),
            layout::purge(table.id(), IndexId::BASE),
        ];
        let deleted = self.core().commit_definition(keys.clone(), |_, batch| {
            let [record, name, purge] = [0, 1, 2].map(|nth| keys[nth].clone());
            batch.delete(record);
            batch.delete(name);
            batch.put(purge, Bytes::new());
        });
        deleted.await?;
        // The table is gone, and the follow-up work is recorded: no step below may fail.
        self.core().take_out_of_use(&table.record.name);
        self.start_job(Job::Purge { table: table.id(), index: IndexId::BASE });
        self.remember_deletion(&table, &description);
        self.close_shards(EndedShards::of(&table)).await;
        Ok(DeleteTableOutput { table_description: Some(as_deleted(description)) })
    }
}

/// Returns the description of a table as DeleteTable returns it. Sources: API reference, the sample
/// of DeleteTable; of the indexes, answers quoted in public issues.
fn as_deleted(description: TableDescription) -> TableDescription {
    TableDescription {
        attribute_definitions: None,
        key_schema: None,
        creation_date_time: None,
        local_secondary_indexes: None,
        global_secondary_indexes: None,
        ..description
    }
}
