//! A walk over a range: pages in the order of keys.
//!
//! A page is one statement, which counts its bytes unless its rows alone bound them (`sizes.rs`). Then it also shows
//! only the columns that most rows have, and is asked for again if one needs the others. Rows come
//! in the order of (prefix, tail), which is that of keys but for those that share a whole prefix and go on
//! after it, a crowd: in the order of their digests. A crowd that a page holds completely is sorted here. One
//! that goes on beyond the page is read by statements of its own, which sort by what follows the prefix; then
//! the walk goes on after the prefix.
//!
//! A range in one place, or in places in the order of its keys, is read place by place until there is
//! enough. Any other range is read by merging all places, which reads of each as many rows as all together
//! give. So such pages are small, and what follows in places that have an order, as far as the keys share a
//! beginning, is walked by itself (`within`) before the merging goes on after it.

use super::connect::Connection;
use super::failure::Failure;
use super::kept::{Kept, KeptPage, Name};
use super::keys::{Layout, bytes_of, unreadable};
use super::sizes::Sizes;
use super::statements::ReaderStatements;
use crate::{Bytes, Direction, Error, Key, KeyRange, Wanted};
use futures_util::TryStreamExt;
use std::collections::VecDeque;
use std::pin::pin;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Statement};

/// Bytes of values in a page, at most, and one row more.
const MAX_PAGE_BYTES: usize = 1 << 20;

/// Memory that a page begins with, at most: what it takes beyond that it takes as it comes.
const MAX_READY_BYTES: usize = 256 << 10;

/// Rows in a page, at most.
const MAX_PAGE_ROWS: usize = 4_096;

/// Rows in a page that is merged of all places, at most.
const MAX_MERGED_ROWS: usize = 64;

/// How much more each page asks for than the one before.
const GROWTH: usize = 4;

/// A row as it was read. Its bytes are a part of those of its page.
#[derive(Debug, Clone)]
pub(super) struct Row {
    place: i16,
    pub(super) key: Bytes,
    prefix_bytes: usize,
    tail: Bytes,
    pub(super) value: Bytes,
}

/// A page as it comes: the bytes of all rows in one piece, which takes no allocation for each.
#[derive(Debug)]
struct Coming {
    /// The place of rows that do not tell theirs.
    place: i16,
    bytes: Vec<u8>,
    rows: Vec<Ends>,
    /// Of the rows that have one and show it.
    numbers: Vec<i64>,
}

/// What a statement answered.
#[derive(Debug)]
enum Answer {
    /// Rows, and whether they are all there are.
    Rows(Coming, bool),
    /// The rows are those of the page that is kept.
    Same,
    /// A row needs columns that are not shown, or the rows have another order than that of their keys.
    Unfit,
}

/// Where the parts of a row end: its prefix, the whole key, its tail, its value.
#[derive(Debug)]
struct Ends {
    place: i16,
    prefix: usize,
    key: usize,
    tail: usize,
    value: usize,
}

/// A row's place in the order of the primary key within its place: prefix and tail.
type Position = (Vec<u8>, Vec<u8>);

/// One statement.
#[derive(Debug)]
pub(super) struct Page {
    what: What,
    direction: Direction,
    rows: i64,
    bytes: usize,
    /// Whether the statement counts the bytes and shows all columns.
    is_counted: bool,
    /// The length of a prefix after which keys may go on.
    whole_prefix_bytes: usize,
    /// Memory to have ready for the rows.
    expected_bytes: usize,
}

#[derive(Debug, Clone)]
enum What {
    /// All rows between two positions.
    Rows { from: Position, to: Position, places: Where },
    /// Rows of one whole prefix, between two rests.
    Crowd { place: i16, prefix: Vec<u8>, from: Vec<u8>, to: Option<Vec<u8>> },
}

/// The places of a range.
#[derive(Debug, Clone, Copy)]
enum Where {
    One(i16),
    /// A place, how many follow it, of how many.
    Ordered(i32, i32, i32),
    Merged(i32),
}

/// A walk over a range.
#[derive(Debug)]
pub(super) struct Walk {
    range: KeyRange,
    direction: Direction,
    places: Where,
    layout: Layout,
    /// A part of the range whose places have an order, which comes before what is left.
    within: Option<Box<Walk>>,
    /// What is left of the range but for the crowd and the part within.
    left: Option<(Position, Position)>,
    /// The crowd that is being read.
    crowd: Option<What>,
    wanted: Wanted,
    rows: usize,
    bytes: usize,
}

impl Page {
    /// Reads the rows: `None` if one of them needs columns that are not shown.
    pub(super) async fn read(
        &self,
        connection: &Connection,
        statements: &ReaderStatements,
        kept: &Kept,
    ) -> Result<Option<Vec<Row>>, Failure> {
        let name = self.name();
        let known = name.as_ref().and_then(|name| kept.find(name));
        let bytes = i64::try_from(self.bytes).unwrap_or(i64::MAX);
        let more;
        let mut given: Vec<&(dyn ToSql + Sync)> = Vec::with_capacity(9);
        let both = match &self.what {
            What::Rows { from, to, places } => {
                given.extend([&from.0 as &(dyn ToSql + Sync), &from.1, &to.0, &to.1, &self.rows]);
                match places {
                    Where::One(place) => {
                        given.push(place);
                        match &known {
                            Some(page) => {
                                kept.asked.add(1);
                                given.push(&page.numbers);
                                &statements.checked_page
                            }
                            None if self.is_counted => &statements.page,
                            None => &statements.uncounted_page,
                        }
                    }
                    Where::Ordered(first, more, all) => {
                        given.extend([first as &(dyn ToSql + Sync), more, all]);
                        if self.is_counted {
                            &statements.ordered_page
                        } else {
                            &statements.uncounted_ordered_page
                        }
                    }
                    Where::Merged(all) => {
                        more = all - 1;
                        given.extend([&0_i32 as &(dyn ToSql + Sync), &more, all]);
                        &statements.merged_page
                    }
                }
            }
            What::Crowd { place, prefix, from, to } => {
                given.extend([place as &(dyn ToSql + Sync), prefix, from, to, &self.rows]);
                &statements.crowd
            }
        };
        if self.is_counted {
            given.push(&bytes);
        }
        let [forward, backward] = both;
        let statement = match self.direction {
            Direction::Forward => forward,
            Direction::Backward => backward,
        };
        let take = self.take(&connection.client, statement, &given, known.is_some());
        let answer = connection.answer(take).await?.map_err(Failure::Refused)?;
        Ok(match answer {
            Answer::Same => known.map(|page| {
                kept.same.add(1);
                page.rows.clone()
            }),
            Answer::Rows(coming, is_all) => Some(match name {
                Some(name) => coming.into_kept_rows(kept, name, known.is_some(), is_all),
                None => coming.into_rows(),
            }),
            Answer::Unfit => {
                if let Some(name) = &name {
                    kept.forget(name);
                }
                None
            }
        })
    }

    /// Returns by what name the page may be kept: one of rows as most are, in one place.
    fn name(&self) -> Option<Name> {
        let What::Rows { from, to, places: Where::One(place) } = &self.what else { return None };
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

    /// Takes rows until there are enough bytes, or the answer does not fit; what comes after that is thrown away as
    /// it comes.
    async fn take(
        &self,
        client: &Client,
        statement: &Statement,
        given: &[&(dyn ToSql + Sync)],
        is_checked: bool,
    ) -> Result<Result<Answer, Error>, tokio_postgres::Error> {
        let mut answer = pin!(client.query_raw(statement, given.iter().copied()).await?);
        let mut coming = Coming::new(self);
        let mut bytes = 0;
        while bytes < self.bytes {
            let Some(row) = answer.try_next().await? else {
                return Ok(Ok(Answer::Rows(coming, true)));
            };
            if is_checked {
                match what_is_said(&row) {
                    Ok(Said::Row) => {}
                    Ok(Said::Same) => return Ok(Ok(Answer::Same)),
                    Ok(Said::Empty) => continue,
                    Err(error) => return Ok(Err(error)),
                }
            }
            let added = if self.is_counted {
                coming.add(&row).map(Some)
            } else {
                coming.add_one_of_most(&row, self)
            };
            match added {
                Ok(Some(value_bytes)) => bytes += value_bytes,
                Ok(None) => return Ok(Ok(Answer::Unfit)),
                Err(error) => return Ok(Err(error)),
            }
        }
        Ok(Ok(Answer::Rows(coming, false)))
    }
}

/// What the answer to a checked page says in a row.
enum Said {
    Row,
    /// The page is the one that is kept.
    Same,
    /// It is another one, without rows.
    Empty,
}

fn what_is_said(row: &tokio_postgres::Row) -> Result<Said, Error> {
    let read = || Ok((row.try_get::<_, bool>(0)?, row.try_get::<_, Option<&[u8]>>(1)?));
    Ok(match read().map_err(unreadable)? {
        (true, _) => Said::Same,
        (false, None) => Said::Empty,
        (false, Some(_)) => Said::Row,
    })
}

impl Coming {
    fn new(page: &Page) -> Self {
        let place = match page.what {
            What::Rows { places: Where::One(place), .. } | What::Crowd { place, .. } => place,
            What::Rows { .. } => 0,
        };
        let bytes = Vec::with_capacity(page.expected_bytes);
        Self { place, bytes, rows: Vec::new(), numbers: Vec::new() }
    }

    /// Adds a row and returns the bytes of its value.
    fn add(&mut self, row: &tokio_postgres::Row) -> Result<usize, Error> {
        let read = || {
            let place = row.try_get::<_, Option<i16>>(0)?.unwrap_or(self.place);
            let tail = row.try_get::<_, Option<&[u8]>>(2)?.unwrap_or_default();
            let rest = row.try_get::<_, Option<&[u8]>>(3)?.unwrap_or_default();
            Ok((place, row.try_get::<_, &[u8]>(1)?, tail, rest))
        };
        let (place, prefix, tail, rest) = read().map_err(unreadable)?;
        Ok(self.put(place, [prefix, rest, tail, &bytes_of(row, 4, 5)?]))
    }

    /// Adds a row of which not all columns are shown and returns the bytes of its value: `None` if it has no value,
    /// its key may go on after the prefix, or it is not where its key should be.
    fn add_one_of_most(
        &mut self,
        row: &tokio_postgres::Row,
        page: &Page,
    ) -> Result<Option<usize>, Error> {
        let is_of_one_place = matches!(page.what, What::Rows { places: Where::One(_), .. });
        let read = || {
            let (place, number) = if is_of_one_place {
                (self.place, row.try_get::<_, Option<i64>>(3)?)
            } else {
                (row.try_get(0)?, None)
            };
            let (prefix, value) =
                (row.try_get::<_, &[u8]>(1)?, row.try_get::<_, Option<&[u8]>>(2)?);
            Ok((place, number, prefix, value))
        };
        let (place, number, prefix, value) = read().map_err(unreadable)?;
        let follows = !is_of_one_place || self.is_followed_by(prefix, page.direction);
        let fits = follows && prefix.len() < page.whole_prefix_bytes;
        let Some(value) = value.filter(|_| fits) else { return Ok(None) };
        self.numbers.extend(number);
        Ok(Some(self.put(place, [prefix, &[], &[], value])))
    }

    /// Returns whether a key comes after those that came.
    fn is_followed_by(&self, key: &[u8], direction: Direction) -> bool {
        let start = self.rows.len().checked_sub(2).and_then(|nth| self.rows.get(nth));
        let last = self.rows.last().map(|last| start.map_or(0, |start| start.value)..last.key);
        let last = last.and_then(|range| self.bytes.get(range));
        last.is_none_or(|last| match direction {
            Direction::Forward => last < key,
            Direction::Backward => last > key,
        })
    }

    /// Adds prefix, rest, tail and value of a row and returns the bytes of the value.
    fn put(&mut self, place: i16, parts: [&[u8]; 4]) -> usize {
        let [prefix, key, tail, value] = parts.map(|part| {
            self.bytes.extend_from_slice(part);
            self.bytes.len()
        });
        self.rows.push(Ends { place, prefix, key, tail, value });
        value - tail
    }

    /// Returns the rows, and keeps them if the page is to be kept.
    fn into_kept_rows(mut self, kept: &Kept, name: Name, was_kept: bool, is_all: bool) -> Vec<Row> {
        let content_bytes = self.bytes.len();
        let can_be = is_all && self.numbers.len() == self.rows.len();
        let is_kept = can_be && (kept.is_wanted(&name, content_bytes) || was_kept);
        if !is_kept {
            if was_kept {
                kept.forget(&name);
            }
            return self.into_rows();
        }
        self.bytes.shrink_to_fit();
        let numbers = std::mem::take(&mut self.numbers);
        let rows = self.into_rows();
        kept.keep(name, KeptPage { rows: rows.clone(), numbers, content_bytes });
        rows
    }

    fn into_rows(self) -> Vec<Row> {
        let all = Bytes::from(self.bytes);
        let mut start = 0;
        let row = |Ends { place, prefix, key, tail, value }: Ends| {
            let first = std::mem::replace(&mut start, value);
            Row {
                place,
                key: all.slice(first..key),
                prefix_bytes: prefix - first,
                tail: all.slice(key..tail),
                value: all.slice(tail..value),
            }
        };
        self.rows.into_iter().map(row).collect()
    }
}

impl Row {
    fn prefix(&self) -> &[u8] {
        self.key.get(..self.prefix_bytes).unwrap_or_default()
    }

    fn is_in_crowd(&self) -> bool {
        !self.tail.is_empty()
    }
}

impl Walk {
    /// Returns a walk over `range`, nothing of it read.
    pub(super) fn new(
        range: KeyRange,
        direction: Direction,
        wanted: Wanted,
        layout: &Layout,
    ) -> Self {
        let places = match layout.places(&range) {
            Some(places) if places.more == 0 => Where::One(super::keys::column(places.first)),
            Some(places) => Where::Ordered(
                i32::from(places.first),
                i32::from(places.more),
                i32::from(layout.places),
            ),
            None => Where::Merged(i32::from(layout.places)),
        };
        let left = (!range.is_empty()).then(|| bounds(&range, layout.prefix_bytes));
        let (layout, within, crowd) = (*layout, None, None);
        Self { range, direction, places, layout, within, left, crowd, wanted, rows: 0, bytes: 0 }
    }

    /// Returns the next page to read, `None` when all was read.
    pub(super) fn next(&mut self, sizes: &Sizes) -> Option<Page> {
        if let Some(within) = &mut self.within {
            if let Some(page) = within.next(sizes) {
                return Some(page);
            }
            self.within = None;
        }
        let what = self.what()?;
        let is_merged = matches!(what, What::Rows { places: Where::Merged(_), .. });
        let max_rows = if is_merged { MAX_MERGED_ROWS } else { MAX_PAGE_ROWS };
        self.rows = self.wanted.entries.clamp(1, max_rows);
        self.bytes = self.wanted.bytes.clamp(1, MAX_PAGE_BYTES);
        // Whoever goes on after all that was wanted is likely to go on for long.
        self.wanted.entries = self.wanted.entries.saturating_mul(GROWTH);
        self.wanted.bytes = self.wanted.bytes.saturating_mul(GROWTH);
        let has_uncounted = match &what {
            What::Rows { places, .. } => !matches!(places, Where::Merged(_)),
            What::Crowd { .. } => false,
        };
        let uncounted = sizes.rows(&self.range.start, self.rows, self.bytes);
        let uncounted = uncounted.filter(|_| has_uncounted);
        self.rows = uncounted.unwrap_or(self.rows);
        Some(self.page(what, uncounted.is_none(), sizes))
    }

    /// Returns the page that was asked for last with all its columns, `None` when there was none.
    pub(super) fn again(&self, sizes: &Sizes) -> Option<Page> {
        if let Some(within) = &self.within {
            return within.again(sizes);
        }
        sizes.count_from_now(&self.range.start);
        Some(self.page(self.what()?, true, sizes))
    }

    /// Returns what is to be read next.
    fn what(&self) -> Option<What> {
        match (&self.crowd, &self.left) {
            (Some(crowd), _) => Some(crowd.clone()),
            (None, Some((from, to))) => {
                Some(What::Rows { from: from.clone(), to: to.clone(), places: self.places })
            }
            (None, None) => None,
        }
    }

    fn page(&self, what: What, is_counted: bool, sizes: &Sizes) -> Page {
        Page {
            what,
            direction: self.direction,
            rows: i64::try_from(self.rows).unwrap_or(i64::MAX),
            bytes: self.bytes,
            is_counted,
            whole_prefix_bytes: self.layout.prefix_bytes,
            expected_bytes: sizes.expected(&self.range.start, self.rows).min(MAX_READY_BYTES),
        }
    }

    /// Takes the rows of the page that was asked for and returns those to show, in the order of their keys.
    pub(super) fn take(&mut self, rows: Vec<Row>, sizes: &Sizes) -> Vec<Row> {
        if let Some(within) = &mut self.within {
            return within.take(rows, sizes);
        }
        let bytes: usize = rows.iter().map(|row| row.value.len()).sum();
        if let Some(largest) = rows.iter().map(|row| row.value.len()).max() {
            sizes.note(&self.range.start, largest);
        }
        let is_last = rows.len() < self.rows && bytes < self.bytes;
        match self.crowd.take() {
            Some(crowd) => self.take_of_crowd(crowd, rows, is_last),
            None => self.take_page(rows, is_last),
        }
    }

    fn take_of_crowd(&mut self, crowd: What, rows: Vec<Row>, is_last: bool) -> Vec<Row> {
        let What::Crowd { place, prefix, mut from, mut to } = crowd else { return rows };
        if let (Some(last), false) = (rows.last(), is_last) {
            let rest = last.key.get(last.prefix_bytes..).unwrap_or_default();
            match self.direction {
                Direction::Forward => from = [rest, &[0]].concat(),
                Direction::Backward => to = Some(rest.to_vec()),
            }
            self.crowd = Some(What::Crowd { place, prefix, from, to });
        }
        rows
    }

    fn take_page(&mut self, rows: Vec<Row>, is_last: bool) -> Vec<Row> {
        let last = rows.last().map(|row| (row.prefix().to_vec(), row.tail.to_vec(), row.place));
        let mut shown = Vec::with_capacity(rows.len());
        let mut rows = VecDeque::from(rows);
        while let Some(row) = rows.pop_front() {
            if !row.is_in_crowd() {
                shown.push(row);
                continue;
            }
            let mut crowd = vec![row];
            let is_same = |one: &Row, crowd: &[Row]| {
                one.is_in_crowd()
                    && crowd.first().is_some_and(|first| first.prefix() == one.prefix())
            };
            while rows.front().is_some_and(|next| is_same(next, &crowd)) {
                crowd.extend(rows.pop_front());
            }
            if rows.is_empty() && !is_last {
                // It may go on beyond the page.
                self.begin_crowd(&crowd);
                return shown;
            }
            crowd.retain(|row| self.is_in_range(&row.key));
            crowd.sort_unstable_by(|one, other| one.key.cmp(&other.key));
            if self.direction == Direction::Backward {
                crowd.reverse();
            }
            shown.extend(crowd);
        }
        match last {
            Some((prefix, tail, place)) if !is_last => {
                if matches!(self.places, Where::Merged(_)) {
                    self.go_within(&prefix, &tail);
                }
                if self.within.is_none() {
                    self.go_on(prefix, tail, place);
                }
            }
            _ => self.left = None,
        }
        shown
    }

    /// Begins a walk over the keys after a position that share its beginning, if their places have an
    /// order and they all are in the range.
    fn go_within(&mut self, prefix: &[u8], tail: &[u8]) {
        let Some((from, to)) = &mut self.left else { return };
        let holds = |part: &KeyRange| {
            part.start >= self.range.start
                && part.end.is_some()
                && self.range.end.as_ref().is_none_or(|end| part.end.as_ref() <= Some(end))
                && self.layout.places(part).is_some()
        };
        let parts = (1..=prefix.len().min(self.layout.placement.leading_bytes))
            .filter_map(|length| prefix.get(..length).map(KeyRange::prefix));
        let Some(part) = parts.into_iter().find(holds) else { return };
        let (first, end) = bounds(&part, self.layout.prefix_bytes);
        let wanted = self.wanted;
        let mut within = Self::new(part, self.direction, wanted, &self.layout);
        match self.direction {
            Direction::Forward => {
                within.left = Some(((prefix.to_vec(), [tail, &[0]].concat()), end.clone()));
                *from = end;
            }
            Direction::Backward => {
                within.left = Some((first.clone(), (prefix.to_vec(), tail.to_vec())));
                *to = first;
            }
        }
        self.within = Some(Box::new(within));
    }

    /// Notes that the crowd of a prefix is to be read next, and the rest of the range after it.
    fn begin_crowd(&mut self, crowd: &[Row]) {
        let Some(row) = crowd.first() else { return };
        let prefix = row.prefix().to_vec();
        let rest_of = |bound: &Key| {
            bound.strip_prefix(&prefix[..]).filter(|rest| !rest.is_empty()).map(<[u8]>::to_vec)
        };
        let from = rest_of(&self.range.start).unwrap_or_default();
        let to = self.range.end.as_ref().and_then(rest_of);
        self.crowd = Some(What::Crowd { place: row.place, prefix: prefix.clone(), from, to });
        match self.direction {
            // After all that have the prefix and go on.
            Direction::Forward => {
                self.go_on(prefix, vec![u8::MAX; super::keys::TAIL_BYTES], row.place);
            }
            // Before all that go on: the prefix itself is still to come.
            Direction::Backward => self.go_on(prefix, vec![0], row.place),
        }
    }

    /// Notes that all up to a position was read.
    fn go_on(&mut self, prefix: Vec<u8>, mut tail: Vec<u8>, place: i16) {
        let Some((from, to)) = &mut self.left else { return };
        match self.direction {
            Direction::Forward => {
                tail.push(0);
                *from = (prefix, tail);
            }
            Direction::Backward => *to = (prefix, tail),
        }
        if let Where::Ordered(first, more, all) = &mut self.places {
            let steps = (i32::from(place) - *first).rem_euclid(*all);
            match self.direction {
                Direction::Forward => {
                    *more = (*more - steps).max(0);
                    *first = i32::from(place);
                }
                Direction::Backward => *more = steps,
            }
        }
    }

    fn is_in_range(&self, key: &[u8]) -> bool {
        key >= &self.range.start[..] && self.range.end.as_ref().is_none_or(|end| key < &end[..])
    }
}

/// Returns the positions between which the rows of a range lie: the first one, and the first after it. Rows of
/// crowds at both ends may be outside the range.
fn bounds(range: &KeyRange, prefix_bytes: usize) -> (Position, Position) {
    let cut = |key: &Key| {
        let prefix = key.get(..prefix_bytes).unwrap_or(key).to_vec();
        (prefix, key.len() > prefix_bytes)
    };
    // A tail of one zero byte is after the prefix itself and before all digests of rests.
    let (start, start_goes_on) = cut(&range.start);
    let from = (start, if start_goes_on { vec![0] } else { Vec::new() });
    let to = match range.end.as_ref().map(cut) {
        None => (vec![u8::MAX; prefix_bytes + 1], Vec::new()),
        Some((end, false)) => (end, Vec::new()),
        Some((end, true)) => (end, vec![u8::MAX; super::keys::TAIL_BYTES + 1]),
    };
    (from, to)
}
