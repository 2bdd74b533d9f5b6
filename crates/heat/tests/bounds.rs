//! A book's memory stays within its bound, whatever is added; and its sums are all that was added.

use hashrange_heat::{Book, KeyName, MEMORY_MAX_BYTES, MINUTES_MAX, Place, RANGES, Span, Sums};

const TABLE: Place = Place { table: 1, index: 0 };

fn read(units: f64) -> Sums {
    Sums { read_units: units, requests: 1, bytes: 100, ..Sums::default() }
}

fn key_of(nth: u64) -> (u32, Vec<u8>) {
    let hash =
        u32::try_from(nth.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32).expect("32 bits are left");
    (hash, format!("key number {nth}").into_bytes())
}

#[test]
fn millions_of_distinct_keys_take_no_more_than_the_bound() {
    let book = Book::default();
    for nth in 0..2_000_000_u64 {
        let (hash, key) = key_of(nth);
        let place = Place { table: u32::try_from(nth % 7).unwrap(), index: 0 };
        let span = Span::Key { hash, partition: &key, item: Some(&key) };
        book.add(nth * 2, place, span, &read(0.5));
    }
    let bytes = book.memory_bytes();
    assert!(bytes <= MEMORY_MAX_BYTES && MEMORY_MAX_BYTES < 40 << 20, "{bytes}");
    let minutes: usize = (0..7)
        .map(|table| {
            book.minutes(4_000_000, Place { table, index: 0 }, 60, |_, _| KeyName::default()).len()
        })
        .sum();
    assert_eq!(minutes, 7 * usize::try_from(MINUTES_MAX).unwrap());
}

#[test]
fn the_largest_keys_of_too_many_tables_fit_and_what_finds_no_room_is_told() {
    let book = Book::default();
    for minute in 0..2_u64 {
        for nth in 0..800_000_u64 {
            let mut key = vec![b'x'; 400];
            key.splice(..8, nth.to_be_bytes());
            let place = Place { table: u32::try_from(nth % 1000).unwrap(), index: 1 };
            let span = Span::Key { hash: 0, partition: &key, item: Some(&key) };
            let throttles = nth / 1000 % 2;
            book.add(minute * 60_000, place, span, &Sums { throttles, ..read(0.5) });
        }
        let bytes = book.memory_bytes();
        assert!(bytes <= MEMORY_MAX_BYTES, "{bytes}");
    }
    assert!(bytes_are_well_estimated(&book));
    assert_eq!(book.untold().requests, 2 * 280 * 800);
    book.forget_table(999);
    book.clear();
    assert_eq!((book.places().len(), book.memory_bytes()), (0, 0));
}

/// The bound is not twice of what is taken.
fn bytes_are_well_estimated(book: &Book) -> bool {
    book.memory_bytes() * 2 > MEMORY_MAX_BYTES
}

#[test]
fn sums_are_exact_and_old_minutes_are_forgotten() {
    let book = Book::default();
    for nth in 0..10_000_u64 {
        let (hash, key) = key_of(nth % 500);
        book.add(nth * 100, TABLE, Span::Key { hash, partition: &key, item: None }, &read(1.0));
    }
    let minutes = book.minutes(1_000_000, TABLE, 60, |key, _| KeyName {
        key: String::from_utf8_lossy(key.bytes).into(),
        parts: None,
    });
    let sum = |of: &dyn Fn(&hashrange_heat::MinuteHeat) -> f64| minutes.iter().map(of).sum::<f64>();
    assert!((sum(&|it| it.whole.read_units) - 10_000.0).abs() < 1e-6);
    assert!((sum(&|it| it.ranges.iter().map(|it| it.read_units).sum()) - 10_000.0).abs() < 1e-6);
    assert!(minutes.iter().all(|minute| minute.ranges.len() == RANGES));
    let later = 1_000_000 + MINUTES_MAX * 60_000;
    assert!(book.minutes(later, TABLE, 60, |_, _| KeyName::default()).is_empty());
    assert!(book.places().is_empty());
}

#[test]
fn a_clock_that_was_wrong_hides_nothing_that_follows() {
    let book = Book::default();
    let (hash, key) = key_of(1);
    let span = Span::Key { hash, partition: &key, item: None };
    let hour_ms = MINUTES_MAX * 60_000;
    let told = |now_ms| {
        let minutes = book.minutes(now_ms, TABLE, 60, |_, _| KeyName::default());
        minutes.iter().map(|it| (it.minute_ms, it.whole.requests)).collect::<Vec<_>>()
    };
    book.add(1000 * hour_ms, TABLE, span, &read(1.0));
    // A little back: what follows is of the newest minute.
    book.add(1000 * hour_ms - 60_000, TABLE, span, &read(1.0));
    assert_eq!(told(1000 * hour_ms - 60_000), [(1000 * hour_ms, 2)]);
    // Far back: what was known was of no time that there is.
    book.add(hour_ms, TABLE, span, &read(1.0));
    assert_eq!(told(hour_ms), [(hour_ms, 1)]);
}

#[test]
fn a_walk_is_spread_over_the_ranges_it_went_through() {
    let book = Book::default();
    book.add(0, TABLE, Span::Hashes(0, u32::MAX >> 1), &read(32.0));
    let minutes = book.minutes(0, TABLE, 60, |_, _| KeyName::default());
    let units: Vec<f64> = minutes[0].ranges.iter().map(|range| range.read_units).collect();
    let (first, second) = units.split_at(RANGES / 2);
    assert!(first.iter().all(|units| (units - 2.0).abs() < 1e-9), "{units:?}");
    assert!(second.iter().all(|units| units.abs() < 1e-9), "{units:?}");
    assert_eq!(minutes[0].ranges.iter().map(|range| range.requests).sum::<u64>(), 1);
}
