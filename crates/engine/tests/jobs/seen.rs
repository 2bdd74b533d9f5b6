//! What an operator sees of jobs is true, and a number that is not known is left out.

use crate::database::Database;
use crate::failing::Fault;
use hashrange_engine::{JobKind, JobSeen, TableSize};
use hashrange_storage::block_on;
use serde_json::json;

/// Returns the only job, if there is one.
fn job(database: &Database) -> Option<JobSeen> {
    let mut jobs = block_on(database.engine.jobs_seen()).unwrap();
    let job = jobs.pop();
    assert!(jobs.is_empty(), "{jobs:?}");
    job
}

fn seen(database: &Database) -> JobSeen {
    job(database).unwrap()
}

/// Returns a database whose index is to be filled with so many items.
fn filling(items: usize) -> Database {
    let database = Database::new();
    let names: Vec<_> = (0..items).map(|nth| format!("item {nth:04}")).collect();
    database.create_named("table", &names.iter().map(String::as_str).collect::<Vec<_>>());
    database.create_index();
    database
}

/// Returns a database whose job has failed at a step after which `is_wanted`; the first steps are those of a
/// sweep.
fn failed(prepare: impl Fn() -> Database, is_wanted: impl Fn(&JobSeen) -> bool) -> Database {
    for steps in 0..100 {
        let database = prepare();
        database.store().fail_after(steps, Fault::Full);
        database.pass(0);
        assert!(database.store().has_failed(), "the job ended before it was as wanted");
        if job(&database).is_some_and(|job| is_wanted(&job)) {
            return database;
        }
    }
    panic!("the job is never as wanted");
}

/// Returns a database whose job has failed in the middle of 600 items.
fn half_filled() -> Database {
    failed(|| filling(600), |job| job.done.is_some())
}

#[test]
fn the_filling_of_an_index_is_seen_with_its_progress_until_it_is_done() {
    let job = seen(&filling(600));
    assert_eq!((job.kind, job.table.as_deref()), (JobKind::IndexFill, Some("table")));
    assert_eq!((job.index.as_deref(), job.done, job.of), (Some("index"), None, Some(600)));
    let database = half_filled();
    let job = seen(&database);
    assert!(job.done.is_some_and(|done| 0 < done && done < 600), "{job:?}");
    assert_eq!(job.of, Some(600));
    database.pass(1000);
    assert_eq!(block_on(database.engine.jobs_seen()).unwrap(), []);
}

#[test]
fn a_job_that_goes_on_after_a_restart_does_not_tell_of_how_many() {
    let reopened = || half_filled().reopened();
    assert_eq!(seen(&reopened()).of, Some(600), "nobody knows yet that a part is done");
    failed(reopened, |job| job.of.is_none());
}

#[test]
fn the_removal_of_a_table_is_seen_without_its_name() {
    let database = Database::new();
    database.create();
    database.ok("DeleteTable", &json!({"TableName": "table"}));
    let job = seen(&database);
    assert_eq!((job.kind, job.table, job.of), (JobKind::TableRemoval, None, None));
}

#[test]
fn sizes_of_tables_are_told_by_name_up_to_a_bound() {
    let database = Database::new();
    for table in ["b-table", "a-table", "c-table"] {
        database.create_named(table, &["a", "b"]);
    }
    let sizes = block_on(database.engine.table_sizes(2)).unwrap();
    let names: Vec<_> = sizes.iter().map(|size| (size.name.as_str(), size.items)).collect();
    assert_eq!(names, [("a-table", 2), ("b-table", 2)]);
    assert!(sizes.iter().all(|TableSize { bytes, .. }| *bytes > 20), "{sizes:?}");
    assert_eq!(database.engine.table_count(), 3);
}
