//! The arguments of commands that look at requests of the past: costs, advice, heat, contracts.

use super::Connection;
use crate::config::Parameter;
use clap::{Args, ValueEnum};
use hashrange::cost::Budget;
use hashrange_lint::Severity;
use std::path::PathBuf;

/// Least severity of findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Least {
    /// Errors only
    Error,
    /// Errors and warnings
    Warning,
    /// All findings
    Suggestion,
    /// None
    Never,
}

impl Least {
    /// Returns whether findings of a severity are meant.
    pub fn includes(self, severity: Severity) -> bool {
        match self {
            Self::Error => severity == Severity::Error,
            Self::Warning => severity <= Severity::Warning,
            Self::Suggestion => true,
            Self::Never => false,
        }
    }
}

/// Arguments of `lint`.
#[derive(Debug, Args)]
#[command(
    after_help = "Reports only faults that the data show, with keys as evidence and a remedy. Ends \
    with 5 if there are warnings, with 7 if there are errors. For example:\n  \
    hashrange lint\n  \
    hashrange lint cities --sample 100000\n  \
    hashrange lint --design model.json"
)]
pub struct Lint {
    /// Tables [default: all]
    #[arg(value_name = "TABLE")]
    pub tables: Vec<String>,
    /// Look at the tables in this file instead, and their sample data: a request of CreateTable, an
    /// answer of DescribeTable, a template of CloudFormation, a model of NoSQL Workbench, blocks of
    /// Terraform (FILE.tf)
    #[arg(long, value_name = "FILE")]
    pub design: Option<PathBuf>,
    /// Value of a parameter of the CloudFormation template of --design, such as Stage=dev; may be given
    /// several times [default: the template's]
    #[arg(long, value_name = "NAME=VALUE", requires = "design")]
    pub parameter: Vec<Parameter>,
    /// Look at the items of this export, a file or the folder that ExportTableToPointInTime has
    /// written, by the design of their table; they are loaded into memory
    #[arg(long, value_name = "PATH", requires = "design")]
    pub export: Option<PathBuf>,
    /// Most items of each table to look at
    #[arg(long, value_name = "COUNT", default_value_t = 10_000)]
    pub sample: u64,
    /// Least severe findings to report
    #[arg(long, value_enum, value_name = "SEVERITY", default_value_t = Least::Suggestion)]
    pub severity: Least,
    /// Least severe findings that end the command with 5, or with 7 if there are errors
    #[arg(long, value_enum, value_name = "SEVERITY", default_value_t = Least::Warning)]
    pub fail_on: Least,
    /// Leave out findings that are in this file, which --write-baseline has written
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,
    /// Write all findings into this file, for --baseline
    #[arg(long, value_name = "FILE")]
    pub write_baseline: Option<PathBuf>,
    /// Leave out what this file in TOML ignores: [[ignore]] with rule, table, index, attribute, and
    /// reason
    #[arg(long, value_name = "FILE")]
    pub ignores: Option<PathBuf>,
    /// Write the findings into this file in SARIF
    #[arg(long, value_name = "FILE")]
    pub sarif: Option<PathBuf>,
    /// Write the findings into this file in the XML of JUnit
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// Look at recorded requests, too: those of this file, which hashrange cost --save has written;
    /// may be given several times [default: the server's record, if it has one]
    #[arg(long, value_name = "FILE", conflicts_with = "design")]
    pub recording: Vec<PathBuf>,
    /// Look at the heat of keys, too: that of this file, which hashrange heat --save has written;
    /// may be given several times [default: the heat that the server has seen]
    #[arg(long, value_name = "FILE", conflicts_with = "design")]
    pub heat: Vec<PathBuf>,
    /// Database to use.
    #[command(flatten)]
    pub connection: Connection,
}

/// Arguments of `cost`.
#[derive(Debug, Args)]
#[command(
    after_help = "A server records with --record, or from hashrange cost --start on. Ends with 6 over \
    the budget. For example:\n  \
    hashrange cost --start\n  \
    hashrange cost\n  \
    hashrange cost --save after.json --against before.json --budget 5%\n  \
    hashrange cost one-server.json other-server.json"
)]
pub struct Cost {
    /// Price the records in these files, which --save has written, together; without one, the
    /// record of the server
    #[arg(value_name = "FILE", conflicts_with_all = ["start", "stop"])]
    pub files: Vec<PathBuf>,
    /// Show the record, then forget it, and record from now on
    #[arg(long, conflicts_with = "stop")]
    pub start: bool,
    /// Stop recording
    #[arg(long)]
    pub stop: bool,
    /// Grouping of the lines
    #[arg(long, value_enum, value_name = "WHAT", default_value_t = CostBy::Pattern)]
    pub by: CostBy,
    /// Write the record to this file, too
    #[arg(long, value_name = "FILE")]
    pub save: Option<PathBuf>,
    /// Show what became dearer or cheaper since this record
    #[arg(long, value_name = "FILE")]
    pub against: Option<PathBuf>,
    /// Fail if it costs more: an amount such as 0.02, or with --against the increase allowed, such
    /// as 5%
    #[arg(long, value_name = "BUDGET")]
    pub budget: Option<Budget>,
    /// Price list [default: that of the region, which is us-east-1 unless --region says otherwise]
    #[arg(long, value_name = "FILE")]
    pub prices: Option<PathBuf>,
    /// Database to use.
    #[command(flatten)]
    pub connection: Connection,
}

/// Arguments of `advise`.
#[derive(Debug, Args)]
#[command(
    after_help = "A server records with --record, or from hashrange cost --start on. For example:\n  \
    hashrange advise\n  \
    hashrange advise -o json\n  \
    hashrange advise one-server.json other-server.json"
)]
pub struct Advise {
    /// Look at the records in these files, which hashrange cost --save has written, together;
    /// without one, at the record of the server
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Advise on this table only
    #[arg(long, value_name = "TABLE")]
    pub table: Option<String>,
    /// Price list [default: that of the region, which is us-east-1 unless --region says otherwise]
    #[arg(long, value_name = "FILE")]
    pub prices: Option<PathBuf>,
    /// Build what is advised on a copy in memory, and measure requests with values of its items
    #[arg(long)]
    pub build: bool,
    /// Most items to copy, in whole partitions
    #[arg(long, value_name = "ITEMS", default_value_t = 100_000, requires = "build")]
    pub items: u64,
    /// Database to use.
    #[command(flatten)]
    pub connection: Connection,
}

/// Arguments of `heat`.
#[derive(Debug, Args)]
#[command(
    after_help = "A server watches all tables with --heat, and those on which Contributor Insights is \
    enabled. For example:\n  \
    hashrange heat\n  \
    hashrange heat orders/by-city --by writes\n  \
    hashrange heat --save one.json --endpoint http://one:8000\n  \
    hashrange heat --with one.json --endpoint http://other:8000"
)]
pub struct Heat {
    /// Table, or an index of one; without it, all tables
    #[arg(value_name = "TABLE[/INDEX]")]
    pub place: Option<String>,
    /// Measure by which keys are ranked
    #[arg(long, value_enum, value_name = "WHAT", default_value_t = HeatBy::Units)]
    pub by: HeatBy,
    /// Newest minutes to show [default: 60]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u64).range(1..=60),
        conflicts_with = "with")]
    pub minutes: Option<u64>,
    /// Keys to show of each kind
    #[arg(long, value_name = "COUNT", default_value_t = 10)]
    pub limit: usize,
    /// Write the heat to this file, too
    #[arg(long, value_name = "FILE")]
    pub save: Option<PathBuf>,
    /// Add the heat in this file, which --save has written of another server; may be repeated
    #[arg(long, value_name = "FILE")]
    pub with: Vec<PathBuf>,
    /// Database to use.
    #[command(flatten)]
    pub connection: Connection,
}

/// Measures by which hot keys are ranked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum HeatBy {
    /// Read and write units together.
    Units,
    /// Read units.
    Reads,
    /// Write units.
    Writes,
    /// Requests.
    Requests,
    /// Bytes of items that were read or written.
    Bytes,
    /// Requests that were throttled.
    Throttles,
}

/// Arguments of `contract`.
#[derive(Debug, Args)]
#[command(
    after_help = "A server records with --record, or from hashrange cost --start on. Ends with 5 if there \
    was a request that the contract does not know, or a pattern over its units. For example:\n  \
    hashrange contract design.json --learn\n  \
    hashrange contract design.json\n  \
    hashrange contract design.json --verify\n  \
    hashrange contract"
)]
pub struct Contract {
    /// File with the patterns; without one, the contract that the server was started with
    #[arg(value_name = "CONTRACT", required_if_eq_any = [("learn", "true"), ("verify", "true")])]
    pub design: Option<PathBuf>,
    /// Hold the records in these files, which hashrange cost --save has written, against the
    /// contract; without one, the record of the server
    #[arg(value_name = "RECORD")]
    pub recordings: Vec<PathBuf>,
    /// Add the recorded requests to the contract, whose file need not exist yet
    #[arg(long)]
    pub learn: bool,
    /// Run the examples of the patterns that read, rehearse those that write, and hold the units
    /// they use against the patterns
    #[arg(long, conflicts_with_all = ["learn", "recordings"])]
    pub verify: bool,
    /// Database to use.
    #[command(flatten)]
    pub connection: Connection,
}

/// Groupings of the lines of costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CostBy {
    /// An operation on a table or index, with its conditions and without their values.
    Pattern,
    /// An operation.
    Operation,
    /// A table or an index.
    Table,
    /// An access key id.
    Caller,
}
