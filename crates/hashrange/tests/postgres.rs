//! Databases on PostgreSQL: the blocking calls, the asynchronous ones on any runtime, two of them on the same
//! data, how often an operation goes to the database, and what is said when there is none.

#![cfg(feature = "postgres")]

use hashrange::{Database, Error, Item, Options, Sandbox, block_on, item};
use hashrange_scratch::{Server, is_left_out, shared};
use std::future::Future;
use std::pin::Pin;
use tokio::runtime::Builder;

#[test]
fn two_databases_on_the_same_data_see_each_others_writes() -> hashrange::Result<()> {
    if is_left_out() {
        return Ok(());
    }
    let url = shared().url();
    let one = Database::connect(&url, &Options::default())?.blocking();
    let two = Database::connect(&url, &Options::default())?;
    one.create("music", "artist:S song:S").run()?;
    let sinnerman = item! { "artist": "Nina Simone", "song": "Sinnerman", "year": 1965 };
    block_on(async {
        two.put("music", sinnerman.clone()).await?;
        let key = item! { "artist": "Nina Simone", "song": "Sinnerman" };
        two.update("music", key).set("year = year + 1").await?;
        Ok::<(), Error>(())
    })?;
    let found = one.query("music").key("artist = 'Nina Simone'").all()?;
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].get_as::<u16>("year")?, 1966);
    let again = one.put("music", sinnerman).when("attribute_not_exists(artist)").run();
    assert!(again.unwrap_err().is_condition_failed());
    let refused = Sandbox::of_database(&two, &Options::default()).unwrap_err();
    assert!(refused.to_string().contains("needs a database in memory"), "{refused}");
    one.close().unwrap();
    block_on(two.close()).unwrap();
    Ok(())
}

/// A Query that is asked again is answered from memory while nobody writes, if there is any for it.
#[test]
fn a_page_that_is_read_again_is_kept_if_there_is_memory() -> hashrange::Result<()> {
    if is_left_out() {
        return Ok(());
    }
    let url = shared().url();
    let with =
        |cache_bytes| Database::connect(&url, &Options { cache_bytes, ..Options::default() });
    let (keeping, never) = (with(1 << 20)?, with(0)?);
    let writer = never.clone().blocking();
    writer.create("pages", "pk:S sk:N").run()?;
    let text = "t".repeat(1_000);
    let entry = |nth| item! { "pk": "a", "sk": nth, "text": text.clone() };
    writer.batch_write().put_all("pages", (0..20).map(entry)).run()?;
    let query = |db: &Database| db.clone().blocking().query("pages").key("pk = 'a'").all();
    for _ in 0..4 {
        assert_eq!(query(&keeping)?.len(), 20);
        assert_eq!(query(&never)?.len(), 20);
    }
    let of = |db: &Database| db.traffic().expect("it is on PostgreSQL");
    assert_eq!((of(&keeping).same_pages, of(&never).asked_pages), (1, 0));
    assert!(of(&keeping).kept_bytes > 20_000, "{:?}", of(&keeping));
    assert_eq!(of(&never).kept_bytes, 0);
    writer.put("pages", entry(20)).run()?;
    assert_eq!(query(&keeping)?.len(), 21);
    assert_eq!((of(&keeping).asked_pages, of(&keeping).same_pages), (2, 1));
    Ok(())
}

/// An operation, to be awaited.
type Running = Pin<Box<dyn Future<Output = hashrange::Result<()>> + Send>>;

/// What it is called, the round trips that the table gives it, and how it is begun.
type Documented = (&'static str, u64, fn(Database) -> Running);

/// As in the table of docs/distributed.md. What runs in the background goes to the database as well, so the
/// least of several runs counts. A page and the number of definitions, of which nobody waits for the other, are two.
#[test]
#[expect(clippy::too_many_lines, reason = "a flat table of operations and their round trips")]
fn operations_go_to_the_database_as_often_as_documented() -> hashrange::Result<()> {
    if is_left_out() {
        return Ok(());
    }
    // One thread: reads that an operation asks for at once share a statement if nobody is faster.
    let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let handle = runtime.handle().clone();
    // One of its own, on which nobody else commits.
    let server = Server::start();
    let connected = Database::connect_on(handle, &server.url(), &Options::default())?;
    let round_trips = || {
        let traffic = connected.traffic().expect("it is on PostgreSQL");
        traffic.read_round_trips + traffic.commit_round_trips
    };
    let db = connected.clone().blocking();
    db.create("trips", "pk:S sk:N").global_index("by_tag", "tag:S sk:N").run()?;
    db.batch_write().put_all("trips", (0..8).map(tagged)).run()?;
    let operations: [Documented; 12] = [
        ("GetItem", 1, |db| Box::pin(async move { db.get("trips", key(1)).await.map(drop) })),
        ("GetItem of what is not there", 1, |db| {
            Box::pin(async move { db.get("trips", key(99)).await.map(drop) })
        }),
        ("BatchGetItem", 1, |db| {
            Box::pin(async move { db.batch_get("trips", (0..8).map(key)).await.map(drop) })
        }),
        ("TransactGetItems", 1, |db| {
            Box::pin(async move {
                let get = db.transact_get().with(db.get("trips", key(1)));
                get.with(db.get("trips", key(2))).await.map(drop)
            })
        }),
        ("Query", 2, |db| {
            Box::pin(async move { db.query("trips").key("pk = 'a'").await.map(drop) })
        }),
        ("Query of an index", 2, |db| {
            Box::pin(
                async move { db.query("trips").index("by_tag").key("tag = 't'").await.map(drop) },
            )
        }),
        ("Scan", 2, |db| Box::pin(async move { db.scan("trips").await.map(drop) })),
        ("PutItem", 2, |db| Box::pin(async move { db.put("trips", tagged(1)).await.map(drop) })),
        ("PutItem with a condition", 2, |db| {
            Box::pin(async move {
                db.put("trips", tagged(1)).when("attribute_exists(pk)").await.map(drop)
            })
        }),
        ("UpdateItem", 2, |db| {
            Box::pin(async move { db.update("trips", key(2)).set("n = 1").await.map(drop) })
        }),
        ("DeleteItem", 2, |db| Box::pin(async move { db.delete("trips", key(3)).await.map(drop) })),
        ("TransactWriteItems of four", 2, |db| {
            Box::pin(async move {
                let write = db.transact_write().with(db.put("trips", tagged(4)));
                let write = write.with(db.update("trips", key(5)).set("n = 1"));
                write.with(db.delete("trips", key(6))).with(db.put("trips", tagged(7))).await
            })
        }),
    ];
    for (what, documented, operation) in operations {
        let run = || runtime.block_on(runtime.spawn(operation(connected.clone()))).unwrap();
        run()?;
        let mut least = u64::MAX;
        for _ in 0..8 {
            let before = round_trips();
            run()?;
            least = least.min(round_trips() - before);
        }
        assert_eq!(least, documented, "{what}");
    }
    // Where the last items were new, the next one is guessed to be.
    for nth in 100..200 {
        db.put("trips", tagged(nth)).run()?;
    }
    let mut least = u64::MAX;
    for nth in 200..208 {
        let before = round_trips();
        db.put("trips", tagged(nth)).run()?;
        least = least.min(round_trips() - before);
    }
    assert_eq!(least, 1, "PutItem of a new item");
    Ok(())
}

fn key(nth: u32) -> Item {
    item! { "pk": "a", "sk": nth }
}

fn tagged(nth: u32) -> Item {
    item! { "pk": "a", "sk": nth, "tag": "t" }
}

#[test]
fn a_database_that_is_not_there_is_an_error_without_the_password() {
    for url in ["postgres://u:secret@127.0.0.1:1/x", "postgres://u:secret@h:port/x"] {
        let error = Database::connect(url, &Options::default()).unwrap_err();
        assert!(matches!(error, Error::Store(_)), "{error}");
        assert!(!format!("{error} {error:?}").contains("secret"), "{error:?}");
    }
}
