//! Blocks of Terraform: tables of files whose name ends with `.tf`.
//!
//! Left to others: the language and the blocks (the crate `design`).

use super::definition::Definition;
use super::not_taken::NotTaken;
use hashrange_design::formats::{TerraformTable, read_terraform};
use std::path::Path;

const UNKNOWN: &str = "not known here";
/// Attributes and blocks of a table, and why they are not taken.
const REASONS: [(&str, &str); 12] = [
    ("point_in_time_recovery", "there are no backups"),
    ("restore_source_name", "there are no backups"),
    ("restore_source_table_arn", "there are no backups"),
    ("restore_to_latest_time", "there are no backups"),
    ("restore_date_time", "there are no backups"),
    ("replica", "a table is in one region here"),
    ("region", "a table is in one region here"),
    ("import_table", "nothing is imported from S3; hashrange import brings items"),
    ("lifecycle", "no plan is applied"),
    ("depends_on", "no plan is applied"),
    ("provider", "no plan is applied"),
    ("timeouts", "no plan is applied"),
];

/// Returns whether a file has this form, by its name.
pub fn is_form_of(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "tf")
}

/// Returns the tables of a text; adds notes on its other blocks.
pub fn definitions(text: &str, not_taken: &mut Vec<NotTaken>) -> anyhow::Result<Vec<Definition>> {
    let contents = read_terraform(text)?;
    let other = |what| NotTaken { what, why: super::not_taken::NO_TABLE };
    not_taken.extend(contents.others.into_iter().map(other));
    let definition = |TerraformTable { plan, not_taken }: TerraformTable| {
        let note = |what: String| {
            let name = what.split(' ').next().unwrap_or_default();
            let known = REASONS.iter().find(|(known, _)| *known == name);
            NotTaken { why: known.map_or(UNKNOWN, |(_, why)| why), what }
        };
        Definition {
            name: plan.name,
            request: plan.request,
            time_to_live: plan.time_to_live,
            not_taken: not_taken.into_iter().map(note).collect(),
            ..Definition::default()
        }
    };
    Ok(contents.tables.into_iter().map(definition).collect())
}
