//! Settings from the environment: `HASHRANGE_` and the flag's name in capitals. Commas separate the
//! values of a flag that may be given several times.

use super::{Layer, SettingsError};
use std::ffi::OsString;
use std::fmt::Display;
use std::path::PathBuf;
use std::str::FromStr;

/// Returns the settings that the environment gives. A variable that is set to nothing gives none.
pub fn read(variable: impl Fn(&str) -> Option<OsString>) -> Result<Layer, SettingsError> {
    let source = Source(&variable);
    Ok(Layer {
        memory: source.parsed("HASHRANGE_MEMORY")?,
        data_dir: source.path("HASHRANGE_DATA_DIR"),
        port: source.parsed("HASHRANGE_PORT")?,
        host: source.parsed("HASHRANGE_HOST")?,
        region: source.parsed("HASHRANGE_REGION")?,
        credentials: source.path("HASHRANGE_CREDENTIALS"),
        insecure: source.parsed("HASHRANGE_INSECURE")?,
        allow_origin: source.several("HASHRANGE_ALLOW_ORIGIN")?,
        allow_host: source.several("HASHRANGE_ALLOW_HOST")?,
        log_format: source.parsed("HASHRANGE_LOG_FORMAT")?,
        log_level: source.parsed("HASHRANGE_LOG_LEVEL")?,
        cache_size: source.parsed("HASHRANGE_CACHE_SIZE")?,
        sweep_interval: source.parsed("HASHRANGE_SWEEP_INTERVAL")?,
        stream_shards: source.parsed("HASHRANGE_STREAM_SHARDS")?,
        stream_shard_period: source.parsed("HASHRANGE_STREAM_SHARD_PERIOD")?,
        sample: source.parsed("HASHRANGE_SAMPLE")?,
        init: source.several("HASHRANGE_INIT")?,
        load: source.several("HASHRANGE_LOAD")?,
        test_api: source.parsed("HASHRANGE_TEST_API")?,
        namespaces: source.parsed("HASHRANGE_NAMESPACES")?,
        profile: source.parsed("HASHRANGE_PROFILE")?,
        seed: source.parsed("HASHRANGE_SEED")?,
        table_delay_ms: source.parsed("HASHRANGE_TABLE_DELAY_MS")?,
    })
}

struct Source<'a>(&'a dyn Fn(&str) -> Option<OsString>);

impl Source<'_> {
    fn value(&self, name: &str) -> Option<OsString> {
        (self.0)(name).filter(|value| !value.is_empty())
    }

    fn path(&self, name: &str) -> Option<PathBuf> {
        self.value(name).map(PathBuf::from)
    }

    fn parsed<T: FromStr<Err: Display>>(
        &self,
        name: &'static str,
    ) -> Result<Option<T>, SettingsError> {
        self.read(name, |text| text.parse().map_err(|error: T::Err| error.to_string()))
    }

    fn several<T: FromStr<Err: Display>>(
        &self,
        name: &'static str,
    ) -> Result<Option<Vec<T>>, SettingsError> {
        self.read(name, |text| {
            let parsed = text.split(',').map(|part| part.trim().parse());
            parsed.collect::<Result<_, _>>().map_err(|error: T::Err| error.to_string())
        })
    }

    fn read<T>(
        &self,
        name: &'static str,
        parse: impl FnOnce(&str) -> Result<T, String>,
    ) -> Result<Option<T>, SettingsError> {
        let Some(value) = self.value(name) else { return Ok(None) };
        let problem = match value.to_str().map(parse) {
            Some(Ok(parsed)) => return Ok(Some(parsed)),
            Some(Err(problem)) => problem,
            None => "not UTF-8".to_owned(),
        };
        let value = value.to_string_lossy().into_owned();
        Err(SettingsError::Variable { name, value, problem })
    }
}
