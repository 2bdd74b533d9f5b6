//! Accepting connections, and ending them all at shutdown.

use crate::api::Api;
use crate::config::Config;
use crate::connection::{self, Protocols};
use crate::error::Error;
use crate::handler::Handler;
use crate::metrics::Metrics;
use crate::watch::{Activity, Watch};
use std::future::Future;
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{sleep, timeout};

/// Serves an API until `shutdown` is ready, then finishes the requests that are running.
///
/// Returns once the last connection has ended, at the latest after the grace time.
pub async fn run<A: Api>(
    listener: TcpListener,
    config: Config,
    api: Arc<A>,
    shutdown: impl Future<Output = ()>,
) -> Result<(), Error> {
    config.check_address(listener.local_addr().map_err(Error::Listen)?)?;
    let limits = config.limits.clone();
    let server = Server::new(config, api);
    let mut shutdown = pin!(shutdown);
    tokio::select! {
        () = &mut shutdown => {}
        () = server.accept(&listener) => {}
        () = server.watch.run(&limits) => {}
    }
    drop(listener);
    server.drain(limits.shutdown_grace).await;
    Ok(())
}

struct Server<A> {
    handler: Arc<Handler<A>>,
    protocols: Arc<Protocols>,
    metrics: Arc<Metrics>,
    watch: Arc<Watch>,
    places: Arc<Semaphore>,
    places_total: u32,
}

impl<A: Api> Server<A> {
    fn new(config: Config, api: Arc<A>) -> Self {
        let metrics = Arc::new(Metrics::default());
        let places_total = u32::try_from(config.limits.connections).unwrap_or(u32::MAX >> 3);
        Self {
            protocols: Arc::new(connection::protocols(&config.limits)),
            handler: Arc::new(Handler::new(api, config, Arc::clone(&metrics))),
            metrics,
            watch: Arc::default(),
            places: Arc::new(Semaphore::new(places_total as usize)),
            places_total,
        }
    }

    /// Accepts connections for ever, as many at once as there are places.
    async fn accept(&self, listener: &TcpListener) {
        /// How long to wait when the system has no more file descriptors.
        const PAUSE: Duration = Duration::from_millis(50);
        loop {
            let place = Arc::clone(&self.places).acquire_owned().await;
            let place = place.expect("the semaphore is never closed");
            match listener.accept().await {
                Ok((stream, _)) => self.open(stream, place),
                Err(error) if is_of_one_connection(&error) => {}
                Err(error) => {
                    tracing::warn!(%error, "accept connection");
                    sleep(PAUSE).await;
                }
            }
        }
    }

    fn open(&self, stream: TcpStream, place: OwnedSemaphorePermit) {
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "set no delay");
        }
        let activity = Arc::new(Activity::default());
        let serving = connection::serve(
            stream,
            Arc::clone(&self.protocols),
            Arc::clone(&self.handler),
            Arc::clone(&activity),
        );
        self.metrics.connection_opened();
        let closing = Closing { metrics: Arc::clone(&self.metrics), _place: place };
        let task = tokio::spawn(async move {
            let _closing = closing;
            serving.await;
        });
        self.watch.add(activity, task.abort_handle());
    }

    /// Waits for all connections to end; those that take too long are cut off.
    async fn drain(&self, grace: Duration) {
        self.watch.finish_all();
        let all_places = || self.places.acquire_many(self.places_total);
        if timeout(grace, all_places()).await.is_err() {
            tracing::warn!("connections are cut off that did not end in time");
            self.watch.end_all();
            drop(all_places().await);
        }
    }
}

/// Counts the end of a connection, however it comes about, and frees its place.
struct Closing {
    metrics: Arc<Metrics>,
    _place: OwnedSemaphorePermit,
}

impl Drop for Closing {
    fn drop(&mut self) {
        self.metrics.connection_closed();
    }
}

/// Returns true for errors that concern one connection and not the listener.
fn is_of_one_connection(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionRefused
            | io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionReset
    )
}
