//! The arguments of `history`.

use super::Connection;
use clap::{Args, Subcommand};

/// Arguments of `history`.
#[derive(Debug, Args)]
pub struct History {
    /// Subcommand.
    #[command(subcommand)]
    pub command: HistoryCommand,
}

/// Subcommands of `history`.
#[derive(Debug, Subcommand)]
pub enum HistoryCommand {
    /// Keep the history of a table from now on, or change how long versions are kept
    Enable(HistoryEnable),
    /// Stop keeping the history of a table, and remove it
    Disable(HistoryOfTable),
    /// Show whether a history is kept, how far back it reaches, and the changes that are dated
    /// ahead of the clock
    Show(HistoryOfTable),
    /// Show the changes since a moment
    Diff(HistoryDiff),
    /// Put items back to their state at a moment
    Restore(HistoryRestore),
    /// Keep versions as items of the same collection: numbered copies beside the newest state
    Versions(HistoryVersions),
}

impl HistoryCommand {
    /// Returns the database to use.
    pub fn connection(&self) -> &Connection {
        match self {
            Self::Enable(it) => &it.connection,
            Self::Disable(it) | Self::Show(it) => &it.connection,
            Self::Diff(it) => &it.connection,
            Self::Restore(it) => &it.connection,
            Self::Versions(it) => &it.connection,
        }
    }

    /// Returns the table.
    pub fn table(&self) -> &str {
        match self {
            Self::Enable(it) => &it.table,
            Self::Disable(it) | Self::Show(it) => &it.table,
            Self::Diff(it) => &it.items.table,
            Self::Restore(it) => &it.items.table,
            Self::Versions(it) => &it.table,
        }
    }
}

/// Arguments of `history enable`.
#[derive(Debug, Args)]
#[command(
    after_help = "A table is read as it was under a name with a moment, in UTC. For example:\n  \
    hashrange history enable orders --hours 168\n  \
    hashrange query orders.asof.20261121T100000Z \"customer = 'anna'\""
)]
pub struct HistoryEnable {
    /// Table
    pub table: String,
    /// Hours for which a version is kept after it was replaced [default: for ever]
    #[arg(long, value_name = "HOURS")]
    pub hours: Option<u32>,
    /// Database to use.
    #[command(flatten)]
    pub connection: Connection,
}

/// Arguments of `history versions`.
#[derive(Debug, Args)]
#[command(
    after_help = "A program writes an item under its pointer; the same commit keeps the numbered copy.\n\
    For example:\n  \
    hashrange history versions equipment 'v{n:pad:3}_{name}' --pointer 'v0_{name}'\n  \
    hashrange history versions documents 'v{n:pad:5}' --pointer latest --keep 20\n  \
    hashrange history versions equipment --off"
)]
pub struct HistoryVersions {
    /// Table
    pub table: String,
    /// Sort key of a version: {n:pad:WIDTH} is its number, {name} what its item is called; without
    /// it, show how versions are kept
    #[arg(value_name = "FORM", requires = "pointer")]
    pub version: Option<String>,
    /// Sort key of the newest state, which programs write
    #[arg(long, value_name = "FORM", requires = "version")]
    pub pointer: Option<String>,
    /// Attribute of the newest state with the number of the latest version
    /// [default: LatestVersion]
    #[arg(long, value_name = "ATTRIBUTE", requires = "version")]
    pub number: Option<String>,
    /// Number of versions to keep [default: all]
    #[arg(long, value_name = "VERSIONS", requires = "version")]
    pub keep: Option<u32>,
    /// Days after which a version expires by the table's time to live [default: never]
    #[arg(long, value_name = "DAYS", requires = "version")]
    pub keep_days: Option<u32>,
    /// Keep no more versions; those that are there stay
    #[arg(long, conflicts_with = "version")]
    pub off: bool,
    /// Database to use.
    #[command(flatten)]
    pub connection: Connection,
}

/// Some items of a table, and a moment.
#[derive(Debug, Args)]
pub struct HistoryItems {
    /// Table
    pub table: String,
    /// Moment: 20261121T100000Z, 2026-11-21T10:00:00Z, seconds since 1970, 10m, 2h or 7d for so long ago,
    /// or start for as far back as the history reaches
    pub moment: String,
    /// Only items with this partition key; or a whole key or a partition key as a literal
    #[arg(value_name = "KEY", allow_negative_numbers = true)]
    pub partition_key: Option<String>,
    /// Only the item with this sort key
    #[arg(allow_negative_numbers = true)]
    pub sort_key: Option<String>,
    /// Only items whose sort key begins with this text
    #[arg(long, value_name = "TEXT", conflicts_with = "sort_key")]
    pub prefix: Option<String>,
}

/// Arguments of `history diff`.
#[derive(Debug, Args)]
#[command(after_help = "For example:\n  \
    hashrange history diff orders 20261121T100000Z\n  \
    hashrange history diff orders 20261121T100000Z CUSTOMER#anna --prefix ORDER#2026")]
pub struct HistoryDiff {
    /// Items, and the moment since which they changed.
    #[command(flatten)]
    pub items: HistoryItems,
    /// Moment up to which changes are shown [default: now]
    #[arg(long, value_name = "MOMENT")]
    pub to: Option<String>,
    /// Database to use.
    #[command(flatten)]
    pub connection: Connection,
}

/// Arguments of `history restore`.
#[derive(Debug, Args)]
#[command(
    after_help = "Items are put back by ordinary writes, which the history keeps: they can be put back \
    again. For example:\n  \
    hashrange history restore orders 20261121T100000Z CUSTOMER#anna ORDER#20261120-1\n  \
    hashrange history restore orders 20261121T100000Z --all --dry-run"
)]
pub struct HistoryRestore {
    /// Items, and the moment to which they go back.
    #[command(flatten)]
    pub items: HistoryItems,
    /// Put back every item of the table that has changed
    #[arg(long, conflicts_with = "partition_key")]
    pub all: bool,
    /// Show what would be written, and write nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Database to use.
    #[command(flatten)]
    pub connection: Connection,
}

/// Arguments of `history disable` and `history show`.
#[derive(Debug, Args)]
pub struct HistoryOfTable {
    /// Table
    pub table: String,
    /// Database to use.
    #[command(flatten)]
    pub connection: Connection,
}
