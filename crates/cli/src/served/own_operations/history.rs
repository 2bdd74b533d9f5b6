//! The own operations on the history of tables.
//!
//! | operation | request | answer |
//! |---|---|---|
//! | `UpdateHistory` | `TableName`, `Enabled`, `RetentionHours` or none for ever | `History` |
//! | `DescribeHistory` | `TableName` | `History` |
//! | `DescribeChanges` | `TableName`, `From`, `To`, `Key`, `SortKeyPrefix`, `Limit`, `ExclusiveStart` | `Changes`, `LastEvaluated` |
//! | `RestoreItems` | the same, without `To`; `From` is the moment to go back to | `Put`, `Deleted`, `LastEvaluated` |
//!
//! `History` is `Status`, `RetentionHours`, `ReachesBackTo`, and where changes are dated ahead of
//! the clock `DatedAhead`: `Key` and `At` of each, and `MoreDatedAhead` if there are more.
//!
//! Moments are in any form of `hashrange::moment`. The last two take and return a page; a page may be empty
//! and not the last one.

use super::{fault, items, read, written};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use hashrange::{
    ApiResult, ChangesInput, Database, HistoryDescription, HistoryFault, HistoryState, Reason,
    StateFault, moment,
};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "PascalCase")]
struct OfHistory {
    table_name: String,
    enabled: bool,
    retention_hours: Option<u32>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "PascalCase")]
struct OfTable {
    table_name: String,
}

/// Enables or disables a history.
pub async fn update(database: &Database, body: &[u8]) -> ApiResult<Vec<u8>> {
    let OfHistory { table_name, enabled, retention_hours } = read(body)?;
    if !enabled && retention_hours.is_some() {
        let why = "a history that is not kept has no RetentionHours".to_owned();
        return Err(fault(StateFault::Form(why)));
    }
    let history = if enabled {
        database.enable_history(&table_name, retention_hours).await?
    } else {
        database.disable_history(&table_name).await?
    };
    answer(&history)
}

/// Describes a history.
pub async fn describe(database: &Database, body: &[u8]) -> ApiResult<Vec<u8>> {
    let OfTable { table_name } = read(body)?;
    answer(&database.describe_history(&table_name).await?)
}

fn answer(history: &HistoryDescription) -> ApiResult<Vec<u8>> {
    let status = match history.state {
        None => "DISABLED",
        Some(HistoryState::Beginning) => "ENABLING",
        Some(HistoryState::Kept) => "ENABLED",
        Some(HistoryState::Ending) => "DISABLING",
    };
    let dated = history.ahead.changes.iter();
    let dated = dated.map(|(key, at_ms)| {
        Ok(DatedChange { key: items::raw(key)?, at: moment::extended(*at_ms) })
    });
    let described = Described {
        status,
        retention_hours: history.retention_hours,
        reaches_back_to: history.reaches_back_to_ms.map(moment::extended),
        dated_ahead: dated.collect::<ApiResult<_>>()?,
        more_dated_ahead: history.ahead.is_more.then_some(true),
    };
    written(&HistoryAnswer { history: described })
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
struct HistoryAnswer {
    history: Described,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
struct Described {
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    retention_hours: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reaches_back_to: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    dated_ahead: Vec<DatedChange>,
    #[serde(skip_serializing_if = "Option::is_none")]
    more_dated_ahead: Option<bool>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
struct DatedChange {
    key: Box<RawValue>,
    at: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "PascalCase")]
struct OfChanges {
    table_name: String,
    from: String,
    to: Option<String>,
    key: Option<Box<RawValue>>,
    sort_key_prefix: Option<String>,
    limit: Option<usize>,
    exclusive_start: Option<String>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
struct Changes {
    changes: Vec<Change>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_evaluated: Option<String>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
struct Change {
    key: Box<RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<Box<RawValue>>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
struct Restored {
    put: usize,
    deleted: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_evaluated: Option<String>,
}

/// Returns a page of the changes between two moments.
pub async fn changes(database: &Database, body: &[u8]) -> ApiResult<Vec<u8>> {
    let page = database.history_changes(&input(body)?).await?;
    let raw = |item: Option<_>| item.as_ref().map(items::raw).transpose();
    let changes = page.changes.into_iter().map(|change| {
        let (key, before, after) =
            (items::raw(&change.key)?, raw(change.before)?, raw(change.after)?);
        Ok(Change { key, before, after })
    });
    let changes = changes.collect::<ApiResult<_>>()?;
    written(&Changes { changes, last_evaluated: page.next.as_deref().map(token) })
}

/// Puts a page of items back to their state at a moment.
pub async fn restore(database: &Database, body: &[u8]) -> ApiResult<Vec<u8>> {
    let page = database.restore_items(&input(body)?).await?;
    let last_evaluated = page.next.as_deref().map(token);
    written(&Restored { put: page.put, deleted: page.deleted, last_evaluated })
}

fn input(body: &[u8]) -> ApiResult<ChangesInput> {
    let request: OfChanges = read(body)?;
    let start = request
        .exclusive_start
        .as_deref()
        .map(|text| BASE64_STANDARD.decode(text).map_err(|_| Reason::History(HistoryFault::Start)));
    let key = items::read(request.key.as_deref())?;
    // An empty variable of a client must not restore all items.
    if request.key.is_some() && key.is_empty() {
        return Err(Reason::History(HistoryFault::Key).into());
    }
    Ok(ChangesInput {
        table_name: request.table_name,
        from_ms: moment_of(request.from)?,
        to_ms: request.to.map(moment_of).transpose()?,
        key,
        sort_key_prefix: request.sort_key_prefix,
        limit: request.limit,
        start: start.transpose()?,
    })
}

fn moment_of(text: String) -> Result<u64, Reason> {
    moment::parse(&text).ok_or(Reason::History(HistoryFault::NotAMoment(text)))
}

fn token(key: &[u8]) -> String {
    BASE64_STANDARD.encode(key)
}
