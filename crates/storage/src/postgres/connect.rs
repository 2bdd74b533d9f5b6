//! Connections: how they are made, set up and given up.
//!
//! Every connection has its timeouts set on both sides, so that no wait is without end: the server ends a
//! statement that takes too long and a transaction that nobody goes on with, and the client gives up a
//! connection that does not answer.

use super::failure::{Failure, open_error, words};
use super::hosts::Hosts;
use super::open_error::OpenError;
use super::options::{PostgresOptions, Sharding};
use super::tls;
use super::url::{Address, TlsMode};
use parking_lot::Mutex;
use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::time::timeout;
use tokio_postgres::config::{Config, SslMode};
use tokio_postgres::{Client, NoTls};
use tokio_postgres_rustls::MakeRustlsConnect;

/// How long the client waits beyond the server's own limit.
const GRACE: Duration = Duration::from_secs(2);

/// Makes connections to one database.
pub(super) struct Connector {
    address: Address,
    hosts: Hosts,
    tls: Option<MakeRustlsConnect>,
    settings: String,
    schema: String,
    connect_timeout: Duration,
    answer_timeout: Duration,
}

/// A connection that is ready for use; dropping it closes it.
///
/// What it sends and receives moves only while somebody waits for an answer or for its end: in the task that
/// waits, of which there is one at a time. A task of the connection's own would have to be woken for every
/// request, and wake whoever waits for the answer.
pub(super) struct Connection {
    pub(super) client: Client,
    /// Sends and receives; gone when the connection has ended. Locked while it is polled.
    wire: Mutex<Option<Wire>>,
    answer_timeout: Duration,
}

type Wire = Pin<Box<dyn Future<Output = ()> + Send>>;

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
    /// Returns a connector; connects to nothing.
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

    /// Returns how long it may take until a connection is ready for use.
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

    /// Connects to the first host that will have it.
    async fn open_any(&self) -> Result<Connection, OpenError> {
        let (hosts, action) = (&self.address.hosts, "connect to the database");
        let limit = if self.hosts.len() == 1 { self.limit() } else { self.connect_timeout };
        let mut all = Vec::new();
        let mut refusal = None;
        for (nth, config) in self.hosts.in_turn() {
            match timeout(limit, self.open(config)).await {
                Ok(Ok(connection)) => {
                    self.hosts.answered(nth);
                    return Ok(connection);
                }
                Ok(Err(error)) => {
                    all.push(words(&error));
                    let said = open_error(&error, hosts, &self.schema, action);
                    // A host that refuses tells more than one that is away.
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
        Ok(Connection { client, wire: Mutex::new(Some(wire)), answer_timeout: self.answer_timeout })
    }
}

impl Connection {
    /// Waits until the connection has ended.
    pub(super) async fn ended(&self) {
        poll_fn(|context| self.poll_wire(context)).await;
    }

    /// Waits for what uses the client.
    pub(super) async fn drive<T>(&self, used: impl Future<Output = T>) -> T {
        let mut used = pin!(used);
        poll_fn(|context| {
            if let Poll::Ready(done) = used.as_mut().poll(context) {
                return Poll::Ready(done);
            }
            // Sends what was just asked for and brings what may be the answer: also that the connection has
            // ended.
            match self.poll_wire(context) {
                Poll::Ready(()) | Poll::Pending => used.as_mut().poll(context),
            }
        })
        .await
    }

    /// Sends and receives; ready when the connection has ended.
    fn poll_wire(&self, context: &mut Context<'_>) -> Poll<()> {
        let mut wire = self.wire.lock();
        if let Some(open) = &mut *wire {
            ready!(open.as_mut().poll(context));
            *wire = None;
        }
        Poll::Ready(())
    }

    /// Waits for an answer of the database, but not without end.
    pub(super) async fn answer<T>(
        &self,
        answer: impl Future<Output = Result<T, tokio_postgres::Error>>,
    ) -> Result<T, Failure> {
        let answered = timeout(self.answer_timeout, self.drive(answer)).await;
        answered
            .map_err(|_| Failure::Lost("the database did not answer in time".to_owned()))?
            .map_err(|error| Failure::of(&error))
    }
}

/// Returns how long the server lets a transaction be that nobody goes on with.
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
        // Keys are looked up one by one by the primary key, however few rows the planner thinks there are.
        Sharding::None | Sharding::Citus => settings.push_str(
            "SET enable_seqscan = off; SET enable_bitmapscan = off; SET enable_hashjoin = off; \
             SET enable_mergejoin = off; SET jit = off; SET plan_cache_mode = force_generic_plan; \
             SET default_transaction_isolation = 'read committed'",
        ),
    }
    settings
}
