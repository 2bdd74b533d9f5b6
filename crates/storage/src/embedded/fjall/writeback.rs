//! Writes sorted files to disk while fjall still makes them.
//!
//! fjall syncs a sorted file once, at its end: tens of MiB at once, and the log's syncs wait behind
//! them. This thread syncs a growing file every few milliseconds instead, so that little is left at
//! its end. It sleeps while no file is sorted or merged; the first sorting starts it.
//!
//! Nothing depends on it: fjall's own sync covers everything that this thread misses. A sync that
//! fails here fails the next group all the same, because not every system reports the failure a
//! second time.

use super::super::lazy_thread::LazyThread;
use super::Shared;
use crate::{Error, clock};
use parking_lot::{Condvar, Mutex};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// Interval at which the thread looks at growing files.
const TICK: Duration = Duration::from_millis(2);

/// Growth after which a file is synced, in bytes.
const GROWTH_BYTES: u64 = 1 << 20;

/// Time without growth after which a file counts as finished, and without work after which a store
/// counts as idle.
const PATIENCE: Duration = Duration::from_millis(200);

/// Files are numbered consecutively; the thread looks for so many numbers beyond the last one seen.
const NUMBERS_AHEAD: u64 = 4;

/// Order to the thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    Rest,
    Watch,
    End,
}

/// Wakes the thread, ends it and keeps its failure.
#[derive(Debug)]
pub(crate) struct Writeback {
    order: Mutex<Order>,
    changed: Condvar,
    failure: OnceLock<Error>,
    thread: LazyThread,
}

impl Writeback {
    pub(crate) fn new() -> Self {
        Self {
            order: Mutex::new(Order::Rest),
            changed: Condvar::new(),
            failure: OnceLock::new(),
            thread: LazyThread::new("writeback"),
        }
    }

    /// Fails if a sync has failed.
    pub(crate) fn check(&self) -> Result<(), Error> {
        self.failure.get().map_or(Ok(()), |error| Err(error.clone()))
    }

    /// Starts the thread, because files of the store that `shared` belongs to will be sorted or
    /// merged. Must not be called on a thread of lower priority, which the new thread would
    /// inherit.
    pub(crate) fn begin(&self, shared: &Arc<Shared>) {
        self.watch();
        let shared = Arc::clone(shared);
        // Without the thread, more is left to fjall's own sync.
        let _more_at_the_end = self.thread.start(move || run(&shared));
    }

    /// Wakes the thread, if it runs, because files will be sorted or merged.
    pub(crate) fn watch(&self) {
        self.give(Order::Watch);
    }

    /// Ends the thread.
    pub(crate) fn end(&self) {
        self.give(Order::End);
        self.thread.end();
    }

    fn give(&self, order: Order) {
        let mut current = self.order.lock();
        if *current != Order::End {
            *current = order;
        }
        drop(current);
        self.changed.notify_one();
    }

    /// Waits for work; returns `false` at the end.
    fn wait(&self) -> bool {
        let mut order = self.order.lock();
        while *order == Order::Rest {
            self.changed.wait(&mut order);
        }
        let goes_on = *order == Order::Watch;
        if goes_on {
            *order = Order::Rest;
        }
        goes_on
    }

    /// Waits for one tick; returns `false` at the end.
    fn tick(&self) -> bool {
        let mut order = self.order.lock();
        if *order != Order::End {
            self.changed.wait_for(&mut order, TICK);
        }
        *order != Order::End
    }
}

/// Watches until [`Writeback::end`].
fn run(shared: &Shared) {
    while shared.writeback.wait() {
        // fjall reports a folder that cannot be read.
        let Ok(mut tables) = Tables::new(shared.engine.tables_path()) else { continue };
        let mut seen_work = clock::now();
        while seen_work.elapsed() < PATIENCE && shared.writeback.tick() {
            if shared.engine.is_sorting() {
                seen_work = clock::now();
            }
            if let Err(error) = tables.sync() {
                let error = Error::from_io("sync growing sorted file", error);
                shared.writeback.failure.get_or_init(|| error);
                return;
            }
        }
    }
}

/// A sorted file in the making.
#[derive(Debug)]
struct Growing {
    file: File,
    synced_bytes: u64,
    grown_at: Instant,
}

/// Sorted files in the making, and the number of the next one.
#[derive(Debug)]
struct Tables {
    folder: PathBuf,
    next: u64,
    growing: Vec<Growing>,
}

impl Tables {
    /// Returns the files of `folder` from the newest one on, which may be unfinished.
    fn new(folder: PathBuf) -> io::Result<Self> {
        let next = newest_number(&folder)?;
        Ok(Self { folder, next, growing: Vec::new() })
    }

    /// Syncs the files that have grown.
    fn sync(&mut self) -> io::Result<()> {
        self.find_new();
        let now = clock::now();
        for growing in &mut self.growing {
            growing.sync(now)?;
        }
        self.growing.retain(|growing| now - growing.grown_at < PATIENCE);
        Ok(())
    }

    fn find_new(&mut self) {
        for number in self.next..self.next.saturating_add(NUMBERS_AHEAD) {
            let Ok(file) = File::open(self.folder.join(number.to_string())) else { continue };
            self.growing.push(Growing { file, synced_bytes: 0, grown_at: clock::now() });
            self.next = number + 1;
        }
    }
}

impl Growing {
    /// Syncs the file when it has grown enough.
    fn sync(&mut self, now: Instant) -> io::Result<()> {
        let bytes = self.file.metadata()?.len();
        if bytes >= self.synced_bytes + GROWTH_BYTES {
            self.file.sync_data()?;
            self.synced_bytes = bytes;
            self.grown_at = now;
        }
        Ok(())
    }
}

/// Returns the highest number of a file in `folder`.
fn newest_number(folder: &Path) -> io::Result<u64> {
    let mut newest = 0;
    for entry in fs::read_dir(folder)? {
        let number = entry?.file_name().to_str().and_then(|name| name.parse().ok());
        newest = newest.max(number.unwrap_or(0));
    }
    Ok(newest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(folder: &Path, name: &str, bytes: u64) {
        let file = File::options().create(true).append(true).open(folder.join(name)).unwrap();
        file.set_len(file.metadata().unwrap().len() + bytes).unwrap();
    }

    fn synced(tables: &Tables) -> Vec<u64> {
        tables.growing.iter().map(|growing| growing.synced_bytes).collect()
    }

    #[test]
    fn files_are_synced_as_they_grow() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), "6", 9 * GROWTH_BYTES);
        write(folder.path(), "7", GROWTH_BYTES);
        let mut tables = Tables::new(folder.path().to_owned()).unwrap();
        tables.sync().unwrap();
        assert_eq!(synced(&tables), [GROWTH_BYTES], "of those that stand only the newest may grow");
        write(folder.path(), "7", GROWTH_BYTES - 1);
        write(folder.path(), "9", 2 * GROWTH_BYTES);
        tables.sync().unwrap();
        assert_eq!(synced(&tables), [GROWTH_BYTES, 2 * GROWTH_BYTES]);
        write(folder.path(), "7", 1);
        tables.sync().unwrap();
        assert_eq!(synced(&tables), [2 * GROWTH_BYTES, 2 * GROWTH_BYTES]);
    }

    #[test]
    fn files_that_grow_no_more_are_closed() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), "1", GROWTH_BYTES);
        let mut tables = Tables::new(folder.path().to_owned()).unwrap();
        tables.sync().unwrap();
        tables.growing[0].grown_at -= PATIENCE;
        tables.sync().unwrap();
        assert!(tables.growing.is_empty());
        assert_eq!(tables.next, 2);
    }
}
