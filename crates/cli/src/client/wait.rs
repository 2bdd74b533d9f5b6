//! Waiting for a future on one of tokio's runtimes.

use std::pin::Pin;
use tokio::runtime::Runtime;

/// Waits for a future. What tokio needs for that is compiled once, for all futures.
pub fn wait_on<T>(runtime: &Runtime, work: impl Future<Output = T>) -> T {
    let mut output = None;
    let work: Pin<Box<dyn Future<Output = ()> + '_>> = Box::pin(async {
        output = Some(work.await);
    });
    runtime.block_on(work);
    output.expect("the future has ended")
}
