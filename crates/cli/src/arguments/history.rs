//! The arguments of `history`.

use super::Connection;
use clap::{Args, Subcommand};

/// Arguments of `history`.
#[derive(Debug, Args)]
pub struct History {
    /// What to do.
    #[command(subcommand)]
    pub command: HistoryCommand,
}

/// What `history` does.
#[derive(Debug, Subcommand)]
pub enum HistoryCommand {
    /// Keep the history of a table from now on, or change how long versions are kept
    Enable(HistoryEnable),
    /// Keep no history any more, and remove what there is of it
    Disable(HistoryOfTable),
    /// Show whether a history is kept, how far back it reaches, and what is dated ahead of the clock
    Show(HistoryOfTable),
    /// Show what has changed since a moment
    Diff(HistoryDiff),
    /// Put items back to what they were at a moment
    Restore(HistoryRestore),
}

impl HistoryCommand {
    /// Returns which database is meant.
    pub fn connection(&self) -> &Connection {
        match self {
            Self::Enable(it) => &it.connection,
            Self::Disable(it) | Self::Show(it) => &it.connection,
            Self::Diff(it) => &it.connection,
            Self::Restore(it) => &it.connection,
        }
    }

    /// Returns the table.
    pub fn table(&self) -> &str {
        match self {
            Self::Enable(it) => &it.table,
            Self::Disable(it) | Self::Show(it) => &it.table,
            Self::Diff(it) => &it.items.table,
            Self::Restore(it) => &it.items.table,
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
    /// Keep a version for so many hours after it was replaced [default: for ever]
    #[arg(long, value_name = "HOURS")]
    pub hours: Option<u32>,
    /// Which database.
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
    /// Only items with this partition key; or a whole or partition key as a literal
    #[arg(value_name = "KEY", allow_negative_numbers = true)]
    pub partition_key: Option<String>,
    /// Only the item with this sort key
    #[arg(allow_negative_numbers = true)]
    pub sort_key: Option<String>,
    /// Only items whose sort key begins so
    #[arg(long, value_name = "TEXT", conflicts_with = "sort_key")]
    pub prefix: Option<String>,
}

/// Arguments of `history diff`.
#[derive(Debug, Args)]
#[command(after_help = "For example:\n  \
    hashrange history diff orders 20261121T100000Z\n  \
    hashrange history diff orders 20261121T100000Z CUSTOMER#anna --prefix ORDER#2026")]
pub struct HistoryDiff {
    /// Which items, since when.
    #[command(flatten)]
    pub items: HistoryItems,
    /// Up to this moment [default: now]
    #[arg(long, value_name = "MOMENT")]
    pub to: Option<String>,
    /// Which database.
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
    /// Which items, and when.
    #[command(flatten)]
    pub items: HistoryItems,
    /// Put back every item of the table that has changed
    #[arg(long, conflicts_with = "partition_key")]
    pub all: bool,
    /// Only show what would be written
    #[arg(long)]
    pub dry_run: bool,
    /// Which database.
    #[command(flatten)]
    pub connection: Connection,
}

/// Arguments of `history disable` and `history show`.
#[derive(Debug, Args)]
pub struct HistoryOfTable {
    /// Table
    pub table: String,
    /// Which database.
    #[command(flatten)]
    pub connection: Connection,
}
