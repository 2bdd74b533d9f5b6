//! Bare prepared SQL of single rows, as somebody would write it by hand: the comparison for a
//! server on PostgreSQL. One connection for each client, one statement at a time on each.

use crate::data;
use crate::histogram::Histogram;
use crate::load::{Numbers, Outcome};
use crate::random::Random;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::runtime::Runtime;
use tokio_postgres::{Client, NoTls, Statement};

const TABLE: &str = "CREATE TABLE items (pk text COLLATE \"C\", sk text COLLATE \"C\", hits bigint NOT NULL, \
     item bytea NOT NULL, PRIMARY KEY (pk, sk)); ALTER TABLE items ALTER COLUMN item SET STORAGE EXTERNAL";

/// Rows of one statement that fills the table.
const FILLED_AT_ONCE: u64 = 1000;

/// Work on a row, or on the rows of a partition key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// Reads a row.
    Get,
    /// Writes a row, new or existing.
    Put,
    /// Adds to a number of a row.
    Update,
    /// Reads the rows of a partition key in order.
    Query,
}

impl Work {
    const ALL: [Self; 4] = [Self::Get, Self::Put, Self::Update, Self::Query];

    fn text(self) -> &'static str {
        match self {
            Self::Get => "SELECT item FROM items WHERE pk = $1 AND sk = $2",
            Self::Put => {
                "INSERT INTO items VALUES ($1, $2, 0, $3) ON CONFLICT (pk, sk) DO UPDATE SET item = excluded.item"
            }
            Self::Update => "UPDATE items SET hits = hits + 1 WHERE pk = $1 AND sk = $2",
            Self::Query => "SELECT sk, item FROM items WHERE pk = $1 ORDER BY sk LIMIT 100",
        }
    }
}

/// Clients of a database with a table of rows.
#[derive(Debug)]
pub struct Sql {
    runtime: Runtime,
    clients: Vec<Arc<Prepared>>,
}

/// A connection with its statements.
#[derive(Debug)]
struct Prepared {
    client: Client,
    /// In the order of [`Work::ALL`].
    statements: Vec<Statement>,
}

impl Sql {
    /// Connects so many clients, after the first has created a table with so many rows.
    pub fn connect(url: &str, connections: usize, items: u64) -> Result<Self, String> {
        let runtime = data::runtime()?;
        let clients = runtime.block_on(connect_all(url, connections, items));
        Ok(Self { runtime, clients: clients.map_err(said)? })
    }

    /// Does the same work on the first so many connections, again and again.
    pub fn run(
        &self,
        work: Work,
        numbers: &Arc<Numbers>,
        connections: usize,
        (warm_up, duration): (Duration, Duration),
    ) -> Result<Outcome, String> {
        let counts_from = Instant::now() + warm_up;
        let (mut latencies, mut answers) = (Histogram::new(), 0);
        self.runtime.block_on(async {
            let clients = self.clients.iter().take(connections).zip(0..);
            let tasks: Vec<_> = clients
                .map(|(client, seed)| {
                    let (client, numbers) = (Arc::clone(client), Arc::clone(numbers));
                    tokio::spawn(async move {
                        client.repeat(work, &numbers, seed, counts_from, duration).await
                    })
                })
                .collect();
            for task in tasks {
                let done = task.await.map_err(|error| error.to_string())?;
                let (of_client, answers_of_client) = done.map_err(said)?;
                latencies.merge(&of_client);
                answers += answers_of_client;
            }
            Ok::<(), String>(())
        })?;
        let rate = latencies.total() as f64 / duration.as_secs_f64();
        Ok(Outcome { rate, latencies, answers })
    }
}

async fn connect_all(
    url: &str,
    connections: usize,
    items: u64,
) -> Result<Vec<Arc<Prepared>>, tokio_postgres::Error> {
    fill(&connect(url).await?, items).await?;
    let mut clients = Vec::with_capacity(connections);
    for _ in 0..connections {
        let client = connect(url).await?;
        let mut statements = Vec::with_capacity(Work::ALL.len());
        for work in Work::ALL {
            statements.push(client.prepare(work.text()).await?);
        }
        clients.push(Arc::new(Prepared { client, statements }));
    }
    Ok(clients)
}

async fn connect(url: &str) -> Result<Client, tokio_postgres::Error> {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
    // The client's next statement reports how a connection ended.
    tokio::spawn(async move { drop(connection.await) });
    Ok(client)
}

/// Creates the table with rows for the first items.
async fn fill(client: &Client, items: u64) -> Result<(), tokio_postgres::Error> {
    client.batch_execute(TABLE).await?;
    let text = "INSERT INTO items SELECT pk, sk, 0, item FROM unnest($1::text[], $2::text[], $3::bytea[]) \
                AS given (pk, sk, item)";
    let statement = client.prepare(text).await?;
    let mut from = 0;
    while from < items {
        let numbers = from..items.min(from + FILLED_AT_ONCE);
        let keys: Vec<_> = numbers.clone().map(data::partition_key).collect();
        let sorts: Vec<_> = numbers.clone().map(data::sort_key).collect();
        let rows: Vec<_> = numbers.clone().map(row).collect();
        client.execute(&statement, &[&keys, &sorts, &rows]).await?;
        from = numbers.end;
    }
    client.batch_execute("VACUUM ANALYZE items").await
}

/// Returns the row of the nth item: as many bytes as the item has.
fn row(nth: u64) -> Vec<u8> {
    data::item(nth).as_bytes().to_vec()
}

impl Prepared {
    /// Returns latencies of the work that began in time, and the number of all rounds of work.
    async fn repeat(
        &self,
        work: Work,
        numbers: &Numbers,
        seed: u64,
        counts_from: Instant,
        duration: Duration,
    ) -> Result<(Histogram, u64), tokio_postgres::Error> {
        let (mut random, mut latencies, mut answers) = (Random::new(seed), Histogram::new(), 0);
        let mut begun = Instant::now();
        loop {
            self.work(work, numbers.next(&mut random)).await?;
            answers += 1;
            let now = Instant::now();
            if now >= counts_from + duration {
                return Ok((latencies, answers));
            }
            if now >= counts_from {
                latencies.record(now - begun);
            }
            begun = now;
        }
    }

    async fn work(&self, work: Work, nth: u64) -> Result<(), tokio_postgres::Error> {
        let statement = &self.statements[work as usize];
        let (key, sort) = (data::partition_key(nth), data::sort_key(nth));
        match work {
            Work::Get => {
                let found = self.client.query_one(statement, &[&key, &sort]).await?;
                assert!(!found.get::<_, &[u8]>(0).is_empty(), "a row has an item");
            }
            Work::Put => {
                self.client.execute(statement, &[&key, &sort, &row(nth)]).await?;
            }
            Work::Update => {
                let changed = self.client.execute(statement, &[&key, &sort]).await?;
                assert_eq!(changed, 1, "the row is there");
            }
            Work::Query => {
                let found = self.client.query(statement, &[&key]).await?;
                let whole = found.iter().filter(|row| !row.get::<_, &[u8]>(1).is_empty());
                assert_eq!(whole.count(), 100, "the rows are there");
            }
        }
        Ok(())
    }
}

#[expect(clippy::needless_pass_by_value, reason = "map_err passes it so")]
fn said(error: tokio_postgres::Error) -> String {
    format!("bare SQL: {error}")
}
