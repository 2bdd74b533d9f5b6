//! The arguments of commands that create, change and drop tables.

use super::Connection;
use clap::{Args, ValueEnum};

const INDEX_HELP: &str = "An index is NAME=KEYS, then /PROJECTION and /throughput=READ:WRITE if wanted:
  by-state=country:S,state:S             partition key country, sort key state
  by-state=country:S,state:S/keys-only   with the keys only
  by-state=country:S,state:S/include=total,date
  by-place=country:S+state:S,city:S      several attributes in a part of the key (global only)
  by-date=date:S                         a local index: its sort key; the partition key is the table's
S is text, N a number, B binary. A type that is given elsewhere can be left out. A name with one of
:+,/= inside stands in double quotes.";

/// Images of an item that its stream shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum StreamImage {
    /// The item before and after
    NewAndOld,
    /// The item after
    New,
    /// The item before
    Old,
    /// Its key only
    Keys,
}

/// Classes of tables: prices of storage against prices of requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TableClass {
    /// For tables whose requests cost more than their storage
    Standard,
    /// For tables whose storage costs more than their requests
    InfrequentAccess,
}

/// Arguments of `create`.
#[derive(Debug, Args)]
#[command(after_help = format!("{INDEX_HELP}

Examples:
  hashrange create orders pk:S sk:S
  hashrange create orders pk:S sk:S --gsi by-state=country:S,state:S --lsi by-date=date:S \\
      --ttl expires --stream new-and-old --tag team=shop
  hashrange create counters id:S --throughput 10:5 --protect"))]
pub struct Create {
    /// Table
    pub table: String,
    /// Partition key and its type, such as pk:S, pk:N or pk:B
    #[arg(value_name = "KEY")]
    pub partition_key: String,
    /// Sort key and its type, if the table has one
    pub sort_key: Option<String>,
    /// Global secondary index, such as by-state=country:S,state:S
    #[arg(long, value_name = "INDEX")]
    pub gsi: Vec<String>,
    /// Local secondary index, such as by-date=date:S
    #[arg(long, value_name = "INDEX")]
    pub lsi: Vec<String>,
    /// Attribute with the second since 1970 at which an item expires
    #[arg(long, value_name = "ATTRIBUTE")]
    pub ttl: Option<String>,
    /// Record changes in a stream
    #[arg(long, value_name = "IMAGES")]
    pub stream: Option<StreamImage>,
    /// Provisioned read and write units a second, such as 10:5 [default: on demand]
    #[arg(long, value_name = "READ:WRITE", conflicts_with = "max_throughput")]
    pub throughput: Option<String>,
    /// Most read and write units a second on demand
    #[arg(long, value_name = "READ:WRITE")]
    pub max_throughput: Option<String>,
    /// Tag, such as team=shop
    #[arg(long, value_name = "KEY=VALUE")]
    pub tag: Vec<String>,
    /// Refuse to drop the table while it is protected
    #[arg(long)]
    pub protect: bool,
    /// Table class
    #[arg(long)]
    pub class: Option<TableClass>,
    /// Do nothing if there is a table of this name
    #[arg(long)]
    pub if_not_exists: bool,
    /// Do not wait until the table is active
    #[arg(long, conflicts_with = "ttl")]
    pub no_wait: bool,
    /// Database to use.
    #[command(flatten)]
    pub connection: Connection,
}

/// Arguments of `alter`.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
#[command(after_help = format!("The changes are made one after the other, in the order of this help.

{INDEX_HELP}

Examples:
  hashrange alter orders --add-gsi by-state=country:S,state:S --ttl expires
  hashrange alter orders --throughput 10:5 --index-throughput by-state=5:5
  hashrange alter orders --no-protect --untag team"))]
pub struct Alter {
    /// Table
    pub table: String,
    /// Refuse to drop the table while it is protected
    #[arg(long)]
    pub protect: bool,
    /// Let the table be dropped
    #[arg(long, conflicts_with = "protect")]
    pub no_protect: bool,
    /// Tag to set, such as team=shop
    #[arg(long, value_name = "KEY=VALUE")]
    pub tag: Vec<String>,
    /// Tag to remove
    #[arg(long, value_name = "KEY")]
    pub untag: Vec<String>,
    /// Pay for each request instead of provisioned units
    #[arg(long)]
    pub on_demand: bool,
    /// Most read and write units a second on demand
    #[arg(long, value_name = "READ:WRITE", conflicts_with = "throughput")]
    pub max_throughput: Option<String>,
    /// Provisioned read and write units a second, such as 10:5; indexes without units get the same
    #[arg(long, value_name = "READ:WRITE", conflicts_with = "on_demand")]
    pub throughput: Option<String>,
    /// Provisioned units of an index, such as by-state=10:5
    #[arg(long, value_name = "NAME=READ:WRITE", conflicts_with = "on_demand")]
    pub index_throughput: Vec<String>,
    /// Table class
    #[arg(long)]
    pub class: Option<TableClass>,
    /// End the stream
    #[arg(long)]
    pub no_stream: bool,
    /// Record changes in a stream
    #[arg(long, value_name = "IMAGES")]
    pub stream: Option<StreamImage>,
    /// Global secondary index to drop
    #[arg(long, value_name = "NAME")]
    pub drop_gsi: Vec<String>,
    /// Global secondary index to add, such as by-state=country:S,state:S
    #[arg(long, value_name = "INDEX")]
    pub add_gsi: Vec<String>,
    /// Keep items that have expired
    #[arg(long)]
    pub no_ttl: bool,
    /// Attribute with the second since 1970 at which an item expires
    #[arg(long, value_name = "ATTRIBUTE", conflicts_with = "no_ttl")]
    pub ttl: Option<String>,
    /// Do not wait until the last change is done
    #[arg(long)]
    pub no_wait: bool,
    /// Database to use.
    #[command(flatten)]
    pub connection: Connection,
}

/// Arguments of `drop`.
#[derive(Debug, Args)]
pub struct Drop {
    /// Table
    pub table: String,
    /// Do not ask for confirmation
    #[arg(long, short)]
    pub yes: bool,
    /// Do nothing if there is no such table
    #[arg(long)]
    pub if_exists: bool,
    /// Do not wait until the table is gone
    #[arg(long)]
    pub no_wait: bool,
    /// Database to use.
    #[command(flatten)]
    pub connection: Connection,
}
