//! The servers that share the store, and the division of the tables' background work among them.
//!
//! Each server keeps a row that it changes with every beat of its heart. If a row has not changed
//! for some beats of another server, that server takes its owner for dead: it removes the row, and
//! the owner's work falls to the others. So no comparison of clocks decides who is dead, and a
//! server that was held up for long finds its row gone and joins again. Each table belongs to one
//! of the servers that are alive, by rendezvous hashing: when a server joins or leaves, only the
//! tables that it gets or had change hands.
//!
//! This only divides the work: for a moment two servers may do the same work, or none. A job's
//! writes do not depend on the division: each commit checks the stored state.
//!
//! Servers compare their clocks as well. Data that are removed by the clock (expired items, stream
//! records, tokens) are gone for good: a server whose clock differs too much from the clocks of
//! half of the others, or more, does not remove them.
//!
//! A store that is not shared has one server, and no row.

use crate::core::Core;
use crate::layout;
use crate::schema::TableId;
use bytes::Bytes;
use hashrange_storage::{Direction, Error, Key, Store, View, Wanted};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::{Mutex, MutexGuard, PoisonError};
use xxhash_rust::xxh3::xxh3_64;

/// Beats without a change of its row after which a server is dead.
const BEATS_UNTIL_DEAD: u32 = 8;
/// Largest accepted difference of clocks, milliseconds: more is a fault that an operator has to
/// correct.
const APART_MAX_MS: u64 = 10_000;
/// Maximum of servers that are read.
const SERVERS_MAX: usize = 1000;
/// Version of a row's form.
const ROW_FORM: u8 = 1;

/// Number of a server, a new one each time it joins.
type ServerId = u128;

/// Contents of a server's row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Row {
    /// Number of beats of the server's heart.
    beat: u64,
    /// Server's clock at the beat, epoch milliseconds.
    clock_ms: u64,
}

impl Row {
    fn encode(self) -> Bytes {
        let (beat, clock) = (self.beat.to_le_bytes(), self.clock_ms.to_le_bytes());
        [&[ROW_FORM][..], &beat, &clock].concat().into()
    }

    /// Decodes a row; `None` for another form, which a later release may write.
    fn decode(stored: &[u8]) -> Option<Self> {
        let (form, rest) = stored.split_first()?;
        let (beat, clock_ms) = rest.split_first_chunk::<8>()?;
        let row = Self {
            beat: u64::from_le_bytes(*beat),
            clock_ms: u64::from_le_bytes(clock_ms.try_into().ok()?),
        };
        (*form == ROW_FORM).then_some(row)
    }
}

/// Another server, as this one last saw it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct OtherServer {
    stored: Bytes,
    /// Number of beats of this server's heart since its row has changed.
    unchanged: u32,
    /// Least possible difference of its clock to this server's, milliseconds, if known.
    apart_ms: Option<u64>,
}

/// State of the servers that share a store, as one of them sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServersSeen {
    /// Servers that are alive, this one among them if it has joined.
    pub alive: u64,
    /// Largest difference between the clock of this server and another one's, milliseconds; of each
    /// the least possible difference.
    pub clock_difference_ms: u64,
    /// True if this server removes expired data. False if its clock differs from those of half of
    /// the others or more.
    pub trusts_clock: bool,
    /// Number of tables.
    pub tables: u64,
    /// Number of tables whose background work belongs to this server.
    pub own_tables: u64,
}

/// A server that shares the store, as this one last saw it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerSeen {
    /// Its number, in hexadecimal digits.
    pub id: String,
    /// True for this server.
    pub is_this: bool,
    /// Time of its last beat by its own clock, epoch milliseconds, if it can be read.
    pub beat_at_ms: Option<u64>,
}

/// This server's knowledge of the servers.
#[derive(Debug, Default)]
pub(super) struct Servers(Mutex<Membership>);

#[derive(Debug, Default)]
struct Membership {
    /// Number and beat of this server, if it has joined.
    own: Option<(ServerId, u64)>,
    others: BTreeMap<ServerId, OtherServer>,
    /// Time of the last beat by this server's clock, epoch milliseconds.
    beat_at_ms: u64,
    is_apart: bool,
}

impl Servers {
    /// Returns whether the background work of a table belongs to this server.
    pub(super) fn is_mine<S: Store>(&self, core: &Core<S>, table: TableId) -> bool {
        !core.store.is_shared() || self.membership().is_mine(table)
    }

    /// Returns whether this server may remove data by its clock.
    pub(super) fn trust_clock(&self) -> bool {
        !self.membership().is_apart
    }

    /// Returns the state of the servers that share the store; `None` if it is not shared.
    pub(super) fn servers_seen<S: Store>(&self, core: &Core<S>) -> Option<ServersSeen> {
        if !core.store.is_shared() {
            return None;
        }
        let tables = core.catalog.all();
        let membership = self.membership();
        let apart = membership.others.values().filter_map(|seen| seen.apart_ms);
        Some(ServersSeen {
            alive: membership.alive().len() as u64,
            clock_difference_ms: apart.max().unwrap_or(0),
            trusts_clock: !membership.is_apart,
            tables: tables.len() as u64,
            own_tables: tables.iter().filter(|table| membership.is_mine(table.id())).count() as u64,
        })
    }

    /// Returns the servers that share the store; none if it is not shared.
    pub(super) fn list<S: Store>(&self, core: &Core<S>) -> Vec<ServerSeen> {
        if !core.store.is_shared() {
            return Vec::new();
        }
        let membership = self.membership();
        let name = |id: ServerId| format!("{id:032x}");
        let own = membership.own.map(|(id, _)| ServerSeen {
            id: name(id),
            is_this: true,
            beat_at_ms: Some(membership.beat_at_ms),
        });
        let others = membership.others.iter().map(|(id, seen)| ServerSeen {
            id: name(*id),
            is_this: false,
            beat_at_ms: Row::decode(&seen.stored).map(|row| row.clock_ms),
        });
        own.into_iter().chain(others).collect()
    }

    /// Writes the next beat of this server and reads the rows of the others. Returns whether the
    /// division of work may have changed.
    pub(super) async fn beat<S: Store>(&self, core: &Core<S>) -> Result<bool, Error> {
        if !core.store.is_shared() {
            return Ok(false);
        }
        let now_ms = (core.environment.now_ms)();
        let own = self.membership().own;
        let own = beat_once(core, own, now_ms).await?;
        let rows = read_rows(core).await?;
        let before = self.membership().alive();
        let dead = self.membership().look(own, rows, now_ms);
        for (id, stored) in dead {
            remove(core, id, &stored).await?;
        }
        let membership = self.membership();
        Ok(before != membership.alive())
    }

    /// Removes this server's row: the others take over its work at once.
    pub(super) async fn leave<S: Store>(&self, core: &Core<S>) -> Result<(), Error> {
        let own = self.membership().own.take();
        let Some((id, _)) = own else { return Ok(()) };
        let key = layout::server(id);
        core.commit(|| vec![key.clone()], |_, batch| batch.delete(key.clone())).await
    }

    fn membership(&self) -> MutexGuard<'_, Membership> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Membership {
    fn alive(&self) -> Vec<ServerId> {
        let own = self.own.map(|(id, _)| id);
        self.others.keys().copied().chain(own).collect()
    }

    fn is_mine(&self, table: TableId) -> bool {
        let weight =
            |id: ServerId| (xxh3_64(&[&id.to_be_bytes()[..], &table.0.to_be_bytes()].concat()), id);
        let own = self.own.map(|(id, _)| weight(id));
        own.is_some_and(|own| self.others.keys().all(|other| weight(*other) < own))
    }

    /// Updates the state of the others from the rows of all servers. Returns the dead servers.
    fn look(
        &mut self,
        own: (ServerId, u64),
        rows: Vec<(ServerId, Bytes)>,
        now_ms: u64,
    ) -> Vec<(ServerId, Bytes)> {
        // A row that has changed since the last beat was written no longer ago than this.
        let gap_ms = now_ms.abs_diff(self.beat_at_ms);
        self.own = Some(own);
        self.beat_at_ms = now_ms;
        let known = std::mem::take(&mut self.others);
        let mut dead = Vec::new();
        for (id, stored) in rows.into_iter().filter(|(id, _)| *id != own.0) {
            let seen = match known.get(&id) {
                Some(seen) if seen.stored == stored => {
                    OtherServer { unchanged: seen.unchanged + 1, ..seen.clone() }
                }
                Some(_) => {
                    let apart_ms = Row::decode(&stored).map(|row| apart_ms(row, now_ms, gap_ms));
                    OtherServer { stored, unchanged: 0, apart_ms }
                }
                None => OtherServer { stored, unchanged: 0, apart_ms: None },
            };
            if seen.unchanged >= BEATS_UNTIL_DEAD {
                dead.push((id, seen.stored));
            } else {
                self.others.insert(id, seen);
            }
        }
        self.compare_clocks();
        dead
    }

    fn compare_clocks(&mut self) {
        let apart = self.others.values().filter_map(|seen| seen.apart_ms);
        let (mut beyond, mut compared, mut most_ms) = (0, 0, 0);
        for apart_ms in apart {
            compared += 1;
            beyond += usize::from(apart_ms > APART_MAX_MS);
            most_ms = apart_ms.max(most_ms);
        }
        let is_apart = 2 * beyond >= compared && beyond > 0;
        if is_apart && !self.is_apart {
            tracing::error!(
                most_ms,
                "this server's clock is apart from those of others on the same store: it removes \
                 nothing that has expired until they agree"
            );
        } else if self.is_apart && !is_apart {
            tracing::info!("the clocks of the servers agree again");
        }
        self.is_apart = is_apart;
    }
}

/// Returns the least possible difference between the clock that wrote a row and the one that shows
/// `now_ms`, if the row was written at most `gap_ms` ago.
fn apart_ms(row: Row, now_ms: u64, gap_ms: u64) -> u64 {
    let behind = now_ms.saturating_sub(row.clock_ms).saturating_sub(gap_ms);
    behind.max(row.clock_ms.saturating_sub(now_ms))
}

/// Writes the row of this server; joins with a new row if it has none or the others have removed
/// it.
async fn beat_once<S: Store>(
    core: &Core<S>,
    own: Option<(ServerId, u64)>,
    now_ms: u64,
) -> Result<(ServerId, u64), Error> {
    if let Some((id, beat)) = own {
        let key = layout::server(id);
        let row = Row { beat: beat + 1, clock_ms: now_ms }.encode();
        let is_known = core.commit(
            || vec![key.clone()],
            |current, batch| {
                current[0].as_ref().inspect(|_| batch.put(key.clone(), row.clone())).is_some()
            },
        );
        if is_known.await? {
            return Ok((id, beat + 1));
        }
        tracing::warn!("others took this server for dead: it joins them anew");
    }
    let id = (core.environment.random)();
    let (key, row) = (layout::server(id), Row { beat: 0, clock_ms: now_ms }.encode());
    core.commit(|| vec![key.clone()], |_, batch| batch.put(key.clone(), row.clone())).await?;
    Ok((id, 0))
}

async fn read_rows<S: Store>(core: &Core<S>) -> Result<Vec<(ServerId, Bytes)>, Error> {
    let mut rows = Vec::new();
    let view = core.store.view().await?;
    let wanted = Wanted::entries(SERVERS_MAX);
    view.visit(layout::servers(), Direction::Forward, wanted, |key, value| {
        rows.extend(layout::parse_server(key).map(|id| (id, value.clone())));
        if rows.len() < SERVERS_MAX { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })
    .await?;
    Ok(rows)
}

/// Removes the row of a dead server, if it is still as it was seen.
async fn remove<S: Store>(core: &Core<S>, id: ServerId, seen: &Bytes) -> Result<(), Error> {
    let key: Key = layout::server(id);
    tracing::warn!(server = format!("{id:032x}"), "a server is gone: others do its work");
    core.commit(
        || vec![key.clone()],
        |current, batch| {
            if current[0].as_ref() == Some(seen) {
                batch.delete(key.clone());
            }
        },
    )
    .await
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(beat: u64, clock_ms: u64) -> Bytes {
        Row { beat, clock_ms }.encode()
    }

    #[test]
    fn a_table_belongs_to_one_server_and_changes_hands_with_it() {
        let ids: Vec<ServerId> = (1..=5).collect();
        let owner = |ids: &[ServerId], table: u32| {
            let owners = ids.iter().filter(|own| {
                let mut membership = Membership::default();
                let rows = ids.iter().map(|id| (*id, row(0, 0))).collect();
                membership.look((**own, 0), rows, 0);
                membership.is_mine(TableId(table))
            });
            let owners: Vec<_> = owners.copied().collect();
            assert_eq!(owners.len(), 1, "table {table}");
            owners[0]
        };
        let mut had = BTreeMap::new();
        for table in 0..200 {
            let before = owner(&ids, table);
            let after = owner(&ids[..4], table);
            assert!(before == after || before == 5, "only what server 5 had changes hands");
            *had.entry(before).or_insert(0) += 1;
        }
        assert!(had.len() == 5 && had.values().all(|tables| *tables > 20), "{had:?}");
    }

    #[test]
    fn a_server_is_dead_when_its_row_has_not_changed_for_some_beats() {
        let mut membership = Membership::default();
        for beat in 0..100 {
            let dead = membership.look((1, beat), vec![(2, row(beat / 5, 0))], 0);
            assert_eq!(dead, [], "its heart beats slowly");
        }
        let last = row(20, 0);
        assert_eq!(membership.look((1, 100), vec![(2, last.clone())], 0), []);
        for _ in 1..BEATS_UNTIL_DEAD {
            assert_eq!(membership.look((1, 101), vec![(2, last.clone())], 0), []);
            assert_eq!(membership.alive(), [2, 1]);
        }
        assert_eq!(membership.look((1, 102), vec![(2, last.clone())], 0), [(2, last)]);
        assert_eq!(membership.alive(), [1]);
    }

    #[test]
    fn who_is_apart_from_most_does_not_trust_its_clock() {
        const NOW_MS: u64 = 1_000_000;
        let is_apart = |clocks: &[u64]| {
            let mut membership = Membership { beat_at_ms: NOW_MS, ..Membership::default() };
            for beat in 0..2 {
                let at_ms = NOW_MS + 1000 * beat;
                let clocks = clocks.iter().enumerate();
                let rows = clocks.map(|(nth, clock)| (nth as u128, row(beat, clock + 1000 * beat)));
                membership.look((9, beat), rows.collect(), at_ms);
            }
            membership.is_apart
        };
        assert!(!is_apart(&[]));
        assert!(!is_apart(&[NOW_MS, NOW_MS - 5000, NOW_MS + 5000]));
        assert!(!is_apart(&[NOW_MS, NOW_MS, NOW_MS + 60_000]), "it is the other one");
        assert!(is_apart(&[NOW_MS + 60_000]));
        assert!(is_apart(&[NOW_MS - 60_000, NOW_MS - 60_000, NOW_MS]));
    }

    #[test]
    fn a_row_of_another_form_is_left_alone() {
        let stored = row(7, 8);
        assert_eq!(Row::decode(&stored), Some(Row { beat: 7, clock_ms: 8 }));
        for other in [&stored[..16], &[], &[2; 17], &[ROW_FORM; 18]] {
            assert_eq!(Row::decode(other), None, "{other:?}");
        }
    }
}
