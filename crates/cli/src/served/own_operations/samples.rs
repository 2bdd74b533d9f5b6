//! `ListSamples` and `LoadSample`: the sample tables that are in the program.
//!
//! | operation | request | answer |
//! |---|---|---|
//! | `ListSamples` | `{}` | `{"Samples": [{"Name", "Title", "Tables", "Items"}]}` |
//! | `LoadSample` | `{"Name": "shop"}` | `{"Tables": ["shop-orders"], "Items": 20000}` |
//!
//! A sample is loaded only where its table is not, or where a load of it was interrupted.

use super::{Nothing, fault, read, written};
use crate::surroundings;
use hashrange::{ApiError, ApiResult, Database, Reason, StateFault};
use hashrange_samples::{Error, Loaded, Sample, all, find, load_patiently};
use serde::{Deserialize, Serialize};
use std::pin::Pin;
use std::time::Duration;
use tokio::runtime::Handle;

/// Time between two questions to a database whose profile delays tables or throttles writes.
const PAUSE: Duration = Duration::from_millis(100);

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "PascalCase")]
struct OfSample {
    name: String,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
struct Listed {
    samples: Vec<ListedSample>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
struct ListedSample {
    name: &'static str,
    title: String,
    tables: [&'static str; 1],
    items: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    attribution: Option<&'static str>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
struct LoadedSample {
    tables: [&'static str; 1],
    items: u64,
}

/// Lists the samples.
pub fn list(body: &[u8]) -> ApiResult<Vec<u8>> {
    let Nothing {} = read(body)?;
    let listed = |sample: &Sample| ListedSample {
        name: sample.name,
        title: format!("{}: {}", sample.title, sample.description),
        tables: [sample.table],
        items: sample.item_count,
        attribution: sample.attribution,
    };
    written(&Listed { samples: all().iter().map(listed).collect() })
}

/// Loads a sample.
pub async fn load(database: &Database, body: &[u8]) -> ApiResult<Vec<u8>> {
    let OfSample { name } = read(body)?;
    let sample =
        find(&name).ok_or_else(|| fault(StateFault::NoSuchSample { name, known: names() }))?;
    let loaded = load_patiently(sample, database, &pause, &mut |_| {}).await;
    match loaded.map_err(|error| refusal(error, sample))? {
        Loaded::Now { items } => written(&LoadedSample { tables: [sample.table], items }),
        Loaded::Before => Err(is_there(sample)),
    }
}

fn pause() -> Pin<Box<dyn Future<Output = ()> + Send>> {
    if Handle::try_current().is_ok() {
        return Box::pin(tokio::time::sleep(PAUSE));
    }
    // A command that uses a folder by itself has no runtime, and nothing else to do.
    Box::pin(async { surroundings::pause(PAUSE) })
}

fn names() -> Vec<String> {
    all().iter().map(|sample| sample.name.to_owned()).collect()
}

fn is_there(sample: &Sample) -> ApiError {
    fault(StateFault::SampleTableExists(sample.table.to_owned()))
}

fn refusal(error: Error, sample: &Sample) -> ApiError {
    match error {
        Error::Refused(error) => error,
        Error::ForeignTable { .. } => is_there(sample),
        broken => {
            tracing::error!(sample = sample.name, %broken, "a sample cannot be read");
            Reason::Internal.into()
        }
    }
}
