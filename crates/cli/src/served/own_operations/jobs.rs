//! `DescribeJobs`: the background work of a database that has not ended, and the servers that share its
//! store.
//!
//! `{}` is answered by `{"Jobs": [{"Kind", "Table", "Index", "Done", "Of", "PerSecond", "StartedAtMs",
//! "Words"}], "Servers": [{"Name", "IsThis", "BeatAtMs"}]}`. A member that is not known is absent.

use super::{Nothing, read, written};
use hashrange::{ApiResult, Database, JobKind, JobSeen, ServerSeen};
use serde::{Deserialize, Serialize};

/// Work in the background.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct JobAnswer {
    /// Kind of work.
    pub kind: String,
    /// Table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub table: Option<String>,
    /// Index.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<String>,
    /// Items, entries or keys done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub done: Option<u64>,
    /// Number of all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of: Option<u64>,
    /// Items, entries or keys a second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per_second: Option<f64>,
    /// Time when it was queued, epoch milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_at_ms: Option<u64>,
    /// The same in a sentence.
    pub words: String,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
struct Described {
    jobs: Vec<JobAnswer>,
    servers: Vec<ServerAnswer>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
struct ServerAnswer {
    name: String,
    is_this: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    beat_at_ms: Option<u64>,
}

/// Describes the jobs of a database.
pub async fn describe(database: &Database, body: &[u8]) -> ApiResult<Vec<u8>> {
    describe_with(database, body, None).await
}

/// Describes the jobs of a database, and one that the database does not know of.
pub async fn describe_with(
    database: &Database,
    body: &[u8],
    more: Option<JobAnswer>,
) -> ApiResult<Vec<u8>> {
    let Nothing {} = read(body)?;
    let jobs = database.jobs_seen().await?.into_iter().map(JobAnswer::of).chain(more).collect();
    let server =
        |ServerSeen { id, is_this, beat_at_ms }| ServerAnswer { name: id, is_this, beat_at_ms };
    let servers = database.servers_list().into_iter().map(server).collect();
    written(&Described { jobs, servers })
}

impl JobAnswer {
    /// Returns the answer about a job.
    pub fn of(job: JobSeen) -> Self {
        let words = words(&job);
        Self {
            kind: kind_name(job.kind).to_owned(),
            table: job.table,
            index: job.index,
            done: job.done,
            of: job.of,
            per_second: job.per_second,
            started_at_ms: job.started_at_ms,
            words,
        }
    }
}

/// Returns the name of a kind of work.
pub fn kind_name(kind: JobKind) -> &'static str {
    match kind {
        JobKind::IndexFill => "IndexFill",
        JobKind::IndexRemoval => "IndexRemoval",
        JobKind::TableRemoval => "TableRemoval",
        JobKind::TimeToLive => "TimeToLive",
        JobKind::TemplateRewrite => "TemplateRewrite",
        JobKind::History => "History",
        JobKind::StreamEnd => "StreamEnd",
        JobKind::CopyRemoval => "CopyRemoval",
        JobKind::Expiry => "Expiry",
        JobKind::Copy => "Copy",
    }
}

fn words(job: &JobSeen) -> String {
    let table = job.table.as_deref().map_or_else(
        || "of a table that is deleted".to_owned(),
        |table| format!("of the table {table}"),
    );
    let index = job.index.as_deref().unwrap_or_default();
    match job.kind {
        JobKind::IndexFill => format!("The server fills the index {index} {table}."),
        JobKind::IndexRemoval => {
            format!("The server removes the entries of the index {index} {table}.")
        }
        JobKind::TableRemoval => format!("The server removes the data {table}."),
        JobKind::TimeToLive => format!("The server prepares a change of the time to live {table}."),
        JobKind::TemplateRewrite => {
            format!("The server writes the items {table} by its key templates.")
        }
        JobKind::History => format!("The server begins or removes the history {table}."),
        JobKind::StreamEnd => format!("The server closes shards of a stream {table}."),
        JobKind::CopyRemoval => "The server removes the notes that a copy has left.".to_owned(),
        JobKind::Expiry => format!("The server removes expired items {table}."),
        JobKind::Copy => "Another process copies the database.".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[tokio::test]
    async fn a_database_at_rest_has_no_jobs_and_no_other_servers() {
        let answer = describe(&Database::memory(), b"{}").await.unwrap();
        let answer: Value = serde_json::from_slice(&answer).unwrap();
        assert_eq!(answer, json!({"Jobs": [], "Servers": []}));
    }

    #[test]
    fn a_job_has_what_is_known() {
        let seen = JobSeen {
            table: Some("t".to_owned()),
            index: Some("i".to_owned()),
            done: Some(5),
            of: Some(9),
            ..JobSeen::of_kind(JobKind::IndexFill)
        };
        let answer = serde_json::to_value(JobAnswer::of(seen)).unwrap();
        assert_eq!(
            answer,
            json!({"Kind": "IndexFill", "Table": "t", "Index": "i", "Done": 5, "Of": 9,
                "Words": "The server fills the index i of the table t."})
        );
        let removal = JobAnswer::of(JobSeen::of_kind(JobKind::TableRemoval));
        assert_eq!(removal.words, "The server removes the data of a table that is deleted.");
    }
}
