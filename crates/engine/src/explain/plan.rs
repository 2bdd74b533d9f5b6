//! Values from which a read is explained: its plan with what the request says of it, an index that it supposes, a
//! sample of its items.

use super::ReadKeys;
use super::explanation::{Mode, Sample};
use super::looking::Budget;
use crate::history::past_text;
use crate::read::{Output, PagePlan};
use crate::schema::{Index, IndexId, KeySchema, Table};
use hashrange_expr::{Condition, Projection};
use hashrange_model::Item;
use hashrange_storage::{Key, KeyRange};
use std::sync::Arc;

/// Maximum of items sampled without ANALYZE; a page bounds their size.
const SAMPLE_ITEMS_MAX: usize = 1_000;

/// A planned read, with the parts of its request.
#[derive(Debug)]
pub(crate) struct ReadPlan<'t> {
    pub(crate) page: PagePlan<'t>,
    /// The ranges that the first page begins with.
    pub(crate) ranges: Vec<KeyRange>,
    /// The partitions that are named; none if all are read.
    pub(crate) keys: Option<Vec<ReadKeys>>,
    /// Segment of a Scan, and the total.
    pub(crate) segment: Option<(u32, u32)>,
    /// Filter on each item that was read.
    pub(crate) filter: Option<Condition>,
    /// The key after which the read begins.
    pub(crate) start: Option<Item>,
    /// WHERE clause of a statement.
    pub(crate) statement: Option<StatementText>,
    /// Whether it is of one item or version, and has no next page.
    pub(crate) is_one: bool,
}

/// The WHERE clause of an explained statement.
#[derive(Debug)]
pub(crate) struct StatementText {
    /// The whole WHERE clause.
    pub(crate) condition: Option<Condition>,
    /// The part of it that is only a filter.
    pub(crate) filter: Option<String>,
}

/// Explanation that a client asks for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asked<'a> {
    pub(crate) operation: &'static str,
    pub(crate) mode: Mode,
    /// An index that the request supposes.
    pub(crate) what_if: Option<&'a WhatIf>,
    /// When the check of the request began.
    pub(crate) began_ms: u64,
}

impl<'t> ReadPlan<'t> {
    /// Returns the read of one item of a table.
    pub(crate) fn of_item(
        table: &'t Table,
        keys: ReadKeys,
        key: &Key,
        projection: Option<Projection>,
        consistent: bool,
    ) -> Self {
        let page = PagePlan::of_item(table, key, projection, consistent);
        Self::of_page(page, keys)
    }

    /// Returns the read of one item or version by a page.
    pub(crate) fn of_page(page: PagePlan<'t>, keys: ReadKeys) -> Self {
        Self {
            ranges: vec![page.range.clone()],
            page,
            keys: Some(vec![keys]),
            segment: None,
            filter: None,
            start: None,
            statement: None,
            is_one: true,
        }
    }

    pub(super) fn index(&self) -> Option<&'t Index> {
        self.page.index.map(|(_, index)| index)
    }

    /// Returns the name of what is read, of the past as requests name it.
    pub(super) fn table_name(&self) -> String {
        let Table { record, past, .. } = self.page.table;
        match past {
            None => record.name.clone(),
            Some(past) => format!("{}.{}", record.name, past_text(*past)),
        }
    }

    pub(super) fn schema(&self) -> &'t KeySchema {
        self.index().map_or(&self.page.table.key, |index| &index.key)
    }

    /// Returns whether entries are fetched from the table before the filter sees them.
    pub(super) fn fetches_for_filter(&self) -> bool {
        self.page.fetches && !self.page.filters_entries
    }

    /// Returns the read without filter and projection, of so many items as the filter sees them.
    pub(super) fn sampled(&self) -> PagePlan<'t> {
        PagePlan {
            filter: None,
            fetches: self.fetches_for_filter(),
            output: Output::Whole,
            limit: if self.is_one { 1 } else { SAMPLE_ITEMS_MAX },
            ..self.page.clone()
        }
    }
}

/// The items of the sample, as the filter sees them.
#[derive(Debug)]
pub(super) struct Sampled {
    pub(super) items: Vec<Item>,
    pub(super) told: Sample,
    /// Units of reading it at once.
    pub(super) units: f64,
}

/// A table with a supposed index.
#[derive(Debug)]
pub(crate) struct WhatIf {
    pub(crate) table: Arc<Table>,
    pub(crate) index: IndexId,
    /// Most of the table that is looked at.
    pub(crate) budget: Budget,
}

impl WhatIf {
    pub(super) fn index(&self) -> Option<&Index> {
        self.table.indexes.iter().find(|index| index.id == self.index)
    }

    /// Returns the index's name.
    pub(crate) fn name(&self) -> &str {
        self.index().map_or("", |index| &index.name)
    }
}
