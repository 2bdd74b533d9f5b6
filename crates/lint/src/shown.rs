//! The items that show a finding.
//!
//! A rule that looks at more than the text of a key names the items itself. Of the others every item with these keys
//! shows the same; two of one item collection do so best.

use crate::finding::Finding;
use crate::keys::{Column, Row};

/// Returns a finding with the items whose keys are its examples, or begin with them, unless it has its items.
pub(crate) fn by_rows(finding: Finding, column: &Column<'_>) -> Finding {
    if !finding.items.is_empty() {
        return finding;
    }
    let of = |nth: usize| finding.examples.get(nth).map(|text| rows(column, text));
    let (first, second) = (of(0).unwrap_or_default(), of(1).unwrap_or_default());
    let together: Option<Vec<usize>> = first.iter().find_map(|one| {
        let other = second.iter().find(|other| other.collection == one.collection)?;
        Some(vec![one.nth, other.nth])
    });
    let apart = || first.first().into_iter().chain(second.first()).map(|row| row.nth).collect();
    finding.shown_by(together.unwrap_or_else(apart))
}

/// Returns the rows with a key, or those that begin with it.
fn rows<'c, 'i>(column: &'c Column<'i>, text: &str) -> Vec<&'c Row<'i>> {
    let whole: Vec<_> = column.rows.iter().filter(|row| row.text == text).collect();
    if !whole.is_empty() {
        return whole;
    }
    let begins = |row: &&Row<'_>| {
        let behind = row.text.strip_prefix(text).and_then(|rest| rest.chars().next());
        behind.is_some_and(|next| !next.is_alphanumeric())
    };
    column.rows.iter().filter(begins).collect()
}
