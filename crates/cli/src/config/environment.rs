//! Settings from the environment: `HASHRANGE_` and the flag's name in capitals. Commas separate the
//! values of a flag that may be given several times.

use super::{Layer, SettingsError, StoreUrl};
use crate::nearest::nearest;
use std::cell::RefCell;
use std::ffi::OsString;
use std::fmt::Display;
use std::path::PathBuf;
use std::str::FromStr;

const PREFIX: &str = "HASHRANGE_";

/// Variables that begin with `HASHRANGE_` and are no setting of a server.
const OTHERS: [&str; 6] = [
    "HASHRANGE_CONFIG",
    "HASHRANGE_CLIENT_CONFIG",
    "HASHRANGE_ENDPOINT",
    "HASHRANGE_COPY_FROM",
    "HASHRANGE_COPY_TO",
    // Names this program to programs that start it; the program itself does not use it.
    "HASHRANGE_BINARY",
];

/// Refuses variables that look like settings and are none, which may be misspelt.
pub fn check_names(names: impl IntoIterator<Item = OsString>) -> Result<(), SettingsError> {
    let known = RefCell::new(OTHERS.to_vec());
    // Reading the settings makes their names known.
    let none = |name: &'static str| -> Option<OsString> {
        known.borrow_mut().push(name);
        None
    };
    read(none)?;
    let known = known.into_inner();
    for name in names {
        let name = name.to_string_lossy();
        let is_ours = name.starts_with(PREFIX) && !is_of_kubernetes(&name);
        if is_ours && !known.contains(&&*name) {
            // All names begin with the prefix, which says nothing of likeness.
            let bare = |name: &'static str| name.trim_start_matches(PREFIX);
            let wanted = name.trim_start_matches(PREFIX);
            let nearest = nearest(wanted, known.iter().copied().map(bare))
                .map(|nearest| format!("{PREFIX}{nearest}"));
            return Err(SettingsError::UnknownVariable { name: name.into_owned(), nearest });
        }
    }
    Ok(())
}

/// Returns true for variables that Kubernetes puts into every container where a service is called
/// hashrange: `HASHRANGE_SERVICE_HOST`, `HASHRANGE_SERVICE_PORT_HTTP`,
/// `HASHRANGE_PORT_8000_TCP_ADDR`.
fn is_of_kubernetes(name: &str) -> bool {
    let port = name.strip_prefix("HASHRANGE_PORT_");
    name.starts_with("HASHRANGE_SERVICE_")
        || port.is_some_and(|rest| rest.starts_with(|character: char| character.is_ascii_digit()))
}

/// Returns the settings that the environment gives. A variable that is set to nothing gives none.
pub fn read(variable: impl Fn(&'static str) -> Option<OsString>) -> Result<Layer, SettingsError> {
    let source = Source(&variable);
    Ok(Layer {
        memory: source.parsed("HASHRANGE_MEMORY")?,
        data_dir: source.path("HASHRANGE_DATA_DIR"),
        store: source.secret("HASHRANGE_STORE")?,
        move_to: source.secret("HASHRANGE_MOVE_TO")?,
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
        parameter: source.several("HASHRANGE_PARAMETER")?,
        load: source.several("HASHRANGE_LOAD")?,
        test_api: source.parsed("HASHRANGE_TEST_API")?,
        cost_header: source.parsed("HASHRANGE_COST_HEADER")?,
        record: source.parsed("HASHRANGE_RECORD")?,
        contract: source.path("HASHRANGE_CONTRACT"),
        enforce: source.parsed("HASHRANGE_ENFORCE")?,
        heat: source.parsed("HASHRANGE_HEAT")?,
        namespaces: source.parsed("HASHRANGE_NAMESPACES")?,
        profile: source.parsed("HASHRANGE_PROFILE")?,
        seed: source.parsed("HASHRANGE_SEED")?,
        table_delay_ms: source.parsed("HASHRANGE_TABLE_DELAY_MS")?,
    })
}

struct Source<'a>(&'a dyn Fn(&'static str) -> Option<OsString>);

impl Source<'_> {
    fn value(&self, name: &'static str) -> Option<OsString> {
        (self.0)(name).filter(|value| !value.is_empty())
    }

    fn path(&self, name: &'static str) -> Option<PathBuf> {
        self.value(name).map(PathBuf::from)
    }

    fn parsed<T: FromStr<Err: Display>>(
        &self,
        name: &'static str,
    ) -> Result<Option<T>, SettingsError> {
        self.read(name, |text| text.parse().map_err(|error: T::Err| error.to_string()))
    }

    /// Reads a text that no message repeats.
    fn secret(&self, name: &'static str) -> Result<Option<StoreUrl>, SettingsError> {
        let Some(value) = self.value(name) else { return Ok(None) };
        let text = value.to_str().ok_or(SettingsError::SecretNotText { name })?;
        text.parse().map(Some).map_err(|never| match never {})
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
