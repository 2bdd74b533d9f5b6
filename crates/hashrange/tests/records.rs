//! The stream of a table's changes: order, shards that are succeeded, positions, waiting.

use hashrange::{
    Blocking, Change, ChangeKind, Clock, Database, Error, Item, Options, Sharding, StreamPosition,
    StreamSpecification, StreamViewType, item,
};
use std::time::Duration;

fn options(clock: &Clock, shards: u32) -> Options {
    let sharding = Sharding::new(shards, Duration::from_secs(60)).expect("a sharding of a test");
    Options { clock: Some(clock.clone()), sharding, ..Options::default() }
}

fn database(clock: &Clock, shards: u32) -> Blocking {
    let db = Database::memory_with(&options(clock, shards)).blocking();
    let table = db.create("shop", "id:N").stream(StreamViewType::NewAndOldImages);
    table.run().expect("a table can be created");
    db
}

fn clock() -> Clock {
    Clock::stopped_at(1_700_000_000_000)
}

fn put(db: &Blocking, id: u32, version: u32) {
    db.put("shop", item! { "id": id, "version": version }).run().expect("an item can be put");
}

/// Returns id and version of each change, in the order in which they come.
fn read(changes: impl Iterator<Item = Result<Change, Error>>) -> Vec<(u32, u32)> {
    let number = |item: &Item, name| item.get_as(name).expect("each item has both numbers");
    let pair = |item: Item| (number(&item, "id"), number(&item, "version"));
    let new = |change: Result<Change, Error>| change.expect("the stream can be read").new;
    changes.map(|change| pair(new(change).expect("items are put only"))).collect()
}

#[test]
fn changes_say_what_was_done() {
    let clock = clock();
    let db = database(&clock, 1);
    put(&db, 1, 1);
    clock.advance(Duration::from_millis(1500)).unwrap();
    put(&db, 1, 2);
    db.delete("shop", item! { "id": 1 }).run().unwrap();
    let changes: Result<Vec<_>, _> = db.stream_records("shop").until_caught_up().collect();
    let changes = changes.unwrap();
    let kinds: Vec<_> = changes.iter().map(|change| change.kind).collect();
    assert_eq!(kinds, [ChangeKind::Insert, ChangeKind::Modify, ChangeKind::Remove]);
    let item = |version: u32| Some(item! { "id": 1, "version": version });
    let images: Vec<_> = changes.into_iter().map(|change| (change.old, change.new)).collect();
    assert_eq!(images, [(None, item(1)), (item(1), item(2)), (item(2), None)]);
}

#[test]
fn every_change_comes_once_across_shards_and_their_children_in_the_order_of_its_item() {
    let clock = clock();
    let db = database(&clock, 3);
    for version in 0..6 {
        (0..20).for_each(|id| put(&db, id, version));
        clock.advance(Duration::from_secs(61)).unwrap();
        db.catch_up_with_clock();
    }
    let found = read(db.stream_records("shop").until_caught_up());
    assert_eq!(found.len(), 120);
    for id in 0..20 {
        let versions: Vec<u32> =
            found.iter().filter(|change| change.0 == id).map(|change| change.1).collect();
        assert_eq!(versions, [0, 1, 2, 3, 4, 5], "item {id}");
    }
}

#[test]
fn a_position_goes_on_where_it_was_taken_wherever_that_is() {
    let clock = clock();
    let db = database(&clock, 2);
    for version in 0..4 {
        (0..5).for_each(|id| put(&db, id, version));
        clock.advance(Duration::from_secs(61)).unwrap();
        db.catch_up_with_clock();
    }
    let all = read(db.stream_records("shop").until_caught_up());
    for taken in 0..=all.len() {
        let mut changes = db.stream_records("shop").until_caught_up();
        let before = read(changes.by_ref().take(taken));
        let position: StreamPosition = changes.position().to_string().parse().unwrap();
        let after = read(db.stream_records("shop").from(position).until_caught_up());
        let mut both = [before, after].concat();
        both.sort_unstable();
        let mut expected = all.clone();
        expected.sort_unstable();
        assert_eq!(both, expected, "taken after {taken}");
    }
}

#[test]
fn from_now_on_nothing_older_comes() {
    let clock = clock();
    let db = database(&clock, 2);
    put(&db, 1, 1);
    let mut changes = db.stream_records("shop").from_now().until_caught_up();
    assert!(changes.next().is_none());
    let position = changes.position().clone();
    clock.advance(Duration::from_secs(1)).unwrap();
    put(&db, 1, 2);
    clock.advance(Duration::from_secs(61)).unwrap();
    db.catch_up_with_clock();
    put(&db, 1, 3);
    let found = read(db.stream_records("shop").from(position).until_caught_up());
    // A record of the second in which the position was taken may come again, none is missing.
    assert_eq!(
        found.iter().copied().filter(|change| change.1 > 1).collect::<Vec<_>>(),
        [(1, 2), (1, 3)]
    );
}

#[test]
fn a_reader_waits_for_what_comes_and_ends_with_the_stream() {
    let clock = clock();
    let db = database(&clock, 1);
    let changes = db.stream_records("shop").poll_interval(Duration::from_millis(1));
    let reader = std::thread::spawn(move || read(changes));
    put(&db, 1, 1);
    put(&db, 2, 1);
    let disable = StreamSpecification { stream_enabled: Some(false), stream_view_type: None };
    db.update_table(hashrange::UpdateTableInput {
        table_name: Some("shop".into()),
        stream_specification: Some(disable),
        ..hashrange::UpdateTableInput::default()
    })
    .unwrap();
    assert_eq!(reader.join().unwrap(), [(1, 1), (2, 1)]);
}

#[test]
fn what_time_to_live_removed_is_marked() {
    let clock = clock();
    let db = database(&clock, 1);
    let specification = hashrange::TimeToLiveSpecification {
        enabled: Some(true),
        attribute_name: Some("expires".to_owned()),
    };
    db.update_time_to_live(hashrange::UpdateTimeToLiveInput {
        table_name: Some("shop".into()),
        time_to_live_specification: Some(specification),
    })
    .unwrap();
    db.put("shop", item! { "id": 1, "expires": 1_700_000_010 }).run().unwrap();
    clock.advance(Duration::from_secs(20)).unwrap();
    db.catch_up_with_clock();
    let last = db.stream_records("shop").until_caught_up().last().unwrap().unwrap();
    assert_eq!((last.kind, last.is_expiry), (ChangeKind::Remove, true));
    assert_eq!(last.key, item! { "id": 1 });
}
