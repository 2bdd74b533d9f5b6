//! The tables in use, by name.
//!
//! A definition changes in this order, so that no write can follow an old definition unnoticed: the
//! new record is committed; the old [`Table`] is marked superseded; the new one takes its place
//! here. A job that relies on the new definition then waits with `Store::sync` until every commit
//! that was deciding is sequenced. A write checks the mark while it decides, under its key locks:
//! if the mark is unset, the job waits for the write; if it is set, the write begins again with the
//! new definition. As the mark is set first, no write of an item follows the old definition after
//! one has followed the new.

use crate::schema::{Table, TableId};
use arc_swap::ArcSwap;
use imbl::OrdMap;
use std::collections::BTreeSet;
use std::ops::Bound;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Tables as of one change. Each change copies this struct and shares the unchanged parts.
#[derive(Debug, Clone, Default)]
struct Tables {
    by_name: OrdMap<String, Arc<Table>>,
    /// Greatest table number that was ever in the catalog.
    newest: Option<TableId>,
}

impl Tables {
    /// Replaces the table of this name and returns the replaced one.
    fn insert(&mut self, table: Arc<Table>) -> Option<Arc<Table>> {
        self.newest = self.newest.max(Some(table.id()));
        self.by_name.insert(table.record.name.clone(), table)
    }
}

/// All tables, readable without a lock.
#[derive(Debug, Default)]
pub(crate) struct Catalog {
    tables: ArcSwap<Tables>,
    /// Held during a change of the catalog; never across an await.
    change: Mutex<()>,
    /// Number of the last change of definitions that `tables` contains, where several servers make
    /// changes. Set after the tables: a reader of the number finds tables at least as new.
    number: AtomicU64,
}

impl Catalog {
    pub(crate) fn new(tables: impl IntoIterator<Item = Table>) -> Self {
        let mut all = Tables::default();
        for table in tables {
            all.insert(Arc::new(table));
        }
        Self { tables: ArcSwap::from_pointee(all), ..Self::default() }
    }

    /// Returns the table named `name`.
    pub(crate) fn get(&self, name: &str) -> Option<Arc<Table>> {
        self.tables.load().by_name.get(name).cloned()
    }

    /// Returns the names after `start` in order, at most `limit`, and whether there are more.
    pub(crate) fn names_after(&self, start: Option<&str>, limit: usize) -> (Vec<String>, bool) {
        let tables = self.tables.load();
        let after = start.map_or(Bound::Unbounded, Bound::Excluded);
        let following = tables.by_name.range::<_, str>((after, Bound::Unbounded));
        let mut names = following.map(|(name, _)| name.clone());
        let page = names.by_ref().take(limit).collect();
        (page, names.next().is_some())
    }

    /// Returns every table.
    pub(crate) fn all(&self) -> Vec<Arc<Table>> {
        self.tables.load().by_name.values().cloned().collect()
    }

    /// Returns the greatest number of a table that is or was in use.
    pub(crate) fn newest_id(&self) -> Option<TableId> {
        self.tables.load().newest
    }

    /// Adds a table, or replaces its older version.
    pub(crate) fn put(&self, table: Table) -> Arc<Table> {
        let table = Arc::new(table);
        self.change(|tables| {
            let old = tables.insert(Arc::clone(&table));
            let is_successor = old.as_ref().is_none_or(|old| old.id() == table.id());
            assert!(is_successor, "a version takes the place of one of the same table");
            old
        });
        table
    }

    /// Removes a table.
    pub(crate) fn remove(&self, name: &str) {
        self.change(|tables| {
            let removed = tables.by_name.remove(name);
            assert!(removed.is_some(), "a table is taken out once");
            removed
        });
    }

    /// Replaces all tables by those as of a change that another server made. A table whose record
    /// is the same stays the same object.
    pub(crate) fn replace_all(&self, new: Vec<Table>, number: u64) {
        self.replace(|_| false, new, number);
    }

    /// Replaces the `changed` tables by those as of a change that another server made: the ones in
    /// `new` exist, the rest of `changed` do not; all other tables stay.
    pub(crate) fn replace_some(&self, changed: &BTreeSet<TableId>, new: Vec<Table>, number: u64) {
        self.replace(|table| !changed.contains(&table.id()), new, number);
    }

    /// Replaces all tables but those that stay.
    fn replace(&self, stays: impl Fn(&Table) -> bool, new: Vec<Table>, number: u64) {
        let _guard = self.change.lock().unwrap_or_else(PoisonError::into_inner);
        let old = self.tables.load();
        let mut tables = Tables { newest: old.newest, ..Tables::default() };
        for table in old.by_name.values().filter(|table| stays(table)) {
            tables.insert(Arc::clone(table));
        }
        for table in new {
            let known =
                old.by_name.get(&table.record.name).filter(|known| known.id() == table.id());
            let table = match known {
                Some(known) if known.record == table.record => Arc::clone(known),
                Some(known) => Arc::new(known.successor(table.record)),
                None => Arc::new(table),
            };
            tables.insert(table);
        }
        for (name, known) in &old.by_name {
            if !tables.by_name.get(name).is_some_and(|table| Arc::ptr_eq(table, known)) {
                known.supersede();
            }
        }
        self.tables.store(Arc::new(tables));
        self.number.store(number, Ordering::Release);
    }

    /// Returns the number of the last change of definitions in the catalog.
    pub(crate) fn number(&self) -> u64 {
        self.number.load(Ordering::Acquire)
    }

    fn change(&self, change: impl FnOnce(&mut Tables) -> Option<Arc<Table>>) {
        let _guard = self.change.lock().unwrap_or_else(PoisonError::into_inner);
        let mut tables = Tables::clone(&self.tables.load());
        if let Some(old) = change(&mut tables) {
            old.supersede();
        }
        self.tables.store(Arc::new(tables));
    }
}
