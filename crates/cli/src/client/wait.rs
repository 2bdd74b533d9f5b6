//! Waiting for a future on one of tokio's runtimes.

use std::pin::{Pin, pin};
use tokio::runtime::Runtime;

/// Waits for a future. The compiler makes one copy of tokio's code for each type of result, instead
/// of one for each future.
pub fn wait_on<T>(runtime: &Runtime, work: impl Future<Output = T>) -> T {
    let work: Pin<&mut dyn Future<Output = T>> = pin!(work);
    runtime.block_on(work)
}
