//! Recent requests: while somebody watches, each watch keeps the requests that pass its filter in a bounded ring, and
//! sums all that pass it by pattern and second. While nobody watches, a request pays one look at a number.
//!
//! A watch is asked by a cursor, which names this server, the watch, and what was answered before. A watch ends when
//! nobody has asked for [`PATIENCE_MS`].
//!
//! Left to others: usage and patterns of requests (the engine).
//!
//! Bounds: [`WATCHES_MAX`] watches, [`POLLS_MAX`] requests that wait, the bytes of all rings together (a setting),
//! [`LINES_A_SECOND`](sample::LINES_A_SECOND) lines, [`PATTERNS_MAX`](seconds::PATTERNS_MAX) patterns of a second.
//!
//! | file | idea |
//! |---|---|
//! | `filter.rs` | the requests that a watch is for |
//! | `line.rs` | one request, as a watch tells it |
//! | `sample.rs` | which lines are kept on a busy server |
//! | `seconds.rs` | sums by pattern and second |
//! | `watch.rs` | one watch: its ring, its seconds, its answer |
//! | `operations.rs` | the requests `WatchRequests` and `StopWatchingRequests`, and their answers |

mod filter;
mod line;
mod operations;
mod sample;
mod seconds;
mod watch;

pub use operations::{StopRequest, WatchRequest};

use crate::event::{Event, Interest, Subscriber};
use filter::Filter;
use hashrange_cost::PriceList;
use hashrange_model::error::StateFault;
use hashrange_model::{ApiError, ApiResult, Reason};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use watch::{Cursor, Watch};

/// Most watches at a time; the one that nobody has asked for the longest time ends for a new one.
pub const WATCHES_MAX: usize = 16;
/// Most requests that wait for lines at a time.
const POLLS_MAX: usize = 64;
/// Time after which a watch ends that nobody asks.
pub const PATIENCE_MS: u64 = 30_000;

/// The watches of a server.
pub struct Watches {
    /// Name of this run of the server, which cursors have.
    server: String,
    /// Most bytes of all rings together.
    most_bytes: usize,
    keeps_values: bool,
    prices: Option<PriceList>,
    now_ms: fn() -> u64,
    alive: AtomicUsize,
    polls: AtomicUsize,
    is_ending: AtomicBool,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    last: u64,
    watches: BTreeMap<u64, Watch>,
}

/// Settings of watches.
#[derive(Debug)]
pub struct WatchSettings {
    /// Most bytes of all rings together.
    pub most_bytes: usize,
    /// Keep the bodies of requests, which have values.
    pub keeps_values: bool,
    /// Prices of requests.
    pub prices: Option<PriceList>,
}

impl fmt::Debug for Watches {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Watches").field("server", &self.server).finish_non_exhaustive()
    }
}

impl Watches {
    /// Returns no watches yet. `server` differs between runs of servers.
    pub fn new(settings: WatchSettings, server: u64, now_ms: fn() -> u64) -> Self {
        Self {
            server: format!("{server:016x}"),
            most_bytes: settings.most_bytes,
            keeps_values: settings.keeps_values,
            prices: settings.prices,
            now_ms,
            alive: AtomicUsize::new(0),
            polls: AtomicUsize::new(0),
            is_ending: AtomicBool::new(false),
            state: Mutex::default(),
        }
    }

    /// Lets those who wait get what there is: the server stops.
    pub fn end(&self) {
        self.is_ending.store(true, Ordering::Relaxed);
    }

    fn is_ending(&self) -> bool {
        self.is_ending.load(Ordering::Relaxed)
    }

    /// Returns the number of the watch that a cursor names, or of a new one, with what to say of it.
    fn find_or_begin(&self, asked: &Asked) -> ApiResult<(u64, Found)> {
        let now_ms = (self.now_ms)();
        let mut state = self.state();
        state.end_forgotten(now_ms);
        let found = match &asked.cursor {
            None => Found::Asked,
            Some(cursor) if cursor.server != self.server => Found::Began("OtherServer"),
            Some(cursor) => match state.watches.get_mut(&cursor.watch) {
                Some(watch) if watch.is_of(asked) => {
                    watch.asked_ms = now_ms;
                    self.count(&state);
                    return Ok((cursor.watch, Found::There));
                }
                Some(watch) if watch.namespace == asked.namespace => {
                    state.watches.remove(&cursor.watch);
                    Found::Began("OtherFilter")
                }
                Some(_) | None => Found::Began("Ended"),
            },
        };
        let number = state.begin(Watch::new(asked, now_ms), now_ms)?;
        self.count(&state);
        Ok((number, found))
    }

    /// Ends a watch.
    fn end_watch(&self, cursor: &Cursor, namespace: Option<&str>) {
        let mut state = self.state();
        let is_own = |watch: &Watch| watch.namespace.as_deref() == namespace;
        if cursor.server == self.server && state.watches.get(&cursor.watch).is_some_and(is_own) {
            state.watches.remove(&cursor.watch);
        }
        self.count(&state);
    }

    fn count(&self, state: &State) {
        self.alive.store(state.watches.len(), Ordering::Release);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns a place among those that wait, which ends when it is dropped.
    fn waiting(&self) -> ApiResult<Waiting<'_>> {
        let waiting = Waiting(&self.polls);
        if self.polls.fetch_add(1, Ordering::Relaxed) >= POLLS_MAX {
            return Err(fault(format!("{POLLS_MAX} clients wait for requests already")));
        }
        Ok(waiting)
    }
}

/// A request that waits.
struct Waiting<'w>(&'w AtomicUsize);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Answer of a look for the watch of a cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Found {
    /// The watch is there.
    There,
    /// A new one began, as asked.
    Asked,
    /// A new one began in the place of the cursor's, for this reason.
    Began(&'static str),
}

/// A watch, as a request asks for it.
#[derive(Debug)]
struct Asked {
    cursor: Option<Cursor>,
    filter: Filter,
    one_in: u64,
    namespace: Option<String>,
}

impl State {
    fn end_forgotten(&mut self, now_ms: u64) {
        self.watches.retain(|_, watch| now_ms.saturating_sub(watch.asked_ms) <= PATIENCE_MS);
    }

    fn begin(&mut self, watch: Watch, now_ms: u64) -> ApiResult<u64> {
        if self.watches.len() >= WATCHES_MAX {
            let oldest = self.watches.iter().min_by_key(|(_, watch)| watch.asked_ms);
            let forgotten = oldest.filter(|(_, watch)| now_ms > watch.asked_ms + PATIENCE_MS / 6);
            let number = forgotten.map(|(number, _)| *number);
            let Some(number) = number else {
                return Err(fault(format!("{WATCHES_MAX} clients watch already")));
            };
            self.watches.remove(&number);
        }
        self.last += 1;
        self.watches.insert(self.last, watch);
        Ok(self.last)
    }

    /// Drops the oldest lines of the largest rings until all have no more than so many bytes.
    fn bound(&mut self, most_bytes: usize) {
        let mut bytes: usize = self.watches.values().map(|watch| watch.bytes).sum();
        while bytes > most_bytes {
            let Some(largest) = self.watches.values_mut().max_by_key(|watch| watch.bytes) else {
                return;
            };
            let before = largest.bytes;
            largest.drop_oldest();
            bytes -= before - largest.bytes;
        }
    }
}

impl Subscriber for Watches {
    fn interest(&self) -> Interest {
        let is_watched = self.alive.load(Ordering::Acquire) > 0;
        let body = is_watched && self.keeps_values;
        Interest { usage: is_watched, details: is_watched, body }
    }

    fn ended(&self, event: &Event) {
        if self.alive.load(Ordering::Acquire) == 0 || event.is_unrecorded {
            return;
        }
        // Without one it is a question about the server's health or a file for browsers.
        let Some(operation) = &event.operation else { return };
        let now_ms = (self.now_ms)();
        let mut state = self.state();
        let watches = state.watches.len();
        state.end_forgotten(now_ms);
        let mut is_kept = false;
        for watch in state.watches.values_mut() {
            is_kept |= watch.take(event, operation.name(), now_ms, self.prices.as_ref());
        }
        if is_kept {
            state.bound(self.most_bytes);
        }
        if state.watches.len() != watches {
            self.count(&state);
        }
    }
}

fn fault(why: String) -> ApiError {
    Reason::State(StateFault::Form(why)).into()
}
