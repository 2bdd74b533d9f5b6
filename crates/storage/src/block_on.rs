//! Waiting for a future from a thread that has no executor.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

/// Wakes one thread; `woken` tells a real wake-up from a spurious one.
struct ThreadWaker {
    thread: Thread,
    woken: AtomicBool,
}

impl Wake for ThreadWaker {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if !self.woken.swap(true, Ordering::Release) {
            self.thread.unpark();
        }
    }
}

/// Runs `future` to its end on this thread, parking the thread while it waits.
pub fn block_on<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    // Most reads are ready at once: poll before a real waker is made.
    if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        return output;
    }
    let mut output = None;
    park_until(&mut |context| match future.as_mut().poll(context) {
        Poll::Ready(ready) => {
            output = Some(ready);
            true
        }
        Poll::Pending => false,
    });
    output.expect("it was polled until it was ready")
}

/// Calls `is_ready` at once and after each wake-up of its context, until it returns true.
fn park_until(is_ready: &mut dyn FnMut(&mut Context<'_>) -> bool) {
    let shared = Arc::new(ThreadWaker { thread: thread::current(), woken: AtomicBool::new(false) });
    let waker = Waker::from(Arc::clone(&shared));
    let mut context = Context::from_waker(&waker);
    while !is_ready(&mut context) {
        while !shared.woken.swap(false, Ordering::Acquire) {
            thread::park();
        }
    }
}
