//! The decisions of a group: what its members were shown, what they write, and whether that holds.
//!
//! Pure. Leaves keys and locks to `transaction.rs`.

use super::fence::Fencing;
use super::group::{ByKey, Writes};
use super::keys::Located;
use super::queue::Member;
use crate::Batch;
use bytes::Bytes;
use std::collections::BTreeSet;

/// What is to become of each member of a group whose transaction ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Its decision holds.
    Holds,
    /// It must decide again.
    Again,
    /// It did not decide in time.
    Silent,
}

/// What a member answers when it is asked.
#[derive(Debug)]
pub(super) enum Answer {
    Batch(Batch),
    /// Nobody is there any more.
    Gone,
    /// There was none in time.
    Silent,
}

/// Values of declared keys as the database has them, that of a fence which a lane tells among them.
pub(super) type Values = ByKey<Bytes>;

/// The decisions of a group.
#[derive(Debug)]
pub(super) struct Decided {
    pub(super) writes: Writes,
    pub(super) verdicts: Vec<Verdict>,
    /// Whether each member writes something.
    writers: Vec<bool>,
}

impl Decided {
    pub(super) fn new(members: usize) -> Self {
        Self {
            writes: Writes::default(),
            verdicts: vec![Verdict::Holds; members],
            writers: vec![false; members],
        }
    }

    /// Returns what a member is shown: what the group has written, or else what the database has.
    pub(super) fn shown(&self, member: &Member, values: &Values) -> Vec<Option<Bytes>> {
        let value = |key: &Located| match self.writes.value(&key.key) {
            Some(written) => written.clone(),
            None => values.get(&key.key).cloned(),
        };
        let mut shown: Vec<_> = member.keys().map(value).collect();
        if let Fencing::Reads { at, key } = &member.fencing {
            shown.insert(*at, values.get(key).cloned());
        }
        shown
    }

    pub(super) fn take(&mut self, nth: usize, answer: Answer, group_bytes: usize) {
        let verdict = match answer {
            Answer::Gone => Verdict::Holds,
            Answer::Silent => Verdict::Silent,
            Answer::Batch(batch) if batch.is_empty() => Verdict::Holds,
            Answer::Batch(batch) => {
                let together = self.writes.size_bytes.saturating_add(batch.size_bytes());
                if !self.writes.is_empty() && together > group_bytes {
                    Verdict::Again
                } else {
                    self.writes.add(batch);
                    if let Some(writer) = self.writers.get_mut(nth) {
                        *writer = true;
                    }
                    Verdict::Holds
                }
            }
        };
        if let Some(place) = self.verdicts.get_mut(nth) {
            *place = verdict;
        }
    }

    /// Returns the members that write nothing and were shown an absent key beside others.
    pub(super) fn doubtful<'m>(
        &'m self,
        members: &'m [Member],
        values: &'m Values,
    ) -> impl Iterator<Item = (usize, &'m Member)> {
        (0..).zip(members).zip(&self.writers).filter_map(move |((nth, member), is_writer)| {
            let is_absent = |key: &Located| !values.contains_key(&key.key);
            let doubtful = !is_writer && member.keys().count() > 1 && member.keys().any(is_absent);
            doubtful.then_some((nth, member))
        })
    }

    /// Returns the absent keys of these members.
    pub(super) fn doubtful_keys<'m>(
        &self,
        members: &'m [Member],
        values: &Values,
    ) -> BTreeSet<&'m Located> {
        let writers = self.writers.iter().copied();
        let members = members.iter().zip(writers).filter(|(_, is_writer)| !is_writer);
        let members = members.map(|(member, _)| member).filter(|member| member.keys().count() > 1);
        let is_absent = |key: &&Located| !values.contains_key(&key.key);
        members.flat_map(Member::keys).filter(is_absent).collect()
    }

    /// Returns the absent keys on whose absence somebody writes.
    pub(super) fn held_keys<'m>(
        &self,
        members: &'m [Member],
        values: &Values,
    ) -> BTreeSet<&'m Located> {
        let writers = members.iter().zip(&self.writers).filter(|(_, is_writer)| **is_writer);
        let is_absent = |key: &&Located| !values.contains_key(&key.key);
        writers.flat_map(|(member, _)| member.keys()).filter(is_absent).collect()
    }

    /// Sends those back whose values may not be of one state.
    pub(super) fn send_doubtful_back(&mut self, members: &[Member], values: &Values) {
        let doubtful: Vec<usize> = self.doubtful(members, values).map(|(nth, _)| nth).collect();
        for nth in doubtful {
            if let Some(verdict) = self.verdicts.get_mut(nth) {
                *verdict = Verdict::Again;
            }
        }
    }
}
