//! DeleteTable: the table is gone for everybody at once; its items are removed in the background.

use crate::engine::{Engine, required};
use crate::jobs::Job;
use crate::schema::{IndexId, IndexState};
use crate::{fault, layout};
use bytes::Bytes;
use hashrange_model::{ApiResult, Reason};
use hashrange_storage::Store;
use hashrange_wire::{DeleteTableInput, DeleteTableOutput, TableStatus};

impl<S: Store> Engine<S> {
    /// Deletes a table.
    pub async fn delete_table(&self, input: DeleteTableInput<'_>) -> ApiResult<DeleteTableOutput> {
        let table_name = required(input.table_name.as_deref(), "tableName")?;
        let _definitions = self.core().definitions.lock().await;
        let table = self.named_table(table_name)?;
        if table.record.protected {
            return Err(Reason::TableProtected.into());
        }
        if table.indexes.iter().any(|index| index.state == IndexState::Creating) {
            return Err(Reason::TableNotActive { table: table.record.name.clone() }.into());
        }
        let mut description = self.describe(&table).await?;
        description.table_status = Some(TableStatus::Deleting);
        self.core().catalog.remove(&table.record.name);
        let record_key = layout::table_record(table.id());
        let name_key = layout::table_name(&table.record.name);
        let purge_key = layout::purge(table.id(), IndexId::BASE);
        self.store()
            .commit(vec![record_key.clone(), name_key.clone(), purge_key.clone()], |_, batch| {
                batch.delete(record_key.clone());
                batch.delete(name_key.clone());
                batch.put(purge_key.clone(), Bytes::new());
            })
            .await
            .map_err(fault::of_store)?;
        self.store().sync().await.map_err(fault::of_store)?;
        self.start_job(Job::Purge { table: table.id(), index: IndexId::BASE });
        Ok(DeleteTableOutput { table_description: Some(description) })
    }
}
