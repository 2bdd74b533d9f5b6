//! The lanes on which jobs run: a few threads, between which the jobs of all tables take turns.
//!
//! A job yields after each of its steps ([`Pace::step`]), which is one commit or one bounded read.
//! Then the next table has its turn, and within a table its next job: however long a job takes,
//! every other one goes on after at most one step of each table. A job keeps its state while it
//! waits, so yielding costs no work.

use super::seen::Tally;
use super::{Interruption, go_on};
use crate::schema::TableId;
use hashrange_storage::block_on;
use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::Poll;
use std::thread::JoinHandle;

/// Maximum of threads: two, so that a job whose step waits for a slow disk does not hold up the
/// others.
const LANES_MAX: usize = 2;

/// Handle by which a job yields between its steps.
#[derive(Debug)]
pub(super) struct Pace {
    stopping: Arc<AtomicBool>,
    tally: Arc<Tally>,
    gave_way: AtomicBool,
}

impl Pace {
    /// Yields to other jobs once; fails when the jobs are being stopped.
    pub(super) async fn step(&self) -> Result<(), Interruption> {
        let mut has_given_way = false;
        poll_fn(|_| {
            if has_given_way {
                return Poll::Ready(());
            }
            has_given_way = true;
            // [`Running::turn`] reads this flag and polls the job again at its next turn: no waker.
            self.gave_way.store(true, Ordering::Release);
            Poll::Pending
        })
        .await;
        go_on(&self.stopping)
    }

    /// Returns the count of what the job has done.
    pub(super) fn tally(&self) -> &Tally {
        &self.tally
    }
}

/// A job under way.
struct Running {
    table: TableId,
    work: Pin<Box<dyn Future<Output = ()> + Send>>,
    pace: Arc<Pace>,
}

impl Running {
    /// Polls the job until it yields or ends. Returns whether it has ended.
    async fn turn(&mut self) -> bool {
        poll_fn(|context| match self.work.as_mut().poll(context) {
            Poll::Ready(()) => Poll::Ready(true),
            Poll::Pending if self.pace.gave_way.swap(false, Ordering::AcqRel) => Poll::Ready(false),
            Poll::Pending => Poll::Pending,
        })
        .await
    }
}

impl fmt::Debug for Running {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Running").field("table", &self.table).finish_non_exhaustive()
    }
}

/// Jobs that wait for their turn: by table, and the tables in turn.
#[derive(Debug, Default)]
struct Turns {
    /// Invariant: each table of `waiting` once, and no other.
    tables: VecDeque<TableId>,
    /// Invariant: no queue is empty.
    waiting: BTreeMap<TableId, VecDeque<Running>>,
}

impl Turns {
    fn push(&mut self, running: Running) {
        let table = running.table;
        let queue = self.waiting.entry(table).or_default();
        queue.push_back(running);
        if queue.len() == 1 {
            self.tables.push_back(table);
        }
    }

    fn pop(&mut self) -> Option<Running> {
        let table = self.tables.pop_front()?;
        let queue = self.waiting.get_mut(&table).expect("a table in turn has waiting jobs");
        let next = queue.pop_front();
        if queue.is_empty() {
            self.waiting.remove(&table);
        } else {
            self.tables.push_back(table);
        }
        assert_eq!(self.tables.len(), self.waiting.len(), "every waiting table is in turn once");
        next
    }

    fn clear(&mut self) {
        self.tables.clear();
        self.waiting.clear();
    }
}

/// The lanes. Dropping them interrupts the jobs.
#[derive(Debug, Default)]
pub(super) struct Lanes {
    shared: Arc<Shared>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

#[derive(Debug, Default)]
struct Shared {
    turns: Mutex<Turns>,
    /// Notified when a job is queued and when the lanes stop.
    changed: Condvar,
    stopping: Arc<AtomicBool>,
}

impl Shared {
    fn turns(&self) -> MutexGuard<'_, Turns> {
        self.turns.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Acquire)
    }

    fn push(&self, running: Running) {
        self.turns().push(running);
        self.changed.notify_one();
    }

    /// Waits for the next job in turn; returns `None` if the lanes stop.
    fn next(&self) -> Option<Running> {
        let mut turns = self.turns();
        loop {
            if self.is_stopping() {
                return None;
            }
            match turns.pop() {
                Some(running) => return Some(running),
                None => {
                    turns = self.changed.wait(turns).unwrap_or_else(PoisonError::into_inner);
                }
            }
        }
    }

    /// Runs jobs until the lanes stop.
    fn work(&self) {
        while let Some(mut running) = self.next() {
            if !block_on(running.turn()) {
                self.push(running);
            }
        }
    }
}

impl Lanes {
    /// Queues a job. `start` makes its work, which must not panic.
    pub(super) fn queue<W>(
        &self,
        table: TableId,
        tally: Arc<Tally>,
        start: impl FnOnce(Arc<Pace>) -> W,
    ) where
        W: Future<Output = ()> + Send + 'static,
    {
        if self.shared.is_stopping() {
            return;
        }
        let stopping = Arc::clone(&self.shared.stopping);
        let pace = Arc::new(Pace { stopping, tally, gave_way: AtomicBool::new(false) });
        let work = Box::pin(start(Arc::clone(&pace)));
        self.shared.push(Running { table, work, pace });
    }

    /// Starts another thread, unless there are enough.
    pub(super) fn open(&self) {
        let mut threads = self.threads();
        if threads.len() < LANES_MAX && !self.shared.is_stopping() {
            let shared = Arc::clone(&self.shared);
            let thread = std::thread::Builder::new()
                .name("hashrange-jobs".to_owned())
                .spawn(move || shared.work())
                .expect("a thread can be started");
            threads.push(thread);
        }
    }

    /// Runs the queued jobs to their ends, where no thread does. The caller polls it to its own
    /// end.
    pub(super) async fn run(&self) {
        loop {
            let next = self.shared.turns().pop();
            let Some(mut running) = next.filter(|_| !self.shared.is_stopping()) else { return };
            if !running.turn().await {
                self.shared.push(running);
            }
        }
    }

    /// Interrupts the jobs and waits for the threads.
    pub(super) fn stop(&self) {
        self.shared.stopping.store(true, Ordering::Release);
        // The lock is taken so that no thread is between its test of the flag and its wait.
        self.shared.turns().clear();
        self.shared.changed.notify_all();
        for thread in std::mem::take(&mut *self.threads()) {
            if thread.join().is_err() {
                tracing::error!("a job thread has panicked");
            }
        }
        self.shared.turns().clear();
    }

    fn threads(&self) -> MutexGuard<'_, Vec<JoinHandle<()>>> {
        self.threads.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Lanes {
    fn drop(&mut self) {
        self.stop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    /// Queues a job that records its name at each of its steps.
    fn queue(lanes: &Lanes, table: u32, name: &'static str, steps: usize, log: &Log) {
        let log = Arc::clone(log);
        lanes.queue(TableId(table), Arc::default(), |pace| async move {
            for _ in 0..steps {
                log.lock().unwrap().push(name);
                if pace.step().await.is_err() {
                    return;
                }
            }
        });
    }

    type Log = Arc<Mutex<Vec<&'static str>>>;

    #[test]
    fn tables_take_turns_and_so_do_the_jobs_of_a_table() {
        let (lanes, log) = (Lanes::default(), Log::default());
        for (table, name, steps) in [(1, "a", 4), (1, "b", 2), (2, "c", 3)] {
            queue(&lanes, table, name, steps, &log);
        }
        block_on(lanes.run());
        // Every other step is table 2's until it has no job left.
        assert_eq!(*log.lock().unwrap(), ["a", "c", "b", "c", "a", "c", "b", "a", "a"]);
    }

    #[test]
    fn a_job_without_an_end_holds_up_none_and_is_interrupted() {
        let (lanes, log) = (Lanes::default(), Log::default());
        for table in 0..10 {
            queue(&lanes, table, "endless", usize::MAX, &log);
        }
        let (ended, end) = std::sync::mpsc::channel();
        lanes.queue(TableId(10), Arc::default(), |pace| async move {
            for _ in 0..3 {
                pace.step().await.unwrap();
            }
            ended.send(()).unwrap();
        });
        lanes.open();
        end.recv().unwrap();
        lanes.stop();
        queue(&lanes, 11, "late", 1, &log);
        assert!(!log.lock().unwrap().contains(&"late"));
    }
}
