//! Loading a sample: once, to the end, and never into somebody else's table.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use hashrange::{Blocking, Database, ListTagsOfResourceInput, Options, ScanInput, create_table};
use hashrange_samples::{Error, Loaded, Progress, Sample, all, find, load};
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Poll;

fn load_now(sample: &Sample, database: &Database) -> Result<Loaded, Error> {
    hashrange_storage::block_on(load(sample, database, &mut |_| {}))
}

fn count(database: &Blocking, table: &str) -> i32 {
    let mut count = 0;
    let mut start = None;
    loop {
        let input = ScanInput {
            table_name: Some(table.into()),
            exclusive_start_key: start,
            ..ScanInput::default()
        };
        let page = database.scan_page(input).unwrap();
        count += page.count.unwrap();
        start = page.last_evaluated_key.map(Into::into);
        if start.is_none() {
            return count;
        }
    }
}

#[test]
fn every_sample_loads_once_and_its_indexes_hold() {
    for sample in all() {
        let database = Database::memory();
        let mut last = None;
        let mut note = |progress: Progress| last = Some(progress);
        let loaded = hashrange_storage::block_on(load(sample, &database, &mut note)).unwrap();
        assert_eq!(loaded, Loaded::Now { items: sample.item_count }, "{}", sample.name);
        let items = sample.item_count;
        assert_eq!(last, Some(Progress { items_done: items, items_total: items }));
        assert_eq!(load_now(sample, &database).unwrap(), Loaded::Before, "{}", sample.name);
        let counted = count(&database.blocking(), sample.table);
        assert_eq!(u64::try_from(counted).unwrap(), items, "{}", sample.name);
        let report = hashrange_storage::block_on(database.verify()).unwrap();
        assert!(report.problems.is_empty(), "{}: {:?}", sample.name, report.problems);
    }
}

#[test]
fn names_and_tables_are_unique() {
    let mut names: Vec<_> = all().iter().flat_map(|s| [s.name, s.table]).collect();
    names.sort_unstable();
    names.dedup();
    // Four samples have the name of their table.
    assert_eq!(names.len(), 2 * all().len() - 4, "{names:?}");
    assert!(all().iter().all(|sample| std::ptr::eq(find(sample.name).unwrap(), sample)));
    assert!(find("none").is_none());
}

#[test]
fn a_table_of_somebody_else_is_left_alone() {
    let sample = find("orders").unwrap();
    let database = Database::memory();
    let blocking = database.blocking();
    blocking.create_table(create_table(sample.table, ("pk", "S"), Some(("sk", "S")))).unwrap();
    let error = load_now(sample, &database).unwrap_err();
    assert!(matches!(&error, Error::ForeignTable { table } if table == "orders"), "{error}");
    assert_eq!(count(&blocking, sample.table), 0);
}

#[test]
fn an_interrupted_load_is_completed_by_the_next() {
    let sample = find("chat").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let database = Database::open(folder.path(), &Options::default()).unwrap();
    // Dropped when the items are on their way: as if the program had ended.
    let begun = AtomicBool::new(false);
    let mut note = |_| begun.store(true, Ordering::Relaxed);
    {
        let mut loading = pin!(load(sample, &database, &mut note));
        hashrange_storage::block_on(poll_fn(|context| {
            assert!(loading.as_mut().poll(context).is_pending(), "the load came to its end");
            if begun.load(Ordering::Relaxed) { Poll::Ready(()) } else { Poll::Pending }
        }));
    }
    assert_eq!(load_now(sample, &database).unwrap(), Loaded::Now { items: 120 });
    assert_eq!(load_now(sample, &database).unwrap(), Loaded::Before);
    assert_eq!(count(&database.blocking(), sample.table), 120);
}

#[test]
fn the_licence_of_the_data_travels_with_the_table() {
    let sample = find("world").unwrap();
    assert!(sample.page.contains("GeoNames") && sample.page.contains("CC BY 4.0"));
    let database = Database::memory().blocking();
    let definition =
        hashrange::read_request::<hashrange::calls::CreateTable>(sample.definition().as_bytes());
    let created = database.create_table(definition.unwrap()).unwrap();
    let arn = created.table_description.unwrap().table_arn.unwrap();
    let input = ListTagsOfResourceInput { resource_arn: Some(arn.into()), next_token: None };
    let tags = database.list_tags_of_resource(input).unwrap().tags.unwrap();
    let attribution = tags.iter().find(|tag| tag.key.as_deref() == Some("attribution")).unwrap();
    let text = attribution.value.as_deref().unwrap();
    assert!(text.contains("GeoNames") && text.contains("CC BY 4.0"), "{text}");
}
