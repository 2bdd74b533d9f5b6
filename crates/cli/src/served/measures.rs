//! Figures of a database for `/metrics`: on PostgreSQL the traffic of its store, and its view of
//! other servers; in memory or in a folder the bytes that it holds; its tables and jobs.
//!
//! Labels are bounded: the first [`TABLES_MAX`] tables by name, and [`JOBS_MAX`] jobs.

use super::own_operations::kind_name;
use hashrange::{Database, JobSeen, ServersSeen, Stats, TableSize};
use hashrange_server::{Kind, Measure, Value};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::time::Duration;
use tokio::time::timeout;

/// Most tables with figures of their own.
const TABLES_MAX: usize = 100;
/// Most jobs with figures of their own.
const JOBS_MAX: usize = 100;
/// Longest wait for the figures that are read from the store.
const PATIENCE: Duration = Duration::from_secs(1);

const VALUES: &str = "kind=\"values\"";
const RANGES: &str = "kind=\"ranges\"";

/// Returns the figures of a database.
pub async fn of(database: &Database) -> Vec<Measure> {
    let mut measures = match database.servers_seen() {
        None => of_folder(&database.stats()),
        Some(seen) => {
            let mut measures = of_servers(seen);
            measures.extend(of_store(database));
            measures
        }
    };
    measures.push(gauge("hashrange_tables", "Tables.", database.table_count() as u64));
    // A store that does not answer leaves out what it would tell.
    let sizes = timeout(PATIENCE, database.table_sizes(TABLES_MAX)).await;
    measures.extend(sizes.into_iter().flatten().flat_map(|sizes| of_tables(&sizes)));
    let jobs = timeout(PATIENCE, database.jobs_seen()).await;
    measures.extend(jobs.into_iter().flatten().flat_map(|jobs| of_jobs(&jobs)));
    measures
}

fn of_tables(sizes: &[TableSize]) -> [Measure; 2] {
    let by_table = |name, help, of: fn(&TableSize) -> u64| {
        let value = |size: &TableSize| {
            (Cow::Owned(format!("table=\"{}\"", size.name)), Value::Number(of(size)))
        };
        Measure { name, kind: Kind::Gauge, help, values: sizes.iter().map(value).collect() }
    };
    [
        by_table("hashrange_table_items", "Items by table.", |size| size.items),
        by_table("hashrange_table_bytes", "Bytes of items by table.", |size| size.bytes),
    ]
}

fn of_jobs(jobs: &[JobSeen]) -> [Measure; 3] {
    let mut kinds: BTreeMap<&str, u64> = BTreeMap::new();
    for job in jobs {
        *kinds.entry(kind_name(job.kind)).or_default() += 1;
    }
    let kinds = kinds
        .into_iter()
        .map(|(kind, count)| (Cow::Owned(format!("kind=\"{kind}\"")), Value::Number(count)));
    let by_job = |name, help, of: fn(&JobSeen) -> Option<u64>| {
        let value = |job: &JobSeen| Some((Cow::Owned(labels(job)), Value::Number(of(job)?)));
        let values = jobs.iter().take(JOBS_MAX).filter_map(value).collect();
        Measure { name, kind: Kind::Gauge, help, values }
    };
    [
        Measure {
            name: "hashrange_jobs",
            kind: Kind::Gauge,
            help: "Work in the background that has not ended.",
            values: kinds.collect(),
        },
        by_job("hashrange_job_done", "Items, entries or keys that a job has done.", |it| it.done),
        by_job("hashrange_job_of", "Items of which the job does each once.", |job| job.of),
    ]
}

/// Returns the labels of a job. Names of tables and indexes have no characters with a meaning there.
fn labels(job: &JobSeen) -> String {
    let names = [("table", &job.table), ("index", &job.index)].into_iter();
    let named = names.filter_map(|(name, value)| Some(format!("{name}=\"{}\"", value.as_ref()?)));
    let kind = format!("kind=\"{}\"", kind_name(job.kind));
    std::iter::once(kind).chain(named).collect::<Vec<_>>().join(",")
}

fn of_folder(stats: &Stats) -> Vec<Measure> {
    vec![
        gauge("hashrange_store_disk_bytes", "Bytes of the store's files.", stats.disk_bytes),
        gauge("hashrange_store_cache_bytes", "Bytes of cached data.", stats.cache_bytes),
        by_kind(
            "hashrange_store_cache_hits_total",
            Kind::Counter,
            "Reads of values and ranges of entries that found them in memory.",
            [(VALUES, stats.cached_values.hits), (RANGES, stats.cached_ranges.hits)],
        ),
        by_kind(
            "hashrange_store_cache_misses_total",
            Kind::Counter,
            "Reads of values and ranges of entries that did not find them in memory.",
            [(VALUES, stats.cached_values.misses), (RANGES, stats.cached_ranges.misses)],
        ),
        gauge(
            "hashrange_store_write_buffer_bytes",
            "Bytes written and not yet in sorted files.",
            stats.write_buffer_bytes,
        ),
    ]
}

fn by_kind(
    name: &'static str,
    kind: Kind,
    help: &'static str,
    values: [(&'static str, u64); 2],
) -> Measure {
    let values = values.into_iter().map(|(labels, value)| (labels.into(), Value::Number(value)));
    Measure { name, kind, help, values: values.collect() }
}

fn gauge(name: &'static str, help: &'static str, value: u64) -> Measure {
    Measure { name, kind: Kind::Gauge, help, values: vec![("".into(), Value::Number(value))] }
}

fn of_servers(seen: ServersSeen) -> Vec<Measure> {
    vec![
        gauge(
            "hashrange_servers_alive",
            "Servers on the same store that this one takes for alive.",
            seen.alive,
        ),
        Measure {
            name: "hashrange_servers_clock_difference_seconds",
            kind: Kind::Gauge,
            help: "Largest known difference between the clocks of this server and of another one.",
            values: vec![("".into(), Value::Micros(seen.clock_difference_ms.saturating_mul(1000)))],
        },
        gauge(
            "hashrange_servers_clock_trusted",
            "1 if this server removes expired items by its own clock.",
            u64::from(seen.trusts_clock),
        ),
        gauge(
            "hashrange_tables_owned",
            "Tables whose background work this server does.",
            seen.own_tables,
        ),
    ]
}

#[cfg(not(feature = "postgres"))]
fn of_store(_database: &Database) -> Vec<Measure> {
    Vec::new()
}

#[cfg(feature = "postgres")]
fn of_store(database: &Database) -> Vec<Measure> {
    database.traffic().map(|traffic| postgres::of(&traffic)).unwrap_or_default()
}

#[cfg(feature = "postgres")]
mod postgres {
    use super::{by_kind, gauge};
    use hashrange_server::{Kind, Measure, Value};
    use hashrange_storage::postgres::{Ages, Cause, Traffic};

    const LANES: &str = "kind=\"lanes\"";
    const READERS: &str = "kind=\"readers\"";
    const COMMITS: &str = "kind=\"commits\"";
    const READS: &str = "kind=\"reads\"";

    fn counter(name: &'static str, help: &'static str, value: u64) -> Measure {
        Measure { kind: Kind::Counter, ..gauge(name, help, value) }
    }

    /// Returns the figures of a store on PostgreSQL.
    pub fn of(traffic: &Traffic) -> Vec<Measure> {
        let mut measures = connections(traffic);
        measures.extend(commits(traffic));
        measures.extend(traffic.ages.map(ages).into_iter().flatten());
        measures
    }

    fn ages(ages: Ages) -> [Measure; 2] {
        [
            gauge(
                "hashrange_store_transaction_age",
                "Transactions since the oldest one that PostgreSQL has not vacuumed in this database.",
                ages.transaction_ids,
            ),
            gauge(
                "hashrange_store_multixact_age",
                "Multixacts since the oldest one that PostgreSQL has not vacuumed in this database.",
                ages.multixacts,
            ),
        ]
    }

    fn connections(traffic: &Traffic) -> Vec<Measure> {
        let Traffic { lanes, readers, .. } = traffic;
        vec![
            by_kind(
                "hashrange_store_connections",
                Kind::Gauge,
                "Connections to the database that are open.",
                [(LANES, lanes.connected), (READERS, readers.connected)],
            ),
            by_kind(
                "hashrange_store_connections_wanted",
                Kind::Gauge,
                "Connections that the server wants to the database.",
                [(LANES, lanes.wanted), (READERS, readers.wanted)],
            ),
            counter(
                "hashrange_store_connects_total",
                "Connections to the database that were opened.",
                traffic.connects,
            ),
            by_kind(
                "hashrange_store_waiting",
                Kind::Gauge,
                "Commits and reads that wait for a connection.",
                [(COMMITS, traffic.waiting_commits), (READS, traffic.waiting_reads)],
            ),
            by_kind(
                "hashrange_store_late_total",
                Kind::Counter,
                "Commits and reads that got no connection in time.",
                [(COMMITS, traffic.late_commits), (READS, traffic.late_reads)],
            ),
            Measure {
                name: "hashrange_store_commit_wait_seconds_total",
                kind: Kind::Counter,
                help: "Time that commits have waited for a connection.",
                values: vec![("".into(), Value::Micros(traffic.commit_wait_us))],
            },
            by_kind(
                "hashrange_store_round_trips_total",
                Kind::Counter,
                "Round trips to the database.",
                [(COMMITS, traffic.commit_round_trips), (READS, traffic.read_round_trips)],
            ),
            counter("hashrange_store_reads_total", "Keys and pages read.", traffic.reads),
            counter(
                "hashrange_store_pages_asked_total",
                "Pages in the cache that the server asked the database about.",
                traffic.asked_pages,
            ),
            counter(
                "hashrange_store_pages_same_total",
                "Pages that the database was asked about and that had not changed.",
                traffic.same_pages,
            ),
            gauge(
                "hashrange_store_kept_bytes",
                "Bytes of pages that are kept.",
                traffic.kept_bytes,
            ),
        ]
    }

    fn commits(traffic: &Traffic) -> Vec<Measure> {
        let causes = Cause::ALL.into_iter().zip(traffic.retries);
        vec![
            counter(
                "hashrange_store_commits_total",
                "Commits that wrote something.",
                traffic.commits,
            ),
            counter(
                "hashrange_store_groups_total",
                "Transactions of the database, each of one or several commits.",
                traffic.groups,
            ),
            counter(
                "hashrange_store_early_groups_total",
                "Transactions that were decided on the guess that their keys are absent.",
                traffic.early_groups,
            ),
            counter(
                "hashrange_store_mistaken_groups_total",
                "Of them those that found a key.",
                traffic.mistaken_groups,
            ),
            Measure {
                name: "hashrange_store_retries_total",
                kind: Kind::Counter,
                help: "Transactions that failed and were tried again, by cause.",
                values: causes
                    .map(|(cause, count)| (label(cause).into(), Value::Number(count)))
                    .collect(),
            },
            counter(
                "hashrange_store_read_retries_total",
                "Round trips of reads that failed and were tried again.",
                traffic.read_retries,
            ),
            counter(
                "hashrange_store_conflicts_total",
                "Commits given up because other commits were faster again and again.",
                traffic.conflicts,
            ),
            counter(
                "hashrange_store_outcomes_asked_total",
                "Transactions whose outcome was looked up.",
                traffic.resolved_outcomes,
            ),
            counter(
                "hashrange_store_outcomes_unknown_total",
                "Transactions whose outcome was looked up and stayed unknown.",
                traffic.unknown_outcomes,
            ),
        ]
    }

    fn label(cause: Cause) -> &'static str {
        match cause {
            Cause::Conflict => "cause=\"conflict\"",
            Cause::Serialization => "cause=\"serialization\"",
            Cause::Deadlock => "cause=\"deadlock\"",
            Cause::Lock => "cause=\"lock\"",
            Cause::Internal => "cause=\"internal\"",
            Cause::Connection => "cause=\"connection\"",
            Cause::ReadOnly => "cause=\"read_only\"",
        }
    }
}
