//! What a server begins with: tables of `--init`, items of `--load`.
//!
//! | file | idea |
//! |---|---|
//! | `source.rs` | a file's text as JSON values, whether it is JSON or YAML |
//! | `yaml.rs` | YAML into JSON values, CloudFormation's short tags into their long form |
//! | `definitions.rs` | table definitions in every form that is read |
//! | `template.rs`, `intrinsics.rs` | CloudFormation: the tables of a template, and its functions |
//! | `described.rs` | from what DescribeTable answers to what CreateTable takes |
//! | `workbench.rs` | models of NoSQL Workbench |
//! | `tables.rs` | creates tables, or compares those that are there |
//! | `items.rs`, `load.rs` | items from files, and into tables |
//!
//! All files are read before the database is opened, but for the items: so a mistake in one leaves
//! everything as it was.

pub mod definitions;
mod described;
mod intrinsics;
mod items;
mod load;
mod source;
mod tables;
mod template;
mod workbench;
mod yaml;

use anyhow::Context;
use definitions::Definition;
use hashrange::Database;
use items::ItemFile;
use std::path::PathBuf;

/// What a database begins with.
#[derive(Debug)]
pub struct Initial {
    definitions: Vec<Definition>,
    files: Vec<ItemFile>,
}

impl Initial {
    /// Reads the definitions, and finds the files with items.
    pub fn read(init: &[PathBuf], load: &[PathBuf], region: &str) -> anyhow::Result<Self> {
        let mut definitions: Vec<Definition> = Vec::new();
        for path in init {
            for definition in definitions::read(path, region)? {
                let known = definitions.iter().find(|known| known.name == definition.name);
                if let Some(known) = known {
                    anyhow::bail!(
                        "{}: the table {} is also in {}",
                        definition.source,
                        definition.name,
                        known.source
                    );
                }
                definitions.push(definition);
            }
        }
        let mut files = Vec::new();
        for path in load {
            files.extend(items::find(path).with_context(|| path.display().to_string())?);
        }
        Ok(Self { definitions, files })
    }

    /// Returns whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.definitions.is_empty() && self.files.is_empty()
    }

    /// Creates the tables that are not there and loads items into those that are empty.
    pub async fn bring(&self, database: &Database) -> anyhow::Result<()> {
        for definition in &self.definitions {
            for what in &definition.not_taken {
                tracing::warn!(
                    table = definition.name,
                    "not taken from {}: {what}",
                    definition.source
                );
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
