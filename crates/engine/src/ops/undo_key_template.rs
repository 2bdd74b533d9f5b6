//! Undoes the rewriting of items by a key template: drops the template, or puts back the one that it
//! replaced, and gives each item the value of before where it still has that of the rewriting. Values
//! that the replaced template had derived are derived by it anew, from the items as they are. A call
//! does a page; an undo that was interrupted goes on with the next call.

use crate::engine::Engine;
use crate::fault;
use crate::jobs::{KEYS_PER_COMMIT, first_keys};
use crate::layout;
use crate::schema::{Table, TableId, Undoing};
use crate::write::{PreviewExample, Undo, Write, plan_restore, shown};
use hashrange_model::error::TemplateFault;
use hashrange_model::{ApiError, ApiResult, ErrorKind, Item, Reason};
use hashrange_storage::{Direction, Key, Store, View, Wanted};
use std::ops::ControlFlow;
use std::sync::Arc;

const ROWS_PER_PAGE: usize = 128;

/// Result of a page of an undo.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct UndonePage {
    /// Items that have their former value again.
    pub restored: u64,
    /// Items that were changed since, or do not allow it, and stay as they are.
    pub left: Vec<PreviewExample>,
    /// True if the undo is complete.
    pub is_done: bool,
}

impl<S: Store> Engine<S> {
    /// Undoes a page of the rewriting by the template of an attribute.
    pub async fn undo_key_template(
        &self,
        table_name: &str,
        attribute: &str,
    ) -> ApiResult<UndonePage> {
        let (table, rewriting) = self.begin_undo(table_name, attribute).await?;
        let undos = self.next_undos(&table, rewriting, attribute).await?;
        if undos.is_empty() {
            self.end_undo(table_name, attribute).await?;
            return Ok(UndonePage { is_done: true, ..UndonePage::default() });
        }
        let mut page = UndonePage::default();
        let mut dead: Vec<Key> = Vec::new();
        let mut writes: Vec<(&Table, Write<'_>)> = Vec::new();
        let mut told: Vec<(Item, Undo)> = Vec::new();
        let is_put_back = table.record.key_templates.iter().any(|it| it.is_of(attribute));
        for (undo, item) in undos {
            match item {
                // The template that is put back derives the value from the item as it is now.
                Some(_) if undo.is_own && is_put_back => {
                    page.restored += 1;
                    dead.push(undo.row);
                }
                Some(item) => {
                    writes.push((&table, plan_restore(&table, &item, undo.clone())?));
                    told.push((item, undo));
                }
                None => dead.push(undo.row),
            }
        }
        let attempts = match &writes[..] {
            [] => Some(Vec::new()),
            writes => self.core().write_apart(writes, None).await?,
        };
        // A definition has changed: the next call sees it.
        let Some(attempts) = attempts else { return Ok(UndonePage::default()) };
        for (attempt, (item, undo)) in attempts.into_iter().zip(told) {
            let why = match attempt.result {
                Ok(written) if written.old != written.new => {
                    page.restored += 1;
                    continue;
                }
                Ok(_) => None,
                Err(error) if error.kind() == ErrorKind::InternalServerError => return Err(error),
                Err(error) => {
                    dead.push(undo.row.clone());
                    Some(error.to_string())
                }
            };
            page.left.push(left(&table, &item, &undo, why));
        }
        self.delete_undos(table.id(), dead).await?;
        Ok(page)
    }

    /// Gives up the undo of the rewriting by a template: its former values are forgotten.
    pub async fn keep_key_template(&self, table_name: &str, attribute: &str) -> ApiResult<()> {
        let table = self.changeable_table(table_name)?;
        let known = table.record.key_templates.iter().find(|it| it.is_of(attribute));
        let rewriting = known.ok_or_else(|| no_such(attribute))?.rewriting;
        self.forget_undos(table.id(), rewriting).await
    }

    /// Drops or replaces the template, unless an earlier call has done it.
    async fn begin_undo(&self, table_name: &str, attribute: &str) -> ApiResult<(Arc<Table>, u32)> {
        let _definitions = self.core().lock_definitions().await?;
        let table = self.changeable_table(table_name)?;
        let begun = table.record.undoing.iter().find(|it| it.attribute == attribute);
        if let Some(Undoing { rewriting, .. }) = begun {
            let rewriting = *rewriting;
            return Ok((table, rewriting));
        }
        let mut record = table.record.clone();
        let at = record.key_templates.iter().position(|it| it.is_of(attribute));
        let at = at.ok_or_else(|| no_such(attribute))?;
        let rewriting = record.key_templates[at].rewriting;
        let mut templates = record.key_templates.clone();
        match templates[at].replaced.clone() {
            Some(replaced) => {
                templates[at] = templates[at].put_back(&replaced, record.next_rewriting());
            }
            None => drop(templates.remove(at)),
        }
        record.set_key_templates(templates);
        record.undoing.push(Undoing { attribute: attribute.to_owned(), rewriting });
        // A walk under way has to begin again.
        let row = layout::rewriting(table.id());
        let replaced = self.core().replace_table(&table, record, vec![row.clone()], |batch| {
            batch.delete(row.clone());
        });
        let table = replaced.await?;
        // Rows of writes that follow the template have to be there.
        self.core().store.sync().await.map_err(fault::of_store)?;
        Ok((table, rewriting))
    }

    /// Ends the undo; if a template was put back, items are rewritten by it.
    async fn end_undo(&self, table_name: &str, attribute: &str) -> ApiResult<()> {
        let table = {
            let _definitions = self.core().lock_definitions().await?;
            let table = self.changeable_table(table_name)?;
            let mut record = table.record.clone();
            record.undoing.retain(|it| it.attribute != attribute);
            for template in record.key_templates.iter_mut().filter(|it| it.is_of(attribute)) {
                template.is_rewriting = true;
            }
            let row = layout::rewriting(table.id());
            let replaced = self.core().replace_table(&table, record, vec![row.clone()], |batch| {
                batch.delete(row.clone());
            });
            replaced.await?
        };
        self.rewrite_items(&table).await
    }

    /// Returns the next rows, each with its item, which may be gone.
    async fn next_undos(
        &self,
        table: &Table,
        rewriting: u32,
        attribute: &str,
    ) -> ApiResult<Vec<(Undo, Option<Item>)>> {
        let view = self.core().store.view().await.map_err(fault::of_store)?;
        let mut rows: Vec<(Key, Vec<u8>)> = Vec::new();
        let range = layout::undos(table.id(), rewriting);
        let visited =
            view.visit(range, Direction::Forward, Wanted::entries(ROWS_PER_PAGE), |key, stored| {
                rows.push((key.to_vec(), stored.to_vec()));
                if rows.len() < ROWS_PER_PAGE {
                    ControlFlow::Continue(())
                } else {
                    ControlFlow::Break(())
                }
            });
        visited.await.map_err(fault::of_store)?;
        let keys: Vec<Key> = rows
            .iter()
            .filter_map(|(row, _)| layout::item_of_undo(row).map(<[u8]>::to_vec))
            .collect();
        let stored = view.get_many(&keys).await.map_err(fault::of_store)?;
        let mut undos = Vec::with_capacity(rows.len());
        for ((row, values), (key, stored)) in rows.iter().zip(keys.iter().zip(stored)) {
            let undo = Undo::decode(row, values, attribute)?;
            let item = stored.map(Item::from_stored).transpose();
            undos.push((undo, item.map_err(|_| fault::of_value(key))?));
        }
        Ok(undos)
    }

    /// Deletes the rows of a rewriting.
    pub(super) async fn forget_undos(&self, table: TableId, rewriting: u32) -> ApiResult<()> {
        loop {
            let keys = self.first_undos(table, rewriting, KEYS_PER_COMMIT).await?;
            if keys.is_empty() {
                return Ok(());
            }
            self.delete_undos(table, keys).await?;
        }
    }

    /// Returns whether a rewriting can be undone.
    pub(super) async fn can_undo(&self, table: TableId, rewriting: u32) -> ApiResult<bool> {
        Ok(!self.first_undos(table, rewriting, 1).await?.is_empty())
    }

    async fn first_undos(
        &self,
        table: TableId,
        rewriting: u32,
        most: usize,
    ) -> ApiResult<Vec<Key>> {
        let view = self.core().store.view().await.map_err(fault::of_store)?;
        let keys = first_keys(&view, &layout::undos(table, rewriting), most).await;
        keys.map_err(fault::of_store)
    }

    /// Deletes rows that nobody needs any more, whatever the table's definition is now.
    async fn delete_undos(&self, table: TableId, rows: Vec<Key>) -> ApiResult<()> {
        if rows.is_empty() {
            return Ok(());
        }
        let lock = layout::rewriting(table);
        let deleted = self.core().commit(
            || vec![lock.clone()],
            |_, batch| rows.iter().for_each(|row| batch.delete(row.clone())),
        );
        deleted.await.map_err(fault::of_store)
    }
}

/// Describes an item that an undo leaves as it is: its value, and the one of before.
fn left(table: &Table, item: &Item, undo: &Undo, why: Option<String>) -> PreviewExample {
    let key = item.retain(|name| table.key.contains(name));
    let before = item.get(&undo.attribute).map(shown);
    let after = undo.before.as_ref().map(|value| shown(value.to_value().get()));
    PreviewExample { key, before, after, why }
}

fn no_such(attribute: &str) -> ApiError {
    Reason::KeyTemplate(TemplateFault::NoSuchTemplate(attribute.to_owned())).into()
}
