//! `hashrange serve`: opens the database, listens, and ends on SIGTERM or Ctrl-C.
//!
//! At the first signal the server stops accepting and waits for running requests and, for a short
//! time, for the store to close; the second ends the process at once (every acknowledged write is
//! on disk either way).

use crate::arguments::Serve;
use crate::client::wait_on;
use crate::commands::credentials;
use crate::commands::store;
use crate::config::{Settings, StoreChoice, StoreUrl, Switch};
use crate::exit::{self, Usage};
use crate::files;
use crate::initial::{Given, Initial};
use crate::logs;
use crate::memory;
use crate::output;
use crate::served::{
    Console, Moving, Namespaces, Observed, Origin, Overview, Served, ServerFacts, machine,
};
use crate::surroundings;
use anyhow::Context;
use hashrange::copying::{Place, is_moved};
use hashrange::cost::{Contract, Guard, PriceList};
use hashrange::{BadSharding, Database, Options, Profile, Sandbox, Stats};
use hashrange_auth::Policy;
use hashrange_console::Setup;
use hashrange_samples::{Loaded, Progress, Sample};
use hashrange_server::{Bound, Config, Limits, Pages, Subscriber, WatchSettings, Watches};
use hashrange_storage::EmbeddedStore;
use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::{self, Runtime};
#[cfg(unix)]
use tokio::signal::unix::{Signal, SignalKind, signal};

/// Part of the memory, as a divisor, for cached data unless a setting gives the size.
const CACHE_SHARE: u64 = 4;

/// The same part on PostgreSQL, whose server has a cache of its own.
const SHARED_CACHE_SHARE: u64 = 16;

/// Largest cache unless a setting gives the size: a laptop has other work, and a user with more
/// memory to give sets the size.
const CACHE_MAX: u64 = 256 << 20;

/// Largest parts of the memory, as divisors, for bodies of requests while they arrive, and for
/// answers until they are sent: the server takes several times the size of a body while it runs the
/// request.
const BODIES_SHARE: u64 = 16;
const ANSWERS_SHARE: u64 = 32;

/// Largest part of the memory, as a divisor, for a folder's writes that are not sorted into files
/// yet.
const WRITES_SHARE: u64 = 8;

/// Samples of this many items or more report the progress of loading.
const LONG_SAMPLE_ITEMS: u64 = 10_000;

/// Longest text of a banner.
const BANNER_MAX_CHARACTERS: usize = 200;

/// Longest time that the store may take to close when all connections have ended.
const CLOSE_GRACE: Duration = Duration::from_millis(2500);

/// Serves until a signal arrives.
pub fn run(arguments: Serve) -> anyhow::Result<()> {
    let config = arguments.config.as_deref();
    let settings = Settings::resolve(arguments.flags, config, surroundings::variable)?;
    let config = server_config(&settings)?;
    let sample = settings.sample.as_deref().map(find_sample).transpose()?;
    check_profile(&settings)?;
    check_banner(&settings)?;
    let place = store::place(&settings)?;
    logs::start(settings.log_format, settings.log_level);
    let initial = Initial::read(
        &settings.init,
        &settings.load,
        Given { region: &settings.region, parameters: &settings.parameter },
    )?;
    let runtime = runtime(&settings).context("start the runtime")?;
    wait_on(&runtime, serve(&settings, &place, config, Beginning { sample, initial }))
}

/// Returns the runtime: of a thread for each processor, or for half of them where a database on the
/// same machine needs the others. Threads that find no processor free wake each other in vain: on two
/// processors a PutItem of 64 clients took the server 34 us of processor time with two threads, 26 us
/// with one.
fn runtime(settings: &Settings) -> io::Result<Runtime> {
    let mut builder = runtime::Builder::new_multi_thread();
    if let Some(url) = &settings.store
        && let Some(processors) = store::processors_beside(url)
    {
        builder.worker_threads(processors);
    }
    builder.enable_all().build()
}

/// Returns the guard that compares requests with the contract, if there is one.
fn guard(settings: &Settings) -> anyhow::Result<Option<Guard>> {
    let Some(file) = &settings.contract else {
        if settings.enforce {
            let why = "--enforce refuses what a contract does not know: --contract names it";
            return Err(Usage(why.to_owned()).into());
        }
        return Ok(None);
    };
    let named = || file.display().to_string();
    let text = std::fs::read(file).with_context(named)?;
    let contract = Contract::read(&text).with_context(named)?;
    Ok(Some(Guard::new(contract, settings.enforce)))
}

async fn serve(
    settings: &Settings,
    place: &str,
    config: Config,
    beginning: Beginning,
) -> anyhow::Result<()> {
    let guard = guard(settings)?;
    let listens = || format!("listen on {}:{}", settings.host, settings.port);
    let bound = Bound::new(&settings.host, settings.port).await.with_context(listens)?;
    let address = bound.local_addr().context("listen")?;
    config.check_address(address).map_err(|error| {
        anyhow::anyhow!(
            "{error} (--credentials FILE lets in who signs with one of its keys, --host 127.0.0.1 \
             listens to this machine alone, --insecure lets in everybody)"
        )
    })?;
    // The server listens only once it has something to serve: if the start fails, clients get no
    // connection.
    let sample = beginning.sample;
    let options = options(settings, address)?;
    let (cache_bytes, write_bytes) = (options.cache_bytes, options.write_bytes);
    let database = Arc::new(open(settings, options, beginning).await?);
    let watches = Arc::new(watches(settings, &config));
    let overview = overview(settings, address, &config, &database);
    let api = Observed::new(
        database.clone(),
        &settings.region,
        settings.record || guard.is_some(),
        guard,
        Arc::clone(&watches),
        Arc::clone(&overview),
        surroundings::now_ms,
    );
    let subscribers: Vec<Arc<dyn Subscriber>> = vec![api.recording(), watches.clone()];
    let pages = console(settings, &config);
    let config = Config { subscribers, pages, ..config };
    let api = Arc::new(api);
    let verified = !config.auth.is_open();
    let listener = bound.listen().with_context(listens)?;
    let access = Arc::clone(&config.auth);
    if let Some(path) = settings.credentials.clone() {
        credentials::warn_of_others(&path);
        credentials::reload_on_signal(path, access).context("watch for SIGHUP")?;
    }
    // Before the server reports that it is ready: a reader of that report may send a signal at
    // once.
    let ending = Ending::watch().context("watch for SIGTERM and Ctrl-C")?;
    if settings.console == Switch::On {
        // A server whose standard output nobody reads serves all the same.
        drop(output::line(format_args!("console  {}", Console::url(address))));
    }
    tracing::info!(
        endpoint = format!("http://{address}"),
        store = place,
        profile = %settings.profile,
        signatures = if verified { "verified" } else { "any" },
        test_api = settings.test_api,
        namespaces = settings.namespaces,
        "ready"
    );
    tell_memory(settings, cache_bytes, write_bytes);
    if let Some(sample) = sample {
        output::line(sample.next_steps(&format!("http://{address}")))?;
    }
    let forgets = matches!(settings.place(), StoreChoice::Folder(_));
    let keeper = memory::Keeper::new(Arc::clone(&database), cache_bytes, forgets);
    let keeping = [tokio::spawn(keep_memory(keeper)), tokio::spawn(overview.keep())];
    let stopped = async move {
        signalled(ending).await;
        watches.end();
    };
    let served = hashrange_server::run(listener, config, api, stopped).await;
    keeping.iter().for_each(tokio::task::JoinHandle::abort);
    served?;
    database.close().await.context("close the database")?;
    tokio::spawn(end_in_time());
    tracing::info!("stopped");
    Ok(())
}

/// Returns the web console, unless it is left out.
fn console(settings: &Settings, config: &Config) -> Option<Arc<dyn Pages>> {
    if settings.console == Switch::Off {
        return None;
    }
    Some(Arc::new(Console::new(Setup {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        needs_keys: !config.auth.is_open(),
        region: settings.region.clone(),
        namespaces: settings.namespaces,
        banner: settings.banner.clone(),
        ..Setup::default()
    })))
}

/// Returns the watches of recent requests.
fn watches(settings: &Settings, config: &Config) -> Watches {
    const USUAL_BYTES: u64 = 4 << 20;
    let bytes = settings.watch_size.map_or(USUAL_BYTES, |size| size.0);
    let watch = WatchSettings {
        most_bytes: usize::try_from(bytes).unwrap_or(usize::MAX),
        keeps_values: settings.watch_values.unwrap_or_else(|| config.auth.is_open()),
        prices: PriceList::of_region(&settings.region),
    };
    Watches::new(watch, surroundings::random(), surroundings::now_ms)
}

/// Returns what the server tells of itself.
fn overview(
    settings: &Settings,
    address: SocketAddr,
    config: &Config,
    database: &Arc<Served>,
) -> Arc<Overview> {
    let port = address.port();
    let (store, folder) = match settings.place() {
        StoreChoice::Memory => ("memory", None),
        StoreChoice::Folder(folder) => ("embedded", Some(folder)),
        StoreChoice::Url(_) => ("postgres", None),
    };
    let facts = ServerFacts {
        name: machine().map_or_else(|| address.to_string(), |name| format!("{name}:{port}")),
        started_at_ms: surroundings::now_ms(),
        store,
        folder: folder.map(|folder| std::path::absolute(&folder).unwrap_or(folder)),
        region: settings.region.clone(),
        profile: (settings.profile != Profile::Default).then(|| settings.profile.to_string()),
        needs_keys: !config.auth.is_open(),
        namespaces: settings.namespaces,
        banner: settings.banner.clone(),
    };
    Arc::new(Overview::new(facts, Arc::clone(&config.figures), Arc::clone(database)))
}

/// Ends the process when the store takes long to close, because it merges files: the logs have all
/// acknowledged writes, and the next start reads them.
async fn end_in_time() {
    tokio::time::sleep(CLOSE_GRACE).await;
    tracing::info!("files that are being merged are left as they are");
    std::process::exit(0);
}

/// Returns the sample of that name, or an error that lists the samples.
fn find_sample(name: &str) -> anyhow::Result<&'static Sample> {
    let names = || hashrange_samples::all().iter().map(|sample| sample.name).collect::<Vec<_>>();
    let unknown = || Usage(format!("there is no sample {name:?}, only {}", names().join(", ")));
    hashrange_samples::find(name).ok_or_else(|| unknown().into())
}

/// Refuses settings that would do nothing.
fn check_profile(settings: &Settings) -> anyhow::Result<()> {
    let useless = match settings {
        _ if settings.profile != Profile::Default => return Ok(()),
        Settings { seed: Some(_), .. } => "seed",
        Settings { table_delay_ms: Some(_), .. } => "table-delay-ms",
        _ => return Ok(()),
    };
    Err(Usage(format!("{useless} needs the profile aws or hostile")).into())
}

fn check_banner(settings: &Settings) -> anyhow::Result<()> {
    let is_long = |text: &String| text.chars().count() > BANNER_MAX_CHARACTERS;
    if settings.banner.as_ref().is_some_and(is_long) {
        return Err(Usage(format!("banner has at most {BANNER_MAX_CHARACTERS} characters")).into());
    }
    Ok(())
}

async fn load(sample: &Sample, database: &Database) -> anyhow::Result<()> {
    let mut tenths = 0;
    let mut heard = |progress: Progress| {
        let (done, total) = (progress.items_done, progress.items_total);
        let now = done * 10 / total.max(1);
        if total >= LONG_SAMPLE_ITEMS && now > tenths {
            tenths = now;
            tracing::info!(sample = sample.name, done, total, "loading");
        }
    };
    match hashrange_samples::load(sample, database, &mut heard).await? {
        Loaded::Now { items } => tracing::info!(sample = sample.name, items, "sample loaded"),
        Loaded::Before => tracing::info!(sample = sample.name, "sample is there already"),
    }
    Ok(())
}

fn server_config(settings: &Settings) -> anyhow::Result<Config> {
    let auth = match &settings.credentials {
        None => Policy::AcceptAny,
        Some(path) => credentials::load(path)?,
    };
    let web = settings.web();
    let region = settings.region.clone();
    let auth = Arc::new(auth.into());
    let mut limits = memory::limit_bytes().map_or_else(Limits::default, limits_within);
    if let Some(files) = files::raise_limit() {
        // The other half is for the store.
        let half = usize::try_from(files / 2).unwrap_or(usize::MAX);
        limits.connections = limits.connections.min(half.max(1));
    }
    Ok(Config {
        auth,
        web,
        region,
        limits,
        insecure: settings.insecure,
        cost_header: settings.cost_header,
        ..Config::default()
    })
}

/// Tables and items that a database begins with.
struct Beginning {
    sample: Option<&'static Sample>,
    initial: Initial,
}

impl Beginning {
    fn is_nothing(&self) -> bool {
        self.sample.is_none() && self.initial.is_empty()
    }

    async fn bring(&self, database: &Database) -> anyhow::Result<()> {
        if let Some(sample) = self.sample {
            load(sample, database).await?;
        }
        self.initial.bring(database).await
    }
}

/// Opens the database to serve, and brings the tables and items that it begins with.
async fn open(
    settings: &Settings,
    options: Options,
    beginning: Beginning,
) -> anyhow::Result<Served> {
    match settings.place() {
        StoreChoice::Memory => {
            let seed = Database::memory_with(&without_profile(&options));
            beginning.bring(&seed).await?;
            if settings.namespaces {
                let origin = Origin::Memory(seed);
                return Ok(Served::Namespaces(Namespaces::new(origin, options, settings.test_api)));
            }
            if settings.test_api {
                return Ok(Served::Sandbox(Sandbox::of_database(&seed, &options)?));
            }
            if beginning.is_nothing() {
                return Ok(Served::Database(Database::memory_with(&options)));
            }
            let sandbox = Sandbox::of_database(&seed, &options)?;
            Ok(Served::Database(Database::clone(&sandbox.database())))
        }
        StoreChoice::Folder(root) if settings.namespaces => {
            let of_seed = without_profile(&options);
            let prepare = Box::new(move |folder: &Path| {
                hashrange_storage::block_on(bring_to_folder(&beginning, folder, &of_seed))
            });
            let origin = Origin::Folder { root, prepare };
            Ok(Served::Namespaces(Namespaces::new(origin, options, settings.test_api)))
        }
        StoreChoice::Folder(folder) if settings.move_to.is_some() => {
            let target = settings.move_to.as_ref().context("the place to move to")?;
            open_moving(&folder, target, options, &beginning).await
        }
        StoreChoice::Folder(folder) => {
            let place = || format!("open the database in {}", folder.display());
            bring_to_folder(&beginning, &folder, &without_profile(&options)).await?;
            if settings.test_api {
                let sandbox = Sandbox::open(&folder, &options).with_context(place)?;
                tell_of_recovery(&sandbox.database());
                return Ok(Served::Sandbox(sandbox));
            }
            let database = Database::open(&folder, &options).with_context(place)?;
            tell_of_recovery(&database);
            Ok(Served::Database(database))
        }
        StoreChoice::Url(url) => Ok(Served::Database(store::connect(&url, &options)?)),
    }
}

/// Opens a folder and begins to move it; or opens the place that it was moved to before.
async fn open_moving(
    folder: &Path,
    target: &StoreUrl,
    options: Options,
    beginning: &Beginning,
) -> anyhow::Result<Served> {
    let place = store::place_in(target, "move-to")?;
    // An empty folder may stand in the place of one that was moved before: the server would serve a
    // new database in it instead of the data.
    if !EmbeddedStore::is_in(folder) {
        let none = "there is no database to move in";
        return Err(Usage(format!("{none} {}", folder.display())).into());
    }
    let moved = tokio::task::block_in_place(|| is_moved(Place::Folder(folder), place));
    if moved.with_context(|| format!("move the database in {}", folder.display()))? {
        tracing::info!("the folder was moved before: the database is served from its new place");
        return Ok(Served::Database(store::open_at(target, &options)?));
    }
    bring_to_folder(beginning, folder, &without_profile(&options)).await?;
    let place = || format!("open the database in {}", folder.display());
    let database = Database::open(folder, &options).with_context(place)?;
    tell_of_recovery(&database);
    Ok(Served::Moving(Moving::start(database, target.clone(), options)?))
}

/// Brings tables and items into a folder, before the server serves it.
async fn bring_to_folder(
    beginning: &Beginning,
    folder: &Path,
    options: &Options,
) -> anyhow::Result<()> {
    if beginning.is_nothing() {
        return Ok(());
    }
    let place = || format!("open the database in {}", folder.display());
    let database = Database::open(folder, options).with_context(place)?;
    tell_of_recovery(&database);
    let brought = beginning.bring(&database).await;
    let closed = database.close().await.context("close the database");
    brought.and(closed)
}

fn tell_of_recovery(database: &Database) {
    let Stats { torn_bytes, was_unclean, .. } = database.stats();
    if was_unclean {
        tracing::info!("recovered after an unclean stop");
    }
    if torn_bytes > 0 {
        tracing::info!(torn_bytes, "dropped a write that a crash had left unfinished");
    }
}

/// Returns the options for a database that is being prepared: its tables are active at once,
/// nothing is throttled.
fn without_profile(options: &Options) -> Options {
    Options { profile: Profile::Default, table_delay_ms: None, heat: false, ..options.clone() }
}

fn options(settings: &Settings, address: SocketAddr) -> Result<Options, BadSharding> {
    let mut options = Options {
        region: settings.region.clone(),
        endpoint: address.to_string(),
        profile: settings.profile,
        sharding: settings.sharding()?,
        ..Options::default()
    };
    options.cache_bytes = cache_bytes(settings);
    if let Some(bytes) = memory::limit_bytes() {
        options.write_bytes = options.write_bytes.min(bytes / WRITES_SHARE);
    }
    if let Some(interval) = settings.sweep_interval {
        options.sweep_interval = interval.0;
    }
    options.seed = settings.seed.unwrap_or(options.seed);
    options.table_delay_ms = settings.table_delay_ms;
    options.heat = settings.heat;
    Ok(options)
}

/// Returns the limits of a server that may use so many bytes of memory.
fn limits_within(bytes: u64) -> Limits {
    let mut limits = Limits::default();
    let part = |share| usize::try_from(bytes / share).unwrap_or(usize::MAX);
    limits.buffered_bytes = limits.buffered_bytes.min(part(BODIES_SHARE));
    limits.answer_bytes = limits.answer_bytes.min(part(ANSWERS_SHARE));
    limits
}

/// Returns the bytes for cached data.
fn cache_bytes(settings: &Settings) -> u64 {
    let of_machine = || {
        let bytes = memory::limit_bytes()?;
        let share = match settings.place() {
            StoreChoice::Url(_) => SHARED_CACHE_SHARE,
            StoreChoice::Memory | StoreChoice::Folder(_) => CACHE_SHARE,
        };
        Some((bytes / share).min(CACHE_MAX))
    };
    let asked = settings.cache_size.map(|size| size.0);
    asked.or_else(of_machine).unwrap_or(Options::default().cache_bytes)
}

/// Logs the memory that the server may take, and how to give it more.
fn tell_memory(settings: &Settings, cache_bytes: u64, write_bytes: u64) {
    let [cache, writes] = [cache_bytes, write_bytes].map(|bytes| format!("{}MiB", bytes >> 20));
    match settings.place() {
        // The data in memory are the clients' own.
        StoreChoice::Memory => {}
        StoreChoice::Folder(_) => {
            tracing::info!(cache, writes, "memory; --cache-size 1GiB gives the cache more");
        }
        StoreChoice::Url(_) => {
            tracing::info!(cache, "memory; --cache-size 1GiB gives the cache more");
        }
    }
}

/// Gives memory back from time to time, for ever.
async fn keep_memory(mut keeper: memory::Keeper) {
    let first = tokio::time::Instant::now() + memory::PERIOD;
    let mut ticks = tokio::time::interval_at(first, memory::PERIOD);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        let looked = tokio::task::spawn_blocking(move || {
            keeper.look();
            keeper
        });
        // The runtime logs a look that panics; no look follows.
        let Ok(returned) = looked.await else { return };
        keeper = returned;
    }
}

/// Returns at the first signal; a second one ends the process.
async fn signalled(mut ending: Ending) {
    ending.signal().await;
    tracing::info!("stopping: a second signal ends the server at once");
    tokio::spawn(async move {
        ending.signal().await;
        std::process::exit(exit::INTERRUPTED);
    });
}

/// The signals that ask the server to end, watched from the creation of the value on: they no
/// longer end the process by themselves.
#[cfg(unix)]
struct Ending {
    terminate: Signal,
    interrupt: Signal,
}

#[cfg(unix)]
impl Ending {
    fn watch() -> io::Result<Self> {
        let terminate = signal(SignalKind::terminate())?;
        Ok(Self { terminate, interrupt: signal(SignalKind::interrupt())? })
    }

    async fn signal(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}

/// Ctrl-C, which asks the server to end.
#[cfg(not(unix))]
struct Ending;

#[cfg(not(unix))]
impl Ending {
    #[expect(clippy::unnecessary_wraps, reason = "on Unix it can fail")]
    fn watch() -> std::io::Result<Self> {
        Ok(Self)
    }

    async fn signal(&mut self) {
        if let Err(error) = tokio::signal::ctrl_c().await {
            tracing::warn!(%error, "Ctrl-C is not watched");
            std::future::pending::<()>().await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_of_little_memory_holds_fewer_bodies_and_answers() {
        let of = |bytes| {
            let limits = limits_within(bytes);
            (limits.buffered_bytes >> 20, limits.answer_bytes >> 20)
        };
        assert_eq!(of(256 << 20), (16, 8));
        assert_eq!(of(1 << 30), (64, 32));
        let usual = Limits::default();
        assert_eq!(of(64 << 30), (usual.buffered_bytes >> 20, usual.answer_bytes >> 20));
    }
}
