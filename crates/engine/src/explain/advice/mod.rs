//! Likely mistakes of a read, and cheaper ways. Each piece of advice names its evidence; without evidence there is
//! none.
//!
//! | file | idea |
//! |---|---|
//! | `filter.rs` | filters: items they drop, indexes for their items, Limit before them |
//! | `sorted.rs` | an index, or the table, whose sort key a filter tests |
//! | `range.rs` | ranges of sort keys that hold more than their values say |
//! | `dates.rs` | dates in sort keys: forms that do not sort, the rest of a day |
//! | `keys.rs` | values of sort keys that do not mean what they look like |
//! | `indexes.rs` | what an index can answer; one whose entries are small |
//! | `scans.rs` | partitions, or a sparse index, instead of the whole table |
//! | `names.rs` | names in double quotes that are likely text |

mod dates;
mod filter;
mod indexes;
mod keys;
mod names;
mod range;
mod scans;
mod sorted;

use super::explanation::{Advice, AdviceKind, ReadStep};
use super::plan::{ReadPlan, Sampled};
use crate::schema::IndexKind;
use hashrange_model::ApiResult;
use hashrange_storage::View;

/// Returns the advice for a read.
pub(super) async fn of_read<V: View>(
    view: &V,
    read: &ReadPlan<'_>,
    step: &ReadStep,
    sampled: &Sampled,
) -> ApiResult<Vec<Advice>> {
    if read.page.table.past.is_some() && read.index().is_some() {
        return Ok(vec![index_of_past()]);
    }
    let mut found = Vec::new();
    let two_attributes = names::two_attributes(read, sampled);
    let is_meant_otherwise = !two_attributes.is_empty();
    found.extend(two_attributes);
    found.extend(range::open_prefix(view, read).await?);
    found.extend(range::open_range(read, step));
    found.extend(dates::date_form(read));
    found.extend(keys::upper_end(view, read).await?);
    found.extend(dates::day_end(view, read).await?);
    found.extend(keys::pointer(view, read).await?);
    found.extend(keys::last_of_unpadded(view, read).await?);
    let fitting = filter::index_that_fits(read).or_else(|| scans::listed_partitions(read));
    let sparse = scans::sparse_index(read, step, sampled).filter(|_| fitting.is_none());
    let fitting = fitting.or(sparse);
    let narrow = indexes::narrow(read, sampled);
    let narrow = narrow.filter(|_| fitting.is_none() && !is_meant_otherwise);
    if fitting.is_none() && !is_meant_otherwise {
        found.extend(filter::whole_read(read, step));
    }
    // A filter of keys only is a key condition elsewhere: `fitting` says that.
    let is_said = is_meant_otherwise || (fitting.is_some() && filter::is_of_keys(read));
    found.extend(fitting);
    // The past has its table's key: nothing can be moved into it.
    let is_of_past = read.page.table.past.is_some();
    found.extend(filter::waste(read, step).filter(|_| !is_said && !is_of_past));
    found.extend(narrow);
    found.extend(filter::limit(step));
    found.extend(consistent(read));
    Ok(found)
}

/// The past of an index is not stored: its other advice would need look-ups in it.
fn index_of_past() -> Advice {
    Advice {
        kind: AdviceKind::IndexOfPast,
        finding: "an index keeps no past".to_owned(),
        evidence:
            "each page looks through all that its table had, of a local index its partition had"
                .to_owned(),
        remedy: "read by the key of the table where you can".to_owned(),
    }
}

/// A consistent read costs twice as much, where an eventually consistent one is allowed.
fn consistent(read: &ReadPlan<'_>) -> Option<Advice> {
    let of_index = read.index().map(|index| index.kind);
    assert!(
        !read.page.consistent || of_index != Some(IndexKind::Global),
        "a global index is not read consistently"
    );
    read.page.consistent.then(|| Advice {
        kind: AdviceKind::ConsistentRead,
        finding: "the read is consistent".to_owned(),
        evidence: "it costs 1 unit for each 4 KB, an eventually consistent one 0.5".to_owned(),
        remedy: "leave ConsistentRead out where a read may miss the writes of the last moment"
            .to_owned(),
    })
}
