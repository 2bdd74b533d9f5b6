//! Designs in the forms of other tools.
//!
//! | file | form |
//! |---|---|
//! | `workbench.rs` | models of NoSQL Workbench, written |
//! | `cloudformation.rs`, `yaml.rs` | templates of CloudFormation in JSON and YAML, written |
//! | `terraform/` | blocks `aws_dynamodb_table` of Terraform, written and read |
//!
//! A writer tells what its form cannot say. Left to others: reading models and templates (the crate `cli`).

mod cloudformation;
mod terraform;
mod workbench;
mod yaml;

pub use cloudformation::{json as cloudformation_json, yaml as cloudformation_yaml};
pub use terraform::{
    Contents as TerraformContents, TEXT_MAX_BYTES as TERRAFORM_MAX_BYTES, Table as TerraformTable,
    TerraformFault, read as read_terraform, write as terraform,
};
pub use workbench::write as workbench;

use crate::plan::TablePlan;
use serde_json::Value;

/// A design as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// The text, with a line break at its end.
    pub text: String,
    /// What the form cannot say, in sentences.
    pub lost: Vec<String>,
}

/// Returns what forms without items and templates lose of tables.
fn lost(tables: &[TablePlan], has_items: bool) -> Vec<String> {
    let mut lost = Vec::new();
    for table in tables {
        let name = &table.name;
        if !table.templates.is_empty() {
            let number =
                crate::words::counted(crate::words::count(table.templates.len()), "key template");
            lost.push(format!("{name}: {number}, which this form has not"));
        }
        if !has_items && !table.items.is_empty() {
            lost.push(format!("{name}: its items, which this form has not"));
        }
    }
    lost
}

/// Returns the key schema of a table or an index as names of HASH and of RANGE attributes.
pub(crate) fn key_of(holder: &Value) -> (Vec<String>, Vec<String>) {
    let elements = holder["KeySchema"].as_array().into_iter().flatten();
    let (mut partition, mut sort) = (Vec::new(), Vec::new());
    for element in elements {
        let name = element["AttributeName"].as_str().unwrap_or_default().to_owned();
        if element["KeyType"] == "RANGE" { sort.push(name) } else { partition.push(name) }
    }
    (partition, sort)
}
