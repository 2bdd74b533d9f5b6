//! Changes of tables' definitions: stored, then put in use.
//!
//! Left to others: the order in which a definition changes under running writes
//! ([`super::catalog`]), and what a definition may be changed to.

use super::Core;
use crate::fault;
use crate::layout;
use crate::schema::{Table, TableRecord};
use bytes::Bytes;
use hashrange_model::ApiResult;
use hashrange_storage::{Batch, Key, Store, block_on};
use std::sync::Arc;

impl<S: Store> Core<S> {
    /// Changes a table's definition: stores the record that `change` makes of the current one and
    /// puts it in use. The caller holds `definitions`.
    ///
    /// Writes that were being decided may still follow the old definition. Whoever relies on there
    /// being none waits for [`Store::sync`] first, as every job does.
    pub(crate) fn change_table(
        &self,
        table: &Table,
        change: impl FnOnce(&mut TableRecord) -> ApiResult<()>,
    ) -> ApiResult<Arc<Table>> {
        let mut record = table.record.clone();
        change(&mut record)?;
        self.replace_table(table, record, Vec::new(), |_| {})
    }

    /// Changes a table's definition to `record`, as [`Core::change_table`] does, in one commit with
    /// what `also` writes to `keys` or without a guard.
    pub(crate) fn replace_table(
        &self,
        table: &Table,
        record: TableRecord,
        mut keys: Vec<Key>,
        mut also: impl FnMut(&mut Batch) + Send,
    ) -> ApiResult<Arc<Table>> {
        let (key, value) = (layout::table_record(record.id), encode_record(&record));
        keys.push(key.clone());
        self.commit_definition(keys, |_, batch| {
            batch.put(key.clone(), value.clone());
            also(batch);
        })?;
        Ok(self.catalog.put(table.successor(record)))
    }

    /// Commits a change of definitions and waits for it on this thread. Not a future: one that is
    /// dropped between the commit and the catalog's change would leave the two apart.
    ///
    /// [`Contended`](hashrange_model::Reason::Contended) means that another server was faster and nothing was written.
    pub(crate) fn commit_definition<T: Send>(
        &self,
        keys: Vec<Key>,
        decide: impl FnMut(&[Option<Bytes>], &mut Batch) -> T + Send,
    ) -> ApiResult<T> {
        if self.store.is_shared() {
            return block_on(self.commit_numbered(keys, decide));
        }
        block_on(self.commit(|| keys.clone(), decide)).map_err(fault::of_store)
    }
}

/// Returns the stored form of a record.
pub(crate) fn encode_record(record: &TableRecord) -> Bytes {
    Bytes::from(serde_json::to_vec(record).expect("a record has only string keys"))
}
