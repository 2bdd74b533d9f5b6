//! Versions that a table keeps as items: with a write of an item under its key, the same commit keeps the numbered copy
//! and, where clients write another key, the newest state at the pointer.
//!
//! The number of the latest version stands at the newest state. Before the commit a view shows it, so the keys of the
//! next versions can be declared; under the locks the stored number decides, and the first of them that is free is
//! taken. If others were faster than the declared keys reach, they are chosen again, more of them each time.
//!
//! A write that changes nothing keeps no version. Removals, expiries and the writes of jobs keep none.
//!
//! Left to others: the forms of keys (`schema/versions.rs`).

use super::{Action, Write};
use crate::core::Core;
use crate::fault;
use crate::layout::{self, ItemKey};
use crate::schema::{Table, VersionRules};
use bytes::Bytes;
use hashrange_model::error::HistoryFault;
use hashrange_model::limits::SORT_KEY_MAX_BYTES;
use hashrange_model::{ApiResult, AttributeValue, Item, Reason, ValueRef};
use hashrange_storage::{Direction, Key, KeyRange, Store, View, Wanted};
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// Keys of next versions that are declared, at most: four times as many in each attempt.
const SPREAD_MAX: u64 = 64;
/// Versions that are looked through for the latest, where the newest state has no number.
const LOOKED_THROUGH_MAX: usize = 10_000;
/// Old versions that one write removes, at most.
const AGED_MAX: usize = 4;

const SECONDS_OF_DAY: u64 = 24 * 60 * 60;

/// Versions that the writes of a commit keep; the place of each write has one or none.
#[derive(Debug, Default)]
pub(super) struct Numbered<'w>(Vec<Option<(&'w Key, Planned<'w>)>>);

type Planned<'w> = Result<Plan<'w>, Reason>;

/// Keys of the versions of an item.
#[derive(Debug)]
struct Plan<'w> {
    table: &'w Table,
    rules: &'w VersionRules,
    key: &'w ItemKey,
    name: String,
    /// Number of the latest version, as far as is known.
    latest: u64,
    /// Next numbers with their keys.
    next: Vec<(u64, ItemKey)>,
    /// Key of the newest state, if clients write another one.
    pointer: Option<ItemKey>,
    /// Keys of versions that are no longer kept.
    aged: Vec<ItemKey>,
    is_removal: bool,
}

/// Items that a write keeps beside its own, as they are stored.
#[derive(Debug)]
pub(super) struct Revision<'n> {
    rules: &'n VersionRules,
    /// Sort key attribute of the table.
    sort: &'n str,
    pub(super) number: u64,
    name: &'n str,
    pub(super) version: &'n ItemKey,
    /// Key of the newest state and its item, if clients write another key.
    pub(super) pointer: Option<(&'n ItemKey, Option<Item>)>,
    /// Versions that are no longer kept.
    pub(super) aged: Vec<(&'n ItemKey, Item)>,
    is_removal: bool,
}

impl<'w> Numbered<'w> {
    /// Plans the versions of the writes of a commit.
    pub(super) async fn of<S: Store>(
        core: &Core<S>,
        writes: &'w [(&Table, Write<'_>)],
    ) -> ApiResult<Self> {
        let view = core.view().await?;
        let mut plans = Vec::with_capacity(writes.len());
        for (table, write) in writes {
            plans.push(match Plan::of(table, write) {
                Some(plan) => Some((&write.key.bytes, plan.known(&view).await?)),
                None => None,
            });
        }
        let mut numbered = Self(plans);
        numbered.refuse_written(writes);
        Ok(numbered)
    }

    /// Refuses versions that the same commit writes by itself.
    fn refuse_written(&mut self, writes: &[(&Table, Write<'_>)]) {
        if self.0.is_empty() {
            return;
        }
        let own: BTreeSet<&Key> = writes.iter().map(|(_, write)| &write.key.bytes).collect();
        for planned in &mut self.0 {
            let Some((_, planned)) = planned else { continue };
            let Ok(plan) = planned else { continue };
            let is_own = |key: &ItemKey| own.contains(&key.bytes);
            let (first, pointer) = (plan.next.first().map(|it| &it.1), plan.pointer.as_ref());
            if let Some(key) = first.into_iter().chain(pointer).find(|key| is_own(key)) {
                let key = sort_text(key).unwrap_or_default().to_owned();
                *planned = Err(Reason::History(HistoryFault::VersionWritten(key)));
                continue;
            }
            plan.next.retain(|(_, key)| !is_own(key));
            plan.aged.retain(|key| !is_own(key));
        }
    }

    fn plans(&self) -> impl Iterator<Item = &Plan<'w>> {
        self.0.iter().flatten().filter_map(|(_, planned)| planned.as_ref().ok())
    }

    /// Returns the keys of the items that may be kept, with their tables, in the order in which [`Self::read`]
    /// expects their values.
    pub(super) fn keys(&self) -> impl Iterator<Item = (&'w Table, &Key)> {
        self.plans().flat_map(|plan| plan.keys().map(|key| (plan.table, &key.bytes)))
    }

    /// Returns the versions of the write with a place, by the values of [`Self::keys`] and its own. `None` means that
    /// other writers took all numbers.
    fn revision<'n>(
        planned: &'n Planned<'w>,
        own: Option<&Bytes>,
        stored: &[Option<Bytes>],
    ) -> ApiResult<Option<Revision<'n>>> {
        let plan = match planned {
            Ok(plan) => plan,
            Err(reason) => return Err(reason.clone().into()),
        };
        let item = |stored: &Option<Bytes>| {
            stored.clone().map(Item::from_stored).transpose().map_err(fault::of_form)
        };
        let (next, rest) = stored.split_at(plan.next.len());
        let (pointer, aged) = rest.split_at(usize::from(plan.pointer.is_some()));
        let pointer_item = pointer.first().map(item).transpose()?.flatten();
        let newest = match &plan.pointer {
            Some(_) => pointer_item.clone(),
            None => item(&own.cloned())?,
        };
        let latest = newest.and_then(|item| plan.rules.latest(&item)).unwrap_or(plan.latest);
        let free = plan
            .next
            .iter()
            .zip(next)
            .find(|((number, _), stored)| *number > latest && stored.is_none());
        let (number, version) = match free {
            Some(((number, version), _)) => (*number, version),
            None if plan.is_removal => (0, plan.key),
            None => return Ok(None),
        };
        let aged = plan.aged.iter().zip(aged).filter_map(|(key, stored)| {
            item(stored).transpose().map(|item| item.map(|item| (key, item)))
        });
        Ok(Some(Revision {
            rules: plan.rules,
            sort: plan.sort(),
            number,
            name: &plan.name,
            version,
            pointer: plan.pointer.as_ref().map(|key| (key, pointer_item)),
            aged: aged.collect::<ApiResult<_>>()?,
            is_removal: plan.is_removal,
        }))
    }

    /// Returns the versions of each write, `current` being the values of the writes' items and `stored` those of
    /// [`Self::keys`]. `None` means that the keys have to be chosen again.
    pub(super) fn read<'n>(
        &'n self,
        current: &[Option<Bytes>],
        stored: &[Option<Bytes>],
    ) -> Option<Revisions<'n>> {
        let mut rest = stored;
        let mut revisions = Vec::new();
        for (planned, own) in self.0.iter().zip(current) {
            let Some((key, planned)) = planned else { continue };
            let count = planned.as_ref().map_or(0, |plan| plan.keys().count());
            let (of_plan, behind) = rest.split_at(count);
            rest = behind;
            let revision = Self::revision(planned, own.as_ref(), of_plan).transpose()?;
            revisions.push((*key, revision));
        }
        Some(Revisions(revisions))
    }

    /// Chooses keys again by the stored values: four times as many.
    pub(super) fn choose_again(
        &mut self,
        writes: &'w [(&Table, Write<'_>)],
        current: &[Option<Bytes>],
        stored: &[Option<Bytes>],
    ) {
        let mut rest = stored;
        for (planned, own) in self.0.iter_mut().zip(current) {
            let Some((_, planned)) = planned else { continue };
            let Ok(plan) = planned else { continue };
            let count = plan.keys().count();
            let (of_plan, behind) = rest.split_at(count);
            rest = behind;
            let newest = match &plan.pointer {
                Some(_) => of_plan.get(plan.next.len()).cloned().flatten(),
                None => own.clone(),
            };
            let newest = newest.and_then(|stored| Item::from_stored(stored).ok());
            let taken = plan.next.iter().zip(of_plan).filter(|(_, stored)| stored.is_some());
            let taken = taken.map(|((number, _), _)| *number).max().unwrap_or(0);
            let latest = newest.and_then(|item| plan.rules.latest(&item)).unwrap_or(plan.latest);
            plan.latest = latest.max(taken);
            let spread = (plan.next.len() as u64 * 4).clamp(4, SPREAD_MAX);
            if let Err(reason) = plan.choose(spread) {
                *planned = Err(reason);
            }
        }
        self.refuse_written(writes);
    }
}

/// Versions of the writes of a commit, by the keys of the items.
#[derive(Debug, Default)]
pub(super) struct Revisions<'n>(Vec<(&'n Key, ApiResult<Revision<'n>>)>);

impl<'n> Revisions<'n> {
    /// Returns the versions that the write of an item keeps.
    pub(super) fn of(&self, key: &Key) -> ApiResult<Option<&Revision<'n>>> {
        match self.0.iter().find(|(known, _)| *known == key) {
            None => Ok(None),
            Some((_, Ok(revision))) => Ok(Some(revision)),
            Some((_, Err(error))) => Err(error.clone()),
        }
    }
}

impl<'w> Plan<'w> {
    /// Returns the plan of a write before its keys are chosen; none if it keeps no version.
    fn of(table: &'w Table, write: &'w Write<'_>) -> Option<Self> {
        let rules = table.versions.as_ref()?;
        let is_removal = match write.action {
            Action::Put(_) | Action::PutUnsettled(_) | Action::Update(_) => false,
            // The state at a pointer of its own goes with the item.
            Action::Delete | Action::Expire(_) if rules.record.written.is_some() => true,
            Action::Delete
            | Action::Expire(_)
            | Action::Check
            | Action::Derive
            | Action::Restore(_) => return None,
        };
        let name = rules.name(sort_text(&write.key)?)?.to_owned();
        let pointer = rules.pointer(&name).map(|text| beside(&write.key, &text));
        Some(Self {
            table,
            rules,
            key: &write.key,
            name,
            latest: 0,
            next: Vec::new(),
            pointer,
            aged: Vec::new(),
            is_removal,
        })
    }

    fn sort(&self) -> &'w str {
        self.table.key.sort.first().map_or("", |attribute| &attribute.name)
    }

    /// Returns the plan with its keys, by what a view shows.
    async fn known<V: View>(mut self, view: &V) -> ApiResult<Planned<'w>> {
        if self.is_removal {
            return Ok(Ok(self));
        }
        let newest = self.pointer.as_ref().unwrap_or(self.key);
        let of_table = |error| fault::of_tables([self.table], error);
        let stored = view.get(&newest.bytes).await.map_err(of_table)?;
        let stored = stored.map(Item::from_stored).transpose().map_err(fault::of_form)?;
        self.latest = match stored.and_then(|item| self.rules.latest(&item)) {
            Some(latest) => latest,
            None => self.greatest(view).await?,
        };
        if let Err(reason) = self.choose(1) {
            return Ok(Err(reason));
        }
        if let Some(keep) = self.rules.record.keep {
            self.aged = self.aged(view, u64::from(keep)).await?;
        }
        Ok(Ok(self))
    }

    /// Chooses the keys of so many versions after the latest.
    fn choose(&mut self, spread: u64) -> Result<(), Reason> {
        let first = self.latest.saturating_add(1);
        self.next.clear();
        for number in first..first.saturating_add(spread) {
            let Some(text) = self.rules.version(number, &self.name) else { break };
            if text.len() > SORT_KEY_MAX_BYTES {
                break;
            }
            self.next.push((number, beside(self.key, &text)));
        }
        if self.next.is_empty() {
            let form = self.rules.record.version.clone();
            return Err(Reason::History(HistoryFault::VersionTooHigh { form, number: first }));
        }
        Ok(())
    }

    /// Returns the greatest number of the item's versions, 0 if there are none.
    async fn greatest<V: View>(&self, view: &V) -> ApiResult<u64> {
        let mut greatest = 0;
        let mut looked_through = 0;
        let is_padded = self.rules.is_padded();
        let range = self.range();
        self.visit(view, range, Direction::Backward, |sort| {
            looked_through += 1;
            let number = self.rules.number(sort, &self.name);
            greatest = greatest.max(number.unwrap_or(0));
            number.is_some() && is_padded || looked_through >= LOOKED_THROUGH_MAX
        })
        .await?;
        Ok(greatest)
    }

    /// Returns the keys of versions that are not among the latest `keep`.
    async fn aged<V: View>(&self, view: &V, keep: u64) -> ApiResult<Vec<ItemKey>> {
        let mut aged = Vec::new();
        let mut looked_through = 0;
        let newest = self.latest.saturating_add(1);
        let range = self.range();
        self.visit(view, range, Direction::Forward, |sort| {
            looked_through += 1;
            if let Some(number) = self.rules.number(sort, &self.name) {
                let is_kept = number.saturating_add(keep) > newest;
                if is_kept && self.rules.is_padded() {
                    return true;
                }
                if !is_kept {
                    aged.push(beside(self.key, sort));
                }
            }
            aged.len() >= AGED_MAX || looked_through >= LOOKED_THROUGH_MAX
        })
        .await?;
        Ok(aged)
    }

    /// Returns the range of the keys that begin as the item's versions do.
    fn range(&self) -> KeyRange {
        KeyRange::prefix(&beside(self.key, &self.rules.beginning(&self.name)).bytes)
    }

    /// Visits sort keys until `is_done` says so.
    async fn visit<V: View>(
        &self,
        view: &V,
        range: KeyRange,
        direction: Direction,
        mut is_done: impl FnMut(&str) -> bool + Send,
    ) -> ApiResult<()> {
        let wanted = Wanted { entries: AGED_MAX, bytes: usize::MAX };
        let start = self.key.bytes.len() - sort_bytes(self.key).len();
        let visited = view.visit(range, direction, wanted, |key, _| {
            let sort = key.get(start..).and_then(|sort| std::str::from_utf8(sort).ok());
            if sort.is_some_and(&mut is_done) {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        visited.await.map_err(|error| fault::of_tables([self.table], error))
    }

    fn keys(&self) -> impl Iterator<Item = &ItemKey> {
        self.next.iter().map(|(_, key)| key).chain(&self.pointer).chain(&self.aged)
    }
}

impl VersionRules {
    /// Returns the number of the latest version at the newest state.
    fn latest(&self, newest: &Item) -> Option<u64> {
        match newest.get(&self.record.number)? {
            ValueRef::N(number) => number.to_number().whole_u64(),
            _ => None,
        }
    }
}

impl Revision<'_> {
    /// Returns the state of the written item as it is stored; and whether a version of it is kept, which it is if it
    /// differs from `old` in more than its number.
    pub(super) fn newest(&self, old: Option<&Item>, new: Item) -> (Item, bool) {
        let number = &self.rules.record.number;
        let bare = |item: &Item| item.retain(|name| name != number);
        let (before, after) = (old.map(bare), bare(&new));
        let is_changed = before.as_ref() != Some(&after);
        if self.pointer.is_some() {
            return (new, is_changed);
        }
        match old.and_then(|old| old.get(number)).filter(|_| !is_changed) {
            Some(stored) => (after.with_changes([(&**number, Some(stored))]), false),
            // A state without a number gets one with its first version.
            None => (self.with_number(&after), true),
        }
    }

    fn with_number(&self, item: &Item) -> Item {
        let number = AttributeValue::from(self.number).to_value();
        item.with_changes([(&*self.rules.record.number, Some(number.get()))])
    }

    /// Returns whether the write removes its item.
    pub(super) fn is_removal(&self) -> bool {
        self.is_removal
    }

    /// Returns the version of a state: the state under the version's key, without a number; it expires by `attribute`
    /// if versions do.
    pub(super) fn copy(&self, state: &Item, attribute: Option<&str>, now_ms: u64) -> Item {
        let number = &self.rules.record.number;
        let bare = state.retain(|name| name != number);
        let key = self.rules.version(self.number, self.name).expect("the number fits its form");
        let expiry = self.rules.record.keep_days.map(|days| {
            let second = now_ms / 1000 + u64::from(days) * SECONDS_OF_DAY;
            AttributeValue::from(second).to_value()
        });
        let expiry = attribute.zip(expiry.as_ref()).map(|(name, value)| (name, Some(value.get())));
        bare.with_changes([(self.sort, Some(ValueRef::S(&*key)))].into_iter().chain(expiry))
    }

    /// Returns the state at a pointer of its own.
    pub(super) fn at_pointer(&self, state: &Item) -> Item {
        let key = self.rules.pointer(self.name).expect("the pointer has a key of its own");
        self.with_number(state).with_changes([(self.sort, Some(ValueRef::S(&*key)))])
    }
}

/// Returns the key of another item of the same collection.
fn beside(key: &ItemKey, sort: &str) -> ItemKey {
    let start = key.bytes.len() - sort_bytes(key).len();
    let mut bytes = key.bytes.get(..start).expect("the sort key is the end").to_vec();
    bytes.extend_from_slice(sort.as_bytes());
    ItemKey { bytes, partition_length: key.partition_length }
}

fn sort_bytes(key: &ItemKey) -> &[u8] {
    layout::sort_of_item(key)
}

fn sort_text(key: &ItemKey) -> Option<&str> {
    std::str::from_utf8(sort_bytes(key)).ok()
}
