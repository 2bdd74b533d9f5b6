//! The settings as one source gives them: every one may be absent.
#![expect(
    clippy::doc_markdown,
    reason = "these comments are printed as help, where a grave accent is a letter"
)]

use super::{ByteSize, Interval, Parameter, StoreChoice, StoreUrl};
use clap::{Args, ValueEnum};
use hashrange::Profile;
use hashrange_server::{AllowedHost, AllowedOrigin};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use std::fmt::Display;
use std::path::PathBuf;
use std::str::FromStr;

/// Settings that flags, the environment or a file give.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Layer {
    /// Keep the data in memory: fast, and gone when the server ends
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL")]
    pub memory: Option<bool>,
    /// Folder for the data, created if it does not exist [default: hashrange-data]
    #[arg(long, value_name = "DIR")]
    pub data_dir: Option<PathBuf>,
    /// Keep the data in a database on PostgreSQL, which several servers may share, such as
    /// postgres://user:password@host/database; other users of this machine see the arguments of a command,
    /// so give a password in HASHRANGE_STORE or the configuration file
    #[arg(long, value_name = "URL")]
    pub store: Option<StoreUrl>,
    /// Move the data of the folder to this place while they are served, and serve them from there: a URL as for
    /// --store, or a folder where there is nothing yet
    #[arg(long, value_name = "PLACE")]
    pub move_to: Option<StoreUrl>,
    /// Port to listen on [default: 8000]
    #[arg(long, short)]
    pub port: Option<u16>,
    /// Address or name to listen on [default: 127.0.0.1]
    #[arg(long)]
    pub host: Option<String>,
    /// Region in ARNs [default: us-east-1]
    #[arg(long)]
    pub region: Option<String>,
    /// Accept only requests signed with credentials in this file (format of ~/.aws/credentials)
    #[arg(long, value_name = "FILE")]
    pub credentials: Option<PathBuf>,
    /// Let other machines use the database without credentials
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL")]
    pub insecure: Option<bool>,
    /// Let web pages of this origin use the database, such as https://app.example; * lets those of every
    /// origin; may be given several times [default: without credentials those of this machine, else all]
    #[arg(long, value_name = "ORIGIN")]
    #[serde(default, deserialize_with = "one_or_several")]
    pub allow_origin: Option<Vec<AllowedOrigin>>,
    /// Answer to this name in addition to localhost and --host; * answers to any; may be given
    /// several times [default: any, but only localhost and --host where no credentials are needed
    /// and the server listens to this machine only]
    #[arg(long, value_name = "NAME")]
    #[serde(default, deserialize_with = "one_or_several")]
    pub allow_host: Option<Vec<AllowedHost>>,
    /// Form of the log on standard error [default: text]
    #[arg(long, value_name = "FORMAT")]
    pub log_format: Option<LogFormat>,
    /// Least important messages in the log [default: info]
    #[arg(long, value_name = "LEVEL")]
    pub log_level: Option<LogLevel>,
    /// Memory for cached data, such as 512MiB [default: a quarter of the memory, with --store a sixteenth, 256MiB at most]
    #[arg(long, value_name = "SIZE")]
    pub cache_size: Option<ByteSize>,
    /// Time between removals of expired items, and between new tries of failed background jobs that
    /// are due, such as 500ms or 5m [default: 1s]
    #[arg(long, value_name = "TIME")]
    pub sweep_interval: Option<Interval>,
    /// Shards of a new stream that take writes at the same time, 1 to 1000 [default: 4]
    #[arg(long, value_name = "NUMBER")]
    pub stream_shards: Option<u32>,
    /// Time after which a stream's shards are closed and get children, such as 10m; at least 1s
    /// [default: 4h]
    #[arg(long, value_name = "TIME")]
    pub stream_shard_period: Option<Interval>,
    /// Load sample data at the start
    #[arg(long, value_name = "NAME")]
    pub sample: Option<String>,
    /// Create the tables of this file at the start: CreateTable or DescribeTable in JSON, a CloudFormation
    /// template, or a NoSQL Workbench model; may be given several times
    #[arg(long, value_name = "FILE")]
    #[serde(default, deserialize_with = "one_or_several")]
    pub init: Option<Vec<PathBuf>>,
    /// Value of a parameter of the CloudFormation templates of --init, such as Stage=dev; may be given several
    /// times [default: the template's]
    #[arg(long, value_name = "NAME=VALUE")]
    #[serde(default, deserialize_with = "one_or_several")]
    pub parameter: Option<Vec<Parameter>>,
    /// Load items into empty tables at the start, from the files of this folder (TABLE.json,
    /// .jsonl, .csv, also with .gz appended) or from one such file; may be given several times
    #[arg(long, value_name = "FOLDER")]
    #[serde(default, deserialize_with = "one_or_several")]
    pub load: Option<Vec<PathBuf>>,
    /// Let clients save, restore and reset the whole state and set the clock [default: true with --memory, else false]
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL")]
    pub test_api: Option<bool>,
    /// Give each access key and region tables of their own
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL")]
    pub namespaces: Option<bool>,
    /// Report in every answer the cost of its request, in the header x-hashrange-cost; without
    /// this, only in answers to requests that send that header
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL")]
    pub cost_header: Option<bool>,
    /// Record the costs of requests from the start, for hashrange cost
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL")]
    pub record: Option<bool>,
    /// Compare requests with the access patterns of this file, which hashrange contract --learn
    /// writes: record them all, and name the pattern of a request in the header x-hashrange-pattern
    /// if the request sends that header
    #[arg(long, value_name = "FILE")]
    pub contract: Option<PathBuf>,
    /// Refuse requests that the contract does not know, before they do anything
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL")]
    pub enforce: Option<bool>,
    /// Watch which keys of all tables are hot, for hashrange heat; without this, those of tables on
    /// which Contributor Insights is enabled
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL")]
    pub heat: Option<bool>,
    /// Limits and delays of the service to reproduce: default, aws or hostile
    #[arg(long, value_name = "PROFILE")]
    #[serde(default, deserialize_with = "parsed")]
    pub profile: Option<Profile>,
    /// Seed of a profile's random choices [default: 0]
    #[arg(long, value_name = "NUMBER")]
    pub seed: Option<u64>,
    /// Milliseconds that the creation, update and deletion of a table take, unless the profile is
    /// default [default: 3000]
    #[arg(long, value_name = "MS")]
    pub table_delay_ms: Option<u64>,
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
    /// Returns the settings of this layer, and of `other` where this one has none.
    pub fn or(self, other: Self) -> Self {
        macro_rules! either {
            ($($setting:ident)*) => { Self { $($setting: self.$setting.or(other.$setting)),* } };
        }
        either! {
            memory data_dir store move_to port host region credentials insecure allow_origin allow_host log_format
            log_level cache_size sweep_interval stream_shards stream_shard_period sample init parameter load test_api
            cost_header record contract enforce heat namespaces profile seed table_delay_ms
        }
    }

    /// Returns the place for the data; if this layer names two, their settings.
    pub fn store(&self) -> Result<Option<StoreChoice>, (&'static str, &'static str)> {
        let memory = (self.memory == Some(true)).then_some(("memory", StoreChoice::Memory));
        let folder = self.data_dir.clone().map(|it| ("data-dir", StoreChoice::Folder(it)));
        let url = self.store.clone().map(|url| ("store", StoreChoice::Url(url)));
        let mut named = [memory, folder, url].into_iter().flatten();
        match (named.next(), named.next()) {
            (Some((first, _)), Some((second, _))) => Err((first, second)),
            (choice, _) => Ok(choice.map(|(_, choice)| choice)),
        }
    }
}

/// Form of the log.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LogFormat {
    /// One line per message, for people
    #[default]
    Text,
    /// One JSON object per line
    Json,
}

/// Importance of messages in the log.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LogLevel {
    /// Somebody must act
    Error,
    /// Somebody should look
    Warn,
    /// Events of the server as a whole
    #[default]
    Info,
    /// Each request with its outcome, and mistakes of clients
    Debug,
}
