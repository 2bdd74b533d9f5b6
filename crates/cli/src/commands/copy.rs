//! `hashrange copy`: a database moves from a folder to PostgreSQL, back, or to another folder.
//!
//! Leaves the copy and its verification to the library.

use crate::arguments::Copy;
use crate::commands::store::place_in;
use crate::config::StoreUrl;
use crate::exit::Usage;
use crate::output;
use crate::surroundings;
use hashrange::copying::{How, copy, reopen};
use hashrange::{Copied, CopyPhase, Copying};
use std::time::{Duration, Instant};

/// Time between two lines about the progress of the copy, on a terminal and in a log.
const SHOWN_EVERY: Duration = Duration::from_secs(1);
const LOGGED_EVERY: Duration = Duration::from_secs(10);

/// Copies a database and prints its size and the time of each phase.
pub fn run(arguments: &Copy) -> anyhow::Result<()> {
    let from = given(arguments.from.as_ref(), "from", "HASHRANGE_COPY_FROM")?;
    let source = place_in(&from, "from")?;
    if arguments.reopen {
        reopen(source)?;
        return output::line("the database can be used again");
    }
    let to = given(arguments.to.as_ref(), "to", "HASHRANGE_COPY_TO")?;
    let target = place_in(&to, "to")?;
    let how = How { is_restarted: arguments.restart, is_served: arguments.while_serving };
    if how.is_served && source.folder().is_some() {
        let what = "while-serving is for a database on PostgreSQL: a folder is moved by the server that \
                    has it, with hashrange serve --move-to";
        return Err(Usage(what.to_owned()).into());
    }
    let mut watch = Watch::new();
    let copied = copy(source, target, how, &mut |now| watch.hear(now));
    watch.end_phase();
    let copied = copied?;
    if copied == Copied::default() && watch.phases.is_empty() {
        return output::line("the database was moved there before: nothing is left to do");
    }
    output::line(format_args!(
        "copied and verified: {} keys, {}, {}",
        copied.keys,
        mebibytes(copied.bytes),
        watch.phases.join(", ")
    ))
}

/// Returns the value of a flag or a variable.
fn given(flag: Option<&StoreUrl>, name: &str, variable: &str) -> Result<StoreUrl, Usage> {
    let from_variable = || surroundings::text_variable(variable)?.parse().ok();
    flag.cloned().or_else(from_variable).ok_or_else(|| {
        Usage(format!(
            "copy needs --{name} or {variable}: a folder, or a URL that begins with postgres://"
        ))
    })
}

/// Shows the progress of the copy, and notes the time of each phase.
struct Watch {
    is_terminal: bool,
    began: Instant,
    shown: Instant,
    now: Option<Copying>,
    /// A line for each phase that is over.
    phases: Vec<String>,
}

impl Watch {
    fn new() -> Self {
        let began = surroundings::stopwatch();
        Self {
            is_terminal: output::is_watched(),
            began,
            shown: began,
            now: None,
            phases: Vec::new(),
        }
    }

    fn hear(&mut self, now: Copying) {
        if self.now.is_some_and(|before| before.phase != now.phase) {
            self.end_phase();
        }
        if self.now.is_none() {
            self.began = surroundings::stopwatch();
            self.shown = self.began;
        }
        self.now = Some(now);
        let every = if self.is_terminal { SHOWN_EVERY } else { LOGGED_EVERY };
        if self.shown.elapsed() >= every {
            self.shown = surroundings::stopwatch();
            let text = line(now, self.began.elapsed());
            if self.is_terminal {
                output::progress(&text);
            } else {
                output::complain(format_args!("{text}"));
            }
        }
    }

    fn end_phase(&mut self) {
        let Some(ended) = self.now.take() else { return };
        if self.is_terminal {
            output::progress("");
        }
        let elapsed = self.began.elapsed();
        let seconds = elapsed.as_secs_f64();
        let rate = rate(ended.bytes, elapsed);
        self.phases.push(format!("{} in {seconds:.1} s ({rate})", word(ended.phase)));
    }
}

/// Returns the verb for a phase.
pub fn word(phase: CopyPhase) -> &'static str {
    match phase {
        CopyPhase::Emptying => "emptied",
        CopyPhase::Copying => "copied",
        CopyPhase::CatchingUp => "caught up",
        CopyPhase::Switching => "switched",
        CopyPhase::Verifying => "verified",
    }
}

/// Returns the line about the progress of a phase.
fn line(now: Copying, elapsed: Duration) -> String {
    let (keys, bytes, rate) = (now.keys, mebibytes(now.bytes), rate(now.bytes, elapsed));
    format!("{}: {keys} keys, {bytes}, {rate}", word(now.phase))
}

#[expect(clippy::cast_precision_loss, reason = "a figure for people")]
fn rate(bytes: u64, elapsed: Duration) -> String {
    let seconds = elapsed.as_secs_f64().max(0.001);
    format!("{:.1} MiB/s", bytes as f64 / f64::from(1 << 20) / seconds)
}

#[expect(clippy::cast_precision_loss, reason = "a figure for people")]
fn mebibytes(bytes: u64) -> String {
    format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_says_what_is_done_and_how_fast() {
        let now = Copying { phase: CopyPhase::Copying, keys: 12, bytes: 3 << 20 };
        assert_eq!(line(now, Duration::from_secs(2)), "copied: 12 keys, 3.0 MiB, 1.5 MiB/s");
        assert_eq!(rate(0, Duration::ZERO), "0.0 MiB/s");
    }
}
