//! Waiting until a table, its indexes and its time to live are in the wanted state.

use crate::bulk::counted;
use crate::bulk::progress::{PERIOD, Progress, duration};
use crate::client::{Caller, Client, Refused, run};
use crate::exit::Unfinished;
use anyhow::Context;
use hashrange::Operation;
use serde_json::{Value, json};
use std::pin::pin;
use std::time::Duration;

/// Pause between two looks, at first and at most.
const PAUSE_MIN: Duration = Duration::from_millis(10);
const PAUSE_MAX: Duration = Duration::from_secs(1);

/// Wanted state of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// The table and its indexes are active.
    Active,
    /// There is no such table.
    Gone,
    /// Time to live is enabled or disabled.
    Expiry,
}

/// Waits, and shows for how long; Ctrl-C ends the waiting, not the change, and prints the steps
/// that are left.
pub fn settle(
    client: &Client,
    table: &str,
    wanted: Wanted,
    after: Option<&str>,
) -> anyhow::Result<()> {
    let caller = client.caller();
    run(async {
        let progress = Progress::new(std::sync::Arc::default(), None);
        let settled = wait(&caller, table, wanted, after, &progress).await;
        progress.clear();
        settled
    })
}

async fn wait(
    caller: &Caller,
    table: &str,
    wanted: Wanted,
    after: Option<&str>,
    progress: &Progress,
) -> anyhow::Result<()> {
    let mut signal = pin!(tokio::signal::ctrl_c());
    let mut ticks = tokio::time::interval(PERIOD);
    let mut pause = PAUSE_MIN;
    while let Some(state) = under_way(caller, table, wanted).await? {
        let mut paused = pin!(tokio::time::sleep(pause));
        loop {
            tokio::select! {
                () = &mut paused => break,
                _ = ticks.tick() => {
                    let seconds = progress.elapsed().as_secs();
                    progress.say(&format!("{state}, {}", duration(seconds.into())));
                }
                signalled = &mut signal => {
                    signalled.context("listen to signals")?;
                    let told = format!("`hashrange describe {table}` tells how far");
                    let mut report = format!("{state}; the database goes on with it, {told}");
                    report.extend(after.map(|after| format!("\n{after}")));
                    return Err(Unfinished::interrupted(&report).into());
                }
            }
        }
        pause = (pause * 2).min(PAUSE_MAX);
    }
    Ok(())
}

/// Returns the change that is still under way.
async fn under_way(caller: &Caller, table: &str, wanted: Wanted) -> anyhow::Result<Option<String>> {
    let request = json!({ "TableName": table });
    if wanted == Wanted::Expiry {
        let response = caller.call(Operation::DescribeTimeToLive, &request).await?;
        let status = response["TimeToLiveDescription"]["TimeToLiveStatus"].as_str();
        let status = status.unwrap_or_default().to_owned();
        let settled = status == "ENABLED" || status == "DISABLED";
        return Ok((!settled).then(|| format!("{table}: time to live {}", status.to_lowercase())));
    }
    match caller.call(Operation::DescribeTable, &request).await {
        Ok(response) if wanted == Wanted::Active => Ok(changing(table, &response["Table"])),
        Ok(_) => Ok(Some(format!("{table}: deleting"))),
        Err(error) if wanted == Wanted::Gone && is_not_found(&error) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Returns true if the table is not there.
pub fn is_not_found(error: &anyhow::Error) -> bool {
    let refused = error.downcast_ref::<Refused>();
    refused.is_some_and(|refused| refused.exception == "ResourceNotFoundException")
}

/// Returns the part of a table that is changing.
fn changing(table: &str, described: &Value) -> Option<String> {
    let status = described["TableStatus"].as_str().unwrap_or_default();
    let indexes = described["GlobalSecondaryIndexes"].as_array().into_iter().flatten();
    let mut indexes = indexes.filter(|index| index["IndexStatus"] != "ACTIVE");
    let index = indexes.next().map(|index| {
        let name = index["IndexName"].as_str().unwrap_or_default();
        let status = if index["Backfilling"] == true {
            let items = described["ItemCount"].as_u64().unwrap_or(0);
            let entries = index["ItemCount"].as_u64().unwrap_or(0);
            format!("being filled, {entries} so far, from {}", counted(items, "item"))
        } else {
            index["IndexStatus"].as_str().unwrap_or_default().to_lowercase()
        };
        format!("{table}: index {name} {status}")
    });
    index.or_else(|| (status != "ACTIVE").then(|| format!("{table}: {}", status.to_lowercase())))
}
