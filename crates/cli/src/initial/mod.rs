//! Tables and items that a server begins with: tables of `--init`, items of `--load`.
//!
//! | file | idea |
//! |---|---|
//! | `source.rs` | a file's text as JSON values, whether it is JSON or YAML |
//! | `yaml.rs` | YAML into JSON values, CloudFormation's short tags into their long form |
//! | `definition.rs` | one table to begin with |
//! | `definitions.rs` | table definitions in every form that is read |
//! | `template.rs`, `intrinsics.rs` | CloudFormation: the tables of a template, and its functions |
//! | `described.rs` | requests of CreateTable from answers of DescribeTable |
//! | `workbench.rs` | models of NoSQL Workbench |
//! | `terraform.rs` | blocks of Terraform |
//! | `not_taken.rs` | members of files that make no difference, and why |
//! | `tables.rs` | creates tables, or compares those that are there |
//! | `items.rs`, `load.rs` | items from files, and into tables |
//!
//! The server reads all files before it opens the database, but for the items: so a mistake in one
//! leaves everything as it was.

mod definition;
pub mod definitions;
mod described;
mod intrinsics;
mod items;
mod load;
mod not_taken;
mod source;
mod tables;
mod template;
mod terraform;
mod workbench;
mod yaml;

use anyhow::Context;
pub use definition::Definition;
use definitions::Contents;
pub use described::definition as of_description;
use hashrange::Database;
use items::ItemFile;
pub use not_taken::lines as not_taken_lines;
use std::collections::BTreeMap;
use std::path::PathBuf;

pub use definitions::Given;

/// Tables and items that a database begins with.
#[derive(Debug)]
pub struct Initial {
    definitions: Vec<Definition>,
    /// Members of the files that have no meaning here, in lines; each with true if the user should
    /// look at it.
    not_taken: Vec<(String, bool)>,
    files: Vec<ItemFile>,
}

impl Initial {
    /// Reads the definitions, and finds the files with items.
    pub fn read(init: &[PathBuf], load: &[PathBuf], given: Given<'_>) -> anyhow::Result<Self> {
        let mut definitions: Vec<Definition> = Vec::new();
        let mut not_taken = Vec::new();
        let mut sources: BTreeMap<String, String> = BTreeMap::new();
        for contents in definitions::read(init, given)? {
            not_taken.extend(lines_of(&contents));
            for definition in contents.definitions {
                let Definition { name, source, .. } = &definition;
                if let Some(known) = sources.insert(name.clone(), source.clone()) {
                    anyhow::bail!("{source}: the table {name} is also in {known}");
                }
                definitions.push(definition);
            }
        }
        let mut files = Vec::new();
        for path in load {
            files.extend(items::find(path).with_context(|| path.display().to_string())?);
        }
        Ok(Self { definitions, not_taken, files })
    }

    /// Returns whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.definitions.is_empty() && self.files.is_empty()
    }

    /// Creates the tables that are not there and loads items into those that are empty.
    pub async fn bring(&self, database: &Database) -> anyhow::Result<()> {
        for (line, is_important) in &self.not_taken {
            if *is_important {
                tracing::warn!("not taken from {line}");
            } else {
                tracing::info!("not taken from {line}");
            }
        }
        tables::bring(&self.definitions, database).await?;
        for definition in self.definitions.iter().filter(|one| !one.items.is_empty()) {
            load::sample(definition, database).await?;
        }
        for file in &self.files {
            load::file(file, database).await?;
        }
        Ok(())
    }
}

/// Returns lines that name the members of a file that have no meaning here.
pub fn lines_of(contents: &Contents) -> Vec<(String, bool)> {
    let Contents { source, definitions, not_taken, .. } = contents;
    let of_file = not_taken::lines(not_taken);
    let mut lines: Vec<_> =
        of_file.into_iter().map(|(line, is)| (format!("{source}: {line}"), is)).collect();
    for Definition { name, not_taken, .. } in definitions {
        let of_table = not_taken::lines(not_taken).into_iter();
        lines.extend(of_table.map(|(line, is)| (format!("{source}, table {name}: {line}"), is)));
    }
    lines
}
