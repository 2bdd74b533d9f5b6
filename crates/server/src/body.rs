//! Reading a request's body within its limits of size, time and shared memory.
//!
//! Invariant: no more than the limit is ever held; a body that came with the head in one packet
//! is handed on without a copy and without a timer.

use crate::config::Limits;
use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use hyper::body::{Body, Frame, Incoming};
use std::future::poll_fn;
use std::pin::Pin;
use std::task::Poll;
use std::time::Duration;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::timeout;

/// Why a body was not read.
#[derive(Debug)]
pub enum BodyFault {
    /// It is larger than allowed; holds what was not read.
    TooLarge(Incoming),
    /// It did not arrive in time.
    TooSlow,
    /// The connection broke, or the framing is wrong.
    Broken,
    /// Too many large bodies are held already.
    NoMemory,
}

/// Memory for large bodies, shared by all requests. A permit stands for 1 KiB.
#[derive(Debug)]
pub struct BodyMemory(Semaphore);

const KIB: usize = 1024;

impl BodyMemory {
    /// Returns room for this many bytes.
    pub fn new(bytes: usize) -> Self {
        Self(Semaphore::new((bytes / KIB).min(Semaphore::MAX_PERMITS)))
    }

    /// Reserves room, or returns `None` when there is not enough left.
    pub fn reserve(&self, bytes: usize) -> Option<SemaphorePermit<'_>> {
        let permits = u32::try_from(bytes.div_ceil(KIB)).ok()?;
        self.0.try_acquire_many(permits).ok()
    }
}

/// A body in memory, with the room it takes.
#[derive(Debug)]
pub struct ReadBody<'m> {
    /// The bytes as sent.
    pub bytes: Bytes,
    /// Held as long as the bytes are.
    pub room: Option<SemaphorePermit<'m>>,
}

/// Reads a whole body.
pub async fn read<'m>(
    mut body: Incoming,
    limits: &Limits,
    memory: &'m BodyMemory,
) -> Result<ReadBody<'m>, BodyFault> {
    if body.is_end_stream() {
        return Ok(ReadBody { bytes: Bytes::new(), room: None });
    }
    let declared = body.size_hint().exact();
    let most = declared.map_or(limits.body_bytes, |bytes| bytes.try_into().unwrap_or(usize::MAX));
    if most > limits.body_bytes {
        return Err(BodyFault::TooLarge(body));
    }
    let room = match most > limits.large_body_bytes {
        true => Some(memory.reserve(most).ok_or(BodyFault::NoMemory)?),
        false => None,
    };
    let first = match arrived(&mut body).await {
        Some(frame) => data_of(frame)?,
        None => Bytes::new(),
    };
    if body.is_end_stream() && first.len() <= limits.body_bytes {
        return Ok(ReadBody { bytes: first, room });
    }
    match timeout(limits.body_timeout, read_rest(&mut body, first, most)).await {
        Ok(Ok(Some(bytes))) => Ok(ReadBody { bytes, room }),
        Ok(Ok(None)) => Err(BodyFault::TooLarge(body)),
        Ok(Err(fault)) => Err(fault),
        Err(_) => Err(BodyFault::TooSlow),
    }
}

/// Returns the next frame if it has arrived already; does not wait.
async fn arrived(body: &mut Incoming) -> Option<Result<Frame<Bytes>, hyper::Error>> {
    poll_fn(|context| match Pin::new(&mut *body).poll_frame(context) {
        Poll::Ready(frame) => Poll::Ready(frame),
        Poll::Pending => Poll::Ready(None),
    })
    .await
}

/// Reads up to the end, or returns `None` as soon as there is more than `most`.
async fn read_rest(
    body: &mut Incoming,
    first: Bytes,
    most: usize,
) -> Result<Option<Bytes>, BodyFault> {
    /// How much is set aside before the client has sent it.
    const TRUSTED_BYTES: usize = 256 * KIB;
    let mut whole = BytesMut::with_capacity(most.min(TRUSTED_BYTES).max(first.len()));
    whole.extend_from_slice(&first);
    while whole.len() <= most {
        match body.frame().await {
            Some(frame) => whole.extend_from_slice(&data_of(frame)?),
            None => return Ok(Some(whole.freeze())),
        }
    }
    Ok(None)
}

/// Returns a frame's bytes; trailers have none.
fn data_of(frame: Result<Frame<Bytes>, hyper::Error>) -> Result<Bytes, BodyFault> {
    match frame {
        Ok(frame) => Ok(frame.into_data().unwrap_or_default()),
        Err(_) => Err(BodyFault::Broken),
    }
}

/// Reads and forgets what a client still sends of a body that was refused, so that it gets to
/// read the answer; gives up after as much again as the limits allow, or a few seconds.
pub async fn discard(mut body: Incoming, limits: &Limits) {
    const PATIENCE: Duration = Duration::from_secs(5);
    let reading = async {
        let mut left = limits.body_bytes;
        while let Some(Ok(frame)) = body.frame().await {
            let bytes = frame.data_ref().map_or(0, Bytes::len);
            match left.checked_sub(bytes) {
                Some(rest) => left = rest,
                None => return,
            }
        }
    };
    // Nobody waits for this: whether the end was reached makes no difference.
    drop(timeout(PATIENCE.min(limits.body_timeout), reading).await);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_is_bounded_and_given_back() {
        let memory = BodyMemory::new(64 * KIB);
        let whole = memory.reserve(63 * KIB + 1).unwrap();
        assert!(memory.reserve(1).is_none());
        drop(whole);
        assert!(memory.reserve(1).is_some());
        assert!(memory.reserve(usize::MAX).is_none());
    }
}
