//! Indexes that could answer a read of the table, and advice to read one whose entries are small.

use crate::capacity::read_units;
use crate::explain::explanation::{Advice, AdviceKind};
use crate::explain::plan::{ReadPlan, Sampled};
use crate::explain::text::{plural, size};
use crate::read::Output;
use crate::schema::{Index, IndexKind, IndexProjection, IndexState};
use hashrange_expr::{Condition, name_text};
use hashrange_model::Item;

/// Fewest items that are evidence.
const TOLD_MIN: usize = 10;
/// Entries are small that have at most one byte for so many of the items.
const BYTES_ONE_OF: usize = 2;

/// Returns whether an index holds all attributes of a filter and the output.
pub(super) fn holds_all(read: &ReadPlan<'_>, index: &Index, filter: Option<&Condition>) -> bool {
    let returned = match &read.page.output {
        Output::Count => true,
        Output::Projected(projection) => projection.attribute_names().all(|it| index.holds(it)),
        Output::Whole | Output::AsIndexed => index.projection == IndexProjection::All,
    };
    let mut filtered = filter.into_iter().flat_map(Condition::attribute_names);
    returned && filtered.all(|name| index.holds(name))
}

/// Returns whether a read of the table could be one of the index.
pub(super) fn is_readable(read: &ReadPlan<'_>, index: &Index) -> bool {
    // PartiQL reads no keys of several attributes.
    let is_simple = index.key.partition.len() == 1 && index.key.sort.len() <= 1;
    index.state == IndexState::Active
        && read.page.table.past.is_none()
        && (index.kind == IndexKind::Local || !read.page.consistent)
        && (is_simple || read.statement.is_none())
}

/// An index that holds all items, and of them little more than the keys that are wanted.
pub(super) fn narrow(read: &ReadPlan<'_>, sampled: &Sampled) -> Option<Advice> {
    let table = read.page.table;
    let partition = match read.keys.as_deref() {
        None => None,
        Some([keys]) if keys.sort.is_empty() && !read.is_one => Some(keys),
        Some(_) => return None,
    };
    let is_whole = matches!(read.page.output, Output::Whole | Output::AsIndexed);
    if read.index().is_some() || is_whole || sampled.items.len() < TOLD_MIN {
        return None;
    }
    let before: usize = sampled.items.iter().map(Item::size).sum();
    let is_in = |index: &Index| {
        let holds = |item: &Item| index.key.all().all(|key| item.get(&key.name).is_some());
        sampled.items.iter().all(holds)
    };
    let narrow = table.indexes.iter().filter(|index| {
        is_readable(read, index)
            && holds_all(read, index, read.filter.as_ref())
            && (partition.is_none() || index.key.partition == table.key.partition)
            && is_in(index)
    });
    let sized = narrow.map(|index| {
        let bytes: usize = sampled.items.iter().map(|item| index.project(item).size()).sum();
        (bytes, index)
    });
    let (bytes, index) = sized.min_by_key(|(bytes, _)| *bytes)?;
    let units = |bytes| read_units(bytes, read.page.consistent);
    if bytes * BYTES_ONE_OF > before || units(bytes) >= units(before) {
        return None;
    }
    let own = index.key.all().filter(|it| !table.key.contains(&it.name));
    let own: Vec<String> = own.map(|it| name_text(&it.name)).collect();
    let name = &index.name;
    let read_by = match (&read.statement, partition) {
        (Some(_), _) => format!("FROM \"{}\".\"{name}\"", table.record.name),
        (None, None) => format!("a Scan of index {name}"),
        (None, Some(keys)) => {
            format!("a Query of index {name} by {}", keys.partition_text(&index.key))
        }
    };
    Some(Advice {
        kind: AdviceKind::NarrowIndex,
        finding: format!("whole items are read for attributes that index {name} has"),
        evidence: format!(
            "{} looked at have {}, their entries {}",
            plural(sampled.items.len(), "item"),
            size(before as u64),
            size(bytes as u64)
        ),
        remedy: format!(
            "{read_by} reads less, in its own order (items without {} are not in it)",
            own.join(" or ")
        ),
    })
}
