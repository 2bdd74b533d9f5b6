//! Query and Scan: a page, all pages, or a stream of items.

use super::parameters::{Parameters, Substitutions, rewritten};
use super::{
    AsItem, AsType, CallFuture, Handle, IntoItem, Page, Shape, awaited_or_run, checked,
    parameter_methods,
};
use crate::{Blocking, Database, Result};
use futures_core::Stream;
use hashrange_model::Item;
use hashrange_wire::{
    ConsumedCapacity, QueryInput, QueryOutput, ReturnConsumedCapacity, ScanInput, Select,
};
use std::collections::VecDeque;
use std::fmt;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

/// Reads the items of one partition, in the order of the sort key; see
/// [`Database::query`](crate::Database::query).
#[derive(Debug)]
#[must_use = "a call does nothing until it is awaited or run"]
pub struct Query<D, S = AsItem> {
    handle: D,
    texts: Texts,
    parameters: Parameters,
    shape: PhantomData<fn() -> S>,
}

/// Reads a whole table or index; see [`Database::scan`](crate::Database::scan).
#[derive(Debug)]
#[must_use = "a call does nothing until it is awaited or run"]
pub struct Scan<D, S = AsItem> {
    handle: D,
    texts: Texts,
    parameters: Parameters,
    shape: PhantomData<fn() -> S>,
}

/// Read in the caller's texts.
#[derive(Debug)]
struct Texts {
    table: String,
    index: Option<String>,
    /// The key condition of a Query; none of a Scan.
    key: Option<String>,
    filter: Option<String>,
    select: Option<String>,
    limit: Option<u32>,
    start: Option<Result<Item>>,
    is_reverse: bool,
    is_consistent: bool,
    is_count: bool,
    /// Segment of a parallel Scan, and the number of segments.
    segment: Option<(u32, u32)>,
}

impl Texts {
    fn new(table: impl Into<String>, key: Option<String>) -> Self {
        Self {
            table: table.into(),
            index: None,
            key,
            filter: None,
            select: None,
            limit: None,
            start: None,
            is_reverse: false,
            is_consistent: false,
            is_count: false,
            segment: None,
        }
    }

    /// Returns the read with placeholders, and its start.
    fn plan(mut self, parameters: Parameters) -> Result<(Plan, Option<Item>)> {
        let mut placeholders = parameters.placeholders();
        self.key = rewritten(&mut placeholders, self.key.as_deref())?;
        self.filter = rewritten(&mut placeholders, self.filter.as_deref())?;
        self.select = rewritten(&mut placeholders, self.select.as_deref())?;
        let start = self.start.take().transpose()?;
        let substitutions = parameters.finish(placeholders)?;
        Ok((Plan { texts: self, substitutions }, start))
    }
}

/// The future of a page.
type PageFuture<'a> = Pin<Box<dyn Future<Output = Result<Page>> + Send + 'a>>;

/// Read with placeholders: the same for each page.
#[derive(Debug)]
struct Plan {
    texts: Texts,
    substitutions: Substitutions,
}

impl Plan {
    /// Reads a page.
    fn page<'a>(&'a self, database: &'a Database, start: Option<Item>) -> PageFuture<'a> {
        Box::pin(self.read_page(database, start))
    }

    async fn read_page(&self, database: &Database, start: Option<Item>) -> Result<Page> {
        let output = if self.texts.key.is_some() {
            database.unboxed().query_page(self.query(start)).await?
        } else {
            let output = database.unboxed().scan_page(self.scan(start)).await?;
            QueryOutput {
                items: output.items,
                count: output.count,
                scanned_count: output.scanned_count,
                last_evaluated_key: output.last_evaluated_key,
                consumed_capacity: output.consumed_capacity,
            }
        };
        let number = |count: Option<i32>| count.and_then(|count| usize::try_from(count).ok());
        let units = |consumed: ConsumedCapacity| consumed.capacity_units;
        Ok(Page::new(
            output.items.unwrap_or_default(),
            (number(output.count).unwrap_or(0), number(output.scanned_count).unwrap_or(0)),
            output.last_evaluated_key,
            output.consumed_capacity.and_then(units).unwrap_or(0.0),
        ))
    }

    fn query(&self, start: Option<Item>) -> QueryInput<'_> {
        let texts = &self.texts;
        QueryInput {
            table_name: Some(texts.table.as_str().into()),
            index_name: texts.index.as_deref().map(Into::into),
            key_condition_expression: texts.key.as_deref().map(Into::into),
            filter_expression: texts.filter.as_deref().map(Into::into),
            projection_expression: texts.select.as_deref().map(Into::into),
            select: texts.is_count.then_some(Select::Count),
            limit: self.limit(),
            scan_index_forward: texts.is_reverse.then_some(false),
            consistent_read: texts.is_consistent.then_some(true),
            exclusive_start_key: start.map(checked::item),
            return_consumed_capacity: Some(ReturnConsumedCapacity::Total),
            expression_attribute_names: self.substitutions.names(),
            expression_attribute_values: self.substitutions.values(),
            ..QueryInput::default()
        }
    }

    fn scan(&self, start: Option<Item>) -> ScanInput<'_> {
        let texts = &self.texts;
        let number = |number: u32| i32::try_from(number).unwrap_or(i32::MAX);
        ScanInput {
            table_name: Some(texts.table.as_str().into()),
            index_name: texts.index.as_deref().map(Into::into),
            filter_expression: texts.filter.as_deref().map(Into::into),
            projection_expression: texts.select.as_deref().map(Into::into),
            select: texts.is_count.then_some(Select::Count),
            limit: self.limit(),
            consistent_read: texts.is_consistent.then_some(true),
            segment: texts.segment.map(|(segment, _)| number(segment)),
            total_segments: texts.segment.map(|(_, segments)| number(segments)),
            exclusive_start_key: start.map(checked::item),
            return_consumed_capacity: Some(ReturnConsumedCapacity::Total),
            expression_attribute_names: self.substitutions.names(),
            expression_attribute_values: self.substitutions.values(),
            ..ScanInput::default()
        }
    }

    fn limit(&self) -> Option<i32> {
        self.texts.limit.map(|limit| i32::try_from(limit).unwrap_or(i32::MAX))
    }
}

/// Defines what Query and Scan share.
macro_rules! read_methods {
    ($read:ident) => {
        impl<D: Handle> $read<D> {
            /// Returns the items as values of a type with serde's `Deserialize`.
            pub fn typed<T>(self) -> $read<D, AsType<T>>
            where
                T: serde::de::DeserializeOwned + Send + 'static,
            {
                $read {
                    handle: self.handle,
                    texts: self.texts,
                    parameters: self.parameters,
                    shape: PhantomData,
                }
            }
        }

        impl<D: Handle, S: Shape + 'static> $read<D, S> {
            /// Reads an index instead of the table.
            pub fn index(mut self, index: impl Into<String>) -> Self {
                self.texts.index = Some(index.into());
                self
            }

            /// Drops items for which this condition is false, after they were read: dropped items
            /// count towards the limit and cost as much as returned ones.
            pub fn filter(mut self, condition: impl Into<String>) -> Self {
                self.texts.filter = Some(condition.into());
                self
            }

            /// Returns these attributes only: `city, address.street, lines[0]`.
            pub fn select(mut self, paths: impl Into<String>) -> Self {
                self.texts.select = Some(paths.into());
                self
            }

            /// Reads at most so many items for a page. A stream of items goes on with further
            /// pages; take as many items from it as you want.
            pub fn limit(mut self, items: u32) -> Self {
                self.texts.limit = Some(items);
                self
            }

            /// Starts after a key: the one that [`Page::next_key`] returned.
            pub fn start(mut self, key: impl IntoItem) -> Self {
                self.texts.start = Some(key.into_item());
                self
            }

            /// Reads the newest items, which a global index cannot. Without it a profile may return
            /// older items; under the default profile every read returns the newest.
            pub fn consistent(mut self) -> Self {
                self.texts.is_consistent = true;
                self
            }

            parameter_methods!(parameters);

            async fn perform(self) -> Result<Page<S::Output>> {
                let (plan, start) = self.texts.plan(self.parameters)?;
                let page = plan.page(self.handle.shared(), start).await?;
                let (items, counts, next, read_units) = page.into_parts();
                let items: Result<Vec<_>> = items.into_iter().map(S::shape).collect();
                Ok(Page::new(items?, counts, next, read_units))
            }

            async fn count_all(self) -> Result<u64> {
                let mut texts = self.texts;
                texts.is_count = true;
                let (plan, mut start) = texts.plan(self.parameters)?;
                let mut count = 0;
                loop {
                    let page = plan.page(self.handle.shared(), start).await?;
                    count += u64::try_from(page.count()).unwrap_or(u64::MAX);
                    start = page.next_key().cloned();
                    if start.is_none() {
                        return Ok(count);
                    }
                }
            }

            fn reader(self) -> Reader<S> {
                let database = self.handle.shared().clone();
                let state = match self.texts.plan(self.parameters) {
                    Ok((plan, start)) => State::Next(Box::new(plan), start),
                    Err(error) => State::Failed(error),
                };
                Reader { database, ready: VecDeque::new(), state, shape: PhantomData }
            }
        }

        impl<S: Shape + 'static> $read<Database, S> {
            /// Returns a stream of the items of all pages. A page is read when its first item is
            /// asked for; after an error the stream ends.
            pub fn items(self) -> Items<Database, S> {
                Items { reader: self.reader(), handle: PhantomData }
            }

            /// Returns the items of all pages.
            ///
            /// # Errors
            /// The errors of the operation, or an unreadable text or value of the call.
            pub async fn all(self) -> Result<Vec<S::Output>> {
                let (mut items, mut all) = (self.items(), Vec::new());
                while let Some(item) = items.next().await {
                    all.push(item?);
                }
                Ok(all)
            }

            /// Counts the items of all pages, without returning them.
            ///
            /// # Errors
            /// The errors of the operation, or an unreadable text or value of the call.
            pub async fn count(self) -> Result<u64> {
                self.count_all().await
            }
        }

        impl<S: Shape + 'static> $read<Blocking, S> {
            /// Returns an iterator over the items of all pages. A page is read when its first item
            /// is asked for; after an error the iterator ends.
            pub fn items(self) -> Items<Blocking, S> {
                Items { reader: self.reader(), handle: PhantomData }
            }

            /// Returns the items of all pages.
            ///
            /// # Errors
            /// The errors of the operation, or an unreadable text or value of the call.
            pub fn all(self) -> Result<Vec<S::Output>> {
                self.items().collect()
            }

            /// Counts the items of all pages, without returning them.
            ///
            /// # Errors
            /// The errors of the operation, or an unreadable text or value of the call.
            pub fn count(self) -> Result<u64> {
                hashrange_storage::block_on(self.count_all())
            }
        }

        awaited_or_run!(<S> $read<S> -> Page<S::Output>);
    };
}

impl<D: Handle> Query<D> {
    pub(crate) fn new(handle: D, table: impl Into<String>) -> Self {
        // Without a key condition the operation itself reports the missing one.
        let texts = Texts::new(table, Some(String::new()));
        Self { handle, texts, parameters: Parameters::default(), shape: PhantomData }
    }
}

impl<D: Handle, S: Shape> Query<D, S> {
    /// Selects items by the partition key and, if wanted, the sort key:
    /// `country = 'NL' and begins_with(place, '07#')`.
    pub fn key(mut self, condition: impl Into<String>) -> Self {
        self.texts.key = Some(condition.into());
        self
    }

    /// Reads from the end: the largest sort key first.
    pub fn reverse(mut self) -> Self {
        self.texts.is_reverse = true;
        self
    }
}

impl<D: Handle> Scan<D> {
    pub(crate) fn new(handle: D, table: impl Into<String>) -> Self {
        let texts = Texts::new(table, None);
        Self { handle, texts, parameters: Parameters::default(), shape: PhantomData }
    }
}

impl<D: Handle, S: Shape> Scan<D, S> {
    /// Reads one segment of a parallel Scan, 0 to `segments - 1`. Several threads can read the
    /// segments of one table at the same time.
    pub fn segment(mut self, segment: u32, segments: u32) -> Self {
        self.texts.segment = Some((segment, segments));
        self
    }
}

read_methods!(Query);
read_methods!(Scan);

/// The items of all pages: a [`Stream`] of a [`Database`], an [`Iterator`] of a [`Blocking`].
#[must_use = "nothing is read until an item is asked for"]
pub struct Items<D, S: Shape = AsItem> {
    reader: Reader<S>,
    handle: PhantomData<fn() -> D>,
}

/// Reads page after page.
struct Reader<S: Shape> {
    database: Database,
    /// Items of the page that was read.
    ready: VecDeque<Item>,
    state: State,
    shape: PhantomData<fn() -> S>,
}

enum State {
    /// A page is to be read, beginning after this key.
    Next(Box<Plan>, Option<Item>),
    /// A page is being read.
    Reading(CallFuture<(Box<Plan>, Page)>),
    /// The call cannot be made.
    Failed(crate::Error),
    /// There is no further page.
    Done,
}

impl<S: Shape> Reader<S> {
    fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<S::Output>>> {
        loop {
            if let Some(item) = self.ready.pop_front() {
                let shaped = S::shape(item);
                if shaped.is_err() {
                    self.ready.clear();
                    self.state = State::Done;
                }
                return Poll::Ready(Some(shaped));
            }
            match std::mem::replace(&mut self.state, State::Done) {
                State::Done => return Poll::Ready(None),
                State::Failed(error) => return Poll::Ready(Some(Err(error))),
                State::Next(plan, start) => {
                    let database = self.database.clone();
                    self.state = State::Reading(Box::pin(async move {
                        let page = plan.page(&database, start).await?;
                        Ok((plan, page))
                    }));
                }
                State::Reading(mut reading) => {
                    let Poll::Ready(read) = reading.as_mut().poll(context) else {
                        self.state = State::Reading(reading);
                        return Poll::Pending;
                    };
                    match read {
                        Err(error) => return Poll::Ready(Some(Err(error))),
                        Ok((plan, page)) => {
                            let (items, _, next, _) = page.into_parts();
                            self.ready = items.into();
                            if next.is_some() {
                                self.state = State::Next(plan, next);
                            }
                        }
                    }
                }
            }
        }
    }
}

impl<S: Shape> Items<Database, S> {
    /// Returns the next item, or `None` after the last one.
    pub async fn next(&mut self) -> Option<Result<S::Output>> {
        std::future::poll_fn(|context| self.reader.poll_next(context)).await
    }
}

impl<S: Shape> Stream for Items<Database, S> {
    type Item = Result<S::Output>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let next = ready!(self.get_mut().reader.poll_next(context));
        Poll::Ready(next)
    }
}

impl<S: Shape> Iterator for Items<Blocking, S> {
    type Item = Result<S::Output>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = std::future::poll_fn(|context| self.reader.poll_next(context));
        hashrange_storage::block_on(next)
    }
}

impl<D, S: Shape> fmt::Debug for Items<D, S> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Items")
            .field("ready", &self.reader.ready.len())
            .finish_non_exhaustive()
    }
}
