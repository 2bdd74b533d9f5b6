//! Database for tests: a test saves, restores and empties its whole state at once, and sets its
//! clock.
//!
//! The state of a database in memory is one value that shares every unchanged part with other
//! states ([`hashrange_storage::Image`]), so saving copies nothing. Restoring builds a new database
//! from a saved value and puts it in the place of the one in use. Requests under way end on the
//! database that they began on, as if they had come earlier; so no request ever sees parts of two
//! states.
//!
//! Left to others: the callers (the server's own operations, tests in Rust).

use crate::clock::{Clock, ClockSetting};
use crate::{Database, Error, Options};
use arc_swap::ArcSwap;
use hashrange_model::error::StateFault;
use hashrange_model::{ApiError, ApiResult, Reason};
use hashrange_storage::Image;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

/// The most saves of a sandbox.
const SAVES_MAX: usize = 100;
const NAME_MAX_BYTES: usize = 255;

/// A database whose whole state can be saved and put back, with a clock that can be set.
///
/// ```
/// use hashrange::{Options, Sandbox, create_table};
///
/// let sandbox = Sandbox::memory(&Options::default());
/// sandbox.database().blocking().create_table(create_table("Music", ("Artist", "S"), None))?;
/// sandbox.save("with a table")
///     .expect_err("names have no spaces");
/// sandbox.save("empty-table")?;
/// sandbox.reset()?;
/// let tables = |sandbox: &Sandbox| {
///     sandbox.database().blocking().list_tables(Default::default()).unwrap().table_names.unwrap()
/// };
/// assert!(tables(&sandbox).is_empty());
/// sandbox.restore("empty-table")?;
/// assert_eq!(tables(&sandbox), ["Music"]);
/// # Ok::<(), hashrange::ApiError>(())
/// ```
#[derive(Debug)]
pub struct Sandbox {
    current: ArcSwap<Database>,
    options: Options,
    clock: Clock,
    /// Held while a state is saved or restored.
    kept: Mutex<Kept>,
    /// Background panics of the databases that were in use before.
    earlier_panics: AtomicU64,
}

/// Saved states; the start is empty unless it was marked.
#[derive(Debug, Default)]
struct Kept {
    start: Option<State>,
    saves: BTreeMap<String, State>,
}

/// A state to go back to.
#[derive(Debug, Clone)]
struct State {
    image: Image,
    clock: ClockSetting,
    saved_at_ms: u64,
}

/// A save as listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Save {
    /// Name of the save.
    pub name: String,
    /// Time of the save by the sandbox's clock, in milliseconds since 1970.
    pub saved_at_ms: u64,
}

impl Sandbox {
    /// Returns an empty sandbox in memory.
    pub fn memory(options: &Options) -> Self {
        let (options, clock) = with_clock(options);
        Self::of(Database::memory_with(&options), options, clock)
    }

    /// Opens the database in a folder as a sandbox. Its clock can be set; its state cannot be saved
    /// or restored.
    pub fn open(folder: impl AsRef<Path>, options: &Options) -> Result<Self, Error> {
        Self::open_folder(folder.as_ref(), options)
    }

    fn open_folder(folder: &Path, options: &Options) -> Result<Self, Error> {
        let (options, clock) = with_clock(options);
        Ok(Self::of(Database::open_folder(folder, &options)?, options, clock))
    }

    /// Returns a sandbox in memory that begins with the present content of another database in
    /// memory, and returns to it with every reset.
    pub fn of_database(seed: &Database, options: &Options) -> ApiResult<Self> {
        let (options, clock) = with_clock(options);
        let image = seed.image().ok_or_else(|| fault(StateFault::InFolder("Copy")))?;
        let state =
            State { image: image.clone(), clock: clock.setting(), saved_at_ms: clock.now_ms() };
        let database = Database::of_image(image, &options).map_err(unusable)?;
        let sandbox = Self::of(database, options, clock);
        sandbox.kept().start = Some(state);
        Ok(sandbox)
    }

    fn of(database: Database, options: Options, clock: Clock) -> Self {
        Self {
            current: ArcSwap::from_pointee(database),
            options,
            clock,
            kept: Mutex::default(),
            earlier_panics: AtomicU64::new(0),
        }
    }

    /// Returns the database in use, until the next time a state is restored.
    pub fn database(&self) -> Arc<Database> {
        self.current.load_full()
    }

    /// Returns the clock. Call [`Sandbox::catch_up_with_clock`] after moving it.
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// Does the work that is due by the clock; see [`Database::catch_up_with_clock`].
    pub async fn catch_up_with_clock(&self) {
        self.database().catch_up_with_clock().await;
    }

    /// Saves the whole state under a name: tables, items, streams, settings, and the clock's
    /// setting. Returns whether it replaced a save of this name.
    pub fn save(&self, name: &str) -> ApiResult<bool> {
        check_name(name)?;
        let mut kept = self.kept();
        let state = self.state("Save")?;
        if kept.saves.len() >= SAVES_MAX && !kept.saves.contains_key(name) {
            return Err(fault(StateFault::TooManySaves(SAVES_MAX)));
        }
        Ok(kept.saves.insert(name.to_owned(), state).is_some())
    }

    /// Restores a save, which stays.
    pub fn restore(&self, name: &str) -> ApiResult<()> {
        check_name(name)?;
        let kept = self.kept();
        self.state("Restore")?;
        let state = kept.saves.get(name).ok_or_else(|| no_such_save(name, &kept))?;
        self.go_back_to(state)
    }

    /// Restores the start: the content that [`Sandbox::of_database`] was given, or an empty
    /// database. The clock shows the system's time again, or is set as at the start.
    pub fn reset(&self) -> ApiResult<()> {
        let kept = self.kept();
        self.state("Reset")?;
        match &kept.start {
            Some(start) => self.go_back_to(start),
            None => self.go_back_to(&State::empty()),
        }
    }

    /// Empties the database: no table is left. The clock shows the system's time.
    pub fn reset_to_nothing(&self) -> ApiResult<()> {
        let _kept = self.kept();
        self.state("Reset")?;
        self.go_back_to(&State::empty())
    }

    /// Returns the saves, by name.
    pub fn saves(&self) -> Vec<Save> {
        let kept = self.kept();
        let listed = |(name, state): (&String, &State)| Save {
            name: name.clone(),
            saved_at_ms: state.saved_at_ms,
        };
        kept.saves.iter().map(listed).collect()
    }

    /// Deletes a save.
    pub fn delete_save(&self, name: &str) -> ApiResult<()> {
        check_name(name)?;
        let mut kept = self.kept();
        match kept.saves.remove(name) {
            Some(state) => {
                drop(kept);
                drop_elsewhere(state);
                Ok(())
            }
            None => Err(no_such_save(name, &kept)),
        }
    }

    /// Returns the number of panics in background work, in all databases that were in use.
    pub fn background_panics(&self) -> u64 {
        self.earlier_panics.load(Ordering::Relaxed) + self.current.load().background_panics()
    }

    /// Returns the present state, for an operation that databases in folders do not have.
    fn state(&self, operation: &'static str) -> ApiResult<State> {
        let image = self.current.load().image();
        let image = image.ok_or_else(|| fault(StateFault::InFolder(operation)))?;
        Ok(State { image, clock: self.clock.setting(), saved_at_ms: self.clock.now_ms() })
    }

    /// Puts a database with this state in the place of the one in use. The caller holds `kept`.
    fn go_back_to(&self, state: &State) -> ApiResult<()> {
        let newest = self.state("Restore")?;
        let image = state.image.succeeding(&newest.image);
        self.clock.put(state.clock);
        let database = Database::of_image(image, &self.options).map_err(unusable)?;
        let old = self.current.swap(Arc::new(database));
        self.earlier_panics.fetch_add(old.background_panics(), Ordering::Relaxed);
        drop(newest);
        drop_elsewhere(old);
        Ok(())
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn empty() -> Self {
        Self { image: Image::new(), clock: ClockSetting::Ahead(0), saved_at_ms: 0 }
    }
}

/// Returns the options with a clock that can be set, and that clock.
fn with_clock(options: &Options) -> (Options, Clock) {
    let clock = options.clock.clone().unwrap_or_default();
    (Options { clock: Some(clock.clone()), ..options.clone() }, clock)
}

fn check_name(name: &str) -> ApiResult<()> {
    let is_in_names = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte);
    if (1..=NAME_MAX_BYTES).contains(&name.len()) && name.bytes().all(is_in_names) {
        return Ok(());
    }
    let shown = name.chars().take(NAME_MAX_BYTES).collect();
    Err(fault(StateFault::SaveName(shown)))
}

fn no_such_save(name: &str, kept: &Kept) -> ApiError {
    let known = kept.saves.keys().cloned().collect();
    fault(StateFault::NoSuchSave { name: name.to_owned(), known })
}

fn fault(fault: StateFault) -> ApiError {
    Reason::State(fault).into()
}

#[expect(clippy::needless_pass_by_value, reason = "the form in which errors are mapped")]
fn unusable(error: Error) -> ApiError {
    Reason::StoreUnavailable(error.to_string()).into()
}

/// Drops a value that may hold a whole database on a thread of its own, so that no caller waits:
/// the database's threads end, and each of its entries is freed.
fn drop_elsewhere<T: Send + 'static>(old: T) {
    // If no thread can be started, the failed closure drops the old state here.
    drop(thread::Builder::new().name("hashrange-drop".to_owned()).spawn(move || drop(old)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Blocking, PutItemInput, ScanInput, create_table, item};
    use std::time::Duration;

    fn put(database: &Blocking, id: &str) {
        let input = PutItemInput {
            table_name: Some("Tab".into()),
            item: Some(item! { "id": id }.into()),
            ..PutItemInput::default()
        };
        database.put_item(input).unwrap();
    }

    fn ids(sandbox: &Sandbox) -> Vec<String> {
        let scan = ScanInput { table_name: Some("Tab".into()), ..ScanInput::default() };
        let found = sandbox.database().blocking().scan_page(scan).unwrap().items.unwrap();
        let id = |item: &hashrange_model::Item| match item.get("id").unwrap().to_attribute_value() {
            hashrange_model::AttributeValue::S(id) => id,
            other => panic!("{other:?}"),
        };
        let mut ids: Vec<_> = found.iter().map(id).collect();
        ids.sort();
        ids
    }

    fn sandbox() -> Sandbox {
        let sandbox = Sandbox::memory(&Options::default());
        let database = sandbox.database().blocking();
        database.create_table(create_table("Tab", ("id", "S"), None)).unwrap();
        put(&database, "a");
        sandbox
    }

    #[test]
    fn a_state_is_gone_back_to_as_often_as_one_likes() {
        let sandbox = sandbox();
        assert!(!sandbox.save("one").unwrap());
        for round in ["b", "c"] {
            put(&sandbox.database().blocking(), round);
            assert_eq!(ids(&sandbox), ["a", round]);
            sandbox.restore("one").unwrap();
            assert_eq!(ids(&sandbox), ["a"]);
        }
        put(&sandbox.database().blocking(), "d");
        assert!(sandbox.save("one").unwrap(), "it replaces the first");
        sandbox.reset().unwrap();
        sandbox.restore("one").unwrap();
        assert_eq!(ids(&sandbox), ["a", "d"]);
    }

    #[test]
    fn a_reset_goes_back_to_the_start_and_keeps_the_saves() {
        let seed = sandbox();
        let sandbox = Sandbox::of_database(&seed.database(), &Options::default()).unwrap();
        put(&sandbox.database().blocking(), "b");
        sandbox.save("b").unwrap();
        sandbox.reset().unwrap();
        assert_eq!(ids(&sandbox), ["a"]);
        assert_eq!(ids(&seed), ["a"], "the seed is its own");
        sandbox.reset_to_nothing().unwrap();
        let tables = sandbox.database().blocking().list_tables(crate::ListTablesInput::default());
        assert_eq!(tables.unwrap().table_names, Some(Vec::new()));
        sandbox.restore("b").unwrap();
        assert_eq!(ids(&sandbox), ["a", "b"]);
    }

    #[test]
    fn what_began_before_ends_on_the_state_on_which_it_began() {
        let sandbox = sandbox();
        sandbox.save("a").unwrap();
        let before = sandbox.database().blocking();
        sandbox.restore("a").unwrap();
        put(&before, "late");
        assert_eq!(ids(&sandbox), ["a"]);
    }

    #[test]
    fn the_clock_belongs_to_the_state() {
        let sandbox = sandbox();
        sandbox.clock().stop();
        sandbox.clock().set(1_000).unwrap();
        sandbox.save("at-one-second").unwrap();
        sandbox.clock().advance(Duration::from_secs(9)).unwrap();
        assert_eq!(sandbox.clock().now_ms(), 10_000);
        sandbox.restore("at-one-second").unwrap();
        assert_eq!(sandbox.clock().now_ms(), 1_000);
        sandbox.reset().unwrap();
        assert_eq!(sandbox.clock().setting(), ClockSetting::Ahead(0));
        let saved = Save { name: "at-one-second".to_owned(), saved_at_ms: 1_000 };
        assert_eq!(sandbox.saves(), [saved]);
    }

    #[test]
    fn saves_are_refused_in_words() {
        let sandbox = sandbox();
        let message = |result: ApiResult<()>| result.unwrap_err().message().unwrap();
        for name in ["", "a b", "ä", &"x".repeat(256)] {
            assert!(message(sandbox.save(name).map(drop)).starts_with("A save has a name of"));
        }
        assert_eq!(
            message(sandbox.restore("x")),
            "There is no save named x: nothing has been saved"
        );
        for nth in 0..SAVES_MAX {
            sandbox.save(&format!("s{nth}")).unwrap();
        }
        assert!(message(sandbox.save("one-more").map(drop)).starts_with("There are 100 saves"));
        assert!(sandbox.save("s1").unwrap(), "one in use can be replaced");
        sandbox.delete_save("s1").unwrap();
        assert!(message(sandbox.delete_save("s1")).starts_with("There is no save named s1, only"));
        assert!(!sandbox.save("one-more").unwrap());
    }

    #[test]
    fn a_folder_has_a_clock_and_no_saves() {
        let folder = tempfile::tempdir().unwrap();
        let sandbox = Sandbox::open(folder.path(), &Options::default()).unwrap();
        sandbox.clock().advance(Duration::from_secs(60)).unwrap();
        for refused in [
            sandbox.save("a").map(drop),
            sandbox.reset(),
            sandbox.reset_to_nothing(),
            sandbox.restore("a"),
        ] {
            let message = refused.unwrap_err().message().unwrap();
            assert!(message.contains("needs a database in memory"), "{message}");
        }
    }
}
