//! The line on a terminal that shows the progress of long work.

use super::counted;
use crate::output;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::time::Instant;

/// Time between two writes of the line.
pub const PERIOD: Duration = Duration::from_millis(100);
const BAR_CELLS: usize = 24;

/// A line on standard error, if that is a terminal.
#[derive(Debug)]
pub struct Progress {
    is_shown: bool,
    began: Instant,
    /// Time since the beginning at which the line is due again, for
    /// [`show_in_time`](Self::show_in_time).
    due: Duration,
    done: Arc<AtomicU64>,
    whole: Option<u64>,
}

impl Progress {
    /// Begins work of which `done` counts up to `whole`, if the size is known.
    pub fn new(done: Arc<AtomicU64>, whole: Option<u64>) -> Self {
        let is_shown = output::is_watched();
        Self { is_shown, began: Instant::now(), due: PERIOD, done, whole }
    }

    /// Adds to the count of the work that is done.
    pub fn add(&self, count: u64) {
        self.done.fetch_add(count, Ordering::Relaxed);
    }

    /// Returns the count of the work that is done.
    pub fn done(&self) -> u64 {
        self.done.load(Ordering::Relaxed)
    }

    /// Shows that so many items are done, and a remark.
    pub fn show(&self, items: u64, remark: &str) {
        if self.is_shown {
            let part = self.whole.map(|whole| (self.done.load(Ordering::Relaxed), whole));
            output::progress(&line(items, part, self.began.elapsed(), remark));
        }
    }

    /// Notes how much is done, and shows it if the line is a period old. For work that reports more
    /// often than anybody can read.
    pub fn show_in_time(&mut self, done: u64) {
        self.done.store(done, Ordering::Relaxed);
        let elapsed = self.elapsed();
        if self.is_shown && elapsed >= self.due {
            self.due = elapsed + PERIOD;
            self.show(done, "");
        }
    }

    /// Shows a text of its own.
    pub fn say(&self, text: &str) {
        if self.is_shown {
            output::progress(text);
        }
    }

    /// Returns how long the work has taken.
    pub fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    /// Clears the line.
    pub fn clear(&self) {
        self.say("");
    }

    /// Writes a line to standard error above this one.
    pub fn complain(&self, text: &str) {
        self.clear();
        output::complain(format_args!("{text}"));
    }
}

/// Returns the text: a bar, items, items a second, time left.
fn line(items: u64, part: Option<(u64, u64)>, elapsed: Duration, remark: &str) -> String {
    let mut texts = Vec::new();
    let millis = u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX).max(1);
    let part = part.filter(|(_, whole)| *whole > 0);
    if let Some((done, whole)) = part {
        texts.push(bar(done.min(whole), whole));
    }
    let rate = u128::from(items) * 1000 / u128::from(millis);
    texts.push(format!("{}, {rate} a second", counted(items, "item")));
    if let Some((done, whole)) = part.filter(|(done, whole)| *done > 0 && done < whole) {
        let left_ms = u128::from(millis) * u128::from(whole - done) / u128::from(done);
        texts.push(format!(", {} left", duration(left_ms / 1000)));
    }
    if !remark.is_empty() {
        texts.push(format!(", {remark}"));
    }
    texts.concat()
}

fn bar(done: u64, whole: u64) -> String {
    let of_whole = |scale: usize| {
        let part = u128::from(done) * scale as u128 / u128::from(whole);
        usize::try_from(part).unwrap_or(scale)
    };
    let full = of_whole(BAR_CELLS);
    let bar = "█".repeat(full) + &" ".repeat(BAR_CELLS - full);
    format!("[{bar}] {:>3}%  ", of_whole(100))
}

/// Returns a time such as `7 s`, `2 min 5 s` or `3 h 20 min`.
pub fn duration(seconds: u128) -> String {
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min {} s", seconds / 60, seconds % 60),
        _ => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_says_what_is_known() {
        let second = Duration::from_secs(1);
        assert_eq!(line(2500, None, second, ""), "2500 items, 2500 a second");
        assert_eq!(
            line(1, Some((50, 200)), 2 * second, "throttled"),
            format!(
                "[{}{}]  25%  1 item, 0 a second, 6 s left, throttled",
                "█".repeat(6),
                " ".repeat(18)
            )
        );
        assert_eq!(
            line(8, Some((9, 8)), second, ""),
            format!("[{}] 100%  8 items, 8 a second", "█".repeat(24))
        );
        assert_eq!(line(0, Some((0, 0)), Duration::ZERO, ""), "0 items, 0 a second");
        assert_eq!(duration(125), "2 min 5 s");
        assert_eq!(duration(12_000), "3 h 20 min");
    }
}
