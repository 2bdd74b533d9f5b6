//! `hashrange export`.

use super::table_keys::TableKeys;
use crate::arguments::Export;
use crate::bulk::counted;
use crate::bulk::progress::{PERIOD, Progress};
use crate::bulk::segments::Pages;
use crate::bulk::target::Target;
use crate::client::{self, Caller, Client};
use crate::exit::Unfinished;
use crate::format::Form;
use crate::output;
use anyhow::Context;
use serde_json::{Map, Value, json};
use std::path::Path;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::sync::watch;

/// Writes all items of a table to a file or to standard output.
pub fn run(client: &mut Client, arguments: &Export) -> anyhow::Result<()> {
    let keys = TableKeys::of_bulk(client, &arguments.table)?;
    let file = arguments.file.as_deref().filter(|file| file.as_os_str() != "-");
    let form = arguments.format.or_else(|| file.and_then(Form::of_name)).unwrap_or(Form::Item);
    let mut target = Target::open(file, form, keys.primary())?;
    let mut request = Map::new();
    request.insert("TableName".into(), json!(arguments.table));
    if arguments.consistent {
        request.insert("ConsistentRead".into(), json!(true));
    }
    let caller = client.caller();
    let count = Arc::new(AtomicU64::new(0));
    let copied = client::run(async {
        let progress = Progress::new(Arc::clone(&count), keys.item_count());
        let copied = copy(&caller, &request, arguments.segments, &mut target, &progress).await;
        progress.clear();
        copied
    });
    let items = counted(count.load(Ordering::Relaxed), "item");
    let finished = match copied {
        Ok(Some(())) => target.finish(),
        Ok(None) => return Err(Unfinished::interrupted(&left(file, &items)).into()),
        Err(error) => Err(error),
    };
    match finished {
        Ok(()) => said(arguments, file, &items),
        Err(error) if output::is_broken_pipe(&error) => Err(error),
        Err(error) => Err(Unfinished::after(&error, &left(file, &items)).into()),
    }
}

/// Reports the export, on standard error if standard output has the items.
fn said(arguments: &Export, file: Option<&Path>, items: &str) -> anyhow::Result<()> {
    let table = &arguments.table;
    if let Some(file) = file {
        output::line(format_args!("{items} from {table} to {}", file.display()))
    } else {
        output::complain(format_args!("{items} from {table}"));
        Ok(())
    }
}

/// Returns the remains of an export that was given up, in words.
fn left(file: Option<&Path>, items: &str) -> String {
    match file {
        Some(file) => {
            let state = if file.exists() { "is as it was before" } else { "is not written" };
            format!("{items} read; {} {state}", file.display())
        }
        None => format!("the output is not whole: it has {items}"),
    }
}

/// Writes the items of all segments; returns nothing if Ctrl-C ended the export.
async fn copy(
    caller: &Caller,
    request: &Map<String, Value>,
    segments: u32,
    target: &mut Target,
    progress: &Progress,
) -> anyhow::Result<Option<()>> {
    let (_stop, stopped) = watch::channel(false);
    let mut pages = Pages::start(caller, request, segments, &stopped);
    let mut ticks = tokio::time::interval(PERIOD);
    let mut signal = pin!(tokio::signal::ctrl_c());
    loop {
        let page = tokio::select! {
            page = pages.next() => page?,
            _ = ticks.tick() => {
                progress.show(progress.done(), "");
                continue;
            }
            signalled = &mut signal => {
                return signalled.map(|()| None).context("listen to signals");
            }
        };
        let Some(page) = page else { return Ok(Some(())) };
        let page: Value = serde_json::from_slice(&page).context("the response is not JSON")?;
        for item in page["Items"].as_array().into_iter().flatten().filter_map(Value::as_object) {
            target.add(item)?;
            progress.add(1);
        }
    }
}
