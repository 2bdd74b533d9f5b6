//! The server's own operations on the recording: `StartRecording`, `StopRecording`, `DescribeRecording`.
//!
//! Each answers `{"IsOn": true, "Recording": {...}}`, the recording as it is then, with what the tables in it
//! are. Start forgets what was recorded before, after it has been answered.

use super::Observed;
use crate::served::own_operations::{self, Nothing};
use bytes::Bytes;
use hashrange::cost::{Recording, TableFacts};
use hashrange::{ApiResult, Operation};
use hashrange_server::Running;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Runs an operation.
type Run = for<'a> fn(&'a Observed, &'a [u8]) -> Running<'a>;

/// Returns the operation of a name; none if it is no operation on the recording.
pub fn find(name: &str) -> Option<Run> {
    match name {
        "StartRecording" => Some(|observed, body| Box::pin(start(observed, body))),
        "StopRecording" => Some(|observed, body| Box::pin(stop(observed, body))),
        "DescribeRecording" => Some(|observed, body| Box::pin(describe(observed, body))),
        _ => None,
    }
}

async fn start(observed: &Observed, body: &[u8]) -> ApiResult<Vec<u8>> {
    let Nothing {} = own_operations::read(body)?;
    let before = recording(observed).await;
    let shared = &observed.shared;
    shared.recorder.start((shared.now_ms)());
    Ok(answer(observed, &before))
}

async fn stop(observed: &Observed, body: &[u8]) -> ApiResult<Vec<u8>> {
    let Nothing {} = own_operations::read(body)?;
    observed.shared.recorder.stop();
    Ok(answer(observed, &recording(observed).await))
}

async fn describe(observed: &Observed, body: &[u8]) -> ApiResult<Vec<u8>> {
    let Nothing {} = own_operations::read(body)?;
    Ok(answer(observed, &recording(observed).await))
}

fn answer(observed: &Observed, recording: &Recording) -> Vec<u8> {
    let is_on = observed.shared.recorder.is_on();
    json!({ "IsOn": is_on, "Recording": recording }).to_string().into_bytes()
}

async fn recording(observed: &Observed) -> Recording {
    let shared = &observed.shared;
    let mut recording = shared.recorder.recording((shared.now_ms)());
    let names: BTreeSet<String> = recording.rows.iter().map(|row| row.key.table.clone()).collect();
    for name in names {
        // A table that is gone is billed as most are.
        let request = Bytes::from(json!({ "TableName": name }).to_string());
        let described = Arc::clone(&observed.inner).call(Operation::DescribeTable, request).await;
        if let Ok(described) = described
            && let Ok(described) = serde_json::from_slice::<Value>(&described)
        {
            recording.tables.push(facts(name, &described["Table"]));
        }
    }
    recording
}

fn facts(table: String, described: &Value) -> TableFacts {
    let indexes = |member: &str| described[member].as_array().into_iter().flatten();
    let (local, global) =
        (|| indexes("LocalSecondaryIndexes"), || indexes("GlobalSecondaryIndexes"));
    let sum = |of_table: &str, of_index: &str| {
        let of_indexes = local().chain(global()).filter_map(|index| index[of_index].as_u64());
        described[of_table].as_u64().unwrap_or(0) + of_indexes.sum::<u64>()
    };
    let name = |index: &Value| index["IndexName"].as_str().map(str::to_owned);
    TableFacts {
        table,
        is_provisioned: described["BillingModeSummary"]["BillingMode"] != "PAY_PER_REQUEST",
        is_infrequent_access: described["TableClassSummary"]["TableClass"]
            == "STANDARD_INFREQUENT_ACCESS",
        stored_bytes: sum("TableSizeBytes", "IndexSizeBytes"),
        stored_items: sum("ItemCount", "ItemCount"),
        local_indexes: local().filter_map(name).collect(),
    }
}
