//! Figures of a book, added up, drawn and advised on: of minutes, of servers.

use hashrange_heat::{
    Book, Hot, HotKey, KeyName, Measure, MinuteHeat, Place, PlaceHeat, RANGES, Span, Sums, Top,
    advice, map,
};

const MINUTE_MS: u64 = 60_000;

fn sums(read_units: f64, write_units: f64) -> Sums {
    Sums { read_units, write_units, requests: 1, ..Sums::default() }
}

/// Returns what a book says of keys and what they used in which minute.
fn place(used: &[(u64, &str, Sums)]) -> PlaceHeat {
    let (book, place) = (Book::default(), Place { table: 1, index: 0 });
    for (minute, key, sums) in used {
        let hash = u32::from(key.as_bytes()[0]) << 24;
        let span = Span::Key { hash, partition: key.as_bytes(), item: None };
        book.add(minute * MINUTE_MS, place, span, sums);
    }
    let minutes = book.minutes(0, place, 60, |key, _| KeyName {
        key: String::from_utf8_lossy(key.bytes).into(),
        parts: None,
    });
    PlaceHeat { table: "t".to_owned(), index: None, minutes }
}

#[test]
fn minutes_and_servers_are_added_up() {
    let mut one = place(&[(1, "a", sums(1.0, 0.0)), (2, "a", sums(2.0, 0.0))]);
    one.add(place(&[(2, "a", sums(4.0, 0.0)), (2, "b", sums(0.0, 8.0)), (3, "b", sums(0.0, 1.0))]));
    assert_eq!(
        one.minutes.iter().map(|it| it.minute_ms / MINUTE_MS).collect::<Vec<_>>(),
        [1, 2, 3]
    );
    let summary = one.summary();
    assert_eq!(summary.whole, Sums { requests: 5, ..sums(7.0, 9.0) });
    let keys = summary.keys.accessed.keys.iter();
    let keys: Vec<_> = keys.map(|key| (&*key.key, key.sums.units(), key.over)).collect();
    assert_eq!(keys, [("b", 9.0, 0.0), ("a", 7.0, 0.0)]);
    let ranges: f64 = one.minutes.iter().flat_map(|it| &it.ranges).map(Sums::units).sum();
    assert!((ranges - 16.0).abs() < 1e-9);
}

/// Keys that a part does not name may have used up to its floor.
#[test]
fn a_sum_is_as_unsure_as_its_parts() {
    let key = |key: &str, over| HotKey {
        key: key.to_owned(),
        parts: None,
        range: 0,
        sums: sums(5.0, 0.0),
        over,
    };
    let minute = |at: u64, keys: Vec<HotKey>, floor| MinuteHeat {
        minute_ms: at * MINUTE_MS,
        whole: sums(20.0, 0.0),
        ranges: vec![Sums::default(); RANGES],
        keys: Hot { accessed: Top { keys, floor }, throttled: Top::default() },
        items: Hot::default(),
    };
    let minutes = vec![minute(1, vec![key("a", 1.0)], 2.0), minute(2, vec![key("b", 0.5)], 3.0)];
    let place = PlaceHeat { table: "t".to_owned(), index: None, minutes };
    let top = place.summary().keys.accessed;
    let told: Vec<_> = top.keys.iter().map(|key| (&*key.key, key.over)).collect();
    assert_eq!((told, top.floor), (vec![("a", 4.0), ("b", 2.5)], 5.0));
}

#[test]
fn a_map_names_the_key_that_dominates_a_range() {
    let used = [(1, "A", sums(6.0, 0.0)), (1, "B", sums(4.0, 0.0)), (4, "x", sums(1.0, 0.0))];
    let map = map(&place(&used), Measure::Units, 16, 60);
    assert_eq!(map.minutes, [1, 2, 3, 4].map(|minute| minute * MINUTE_MS));
    let row =
        |nth: usize| (&*map.rows[nth].fields, map.rows[nth].dominant.as_ref().map(|it| &*it.key));
    assert_eq!(row(4), (&[10.0, 0.0, 0.0, 0.0][..], Some("A")));
    assert_eq!(row(7), (&[0.0, 0.0, 0.0, 1.0][..], Some("x")));
    assert_eq!((row(0).1, map.most), (None, 10.0));
}

#[test]
fn advice_is_of_keys_that_take_more_than_a_partition_gives() {
    let minute_of = |a_second: f64| a_second * 60.0;
    let place = place(&[
        (1, "w", sums(0.0, minute_of(2500.0))),
        (1, "r", sums(minute_of(3001.0), 0.0)),
        (1, "cool", sums(minute_of(2999.0), minute_of(999.0))),
        // Never in one minute.
        (1, "slow", sums(0.0, minute_of(600.0))),
        (2, "slow", sums(0.0, minute_of(600.0))),
    ]);
    let advice = advice(&place);
    let told: Vec<_> = advice.iter().map(|it| (&*it.key, it.is_write, it.shards)).collect();
    assert_eq!(told, [("r", false, 2), ("w", true, 3)]);
}

#[test]
fn figures_that_no_server_says_are_refused() {
    let mut place = place(&[(1, "a", sums(1.0, 0.0))]);
    assert!(place.check().is_ok());
    place.minutes[0].whole.read_units = -1.0;
    assert!(place.check().is_err());
}
