//! The values of a key attribute of a table or index.

use super::delimiters::Delimiters;
use super::shape::Shape;
use super::tokens::{Kind, Token, tokens};
use crate::design::{Item, Scalar, Source, SourceKind};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Role of a key attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// Part of the partition key.
    Partition,
    /// Part of the sort key.
    Sort,
}

/// A key attribute with its values.
#[derive(Debug)]
pub(crate) struct Column<'i> {
    pub(crate) source: &'i Source,
    pub(crate) attribute: &'i str,
    pub(crate) role: Role,
    /// True if the values are numbers.
    pub(crate) is_number: bool,
    pub(crate) rows: Vec<Row<'i>>,
    pub(crate) delimiters: Delimiters,
}

/// A value in an item.
#[derive(Debug)]
pub(crate) struct Row<'i> {
    pub(crate) item: &'i Item,
    /// Offset of the item in the sample.
    pub(crate) nth: usize,
    /// Number of the item collection; entries with the same keys before this one.
    pub(crate) collection: usize,
    pub(crate) text: &'i str,
    pub(crate) tokens: Vec<Token>,
    /// Its parts between all delimiters.
    pub(crate) parts: Vec<Part>,
    /// Its parts between strong delimiters only.
    pub(crate) segments: Vec<Range<usize>>,
}

/// A component of a key.
#[derive(Debug, Clone)]
pub(crate) struct Part {
    pub(crate) range: Range<usize>,
    /// The shape of the key before it.
    pub(crate) before: Shape,
    /// True if nothing follows.
    pub(crate) is_last: bool,
}

impl<'i> Column<'i> {
    /// Returns the key attributes of a source in the order of its key, with the values of the items
    /// that are in it.
    pub(crate) fn all(source: &'i Source, items: &'i [Item]) -> Vec<Self> {
        let within = items.iter().enumerate().filter(|(_, item)| source.has(item));
        let within: Vec<(usize, &Item)> = within.collect();
        let mut before: Vec<&str> = source.partition.iter().map(String::as_str).collect();
        let mut columns = Vec::new();
        if source.kind != SourceKind::Local {
            for name in &source.partition {
                columns.push(Self::new(source, name, Role::Partition, &within, &[]));
            }
        }
        for name in &source.sort {
            columns.push(Self::new(source, name, Role::Sort, &within, &before));
            before.push(name);
        }
        columns
    }

    fn new(
        source: &'i Source,
        attribute: &'i str,
        role: Role,
        items: &[(usize, &'i Item)],
        before: &[&str],
    ) -> Self {
        let keys = |item: &'i Item| -> Vec<&'i str> {
            before.iter().filter_map(|name| item.get(*name).map(Scalar::text)).collect()
        };
        // Collections are numbered in the order of their keys, however the sample was read.
        let distinct: BTreeSet<Vec<&str>> = items.iter().map(|(_, item)| keys(item)).collect();
        let collections: BTreeMap<Vec<&str>, usize> = distinct.into_iter().zip(0..).collect();
        let mut column = Self {
            source,
            attribute,
            role,
            is_number: false,
            rows: Vec::new(),
            delimiters: Delimiters::default(),
        };
        for (nth, item) in items {
            let Some(value) = item.get(attribute) else { continue };
            let collection = collections.get(&keys(item)).copied().unwrap_or(0);
            column.is_number |= matches!(value, Scalar::N(_));
            column.rows.push(Row::new((*nth, item), collection, value.text()));
        }
        if !column.is_number {
            column.divide();
        }
        column
    }

    fn divide(&mut self) {
        let values = self.rows.iter().map(|row| (row.text, row.tokens.as_slice()));
        self.delimiters = Delimiters::of(values);
        for row in &mut self.rows {
            row.divide(&self.delimiters);
        }
    }
}

impl<'i> Row<'i> {
    fn new((nth, item): (usize, &'i Item), collection: usize, text: &'i str) -> Self {
        let tokens = tokens(text);
        Self { item, nth, collection, text, tokens, parts: Vec::new(), segments: Vec::new() }
    }

    fn divide(&mut self, delimiters: &Delimiters) {
        self.segments = delimiters.divide(self.text, &self.tokens, true);
        let ranges = delimiters.divide(self.text, &self.tokens, false);
        let mut shape = Shape::default();
        let mut tokens = self.tokens.iter().peekable();
        let last = ranges.len() - 1;
        for (nth, range) in ranges.into_iter().enumerate() {
            while let Some(token) = tokens.next_if(|token| token.range.end <= range.start) {
                shape.push(self.text, token);
            }
            self.parts.push(Part { range, before: shape.clone(), is_last: nth == last });
        }
    }

    /// Returns the text of a component.
    pub(crate) fn part(&self, part: &Part) -> &'i str {
        self.text.get(part.range.clone()).unwrap_or("")
    }

    /// Returns the key up to and with a component.
    pub(crate) fn through(&self, part: &Part) -> &'i str {
        self.text.get(..part.range.end).unwrap_or("")
    }

    /// Returns the segment around a place.
    pub(crate) fn segment(&self, at: usize) -> Range<usize> {
        let around = |range: &&Range<usize>| range.start <= at && at <= range.end;
        self.segments.iter().find(around).cloned().unwrap_or(0..self.text.len())
    }

    /// Returns the tokens within a range.
    pub(crate) fn tokens_in(&self, range: &Range<usize>) -> impl Iterator<Item = &Token> {
        let (start, end) = (range.start, range.end);
        self.tokens.iter().filter(move |token| token.range.start >= start && token.range.end <= end)
    }

    /// Returns the kind of a range that is one token.
    pub(crate) fn kind(&self, range: &Range<usize>) -> Option<Kind> {
        self.tokens.iter().find(|token| token.range == *range).map(|token| token.kind)
    }
}
