//! The arguments of commands that bring items in and out.

use super::Connection;
use crate::format::Form;
use crate::format::csv::Delimiter;
use clap::Args;
use std::path::PathBuf;

/// Arguments of `put`.
#[derive(Debug, Args)]
pub struct Put {
    /// Table
    pub table: String,
    /// Item, such as '{"pk": "a", "n": 1}', or in DynamoDB's JSON; without one, items from standard
    /// input as `import` reads them
    #[arg(conflicts_with_all = ["from_line", "skip_bad", "in_flight"])]
    pub item: Option<String>,
    /// Put only if this condition holds for the stored item; items are then put one by one
    #[arg(
        long = "if",
        value_name = "CONDITION",
        conflicts_with_all = ["skip_bad", "in_flight"]
    )]
    pub condition: Option<String>,
    /// Settings of the batches.
    #[command(flatten)]
    pub bulk: Bulk,
    /// Database to use.
    #[command(flatten)]
    pub connection: Connection,
}

/// Arguments that `put` and `import` share.
#[derive(Debug, Args)]
pub struct Bulk {
    /// Line to begin with, as an interrupted command named it
    #[arg(long, value_name = "LINE", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    pub from_line: u64,
    /// Report items that are malformed or refused, and go on
    #[arg(long)]
    pub skip_bad: bool,
    /// Batches of 25 items to send at a time
    #[arg(long, value_name = "COUNT", default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=64))]
    pub in_flight: u16,
}

/// Arguments of `import`.
#[derive(Debug, Args)]
#[command(after_help = "Forms:
  item  {\"pk\":\"a\",\"n\":1.50,\"data\":b\"AQI=\",\"tags\":<<\"x\",\"y\">>}, an item per line; loses nothing
  ddb   {\"Item\":{\"pk\":{\"S\":\"a\"}}}, an item per line, also without Item; loses nothing
  json  {\"pk\":\"a\",\"n\":1.50}, an item per line; has neither sets nor binary
  csv   a header such as pk:S,n:N,tags:SS, then a row per item; an empty cell is no attribute
Items stand in lines, in a list, side by side over several lines, in what Scan and Query answer, or in
what BatchWriteItem takes; in gzip or not. Without --format each item tells its form by the table's key;
a file that ends in .csv is CSV.

Examples:
  hashrange import orders orders.jsonl
  aws dynamodb scan --table-name orders | hashrange import orders
  hashrange import orders AWSDynamoDB/01700000000000/data/*.json.gz
  hashrange import orders orders.csv --schema total:N,tags:SS
  hashrange import orders sheet.csv --delimiter ';' --header pk,sk,total:N
  hashrange export orders | hashrange import copies")]
pub struct Import {
    /// Table
    pub table: String,
    /// Files; without one, or for -, standard input
    pub files: Vec<PathBuf>,
    /// Form of the items [default: csv for names in .csv, else each item's own form, told by its
    /// key]
    #[arg(long, value_name = "FORM")]
    pub format: Option<Form>,
    /// Types of columns whose header names none, such as total:N,tags:SS [default: S; keys as the
    /// table has them]
    #[arg(long, value_name = "TYPES")]
    pub schema: Option<String>,
    /// Columns of CSV that has no header, such as pk,total:N; the first line is then an item
    #[arg(long, value_name = "NAMES")]
    pub header: Option<String>,
    /// Delimiter of the cells of CSV: , ; | : tab or space [default: ,]
    #[arg(long, value_name = "DELIMITER")]
    pub delimiter: Option<Delimiter>,
    /// Settings of the batches.
    #[command(flatten)]
    pub bulk: Bulk,
    /// Database to use.
    #[command(flatten)]
    pub connection: Connection,
}

/// Arguments of `export`.
#[derive(Debug, Args)]
#[command(after_help = "The file gets its name when all items are in it. A name in .gz is packed.
The table may be written to meanwhile: each item is as it was at some time during the export.

Examples:
  hashrange export orders orders.jsonl
  hashrange export orders orders.csv
  hashrange export orders --format ddb | gzip > orders.json.gz")]
pub struct Export {
    /// Table
    pub table: String,
    /// File to write; without one, or for -, standard output
    pub file: Option<PathBuf>,
    /// Form of the items [default: csv for names in .csv, else item]
    #[arg(long, value_name = "FORM")]
    pub format: Option<Form>,
    /// Segments of the table to read at the same time
    #[arg(long, value_name = "COUNT", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=256))]
    pub segments: u32,
    /// Use strongly consistent reads
    #[arg(long)]
    pub consistent: bool,
    /// Database to use.
    #[command(flatten)]
    pub connection: Connection,
}
