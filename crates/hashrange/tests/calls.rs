//! Short calls: what each sends and returns, awaited and run, over all pages, in batches and
//! transactions, and with texts and values that are wrong.

use hashrange::{
    AttributeValue, Blocking, Clock, Database, Error, ErrorKind, Item, Options, Profile,
    builders::Query, create_table, item, values,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::future::{Future, IntoFuture, poll_fn};
use std::pin::Pin;
use std::time::Duration;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct City {
    country: String,
    place: String,
    people: u32,
}

fn city(country: &str, place: &str, people: u32) -> City {
    City { country: country.to_owned(), place: place.to_owned(), people }
}

fn database() -> Blocking {
    let database = Database::memory().blocking();
    let table = create_table("cities", ("country", "S"), Some(("place", "S")));
    database.create_table(table).expect("a table can be created");
    database
}

/// Returns a database with `count` cities of one country, each of 4 KiB.
fn large(count: u32) -> Blocking {
    let database = database();
    let note = "x".repeat(4096);
    let cities = (0..count).map(|nth| {
        item! { "country": "NL", "place": (format!("{nth:05}")), "people": nth, "note": note.as_str() }
    });
    database.batch_write().put_all("cities", cities).run().expect("cities can be put");
    database
}

fn wait<T>(future: impl IntoFuture<Output = T>) -> T {
    hashrange_storage::block_on(future.into_future())
}

#[test]
fn one_item_is_put_read_changed_and_removed() {
    let db = database();
    let key = || item! { "country": "NL", "place": "07#A" };
    assert_eq!(db.get("cities", key()).run().unwrap(), None);
    assert_eq!(db.put("cities", &city("NL", "07#A", 5)).run().unwrap(), None);
    let old = db.put("cities", &city("NL", "07#A", 6)).typed::<City>().run().unwrap();
    assert_eq!(old, Some(city("NL", "07#A", 5)));
    let read = db.get_as::<City>("cities", key()).consistent().run().unwrap();
    assert_eq!(read, Some(city("NL", "07#A", 6)));
    let part = db.get("cities", key()).select("people, #p").name("p", "place").run().unwrap();
    assert_eq!(part, Some(item! { "people": 6, "place": "07#A" }));

    let changed = db
        .update("cities", key())
        .set("people = people + :more")
        .remove("note, size")
        .add("visits 1, tags <<'x'>>")
        .set("first = if_not_exists(first, :more)")
        .value("more", 4)
        .run()
        .unwrap();
    let tags = AttributeValue::string_set(["x"]);
    let expected = item! {
        "country": "NL", "place": "07#A", "people": 10, "visits": 1, "tags": tags, "first": 4,
    };
    assert_eq!(changed, expected);
    let whole = "set visits = :v add people -1 delete tags <<'x'>> remove first";
    let update = db.update("cities", key()).expression(whole).values(values! { ":v": 1.5 });
    let expected = item! { "country": "NL", "place": "07#A", "people": 9, "visits": 1.5 };
    assert_eq!(update.run().unwrap(), expected);

    let kept = db.delete("cities", key()).when("people > 100").run().unwrap_err();
    assert!(kept.is_condition_failed());
    assert_eq!(kept.item(), Some(&expected));
    assert_eq!(db.delete("cities", key()).run().unwrap(), Some(expected));
    assert_eq!(db.delete("cities", key()).run().unwrap(), None);
}

#[test]
fn the_same_calls_are_awaited() {
    let db = database();
    let db = db.database();
    wait(async {
        db.put("cities", &city("NL", "07#A", 5)).when("attribute_not_exists(place)").await?;
        let read = db.get_as::<City>("cities", [("country", "NL"), ("place", "07#A")]).await?;
        assert_eq!(read, Some(city("NL", "07#A", 5)));
        let page = db.query_as::<City>("cities").key("country = 'NL'").await?;
        assert_eq!(page.into_items(), [city("NL", "07#A", 5)]);
        assert_eq!(db.scan("cities").count().await?, 1);
        assert_eq!(db.scan_as::<City>("cities").all().await?.len(), 1);
        let old = db.delete("cities", item! { "country": "NL", "place": "07#A" }).await?;
        assert!(old.is_some());
        Ok::<_, Error>(())
    })
    .unwrap();
}

#[test]
fn futures_of_calls_can_be_sent_to_other_threads() {
    fn sent<T: Send>(value: T) -> T {
        value
    }
    let db = Database::memory();
    drop(sent(db.get("t", item! {}).into_future()));
    drop(sent(db.query("t").items()));
    drop(sent(db.stream_records("t")));
    drop(sent(db.batch_write().into_future()));
}

#[test]
fn pages_are_read_as_they_are_needed() {
    let db = large(600);
    let all = |query: Query<Blocking>| query.select("people").all().unwrap();
    let people = |items: &[Item]| -> Vec<u32> {
        items.iter().map(|item| item.get_as("people").unwrap()).collect()
    };
    let query = || db.query("cities").key("country = 'NL'");
    assert_eq!(people(&all(query())), (0..600).collect::<Vec<_>>());
    assert_eq!(people(&all(query().reverse())), (0..600).rev().collect::<Vec<_>>());
    assert_eq!(people(&all(query().limit(7))), (0..600).collect::<Vec<_>>());

    let page = query().run().unwrap();
    assert!(page.count() < 600 && page.count() == page.examined() && page.read_units() > 100.0);
    let rest = query().start(page.next_key().expect("there is more").clone()).all().unwrap();
    assert_eq!(page.count() + rest.len(), 600);
    let filtered = query().filter("people between 10 and :to").value("to", 19).run().unwrap();
    assert_eq!((filtered.count(), filtered.examined() > 10), (10, true));
    assert_eq!(query().key("country = 'NL' and place >= '00590'").count().unwrap(), 10);
    assert_eq!(db.scan("cities").filter("people < 3").count().unwrap(), 3);
    let segment = |nth| db.scan("cities").segment(nth, 3).count().unwrap();
    assert_eq!((0..3).map(segment).sum::<u64>(), 600);
    let first: Result<Vec<_>, _> = query().items().take(5).collect();
    assert_eq!(people(&first.unwrap()), [0, 1, 2, 3, 4]);
}

#[test]
fn items_are_a_stream() {
    let db = large(300);
    let mut items = db.database().query("cities").key("country = 'NL'").select("people").items();
    let mut count = 0;
    while let Some(item) =
        wait(poll_fn(|context| futures_core::Stream::poll_next(Pin::new(&mut items), context)))
    {
        assert_eq!(item.unwrap(), item! { "people": count });
        count += 1;
    }
    assert_eq!(count, 300);
    assert!(wait(items.next()).is_none());
}

#[test]
fn a_type_that_does_not_fit_ends_the_items() {
    let db = database();
    for (place, people) in
        [("a", item! { "people": 1 }), ("b", item! { "people": "many" }), ("c", item! {})]
    {
        let key = item! { "country": "NL", "place": place };
        let item = key.with_changes(people.iter().map(|(name, value)| (name, Some(value))));
        db.put("cities", item).run().unwrap();
    }
    let mut cities = db.query_as::<City>("cities").key("country = 'NL'").items();
    assert_eq!(cities.next().unwrap().unwrap(), city("NL", "a", 1));
    let error = cities.next().unwrap().unwrap_err();
    assert_eq!(error.to_string(), "people: invalid type: string \"many\", expected u32");
    assert!(error.is_invalid() && cities.next().is_none());
}

#[test]
fn what_is_wrong_is_said_in_a_sentence() {
    let db = database();
    let said = |result: Result<(), Error>| result.unwrap_err().to_string();
    let query = |key: &str| db.query("cities").key(key).run().map(drop);
    let cases = [
        (said(query("country = NL'")), "expected the closing quote at character 14, not the end"),
        (
            said(query("country = 1e999")),
            "expected zero or a number of up to 38 digits from 1E-130 to 9.9E+125 at character 11, not '1'",
        ),
        (
            said(query("country = :c")),
            "ValidationException: Invalid KeyConditionExpression: An expression attribute value used in expression is not defined; attribute value: :c",
        ),
        (
            said(db.query("cities").run().map(drop)),
            "ValidationException: Invalid KeyConditionExpression: The expression can not be empty;",
        ),
        (
            said(db.query("cities").key("country = :c").value("c", f64::NAN).run().map(drop)),
            "NaN is not a number",
        ),
        (said(db.put("cities", &f64::NAN).run().map(drop)), "NaN is not a number"),
        (
            said(db.put("cities", item! { "country": "x" }).run().map(drop)),
            "ValidationException: One or more parameter values were invalid: Missing the key place in the item",
        ),
        (
            said(db.get("towns", item! { "id": 1 }).run().map(drop)),
            "ResourceNotFoundException: Requested resource not found",
        ),
        (said(db.stream_records("cities").next().unwrap().map(drop)), "table cities has no stream"),
    ];
    for (found, expected) in cases {
        assert_eq!(found, expected);
    }
    assert!(db.scan("towns").run().unwrap_err().is_not_found());
    let exists = db.create_table(create_table("cities", ("id", "S"), None));
    assert!(Error::from(exists.unwrap_err()).is_in_use());
}

#[test]
fn values_that_requests_may_not_hold_are_refused_as_the_service_does() {
    let db = database();
    let put = |value: AttributeValue| {
        let item = item! { "country": "NL", "place": "a", "value": value };
        db.put("cities", item).run().unwrap_err()
    };
    let deep = (0..40).fold(AttributeValue::Null, |inner, _| AttributeValue::list([inner]));
    for (value, expected) in [
        (AttributeValue::Ss(vec![]), "An string set  may not be empty"),
        (AttributeValue::Ns(vec![1.into(), 1.into()]), "Input collection contains duplicates"),
        (deep, "Nesting Levels have exceeded supported limits"),
    ] {
        let error = put(value.clone());
        assert_eq!(error.kind(), Some(ErrorKind::Validation));
        assert!(error.to_string().contains(expected), "{error}");
        let query = db.query("cities").key("country = :v").value("v", value).run().unwrap_err();
        assert!(query.to_string().contains(expected), "{query}");
    }
}

#[test]
fn placeholders_of_the_caller_and_of_texts_do_not_collide() {
    let db = database();
    db.put("cities", &city("NL", "a", 5)).run().unwrap();
    let found = db
        .query("cities")
        .key("#n0 = :v0 and place = 'a'")
        .filter("people = 5 and attribute_exists(#n1)")
        .name("n0", "country")
        .name("#n1", "people")
        .value(":v0", "NL")
        .run()
        .unwrap();
    assert_eq!(found.count(), 1);
}

#[test]
fn batches_of_any_size_are_done_or_say_how_far_they_came() {
    let db = large(130);
    let keys = |range: std::ops::Range<u32>| {
        range.map(|nth| item! { "country": "NL", "place": (format!("{nth:05}")) })
    };
    let found = db.batch_get("cities", keys(100..350)).select("people").run().unwrap();
    assert_eq!(found.len(), 30);
    let typed = db.batch_get("cities", keys(0..2)).typed::<City>().consistent().run().unwrap();
    assert_eq!(typed.len(), 2);
    let mut deletes = db.batch_write();
    for key in keys(0..60) {
        deletes = deletes.delete("cities", key);
    }
    deletes.put("cities", &city("BE", "x", 1)).run().unwrap();
    assert_eq!(db.scan("cities").count().unwrap(), 71);

    // The 26th item, of the second request, has no key.
    let items = keys(0..30).enumerate().map(|(nth, item)| {
        if nth == 25 {
            item! {}
        } else {
            item
        }
    });
    let error = db.batch_write().put_all("cities", items).run().unwrap_err();
    assert!(matches!(error, Error::Batch { done: 25, open: 5, .. }), "{error:?}");
    assert!(error.to_string().ends_with("; 25 of the batch are done, 5 are open"), "{error}");
    assert_eq!(db.batch_write().run().map_err(|error| error.to_string()), Ok(()));
}

/// Under this profile the database puts off parts of batches, as the service may.
#[test]
fn what_a_batch_leaves_over_is_tried_again() {
    let options = Options {
        profile: Profile::Hostile,
        seed: 5,
        table_delay_ms: Some(0),
        ..Options::default()
    };
    let db = Database::memory_with(&options).blocking();
    let table = create_table("cities", ("country", "S"), Some(("place", "S")));
    db.create_table(table).unwrap();
    let cities = || (0..60_u32).map(|nth| city("NL", &nth.to_string(), nth));
    let mut write = db.batch_write();
    for city in cities() {
        write = write.put("cities", &city);
    }
    write.run().unwrap();
    let keys = cities().map(|city| item! { "country": "NL", "place": city.place });
    let found = db.batch_get("cities", keys).typed::<City>().consistent().run().unwrap();
    assert_eq!(found.len(), 60);
}

#[test]
fn transactions_are_made_of_the_other_calls() {
    let db = database();
    let key = |place: &str| item! { "country": "NL", "place": place };
    let place = |people: u32| {
        db.transact_write()
            .with(db.put("cities", &city("NL", "a", people)).when("attribute_not_exists(place)"))
            .with(db.update("cities", key("count")).add("people :one").value("one", 1))
            .with(db.require("cities", key("closed"), "attribute_not_exists(place)"))
            .with(db.delete("cities", key("old")))
    };
    place(5).token("once").run().unwrap();
    place(5).token("once").run().unwrap();
    let other = place(6).token("once").run().unwrap_err();
    assert_eq!(other.kind(), Some(ErrorKind::IdempotentParameterMismatch));
    let again = place(6).run().unwrap_err();
    assert!(again.is_condition_failed() && !again.is_conflict());
    let reasons = again.api().unwrap().cancellation_reasons().unwrap();
    assert_eq!(
        reasons.iter().map(Option::is_some).collect::<Vec<_>>(),
        [true, false, false, false]
    );
    let read = db
        .transact_get()
        .with(db.get("cities", key("a")).select("people"))
        .with(db.get("cities", key("none")))
        .with(db.get("cities", key("count")))
        .run()
        .unwrap();
    let count = item! { "country": "NL", "place": "count", "people": 1 };
    assert_eq!(read, [Some(item! { "people": 5 }), None, Some(count)]);
}

#[test]
fn statements_read_all_pages_and_write() {
    let db = large(600);
    let all = db.statement("SELECT people FROM cities WHERE country = ?").value("NL");
    let found = all.typed::<BTreeMap<String, u32>>().run().unwrap();
    assert_eq!(found.len(), 600, "more than a page of 1 MB");
    let update = "UPDATE cities SET people = ? WHERE country = 'NL' AND place = '00007'";
    let changed = || db.statement(update).value(70).run();
    assert_eq!(changed().unwrap(), Vec::<Item>::new());
    let key = || item! { "country": "NL", "place": "00007" };
    assert_eq!(
        db.get("cities", key()).select("people").run().unwrap(),
        Some(item! { "people": 70 })
    );
    let unread = db.statement("SELECT people FROM cities WHERE country = ?").value(f64::NAN).run();
    assert!(unread.unwrap_err().is_invalid());
    let wrong = db.statement("SELECT").run().unwrap_err();
    assert!(wrong.is_invalid(), "{wrong}");
    let awaited = wait(db.database().statement("SELECT place FROM cities WHERE country = 'BE'"));
    assert_eq!(awaited.unwrap(), Vec::<Item>::new());
}

#[test]
fn time_is_that_of_the_clock() {
    let clock = Clock::stopped_at(1_700_000_000_000);
    let options = Options { clock: Some(clock.clone()), ..Options::default() };
    let db = Database::memory_with(&options).blocking();
    db.create("sessions", "id:S").time_to_live("expires").run().unwrap();
    db.put("sessions", item! { "id": "a", "expires": 1_700_003_600 }).run().unwrap();
    db.put("sessions", item! { "id": "b", "expires": 1_700_007_200 }).run().unwrap();
    let ids = || -> Vec<String> {
        let items = db.scan("sessions").all().unwrap();
        items.iter().map(|item| item.get_as("id").unwrap()).collect()
    };
    db.catch_up_with_clock();
    assert_eq!(ids().len(), 2);
    clock.advance(Duration::from_secs(3601)).unwrap();
    db.catch_up_with_clock();
    assert_eq!(ids(), ["b"]);
    clock.set(1_700_007_201_000).unwrap();
    db.catch_up_with_clock();
    assert_eq!(ids(), [""; 0]);
}

/// What polls a future once and returns whether it was ready.
fn is_ready<F: Future + Unpin>(mut future: F) -> bool {
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    Pin::new(&mut future).poll(&mut context).is_ready()
}

#[test]
fn reads_are_ready_at_once() {
    let db = database();
    let db = db.database();
    assert!(is_ready(db.get("cities", item! { "country": "NL", "place": "a" }).into_future()));
    assert!(is_ready(Box::pin(db.scan("cities").items().next())));
}
