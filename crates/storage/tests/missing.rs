//! Files that are missing from a data folder: what can be told is told, with what to do about it,
//! and a store never opens as if what they held had never been.

#![expect(clippy::unwrap_used, reason = "a failed assumption fails the test")]

mod files;

use hashrange_scratch::copy_folder;
use hashrange_storage::{
    Batch, Bytes, Direction, EmbeddedOptions, EmbeddedStore, Error, Examined, KeyRange, OpenError,
    Store, View, Wanted, block_on,
};
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

fn open(path: &Path) -> Result<EmbeddedStore, OpenError> {
    EmbeddedStore::open(path, &EmbeddedOptions::default())
}

fn put(store: &EmbeddedStore, key: &str) {
    let write = |_: &[Option<Bytes>], batch: &mut Batch| {
        batch.put(key.into(), Bytes::from_static(b"value"));
    };
    block_on(store.commit(vec![key.into()], write)).unwrap();
}

fn holds(store: &EmbeddedStore, key: &str) -> bool {
    block_on(block_on(store.view()).unwrap().get(key.as_bytes())).unwrap().is_some()
}

fn all_files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(all_files(&path)) } else { found.push(path) }
    }
    found
}

/// Returns a folder that was closed cleanly, and one as a crash leaves it.
fn folders() -> [tempfile::TempDir; 2] {
    let closed = tempfile::tempdir().unwrap();
    let store = open(closed.path()).unwrap();
    (0..100).for_each(|nth| put(&store, &format!("key {nth}")));
    let crashed = tempfile::tempdir().unwrap();
    copy_folder(closed.path(), crashed.path());
    drop(store);
    [closed, crashed]
}

#[test]
fn a_missing_log_is_named_and_the_advice_is_right() {
    let [closed, crashed] = folders();
    for (folder, was_closed) in [(&closed, true), (&crashed, false)] {
        let log = files::newest_log(folder.path());
        assert_eq!(fs::metadata(&log).unwrap().len() == 0, was_closed);
        let kept = fs::read(&log).unwrap();
        fs::remove_file(&log).unwrap();
        let error = open(folder.path()).unwrap_err();
        let is_named = matches!(&error, OpenError::MissingLog { path, .. } if *path == log);
        assert!(is_named, "{error}");
        assert_eq!(error.to_string().contains("create it again as an empty file"), was_closed);
        assert!(!log.exists(), "nothing is changed in a folder that is refused");
        fs::write(&log, kept).unwrap();
        assert!(holds(&open(folder.path()).unwrap(), "key 99"));
    }
}

#[test]
fn groups_that_were_acknowledged_and_are_gone_are_noticed() {
    let [closed, _] = folders();
    let empty = tempfile::tempdir().unwrap();
    drop(open(empty.path()).unwrap());
    fs::copy(empty.path().join("FORMAT"), closed.path().join("FORMAT")).unwrap();
    let error = open(closed.path()).unwrap_err().to_string();
    assert!(error.contains("not a note of the logs"), "of another store: {error}");
    let [closed, _] = folders();
    let earlier = tempfile::tempdir().unwrap();
    copy_folder(closed.path(), earlier.path());
    put(&open(closed.path()).unwrap(), "one more");
    fs::copy(closed.path().join(files::NOTE), earlier.path().join(files::NOTE)).unwrap();
    let error = open(earlier.path()).unwrap_err().to_string();
    let expected = "groups 101 to 101, which were acknowledged, are missing";
    assert!(error.contains(expected), "{error}");
}

/// Leaves in `FORMAT` what earlier releases wrote.
fn forget_that_logs_are_noted(folder: &Path) {
    let format = fs::read_to_string(folder.join("FORMAT")).unwrap();
    fs::write(folder.join("FORMAT"), format.strip_suffix("logs noted\n").unwrap()).unwrap();
}

#[test]
fn a_folder_of_an_earlier_release_opens_without_the_note_of_its_logs() {
    let [closed, crashed] = folders();
    for folder in [&closed, &crashed] {
        fs::remove_file(folder.path().join("LOGS")).unwrap();
        let error = open(folder.path()).unwrap_err().to_string();
        assert!(error.contains("LOGS") && error.contains("the file is missing"), "{error}");
        fs::write(folder.path().join("LOGS"), "").unwrap();
        let error = open(folder.path()).unwrap_err().to_string();
        assert!(error.contains("LOGS") && error.contains("not a note of the logs"), "{error}");
        fs::remove_file(folder.path().join("LOGS")).unwrap();
        forget_that_logs_are_noted(folder.path());
        let store = open(folder.path()).unwrap();
        assert!(holds(&store, "key 99"));
        put(&store, "more");
        drop(store);
        assert!(folder.path().join("LOGS").exists());
        fs::remove_file(folder.path().join("LOGS")).unwrap();
        fs::remove_file(folder.path().join("fjall/0.jnl")).unwrap();
        let error = open(folder.path()).unwrap_err();
        assert!(matches!(error, OpenError::MissingLog { was_closed: None, .. }), "{error}");
    }
}

#[test]
fn whichever_file_is_missing_the_store_is_refused_or_whole() {
    for folder in folders() {
        for file in all_files(folder.path()) {
            let copy = tempfile::tempdir().unwrap();
            copy_folder(folder.path(), copy.path());
            let name = file.strip_prefix(folder.path()).unwrap();
            fs::remove_file(copy.path().join(name)).unwrap();
            match open(copy.path()) {
                Ok(store) => {
                    assert!((0..100).all(|nth| holds(&store, &format!("key {nth}"))), "{name:?}");
                }
                Err(OpenError::MissingLog { path, .. }) => {
                    assert_eq!(path, copy.path().join(name));
                }
                Err(OpenError::Foreign { .. }) => assert_eq!(name, Path::new("FORMAT")),
                Err(error) => {
                    let is_corrupt = matches!(error, OpenError::Store(Error::Corrupt { .. }));
                    let text = error.to_string();
                    assert!(is_corrupt && text.contains("restore the folder"), "{name:?}: {text}");
                }
            }
        }
    }
}

/// Names, lengths, contents and times of everything in a folder.
fn state(folder: &Path) -> Vec<(PathBuf, u32, std::time::SystemTime, Vec<u8>)> {
    use std::os::unix::fs::PermissionsExt;
    let mut state = Vec::new();
    for path in [vec![folder.to_path_buf()], all_files(folder)].concat() {
        let metadata = fs::metadata(&path).unwrap();
        let content = if path.is_dir() { Vec::new() } else { fs::read(&path).unwrap() };
        let mode = metadata.permissions().mode();
        state.push((path, mode, metadata.modified().unwrap(), content));
    }
    state.sort();
    state
}

fn examine(path: &Path) -> Result<Examined, OpenError> {
    Examined::open(path, &EmbeddedOptions::default())
}

#[test]
fn looking_at_a_folder_changes_nothing_whatever_it_is() {
    let [closed, crashed] = folders();
    let torn = tempfile::tempdir().unwrap();
    copy_folder(crashed.path(), torn.path());
    let log = files::newest_log(torn.path());
    let mut bytes = fs::read(&log).unwrap();
    let end = bytes.iter().rposition(|byte| *byte != 0).unwrap();
    bytes.truncate(end - 20);
    fs::write(&log, bytes).unwrap();
    let unlocked = tempfile::tempdir().unwrap();
    copy_folder(closed.path(), unlocked.path());
    for name in ["LOCK", files::LOCK] {
        fs::remove_file(unlocked.path().join(name)).unwrap();
    }
    for (folder, keys) in [(&closed, 100), (&crashed, 100), (&torn, 99), (&unlocked, 100)] {
        let before = state(folder.path());
        let examined = examine(folder.path()).unwrap();
        let held = |nth: &u32| {
            let key = format!("key {nth}");
            block_on(examined.view().get(key.as_bytes())).unwrap().is_some()
        };
        assert_eq!((0..100).filter(held).count(), keys);
        assert_eq!(examined.torn_bytes() > 0, keys < 100);
        drop(examined);
        assert!(state(folder.path()) == before);
    }
    let foreign = tempfile::tempdir().unwrap();
    fs::write(foreign.path().join("letter"), "dear").unwrap();
    let missing = tempfile::tempdir().unwrap();
    copy_folder(closed.path(), missing.path());
    fs::remove_file(files::newest_log(missing.path())).unwrap();
    let damaged = tempfile::tempdir().unwrap();
    copy_folder(closed.path(), damaged.path());
    fs::write(damaged.path().join(files::CURRENT), "?").unwrap();
    for folder in [&foreign, &missing, &damaged, &tempfile::tempdir().unwrap()] {
        let before = state(folder.path());
        let error = examine(folder.path()).unwrap_err().to_string();
        assert!(error.contains(folder.path().to_str().unwrap()), "{error}");
        assert!(state(folder.path()) == before, "{error}");
    }
}

#[test]
fn a_folder_is_looked_at_by_one_process_only() {
    let [closed, _] = folders();
    let is_locked = |error| matches!(error, OpenError::Locked { .. });
    let store = open(closed.path()).unwrap();
    assert!(is_locked(examine(closed.path()).unwrap_err()));
    drop(store);
    let examined = examine(closed.path()).unwrap();
    assert!(is_locked(open(closed.path()).unwrap_err()));
    drop(examined);
    assert!(open(closed.path()).is_ok());
}

#[test]
fn data_are_private_to_their_owner() {
    use std::os::unix::fs::PermissionsExt;
    let parent = tempfile::tempdir().unwrap();
    let path = parent.path().join("new");
    drop(open(&path).unwrap());
    let mode = |name: &str| fs::metadata(path.join(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!(
        (mode(""), mode(files::MAP), mode("FORMAT"), mode(files::NOTE)),
        (0o700, 0o700, 0o600, 0o600)
    );
    for (name, of_earlier) in [(files::MAP, 0o755), ("FORMAT", 0o644), (files::NOTE, 0o644)] {
        fs::set_permissions(path.join(name), fs::Permissions::from_mode(of_earlier)).unwrap();
    }
    drop(open(&path).unwrap());
    assert_eq!((mode(files::MAP), mode("FORMAT"), mode(files::NOTE)), (0o700, 0o600, 0o600));
}

#[test]
fn a_damaged_block_is_reported_with_its_file_and_what_to_do() {
    let [closed, _] = folders();
    let tables = files::tables(closed.path());
    let table = tables.iter().max_by_key(|path| fs::metadata(path).unwrap().len()).unwrap();
    let mut bytes = fs::read(table).unwrap();
    // A data block comes first; what opens the file reads its end.
    bytes[200] ^= 1;
    fs::write(table, bytes).unwrap();
    let text = open(closed.path()).unwrap_err().to_string();
    assert!(text.contains(table.to_str().unwrap()), "{text}");
    assert!(text.contains("near key") && text.contains("restore the folder"), "{text}");
}

/// Returns what a walk over everything fails with.
fn walk_error(path: &Path, direction: Direction) -> Option<Error> {
    let store = open(path).ok()?;
    let everything = KeyRange { start: b"key".to_vec(), end: Some(b"l".to_vec()) };
    block_on(
        block_on(store.view())
            .unwrap()
            .visit(everything, direction, Wanted::ALL, |_, _| ControlFlow::Continue(())),
    )
    .err()
}

#[test]
fn a_walk_names_the_damaged_file_wherever_the_damage_is() {
    let folder = tempfile::tempdir().unwrap();
    let options = EmbeddedOptions {
        memtable_bytes: 64 << 10,
        table_bytes: 64 << 10,
        ..EmbeddedOptions::default()
    };
    let store = EmbeddedStore::open(folder.path(), &options).unwrap();
    let mut state = 1_u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 56) as u8
    };
    for nth in 0..400 {
        let value: Bytes = (0..1024).map(|_| random()).collect();
        let write = |_: &[Option<Bytes>], batch: &mut Batch| {
            batch.put(format!("key {nth:04}").into(), value.clone());
        };
        block_on(store.commit(Vec::new(), write)).unwrap();
    }
    drop(store);
    let mut damaged = 0;
    for table in files::tables(folder.path()) {
        let whole = fs::read(&table).unwrap();
        for place in [200, whole.len() / 2] {
            let mut bytes = whole.clone();
            bytes[place] ^= 1;
            fs::write(&table, bytes).unwrap();
            for direction in [Direction::Forward, Direction::Backward] {
                let Some(error) = walk_error(folder.path(), direction) else { continue };
                damaged += 1;
                let text = error.to_string();
                assert!(text.contains(table.to_str().unwrap()), "{place}, {direction:?}: {text}");
            }
        }
        fs::write(&table, whole).unwrap();
    }
    assert!(damaged > 8, "several files were damaged where a walk reads: {damaged}");
}

/// Appends to a log and returns the stamps in it.
fn append_to_log(store: &EmbeddedStore) -> Vec<u64> {
    let append = store.commit(vec![], |_, batch: &mut Batch| {
        batch.append(b"log".to_vec(), Bytes::from_static(b"x"));
    });
    block_on(append).unwrap();
    let mut stamps = Vec::new();
    let view = block_on(store.view()).unwrap();
    let log = KeyRange::prefix(b"log");
    block_on(view.visit(log, Direction::Forward, Wanted::ALL, |key, _| {
        stamps.push(u64::from_be_bytes(key[3..].try_into().unwrap()));
        ControlFlow::Continue(())
    }))
    .unwrap();
    stamps
}

#[test]
fn a_store_that_goes_on_from_another_one_gives_out_greater_stamps_and_misses_no_group() {
    for above in [1, (7 << 20) - 1, 7 << 20, 123_456_789_012_345] {
        let folder = tempfile::tempdir().unwrap();
        let options = EmbeddedOptions { stamps_above: above, ..EmbeddedOptions::default() };
        let store = EmbeddedStore::open(folder.path(), &options).unwrap();
        assert!(store.last_stamp() >= above);
        let first = append_to_log(&store);
        assert!(first[0] > above && store.last_stamp() >= first[0], "{first:?} after {above}");
        let crashed = tempfile::tempdir().unwrap();
        copy_folder(folder.path(), crashed.path());
        drop(store);
        // What it was created after counts, not what is asked for later.
        for path in [folder.path(), crashed.path()] {
            let stamps = append_to_log(&open(path).unwrap());
            assert!(stamps[..1] == first && stamps[1] > stamps[0], "{stamps:?} after {first:?}");
        }
    }
}

#[test]
fn a_log_that_a_crash_emptied_or_cut_behind_its_first_bytes_is_missed() {
    let [closed, _] = folders();
    let store = open(closed.path()).unwrap();
    (0..100).for_each(|nth| put(&store, &format!("later {nth}")));
    for length in [0, 1, 12, 40] {
        let cut = tempfile::tempdir().unwrap();
        copy_folder(closed.path(), cut.path());
        let is_log = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "jnl");
        for log in all_files(cut.path()).into_iter().filter(is_log) {
            fs::File::options().write(true).open(log).unwrap().set_len(length).unwrap();
        }
        for told in [
            open(cut.path()).map(drop).unwrap_err(),
            Examined::open(cut.path(), &EmbeddedOptions::default()).map(drop).unwrap_err(),
        ] {
            assert!(told.to_string().contains("which were acknowledged, are missing"), "{told}");
        }
    }
}

/// Returns where the groups of fjall's log end, in a copy of `folder` taken while its store was open.
fn group_ends(folder: &Path) -> Vec<usize> {
    let log = fs::read(files::newest_log(folder)).unwrap();
    let trailers = log.windows(4).enumerate().filter(|(_, bytes)| bytes == b"FJL\x03");
    trailers.map(|(offset, _)| offset + 4).collect()
}

/// Returns a copy of `folder` of which the newest log ends at `length`.
fn cut_log(folder: &Path, length: usize) -> tempfile::TempDir {
    let cut = tempfile::tempdir().unwrap();
    copy_folder(folder, cut.path());
    let log = fs::File::options().write(true).open(files::newest_log(cut.path())).unwrap();
    log.set_len(length as u64).unwrap();
    cut
}

#[test]
fn a_log_that_is_emptied_or_cut_is_missed_however_much_of_it_is_sorted() {
    let folder = tempfile::tempdir().unwrap();
    // Each group fills a memtable, which is sealed before the next one.
    let options = EmbeddedOptions { memtable_bytes: 4, ..EmbeddedOptions::default() };
    let store = EmbeddedStore::open(folder.path(), &options).unwrap();
    put(&store, "key 0");
    let one_group = store.stats().write_buffer_bytes;
    (1..12).for_each(|nth| put(&store, &format!("key {nth}")));
    while store.stats().write_buffer_bytes > 2 * one_group {
        std::thread::yield_now();
    }
    let crashed = tempfile::tempdir().unwrap();
    copy_folder(folder.path(), crashed.path());
    assert!(!files::tables(crashed.path()).is_empty());
    let ends = group_ends(crashed.path());
    let (whole, earlier) = ends.split_last().unwrap();
    assert_eq!(earlier.len(), 11);
    for length in [&[0, 1, whole - 1], earlier].concat() {
        let error = open(cut_log(crashed.path(), length).path()).map(drop).unwrap_err();
        let is_told = error.to_string().contains("which were acknowledged, are missing");
        assert!(is_told, "cut at {length} of {whole}: {error}");
    }
    let kept = cut_log(crashed.path(), *whole);
    let store = open(kept.path()).unwrap();
    assert!((0..12).all(|nth| holds(&store, &format!("key {nth}"))));
}

#[test]
fn a_log_cut_at_the_end_of_a_group_lacks_fewer_groups_than_lie_between_notes() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path()).unwrap();
    (0..600).for_each(|nth| put(&store, &format!("key {nth}")));
    let crashed = tempfile::tempdir().unwrap();
    copy_folder(folder.path(), crashed.path());
    let ends = group_ends(crashed.path());
    assert_eq!(ends.len(), 600);
    // Groups 1, 257 and 513 are noted.
    for kept in [0, 1, 257, 512] {
        let length = if kept > 0 { ends[kept - 1] } else { 0 };
        let error = open(cut_log(crashed.path(), length).path()).map(drop).unwrap_err().to_string();
        let told = format!("groups {} to 513, which were acknowledged, are missing", kept + 1);
        assert!(error.contains(&told), "{error}");
    }
    for kept in [513, 599, 600] {
        let cut = cut_log(crashed.path(), ends[kept - 1]);
        let store = open(cut.path()).unwrap();
        let held = (0..600).filter(|nth| holds(&store, &format!("key {nth}"))).count();
        assert_eq!(held, kept);
    }
}
