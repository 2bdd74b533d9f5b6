//! Chance and time of a run: one seeded generator for all choices, the virtual clock, and the trace
//! of events.
//!
//! Invariant: nothing else in a simulation is random or a matter of time, so one seed is one trace.

use crate::environment::NOW_MS;
use crate::random::Random;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Lines of the trace that a failure shows.
const LINES_MAX: usize = 60;
/// Characters of a line that it shows.
const LINE_CHARS_MAX: usize = 240;

/// The source of all choices; clones share it.
#[derive(Debug, Clone)]
pub struct Fate(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    random: Random,
    now_ms: u64,
    moment: u64,
    is_calm: bool,
    trace: u64,
    lines: VecDeque<String>,
}

impl Fate {
    /// Returns the fate of a seed.
    pub fn new(seed: u64) -> Self {
        Self(Arc::new(Mutex::new(State {
            random: Random::new(seed),
            now_ms: NOW_MS,
            moment: 0,
            is_calm: true,
            trace: 0xcbf2_9ce4_8422_2325,
            lines: VecDeque::new(),
        })))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns 64 random bits.
    pub fn bits(&self) -> u64 {
        self.state().random.bits()
    }

    /// Returns a number below `limit`, which is not 0.
    pub fn below(&self, limit: usize) -> usize {
        self.state().random.below(limit)
    }

    /// Returns true in `per_mille` of 1000 cases.
    pub fn chance(&self, per_mille: usize) -> bool {
        self.below(1000) < per_mille
    }

    /// Returns true if a fault shall happen, in `per_mille` of 1000 cases: never in a calm.
    pub fn strikes(&self, per_mille: usize) -> bool {
        let mut state = self.state();
        !state.is_calm && state.random.below(1000) < per_mille
    }

    /// Begins or ends a time without faults.
    pub fn set_calm(&self, is_calm: bool) {
        self.state().is_calm = is_calm;
    }

    /// Returns the virtual time in epoch milliseconds.
    pub fn now_ms(&self) -> u64 {
        self.state().now_ms
    }

    /// Lets time pass.
    pub fn advance_ms(&self, ms: u64) {
        self.state().now_ms += ms;
    }

    /// Numbers this moment: an earlier event has a lower number.
    pub fn moment(&self) -> u64 {
        let mut state = self.state();
        state.moment += 1;
        state.moment
    }

    /// Adds a line to the trace.
    pub fn note(&self, line: &str) {
        let mut state = self.state();
        let line = format!("{:>12} {line}", state.now_ms - NOW_MS);
        for byte in line.bytes() {
            state.trace = (state.trace ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
        if state.lines.len() == LINES_MAX {
            state.lines.pop_front();
        }
        state.lines.push_back(line.chars().take(LINE_CHARS_MAX).collect());
    }

    /// Returns a hash of the whole trace (FNV-1a).
    pub fn trace(&self) -> u64 {
        self.state().trace
    }

    /// Returns the newest lines of the trace.
    pub fn last_lines(&self) -> Vec<String> {
        self.state().lines.iter().cloned().collect()
    }
}
