//! Many items at a time: into a table, with several batches under way, and out of it, in segments.
//! [`crate::reading`] reads the items from files.
//!
//! | file | idea |
//! |---|---|
//! | `batch.rs` | one BatchWriteItem: unprocessed items are sent again |
//! | `import.rs` | batches under way, items that are in, the line to go on from |
//! | `repeats.rs` | items that replace one of the same import |
//! | `segments.rs` | one Scan in parallel segments |
//! | `target.rs` | the file or standard output that an export writes |
//! | `retry.rs` | calls that are tried again |
//! | `progress.rs` | the line that shows progress |

pub mod batch;
pub mod import;
pub mod progress;
mod repeats;
mod retry;
pub mod segments;
pub mod target;

use hashrange::cost::grouped;

/// Returns a count with its noun, such as `1 item` or `2 items`.
pub fn counted(count: u64, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural}")
}

/// Returns a count in groups of three digits with its noun.
pub fn grouped_count(count: u64, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", grouped(count))
}
