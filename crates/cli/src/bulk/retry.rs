//! Retries of calls while they may yet succeed.

use crate::client::{Backoff, Caller, Failure};
use crate::surroundings::random;
use hashrange::Operation;
use tokio::sync::watch;

/// True once work is to end; calls that have begun finish.
pub type Stop = watch::Receiver<bool>;

/// Waits after a failure. Returns false if it is time to give up, or if work is to end.
pub async fn wait(backoff: &mut Backoff, failure: Failure, stop: &mut Stop) -> bool {
    let Some(pause) = backoff.pause(failure, random()) else { return false };
    tokio::select! {
        () = tokio::time::sleep(pause) => true,
        _ = stop.wait_for(|is_stopped| *is_stopped) => false,
    }
}

/// Runs an operation, and again while it may yet succeed.
pub async fn call(
    caller: &Caller,
    operation: Operation,
    body: &[u8],
    stop: &mut Stop,
) -> anyhow::Result<Vec<u8>> {
    let mut backoff = Backoff::default();
    loop {
        let error = match caller.call_raw(operation, body.to_vec()).await {
            Ok(response) => return Ok(response),
            Err(error) => error,
        };
        let Some(failure) = Failure::of(&error) else { return Err(error) };
        if !wait(&mut backoff, failure, stop).await {
            return Err(error);
        }
    }
}
