//! Locks, atomics and threads of a scheduler, with the interface of the ordinary ones.
//!
//! Each operation is a place where another thread may go on. Atomics are stronger here than
//! elsewhere: all threads see them change in one order, so the effects of a weaker memory order are
//! not tried.

use shuttle::rand::Rng;
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, PoisonError};

pub(crate) use foldhash::fast::FixedState as RandomState;
pub(crate) use shuttle::sync::atomic;
pub(crate) use shuttle::sync::{RwLockReadGuard, RwLockWriteGuard};
pub(crate) use shuttle::thread;

/// Returns the number of parts that something is split into: so few that keys share one.
pub(crate) const fn shards(_: usize) -> usize {
    3
}

/// Returns the scheduler's decision in the place of the clock.
pub(crate) fn toss() -> Option<bool> {
    Some(shuttle::rand::thread_rng().r#gen())
}

/// Lets the scheduler choose the thread that goes on.
pub(crate) fn point() {
    atomic::AtomicBool::new(false).load(atomic::Ordering::SeqCst);
}

/// A lock without poison.
#[derive(Debug, Default)]
pub(crate) struct Mutex<T>(shuttle::sync::Mutex<T>);

/// Holds a [`Mutex`]; empty only while a [`Condvar`] waits with it.
#[derive(Debug)]
pub(crate) struct MutexGuard<'a, T>(Option<shuttle::sync::MutexGuard<'a, T>>);

impl<T> Mutex<T> {
    pub(crate) fn lock(&self) -> MutexGuard<'_, T> {
        MutexGuard(Some(self.0.lock().unwrap_or_else(PoisonError::into_inner)))
    }
}

impl<T> Deref for MutexGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0.as_ref().expect("no wait is going on")
    }
}

impl<T> DerefMut for MutexGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.0.as_mut().expect("no wait is going on")
    }
}

/// Waits for a change of the data behind a lock.
#[derive(Debug)]
pub(crate) struct Condvar(shuttle::sync::Condvar);

impl Condvar {
    pub(crate) fn new() -> Self {
        Self(shuttle::sync::Condvar::new())
    }

    pub(crate) fn wait<T>(&self, guard: &mut MutexGuard<'_, T>) {
        let held = guard.0.take().expect("no wait is going on");
        guard.0 = Some(self.0.wait(held).unwrap_or_else(PoisonError::into_inner));
    }

    pub(crate) fn notify_one(&self) {
        self.0.notify_one();
    }
}

/// A lock for many readers or one writer, without poison.
#[derive(Debug, Default)]
pub(crate) struct RwLock<T>(shuttle::sync::RwLock<T>);

impl<T> RwLock<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(shuttle::sync::RwLock::new(value))
    }

    pub(crate) fn read(&self) -> RwLockReadGuard<'_, T> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn write(&self) -> RwLockWriteGuard<'_, T> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A value that is exchanged whole.
#[derive(Debug)]
pub(crate) struct ArcSwap<T>(Mutex<Arc<T>>);

impl<T> ArcSwap<T> {
    pub(crate) fn from_pointee(value: T) -> Self {
        Self(Mutex(shuttle::sync::Mutex::new(Arc::new(value))))
    }

    pub(crate) fn load(&self) -> Arc<T> {
        Arc::clone(&self.0.lock())
    }

    pub(crate) fn load_full(&self) -> Arc<T> {
        self.load()
    }

    pub(crate) fn store(&self, value: Arc<T>) {
        *self.0.lock() = value;
    }
}

/// A value that is set once.
#[derive(Debug)]
pub(crate) struct OnceLock<T>(std::sync::OnceLock<T>);

impl<T> OnceLock<T> {
    pub(crate) fn new() -> Self {
        Self(std::sync::OnceLock::new())
    }

    pub(crate) fn get(&self) -> Option<&T> {
        point();
        self.0.get()
    }

    /// `init` must not wait.
    pub(crate) fn get_or_init(&self, init: impl FnOnce() -> T) -> &T {
        point();
        self.0.get_or_init(init)
    }
}
