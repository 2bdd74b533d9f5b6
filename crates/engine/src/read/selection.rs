//! Returned attributes of a Query or Scan: the Select parameter with projections and indexes.

use super::Output;
use crate::schema::{Index, IndexKind, IndexProjection, IndexState, Table};
use hashrange_expr::{Condition, Projection};
use hashrange_model::error::HistoryFault;
use hashrange_model::{ApiResult, Reason};
use hashrange_wire::Select;

/// The projection of a request with the parameter it came from.
#[derive(Debug)]
pub(crate) struct Selection {
    select: Option<Select>,
    projection: Option<Projection>,
}

impl Selection {
    /// Checks Select without the table. `parameter` is the projection's.
    pub(crate) fn new(
        select: Option<Select>,
        projection: Option<Projection>,
        parameter: &'static str,
        has_index: bool,
        is_query: bool,
    ) -> Result<Self, Reason> {
        match (select, &projection) {
            (Some(select), Some(_)) if select != Select::SpecificAttributes => {
                let (select, enveloped) = (select.as_str(), is_query);
                return Err(Reason::SelectWithProjection { parameter, select, enveloped });
            }
            (Some(Select::SpecificAttributes), None) => {
                return Err(Reason::SelectNeedsProjection { enveloped: is_query });
            }
            (Some(Select::AllProjectedAttributes), _) if !has_index => {
                return Err(Reason::AllProjectedWithoutIndex { enveloped: is_query });
            }
            _ => {}
        }
        Ok(Self { select, projection })
    }

    /// Checks the selection against the index read.
    pub(crate) fn check_index(&self, index: Option<&Index>) -> Result<(), Reason> {
        let Some(index) = index.filter(|index| index.kind == IndexKind::Global) else {
            return Ok(());
        };
        if self.select == Some(Select::AllAttributes) && index.projection != IndexProjection::All {
            return Err(Reason::AllAttributesNotProjected(index.name.clone()));
        }
        let names = self.projection.iter().flat_map(Projection::attribute_names);
        let attributes: Vec<String> =
            names.filter(|name| !index.holds(name)).map(str::to_owned).collect();
        if attributes.is_empty() {
            return Ok(());
        }
        Err(Reason::NotProjected { index: index.name.clone(), attributes })
    }

    /// Returns the attributes that the projection looks into.
    pub(crate) fn names_looked_into(&self) -> impl Iterator<Item = &str> {
        self.projection.iter().flat_map(Projection::names_looked_into)
    }

    /// Returns whether entries of a local index must be completed from the table.
    pub(crate) fn needs_table(&self, index: Option<&Index>, filter: Option<&Condition>) -> bool {
        let Some(index) = index.filter(|index| index.kind == IndexKind::Local) else {
            return false;
        };
        if index.projection == IndexProjection::All {
            return false;
        }
        self.select == Some(Select::AllAttributes)
            || self
                .projection
                .iter()
                .flat_map(Projection::attribute_names)
                .any(|name| !index.holds(name))
            || filter
                .into_iter()
                .flat_map(Condition::attribute_names)
                .any(|name| !index.holds(name))
    }

    /// Returns the output of matching items, and takes the projection for it; `is_completed` if index entries are
    /// completed from the table.
    pub(crate) fn take_output(&mut self, is_completed: bool) -> Output {
        match (self.select, self.projection.take()) {
            (Some(Select::Count), _) => Output::Count,
            (_, Some(projection)) => Output::Projected(projection),
            (Some(Select::AllAttributes), None) => Output::Whole,
            (_, None) if is_completed => Output::AsIndexed,
            (_, None) => Output::Whole,
        }
    }
}

/// Fault of reading an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum IndexFault {
    /// The table has none of that name.
    Absent,
    /// A global index cannot be read consistently.
    ConsistentRead,
    /// It is being filled.
    Backfilling,
}

/// Returns the index of a name, with its offset, if it can be read.
pub(crate) fn readable_index<'t>(
    table: &'t Table,
    name: &str,
    consistent: bool,
) -> Result<(usize, &'t Index), IndexFault> {
    let mut indexes = table.indexes.iter().enumerate();
    let (nth, index) = indexes.find(|(_, index)| index.name == name).ok_or(IndexFault::Absent)?;
    if consistent && index.kind == IndexKind::Global {
        return Err(IndexFault::ConsistentRead);
    }
    if index.state == IndexState::Creating {
        return Err(IndexFault::Backfilling);
    }
    Ok((nth, index))
}

/// Returns the index that a request of another kind than Query, Scan and SELECT names, with its offset: of a table as it
/// is.
pub(crate) fn present_index_named<'t>(
    table: &'t Table,
    name: Option<&str>,
    consistent: bool,
) -> ApiResult<Option<(usize, &'t Index)>> {
    if table.past.is_some() && name.is_some() {
        return Err(Reason::History(HistoryFault::IndexOfThePast).into());
    }
    index_named(table, name, consistent)
}

/// Returns the index that a request names, with its offset.
pub(crate) fn index_named<'t>(
    table: &'t Table,
    name: Option<&str>,
    consistent: bool,
) -> ApiResult<Option<(usize, &'t Index)>> {
    let Some(name) = name else { return Ok(None) };
    let index = readable_index(table, name, consistent).map_err(|fault| match fault {
        IndexFault::Absent => Reason::NoSuchIndex(name.to_owned()),
        IndexFault::ConsistentRead => Reason::ConsistentReadOnGlobalIndex,
        IndexFault::Backfilling => Reason::IndexBackfilling(name.to_owned()),
    })?;
    Ok(Some(index))
}
