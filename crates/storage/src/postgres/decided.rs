//! Decisions of a group: the values that its members were shown, their writes, and whether the
//! decisions hold.
//!
//! Pure. Leaves keys and locks to `transaction.rs`.

use super::fence::Fencing;
use super::group::{ByKey, Writes};
use super::keys::Located;
use super::queue::Member;
use crate::Batch;
use bytes::Bytes;
use std::collections::BTreeSet;

/// Fate of a member of a group whose transaction ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Its decision holds.
    Holds,
    /// The member must decide again.
    Again,
    /// The member did not decide in time.
    Silent,
}

/// Reply of a member that was asked to decide.
#[derive(Debug)]
pub(super) enum MemberReply {
    Batch(Batch),
    /// The commit's future was dropped.
    Gone,
    /// There was no answer in time.
    Silent,
}

/// Values of declared keys in the database, including that of a fence, which a lane reports.
pub(super) type Values = ByKey<Bytes>;

/// The decisions of a group.
#[derive(Debug)]
pub(super) struct Decided {
    pub(super) writes: Writes,
    pub(super) verdicts: Vec<Verdict>,
    /// True for each member that writes something.
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

    /// Returns the values that a member is shown: the group's writes, or else the database's
    /// values.
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

    pub(super) fn take(&mut self, nth: usize, answer: MemberReply, group_bytes: usize) {
        let verdict = match answer {
            MemberReply::Gone => Verdict::Holds,
            MemberReply::Silent => Verdict::Silent,
            MemberReply::Batch(batch) if batch.is_empty() => Verdict::Holds,
            MemberReply::Batch(batch) => {
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

    /// Returns the absent keys on whose absence a member writes.
    pub(super) fn held_keys<'m>(
        &self,
        members: &'m [Member],
        values: &Values,
    ) -> BTreeSet<&'m Located> {
        let writers = members.iter().zip(&self.writers).filter(|(_, is_writer)| **is_writer);
        let is_absent = |key: &&Located| !values.contains_key(&key.key);
        writers.flat_map(|(member, _)| member.keys()).filter(is_absent).collect()
    }

    /// Sends the members back whose values may not be of one state.
    pub(super) fn send_doubtful_back(&mut self, members: &[Member], values: &Values) {
        let doubtful: Vec<usize> = self.doubtful(members, values).map(|(nth, _)| nth).collect();
        for nth in doubtful {
            if let Some(verdict) = self.verdicts.get_mut(nth) {
                *verdict = Verdict::Again;
            }
        }
    }
}
