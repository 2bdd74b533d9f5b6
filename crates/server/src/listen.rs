//! Accepts connections, and ends them all at shutdown.

use crate::activity::Activity;
use crate::api::Api;
use crate::budget::Budget;
use crate::config::{Config, Limits};
use crate::connection::{self, Protocols};
use crate::error::Error;
use crate::handler::Handler;
use crate::metrics::Metrics;
use crate::watch::Watch;
use crate::web::Rules;
use std::future::Future;
use std::io;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{sleep, timeout};

/// Future that [`run`] returns.
pub type Serving<'a> = Pin<Box<dyn Future<Output = Result<(), Error>> + Send + 'a>>;

/// Serves an API until `shutdown` is ready, then lets the running requests finish.
///
/// Ends once the last connection has ended, at the latest after the grace time.
pub fn run<'a>(
    listener: TcpListener,
    config: Config,
    api: Arc<dyn Api>,
    shutdown: impl Future<Output = ()> + Send + 'a,
) -> Serving<'a> {
    run_until(listener, config, api, Box::pin(shutdown))
}

/// Has no type parameters, so that this crate compiles the futures that it waits for.
fn run_until<'a>(
    listener: TcpListener,
    config: Config,
    api: Arc<dyn Api>,
    mut shutdown: Pin<Box<dyn Future<Output = ()> + Send + 'a>>,
) -> Serving<'a> {
    Box::pin(async move {
        let address = listener.local_addr().map_err(Error::Listen)?;
        config.check_address(address)?;
        let is_local = address.ip().to_canonical().is_loopback();
        let server = Server::new(config, is_local, api);
        tokio::select! {
            () = &mut shutdown => {}
            () = server.accept(&listener) => {}
            () = server.watch.run() => {}
        }
        drop(listener);
        server.drain().await;
        Ok(())
    })
}

struct Server {
    handler: Arc<Handler>,
    protocols: Arc<Protocols>,
    metrics: Arc<Metrics>,
    budget: Arc<Budget>,
    watch: Watch,
    limits: Limits,
    places: Arc<Semaphore>,
    places_total: u32,
}

impl Server {
    fn new(config: Config, is_local: bool, api: Arc<dyn Api>) -> Self {
        let limits = config.limits.clone();
        let metrics = config.figures.metrics();
        let budget = Arc::new(Budget::new(&limits));
        let rules = Rules::new(&config.web, config.auth.is_open(), is_local);
        let places_total = u32::try_from(limits.connections).unwrap_or(u32::MAX >> 3);
        Self {
            protocols: Arc::new(connection::protocols(&limits)),
            handler: Arc::new(Handler::new(api, config, rules, Arc::clone(&metrics))),
            watch: Watch::new(&limits, Arc::clone(&budget), Arc::clone(&metrics)),
            metrics,
            budget,
            limits,
            places: Arc::new(Semaphore::new(places_total as usize)),
            places_total,
        }
    }

    /// Accepts connections for ever, as many at once as there are places.
    async fn accept(&self, listener: &TcpListener) {
        /// Pause when the system has no more file descriptors.
        const PAUSE: Duration = Duration::from_millis(50);
        loop {
            match listener.accept().await {
                Ok((stream, peer)) => {
                    let peer = peer.ip().to_canonical();
                    let place = self.place(peer).await;
                    self.open(stream, peer, place);
                }
                Err(error) if is_of_one_connection(&error) => {}
                Err(error) => {
                    // Most likely there are no more file descriptors.
                    let ended = self.watch.make_place(UNKNOWN_PEER);
                    tracing::warn!(%error, ended, "accept connection");
                    sleep(PAUSE).await;
                }
            }
        }
    }

    /// Returns a place for a connection; if there is none, ends connections that can be spared.
    async fn place(&self, peer: IpAddr) -> OwnedSemaphorePermit {
        /// Pause before the next look for a connection to end.
        const PAUSE: Duration = Duration::from_millis(20);
        loop {
            if let Ok(place) = Arc::clone(&self.places).try_acquire_owned() {
                return place;
            }
            self.watch.make_place(peer);
            let freed = timeout(PAUSE, Arc::clone(&self.places).acquire_owned()).await;
            if let Ok(place) = freed {
                return place.expect("the semaphore is never closed");
            }
        }
    }

    fn open(&self, stream: TcpStream, peer: IpAddr, place: OwnedSemaphorePermit) {
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "set no delay");
        }
        let activity = Arc::new(Activity::new(peer, Arc::clone(&self.budget), &self.limits));
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

    /// Waits until all connections have ended; cuts off those that take too long.
    async fn drain(&self) {
        self.watch.finish_all();
        let all_places = || self.places.acquire_many(self.places_total);
        if timeout(self.limits.shutdown_grace, all_places()).await.is_err() {
            tracing::warn!("connections are cut off that did not end in time");
            self.watch.end_all();
            drop(all_places().await);
        }
    }
}

/// Address in the place of that of a client that could not be accepted.
const UNKNOWN_PEER: IpAddr = IpAddr::V4(std::net::Ipv4Addr::UNSPECIFIED);

/// Counts the end of a connection, for whatever reason, and frees its place.
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
