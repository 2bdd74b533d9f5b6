//! Statements as EXPLAIN takes them: the EXPLAIN before them, and a SELECT as the read that is explained.

use crate::explain::{Mode, ReadKeys, ReadPlan, StatementText};
use crate::partiql::select;
use crate::read::{PagePlan, versions};
use crate::schema::{Index, Table};
use hashrange_expr::partiql as statements;
use hashrange_expr::{Condition, Filter};
use hashrange_model::bounds::told;
use hashrange_model::{ApiResult, Reason, Value};
use hashrange_storage::KeyRange;
use std::borrow::Cow;

/// Returns the read of a SELECT with this WHERE clause.
pub(super) fn selected_read<'t>(
    table: &'t Table,
    plan: select::SelectPlan<'t>,
    condition: Option<Condition>,
) -> ApiResult<ReadPlan<'t>> {
    let (page, ranges, filter) = as_page(table, plan);
    let secondary = page.index.map(|(_, index)| index);
    let text =
        StatementText { filter: told_filter(table, secondary, condition.as_ref())?, condition };
    let keys = read_keys(table, secondary, text.condition.as_ref())?;
    let filter = match filter {
        Some(filter) => Some(filter),
        // What is read of a page is filtered by the whole clause, unless the keys say all of it.
        None => text.condition.clone().filter(|_| page.filter.is_some()),
    };
    let statement = Some(text);
    let (segment, start, is_one) = (None, None, false);
    Ok(ReadPlan { page, ranges, keys, segment, filter, start, statement, is_one })
}

/// Returns the mode that `EXPLAIN` before a statement asks for.
pub(super) fn mode(explain: statements::Explain) -> Mode {
    if explain.analyze { Mode::Analyze } else { Mode::Plan }
}

/// Returns a statement with blanks for the EXPLAIN before it: faults are told where they stand in all of the
/// text.
pub(super) fn blanked(text: &str, explain: statements::Explain) -> String {
    let (before, statement) = text.split_at(explain.statement_at);
    let blanks = |one: char| if one == '\n' { '\n' } else { ' ' };
    before.chars().map(blanks).chain(statement.chars()).collect()
}

/// Takes the EXPLAIN from before the first statement of several; it explains all of them.
pub(super) fn take_explain(first: Option<&mut Cow<'_, str>>) -> Option<Mode> {
    let first = first?;
    let explain = statements::explain(first)?;
    *first = blanked(first, explain).into();
    Some(mode(explain))
}

/// Returns a SELECT as the read of a page; one of a single item comes with its filter.
fn as_page<'t>(
    table: &'t Table,
    plan: select::SelectPlan<'t>,
) -> (PagePlan<'t>, Vec<KeyRange>, Option<Condition>) {
    match plan {
        select::SelectPlan::Ranges { page, ranges } => (*page, ranges, None),
        select::SelectPlan::Item { key, filter, projection, consistent, .. } => {
            let of_item = PagePlan::of_item(table, &key, projection.cloned(), consistent);
            let page = PagePlan { filter: filter.map(Filter::from), ..of_item };
            let ranges = vec![page.range.clone()];
            (page, ranges, filter.cloned())
        }
    }
}

/// Returns what of a WHERE clause is only a filter.
fn told_filter(
    table: &Table,
    index: Option<&Index>,
    condition: Option<&Condition>,
) -> Result<Option<String>, Reason> {
    let schema = index.map_or(&table.key, |index| &index.key);
    let (partition, sort) = select::single_key(schema)?;
    Ok(condition
        .and_then(|condition| statements::filter_of(condition, partition, sort))
        .map(|filter| told(&filter)))
}

/// Returns the keys that a WHERE clause names; none if it leaves the partition key open.
fn read_keys(
    table: &Table,
    index: Option<&Index>,
    condition: Option<&Condition>,
) -> Result<Option<Vec<ReadKeys>>, Reason> {
    let schema = index.map_or(&table.key, |index| &index.key);
    let (partition, sort) = select::single_key(schema)?;
    let reads = condition.and_then(|condition| statements::reads(condition, partition, sort));
    let Some(reads) = reads else { return Ok(None) };
    let mut keys = Vec::with_capacity(reads.reads.len());
    for read in reads.reads {
        let Some(range) = select::range_of(table, index, &read)? else { continue };
        let statements::KeyRead { partition, sort } = read;
        let partition: Vec<Value> = vec![partition];
        let sort = sort.into_iter().map(|operator| (0, operator)).collect();
        let range = versions::stored(table, range);
        keys.push(ReadKeys { partition, sort, range });
    }
    Ok(Some(keys))
}
