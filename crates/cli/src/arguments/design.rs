//! The arguments of commands that show a design as a whole: entities, coverage, designs in files, studies of exports.

use super::Connection;
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Arguments of `entities`.
#[derive(Debug, Args)]
#[command(
    after_help = "Tells the kinds of items by an attribute that names them, or by the beginnings of their keys, and \
    for each the key templates that derive its keys. For example:\n  \
    hashrange entities orders\n  \
    hashrange entities orders --sample 5000 -o json"
)]
pub struct Entities {
    /// Name of the table
    pub table: String,
    /// Most items to look at
    #[arg(long, value_name = "COUNT", default_value_t = 2000, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    pub sample: u64,
    /// Database to use.
    #[command(flatten)]
    pub connection: Connection,
}

/// Arguments of `coverage`.
#[derive(Debug, Args)]
#[command(
    after_help = "A designer's table has the columns Access pattern, Table, Index, Operation, Key condition and \
    Filter, or some of them. For example:\n  \
    hashrange coverage --patterns patterns.csv\n  \
    hashrange coverage model.json --patterns DESIGN.md\n  \
    hashrange coverage --contract design.json\n  \
    hashrange coverage --recording recording.json"
)]
pub struct Coverage {
    /// Files with the tables, in any form that serve --init reads [default: the tables of the recording, or of the
    /// database]
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Access patterns of this contract [default: those that the server has recorded]
    #[arg(long, value_name = "FILE", conflicts_with_all = ["recording", "patterns"])]
    pub contract: Option<PathBuf>,
    /// Access patterns of the records in this file, which hashrange cost --save has written; may be given several times
    #[arg(long, value_name = "FILE", conflicts_with = "patterns")]
    pub recording: Vec<PathBuf>,
    /// Access patterns of this table in CSV or in Markdown
    #[arg(long, value_name = "FILE")]
    pub patterns: Option<PathBuf>,
    /// Write the access patterns into this file as a contract, too
    #[arg(long, value_name = "FILE")]
    pub save_contract: Option<PathBuf>,
    /// Database to use.
    #[command(flatten)]
    pub connection: Connection,
}

/// Arguments of `design`.
#[derive(Debug, Args)]
pub struct Design {
    /// Subcommand.
    #[command(subcommand)]
    pub command: DesignCommand,
}

/// Subcommands of `design`.
#[derive(Debug, Subcommand)]
pub enum DesignCommand {
    /// Compare two designs in files, and print what differs as Markdown
    Diff(DesignDiff),
    /// Write tables as a model of NoSQL Workbench, a template of CloudFormation or blocks of Terraform
    Write(DesignWrite),
}

/// Arguments of `design diff`.
#[derive(Debug, Args)]
#[command(
    after_help = "For example:\n  hashrange design diff main.tf branch.tf\n  hashrange design diff old.json new.yaml -o json"
)]
pub struct DesignDiff {
    /// File with the old design
    pub before: PathBuf,
    /// File with the new design
    pub after: PathBuf,
    /// Database to use.
    #[command(flatten)]
    pub connection: Connection,
}

/// Arguments of `design write`.
#[derive(Debug, Args)]
#[command(
    after_help = "Prints the design; what the form cannot say is told on standard error. For example:\n  \
    hashrange design write --as workbench --items 100 orders > model.json\n  \
    hashrange design write --as terraform --from template.yaml"
)]
pub struct DesignWrite {
    /// Names of tables [default: all]
    #[arg(value_name = "TABLE")]
    pub tables: Vec<String>,
    /// Form of the design
    #[arg(long = "as", value_enum, value_name = "FORM")]
    pub form: DesignForm,
    /// Write so many items of each table, too, in facets by their kind; a model of NoSQL Workbench only
    #[arg(long, value_name = "COUNT", default_value_t = 0, value_parser = clap::value_parser!(u64).range(0..=10_000))]
    pub items: u64,
    /// Write the tables in this file instead, in any form that serve --init reads
    #[arg(long, value_name = "FILE")]
    pub from: Option<PathBuf>,
    /// Database to use.
    #[command(flatten)]
    pub connection: Connection,
}

/// Forms of designs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DesignForm {
    /// Model of NoSQL Workbench.
    Workbench,
    /// Template of CloudFormation in YAML.
    Cloudformation,
    /// Template of CloudFormation in JSON.
    CloudformationJson,
    /// Blocks of Terraform.
    Terraform,
}

/// Arguments of `study`.
#[derive(Debug, Args)]
#[command(
    after_help = "Loads the items into memory, infers their entities, lints, prices and draws them, and writes one page \
    that needs nothing beside it. An export does not say the key of its table: --design or --key does, or a file with \
    the design in the folder. For example:\n  \
    hashrange study AWSDynamoDB --key pk:S,sk:S\n  \
    hashrange study export --design template.yaml --patterns patterns.md --out study.html"
)]
pub struct Study {
    /// Folder of an export as ExportTableToPointInTime has written it, or of files of items, which may be compressed
    pub folder: PathBuf,
    /// File with the design of the table, in any form that serve --init reads
    #[arg(long, value_name = "FILE", conflicts_with = "key")]
    pub design: Option<PathBuf>,
    /// Key of the table, such as pk:S,sk:S
    #[arg(long, value_name = "KEY")]
    pub key: Option<String>,
    /// Name of the table, if the file with the design has several [default: that of the export]
    #[arg(long, value_name = "TABLE")]
    pub table: Option<String>,
    /// Access patterns in CSV or in Markdown
    #[arg(long, value_name = "FILE")]
    pub patterns: Option<PathBuf>,
    /// Page to write [default: study.html]
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Most items to look at, of those that are loaded
    #[arg(long, value_name = "COUNT", default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    pub sample: u64,
    /// Settings of the output.
    #[command(flatten)]
    pub connection: Connection,
}
