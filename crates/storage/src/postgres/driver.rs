//! The store's own thread and runtime, which drives connections, lanes and readers.
//!
//! Callers of the store need no runtime: only channels connect them to it. Dropping the driver ends
//! the thread, and waits for that no longer than [`END_TIMEOUT`].

use parking_lot::Mutex;
use std::io;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;
use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;

/// Most time that the drop of a driver waits for its thread.
const END_TIMEOUT: Duration = Duration::from_secs(2);

/// A thread with a runtime.
#[derive(Debug)]
pub(super) struct Driver {
    handle: Handle,
    stop: Option<oneshot::Sender<()>>,
    ended: Mutex<mpsc::Receiver<()>>,
}

impl Driver {
    /// Starts a thread.
    pub(super) fn start() -> io::Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let handle = runtime.handle().clone();
        let (stop, stopped) = oneshot::channel::<()>();
        let (end, ended) = mpsc::channel();
        thread::Builder::new().name("hashrange-pg".to_owned()).spawn(move || {
            // A message and the drop of the sender both mean the end.
            drop(runtime.block_on(stopped));
            runtime.shutdown_timeout(END_TIMEOUT / 2);
            drop(end);
        })?;
        Ok(Self { handle, stop: Some(stop), ended: Mutex::new(ended) })
    }

    pub(super) fn handle(&self) -> &Handle {
        &self.handle
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        drop(self.stop.take());
        // The thread drops its sender when it is done, which the receiver gets as an error, too.
        self.ended.lock().recv_timeout(END_TIMEOUT).ok();
    }
}
