//! Linter of key design: finds harm in a table's definition, in a sample of its items, in a
//! recording of requests, and in the heat of keys.
//!
//! Pure: a definition, items and sizes go in, findings come out. Each finding has evidence, two
//! keys of the sample for most, and a fix. A rule reports only harm that the sample itself shows:
//! for numbers, versions, dates and offsets that do not sort, a pair in the wrong order, never the
//! look of a key.
//!
//! | file | idea |
//! |---|---|
//! | `design.rs` | subjects: tables, indexes, items, sizes |
//! | `heat.rs` | findings in the heat of keys |
//! | `requests.rs` | findings in requests: keys that they do not use, indexes that none needs |
//! | `siblings.rs` | components of sort keys after the same beginning |
//! | `rules/` | one file for each idea of a finding |
//!
//! Left to others: the sources of definitions and items, and printing.
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

/// Character that separates the parts of a key.
pub(crate) const DELIMITER: char = '#';

/// Returns the findings for a table, as far as a sample of its items and the sizes of its largest
/// item collections show them; in the order of the rules.
pub fn lint(table: &Table, items: &[Item], collections: &[Collection]) -> Vec<Finding> {
    let mut findings = rules::definition::check(table);
    for source in &table.sources {
        // Each attribute is reported at one place only.
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
