//! Versions that a table keeps as items: with a write of the newest state, the same commit keeps the numbered copy.
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
use hashrange_model::{ApiResult, AttributeValue, Item, Number, Reason, ValueRef};
use hashrange_storage::{Direction, Key, KeyRange, Store, View, Wanted};
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// Keys of next versions that are declared, at most: four times as many in each attempt.
const SPREAD_MAX: u64 = 64;
/// Keys that are looked through for the latest version, where the newest state has no number, and for old ones.
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
    name: &'w str,
    /// Number of the latest version, as far as is known.
    latest: u64,
    /// Next numbers with their keys.
    next: Vec<(u64, ItemKey)>,
    /// Keys of versions that are no longer kept.
    aged: Vec<ItemKey>,
}

/// Items that a write keeps beside its own, as they are stored.
#[derive(Debug)]
pub(super) struct Revision<'n> {
    rules: &'n VersionRules,
    /// Sort key attribute of the table.
    sort: &'n str,
    number: u64,
    name: &'n str,
    pub(super) version: &'n ItemKey,
    /// Versions that are no longer kept.
    pub(super) aged: Vec<(&'n ItemKey, Item)>,
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
        numbered.refuse_declared(writes);
        Ok(numbered)
    }

    /// Refuses versions whose keys the same commit declares otherwise: every key is declared once.
    fn refuse_declared(&mut self, writes: &[(&Table, Write<'_>)]) {
        if self.0.is_empty() {
            return;
        }
        let mut declared: BTreeSet<Key> =
            writes.iter().map(|(_, write)| write.key.bytes.clone()).collect();
        for (_, planned) in self.0.iter_mut().flatten() {
            let Ok(plan) = planned else { continue };
            if let Some((_, key)) =
                plan.next.first().filter(|(_, key)| declared.contains(&key.bytes))
            {
                let key = sort_text(key).unwrap_or_default().to_owned();
                *planned = Err(Reason::History(HistoryFault::VersionWritten(key)));
                continue;
            }
            plan.next.retain(|(_, key)| declared.insert(key.bytes.clone()));
            plan.aged.retain(|key| declared.insert(key.bytes.clone()));
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
            let plan = match planned {
                Ok(plan) => plan,
                Err(reason) => {
                    revisions.push((*key, Err(reason.clone().into())));
                    continue;
                }
            };
            let (of_plan, behind) = rest.split_at(plan.keys().count());
            rest = behind;
            revisions.push((*key, plan.revision(own.as_ref(), of_plan).transpose()?));
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
            let (of_plan, behind) = rest.split_at(plan.keys().count());
            rest = behind;
            let newest = own.clone().and_then(|stored| Item::from_stored(stored).ok());
            let taken = plan.next.iter().zip(of_plan).filter(|(_, stored)| stored.is_some());
            let taken = taken.map(|((number, _), _)| *number).max().unwrap_or(0);
            let latest = newest.and_then(|item| plan.rules.latest(&item)).unwrap_or(plan.latest);
            plan.latest = latest.max(taken);
            let spread = (plan.next.len() as u64 * 4).clamp(4, SPREAD_MAX);
            if let Err(reason) = plan.choose(spread) {
                *planned = Err(reason);
            }
        }
        self.refuse_declared(writes);
    }
}

/// Versions of the writes of a commit, by the keys of the items.
#[derive(Debug, Default)]
pub(super) struct Revisions<'n>(Vec<(&'n Key, ApiResult<Revision<'n>>)>);

impl<'n> Revisions<'n> {
    /// Returns the version that the write of an item keeps; none if the item has none.
    pub(super) fn of(&self, key: &Key) -> Option<&ApiResult<Revision<'n>>> {
        self.0.iter().find(|(known, _)| *known == key).map(|(_, revision)| revision)
    }
}

impl<'w> Plan<'w> {
    /// Returns the plan of a write before its keys are chosen; none if it keeps no version.
    fn of(table: &'w Table, write: &'w Write<'_>) -> Option<Self> {
        let rules = table.versions.as_ref().filter(|_| write.keeps_versions)?;
        match write.action {
            Action::Put(_) | Action::PutUnsettled(_) | Action::Update(_) => {}
            Action::Delete
            | Action::Expire(_)
            | Action::Check
            | Action::Derive
            | Action::Restore(_) => return None,
        }
        let name = rules.name(sort_text(&write.key)?)?;
        let (next, aged) = (Vec::new(), Vec::new());
        Some(Self { table, rules, key: &write.key, name, latest: 0, next, aged })
    }

    /// Returns the plan with its keys, by what a view shows.
    async fn known<V: View>(mut self, view: &V) -> ApiResult<Planned<'w>> {
        let of_table = |error| fault::of_tables([self.table], error);
        let stored = view.get(&self.key.bytes).await.map_err(of_table)?;
        let stored = stored.map(Item::from_stored).transpose().map_err(fault::of_form)?;
        self.latest = match stored.and_then(|item| self.rules.latest(&item)) {
            Some(latest) => latest,
            None => match self.greatest(view).await? {
                Ok(greatest) => greatest,
                Err(reason) => return Ok(Err(reason)),
            },
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
            let Some(text) = self.rules.version(number, self.name) else { break };
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

    /// Returns the greatest number of the item's versions, 0 if there are none; the reason if it cannot be told.
    async fn greatest<V: View>(&self, view: &V) -> ApiResult<Result<u64, Reason>> {
        let (mut greatest, mut looked_through) = (0, 0);
        let mut is_known = true;
        self.visit(view, Direction::Backward, |sort| {
            looked_through += 1;
            let number = self.rules.number(sort, self.name);
            greatest = greatest.max(number.unwrap_or(0));
            let is_found = number.is_some() && self.rules.is_padded();
            is_known = is_found || looked_through < LOOKED_THROUGH_MAX;
            is_found || !is_known
        })
        .await?;
        if is_known {
            return Ok(Ok(greatest));
        }
        let why = format!(
            "{} has no number, and more than {LOOKED_THROUGH_MAX} keys begin as its versions do",
            sort_text(self.key).unwrap_or_default()
        );
        Ok(Err(Reason::History(HistoryFault::Versions(why))))
    }

    /// Returns the keys of the oldest versions that are not among the latest `keep`.
    async fn aged<V: View>(&self, view: &V, keep: u64) -> ApiResult<Vec<ItemKey>> {
        let oldest_kept = self.latest.saturating_add(2).saturating_sub(keep);
        let mut looked_through = 0;
        // What a write leaves over, found or not among the keys of others.
        let mut numbers: BTreeSet<u64> =
            oldest_kept.checked_sub(1).filter(|number| *number > 0).into_iter().collect();
        self.visit(view, Direction::Forward, |sort| {
            looked_through += 1;
            if let Some(number) = self.rules.number(sort, self.name) {
                if number >= oldest_kept && self.rules.is_padded() {
                    return true;
                }
                numbers.extend(Some(number).filter(|number| *number < oldest_kept));
            }
            looked_through >= LOOKED_THROUGH_MAX
        })
        .await?;
        let texts = numbers.iter().filter_map(|number| self.rules.version(*number, self.name));
        Ok(texts.take(AGED_MAX).map(|text| beside(self.key, &text)).collect())
    }

    /// Visits sort keys that begin as the item's versions do, until `is_done` says so.
    async fn visit<V: View>(
        &self,
        view: &V,
        direction: Direction,
        mut is_done: impl FnMut(&str) -> bool + Send,
    ) -> ApiResult<()> {
        let beginning = self.rules.beginning(self.name);
        let range = KeyRange::prefix(&beside(self.key, &beginning).bytes);
        let wanted = Wanted { entries: AGED_MAX, bytes: usize::MAX };
        let start = self.key.bytes.len() - layout::sort_of_item(self.key).len();
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
        self.next.iter().map(|(_, key)| key).chain(&self.aged)
    }

    /// Returns the version of the write, by the values of its own item and of its keys. `None` means that other
    /// writers took all numbers.
    fn revision(
        &self,
        own: Option<&Bytes>,
        stored: &[Option<Bytes>],
    ) -> ApiResult<Option<Revision<'_>>> {
        let item = |stored: &Bytes| Item::from_stored(stored.clone()).map_err(fault::of_form);
        let (next, aged) = stored.split_at(self.next.len());
        let newest = own.map(item).transpose()?;
        let latest = newest.and_then(|item| self.rules.latest(&item)).unwrap_or(self.latest);
        let mut free = self.next.iter().zip(next);
        let free = free.find(|((number, _), stored)| *number > latest && stored.is_none());
        let Some(((number, version), _)) = free else { return Ok(None) };
        let aged = self.aged.iter().zip(aged);
        let aged = aged.filter_map(|(key, stored)| {
            Some(stored.as_ref().map(item)?.map(|stored| (key, stored)))
        });
        Ok(Some(Revision {
            rules: self.rules,
            sort: self.table.key.sort.first().map_or("", |attribute| &attribute.name),
            number: *number,
            name: self.name,
            version,
            aged: aged.collect::<ApiResult<_>>()?,
        }))
    }
}

impl VersionRules {
    /// Returns the number of the latest version at the newest state.
    fn latest(&self, newest: &Item) -> Option<u64> {
        match newest.get(&self.record.number)? {
            ValueRef::N(number) => {
                let number = number.to_number();
                // A fraction is no number of a version.
                number.whole_u64().filter(|whole| Number::from(*whole) == number)
            }
            _ => None,
        }
    }

    /// Returns a new state with the number that is stored, and whether it differs from the stored one in more.
    pub(super) fn with_stored_number(&self, old: Option<&Item>, new: &Item) -> (Item, bool) {
        let number = &self.record.number;
        let bare = |item: &Item| item.retain(|name| name != number);
        let after = bare(new);
        let is_changed = old.map(bare).as_ref() != Some(&after);
        let stored = old.and_then(|old| old.get(number));
        let state = match stored {
            Some(stored) => after.with_changes([(&**number, Some(stored))]),
            None => after,
        };
        // A state without a number gets one with its first version.
        (state, is_changed || stored.is_none())
    }
}

impl Revision<'_> {
    /// Returns the newest state with the number of its version.
    pub(super) fn numbered(&self, state: &Item) -> Item {
        let number = AttributeValue::from(self.number).to_value();
        state.with_changes([(&*self.rules.record.number, Some(number.get()))])
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
        let key = (self.sort, Some(ValueRef::S(&*key)));
        bare.with_changes(expiry.into_iter().chain([key]))
    }
}

/// Returns the key of another item of the same collection.
fn beside(key: &ItemKey, sort: &str) -> ItemKey {
    let start = key.bytes.len() - layout::sort_of_item(key).len();
    let mut bytes = key.bytes.get(..start).expect("the sort key is the end").to_vec();
    bytes.extend_from_slice(sort.as_bytes());
    ItemKey { bytes, partition_length: key.partition_length }
}

fn sort_text(key: &ItemKey) -> Option<&str> {
    std::str::from_utf8(layout::sort_of_item(key)).ok()
}
