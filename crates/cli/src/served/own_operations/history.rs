//! The own operations on the history of tables.
//!
//! | operation | request | answer |
//! |---|---|---|
//! | `UpdateHistory` | `TableName`, `Enabled`, `RetentionHours` or none for ever | `History` |
//! | `DescribeHistory` | `TableName` | `History` |

use super::{fault, read};
use crate::served::time;
use hashrange::{ApiResult, Database, HistoryDescription, HistoryState, StateFault};
use serde::Deserialize;
use serde_json::{Value, json};

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
    Ok(answer(&history))
}

/// Describes a history.
pub async fn describe(database: &Database, body: &[u8]) -> ApiResult<Vec<u8>> {
    let OfTable { table_name } = read(body)?;
    Ok(answer(&database.describe_history(&table_name).await?))
}

fn answer(history: &HistoryDescription) -> Vec<u8> {
    let status = match history.state {
        None => "DISABLED",
        Some(HistoryState::Beginning) => "ENABLING",
        Some(HistoryState::Kept) => "ENABLED",
        Some(HistoryState::Ending) => "DISABLING",
    };
    let mut described = json!({ "Status": status });
    if let Some(hours) = history.retention_hours {
        described["RetentionHours"] = Value::from(hours);
    }
    if let Some(at_ms) = history.reaches_back_to_ms {
        described["ReachesBackTo"] = Value::from(time::date(at_ms));
    }
    json!({ "History": described }).to_string().into_bytes()
}
