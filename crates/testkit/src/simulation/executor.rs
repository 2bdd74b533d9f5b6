//! Polls tasks on one thread, in an order that fate chooses, and wakes sleepers when the virtual
//! clock has come to their time.

use super::fate::Fate;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::fmt;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Wake, Waker};

/// Number of a task.
pub(super) type TaskId = u64;

struct Task {
    future: Pin<Box<dyn Future<Output = ()>>>,
    woken: Arc<Woken>,
}

struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Release);
    }
}

/// The task that is being polled, to tell its waits from those that block the thread.
#[derive(Debug, Clone, Default)]
pub(super) struct Polled(Arc<Mutex<Option<Waker>>>);

impl Polled {
    fn set(&self, waker: Option<Waker>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = waker;
    }

    /// Returns true if the caller that polls a future blocks the thread until it is ready, so that
    /// nothing else can go on meanwhile.
    pub(super) fn is_blocked(&self, context: &Context<'_>) -> bool {
        let polled = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        polled.as_ref().is_none_or(|polled| polled.data() != context.waker().data())
    }
}

/// All tasks; clones share them.
#[derive(Clone)]
pub(super) struct Executor(Rc<Inner>);

struct Inner {
    fate: Fate,
    polled: Polled,
    tasks: RefCell<BTreeMap<TaskId, Task>>,
    /// Sleepers by the time at which they wake.
    sleepers: RefCell<BTreeMap<(u64, u64), Waker>>,
    next_id: Cell<u64>,
}

impl fmt::Debug for Executor {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Executor").finish_non_exhaustive()
    }
}

impl Executor {
    pub(super) fn new(fate: Fate) -> Self {
        Self(Rc::new(Inner {
            fate,
            polled: Polled::default(),
            tasks: RefCell::default(),
            sleepers: RefCell::default(),
            next_id: Cell::new(0),
        }))
    }

    pub(super) fn polled(&self) -> Polled {
        self.0.polled.clone()
    }

    fn next_id(&self) -> u64 {
        self.0.next_id.set(self.0.next_id.get() + 1);
        self.0.next_id.get()
    }

    pub(super) fn spawn(&self, future: impl Future<Output = ()> + 'static) -> TaskId {
        let id = self.next_id();
        let woken = Arc::new(Woken(AtomicBool::new(true)));
        self.0.tasks.borrow_mut().insert(id, Task { future: Box::pin(future), woken });
        id
    }

    /// Drops a task, unless it has ended.
    pub(super) fn abort(&self, id: TaskId) {
        let task = self.0.tasks.borrow_mut().remove(&id);
        drop(task);
    }

    /// Polls one of the tasks that can go on. Returns false if there is none.
    pub(super) fn poll_one(&self) -> bool {
        let ready: Vec<TaskId> = {
            let tasks = self.0.tasks.borrow();
            let is_woken = |task: &Task| task.woken.0.load(Ordering::Acquire);
            tasks.iter().filter(|(_, task)| is_woken(task)).map(|(id, _)| *id).collect()
        };
        if ready.is_empty() {
            return false;
        }
        let id = ready[self.0.fate.below(ready.len())];
        let taken = self.0.tasks.borrow_mut().remove(&id);
        let mut task = taken.expect("it was just found");
        task.woken.0.store(false, Ordering::Release);
        let waker = Waker::from(Arc::clone(&task.woken));
        self.0.polled.set(Some(waker.clone()));
        let polled = task.future.as_mut().poll(&mut Context::from_waker(&waker));
        self.0.polled.set(None);
        if polled.is_pending() {
            self.0.tasks.borrow_mut().insert(id, task);
        }
        true
    }

    /// Waits for a virtual time.
    pub(super) fn sleep(&self, ms: u64) -> impl Future<Output = ()> + use<> {
        let (executor, id) = (self.clone(), self.next_id());
        let until_ms = self.0.fate.now_ms() + ms;
        poll_fn(move |context| {
            let mut sleepers = executor.0.sleepers.borrow_mut();
            if executor.0.fate.now_ms() >= until_ms {
                sleepers.remove(&(until_ms, id));
                return Poll::Ready(());
            }
            sleepers.insert((until_ms, id), context.waker().clone());
            Poll::Pending
        })
    }

    /// Wakes the sleepers whose time has come.
    pub(super) fn wake_sleepers(&self) {
        let mut sleepers = self.0.sleepers.borrow_mut();
        let later = sleepers.split_off(&(self.0.fate.now_ms() + 1, 0));
        std::mem::replace(&mut *sleepers, later).into_values().for_each(Waker::wake);
    }

    /// Returns the time until the next sleeper wakes.
    pub(super) fn next_sleeper_ms(&self) -> Option<u64> {
        let sleepers = self.0.sleepers.borrow();
        let next = sleepers.first_key_value().map(|((until_ms, _), _)| *until_ms);
        next.map(|until_ms| until_ms.saturating_sub(self.0.fate.now_ms()))
    }
}
