//! `hashrange check`: verifies a data folder.

use crate::arguments::Check;
use crate::bulk::progress::Progress;
use crate::config::check_folder;
use crate::output;
use anyhow::{Context, bail};
use hashrange::{Database, Options, Verified};
use std::sync::Arc;

/// Verifies a folder and prints the faults; fails if there are any.
pub fn run(arguments: &Check) -> anyhow::Result<()> {
    let folder = &arguments.folder;
    check_folder(folder)?;
    if !folder.is_dir() {
        bail!("{}: there is no such folder", folder.display());
    }
    let mut progress = None;
    let mut heard = |verified: Verified| {
        let begin = || Progress::new(Arc::default(), Some(verified.total));
        progress.get_or_insert_with(begin).show_in_time(verified.done);
    };
    let report = Database::check_heard(folder, &Options::default(), &mut heard);
    if let Some(progress) = progress {
        progress.clear();
    }
    let report = report.with_context(|| format!("check {}", folder.display()))?;
    for problem in &report.problems {
        let table = problem.table.as_deref().unwrap_or("-");
        output::line(format_args!("{table}: {} at {}", problem.what, problem.key.escape_ascii()))?;
    }
    if report.torn_bytes > 0 {
        output::line(format_args!(
            "left out: a write that a crash had left unfinished, {} bytes at the end of the logs; \
             nothing in it was acknowledged",
            report.torn_bytes
        ))?;
    }
    output::line(format_args!(
        "{} tables, {} items, {} index entries, {} stream records, {} problems",
        report.tables,
        report.items,
        report.entries,
        report.changes,
        report.problems.len()
    ))?;
    if report.problems.is_empty() { Ok(()) } else { bail!("the database is damaged") }
}
