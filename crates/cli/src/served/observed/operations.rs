//! The server's own operations that are no database's: `DescribeServer`, `DescribeContract`, those of watches, and
//! those on the recording: `StartRecording`, `StopRecording`, `DescribeRecording`.
//!
//! Each on the recording answers `{"IsOn": true, "Recording": {...}}`: the present recording, with facts about the
//! tables in it. Start answers with the old recording, and forgets it then.

use super::Observed;
use crate::served::own_operations::{self, Nothing};
use bytes::Bytes;
use hashrange::ApiResult;
use hashrange::cost::{Recording, TableFacts};
use hashrange_server::{Running, StopRequest, WatchRequest};
use serde::Serialize;
use serde_json::json;
use std::collections::BTreeSet;
use std::future::ready;
use std::sync::Arc;

/// Runs an operation.
type Run = for<'a> fn(&'a Observed, &'a [u8]) -> Running<'a>;

/// Returns the operation of a name; none if it is another.
pub fn find(name: &str) -> Option<Run> {
    match name {
        "StartRecording" => Some(|observed, body| Box::pin(start(observed, body))),
        "StopRecording" => Some(|observed, body| Box::pin(stop(observed, body))),
        "DescribeContract" => {
            Some(|observed, body| Box::pin(super::contract::describe(observed, body)))
        }
        "DescribeServer" => Some(|observed, body| {
            Box::pin(observed.shared.overview.describe(&observed.inner, body))
        }),
        "DescribeRecording" => Some(|observed, body| Box::pin(describe(observed, body))),
        "WatchRequests" => Some(|observed, body| Box::pin(watch(observed, body))),
        "StopWatchingRequests" => {
            Some(|observed, body| Box::pin(ready(stop_watching(observed, body))))
        }
        _ => None,
    }
}

async fn watch(observed: &Observed, body: &[u8]) -> ApiResult<Vec<u8>> {
    let request: WatchRequest = own_operations::read(body)?;
    observed.shared.watches.watch(observed.namespace.as_deref(), request).await
}

fn stop_watching(observed: &Observed, body: &[u8]) -> ApiResult<Vec<u8>> {
    let request: StopRequest = own_operations::read(body)?;
    observed.shared.watches.stop(observed.namespace.as_deref(), &request)?;
    Ok(b"{}".to_vec())
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

/// The answer of each operation; written as it is, without a tree of it.
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct RecordingAnswer<'a> {
    is_on: bool,
    recording: &'a Recording,
}

fn answer(observed: &Observed, recording: &Recording) -> Vec<u8> {
    let is_on = observed.shared.recorder.is_on();
    let answer = RecordingAnswer { is_on, recording };
    serde_json::to_vec(&answer).expect("a recording has no keys that are not text")
}

pub async fn recording(observed: &Observed) -> Recording {
    let shared = &observed.shared;
    let mut recording = shared.recorder.recording((shared.now_ms)());
    let names: BTreeSet<String> = recording.rows.iter().map(|row| row.key.table.clone()).collect();
    for name in names {
        // A deleted table has no facts; its bill is like that of most tables.
        let request = Bytes::from(json!({ "TableName": name }).to_string());
        let told = Arc::clone(&observed.inner).call_own("TableFacts".to_owned(), request).await;
        if let Ok(told) = told
            && let Ok(facts) = serde_json::from_slice::<TableFacts>(&told)
        {
            recording.tables.push(facts);
        }
    }
    recording
}
