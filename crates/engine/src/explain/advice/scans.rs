//! Reads of a whole table where a filter says which part is wanted: partitions by IN, or the items that a sparse
//! index holds.

use super::filter::holds_all;
use crate::explain::explanation::{Advice, AdviceKind, ReadStep};
use crate::explain::plan::ReadPlan;
use crate::schema::{IndexKind, IndexState};
use hashrange_expr::name_text;

/// `pk IN (...)` in a filter reads everything.
pub(super) fn listed_partitions(read: &ReadPlan<'_>) -> Option<Advice> {
    let filter =
        read.filter.as_ref().filter(|_| read.keys.is_none() && read.statement.is_none())?;
    let table = read.page.table;
    let indexes = table.indexes.iter().filter(|index| {
        index.kind == IndexKind::Global
            && index.state == IndexState::Active
            && !read.page.consistent
    });
    let of_indexes = indexes
        .filter(|index| holds_all(read, index, filter))
        .map(|index| (Some(index.name.as_str()), &index.key));
    let mut schemas = std::iter::once((None, &table.key)).chain(of_indexes);
    let (index, attribute, count) = schemas.find_map(|(index, schema)| {
        let [partition] = &schema.partition[..] else { return None };
        Some((index, partition.name.as_str(), filter.candidates_of(&partition.name)?))
    })?;
    let what = index.map_or_else(|| "the table".to_owned(), |index| format!("index {index}"));
    let table = &table.record.name;
    let name = name_text(attribute);
    Some(Advice {
        kind: AdviceKind::IndexFits,
        finding: format!("all is read although the filter lists {count} values of {name}"),
        evidence: format!("{name} is the partition key of {what}"),
        remedy: match index {
            Some(_) => format!("a Query of {what} for each value reads only these partitions"),
            None => format!(
                "a Query for each value, BatchGetItem for whole keys, or SELECT ... FROM \"{table}\" WHERE {name} \
                 IN [...] reads only these partitions"
            ),
        },
    })
}

/// `attribute_exists(a)`, where an index holds only the items that have it.
pub(super) fn sparse_index(read: &ReadPlan<'_>, step: &ReadStep) -> Option<Advice> {
    // An index of nearly all items is not sparse.
    if step.sample.items > 0 && step.sample.matching == step.sample.items {
        return None;
    }
    let filter = read.filter.as_ref().filter(|_| read.keys.is_none() && read.index().is_none())?;
    let table = read.page.table;
    let wanted = filter.existing_attributes();
    let is_usable = |index: &&crate::schema::Index| {
        index.state == IndexState::Active
            && table.past.is_none()
            && (index.kind == IndexKind::Local || !read.page.consistent)
            && holds_all(read, index, filter)
    };
    let fit = table.indexes.iter().filter(is_usable).find_map(|index| {
        let own = index.key.all().filter(|it| !table.key.contains(&it.name));
        let own: Vec<&str> = own.map(|it| it.name.as_str()).collect();
        let named = wanted.iter().find(|name| own.contains(*name))?;
        Some((index, *named, own))
    });
    let (index, attribute, own) = fit?;
    let others: Vec<String> =
        own.iter().filter(|it| **it != attribute).map(|it| name_text(it)).collect();
    let also = match &others[..] {
        [] => String::new(),
        others => format!(", nor those without {}", others.join(" or ")),
    };
    let (name, index) = (name_text(attribute), &index.name);
    Some(Advice {
        kind: AdviceKind::SparseIndex,
        finding: format!("the whole table is read for the items that have {name}"),
        evidence: format!(
            "{name} is a key of index {index}: items without it are not in there{also}"
        ),
        remedy: match read.statement {
            Some(_) => format!("FROM \"{}\".\"{index}\" reads only these", table.record.name),
            None => format!("a Scan of index {index} reads only these"),
        },
    })
}
