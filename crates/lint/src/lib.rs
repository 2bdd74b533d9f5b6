//! What of a table's keys will hurt later, found in its definition and in a sample of its items.
//!
//! Pure: a definition, items and sizes go in, findings come out. Each finding has evidence, two keys of the
//! sample for most, and a fix. A rule stays silent unless the sample itself shows the harm: what is not sorted
//! as it is meant is told by a pair of neighbours that stand in the wrong order, never by how a key looks.
//!
//! | file | idea |
//! |---|---|
//! | `design.rs` | what is looked at: tables, indexes, items, sizes |
//! | `siblings.rs` | components of sort keys that stand beside each other |
//! | `rules/` | one file for each idea that a finding tells |
//!
//! Left to others: where definitions and items come from, and printing.
#![forbid(unsafe_code)]

mod design;
mod finding;
mod rules;
mod siblings;

pub use design::{Collection, Item, KeyType, Scalar, Source, SourceKind, Table};
pub use finding::{Finding, Rule, Severity};

use siblings::Siblings;
use std::collections::BTreeSet;

/// What separates the parts of a key.
pub const DELIMITER: char = '#';

/// Returns what is wrong with a table, as far as a sample of its items and the sizes of its largest item
/// collections show; in the order of the rules.
pub fn lint(table: &Table, items: &[Item], collections: &[Collection]) -> Vec<Finding> {
    let mut findings = rules::definition::check(table);
    let mut seen = BTreeSet::new();
    for source in &table.sources {
        // Local indexes and the table share partitions, so the same attribute shows the same there.
        for siblings in Siblings::all(source, items) {
            for finding in rules::of_siblings(&siblings) {
                let place = (finding.rule, source.name.clone(), siblings.attribute.clone());
                if seen.insert(place) {
                    findings.push(finding.of(&table.name, source, &siblings.attribute));
                }
            }
        }
    }
    findings.extend(rules::delimiter::check(table, items));
    findings.extend(rules::concatenated::check(table, items));
    findings.extend(rules::collections::check(table, collections));
    findings.sort_by_key(|finding| finding.rule);
    findings
}
