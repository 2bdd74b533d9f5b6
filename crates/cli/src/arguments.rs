//! The arguments of every command.
#![expect(
    clippy::doc_markdown,
    reason = "these comments are printed as help, where a grave accent is a letter"
)]

mod advice;
mod bulk;
mod definition;
mod design;
mod history;
mod template;
mod watching;

pub use advice::{Advise, Contract, Cost, CostBy, Heat, HeatBy, Lint};
pub use bulk::{Bulk, Export, Import, Put};
pub use definition::{Alter, Create, Drop, StreamImage, TableClass};
pub use design::{
    Coverage, Design, DesignCommand, DesignDiff, DesignForm, DesignWrite, Entities, Study,
};
pub use history::{
    History, HistoryCommand, HistoryDiff, HistoryItems, HistoryRestore, HistoryVersions,
};
pub use template::{Template, TemplateCommand, TemplateOf, TemplateSet};
pub use watching::{Console, Requests, RequestsBy};

use crate::config::{Layer, StoreUrl};
use crate::output::screen::Show;
use clap::{Args, Parser, Subcommand, ValueEnum};
use serde::Deserialize;
use std::path::PathBuf;

/// DynamoDB-compatible database: a server, and a client for people.
#[derive(Debug, Parser)]
#[command(name = "hashrange", version, max_term_width = 100)]
pub struct Arguments {
    /// Command that the program runs.
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Serve a database over HTTP
    Serve(Serve),
    /// Ask a server whether it is alive, or takes writes
    Health(Health),
    /// Show what a server does: its figures, the last minutes by operation, its jobs
    Server(Server),
    /// List the samples, or load one: tables with data to try things on
    Sample(SampleArguments),
    /// List the tables
    Tables(Tables),
    /// Create a table, in a line such as `hashrange create orders pk:S sk:S`
    Create(Create),
    /// Change a table: its indexes, time to live, stream, billing, tags, protection
    Alter(Alter),
    /// Drop a table with all its items
    Drop(Drop),
    /// Describe a table: its keys, indexes, sizes and settings
    Describe(Describe),
    /// Get an item by its key
    Get(Get),
    /// Put an item, or items from standard input
    Put(Put),
    /// Put the items of files, many at a time
    Import(Import),
    /// Write all items of a table to a file
    Export(Export),
    /// Change attributes of an item
    Update(Update),
    /// Delete an item
    Delete(Delete),
    /// Query items with one partition key
    Query(Query),
    /// Query all write shards of a partition key, merged in the order of the sort key: '1#{shard:8}'
    /// in the place of its value
    Gather(Query),
    /// Scan all items
    Scan(Scan),
    /// Show the folders and items of an item collection, or the partition keys of a table
    Tree(Tree),
    /// Draw the whole line of an item collection's keys, or of partition keys, with counts
    Ruler(Ruler),
    /// Find faults of keys that will hurt later, in tables or in a design in a file
    Lint(Lint),
    /// Show the kinds of items in a table, with their keys, templates and attributes
    Entities(Entities),
    /// Hold access patterns against the keys and indexes of tables: range, filter or scan, and cost
    Coverage(Coverage),
    /// Compare designs in files, or write tables in the forms of other tools
    Design(Design),
    /// Study an export: entities, findings, prices and item collections on one HTML page
    Study(Study),
    /// Price the recorded requests of a server; compare two records, keep to a budget
    Cost(Cost),
    /// Advise which indexes to add and which to drop, from the recorded requests of a server
    Advise(Advise),
    /// Show the hot keys of a server: the hottest of each table, and a map of key ranges by minutes
    Heat(Heat),
    /// Show the requests of a server as they come, or their patterns by the second
    Requests(Requests),
    /// Serve the web console on this machine, for any endpoint
    Console(Console),
    /// Compare the recorded requests of a server with the access patterns that a design allows
    Contract(Contract),
    /// A shell for PartiQL and table definitions; or run a statement, or those on standard input
    Sql(Sql),
    /// Explain what a query, scan, get or statement reads and costs
    Explain(Explain),
    /// Declare, show and drop key templates, which derive keys from other attributes; parse keys by
    /// them
    Template(Template),
    /// Keep the history of a table; show its changes since a moment, put items back
    History(History),
    /// Save, restore and reset the whole state of a server, for tests
    State(State),
    /// Show or set the clock of a server, for tests
    Clock(Clock),
    /// Call any operation of the API with a JSON request
    Api(Api),
    /// Print the script by which a shell completes commands and options
    Completions(Completions),
    /// Print a manual page, or write all of them
    Man(Manual),
    /// Verify the items, indexes and counters in a data folder
    Check(Check),
    /// Copy a database: from a folder to PostgreSQL, back, or to another folder
    Copy(Copy),
    /// Prepare a database on PostgreSQL for servers
    Store(Store),
}

/// Arguments of `serve`.
#[derive(Debug, Args)]
#[command(after_help = "Each setting can also be given in the environment (HASHRANGE_PORT=9000) \
    and in the configuration file (port = 9000). Flags win over the environment, and that over \
    the file.")]
pub struct Serve {
    /// Configuration file in TOML
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// The settings.
    #[command(flatten)]
    pub flags: Layer,
}

/// Arguments of `store`.
#[derive(Debug, Args)]
pub struct Store {
    /// Subcommand.
    #[command(subcommand)]
    pub command: StoreCommand,
}

/// Subcommands of `store`.
#[derive(Debug, Subcommand)]
pub enum StoreCommand {
    /// Print the SQL that creates an empty store, so that the user of servers needs no right to create
    Init(StoreInit),
    /// Print the SQL that changes the tables of an older program, while servers go on
    Upgrade(StoreUpgrade),
}

/// Arguments of `store init`.
#[derive(Debug, Args)]
#[command(
    after_help = "For example, by somebody who may create schemas, for servers whose user is \
    app:\n  hashrange store init --role app | psql -v ON_ERROR_STOP=1 -d hashrange\n\
    Connects to nothing. Without it, servers create what is missing, if they may."
)]
pub struct StoreInit {
    /// Schema of the tables, as in the URL of the servers
    #[arg(long, value_name = "NAME", default_value = "hashrange")]
    pub schema: String,
    /// Number of parts over which keys are spread; cannot be changed later
    #[arg(long, value_name = "N", default_value_t = 256)]
    pub places: u16,
    /// Role of the servers: gets the rights to read and write the tables
    #[arg(long, value_name = "NAME")]
    pub role: Option<String>,
    /// Spread the tables over the nodes of this engine; the servers' URL then has sharding=citus
    #[arg(long, value_name = "ENGINE")]
    pub sharded: Option<Sharded>,
}

/// Arguments of `store upgrade`.
#[derive(Debug, Args)]
#[command(
    after_help = "For example, by somebody who may change the tables, before or after servers of this \
    version are started:\n  hashrange store upgrade | psql -v ON_ERROR_STOP=1 -d hashrange\n\
    Connects to nothing. Without it, servers change what is older, if they may, and use it as it is if not."
)]
pub struct StoreUpgrade {
    /// Schema of the tables, as in the URL of the servers
    #[arg(long, value_name = "NAME", default_value = "hashrange")]
    pub schema: String,
}

/// An engine that spreads tables when it is told to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Sharded {
    /// The extension of PostgreSQL.
    Citus,
}

/// Arguments of `health`.
#[derive(Debug, Args)]
pub struct Health {
    /// Server to ask [default: http://127.0.0.1:8000] [env: HASHRANGE_ENDPOINT, HASHRANGE_PORT]
    #[arg(long, value_name = "URL")]
    pub endpoint: Option<String>,
    /// Ask whether it takes writes, too
    #[arg(long)]
    pub ready: bool,
    /// Certificates to trust.
    #[command(flatten)]
    pub tls: Tls,
}

/// Arguments of `completions`.
#[derive(Debug, Args)]
#[command(after_help = "For example:\n  \
    hashrange completions bash > ~/.local/share/bash-completion/completions/hashrange\n  \
    hashrange completions zsh > ~/.zfunc/_hashrange      (with fpath+=~/.zfunc before compinit)\n  \
    hashrange completions fish > ~/.config/fish/completions/hashrange.fish")]
pub struct Completions {
    /// Shell
    pub shell: clap_complete::Shell,
}

/// Arguments of `man`.
#[derive(Debug, Args)]
#[command(after_help = "To read a page: hashrange man query | man -l -")]
pub struct Manual {
    /// Command whose page to print; without one, the page of the program
    pub command: Option<String>,
    /// Write all pages into this folder, created if it does not exist
    #[arg(long = "dir", value_name = "DIR", conflicts_with = "command")]
    pub folder: Option<PathBuf>,
}

/// Database that a command talks to.
#[derive(Debug, Default, Args)]
pub struct Connection {
    /// Server to send requests to [default: http://127.0.0.1:8000] [env: HASHRANGE_ENDPOINT,
    /// AWS_ENDPOINT_URL_DYNAMODB, AWS_ENDPOINT_URL]
    #[arg(long, value_name = "URL")]
    pub endpoint: Option<String>,
    /// Use the database in this folder, without a server
    #[arg(long, value_name = "DIR", conflicts_with_all = ["endpoint", "credentials", "profile", "ca_file", "insecure_tls"])]
    pub data_dir: Option<PathBuf>,
    /// Certificates to trust.
    #[command(flatten)]
    pub tls: Tls,
    /// Region to sign for, and in ARNs [default: us-east-1] [env: HASHRANGE_REGION, AWS_REGION,
    /// AWS_DEFAULT_REGION]
    #[arg(long)]
    pub region: Option<String>,
    /// Sign with credentials in this file (format of ~/.aws/credentials) [env: HASHRANGE_CREDENTIALS,
    /// AWS_ACCESS_KEY_ID, AWS_SHARED_CREDENTIALS_FILE]
    #[arg(long, value_name = "FILE")]
    pub credentials: Option<PathBuf>,
    /// Profile in the credentials file [default: default, or the only one] [env: AWS_PROFILE]
    #[arg(long, value_name = "NAME")]
    pub profile: Option<String>,
    /// Form of the output [default: table; ddb for api]
    #[arg(long, short, value_enum)]
    pub output: Option<Format>,
    /// Layout of the output.
    #[command(flatten)]
    pub show: Show,
}

/// Certificates that a client accepts from a server at `https://`.
#[derive(Debug, Default, Args)]
pub struct Tls {
    /// Trust the certificates in this file (PEM) instead of the system's, at https:// [env:
    /// HASHRANGE_CA_FILE, AWS_CA_BUNDLE]
    #[arg(long, value_name = "FILE")]
    pub ca_file: Option<PathBuf>,
    /// Trust any certificate: the server may be anybody
    #[arg(long, conflicts_with = "ca_file")]
    pub insecure_tls: bool,
}

/// Form of the output.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// Aligned columns and a line of figures
    #[default]
    Table,
    /// One plain JSON object per item and line
    Json,
    /// One item per line as one writes it, which loses nothing: put and import read it back
    Item,
    /// The response as it came, in DynamoDB's JSON
    Ddb,
}

/// Arguments of `tables`.
#[derive(Debug, Args)]
pub struct Tables {
    /// Database to use.
    #[command(flatten)]
    pub connection: Connection,
}

/// Arguments of `server`.
#[derive(Debug, Args)]
pub struct Server {
    /// Minutes to sum up, at most 60
    #[arg(long, value_name = "MINUTES", default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=60))]
    pub minutes: u64,
    /// Database to use.
    #[command(flatten)]
    pub connection: Connection,
}

/// Arguments of `sample`.
#[derive(Debug, Args)]
pub struct SampleArguments {
    /// Subcommand.
    #[command(subcommand)]
    pub command: SampleCommand,
}

/// Subcommands of `sample`.
#[derive(Debug, Subcommand)]
pub enum SampleCommand {
    /// List the samples
    List(SampleList),
    /// Load a sample, whose tables must not be there
    Load(SampleLoad),
}

/// Arguments of `sample list`.
#[derive(Debug, Args)]
pub struct SampleList {
    /// Database to use.
    #[command(flatten)]
    pub connection: Connection,
}

/// Arguments of `sample load`.
#[derive(Debug, Args)]
pub struct SampleLoad {
    /// Sample
    pub name: String,
    /// Database to use.
    #[command(flatten)]
    pub connection: Connection,
}

/// Arguments of `describe`.
#[derive(Debug, Args)]
pub struct Describe {
    /// Table
    pub table: String,
    /// Database to use.
    #[command(flatten)]
    pub connection: Connection,
}

/// An item's key: values in the order of the table's key schema, or one literal like `{"pk": 1}`.
#[derive(Debug, Args)]
#[expect(clippy::struct_field_names, reason = "partition key and sort key are their names")]
pub struct Key {
    /// Table
    pub table: String,
    /// Partition key; or the whole key as one literal such as '{"pk": "a", "sk": 1}'
    #[arg(value_name = "KEY", allow_negative_numbers = true)]
    pub partition_key: String,
    /// Sort key, if the table has one
    #[arg(allow_negative_numbers = true)]
    pub sort_key: Option<String>,
}

/// Arguments of `get`.
#[derive(Debug, Args)]
pub struct Get {
    /// Key of the item.
    #[command(flatten)]
    pub key: Key,
    /// Attributes to get, such as 'name, address.city'
    #[arg(long, value_name = "PATHS")]
    pub select: Option<String>,
    /// Use a strongly consistent read
    #[arg(long)]
    pub consistent: bool,
    /// Database to use.
    #[command(flatten)]
    pub connection: Connection,
}

/// Arguments of `update`.
#[derive(Debug, Args)]
pub struct Update {
    /// Key of the item.
    #[command(flatten)]
    pub key: Key,
    /// Assignments, such as "n = n + 1, address.city = 'Bern'"
    #[arg(long, value_name = "ASSIGNMENTS")]
    pub set: Vec<String>,
    /// Attributes to remove, such as 'a, b[0]'
    #[arg(long, value_name = "PATHS")]
    pub remove: Vec<String>,
    /// Numbers to add and elements to add to sets, such as "n 1, tags <<'x'>>"
    #[arg(long, value_name = "ADDITIONS")]
    pub add: Vec<String>,
    /// Elements to delete from sets, such as "tags <<'x'>>"
    #[arg(long, value_name = "DELETIONS")]
    pub delete: Vec<String>,
    /// Update only if this condition holds for the stored item
    #[arg(long = "if", value_name = "CONDITION")]
    pub condition: Option<String>,
    /// Database to use.
    #[command(flatten)]
    pub connection: Connection,
}

/// Arguments of `delete`.
#[derive(Debug, Args)]
pub struct Delete {
    /// Key of the item.
    #[command(flatten)]
    pub key: Key,
    /// Delete only if this condition holds for the stored item
    #[arg(long = "if", value_name = "CONDITION")]
    pub condition: Option<String>,
    /// Database to use.
    #[command(flatten)]
    pub connection: Connection,
}

/// Arguments that `query` and `scan` share.
#[derive(Debug, Args)]
pub struct Page {
    /// Secondary index to read
    #[arg(long, value_name = "NAME")]
    pub index: Option<String>,
    /// Keep only items for which this holds
    #[arg(long, value_name = "CONDITION")]
    pub filter: Option<String>,
    /// Attributes to read, such as 'name, population'
    #[arg(long, value_name = "PATHS")]
    pub select: Option<String>,
    /// Items to examine at most
    #[arg(long, value_name = "COUNT")]
    pub limit: Option<u32>,
    /// Start after this key, which the last page printed
    #[arg(long, value_name = "KEY")]
    pub start: Option<String>,
    /// Read all pages
    #[arg(long)]
    pub all: bool,
    /// Use strongly consistent reads
    #[arg(long)]
    pub consistent: bool,
    /// Print only the number of items: of all pages, unless --limit ends the read
    #[arg(long, conflicts_with = "select")]
    pub count: bool,
}

/// Arguments of `query`.
#[derive(Debug, Args)]
pub struct Query {
    /// Table
    pub table: String,
    /// Key condition, such as "country = 'NL' and begins_with(sk, '07#')"
    pub condition: String,
    /// Read from the last sort key to the first
    #[arg(long)]
    pub reverse: bool,
    /// Index, filter and pages to read.
    #[command(flatten)]
    pub page: Page,
    /// Database to use.
    #[command(flatten)]
    pub connection: Connection,
}

/// Arguments of `scan`.
#[derive(Debug, Args)]
pub struct Scan {
    /// Table
    pub table: String,
    /// Index, filter and pages to read.
    #[command(flatten)]
    pub page: Page,
    /// Database to use.
    #[command(flatten)]
    pub connection: Connection,
}

/// Arguments of `tree`.
#[derive(Debug, Args)]
#[command(
    after_help = "A folder is all keys that begin with the same text up to a delimiter; what is in \
    it is skipped, not read, unless it is to be counted. For example:\n  \
    hashrange tree cities US\n  \
    hashrange tree cities US TEXAS# --depth 2 --counts\n  \
    hashrange tree cities --largest --limit 5"
)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag that stands for itself")]
pub struct Tree {
    /// Table
    pub table: String,
    /// Partition key, or one literal such as '{"a": "x", "b": 1}' where it has several attributes;
    /// without one, the partition keys are listed
    #[arg(value_name = "PARTITION-KEY", allow_negative_numbers = true)]
    pub partition_key: Option<String>,
    /// Text that the sort key begins with, such as TEXAS#
    pub prefix: Option<String>,
    /// Secondary index to read
    #[arg(long, value_name = "NAME")]
    pub index: Option<String>,
    /// First attributes of a sort key that has several, such as '{"state": "TX"}'; PREFIX is of the
    /// next one
    #[arg(long, value_name = "KEY", requires = "partition_key")]
    pub sort_key: Option<String>,
    /// Text that divides the sort key into levels [default: #]
    #[arg(long, value_name = "TEXT", requires = "partition_key")]
    pub delimiter: Option<String>,
    /// Levels to show, at most 32
    #[arg(long, value_name = "LEVELS", requires = "partition_key")]
    pub depth: Option<usize>,
    /// Read everything, and count items and bytes
    #[arg(long)]
    pub counts: bool,
    /// Read everything, and show the largest item collections
    #[arg(long, conflicts_with = "partition_key")]
    pub largest: bool,
    /// Most partition keys, folders and items to show [default: 1000; with --largest 20]
    #[arg(long, value_name = "COUNT", conflicts_with = "all")]
    pub limit: Option<usize>,
    /// Show all
    #[arg(long, conflicts_with = "largest")]
    pub all: bool,
    /// Read from the last sort key to the first
    #[arg(long, requires = "partition_key")]
    pub reverse: bool,
    /// Start at this position, which the last call printed
    #[arg(long, value_name = "POSITION")]
    pub start: Option<String>,
    /// Use strongly consistent reads
    #[arg(long)]
    pub consistent: bool,
    /// Database to use.
    #[command(flatten)]
    pub connection: Connection,
}

/// Arguments of `ruler`.
#[derive(Debug, Args)]
#[command(
    after_help = "Folders that lie side by side are put together until there are few enough lines. \
    A call reads at most 20,000 keys; what it cannot count is \"at least\". For example:\n  \
    hashrange ruler cities US\n  \
    hashrange ruler cities US TEXAS# --bins 10\n  \
    hashrange ruler cities US --index by-population --from 1000000\n  \
    hashrange ruler cities --all"
)]
pub struct Ruler {
    /// Table
    pub table: String,
    /// Partition key, or one literal such as '{"a": "x", "b": 1}' where it has several attributes;
    /// without one, the line is that of all partition keys
    #[arg(value_name = "PARTITION-KEY", allow_negative_numbers = true)]
    pub partition_key: Option<String>,
    /// Text that the sort key begins with, such as TEXAS#
    pub prefix: Option<String>,
    /// Secondary index to read
    #[arg(long, value_name = "NAME")]
    pub index: Option<String>,
    /// First attributes of a sort key that has several, such as '{"state": "TX"}'; PREFIX is of the
    /// next one
    #[arg(long, value_name = "KEY", requires = "partition_key")]
    pub sort_key: Option<String>,
    /// Least value of the sort key
    #[arg(long, value_name = "VALUE", requires = "partition_key", allow_negative_numbers = true)]
    pub from: Option<String>,
    /// Greatest value of the sort key
    #[arg(long, value_name = "VALUE", requires = "partition_key", allow_negative_numbers = true)]
    pub to: Option<String>,
    /// Text that divides the sort key into folders [default: #]
    #[arg(long, value_name = "TEXT", requires = "partition_key")]
    pub delimiter: Option<String>,
    /// Lines to draw at most, up to 500
    #[arg(long, value_name = "COUNT", default_value_t = 20)]
    pub bins: usize,
    /// Count on until everything is counted
    #[arg(long)]
    pub all: bool,
    /// Use strongly consistent reads
    #[arg(long)]
    pub consistent: bool,
    /// Database to use.
    #[command(flatten)]
    pub connection: Connection,
}

/// Arguments of `sql`.
#[derive(Debug, Args)]
#[command(after_help = "Text stands in 'single quotes', names in \"double quotes\" or plain. \
    CREATE TABLE, ALTER TABLE and DROP TABLE are run as requests of the API.")]
pub struct Sql {
    /// Statement; without one, a shell on a terminal, else the statements on standard input, each
    /// ended by a semicolon
    pub statement: Option<String>,
    /// Value of the next question mark, such as "'a'" or 1
    #[arg(long = "parameter", short, value_name = "VALUE", allow_negative_numbers = true)]
    pub parameters: Vec<String>,
    /// Items to examine at most
    #[arg(long, value_name = "COUNT")]
    pub limit: Option<u32>,
    /// Read all pages
    #[arg(long)]
    pub all: bool,
    /// Use strongly consistent reads
    #[arg(long)]
    pub consistent: bool,
    /// Database to use.
    #[command(flatten)]
    pub connection: Connection,
}

/// Arguments of `explain`.
#[derive(Debug, Args)]
#[command(after_help = "For example:\n  \
    hashrange explain query cities \"country = 'US' and begins_with(place, 'TEXAS#HO')\"\n  \
    hashrange explain --analyze sql \"SELECT city FROM cities WHERE capital = 'yes'\"\n  \
    hashrange explain query cities \"country = 'NL' and begins_with(city, 'A')\" \
    --what-if by-name=country,city:S\n  \
    hashrange explain sql \"SELECT * FROM cities WHERE country = 'NL' AND city = 'Ede'\" \
    --what-if-local by-name=city:S\n  \
    hashrange explain request TransactWriteItems - < request.json\n\
    The explanation covers all pages, also without --all.")]
pub struct Explain {
    /// Run the request and count what it reads and writes: a statement that writes does write
    #[arg(long, global = true)]
    pub analyze: bool,
    /// Read an index that does not exist, given as `alter --add-gsi` takes it:
    /// NAME=PARTITION[,SORT][/PROJECTION]
    #[arg(long, global = true, value_name = "INDEX", conflicts_with = "analyze")]
    pub what_if: Option<String>,
    /// Read a local index that does not exist, given as `create --lsi` takes it:
    /// NAME=SORT[/PROJECTION]
    #[arg(long, global = true, value_name = "INDEX", conflicts_with_all = ["analyze", "what_if"])]
    pub what_if_local: Option<String>,
    /// Most items of the table to look at for an index that does not exist; of a larger table a
    /// sample gives intervals
    #[arg(long, global = true, value_name = "ITEMS", conflicts_with = "analyze")]
    pub look_at: Option<u64>,
    /// Request to explain.
    #[command(subcommand)]
    pub command: Explained,
}

/// Requests that can be explained, with the arguments of the command itself.
#[derive(Debug, Subcommand)]
pub enum Explained {
    /// Explain a query
    Query(Query),
    /// Explain a scan
    Scan(Scan),
    /// Explain a get of an item
    Get(Get),
    /// Explain a statement
    Sql(Sql),
    /// Explain a request of any operation on items, batches and transactions too
    Request(Api),
}

/// Arguments of `api`.
#[derive(Debug, Args)]
pub struct Api {
    /// Operation, such as GetItem
    pub operation: String,
    /// Request in the API's JSON; `-` reads it from standard input
    #[arg(default_value = "{}")]
    pub request: String,
    /// Database to use.
    #[command(flatten)]
    pub connection: Connection,
}

/// Arguments of `state`.
#[derive(Debug, Args)]
pub struct State {
    /// Action
    #[arg(value_enum)]
    pub action: StateAction,
    /// Name of the save [default: default]
    pub name: Option<String>,
    /// With reset: delete everything, also the tables and items of --init and --load
    #[arg(long)]
    pub empty: bool,
    /// Database to use.
    #[command(flatten)]
    pub connection: Connection,
}

/// Actions on the state of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum StateAction {
    /// Save everything under a name
    Save,
    /// Go back to a save
    Restore,
    /// Go back to the state after the start
    Reset,
    /// List the saves
    List,
    /// Delete a save
    Delete,
}

/// Arguments of `clock`.
#[derive(Debug, Args)]
pub struct Clock {
    /// Set the clock: seconds since 1970, a date such as 2030-01-31T08:00:00Z, or system
    #[arg(long, value_name = "TIME", conflicts_with = "advance")]
    pub set: Option<String>,
    /// Move the clock forward: seconds, or a time such as 500ms, 90s, 10m, 24h or 7d
    #[arg(long, value_name = "TIME")]
    pub advance: Option<String>,
    /// Stop the clock
    #[arg(long, conflicts_with = "go_on")]
    pub stop: bool,
    /// Let the clock go on
    #[arg(long)]
    pub go_on: bool,
    /// Database to use.
    #[command(flatten)]
    pub connection: Connection,
}

/// Arguments of `check`.
#[derive(Debug, Args)]
pub struct Check {
    /// Folder with the data; no server may be using it
    pub folder: PathBuf,
}

/// Arguments of `copy`.
#[derive(Debug, Args)]
#[command(
    after_help = "A folder, or a URL such as postgres://user@host/database?schema=hashrange. Other \
    users of the machine see flags: give a URL with a password in the environment. For example:\n  \
    export HASHRANGE_COPY_TO=postgres://user:password@db.example.org/hashrange\n  \
    hashrange copy --from ./data\n\
    No server may be using either. The source is not changed. Until both were compared byte for byte in \
    the end, the target is unfinished and refused by all who open it.\n\
    With --while-serving the servers of a database on PostgreSQL go on. What they write meanwhile follows; in \
    the end writes are refused for a moment, and from then on all of the source: its data are in the target. A \
    folder is moved by its own server, with serve --move-to."
)]
pub struct Copy {
    /// Folder or URL of the database to copy [env: HASHRANGE_COPY_FROM]
    #[arg(long, value_name = "PLACE")]
    pub from: Option<StoreUrl>,
    /// Folder or URL to copy it to, where there is no database yet [env: HASHRANGE_COPY_TO]
    #[arg(long, value_name = "PLACE")]
    pub to: Option<StoreUrl>,
    /// Empty a target that an unfinished copy has left, and begin again
    #[arg(long)]
    pub restart: bool,
    /// Let the servers of a database on PostgreSQL go on while it is copied, and then move to the copy
    #[arg(long)]
    pub while_serving: bool,
    /// Let the database of --from be used again although it was moved; it has nothing that was written since
    #[arg(long, conflicts_with_all = ["to", "restart", "while_serving"])]
    pub reopen: bool,
}

#[cfg(test)]
mod printed;
