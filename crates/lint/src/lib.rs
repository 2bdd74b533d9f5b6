//! Linter of key design: finds harm in a table's definition, in a sample of its items, in a
//! recording of requests, and in the heat of keys.
//!
//! Pure: a definition, items and sizes go in, findings come out. Each finding has evidence, two
//! keys of the sample for most, and a fix. A rule reports only harm that the sample itself shows:
//! for numbers, versions, dates and offsets that do not sort, a pair in the wrong order, never the
//! look of a key. A sample has few items of each collection, so pairs of different collections
//! count, too, if what is before them has one shape.
//!
//! | file | idea |
//! |---|---|
//! | `design.rs` | subjects: tables, indexes, items, sizes |
//! | `heat.rs` | findings in the heat of keys |
//! | `requests.rs` | findings in requests: keys that they do not use, indexes that none needs |
//! | `keys/` | keys taken apart: tokens, delimiters, components |
//! | `moments/` | dates and times in the forms in which people write them |
//! | `moments_in.rs` | the moments in a key attribute |
//! | `places.rs` | components behind beginnings of one shape, over all collections |
//! | `shown.rs` | the items that show a finding |
//! | `siblings.rs` | components of sort keys after the same beginning, in one collection |
//! | `rules/` | one file for each idea of a finding |
//!
//! Left to others: the sources of definitions and items, and printing.
#![forbid(unsafe_code)]

mod design;
mod finding;
mod heat;
mod keys;
mod moments;
mod moments_in;
mod places;
mod requests;
mod rules;
mod shown;
mod siblings;

pub use design::{Collection, Item, Scalar, Source, SourceKind, Table};
pub use finding::{Finding, Rule, Severity};
pub use heat::lint_heat;
pub use requests::lint_requests;
pub use rules::collections::LARGE_COLLECTION_BYTES;

use keys::Column;
use std::collections::BTreeSet;

/// Returns the findings for a table, as far as a sample of its items and the sizes of its largest
/// item collections show them; in the order of the rules.
pub fn lint(table: &Table, items: &[Item], collections: &[Collection]) -> Vec<Finding> {
    let mut findings = rules::definition::check(table);
    // Each attribute is reported at one place only.
    let mut seen = BTreeSet::new();
    for source in &table.sources {
        for column in Column::all(source, items) {
            let of_values = rules::of_column(&column).into_iter();
            for finding in of_values.chain(rules::composites::of_column(&column)) {
                if seen.insert((told_as(finding.rule), column.attribute)) {
                    let finding = shown::by_rows(finding, &column);
                    findings.push(finding.of(&table.name, source, column.attribute));
                }
            }
        }
    }
    findings.extend(rules::partitions::check(table, items));
    findings.extend(rules::collections::check(table, items, collections));
    findings.sort_by_key(|finding| finding.rule);
    findings
}

/// Returns the rule that stands for others about the same fault: one attribute may be a sort key of
/// the table and a partition key of an index.
fn told_as(rule: Rule) -> Rule {
    match rule {
        Rule::SplitPartition => Rule::MixedCase,
        rule => rule,
    }
}
