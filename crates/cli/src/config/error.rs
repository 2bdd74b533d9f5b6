//! Reasons for which settings cannot be used.

use hashrange::BadSharding;
use std::fmt;
use std::path::PathBuf;

/// Reasons for which settings cannot be used.
#[derive(Debug)]
pub enum SettingsError {
    /// A variable of the environment has a value that its setting cannot have.
    Variable {
        /// The variable.
        name: String,
        /// Its value.
        value: String,
        /// The fault of the value.
        problem: String,
    },
    /// A variable of the environment looks like a setting and is none.
    UnknownVariable {
        /// The variable.
        name: String,
        /// The setting that may have been meant.
        nearest: Option<String>,
    },
    /// The configuration file cannot be read.
    Unreadable(PathBuf, std::io::Error),
    /// The configuration file is not text.
    NotText(PathBuf),
    /// The configuration file is larger than any configuration.
    TooLarge(PathBuf),
    /// The configuration file is not TOML, or has an unknown name or a wrong value in it.
    Malformed {
        /// The file.
        path: PathBuf,
        /// Line, counted from 1, if it is known.
        line: Option<usize>,
        /// The fault, as the parser describes it.
        problem: String,
    },
    /// A variable of the environment is not text.
    VariableNotText {
        /// The variable.
        name: String,
    },
    /// The URL of a database was given where a folder is wanted.
    UrlForFolder,
    /// One layer of settings names two places for the data.
    TwoStores {
        /// Layer that names both: flags, environment or configuration file.
        layer: &'static str,
        /// The setting that names one of them.
        first: &'static str,
        /// The setting that names another.
        second: &'static str,
    },
    /// Streams cannot be split into such shards.
    Sharding(BadSharding),
    /// The file of credentials cannot be used.
    Credentials(PathBuf, hashrange_auth::CredentialsFileError),
}

impl fmt::Display for SettingsError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Variable { name, value, problem } => {
                write!(formatter, "environment variable {name} is {value:?}: {problem}")
            }
            Self::UnknownVariable { name, nearest: Some(nearest) } => write!(
                formatter,
                "environment variable {name} is no setting; did you mean {nearest}?"
            ),
            Self::UnknownVariable { name, nearest: None } => {
                write!(formatter, "environment variable {name} is no setting; unset it")
            }
            Self::Unreadable(path, error) => write!(formatter, "{}: {error}", path.display()),
            Self::NotText(path) => {
                write!(formatter, "{}: a configuration file is UTF-8 text", path.display())
            }
            Self::TooLarge(path) => {
                write!(formatter, "{}: too large for a configuration file", path.display())
            }
            Self::Malformed { path, line: Some(line), problem } => {
                write!(formatter, "{}:{line}: {problem}", path.display())
            }
            Self::Malformed { path, line: None, problem } => {
                write!(formatter, "{}: {problem}", path.display())
            }
            Self::VariableNotText { name } => {
                write!(formatter, "environment variable {name} is not UTF-8")
            }
            Self::UrlForFolder => formatter.write_str(
                "a folder is wanted, not the URL of a database: only `hashrange serve --store` takes \
                 one, and the other commands talk to that server",
            ),
            Self::TwoStores { layer, first, second } => write!(
                formatter,
                "{first} and {second} exclude each other: both are given in the {layer}"
            ),
            Self::Sharding(bad @ BadSharding::Shards(_)) => {
                write!(formatter, "stream-shards: {bad}")
            }
            Self::Sharding(bad @ BadSharding::Period(_)) => {
                write!(formatter, "stream-shard-period: {bad}")
            }
            Self::Credentials(path, error) if error.line > 0 => {
                write!(formatter, "{}:{}: {}", path.display(), error.line, error.fault)
            }
            Self::Credentials(path, error) => {
                write!(formatter, "{}: {}", path.display(), error.fault)
            }
        }
    }
}

impl std::error::Error for SettingsError {}
