//! Connections: opens them, sets them up and gives them up.
//!
//! Every connection has its timeouts set on both sides, so that every wait ends: the server ends a
//! statement that takes too long and an idle transaction, and the client gives up a connection that
//! does not answer.
//!
//! Every connection is to the newest known host (`epochs.rs`): it is cut when another host is found
//! to be newer, and its answers do not count then.

use super::epochs::{Cut, Epochs, Origin};
use super::failure::{Failure, open_error, words};
use super::hosts::Hosts;
use super::open_error::OpenError;
use super::options::{PostgresOptions, Sharding};
use super::tls;
use super::url::{Address, TlsMode};
use parking_lot::Mutex;
use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Waker};
use std::time::Duration;
use tokio::time::timeout;
use tokio_postgres::config::{Config, SslMode, TargetSessionAttrs};
use tokio_postgres::{Client, NoTls, SimpleQueryMessage};
use tokio_postgres_rustls::MakeRustlsConnect;

/// Time that the client waits beyond the server's own limit.
const GRACE: Duration = Duration::from_secs(2);

/// Query of a host's origin: the system, the timeline it writes (null while it follows another one), and the time of
/// its start, which no other server has.
const ORIGIN: &str = "SELECT system_identifier, CASE WHEN pg_is_in_recovery() THEN NULL \
     ELSE substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) END, \
     (extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint FROM pg_control_system()";

/// Makes connections to one database.
pub(super) struct Connector {
    address: Address,
    hosts: Hosts,
    epochs: Epochs<Link>,
    tls: Option<MakeRustlsConnect>,
    settings: String,
    schema: String,
    connect_timeout: Duration,
    answer_timeout: Duration,
}

/// A connection that is ready for use; dropping it closes it.
///
/// It sends and receives only while a task waits for an answer or for its end: that task, of which
/// there is one at a time, drives it. A task of the connection's own would have to be woken for
/// every request, and to wake the waiting task for the answer.
pub(super) struct Connection {
    pub(super) client: Client,
    link: Arc<Link>,
    answer_timeout: Duration,
}

/// Socket of a connection, which other tasks may cut.
struct Link {
    /// Locked while it is polled.
    open: Mutex<Open>,
    is_cut: AtomicBool,
}

struct Open {
    /// `None` after the connection has ended.
    wire: Option<Wire>,
    /// Waker of the waiting task.
    waker: Option<Waker>,
}

type Wire = Pin<Box<dyn Future<Output = ()> + Send>>;

impl Cut for Link {
    fn cut(&self) {
        self.is_cut.store(true, Ordering::Release);
        let (wire, waker) = {
            let mut open = self.open.lock();
            (open.wire.take(), open.waker.take())
        };
        // Wakes the task that waits for an answer, which will not come.
        drop(wire);
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

impl std::fmt::Debug for Connection {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Connection").finish_non_exhaustive()
    }
}

impl std::fmt::Debug for Connector {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Connector").field("address", &self.address).finish_non_exhaustive()
    }
}

impl Connector {
    /// Returns a connector, without connecting.
    pub(super) fn new(mut address: Address, options: &PostgresOptions) -> Result<Self, OpenError> {
        let tls = match address.tls {
            TlsMode::Disable => None,
            TlsMode::Require | TlsMode::VerifyFull => Some(tls::connector(&address)?),
        };
        let mode = if tls.is_some() { SslMode::Require } else { SslMode::Disable };
        address
            .config
            .ssl_mode(mode)
            .connect_timeout(options.connect_timeout)
            .tcp_user_timeout(options.statement_timeout)
            .keepalives(true)
            .keepalives_idle(Duration::from_secs(15))
            .keepalives_interval(Duration::from_secs(5))
            .keepalives_retries(3);
        if address.config.get_application_name().is_none() {
            address.config.application_name("hashrange");
        }
        Ok(Self {
            tls,
            settings: settings(options),
            schema: options.schema.clone(),
            connect_timeout: options.connect_timeout,
            answer_timeout: options.statement_timeout + GRACE,
            hosts: Hosts::of(&address.config),
            epochs: Epochs::new(),
            address,
        })
    }

    /// Returns a new connection with its settings made.
    pub(super) async fn connect(&self) -> Result<Connection, OpenError> {
        let hosts = &self.address.hosts;
        let whole = self.limit();
        let connection = timeout(whole, self.open_any()).await.map_err(|_| self.no_answer())??;
        let set = connection.drive(connection.client.batch_execute(&self.settings));
        let set = timeout(whole, set).await;
        set.map_err(|_| self.no_answer())?
            .map_err(|error| open_error(&error, hosts, &self.schema, "set up a connection"))?;
        Ok(connection)
    }

    /// Returns the most time that it takes until a connection is ready for use.
    pub(super) fn limit(&self) -> Duration {
        self.connect_timeout * u32::try_from(self.hosts.len() + 1).unwrap_or(u32::MAX)
    }

    /// Returns the failure of a connection that was not ready in time.
    pub(super) fn unanswered(&self) -> Failure {
        Failure::Lost(self.no_answer().to_string())
    }

    fn no_answer(&self) -> OpenError {
        let why = "no answer in time".to_owned();
        OpenError::Unreachable { host: self.address.hosts.clone(), why }
    }

    pub(super) fn hosts(&self) -> &str {
        &self.address.hosts
    }

    pub(super) fn host_count(&self) -> usize {
        self.hosts.len()
    }

    /// Connects to one host, in any state, to look at it.
    pub(super) async fn connect_to(&self, nth: usize) -> Option<Connection> {
        let mut config = self.hosts.config(nth)?.clone();
        config.target_session_attrs(TargetSessionAttrs::Any);
        timeout(self.connect_timeout, self.open(&config)).await.ok()?.ok()
    }

    /// Looks at the state of a host, notes it if it is newer than all others, and returns whether
    /// the host has answered.
    pub(super) async fn look(&self, nth: usize, connection: &Connection) -> bool {
        let Ok(told) = timeout(self.connect_timeout, origin(connection)).await else {
            return false;
        };
        if let Ok(Some(origin)) = told
            && self.epochs.noticed(origin)
        {
            self.hosts.answered(nth);
        }
        told.is_ok()
    }

    /// Connects to the first host that accepts a connection.
    async fn open_any(&self) -> Result<Connection, OpenError> {
        let (hosts, action) = (&self.address.hosts, "connect to the database");
        let limit = if self.hosts.len() == 1 { self.limit() } else { self.connect_timeout };
        let mut all = Vec::new();
        let mut refusal = None;
        for (nth, config) in self.hosts.in_turn() {
            let opened = async {
                let connection = self.open(config).await?;
                let origin = origin(&connection).await?.unwrap_or(Origin::of_silent(nth));
                Ok::<_, tokio_postgres::Error>((connection, origin))
            };
            match timeout(limit, opened).await {
                Ok(Ok((connection, origin))) => match self.epochs.admit(origin, &connection.link) {
                    Ok(()) => {
                        self.hosts.answered(nth);
                        return Ok(connection);
                    }
                    Err(older) => all.push(older.to_string()),
                },
                Ok(Err(error)) => {
                    all.push(words(&error));
                    let said = open_error(&error, hosts, &self.schema, action);
                    // The refusal of a host says more than the absence of another.
                    if !matches!(said, OpenError::Unreachable { .. }) || self.hosts.len() == 1 {
                        refusal = Some(said);
                    }
                }
                Err(_) => all.push("no answer in time".to_owned()),
            }
        }
        let unreachable = || OpenError::Unreachable { host: hosts.clone(), why: all.join("; ") };
        Err(refusal.unwrap_or_else(unreachable))
    }

    async fn open(&self, config: &Config) -> Result<Connection, tokio_postgres::Error> {
        let (client, wire): (Client, Wire) = if let Some(tls) = &self.tls {
            let (client, connection) = config.connect(tls.clone()).await?;
            (client, Box::pin(async move { drop(connection.await) }))
        } else {
            let (client, connection) = config.connect(NoTls).await?;
            (client, Box::pin(async move { drop(connection.await) }))
        };
        let open = Mutex::new(Open { wire: Some(wire), waker: None });
        let link = Arc::new(Link { open, is_cut: AtomicBool::new(false) });
        Ok(Connection { client, link, answer_timeout: self.answer_timeout })
    }
}

impl Connection {
    /// Waits until the connection has ended.
    pub(super) async fn ended(&self) {
        poll_fn(|context| self.poll_wire(context)).await;
    }

    /// Drives the connection while a future uses its client.
    pub(super) async fn drive<T>(&self, used: impl Future<Output = T>) -> T {
        let mut used = pin!(used);
        poll_fn(|context| {
            if let Poll::Ready(done) = used.as_mut().poll(context) {
                return Poll::Ready(done);
            }
            // Sends the new request and receives what may be its answer, or the end of the
            // connection.
            match self.poll_wire(context) {
                Poll::Ready(()) | Poll::Pending => used.as_mut().poll(context),
            }
        })
        .await
    }

    /// Sends and receives; ready when the connection has ended.
    fn poll_wire(&self, context: &mut Context<'_>) -> Poll<()> {
        let mut open = self.link.open.lock();
        let Some(wire) = &mut open.wire else { return Poll::Ready(()) };
        if wire.as_mut().poll(context).is_ready() {
            open.wire = None;
            return Poll::Ready(());
        }
        if !open.waker.as_ref().is_some_and(|waker| waker.will_wake(context.waker())) {
            open.waker = Some(context.waker().clone());
        }
        Poll::Pending
    }

    /// Waits a bounded time for an answer of the database.
    pub(super) async fn answer<T>(
        &self,
        answer: impl Future<Output = Result<T, tokio_postgres::Error>>,
    ) -> Result<T, Failure> {
        let answered = timeout(self.answer_timeout, self.drive(answer)).await;
        if self.link.is_cut.load(Ordering::Acquire) {
            return Err(Failure::Lost("another host of the URL has taken over".to_owned()));
        }
        answered
            .map_err(|_| Failure::Lost("the database did not answer in time".to_owned()))?
            .map_err(|error| Failure::of(&error))
    }
}

/// Asks the server of a connection for its state: `None` if it follows another one, or does not
/// know these functions.
async fn origin(connection: &Connection) -> Result<Option<Origin>, tokio_postgres::Error> {
    let told = match connection.drive(connection.client.simple_query(ORIGIN)).await {
        Err(error) if error.code().is_some() => return Ok(None),
        told => told?,
    };
    let row = told.iter().find_map(|message| match message {
        SimpleQueryMessage::Row(row) => Some(row),
        _ => None,
    });
    Ok(row.and_then(|row| {
        Some(Origin {
            system: row.get(0)?.parse().ok()?,
            timeline: u32::from_str_radix(row.get(1)?, 16).ok()?,
            server: row.get(2)?.parse().ok()?,
        })
    }))
}

/// Returns the time after which the server ends an idle transaction.
pub(super) fn idle_timeout(options: &PostgresOptions) -> Duration {
    options.decide_timeout * 2 + GRACE
}

/// Returns the statements that set a connection up.
fn settings(options: &PostgresOptions) -> String {
    let idle = idle_timeout(options).as_millis();
    let mut settings = format!(
        "SET statement_timeout = {}; SET lock_timeout = {}; \
         SET idle_in_transaction_session_timeout = {idle};",
        options.statement_timeout.as_millis(),
        options.lock_timeout.as_millis(),
    );
    match options.sharding {
        // Keys are looked up one by one by the primary key, however few rows the planner expects.
        Sharding::None | Sharding::Citus => settings.push_str(
            "SET enable_seqscan = off; SET enable_bitmapscan = off; SET enable_hashjoin = off; \
             SET enable_mergejoin = off; SET jit = off; SET plan_cache_mode = force_generic_plan; \
             SET default_transaction_isolation = 'read committed'",
        ),
    }
    settings
}
