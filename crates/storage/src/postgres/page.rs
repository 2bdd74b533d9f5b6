//! One statement that reads a page of a range, and its answer.
//!
//! Leaves the choice of the page to `visit.rs`, the arriving rows to `arriving_page.rs`, and the
//! cached ones to `page_cache.rs`.

use super::arriving_page::ArrivingPage;
use super::connect::Connection;
use super::failure::Failure;
use super::keys::unreadable;
use super::page_cache::Name;
use super::row::Row;
use super::shared::Shared;
use super::statements::ReaderStatements;
use crate::{Direction, Error};
use futures_util::TryStreamExt;
use std::pin::pin;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Statement};

/// A row's place in the order of the primary key within its place: prefix and tail.
pub(super) type Position = (Vec<u8>, Vec<u8>);

/// Request for a page: one statement.
#[derive(Debug)]
pub(super) struct PageRequest {
    pub(super) range: RowRange,
    pub(super) direction: Direction,
    pub(super) rows: i64,
    pub(super) bytes: usize,
    /// True if the statement counts the bytes and shows all columns.
    pub(super) is_counted: bool,
    /// The length of a prefix after which keys may go on.
    pub(super) whole_prefix_bytes: usize,
    /// Memory to have ready for the rows.
    pub(super) expected_bytes: usize,
}

/// Rows to read.
#[derive(Debug, Clone)]
pub(super) enum RowRange {
    /// All rows between two positions.
    Rows { from: Position, to: Position, places: RangePlaces },
    /// Rows of one whole prefix, between two rests.
    Crowd { place: i16, prefix: Vec<u8>, from: Vec<u8>, to: Option<Vec<u8>> },
}

/// The places of a range.
#[derive(Debug, Clone, Copy)]
pub(super) enum RangePlaces {
    One(i16),
    /// A place, the number of places after it, and the number of all places.
    Ordered(i32, i32, i32),
    Merged(i32),
}

/// Answer to a statement.
#[derive(Debug)]
enum PageReply {
    /// Rows, and whether they are all there are.
    Rows(ArrivingPage, bool),
    /// The rows are those of the cached page.
    Same,
    /// A row needs columns that are not shown, or the rows have another order than that of their
    /// keys.
    Unfit,
}

impl PageRequest {
    /// Reads the rows, or finds that they are those of the cached page: `None` if the page has to
    /// be read again with all its columns.
    pub(super) async fn read(
        &self,
        connection: &Connection,
        statements: &ReaderStatements,
        shared: &Shared,
    ) -> Result<Option<Vec<Row>>, Failure> {
        let kept = &shared.kept;
        let name = self.name();
        let known = name.as_ref().and_then(|name| kept.find(name));
        let bytes = i64::try_from(self.bytes).unwrap_or(i64::MAX);
        let more;
        let mut given: Vec<&(dyn ToSql + Sync)> = Vec::with_capacity(9);
        match &self.range {
            RowRange::Rows { from, to, places } => {
                given.extend([&from.0 as &(dyn ToSql + Sync), &from.1, &to.0, &to.1, &self.rows]);
                match places {
                    RangePlaces::One(place) => given.push(place),
                    RangePlaces::Ordered(first, more, all) => {
                        given.extend([first as &(dyn ToSql + Sync), more, all]);
                    }
                    RangePlaces::Merged(all) => {
                        more = all - 1;
                        given.extend([&0_i32 as &(dyn ToSql + Sync), &more, all]);
                    }
                }
            }
            RowRange::Crowd { place, prefix, from, to } => {
                given.extend([place as &(dyn ToSql + Sync), prefix, from, to, &self.rows]);
            }
        }
        if let Some(page) = &known {
            kept.asked.add(1);
            given.push(&page.numbers);
        } else if self.is_counted {
            given.push(&bytes);
        }
        let statement = self.statement(statements, known.is_some());
        let take = self.take(&connection.client, statement, &given, known.is_some());
        let answer = connection.answer(take).await?.map_err(Failure::Refused)?;
        Ok(match answer {
            PageReply::Same => known.map(|page| {
                kept.same.add(1);
                page.rows.clone()
            }),
            PageReply::Rows(arriving, is_all) => Some(match name {
                Some(name) => arriving.into_kept_rows(shared, name, known.is_some(), is_all),
                None => arriving.into_rows(),
            }),
            PageReply::Unfit => {
                if let Some(name) = &name {
                    kept.forget(name);
                }
                None
            }
        })
    }

    /// Returns the statement that reads the page, or that checks the known one.
    fn statement<'s>(&self, statements: &'s ReaderStatements, is_known: bool) -> &'s Statement {
        let [forward, backward] = match &self.range {
            RowRange::Rows { places: RangePlaces::One(_), .. } if is_known => {
                &statements.checked_page
            }
            RowRange::Rows { places: RangePlaces::One(_), .. } if self.is_counted => {
                &statements.page
            }
            RowRange::Rows { places: RangePlaces::One(_), .. } => &statements.uncounted_page,
            RowRange::Rows { places: RangePlaces::Ordered(..), .. } if self.is_counted => {
                &statements.ordered_page
            }
            RowRange::Rows { places: RangePlaces::Ordered(..), .. } => {
                &statements.uncounted_ordered_page
            }
            RowRange::Rows { places: RangePlaces::Merged(_), .. } => &statements.merged_page,
            RowRange::Crowd { .. } => &statements.crowd,
        };
        match self.direction {
            Direction::Forward => forward,
            Direction::Backward => backward,
        }
    }

    /// Returns the name by which the page may be cached: only for ordinary rows in one place.
    fn name(&self) -> Option<Name> {
        let RowRange::Rows { from, to, places: RangePlaces::One(place) } = &self.range else {
            return None;
        };
        if self.is_counted {
            return None;
        }
        let mut name = Vec::with_capacity(from.0.len() + to.0.len() + 96);
        name.extend_from_slice(&place.to_be_bytes());
        name.extend_from_slice(&self.rows.to_be_bytes());
        name.push(u8::from(self.direction == Direction::Backward));
        for part in [&from.0, &from.1, &to.0, &to.1] {
            name.extend_from_slice(&part.len().to_be_bytes());
            name.extend_from_slice(part);
        }
        Some(name.into_boxed_slice())
    }

    /// Takes rows until there are enough bytes, or the answer does not fit; drops the rows after
    /// that as they arrive.
    async fn take(
        &self,
        client: &Client,
        statement: &Statement,
        given: &[&(dyn ToSql + Sync)],
        is_checked: bool,
    ) -> Result<Result<PageReply, Error>, tokio_postgres::Error> {
        let mut answer = pin!(client.query_raw(statement, given.iter().copied()).await?);
        let mut arriving = ArrivingPage::new(self);
        let mut bytes = 0;
        while bytes < self.bytes {
            let Some(row) = answer.try_next().await? else {
                return Ok(Ok(PageReply::Rows(arriving, true)));
            };
            if is_checked {
                match checked_row(&row) {
                    Ok(CheckedRow::Row) => {}
                    Ok(CheckedRow::Same) => return Ok(Ok(PageReply::Same)),
                    Ok(CheckedRow::Empty) => continue,
                    Err(error) => return Ok(Err(error)),
                }
            }
            let added = if self.is_counted {
                arriving.add(&row).map(Some)
            } else {
                arriving.add_one_of_most(&row, self)
            };
            match added {
                Ok(Some(value_bytes)) => bytes += value_bytes,
                Ok(None) => return Ok(Ok(PageReply::Unfit)),
                Err(error) => return Ok(Err(error)),
            }
        }
        Ok(Ok(PageReply::Rows(arriving, false)))
    }
}

/// Meaning of a row in the answer to a checked page.
enum CheckedRow {
    Row,
    /// The page is unchanged.
    Same,
    /// The page is another one, without rows.
    Empty,
}

fn checked_row(row: &tokio_postgres::Row) -> Result<CheckedRow, Error> {
    let read = || Ok((row.try_get::<_, bool>(0)?, row.try_get::<_, Option<&[u8]>>(1)?));
    Ok(match read().map_err(unreadable)? {
        (true, _) => CheckedRow::Same,
        (false, None) => CheckedRow::Empty,
        (false, Some(_)) => CheckedRow::Row,
    })
}
