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
    Drop(TemplateOf),
    /// Undo a template: items get the values of before back, where they still have those of the rewriting
    Undo(TemplateOf),
    /// Forget the values of before a template, which undo needs
    Keep(TemplateOf),
    /// Show the parts of a key by name
    Parse(TemplateParse),
}

impl TemplateCommand {
    /// Returns the database to use.
    pub fn connection(&self) -> &Connection {
        match self {
            Self::Set(arguments) => &arguments.connection,
            Self::Show(arguments) => &arguments.connection,
            Self::Drop(arguments) | Self::Undo(arguments) | Self::Keep(arguments) => {
                &arguments.connection
            }
            Self::Parse(arguments) => &arguments.connection,
        }
    }
}

/// Arguments of `template set`.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag")]
pub struct TemplateSet {
    /// Name of the table
    pub table: String,
    /// The template, such as 'GSI1SK = "{status}#{createdAt:iso}" when status in [OPEN, PLACED]'
    pub template: String,
    /// Refuse writes that differ, instead of setting the attribute
    #[arg(long)]
    pub check: bool,
    /// Show what the template would do, and change nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Refuse a template that looks mistaken
    #[arg(long)]
    pub strict: bool,
    /// Do not ask for confirmation
    #[arg(long, short)]
    pub yes: bool,
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

/// Arguments of `template drop`, `undo` and `keep`.
#[derive(Debug, Args)]
pub struct TemplateOf {
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
