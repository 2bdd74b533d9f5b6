//! Databases that are copied while they are written to: what was acknowledged is in the copy and what was refused
//! is not, streams go on, a table has the same past, derived keys and settings, and the old place is refused
//! afterwards; copies that are cut off leave nothing behind.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use hashrange::copying::{Place, is_moved, reopen};
use hashrange::{
    Blocking, Change, ContributorInsightsAction, CopyPhase, Copying, Database,
    DescribeTimeToLiveInput, Error, Item, ListContributorInsightsInput, Options, StreamViewType,
    TemplateMode, UpdateContributorInsightsInput, item,
};
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

const KEYS_OF_WRITER: u64 = 300;
const WRITERS: u64 = 4;
/// So many moments of the past are read, or some more.
const PASTS: usize = 8;
const SINCE: &str = "hashrange:since";

/// What the items of a writer are: key and version.
type Written = BTreeMap<u64, u64>;

/// What the table derives from a version, at first and since the copy is under way.
const LABELS: [&str; 2] = [r#"label = "V#{version:pad:8}""#, r#"label = "W#{version:pad:8}""#];

fn create(db: &Blocking) {
    let table = db.create("moved", "id:N").global_index("by_version", "version:N id:N");
    let table = table.global_index("by_label", "label:S id:N").time_to_live("until");
    table.stream(StreamViewType::NewAndOldImages).run().unwrap();
}

/// Fills a database with more than one page of a copy, and leaves something to be deleted.
fn fill(db: &Blocking) {
    create(db);
    let filler = "-".repeat(1000);
    let items = (0..3000).map(|id| item! { "id": 1_000_000 + id, "filler": filler.clone() });
    db.batch_write().put_all("moved", items).run().unwrap();
    db.create("left", "id:N").run().unwrap();
    let items = (0..1000).map(|id| item! { "id": id, "filler": filler.clone() });
    db.batch_write().put_all("left", items).run().unwrap();
    db.enable_history("moved", None).unwrap();
    // Of servers that share a store another one may begin it, when its turn comes.
    while db.describe_history("moved").unwrap().reaches_back_to_ms.is_none() {
        thread::yield_now();
    }
    db.put_key_template("moved", LABELS[0], TemplateMode::Fill).unwrap();
    watch(db, None);
}

/// Has the hot keys of the table or of an index told.
fn watch(db: &Blocking, index: Option<&'static str>) {
    let input = UpdateContributorInsightsInput {
        table_name: Some("moved".into()),
        index_name: index.map(Into::into),
        contributor_insights_action: Some(ContributorInsightsAction::Enable),
        ..Default::default()
    };
    db.update_contributor_insights(input).unwrap();
}

/// Writes until it is refused or told to stop; what was refused is not among what it returns.
fn write(db: &Blocking, writer: u64, is_over: &AtomicBool, writes: &AtomicU64) -> Written {
    let mut written = Written::new();
    let key = |nth: u64| writer * KEYS_OF_WRITER + nth;
    for round in 1.. {
        if is_over.load(Ordering::Acquire) {
            return written;
        }
        let (one, other) = (key(round * 7 % KEYS_OF_WRITER), key(round * 11 % KEYS_OF_WRITER));
        let ended = match round % 4 {
            0 => db.delete("moved", item! { "id": one }).run().map(|_| {
                written.remove(&one);
            }),
            1 if one != other => {
                let puts = [one, other].map(|id| db.database().put("moved", versioned(id, round)));
                let [first, second] = puts;
                db.transact_write().with(first).with(second).run().map(|()| {
                    written.insert(one, round);
                    written.insert(other, round);
                })
            }
            2 if written.contains_key(&one) => {
                let update = db.update("moved", item! { "id": one }).set("version = version + 1");
                update.run().map(|_| *written.get_mut(&one).unwrap() += 1)
            }
            _ => db.put("moved", versioned(one, round)).run().map(|_| {
                written.insert(one, round);
            }),
        };
        if let Err(error) = ended {
            assert!(error.to_string().contains("being moved to another store"), "{error}");
            return written;
        }
        writes.fetch_add(1, Ordering::Relaxed);
    }
    written
}

fn versioned(id: u64, version: u64) -> Item {
    item! { "id": id, "version": version }
}

/// Runs `act` while all write, one writer for each database in turn, and returns what they wrote.
fn beside_writers<T>(databases: &[&Blocking], act: impl FnOnce(&AtomicU64) -> T) -> (T, Written) {
    let (is_over, writes) = (AtomicBool::new(false), AtomicU64::new(0));
    thread::scope(|scope| {
        let writers: Vec<_> = (0..WRITERS)
            .map(|writer| {
                let db = databases[usize::try_from(writer).unwrap() % databases.len()];
                let (is_over, writes) = (&is_over, &writes);
                scope.spawn(move || write(db, writer, is_over, writes))
            })
            .collect();
        let acted = catch_unwind(AssertUnwindSafe(|| act(&writes)));
        is_over.store(true, Ordering::Release);
        let written = writers.into_iter().flat_map(|writer| writer.join().unwrap()).collect();
        (acted.unwrap_or_else(|panic| std::panic::resume_unwind(panic)), written)
    })
}

/// Returns what is in the table, by itself and by its index.
fn versions(db: &Blocking) -> Written {
    let pairs = |items: Vec<Item>| -> Written {
        let number = |item: &Item, name| item.get_as::<u64>(name).unwrap();
        let of_writers = items.iter().filter(|item| item.get("version").is_some());
        of_writers.map(|item| (number(item, "id"), number(item, "version"))).collect()
    };
    let scanned = pairs(db.scan("moved").all().unwrap());
    assert_eq!(pairs(db.scan("moved").index("by_version").all().unwrap()), scanned);
    scanned
}

/// Asserts that two databases tell the same of the table's past and of its settings, and that its derived keys are
/// those of its items.
fn assert_kept(db: &Blocking, other: &Blocking) {
    assert_eq!(settings(db), settings(other));
    let history = |db: &Blocking| db.scan("moved.history").all().unwrap();
    let told = history(db);
    assert_eq!(history(other), told);
    let since = told.iter().filter_map(|version| version.get_as::<String>(SINCE).ok());
    let moments: Vec<String> = since.collect::<BTreeSet<_>>().into_iter().collect();
    assert!(moments.len() > PASTS);
    let mut pasts = Vec::new();
    for moment in moments.iter().step_by(moments.len() / PASTS) {
        let past = |db: &Blocking| db.scan(format!("moved.asof.{moment}")).all().unwrap();
        pasts.push(past(db));
        assert_eq!(Some(&past(other)), pasts.last(), "{moment}");
    }
    assert!(pasts.windows(2).all(|pair| pair[0] != pair[1]));
    for db in [db, other] {
        let labelled = db.scan("moved").index("by_label").all().unwrap();
        let label = |item: &Item| item.get_as::<String>("label").unwrap();
        let derived = |item: &Item| format!("W#{:08}", item.get_as::<u64>("version").unwrap());
        assert_eq!(labelled.len(), versions(db).len());
        assert!(labelled.iter().all(|item| label(item) == derived(item)), "{labelled:?}");
    }
}

/// Returns what a database tells of the settings of the table.
fn settings(db: &Blocking) -> String {
    let table_name = || Some("moved".into());
    let lives = db.describe_time_to_live(DescribeTimeToLiveInput { table_name: table_name() });
    let insights = ListContributorInsightsInput { table_name: table_name(), ..Default::default() };
    let insights = db.list_contributor_insights(insights).unwrap().contributor_insights_summaries;
    assert_eq!(insights.iter().flatten().count(), 2);
    let history = db.describe_history("moved").unwrap();
    let templates = db.describe_key_templates("moved").unwrap();
    format!("{:?} {insights:?} {history:?} {templates:?}", lives.unwrap())
}

fn changes(db: &Blocking) -> Vec<Change> {
    db.stream_records("moved").until_caught_up().collect::<Result<_, _>>().unwrap()
}

/// Waits in each phase until something was written, and deletes a table while the copy is under way.
fn meddle(db: &Blocking, writes: &AtomicU64) -> impl FnMut(Copying) + Send {
    let mut phase = None;
    move |now: Copying| {
        if phase == Some(now.phase) || now.phase == CopyPhase::Switching {
            return;
        }
        phase = Some(now.phase);
        let before = writes.load(Ordering::Relaxed);
        while writes.load(Ordering::Relaxed) < before + 200 {
            thread::yield_now();
        }
        if now.phase == CopyPhase::CatchingUp {
            label_anew(db);
            watch(db, Some("by_label"));
            match db.describe("left").run() {
                Ok(_) => drop(db.drop_table("left").run().unwrap()),
                Err(_) => create_if_missing(db),
            }
        }
    }
}

/// Changes the template and waits until all items follow it, whichever server rewrites them: what is left of that
/// would be done in both places, each for itself.
fn label_anew(db: &Blocking) {
    db.put_key_template("moved", LABELS[1], TemplateMode::Fill).unwrap();
    while db.describe_key_templates("moved").unwrap().iter().any(|it| it.rewriting.is_some()) {
        thread::yield_now();
    }
}

fn create_if_missing(db: &Blocking) {
    if db.describe("new").run().is_err() {
        db.create("new", "id:N").run().unwrap();
        db.put("new", item! { "id": 1 }).run().unwrap();
    }
}

fn open(folder: &Path) -> Result<Blocking, Error> {
    Database::open(folder, &Options::default()).map(|db| db.blocking())
}

/// Moves a folder to a place while it is written to, and checks both; `opened` opens the place.
fn moves(place: Place<'_>, opened: impl Fn() -> Blocking) {
    let from = tempfile::tempdir().unwrap();
    let wrong = tempfile::tempdir().unwrap();
    drop(open(wrong.path()).unwrap().close());
    let db = open(from.path()).unwrap();
    fill(&db);
    let (copied, written) = beside_writers(&[&db], |writes| {
        db.database().move_to(place, false, &mut meddle(&db, writes))
    });
    assert!(copied.unwrap().keys > 3000);
    let refused = db.put("moved", versioned(1, 1)).run().unwrap_err().to_string();
    assert!(refused.contains("its data are being moved to another store"), "{refused}");
    let target = opened();
    assert_eq!(versions(&target), written);
    assert_eq!(versions(&db), written);
    assert_eq!(changes(&target), changes(&db));
    assert_kept(&target, &db);
    assert!(target.describe("left").run().is_err());
    target.put("moved", versioned(5, 5)).run().unwrap();
    assert_eq!(changes(&target).len(), changes(&db).len() + 1);
    assert_eq!(target.scan("new").all().unwrap().len(), 1);
    target.close().unwrap();
    db.close().unwrap();
    drop((db, target));

    let refused = open(from.path()).unwrap_err().to_string();
    assert!(refused.contains("it was moved to another store"), "{refused}");
    assert!(is_moved(Place::Folder(from.path()), place).unwrap());
    assert!(is_moved(Place::Folder(from.path()), Place::Folder(wrong.path())).is_err());
    reopen(Place::Folder(from.path())).unwrap();
    assert!(!is_moved(Place::Folder(from.path()), place).unwrap());
    assert_eq!(versions(&open(from.path()).unwrap()), written);
}

#[test]
fn a_folder_moves_to_another_while_it_is_written_to() {
    let to = tempfile::tempdir().unwrap();
    moves(Place::Folder(to.path()), || open(to.path()).unwrap());
}

/// The first copy ends in each phase in turn, the last one is carried out.
#[test]
fn a_move_that_is_cut_off_is_as_if_it_had_not_been_and_can_be_begun_again() {
    let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let db = open(from.path()).unwrap();
    fill(&db);
    for ended in
        [CopyPhase::Copying, CopyPhase::CatchingUp, CopyPhase::Verifying, CopyPhase::Switching]
    {
        let (cut_off, written) = beside_writers(&[&db], |_| {
            catch_unwind(AssertUnwindSafe(|| {
                db.database().move_to(Place::Folder(to.path()), true, &mut |now| {
                    if now.phase == ended && (now.keys > 0 || ended == CopyPhase::Switching) {
                        // Not a panic that is reported: it is meant.
                        std::panic::resume_unwind(Box::new("cut off"));
                    }
                })
            }))
        });
        assert!(cut_off.is_err(), "{ended:?}");
        let now = versions(&db);
        for (id, version) in &written {
            assert_eq!(now.get(id), Some(version), "{ended:?}");
        }
        let refused = open(to.path()).unwrap_err().to_string();
        assert!(refused.contains("a copy that was not finished"), "{refused}");
    }
    let begun = db.database().move_to(Place::Folder(to.path()), false, &mut |_| {});
    assert!(begun.is_err(), "the target is an unfinished copy");
    db.put("moved", versioned(7, 77)).run().unwrap();
    db.database().move_to(Place::Folder(to.path()), true, &mut |_| {}).unwrap();
    let target = open(to.path()).unwrap();
    assert_eq!(versions(&target), versions(&db));
    assert_eq!(versions(&target)[&7], 77);
}

#[cfg(feature = "postgres")]
mod on_postgres {
    use super::*;
    use hashrange::copying::{How, copy};
    use hashrange_scratch::{is_left_out, shared};

    fn connect(url: &str) -> Result<Blocking, Error> {
        Database::connect(url, &Options::default()).map(|db| db.blocking())
    }

    #[test]
    fn a_folder_moves_to_postgres_while_it_is_written_to() {
        if is_left_out() {
            return;
        }
        let url = shared().url();
        moves(Place::Url(&url), || connect(&url).unwrap());
    }

    #[test]
    fn what_two_servers_write_on_postgres_moves_to_a_folder() {
        if is_left_out() {
            return;
        }
        let url = shared().url();
        let to = tempfile::tempdir().unwrap();
        let (one, two) = (connect(&url).unwrap(), connect(&url).unwrap());
        fill(&one);
        let still = How::default();
        let refused = copy(Place::Url(&url), Place::Folder(to.path()), still, &mut |_| {});
        assert!(refused.is_err(), "two are at work");
        let served = How { is_served: true, is_restarted: false };
        let (copied, written) = beside_writers(&[&one, &two], |writes| {
            copy(Place::Url(&url), Place::Folder(to.path()), served, &mut meddle(&one, writes))
        });
        assert!(copied.unwrap().keys > 3000);
        for db in [&one, &two] {
            let refused = db.put("moved", versioned(1, 1)).run().unwrap_err().to_string();
            assert!(refused.contains("moved to another store"), "{refused}");
        }
        let target = open(to.path()).unwrap();
        assert_eq!(versions(&target), written);
        assert!(target.describe("left").run().is_err());
        assert_eq!(target.scan("new").all().unwrap().len(), 1);
        let refused = connect(&url).unwrap_err().to_string();
        assert!(refused.contains("it was moved to another store"), "{refused}");
        // Both must be gone before it is said to be used again.
        drop((one.close(), two.close()));
        drop((one, two));
        reopen(Place::Url(&url)).unwrap();
        let again = connect(&url).unwrap();
        assert_eq!(versions(&again), written);
        assert_kept(&target, &again);
        target.put("moved", versioned(5, 5)).run().unwrap();
    }
}
