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
pub use layer::{Layer, LogFormat, LogLevel, Settings, Switch};
pub use parameter::Parameter;
pub use store_url::{StoreUrl, check_folder};

use hashrange::{BadSharding, Sharding};
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
        let mut merged = Layer::default();
        for (name, layer) in layers {
            if let [first, second, ..] = layer.places()[..] {
                return Err(SettingsError::TwoStores { layer: name, first, second });
            }
            let is_named = !merged.places().is_empty();
            merged = merged.or(if is_named { layer.without_places() } else { layer });
        }
        if let Some(folder) = &merged.data_dir {
            check_folder(folder)?;
        }
        // A client that may call can delete every table anyway, and all is gone when the server
        // ends.
        merged.test_api = merged.test_api.or(merged.memory);
        let settings = merged.or_defaults();
        settings.sharding().map_err(SettingsError::Sharding)?;
        Ok(settings)
    }

    /// Returns the place of the data.
    pub fn place(&self) -> StoreChoice {
        match (&self.store, self.memory) {
            (Some(url), _) => StoreChoice::Url(url.clone()),
            (None, Some(true)) => StoreChoice::Memory,
            (None, _) => {
                let folder = self.data_dir.as_deref().unwrap_or(DEFAULT_DATA_DIR.as_ref());
                StoreChoice::Folder(folder.to_owned())
            }
        }
    }

    /// Returns the web pages that may call, and the names by which clients may call the server.
    pub fn web(&self) -> Web {
        Web {
            origins: self.allow_origin.clone(),
            hosts: self.allow_host.clone(),
            own_host: self.host.parse().ok(),
        }
    }

    /// Returns the number of shards that streams have, and the time after which they are closed.
    pub fn sharding(&self) -> Result<Sharding, BadSharding> {
        let period = self.stream_shard_period.map(|period| period.0);
        Sharding::new(self.stream_shards, period.unwrap_or(Sharding::default().period()))
    }
}

#[cfg(test)]
mod tests;
