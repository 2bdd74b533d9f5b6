//! INSERT, UPDATE and DELETE: planned as the conditional writes that the native operations make.

use super::select;
use crate::intent::{Access, Intent, Verb};
use crate::schema::Table;
use crate::write::{Write, Written, plan_delete, plan_put, plan_update};
use hashrange_expr::Condition;
use hashrange_expr::partiql::{self, Change, Insert, Statement};
use hashrange_model::error::StatementFault;
use hashrange_model::limits::ITEM_SIZE_MAX_BYTES;
use hashrange_model::{ApiError, ApiResult, Item, Reason};

/// Returns the write of a statement, or a fault that needs its table.
pub(crate) fn plan<'p>(
    table: &Table,
    statement: &'p Statement,
    returns_item_on_failure: bool,
) -> Result<Write<'p>, Reason> {
    let write = match statement {
        Statement::Insert(insert) => plan_insert(table, insert)?,
        Statement::Update(change) => plan_change(table, change)?,
        Statement::Delete(delete) => {
            if delete.index.is_some() {
                return Err(StatementFault::IndexWrite.into());
            }
            let key = primary_key(table, &delete.condition)?;
            Write { condition: Some(&delete.condition_or_absent), ..plan_delete(table, &key)? }
        }
        Statement::Select(_) | Statement::Exists(..) => return Err(Reason::Internal),
    };
    Ok(Write { returns_item_on_failure, ..write })
}

/// Returns the intent of a statement.
pub(crate) fn intent(statement: &Statement) -> Intent<'_> {
    let of = |verb| Intent::new(verb, statement.table(), Access::Clause);
    match statement {
        Statement::Select(select) => select::intent(Verb::Select, select),
        Statement::Exists(select, _) => select::intent(Verb::Exists, select),
        Statement::Insert(insert) => {
            Intent { access: Access::Item(&insert.item), ..of(Verb::Insert) }
        }
        Statement::Update(change) => Intent {
            filter: Some(&change.condition),
            update: Some(&change.update),
            ..of(Verb::UpdateStatement)
        },
        Statement::Delete(delete) => {
            Intent { filter: Some(&delete.condition), ..of(Verb::DeleteStatement) }
        }
    }
}

fn plan_insert<'p>(table: &Table, insert: &'p Insert) -> Result<Write<'p>, Reason> {
    if insert.item.size() > ITEM_SIZE_MAX_BYTES {
        return Err(Reason::ItemTooLarge);
    }
    Ok(Write { condition: Some(&insert.condition), ..plan_put(table, &insert.item)? })
}

fn plan_change<'p>(table: &Table, change: &'p Change) -> Result<Write<'p>, Reason> {
    if change.index.is_some() {
        return Err(StatementFault::IndexWrite.into());
    }
    let key_attributes = primary_key(table, &change.condition)?;
    let write = plan_update(table, &key_attributes, &change.update)?;
    Ok(Write { condition: Some(&change.condition), ..write })
}

/// Returns an item with the key attributes of the written item; without any if `plan` refuses the statement.
pub(crate) fn key_attributes(table: &Table, statement: &Statement) -> Result<Item, Reason> {
    match statement {
        Statement::Insert(insert) => Ok(insert.item.clone()),
        Statement::Update(change) if change.index.is_none() => {
            primary_key(table, &change.condition)
        }
        Statement::Delete(delete) if delete.index.is_none() => {
            primary_key(table, &delete.condition)
        }
        Statement::Update(_)
        | Statement::Delete(_)
        | Statement::Select(_)
        | Statement::Exists(..) => Ok(Item::empty()),
    }
}

/// Returns the primary key that a WHERE clause fixes.
pub(crate) fn primary_key(table: &Table, condition: &Condition) -> Result<Item, Reason> {
    let names = table.key.all().map(|attribute| attribute.name.as_str());
    partiql::primary_key(condition, names).ok_or_else(|| StatementFault::KeyEquality.into())
}

/// Returns the attributes that RETURNING asks for, if any.
pub(crate) fn returned(statement: &Statement, written: Written) -> Option<Item> {
    match statement {
        Statement::Update(Change { returning: Some(returning), update, .. }) => {
            match (returning.modified, returning.new) {
                (false, false) => written.old,
                (false, true) => written.new,
                (true, false) => written.old.and_then(|old| update.updated_old(&old)),
                (true, true) => written.new.and_then(|new| update.updated_new(&new)),
            }
        }
        Statement::Delete(delete) => written.old.filter(|_| delete.returning.is_some()),
        _ => None,
    }
}

/// Returns the error of a write in the words of its statement: an INSERT whose condition fails has found an item.
pub(crate) fn worded(statement: &Statement, error: ApiError) -> ApiError {
    if matches!(statement, Statement::Insert(_)) { worded_as_insert(error) } else { error }
}

/// Returns the error of an INSERT in its words.
pub(crate) fn worded_as_insert(error: ApiError) -> ApiError {
    let has_failed = matches!(error.reason(), Reason::ConditionalCheckFailed);
    if has_failed { Reason::DuplicateItem.into() } else { error }
}

/// The result of a write with the error in the statement's words.
pub(crate) fn outcome<T>(statement: &Statement, result: ApiResult<T>) -> ApiResult<T> {
    result.map_err(|error| worded(statement, error))
}
