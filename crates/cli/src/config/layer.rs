//! The settings of a server.
#![expect(
    clippy::doc_markdown,
    reason = "these comments are printed as help, where a grave accent is a letter"
)]

use super::{ByteSize, Interval, Parameter, StoreUrl};
use clap::{Args, ValueEnum};
use hashrange::{Profile, Sharding};
use hashrange_server::{AllowedHost, AllowedOrigin};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use std::fmt::Display;
use std::path::PathBuf;
use std::str::FromStr;

/// Makes [`Layer`] and [`Settings`] of a table. A row has the setting's help text, its form in the
/// sources, its name, its type, and the value without a source if there is one.
macro_rules! settings {
    ($($(#[$form:meta])* $name:ident: $type:ty $(= $default:expr)?;)+) => {
        /// Settings that one source gives.
        #[derive(Debug, Clone, Default, PartialEq, Eq, Args, Deserialize)]
        #[serde(deny_unknown_fields, rename_all = "kebab-case")]
        pub struct Layer {
            $($(#[$form])* pub $name: Option<$type>,)+
        }

        /// All settings of a server; [`Layer`] describes each.
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub struct Settings {
            $(pub $name: taken!($type $(, $default)?),)+
        }

        impl Layer {
            /// Returns the settings of this layer, and of `other` where this one has none.
            pub fn or(self, other: Self) -> Self {
                Self { $($name: self.$name.or(other.$name),)+ }
            }

            /// Returns the settings, with the default of each that has one.
            pub fn or_defaults(self) -> Settings {
                Settings { $($name: chosen!(self.$name $(, $default)?),)+ }
            }
        }
    };
}

/// The type of a setting: optional unless it has a default.
macro_rules! taken {
    ($type:ty) => { Option<$type> };
    ($type:ty, $default:expr) => { $type };
}

/// The value of a setting.
macro_rules! chosen {
    ($given:expr) => {
        $given
    };
    ($given:expr, $default:expr) => {
        $given.unwrap_or_else(|| $default)
    };
}

settings! {
    /// Keep the data in memory: fast, and gone when the server ends
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL")]
    memory: bool;
    /// Folder for the data, created if it does not exist [default: hashrange-data]
    #[arg(long, value_name = "DIR")]
    data_dir: PathBuf;
    /// Keep the data in a database on PostgreSQL, which several servers may share, such as
    /// postgres://user:password@host/database; other users of this machine see the arguments of a command,
    /// so give a password in HASHRANGE_STORE or the configuration file
    #[arg(long, value_name = "URL")]
    store: StoreUrl;
    /// Move the data of the folder to this place while they are served, and serve them from there: a URL as for
    /// --store, or a folder where there is nothing yet
    #[arg(long, value_name = "PLACE")]
    move_to: StoreUrl;
    /// Port to listen on [default: 8000]
    #[arg(long, short)]
    port: u16 = 8000;
    /// Address or name to listen on [default: 127.0.0.1]
    #[arg(long)]
    host: String = "127.0.0.1".to_owned();
    /// Region in ARNs [default: us-east-1]
    #[arg(long)]
    region: String = "us-east-1".to_owned();
    /// Accept only requests signed with credentials in this file (format of ~/.aws/credentials)
    #[arg(long, value_name = "FILE")]
    credentials: PathBuf;
    /// Let other machines use the database without credentials
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL")]
    insecure: bool = false;
    /// Let web pages of this origin use the database, such as https://app.example; * lets those of every
    /// origin; may be given several times [default: without credentials those of this machine, else all]
    #[arg(long, value_name = "ORIGIN")]
    #[serde(default, deserialize_with = "one_or_several")]
    allow_origin: Vec<AllowedOrigin> = Vec::new();
    /// Answer to this name in addition to localhost and --host; * answers to any; may be given
    /// several times [default: any, but only localhost and --host where no credentials are needed
    /// and the server listens to this machine only]
    #[arg(long, value_name = "NAME")]
    #[serde(default, deserialize_with = "one_or_several")]
    allow_host: Vec<AllowedHost> = Vec::new();
    /// Form of the log on standard error [default: text]
    #[arg(long, value_name = "FORMAT")]
    log_format: LogFormat = LogFormat::Text;
    /// Least important messages in the log [default: info]
    #[arg(long, value_name = "LEVEL")]
    log_level: LogLevel = LogLevel::Info;
    /// Memory for cached data, such as 512MiB [default: a quarter of the memory, with --store a sixteenth, 256MiB at most]
    #[arg(long, value_name = "SIZE")]
    cache_size: ByteSize;
    /// Time between removals of expired items, and between new tries of failed background jobs that
    /// are due, such as 500ms or 5m [default: 1s]
    #[arg(long, value_name = "TIME")]
    sweep_interval: Interval;
    /// Shards of a new stream that take writes at the same time, 1 to 1000 [default: 4]
    #[arg(long, value_name = "NUMBER")]
    stream_shards: u32 = Sharding::default().shards();
    /// Time after which a stream's shards are closed and get children, such as 10m; at least 1s
    /// [default: 4h]
    #[arg(long, value_name = "TIME")]
    stream_shard_period: Interval;
    /// Load sample data at the start
    #[arg(long, value_name = "NAME")]
    sample: String;
    /// Create the tables of this file at the start: CreateTable or DescribeTable in JSON, a CloudFormation
    /// template, a NoSQL Workbench model, or blocks of Terraform (FILE.tf); may be given several times
    #[arg(long, value_name = "FILE")]
    #[serde(default, deserialize_with = "one_or_several")]
    init: Vec<PathBuf> = Vec::new();
    /// Value of a parameter of the CloudFormation templates of --init, such as Stage=dev; may be given several
    /// times [default: the template's]
    #[arg(long, value_name = "NAME=VALUE")]
    #[serde(default, deserialize_with = "one_or_several")]
    parameter: Vec<Parameter> = Vec::new();
    /// Load items into empty tables at the start, from the files of this folder (TABLE.json,
    /// .jsonl, .csv, also with .gz appended) or from one such file; may be given several times
    #[arg(long, value_name = "FOLDER")]
    #[serde(default, deserialize_with = "one_or_several")]
    load: Vec<PathBuf> = Vec::new();
    /// Let clients save, restore and reset the whole state and set the clock [default: true with --memory, else false]
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL")]
    test_api: bool = false;
    /// Give each access key and region tables of their own
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL")]
    namespaces: bool = false;
    /// Report in every answer the cost of its request, in the header x-hashrange-cost; without
    /// this, only in answers to requests that send that header
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL")]
    cost_header: bool = false;
    /// Record the costs of requests from the start, for hashrange cost
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL")]
    record: bool = false;
    /// Words to show to everybody who looks at the server, such as "production": at most 200 characters
    #[arg(long, value_name = "TEXT")]
    banner: String;
    /// Compare requests with the access patterns of this file, which hashrange contract --learn
    /// writes: record them all, and name the pattern of a request in the header x-hashrange-pattern
    /// if the request sends that header
    #[arg(long, value_name = "FILE")]
    contract: PathBuf;
    /// Refuse requests that the contract does not know, before they do anything
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL")]
    enforce: bool = false;
    /// Watch which keys of all tables are hot, for hashrange heat; without this, those of tables on
    /// which Contributor Insights is enabled
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL")]
    heat: bool = false;
    /// Memory for the recent requests that hashrange requests and the console follow, such as 16MiB; it is taken
    /// while somebody watches [default: 4MiB]
    #[arg(long, value_name = "SIZE")]
    watch_size: ByteSize;
    /// Let those who watch recent requests see their values, too [default: only where no credentials are needed]
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL")]
    watch_values: bool;
    /// The web console at /console [default: on]
    #[arg(long, value_name = "ON|OFF")]
    console: Switch = Switch::On;
    /// Limits and delays of the service to reproduce: default, aws or hostile
    #[arg(long, value_name = "PROFILE")]
    #[serde(default, deserialize_with = "parsed")]
    profile: Profile = Profile::Default;
    /// Seed of a profile's random choices [default: 0]
    #[arg(long, value_name = "NUMBER")]
    seed: u64;
    /// Milliseconds that the creation, update and deletion of a table take, unless the profile is
    /// default [default: 3000]
    #[arg(long, value_name = "MS")]
    table_delay_ms: u64;
}

/// Reads a text whose parser explains what it expects when it refuses it.
fn parsed<'de, D, T>(source: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: FromStr<Err: Display>,
{
    String::deserialize(source)?.parse().map(Some).map_err(D::Error::custom)
}

/// Reads a text or an array of texts.
fn one_or_several<'de, D, T>(source: D) -> Result<Option<Vec<T>>, D::Error>
where
    D: Deserializer<'de>,
    T: FromStr<Err: Display>,
{
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "a text or an array of texts")]
    enum Texts {
        One(String),
        Several(Vec<String>),
    }
    let texts = match Texts::deserialize(source)? {
        Texts::One(text) => vec![text],
        Texts::Several(texts) => texts,
    };
    let parsed = texts.iter().map(|text| text.parse().map_err(D::Error::custom));
    parsed.collect::<Result<_, _>>().map(Some)
}

impl Layer {
    /// Returns the settings that name a place for the data.
    pub fn places(&self) -> Vec<&'static str> {
        let memory = (self.memory == Some(true)).then_some("memory");
        let folder = self.data_dir.as_ref().map(|_| "data-dir");
        [memory, folder, self.store.as_ref().map(|_| "store")].into_iter().flatten().collect()
    }

    /// Returns the settings without those that name a place for the data.
    pub fn without_places(self) -> Self {
        Self { memory: None, data_dir: None, store: None, ..self }
    }
}

/// Form of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LogFormat {
    /// One line per message, for people
    Text,
    /// One JSON object per line
    Json,
}

/// A part of the server that can be left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Switch {
    /// It is there
    On,
    /// It is not
    Off,
}

/// Importance of messages in the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LogLevel {
    /// Somebody must act
    Error,
    /// Somebody should look
    Warn,
    /// Events of the server as a whole
    Info,
    /// Each request with its outcome, and mistakes of clients
    Debug,
}
