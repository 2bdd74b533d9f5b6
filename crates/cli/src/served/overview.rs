//! The server's own operation `DescribeServer`: what the server is, its figures now and of the last
//! hour, the jobs of the caller's database, and the servers that share its store.
//!
//! | member | holds |
//! |---|---|
//! | `Server` | name, version, place of the data, region, whether it takes writes |
//! | `Now` | memory, disk, caches, connections, panics |
//! | `Points` | an hour in points of ten seconds, newest last; with `Since` those that ended after it |
//! | `Jobs`, `Servers` | those of `DescribeJobs` ([`super::own_operations`]) |
//!
//! With namespaces the figures are of the whole server, the jobs of the caller's namespace alone.

use super::own_operations::{JobAnswer, read};
use super::{Served, process};
use crate::surroundings;
use bytes::Bytes;
use hashrange::{ApiResult, Reason, Stats};
use hashrange_server::{Api, Figures, Gauges, OperationPoint, POINT, Point};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{MissedTickBehavior, interval, timeout};

/// Longest wait for the jobs, which a store tells that may not answer.
const JOBS_PATIENCE: Duration = Duration::from_secs(2);

/// Facts about a server that its start decided.
#[derive(Debug, Clone, Default)]
pub struct ServerFacts {
    /// Name of the machine, and the port.
    pub name: String,
    /// Time of the start, epoch milliseconds.
    pub started_at_ms: u64,
    /// `memory`, `embedded` or `postgres`.
    pub store: &'static str,
    /// Folder of the data.
    pub folder: Option<PathBuf>,
    /// Region.
    pub region: String,
    /// Profile, unless it is the default.
    pub profile: Option<String>,
    /// True if requests have to be signed.
    pub needs_keys: bool,
    /// True if each access key has tables of its own.
    pub namespaces: bool,
    /// Words of the operator to everybody who looks.
    pub banner: Option<String>,
}

/// Source of the answers of `DescribeServer`.
#[derive(Debug)]
pub struct Overview {
    facts: ServerFacts,
    figures: Arc<Figures>,
    root: Arc<Served>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "PascalCase")]
struct OfServer {
    since: Option<u64>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
struct Answer {
    server: ServerAnswer,
    now: NowAnswer,
    points: Vec<PointAnswer>,
    jobs: Vec<JobAnswer>,
    servers: Vec<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    why_no_jobs: Option<String>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
struct ServerAnswer {
    name: String,
    version: &'static str,
    started_at_ms: u64,
    now_ms: u64,
    store: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    folder: Option<String>,
    region: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    profile: Option<String>,
    credentials: &'static str,
    namespaces: bool,
    takes_writes: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    why_no_writes: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    banner: Option<String>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
struct NowAnswer {
    #[serde(flatten)]
    gauges: GaugesAnswer,
    #[serde(skip_serializing_if = "Option::is_none")]
    memory_of_caches_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    disk_free_bytes: Option<u64>,
    connections: u64,
    panics: u64,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
struct PointAnswer {
    at_ms: u64,
    seconds: u64,
    requests: u64,
    failed: u64,
    throttled: u64,
    connections: u64,
    #[serde(flatten)]
    gauges: GaugesAnswer,
    operations: Vec<OperationAnswer>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
struct GaugesAnswer {
    #[serde(skip_serializing_if = "Option::is_none")]
    memory_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    disk_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_hits: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_reads: Option<u64>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
struct OperationAnswer {
    operation: &'static str,
    requests: u32,
    failed: u32,
    p50_ms: f64,
    p99_ms: f64,
    worst_ms: f64,
}

/// An answer of `DescribeJobs`.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct JobsAnswer {
    jobs: Vec<JobAnswer>,
    servers: Vec<Value>,
}

impl Overview {
    /// Returns the overview of a server with this API.
    pub fn new(facts: ServerFacts, figures: Arc<Figures>, root: Arc<Served>) -> Self {
        Self { facts, figures, root }
    }

    /// Keeps the figures of the last hour, for ever.
    pub async fn keep(self: Arc<Self>) {
        let mut ticks = interval(POINT);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            self.collect();
        }
    }

    /// Ends a point of the figures.
    pub fn collect(&self) {
        self.figures.collect(surroundings::now_ms(), self.gauges());
    }

    /// Returns the sizes of a store in a folder; none in memory and on PostgreSQL, which has others.
    fn stats(&self) -> Option<Stats> {
        let is_folder = self.facts.store == "embedded" && !self.root.is_shared();
        is_folder.then(|| self.root.stats())
    }

    fn gauges(&self) -> Gauges {
        let stats = self.stats();
        Gauges {
            memory_bytes: process::resident_bytes(),
            disk_bytes: stats.as_ref().map(|stats| stats.disk_bytes),
            cache_hits: stats.as_ref().map(|it| it.cached_values.hits + it.cached_ranges.hits),
            cache_reads: stats.as_ref().map(|stats| {
                [&stats.cached_values, &stats.cached_ranges]
                    .iter()
                    .map(|looks| looks.hits + looks.misses)
                    .sum()
            }),
        }
    }

    /// Runs `DescribeServer` for a caller whose requests go to this API.
    pub async fn describe(&self, of_caller: &Arc<dyn Api>, body: &[u8]) -> ApiResult<Vec<u8>> {
        let OfServer { since } = read(body)?;
        let (jobs, why_no_jobs) = match jobs(of_caller).await {
            Ok(jobs) => (jobs, None),
            Err(why) => (JobsAnswer::default(), Some(why)),
        };
        let points = self.figures.points(since.unwrap_or(0));
        let answer = Answer {
            server: self.server(of_caller.check_writable()),
            now: self.now(),
            points: points.into_iter().map(PointAnswer::of).collect(),
            jobs: jobs.jobs,
            servers: jobs.servers,
            why_no_jobs,
        };
        Ok(serde_json::to_vec(&answer).map_err(|_| Reason::Internal)?)
    }

    fn server(&self, writable: Result<(), String>) -> ServerAnswer {
        let mut facts = self.facts.clone();
        facts.folder = facts.folder.filter(|_| !self.root.is_moved());
        if self.root.is_shared() {
            facts.store = "postgres";
        }
        ServerAnswer {
            name: facts.name,
            version: env!("CARGO_PKG_VERSION"),
            started_at_ms: facts.started_at_ms,
            now_ms: surroundings::now_ms(),
            store: facts.store,
            folder: facts.folder.map(|folder| folder.display().to_string()),
            region: facts.region,
            profile: facts.profile,
            credentials: if facts.needs_keys { "keys" } else { "any" },
            namespaces: facts.namespaces,
            takes_writes: writable.is_ok(),
            why_no_writes: writable.err(),
            banner: facts.banner,
        }
    }

    fn now(&self) -> NowAnswer {
        let folder = self.facts.folder.as_deref().filter(|_| !self.root.is_moved());
        NowAnswer {
            gauges: GaugesAnswer::of(self.gauges()),
            memory_of_caches_bytes: self.stats().map(|stats| stats.cache_bytes),
            disk_free_bytes: folder.and_then(process::free_bytes),
            connections: self.figures.connections(),
            panics: self.figures.panics() + self.root.background_panics(),
        }
    }
}

/// Asks for the jobs of a database.
async fn jobs(api: &Arc<dyn Api>) -> Result<JobsAnswer, String> {
    let asked = Arc::clone(api).call_own("DescribeJobs".to_owned(), Bytes::new());
    let answer = timeout(JOBS_PATIENCE, asked).await;
    let answer = answer.map_err(|_| "the store does not answer".to_owned())?;
    let answer = answer.map_err(|error| error.to_string())?;
    serde_json::from_slice(&answer).map_err(|error| error.to_string())
}

impl PointAnswer {
    fn of(point: Point) -> Self {
        Self {
            at_ms: point.at_ms,
            seconds: point.seconds,
            requests: point.requests,
            failed: point.failed,
            throttled: point.throttled,
            connections: point.connections,
            gauges: GaugesAnswer::of(point.gauges),
            operations: point.operations.into_iter().map(OperationAnswer::of).collect(),
        }
    }
}

impl GaugesAnswer {
    fn of(gauges: Gauges) -> Self {
        let Gauges { memory_bytes, disk_bytes, cache_hits, cache_reads } = gauges;
        Self { memory_bytes, disk_bytes, cache_hits, cache_reads }
    }
}

impl OperationAnswer {
    fn of(point: OperationPoint) -> Self {
        let ms = |micros: u32| f64::from(micros) / 1000.0;
        Self {
            operation: point.operation,
            requests: point.requests,
            failed: point.failed,
            p50_ms: ms(point.p50_us),
            p99_ms: ms(point.p99_us),
            worst_ms: ms(point.worst_us),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hashrange::Database;
    use serde_json::json;

    #[tokio::test]
    async fn points_are_told_from_a_moment_on() {
        let root = Arc::new(Served::Database(Database::memory()));
        let facts = ServerFacts { name: "a:1".to_owned(), store: "memory", ..Default::default() };
        let overview = Overview::new(facts, Arc::default(), Arc::clone(&root));
        overview.collect();
        overview.collect();
        let api: Arc<dyn Api> = root;
        let describe = async |request: Value| -> Value {
            let answer = overview.describe(&api, request.to_string().as_bytes()).await.unwrap();
            serde_json::from_slice(&answer).unwrap()
        };
        let all = describe(json!({})).await;
        assert_eq!(all["Points"].as_array().unwrap().len(), 1);
        assert_eq!(all["Points"][0]["Operations"], json!([]));
        assert_eq!(all["Server"]["Name"], "a:1");
        assert!(all.get("WhyNoJobs").is_none());
        let at_ms = all["Points"][0]["AtMs"].clone();
        assert_eq!(describe(json!({ "Since": at_ms })).await["Points"], json!([]));
        let refused = overview.describe(&api, br#"{"Sinc":1}"#).await.unwrap_err();
        assert!(refused.to_string().contains("unknown field `Sinc`"), "{refused}");
    }
}
