//! One connection: hyper's protocols over a socket that notes activity.

use crate::activity::Activity;
use crate::config::Limits;
use crate::handler::Handler;
use hyper::Version;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use std::cell::RefCell;
use std::convert::Infallible;
use std::future::poll_fn;
use std::io;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

/// Protocols of a connection.
pub type Protocols = auto::Builder<TokioExecutor>;

/// Largest answer, head and body, that is copied into one piece, which the system takes faster than
/// two. Larger bodies are not copied.
const TOGETHER_MAX_BYTES: usize = 4096;

thread_local! {
    /// Buffer of these copies: one for each thread, so that nothing is filled with zeros.
    static TOGETHER: RefCell<Vec<u8>> = RefCell::new(Vec::with_capacity(TOGETHER_MAX_BYTES));
}

/// Returns the protocols: HTTP/1.1, and HTTP/2 for clients that begin with it.
pub fn protocols(limits: &Limits) -> Protocols {
    const STREAM_WINDOW_BYTES: u32 = 1024 * 1024;
    const HTTP2_PING_PERIOD: Duration = Duration::from_secs(30);
    let mut protocols = auto::Builder::new(TokioExecutor::new());
    // No timer here: the watch ends connections whose head does not arrive. No flush of pipelines:
    // hyper's would copy every body into the buffer of its head.
    protocols.http1().max_buf_size(limits.head_bytes.max(8192));
    protocols
        .http2()
        .timer(TokioTimer::new())
        .keep_alive_interval(HTTP2_PING_PERIOD)
        .keep_alive_timeout(limits.head_timeout)
        .max_concurrent_streams(limits.streams)
        .max_header_list_size(u32::try_from(limits.head_bytes).unwrap_or(u32::MAX))
        .initial_stream_window_size(STREAM_WINDOW_BYTES)
        .initial_connection_window_size(4 * STREAM_WINDOW_BYTES);
    protocols
}

/// Serves a connection until it ends.
pub async fn serve(
    stream: TcpStream,
    protocols: Arc<Protocols>,
    handler: Arc<Handler>,
    activity: Arc<Activity>,
) {
    let watched = Arc::clone(&activity);
    let service = service_fn(move |request| {
        let (handler, activity) = (Arc::clone(&handler), Arc::clone(&watched));
        async move {
            let open = activity.begin_request(request.version() == Version::HTTP_2);
            Ok::<_, Infallible>(handler.handle(request, open).await)
        }
    });
    let stream = TokioIo::new(Observed { stream, activity: Arc::clone(&activity) });
    let mut connection = pin!(protocols.serve_connection(stream, service));
    let mut told = false;
    let ended = poll_fn(|context| {
        activity.keep_waker(context.waker());
        if !told && activity.is_finishing() {
            told = true;
            connection.as_mut().graceful_shutdown();
        }
        connection.as_mut().poll(context)
    })
    .await;
    if let Err(error) = ended {
        // Broken connections and malformed requests are faults of the clients, so they are logged
        // at debug.
        tracing::debug!(error, "connection ended early");
    }
}

/// A socket that notes when bytes arrive, and when the client takes none.
struct Observed {
    stream: TcpStream,
    activity: Arc<Activity>,
}

impl AsyncRead for Observed {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let polled = Pin::new(&mut self.stream).poll_read(context, buffer);
        if polled.is_ready() {
            self.activity.note_received();
        }
        polled
    }
}

impl AsyncWrite for Observed {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.activity.note_blocked(polled.is_pending());
        polled
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let stream = Pin::new(&mut self.stream);
        let is_large = slices.iter().map(|slice| slice.len()).sum::<usize>() > TOGETHER_MAX_BYTES;
        let polled = if is_large {
            stream.poll_write_vectored(context, slices)
        } else {
            TOGETHER.with_borrow_mut(|together| {
                together.clear();
                for slice in slices {
                    together.extend_from_slice(slice);
                }
                stream.poll_write(context, together)
            })
        };
        self.activity.note_blocked(polled.is_pending());
        polled
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}
