//! One Scan of a table in parallel segments. The pages come from the segments in turns, so that the
//! same table gives the same order.
//!
//! Bounded: each segment has two pages at most that the export has not taken.

use super::retry::{self, Stop};
use crate::client::Caller;
use anyhow::Context;
use hashrange::Operation;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::VecDeque;
use tokio::sync::mpsc::{Receiver, Sender, channel};

/// Pages of all segments.
#[derive(Debug)]
pub struct Pages {
    segments: VecDeque<Receiver<anyhow::Result<Vec<u8>>>>,
}

impl Pages {
    /// Starts to read in `count` segments as `request` describes.
    pub fn start(caller: &Caller, request: &Map<String, Value>, count: u32, stop: &Stop) -> Self {
        let segments = (0..count).map(|segment| {
            let mut request = request.clone();
            if count > 1 {
                request.insert("Segment".into(), json!(segment));
                request.insert("TotalSegments".into(), json!(count));
            }
            let (sender, receiver) = channel(1);
            let (caller, stop) = (caller.clone(), stop.clone());
            tokio::spawn(async move { read_segment(&caller, request, &sender, stop).await });
            receiver
        });
        Self { segments: segments.collect() }
    }

    /// Returns the response of the next page, or nothing if all segments are at their end.
    pub async fn next(&mut self) -> anyhow::Result<Option<Vec<u8>>> {
        while let Some(segment) = self.segments.front_mut() {
            // Until there is a page the segment keeps its turn, also if the wait is given up.
            let page = segment.recv().await;
            if let Some(page) = page {
                self.segments.rotate_left(1);
                return page.map(Some);
            }
            self.segments.pop_front();
        }
        Ok(None)
    }
}

/// The part of a page that this file reads; the code that takes the page reads its items.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct End {
    last_evaluated_key: Option<Value>,
}

async fn read_segment(
    caller: &Caller,
    mut request: Map<String, Value>,
    pages: &Sender<anyhow::Result<Vec<u8>>>,
    mut stop: Stop,
) {
    loop {
        let body = Value::Object(request.clone()).to_string();
        let page = retry::call(caller, Operation::Scan, body.as_bytes(), &mut stop).await;
        let page = page.and_then(|page| {
            let end: End = serde_json::from_slice(&page).context("the response is not JSON")?;
            Ok((page, end.last_evaluated_key))
        });
        let (page, next) = match page {
            Ok((page, next)) => (Ok(page), next),
            Err(error) => (Err(error), None),
        };
        // The receiver is gone once the export has failed.
        if pages.send(page).await.is_err() {
            return;
        }
        match next {
            Some(key) => request.insert("ExclusiveStartKey".into(), key),
            None => return,
        };
    }
}
