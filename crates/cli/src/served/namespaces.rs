//! Tables of their own for each access key and region, for tests of several tenants or of parallel
//! workers.
//!
//! The first request of a namespace creates it, and it stays. Their number is bounded: where
//! credentials are not verified a client can invent access key ids. Requests find theirs without a
//! lock.

use super::Served;
use anyhow::{Context, bail};
use arc_swap::ArcSwap;
use hashrange::{ApiError, ApiResult, Database, Options, Reason, Sandbox, StateFault, Stats};
use hashrange_server::Api;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::{fmt, fs};

/// The most namespaces in memory, each with an engine of its own.
const IN_MEMORY_MAX: usize = 256;
/// The most namespaces in a folder, each with open files and a share of the cache.
const IN_FOLDER_MAX: usize = 32;
const KEY_MAX_BYTES: usize = 128;
/// The access key of requests that show none.
const UNSIGNED: &str = "unsigned";

/// By region, then by access key.
type Spaces = BTreeMap<String, BTreeMap<String, Arc<Served>>>;

/// Brings the tables and items that a database begins with into its folder, before the server opens
/// it.
type Prepare = Box<dyn Fn(&Path) -> anyhow::Result<()> + Send + Sync>;

/// Origin of new namespaces.
pub enum Origin {
    /// In memory; each begins with the contents of this database.
    Memory(Database),
    /// In folders of their own in this folder.
    Folder {
        /// The folder that holds the others.
        root: PathBuf,
        /// Fills a new namespace.
        prepare: Prepare,
    },
}

impl fmt::Debug for Origin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Memory(_) => formatter.write_str("Memory"),
            Self::Folder { root, .. } => formatter.debug_tuple("Folder").field(root).finish(),
        }
    }
}

/// The namespaces of a server.
#[derive(Debug)]
pub struct Namespaces {
    origin: Origin,
    options: Options,
    /// Each namespace has the server's own operations.
    has_test_api: bool,
    spaces: ArcSwap<Spaces>,
    /// Held while a namespace is created.
    making: Mutex<()>,
}

impl Namespaces {
    /// Returns the namespaces of a server, none of them open. The first request of one whose folder
    /// exists already opens it.
    pub fn new(origin: Origin, options: Options, has_test_api: bool) -> Self {
        let mut options = options;
        if let Origin::Folder { .. } = origin {
            options.cache_bytes /= IN_FOLDER_MAX as u64;
        }
        let (spaces, making) = (ArcSwap::default(), Mutex::new(()));
        Self { origin, options, has_test_api, spaces, making }
    }

    /// Returns the API for an access key in a region.
    pub fn of(&self, key: Option<&str>, region: Option<&str>) -> ApiResult<Arc<Served>> {
        let key = key.unwrap_or(UNSIGNED);
        let region = region.unwrap_or(&self.options.region);
        if let Some(known) = self.known(key, region) {
            return Ok(known);
        }
        check_key(key)?;
        // The creation may open and fill a folder: other requests go on meanwhile.
        tokio::task::block_in_place(|| self.make(key, region))
    }

    fn known(&self, key: &str, region: &str) -> Option<Arc<Served>> {
        self.spaces.load().get(region)?.get(key).cloned()
    }

    fn make(&self, key: &str, region: &str) -> ApiResult<Arc<Served>> {
        let _making = self.making.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(made_meanwhile) = self.known(key, region) {
            return Ok(made_meanwhile);
        }
        let most = match self.origin {
            Origin::Memory(_) => IN_MEMORY_MAX,
            Origin::Folder { .. } => IN_FOLDER_MAX,
        };
        if self.all().len() >= most {
            return Err(fault(StateFault::TooManyNamespaces(most)));
        }
        let options = Options { region: region.to_owned(), ..self.options.clone() };
        let made = match &self.origin {
            Origin::Memory(seed) => self.in_memory(seed, &options)?,
            Origin::Folder { root, prepare } => {
                let made = self.in_folder(&root.join(format!("{key}.{region}")), prepare, &options);
                made.map_err(|why| fault(StateFault::NamespaceUnusable(format!("{why:#}"))))?
            }
        };
        tracing::info!(access_key_id = key, region, "a new namespace is in use");
        let made = Arc::new(made);
        let mut spaces = Spaces::clone(&self.spaces.load());
        spaces.entry(region.to_owned()).or_default().insert(key.to_owned(), Arc::clone(&made));
        self.spaces.store(Arc::new(spaces));
        Ok(made)
    }

    fn in_memory(&self, seed: &Database, options: &Options) -> ApiResult<Served> {
        let sandbox = Sandbox::of_database(seed, options)?;
        Ok(if self.has_test_api {
            Served::Sandbox(sandbox)
        } else {
            Served::Database(Database::clone(&sandbox.database()))
        })
    }

    fn in_folder(
        &self,
        folder: &Path,
        prepare: &Prepare,
        options: &Options,
    ) -> anyhow::Result<Served> {
        check_case(folder)?;
        fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        prepare(folder)?;
        Ok(if self.has_test_api {
            Served::Sandbox(Sandbox::open(folder, options)?)
        } else {
            Served::Database(Database::open(folder, options)?)
        })
    }

    fn all(&self) -> Vec<Arc<Served>> {
        self.spaces.load().values().flat_map(BTreeMap::values).cloned().collect()
    }

    /// Bounds the bytes for cached data of all namespaces together.
    pub fn bound_cache(&self, cache_bytes: u64) {
        for space in self.all() {
            space.bound_cache(cache_bytes / IN_FOLDER_MAX as u64);
        }
    }

    /// Returns the sizes and looks into caches of all namespaces together.
    pub fn stats(&self) -> Stats {
        let mut sum = Stats::default();
        for stats in self.all().iter().map(|space| space.stats()) {
            sum.disk_bytes += stats.disk_bytes;
            sum.cache_bytes += stats.cache_bytes;
            for (sum, looks) in [
                (&mut sum.cached_values, stats.cached_values),
                (&mut sum.cached_ranges, stats.cached_ranges),
            ] {
                sum.hits += looks.hits;
                sum.misses += looks.misses;
            }
        }
        sum
    }

    /// Closes all namespaces, also after one fails to close.
    pub async fn close(&self) -> Result<(), hashrange_storage::Error> {
        let mut result = Ok(());
        for space in self.all() {
            let closed = Box::pin(space.close()).await;
            result = result.and(closed);
        }
        result
    }

    /// Fails if one of them refuses writes.
    pub fn check_writable(&self) -> Result<(), String> {
        let spaces = self.spaces.load();
        for (region, keys) in spaces.iter() {
            for (key, space) in keys {
                space.check_writable().map_err(|why| format!("{key} in {region}: {why}"))?;
            }
        }
        Ok(())
    }

    /// Returns the number of background panics in all of them.
    pub fn background_panics(&self) -> u64 {
        self.all().iter().map(|space| space.background_panics()).sum()
    }
}

/// Refuses an access key id that could not be the name of a folder everywhere.
fn check_key(key: &str) -> ApiResult<()> {
    let is_in_keys = |byte: u8| byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
    if (1..=KEY_MAX_BYTES).contains(&key.len()) && key.bytes().all(is_in_keys) {
        return Ok(());
    }
    Err(fault(StateFault::NamespaceKey(key.chars().take(KEY_MAX_BYTES).collect())))
}

/// Refuses a folder if another differs only in capitals: some file systems would take one for the
/// other.
fn check_case(folder: &Path) -> anyhow::Result<()> {
    let (Some(root), Some(name)) = (folder.parent(), folder.file_name()) else { return Ok(()) };
    let Ok(entries) = fs::read_dir(root) else { return Ok(()) };
    for entry in entries {
        let known = entry.context("read the folder of the namespaces")?.file_name();
        if known != name && known.eq_ignore_ascii_case(name) {
            bail!("there is one whose name differs only in capitals: {}", known.display());
        }
    }
    Ok(())
}

fn fault(fault: StateFault) -> ApiError {
    Reason::State(fault).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytes::Bytes;
    use hashrange::Operation;

    const TABLE: &str = r#"{"TableName":"Tab","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[{"AttributeName":"id","AttributeType":"S"}],"KeySchema":[{"AttributeName":"id","KeyType":"HASH"}]}"#;

    async fn call(space: &Arc<Served>, operation: Operation, body: &'static str) -> String {
        let answer = Arc::clone(space).call(operation, Bytes::from_static(body.as_bytes())).await;
        answer.map_or_else(|error| error.to_string(), |body| String::from_utf8(body).unwrap())
    }

    fn in_folder(root: &Path) -> Namespaces {
        let prepare: Prepare = Box::new(|_| Ok(()));
        let origin = Origin::Folder { root: root.to_owned(), prepare };
        Namespaces::new(origin, Options::default(), false)
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn each_key_and_region_has_its_own_tables() {
        let spaces = Namespaces::new(Origin::Memory(Database::memory()), Options::default(), true);
        let one = spaces.of(Some("one"), Some("eu-west-1")).unwrap();
        let created = call(&one, Operation::CreateTable, TABLE).await;
        assert!(created.contains(":eu-west-1:"), "{created}");
        for (key, region, tables) in [
            (Some("one"), Some("eu-west-1"), r#"{"TableNames":["Tab"]}"#),
            (Some("one"), Some("eu-west-2"), r#"{"TableNames":[]}"#),
            (Some("two"), Some("eu-west-1"), r#"{"TableNames":[]}"#),
            (None, None, r#"{"TableNames":[]}"#),
            (Some("unsigned"), Some("us-east-1"), r#"{"TableNames":[]}"#),
        ] {
            let space = spaces.of(key, region).unwrap();
            assert_eq!(
                call(&space, Operation::ListTables, "{}").await,
                tables,
                "{key:?} {region:?}"
            );
        }
        assert_eq!(spaces.all().len(), 4, "no key is the key `unsigned` in the server's region");
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_key_that_names_no_folder_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let spaces = in_folder(folder.path());
        for key in ["", "..", "a/b", "a.b", "ä", &"x".repeat(129)] {
            let error = spaces.of(Some(key), None).unwrap_err();
            assert!(
                error.to_string().starts_with("ValidationException: Each access key"),
                "{error}"
            );
        }
        spaces.of(Some("AKIA"), None).unwrap();
        let error = spaces.of(Some("akia"), None).unwrap_err();
        assert!(error.to_string().contains("differs only in capitals"), "{error}");
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn namespaces_on_disk_are_there_again_and_bounded() {
        let folder = tempfile::tempdir().unwrap();
        let spaces = in_folder(folder.path());
        call(&spaces.of(Some("a"), None).unwrap(), Operation::CreateTable, TABLE).await;
        spaces.close().await.unwrap();
        drop(spaces);
        let spaces = in_folder(folder.path());
        let again = spaces.of(Some("a"), None).unwrap();
        assert_eq!(call(&again, Operation::ListTables, "{}").await, r#"{"TableNames":["Tab"]}"#);
        for nth in 1..IN_FOLDER_MAX {
            spaces.of(Some(&format!("k{nth}")), None).unwrap();
        }
        let error = spaces.of(Some("one-more"), None).unwrap_err();
        assert!(error.to_string().starts_with("LimitExceededException: There are 32"), "{error}");
        assert!(spaces.check_writable().is_ok() && spaces.background_panics() == 0);
    }
}
