//! Changes of tables' definitions: stores the record, then puts the table in use.
//!
//! Left to others: the order in which a definition changes under running writes
//! ([`super::catalog`]), and the rules for changing a definition.

use super::Core;
use crate::fault;
use crate::layout;
use crate::schema::{Table, TableRecord};
use bytes::Bytes;
use hashrange_model::ApiResult;
use hashrange_storage::{Batch, Key, Store};
use std::sync::Arc;
use std::sync::atomic::Ordering;

impl<S: Store> Core<S> {
    /// Changes a table's definition: stores the record that `change` makes of the current one and
    /// puts it in use. The caller holds `definitions`.
    ///
    /// Writes that were being decided may still follow the old definition. A caller that relies on
    /// there being none waits for [`Store::sync`] first, as every job does.
    pub(crate) async fn change_table(
        &self,
        table: &Table,
        change: impl FnOnce(&mut TableRecord) -> ApiResult<()>,
    ) -> ApiResult<Arc<Table>> {
        let mut record = table.record.clone();
        change(&mut record)?;
        self.replace_table(table, record, Vec::new(), |_| {}).await
    }

    /// Changes a table's definition to `record`, as [`Core::change_table`] does. `also` adds to the
    /// same commit: keys that are listed in `keys`, or keys that need no guard.
    pub(crate) async fn replace_table(
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
        })
        .await?;
        Ok(self.put_in_use(table.successor(record)))
    }

    /// Raises the version of the records of tables whose history goes on in a newer form, so that
    /// older releases refuse them. If the store takes no writes now, the next opening raises them:
    /// nothing else depends on it.
    pub(crate) async fn raise_records(&self) {
        let older = || {
            let mut tables = self.catalog.all();
            tables.retain(|table| table.record.has_older_history());
            tables
        };
        if older().is_empty() {
            return;
        }
        let Ok(_definitions) = self.lock_definitions().await else { return };
        for table in older() {
            let raise = |record: &mut TableRecord| {
                record.set_history(record.history.clone());
                Ok(())
            };
            if self.change_table(&table, raise).await.is_err() {
                return;
            }
        }
    }

    /// Puts a table, or its new version, in use after its record has been committed.
    pub(crate) fn put_in_use(&self, table: Table) -> Arc<Table> {
        let table = self.catalog.put(table);
        self.trust_definitions();
        table
    }

    /// Takes a table out of use after its record has been removed.
    pub(crate) fn take_out_of_use(&self, name: &str) {
        self.catalog.remove(name);
        self.trust_definitions();
    }

    /// Notes that a committed change may not be in use, or that its follow-up work may not be done.
    pub(crate) fn doubt_definitions(&self) {
        self.definitions_in_doubt.store(true, Ordering::Release);
    }

    /// Reads the tables again if a committed change may not be in use.
    pub(crate) async fn settle_definitions(&self) -> ApiResult<()> {
        if self.definitions_in_doubt.load(Ordering::Acquire) {
            drop(self.lock_definitions().await?);
        }
        Ok(())
    }

    /// Notes that all committed changes are in use, and that their follow-up work is done or begun.
    pub(crate) fn trust_definitions(&self) {
        self.definitions_in_doubt.store(false, Ordering::Release);
    }

    /// Returns whether the store may hold background work that this server does not know of, and
    /// resets that.
    pub(crate) fn may_lack_work(&self) -> bool {
        self.may_lack_work.swap(false, Ordering::AcqRel)
    }

    /// Notes that the store may hold such work.
    pub(crate) fn doubt_work(&self) {
        self.may_lack_work.store(true, Ordering::Release);
    }

    /// Commits a change of definitions, which the caller then puts in use. If the future is dropped
    /// before it is ready, or if the outcome of the commit is unknown, the change may have been
    /// made or not: the next caller that takes `definitions` reads the tables again.
    ///
    /// [`Contended`](hashrange_model::Reason::Contended) means that another server was faster and
    /// nothing was written.
    pub(crate) async fn commit_definition<T: Send>(
        &self,
        keys: Vec<Key>,
        decide: impl FnMut(&[Option<Bytes>], &mut Batch) -> T + Send,
    ) -> ApiResult<T> {
        self.doubt_definitions();
        if self.store.is_shared() {
            return self.commit_numbered(keys, decide).await;
        }
        self.commit(|| keys.clone(), decide).await.map_err(fault::of_store)
    }
}

/// Returns the stored form of a record.
pub(crate) fn encode_record(record: &TableRecord) -> Bytes {
    Bytes::from(serde_json::to_vec(record).expect("a record has only string keys"))
}
