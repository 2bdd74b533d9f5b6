//! What of a table's keys will hurt later, found in its definition, in a sample of its items and in what was
//! recorded of requests, or seen of the heat of keys.
//!
//! Pure: a definition, items and sizes go in, findings come out. Each finding has evidence, two keys of the
//! sample for most, and a fix. A rule stays silent unless the sample itself shows the harm: numbers, versions, dates
//! and offsets that do not sort are told by a pair that stands in the wrong order, never by how a key looks.
//!
//! | file | idea |
//! |---|---|
//! | `design.rs` | what is looked at: tables, indexes, items, sizes |
//! | `heat.rs` | what the heat of keys shows |
//! | `requests.rs` | what requests show: keys that they do not use, indexes that nobody needs |
//! | `siblings.rs` | components of sort keys that stand beside each other |
//! | `rules/` | one file for each idea that a finding tells |
//!
//! Left to others: where definitions and items come from, and printing.
#![forbid(unsafe_code)]

mod design;
mod finding;
mod heat;
mod requests;
mod rules;
mod siblings;

pub use design::{Collection, Item, Scalar, Source, SourceKind, Table};
pub use finding::{Finding, Rule, Severity};
pub use heat::lint_heat;
pub use requests::lint_requests;
pub use rules::collections::LARGE_COLLECTION_BYTES;

use siblings::Siblings;
use std::collections::BTreeSet;

/// What separates the parts of a key.
pub(crate) const DELIMITER: char = '#';

/// Returns what is wrong with a table, as far as a sample of its items and the sizes of its largest item
/// collections show; in the order of the rules.
pub fn lint(table: &Table, items: &[Item], collections: &[Collection]) -> Vec<Finding> {
    let mut findings = rules::definition::check(table);
    for source in &table.sources {
        // One place of an attribute is enough.
        let mut seen = BTreeSet::new();
        for siblings in Siblings::all(source, items) {
            for finding in rules::of_siblings(&siblings) {
                if seen.insert((finding.rule, siblings.attribute.clone())) {
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
