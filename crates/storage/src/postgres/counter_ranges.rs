//! Ranges of the stripes of counters, and the read of their sums.

use super::connect::Connection;
use super::failure::Failure;
use super::forms::{Argument, query_arrays, slices};
use super::keys::{Layout, STRIPE_BYTES, stripe_key, unreadable};
use crate::KeyRange;
use bytes::Bytes;
use tokio_postgres::Statement;

/// Places and prefixes between which the stripes of counters lie.
#[derive(Debug, Default)]
pub(super) struct CounterRanges {
    nth: Vec<i32>,
    places: Vec<i16>,
    low: Vec<Bytes>,
    high: Vec<Bytes>,
    keys: Vec<Bytes>,
    counters: usize,
}

impl CounterRanges {
    /// Returns the ranges of the stripes of counters. A counter whose stripes may be in several
    /// places has one for each.
    pub(super) fn of<'k>(keys: impl Iterator<Item = &'k [u8]>, layout: &Layout) -> Self {
        let mut ranges = Self::default();
        for (nth, key) in (0..).zip(keys) {
            let cut = |key: Bytes| key.slice(..key.len().min(layout.prefix_bytes));
            let (low, high) = (stripe_key(key, 0), stripe_key(key, u64::MAX));
            let end = Some([&high[..], &[0]].concat());
            for place in layout.every_place(&KeyRange { start: low.to_vec(), end }) {
                ranges.nth.push(nth);
                ranges.places.push(place);
                ranges.low.push(cut(low.clone()));
                ranges.high.push(cut(high.clone()));
                ranges.keys.push(low.slice(..low.len() - STRIPE_BYTES));
            }
            ranges.counters += 1;
        }
        ranges
    }

    pub(super) fn is_empty(&self) -> bool {
        self.counters == 0
    }

    /// Returns the arrays that statements take.
    pub(super) fn arguments(&self) -> Vec<Argument<'_>> {
        let (low, high, keys) = (slices(&self.low), slices(&self.high), slices(&self.keys));
        vec![
            Box::new(&self.nth[..]),
            Box::new(&self.places[..]),
            Box::new(low),
            Box::new(high),
            Box::new(keys),
        ]
    }

    pub(super) async fn read(
        &self,
        connection: &Connection,
        statement: &Statement,
    ) -> Result<Vec<i64>, Failure> {
        let arguments = self.arguments();
        let rows =
            connection.answer(query_arrays(&connection.client, statement, &arguments)).await?;
        let mut sums = vec![0_i64; self.counters];
        for row in rows {
            let read = || Ok((row.try_get::<_, i32>(0)?, row.try_get::<_, i64>(1)?));
            let (nth, stripe) = read().map_err(|error| Failure::Refused(unreadable(error)))?;
            let sum = usize::try_from(nth).ok().and_then(|nth| sums.get_mut(nth));
            if let Some(sum) = sum {
                *sum = sum.wrapping_add(stripe);
            }
        }
        Ok(sums)
    }
}
