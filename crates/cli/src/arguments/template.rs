//! The arguments of `template`.

use super::Connection;
use clap::{Args, Subcommand};

/// Arguments of `template`.
#[derive(Debug, Args)]
pub struct Template {
    /// Subcommand.
    #[command(subcommand)]
    pub command: TemplateCommand,
}

/// Subcommands of `template`.
#[derive(Debug, Subcommand)]
pub enum TemplateCommand {
    /// Declare a template, or change it: existing items are rewritten
    Set(TemplateSet),
    /// Show the templates of a table
    Show(TemplateShow),
    /// Drop a template; items keep their keys
    Drop(TemplateDrop),
    /// Show the parts of a key by name
    Parse(TemplateParse),
}

impl TemplateCommand {
    /// Returns the database to use.
    pub fn connection(&self) -> &Connection {
        match self {
            Self::Set(arguments) => &arguments.connection,
            Self::Show(arguments) => &arguments.connection,
            Self::Drop(arguments) => &arguments.connection,
            Self::Parse(arguments) => &arguments.connection,
        }
    }
}

/// Arguments of `template set`.
#[derive(Debug, Args)]
pub struct TemplateSet {
    /// Name of the table
    pub table: String,
    /// The template, such as 'GSI1SK = "{status}#{createdAt:iso}" when status in [OPEN, PLACED]'
    pub template: String,
    /// Refuse writes that differ, instead of setting the attribute
    #[arg(long)]
    pub check: bool,
    /// Remove the attribute, also a value that a client wrote, where nothing is derived
    #[arg(long, conflicts_with = "check")]
    pub remove_others: bool,
    /// Database to use.
    #[command(flatten)]
    pub connection: Connection,
}

/// Arguments of `template show`.
#[derive(Debug, Args)]
pub struct TemplateShow {
    /// Name of the table
    pub table: String,
    /// Database to use.
    #[command(flatten)]
    pub connection: Connection,
}

/// Arguments of `template drop`.
#[derive(Debug, Args)]
pub struct TemplateDrop {
    /// Name of the table
    pub table: String,
    /// The attribute that the template derives
    pub attribute: String,
    /// Database to use.
    #[command(flatten)]
    pub connection: Connection,
}

/// Arguments of `template parse`.
#[derive(Debug, Args)]
pub struct TemplateParse {
    /// Name of the table
    pub table: String,
    /// Key to parse
    pub key: String,
    /// Parse by the template of this attribute only
    #[arg(long)]
    pub attribute: Option<String>,
    /// Database to use.
    #[command(flatten)]
    pub connection: Connection,
}
