//! A folder whose history was written in the first form, in which each change of an item has a millisecond
//! of its own. It stays readable, goes on, and older releases refuse it from then on.

use super::{check, n_as_of, put, stored};
use hashrange_engine::EngineOptions;
use hashrange_scratch::copy_folder;
use hashrange_testkit::database::Database;
use hashrange_testkit::environment::NOW_MS;
use serde_json::{Value as Json, json};
use std::path::Path;

#[test]
fn a_history_of_the_first_form_is_read_and_goes_on() {
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/history/fixtures/form-1");
    let folder = tempfile::tempdir().unwrap();
    copy_folder(&fixture, folder.path());
    let database = Database::folder(folder.path(), EngineOptions::default());
    database.clock.advance_ms(20_000);
    assert_eq!(stored(&database), [76, 76, 4]);
    let records = database.stored(&[1, 1]);
    let versions = records.iter().map(|(_, record)| {
        let record: Json = serde_json::from_slice(record).unwrap();
        record["version"].clone()
    });
    assert_eq!(versions.collect::<Vec<_>>(), [json!(4)]);
    for (sk, after_ms, n) in [
        ("before", 2999, "0"),
        ("before", 3000, "-"),
        ("fast", 0, "0"),
        ("fast", 999, "0"),
        ("fast", 1005, "6"),
        ("fast", 13_999, "20"),
        ("fast", 14_050, "150"),
        ("slow", 2000, "1"),
        ("slow", 3999, "-"),
        ("slow", 4000, "2"),
        ("zero\0", 4000, "5"),
    ] {
        assert_eq!(n_as_of(&database, sk, NOW_MS + after_ms), n, "{sk} {after_ms}");
    }
    for n in [151, 152] {
        put(&database, "fast", n);
    }
    assert_eq!(n_as_of(&database, "fast", NOW_MS + 20_000), "152");
    assert_eq!(n_as_of(&database, "fast", NOW_MS + 19_999), "150");
    check(&database);
}
