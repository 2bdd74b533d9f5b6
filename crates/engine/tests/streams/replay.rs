//! What a consumer replays is the table.

use super::consumer::{Consumer, contents};
use super::{Database, HOUR_MS};
use hashrange_testkit::random::Random;
use serde_json::json;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Random puts, updates and deletes of few items, so that they meet.
fn write(database: &Database, random: &mut Random, writes: usize) {
    for _ in 0..writes {
        let pk = format!("item {}", random.below(20));
        match random.below(4) {
            0 => database.delete("table", &pk),
            1 => {
                database.ok(
                    "UpdateItem",
                    &json!({
                        "TableName": "table",
                        "Key": {"pk": {"S": pk}},
                        "UpdateExpression": "ADD #v :one",
                        "ExpressionAttributeNames": {"#v": "value"},
                        "ExpressionAttributeValues": {":one": {"N": "1"}},
                    }),
                );
            }
            _ => database.put("table", &pk, random.below(3) as u64),
        }
    }
}

#[test]
fn replay_is_the_table_across_restarts_and_successions() {
    let folder = tempfile::tempdir().unwrap();
    let mut random = Random::new(1);
    let mut consumer = Consumer::default();
    let mut arn = String::new();
    for round in 0..4 {
        let database = Database::folder(folder.path());
        database.advance(round * 5 * HOUR_MS);
        if round == 0 {
            arn = database.create("table");
        }
        for _ in 0..3 {
            write(&database, &mut random, 100);
            database.advance(2 * HOUR_MS);
            if random.below(2) == 0 {
                consumer.catch_up(&database, &arn);
            }
        }
        consumer.catch_up(&database, &arn);
        assert_eq!(consumer.copy, contents(&database, "table"));
        database.assert_sound();
    }
}

/// Writers, a consumer and the succession of shards at the same time.
#[test]
fn replay_is_the_table_while_shards_are_succeeded_under_writers() {
    const WRITERS: usize = 4;
    let folder = tempfile::tempdir().unwrap();
    for database in [Database::memory(), Database::folder(folder.path())] {
        let arn = database.create("table");
        let running = AtomicUsize::new(WRITERS);
        let mut consumer = Consumer::default();
        thread::scope(|scope| {
            for seed in 0..WRITERS {
                let (database, running) = (&database, &running);
                scope.spawn(move || {
                    write(database, &mut Random::new(seed as u64), 300);
                    running.fetch_sub(1, Ordering::AcqRel);
                });
            }
            while running.load(Ordering::Acquire) > 0 {
                // Less than a day in all, so that nothing is removed.
                if database.shards(&arn).len() < 20 {
                    database.advance(4 * HOUR_MS);
                }
                consumer.catch_up(&database, &arn);
            }
        });
        consumer.catch_up(&database, &arn);
        assert_eq!(consumer.copy, contents(&database, "table"));
        assert!(database.shards(&arn).len() > 4, "shards were succeeded");
        database.assert_sound();
    }
}
