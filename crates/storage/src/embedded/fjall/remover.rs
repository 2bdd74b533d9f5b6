//! Removes files and memtables on a thread of its own.
//!
//! fjall releases merged files, old logs and sorted memtables where it happens to look at them: in
//! the committer, as it seals a memtable, one after the other, while readers wait for the list of
//! files too. The system takes 10 to 30 ms to free the blocks of a file of 64 MiB, and as long to
//! free the entries of a memtable. But a file that a process has open loses only its name, at once;
//! the system frees its blocks at the last close. So this thread gets such files, open, and
//! memtables, and is the last to release them. It starts with the first of them.
//!
//! Nothing depends on it: fjall itself removes the files and memtables that the thread does not
//! have.

use super::super::lazy_thread::LazyThread;
use super::super::step_back::step_back;
use parking_lot::{Condvar, Mutex};
use std::any::Any;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Time before the thread looks again: at first, and at most. Names disappear when a memtable is
/// sealed or sorted, or when the last view of a merged file is dropped.
const LOOKS_AGAIN: [Duration; 2] = [Duration::from_millis(5), Duration::from_secs(1)];

/// Most things held: a process may have few open files, and a view can keep merged files for hours.
const MAX_HELD: usize = 128;

/// Something that other code may still use.
#[derive(Debug)]
enum Thing {
    File(File),
    Memory(Arc<dyn Any + Send + Sync>),
}

#[derive(Debug, Default)]
struct HeldThings {
    things: Vec<Thing>,
    has_ended: bool,
}

/// State that the thread shares with its callers.
#[derive(Debug, Default)]
struct Things {
    held: Mutex<HeldThings>,
    changed: Condvar,
}

/// Takes things for the thread, and ends it.
#[derive(Debug)]
pub(crate) struct Remover {
    things: Arc<Things>,
    thread: LazyThread,
}

impl Remover {
    pub(crate) fn new() -> Self {
        Self { things: Arc::default(), thread: LazyThread::new("remover") }
    }

    /// Returns a remover that never releases anything.
    #[cfg(test)]
    pub(crate) fn without_thread() -> Self {
        let remover = Self::new();
        remover.thread.end();
        remover
    }

    /// Takes the file at `path`, which fjall will remove at some time.
    pub(crate) fn hold_file(&self, path: &Path) {
        // If that fails, the thread that removes the file waits for it.
        if let Ok(file) = File::open(path) {
            self.hold(Thing::File(file));
        }
    }

    /// Takes memory that fjall will release at some time.
    pub(crate) fn hold_memory(&self, memory: Arc<dyn Any + Send + Sync>) {
        self.hold(Thing::Memory(memory));
    }

    fn hold(&self, thing: Thing) {
        let things = Arc::clone(&self.things);
        // Without the thread, the thing is released here.
        if self.thread.start(move || run(&things)).is_ok() {
            self.things.hold(thing);
        }
    }

    /// Releases, on this thread, the things that no other code uses.
    pub(crate) fn remove_unused(&self) {
        drop(self.things.take_unused());
    }

    /// Returns the number of things held.
    #[cfg(test)]
    pub(crate) fn held(&self) -> usize {
        self.things.held()
    }

    /// Ends the thread and releases everything that it holds.
    pub(crate) fn end(&self) {
        self.things.end();
        self.thread.end();
    }
}

impl Things {
    fn hold(&self, thing: Thing) {
        let mut held = self.held.lock();
        if !held.has_ended && held.things.len() < MAX_HELD {
            held.things.push(thing);
        }
        drop(held);
        self.changed.notify_one();
    }

    #[cfg(test)]
    fn held(&self) -> usize {
        self.held.lock().things.len()
    }

    fn end(&self) {
        self.held.lock().has_ended = true;
        self.changed.notify_one();
    }

    /// Takes the things that no other code uses.
    fn take_unused(&self) -> Vec<Thing> {
        self.held.lock().things.extract_if(.., |thing| !thing.is_used()).collect()
    }

    /// Waits for things, or for some time while there are any; returns whether more may have come,
    /// `None` at the end.
    fn wait(&self, time: Duration) -> Option<bool> {
        let mut held = self.held.lock();
        let mut has_more = true;
        if !held.has_ended && held.things.is_empty() {
            self.changed.wait(&mut held);
        } else if !held.has_ended {
            has_more = !self.changed.wait_for(&mut held, time).timed_out();
        }
        (!held.has_ended).then_some(has_more)
    }
}

impl Thing {
    fn is_used(&self) -> bool {
        match self {
            Self::File(file) => has_name(file),
            Self::Memory(memory) => Arc::strong_count(memory) > 1,
        }
    }
}

/// Returns whether a file is still in a folder.
#[cfg(unix)]
fn has_name(file: &File) -> bool {
    use std::os::unix::fs::MetadataExt;
    file.metadata().is_ok_and(|metadata| metadata.nlink() > 0)
}

/// Returns true: on other systems the thread that removes a file waits for it.
#[cfg(not(unix))]
fn has_name(_: &File) -> bool {
    false
}

/// Removes until [`Things::end`].
fn run(things: &Things) {
    step_back();
    let [first, most] = LOOKS_AGAIN;
    let mut time = first;
    while let Some(has_more) = things.wait(time) {
        let unused = things.take_unused();
        time = if has_more || !unused.is_empty() { first } else { (time * 2).min(most) };
        // Dropped one after the other, without the lock.
        drop(unused);
    }
    drop(std::mem::take(&mut things.held.lock().things));
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[cfg(unix)]
    #[test]
    fn what_nobody_else_has_is_let_go() {
        let folder = tempfile::tempdir().unwrap();
        let [kept, removed] = ["kept", "removed"].map(|name| folder.path().join(name));
        let memory = Arc::new([1, 2, 3]);
        let remover = Remover::without_thread();
        for path in [&kept, &removed] {
            fs::write(path, "x").unwrap();
            remover.hold_file(path);
        }
        remover.hold_file(&folder.path().join("not there"));
        remover.hold_memory(Arc::clone(&memory) as Arc<_>);
        let things = &remover.things;
        assert!(things.take_unused().is_empty());
        fs::remove_file(&removed).unwrap();
        assert_eq!(things.take_unused().len(), 1);
        assert_eq!(things.held(), 2);
        std::thread::scope(|scope| {
            let thread = scope.spawn(|| run(things));
            fs::remove_file(&kept).unwrap();
            drop(memory);
            while things.held() > 0 {
                std::thread::yield_now();
            }
            remover.end();
            thread.join().unwrap();
        });
        remover.hold_file(folder.path());
        assert_eq!(things.held(), 0, "nobody would let it go");
    }

    #[test]
    fn the_thread_comes_with_the_first_thing() {
        let (remover, memory) = (Remover::new(), Arc::new(()));
        let others = Arc::downgrade(&memory);
        remover.hold_memory(memory);
        while others.strong_count() > 0 {
            std::thread::yield_now();
        }
        remover.end();
    }

    #[test]
    fn what_is_held_has_a_bound() {
        let remover = Remover::without_thread();
        (0..2 * MAX_HELD).for_each(|_| remover.hold_memory(Arc::new(())));
        assert_eq!(remover.held(), MAX_HELD);
    }
}
