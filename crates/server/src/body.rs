//! Reads a request's body within its limits of size, time and shared memory.
//!
//! Invariants: the server never holds more than the limit; a body that came with the head in one
//! packet is passed on without a copy and without a timer; for any other, memory is taken from the
//! shared budget as bytes arrive, not as the head announces. If the budget is used up, bodies wait
//! for each other and are not refused; if the system refuses memory, that is an error and not the
//! end of the program.

use crate::activity::OpenRequest;
use crate::config::Limits;
use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::body::{Body, Frame, Incoming};
use hyper::http::request::Parts;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::Poll;
use std::time::Duration;
use tokio::time::timeout;

/// Reason why a body was not read.
#[derive(Debug)]
pub enum BodyFault {
    /// The body is larger than allowed; holds the unread rest.
    TooLarge(Incoming),
    /// The body did not arrive in time.
    TooSlow,
    /// The connection broke, or the framing is wrong.
    Broken,
    /// The server holds too many bodies already; holds the unread rest.
    NoMemory(Incoming),
}

/// Reason why the rest of a body was not read.
enum RestFault {
    TooLarge,
    Broken,
    NoMemory,
}

/// Reads a whole body. `open` holds its room.
pub async fn read(
    mut body: Incoming,
    parts: &Parts,
    limits: &Limits,
    open: &mut OpenRequest,
) -> Result<Bytes, BodyFault> {
    if body.is_end_stream() {
        return Ok(Bytes::new());
    }
    let declared = body.size_hint().exact();
    let most = declared.map_or(limits.body_bytes, |bytes| bytes.try_into().unwrap_or(usize::MAX));
    if most > limits.body_bytes {
        return Err(BodyFault::TooLarge(body));
    }
    let first = match arrived(&mut body).await {
        Some(frame) => data_of(frame).map_err(|()| BodyFault::Broken)?,
        None => Bytes::new(),
    };
    if body.is_end_stream() && first.len() <= limits.body_bytes {
        return Ok(first);
    }
    open.begin_reading();
    // The head takes memory for as long as the body does.
    let head_bytes = head_bytes(parts);
    if !open.take_body(head_bytes) && !open.wait_for_body(head_bytes).await {
        return Err(BodyFault::NoMemory(body));
    }
    let read = timeout(limits.body_timeout, read_rest(&mut body, first, most, open)).await;
    open.end_reading();
    match read {
        Ok(Ok(bytes)) => Ok(bytes),
        Ok(Err(RestFault::TooLarge)) => Err(BodyFault::TooLarge(body)),
        Ok(Err(RestFault::NoMemory)) => Err(BodyFault::NoMemory(body)),
        Ok(Err(RestFault::Broken)) => Err(BodyFault::Broken),
        Err(_) => Err(BodyFault::TooSlow),
    }
}

/// Returns the approximate memory of a request's headers, in bytes.
fn head_bytes(parts: &Parts) -> usize {
    /// Memory of a header beside its text, in bytes.
    const HEADER_BYTES: usize = 64;
    let sizes = parts
        .headers
        .iter()
        .map(|(name, value)| name.as_str().len() + value.as_bytes().len() + HEADER_BYTES);
    sizes.sum::<usize>() + parts.uri.path().len()
}

/// Returns the next frame if it has arrived already; does not wait.
async fn arrived(body: &mut Incoming) -> Option<Result<Frame<Bytes>, hyper::Error>> {
    poll_fn(|context| match Pin::new(&mut *body).poll_frame(context) {
        Poll::Ready(frame) => Poll::Ready(frame),
        Poll::Pending => Poll::Ready(None),
    })
    .await
}

/// Reads up to the end, but no more than `most`.
async fn read_rest(
    body: &mut Incoming,
    first: Bytes,
    most: usize,
    open: &mut OpenRequest,
) -> Result<Bytes, RestFault> {
    /// Bytes in one time limit with which a client counts as sending.
    const STEP_BYTES: usize = 256 * 1024;
    let mut whole = Vec::new();
    append(&mut whole, &first, most, open).await?;
    drop(first);
    let mut noted = whole.len();
    while let Some(frame) = body.frame().await {
        let data = data_of(frame).map_err(|()| RestFault::Broken)?;
        append(&mut whole, &data, most, open).await?;
        if whole.len() - noted >= STEP_BYTES {
            noted = whole.len();
            open.note_body_progress();
        }
    }
    Ok(whole.into())
}

/// Appends bytes that have arrived. The buffer doubles, but not beyond `most`, and its room is
/// taken from the budget first. If the budget has none, the body waits for all of its rest at once,
/// so that it waits only once.
async fn append(
    whole: &mut Vec<u8>,
    data: &[u8],
    most: usize,
    open: &mut OpenRequest,
) -> Result<(), RestFault> {
    const LEAST_BYTES: usize = 4096;
    let length = whole.len() + data.len();
    if length > most {
        return Err(RestFault::TooLarge);
    }
    if length > whole.capacity() {
        let mut wanted = (length * 2).clamp(LEAST_BYTES.min(most), most);
        if !open.take_body(wanted - whole.capacity()) {
            wanted = most;
            if !open.wait_for_body(wanted - whole.capacity()).await {
                return Err(RestFault::NoMemory);
            }
        }
        let reserved = whole.try_reserve_exact(wanted - whole.len());
        reserved.map_err(|_| RestFault::NoMemory)?;
    }
    whole.extend_from_slice(data);
    Ok(())
}

/// Returns a frame's bytes; trailers have none.
fn data_of(frame: Result<Frame<Bytes>, hyper::Error>) -> Result<Bytes, ()> {
    match frame {
        Ok(frame) => Ok(frame.into_data().unwrap_or_default()),
        Err(_) => Err(()),
    }
}

/// Reads and drops the rest of a body that was refused, so that the client gets to read the answer;
/// gives up after as many bytes again as the limits allow, or after a few seconds.
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
    // No one waits for this, so it makes no difference whether the end was reached.
    drop(timeout(PATIENCE.min(limits.body_timeout), reading).await);
}
