//! Settings of a server and their sources; those of the other commands are in [`client`].
//!
//! A flag (`--port 9000`), the environment (`HASHRANGE_PORT=9000`) and a configuration file (`port
//! = 9000`) can give each setting; the first of these three that gives it wins, then the default.
//! All names are the flags' names.

mod byte_size;
mod client;
mod environment;
mod error;
mod file;
mod interval;
mod layer;
mod parameter;
mod store_url;

pub use byte_size::ByteSize;
pub use client::{ClientSettings, Credentials, trust_of};
pub use environment::check_names;
pub use error::SettingsError;
pub use interval::Interval;
pub use layer::{Layer, LogFormat, LogLevel};
pub use parameter::Parameter;
pub use store_url::{StoreUrl, check_folder};

use hashrange::{BadSharding, Profile, Sharding};
use hashrange_server::Web;
use std::path::{Path, PathBuf};

/// Place of the data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoreChoice {
    /// In memory; gone when the server ends.
    Memory,
    /// In a folder.
    Folder(PathBuf),
    /// In a database on PostgreSQL.
    Url(StoreUrl),
}

/// Reports and records of what requests cost, and checks of requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Costs {
    /// Report the cost in every answer.
    pub header: bool,
    /// Record costs from the start.
    pub record: bool,
    /// File with the access patterns that requests are compared with.
    pub contract: Option<PathBuf>,
    /// Treatment of requests that the contract does not know.
    pub others: Others,
    /// Watch which keys of all tables are hot.
    pub heat: bool,
}

/// Treatment of requests that a contract does not know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Others {
    /// The server runs them, and reports them as unknown.
    Told,
    /// The server refuses them.
    Refused,
}

/// All settings of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// Place of the data.
    pub store: StoreChoice,
    /// Place to which the server moves the data while it serves them.
    pub move_to: Option<StoreUrl>,
    /// Address or name to listen on.
    pub host: String,
    /// Port to listen on.
    pub port: u16,
    /// Region in ARNs and in the answer to GET.
    pub region: String,
    /// File with the credentials that requests must be signed with; none accepts any.
    pub credentials: Option<PathBuf>,
    /// Listen on addresses that other machines reach although any credentials are accepted.
    pub insecure: bool,
    /// Web pages that may call, and names by which clients may call the server.
    pub web: Web,
    /// Form of the log.
    pub log_format: LogFormat,
    /// Least important messages in the log.
    pub log_level: LogLevel,
    /// Memory for cached data; none takes a part of the available memory.
    pub cache_size: Option<ByteSize>,
    /// Time between removals of expired items, and between new tries of failed background jobs;
    /// none leaves it to the library.
    pub sweep_interval: Option<Interval>,
    /// Number of shards that streams have, and the time after which they are closed.
    pub sharding: Sharding,
    /// Sample data to load when the server starts.
    pub sample: Option<String>,
    /// Files with the tables to create when the server starts.
    pub init: Vec<PathBuf>,
    /// Values of parameters of the templates among these files.
    pub parameters: Vec<Parameter>,
    /// Folders and files with the items to load when the server starts.
    pub load: Vec<PathBuf>,
    /// Let clients save, restore and reset the whole state and set the clock.
    pub test_api: bool,
    /// Reports and records of what requests cost, and checks of requests.
    pub costs: Costs,
    /// Give each access key and region tables of its own.
    pub namespaces: bool,
    /// Limits and delays of the service to reproduce.
    pub profile: Profile,
    /// Seed of a profile's random choices; none leaves it to the library.
    pub seed: Option<u64>,
    /// Milliseconds that the creation, update and deletion of a table take; none leaves it to the
    /// library.
    pub table_delay_ms: Option<u64>,
}

/// The folder for data when none is named: in the working directory, so that each project has its
/// own and sees it.
pub const DEFAULT_DATA_DIR: &str = "hashrange-data";

impl Settings {
    /// Returns the settings from flags, environment and file.
    pub fn resolve(
        flags: Layer,
        config: Option<&Path>,
        variable: impl Fn(&str) -> Option<std::ffi::OsString>,
    ) -> Result<Self, SettingsError> {
        let config =
            config.map(Path::to_owned).or_else(|| variable("HASHRANGE_CONFIG").map(Into::into));
        let environment = environment::read(variable)?;
        let file = config.as_deref().map(file::read).transpose()?.unwrap_or_default();
        let layers = [("flags", flags), ("environment", environment), ("configuration file", file)];
        let mut store = None;
        let mut merged = Layer::default();
        for (name, layer) in layers {
            let two = |(first, second)| SettingsError::TwoStores { layer: name, first, second };
            let choice = layer.store().map_err(two)?;
            store = store.or(choice);
            merged = merged.or(layer);
        }
        if let Some(StoreChoice::Folder(folder)) = &store {
            check_folder(folder)?;
        }
        let sharding = sharding(&merged).map_err(SettingsError::Sharding)?;
        Ok(Self::from_layer(merged, store, sharding))
    }

    fn from_layer(layer: Layer, store: Option<StoreChoice>, sharding: Sharding) -> Self {
        let host = layer.host.unwrap_or_else(|| "127.0.0.1".to_owned());
        let own_host = host.parse().ok();
        let store = store.unwrap_or_else(|| StoreChoice::Folder(DEFAULT_DATA_DIR.into()));
        Self {
            // A client that may call can delete every table anyway, and all is gone when the server
            // ends.
            test_api: layer.test_api.unwrap_or(store == StoreChoice::Memory),
            costs: Costs {
                header: layer.cost_header.unwrap_or(false),
                record: layer.record.unwrap_or(false),
                contract: layer.contract,
                others: if layer.enforce == Some(true) { Others::Refused } else { Others::Told },
                heat: layer.heat.unwrap_or(false),
            },
            store,
            move_to: layer.move_to,
            host,
            port: layer.port.unwrap_or(8000),
            region: layer.region.unwrap_or_else(|| "us-east-1".to_owned()),
            credentials: layer.credentials,
            insecure: layer.insecure.unwrap_or(false),
            web: Web {
                origins: layer.allow_origin.unwrap_or_default(),
                hosts: layer.allow_host.unwrap_or_default(),
                own_host,
            },
            log_format: layer.log_format.unwrap_or_default(),
            log_level: layer.log_level.unwrap_or_default(),
            cache_size: layer.cache_size,
            sweep_interval: layer.sweep_interval,
            sharding,
            sample: layer.sample,
            init: layer.init.unwrap_or_default(),
            parameters: layer.parameter.unwrap_or_default(),
            load: layer.load.unwrap_or_default(),
            namespaces: layer.namespaces.unwrap_or(false),
            profile: layer.profile.unwrap_or_default(),
            seed: layer.seed,
            table_delay_ms: layer.table_delay_ms,
        }
    }
}

fn sharding(layer: &Layer) -> Result<Sharding, BadSharding> {
    let default = Sharding::default();
    Sharding::new(
        layer.stream_shards.unwrap_or(default.shards()),
        layer.stream_shard_period.map_or(default.period(), |period| period.0),
    )
}

#[cfg(test)]
mod tests;
