//! A store on a [`Disk`]. A task that waits does so as long as the scheduler likes; a caller that
//! blocks the thread makes the disk work at once.

use super::disk::Disk;
use super::executor::Polled;
use super::fate::Fate;
use super::flaw::Flaw;
use hashrange_storage::{
    Batch, Bytes, Direction, Error, Key, KeyRange, Keys, MemoryView, Stats, Store, View, Wanted,
};
use std::future::{Future, poll_fn};
use std::ops::ControlFlow;
use std::sync::{Arc, OnceLock};
use std::task::Poll;

/// A simulated store.
#[derive(Debug)]
pub(super) struct SimulatedStore {
    disk: Disk,
    turns: Turns,
    belief: Belief,
}

/// The first number of definitions that a server saw, for the planted fault that it sees no other.
#[derive(Debug, Clone, Default)]
struct Belief(Option<Arc<OnceLock<Option<Bytes>>>>);

/// Its key, see docs/format.md.
const DEFINITIONS_NUMBER: [u8; 2] = [0x01, 0x08];

impl Belief {
    fn of(disk: &Disk) -> Self {
        Self(disk.has(Flaw::StaleCatalogue).then(Arc::default))
    }

    /// Returns the value that the server sees at a key which has this value.
    fn see(&self, key: &[u8], value: Option<Bytes>) -> Option<Bytes> {
        match &self.0 {
            Some(first) if key == DEFINITIONS_NUMBER => first.get_or_init(|| value).clone(),
            _ => value,
        }
    }
}

/// A view of a [`SimulatedStore`].
#[derive(Debug, Clone)]
pub(super) struct SimulatedView {
    published: MemoryView,
    disk: Disk,
    turns: Turns,
    belief: Belief,
}

/// Lets others have their turn.
#[derive(Debug, Clone)]
struct Turns {
    fate: Fate,
    polled: Polled,
}

impl Turns {
    /// Waits for some turns, `least` or more.
    fn wait(&self, least: usize) -> impl Future<Output = ()> + Send {
        let mut left = None;
        poll_fn(move |context| {
            if self.polled.is_blocked(context) {
                return Poll::Ready(());
            }
            let more = left.unwrap_or_else(|| least + self.fate.below(8) / 6);
            if more == 0 {
                return Poll::Ready(());
            }
            left = Some(more - 1);
            context.waker().wake_by_ref();
            Poll::Pending
        })
    }
}

impl SimulatedStore {
    pub(super) fn new(disk: Disk, fate: Fate, polled: Polled) -> Self {
        let belief = Belief::of(&disk);
        Self { disk, turns: Turns { fate, polled }, belief }
    }

    /// Waits until a commit is published.
    fn published(&self, commit: u64) -> impl Future<Output = Result<(), Error>> + Send {
        poll_fn(move |context| {
            if self.turns.polled.is_blocked(context) {
                self.disk.write_all();
            }
            match self.disk.is_published(commit, context.waker()) {
                Ok(true) => Poll::Ready(Ok(())),
                Ok(false) => Poll::Pending,
                Err(error) => Poll::Ready(Err(error)),
            }
        })
    }
}

impl Store for SimulatedStore {
    type View = SimulatedView;

    async fn view(&self) -> Result<SimulatedView, Error> {
        let published = self.disk.published().view();
        let (disk, turns, belief) = (self.disk.clone(), self.turns.clone(), self.belief.clone());
        Ok(SimulatedView { published, disk, turns, belief })
    }

    async fn get_together(&self, keys: &[Key]) -> Result<Vec<Option<Bytes>>, Error> {
        self.view().await?.get_many(keys).await
    }

    async fn commit<T, F>(&self, keys: impl Into<Keys> + Send, decide: F) -> Result<T, Error>
    where
        T: Send,
        F: FnMut(&[Option<Bytes>], &mut Batch) -> T + Send,
    {
        let keys = keys.into();
        // Always at least one turn, so that no task can try again and again without an end.
        self.turns.wait(1).await;
        let mut decide = decide;
        let all: Vec<Key> = keys.all().cloned().collect();
        let decide = |current: &[Option<Bytes>], batch: &mut Batch| {
            let seen = all.iter().zip(current);
            let seen: Vec<_> =
                seen.map(|(key, value)| self.belief.see(key, value.clone())).collect();
            decide(&seen, batch)
        };
        let (answer, commit) = self.disk.sequence(&keys, decide)?;
        self.published(commit).await?;
        Ok(answer)
    }

    async fn sync(&self) -> Result<(), Error> {
        self.published(self.disk.newest_commit()).await
    }

    fn stats(&self) -> Stats {
        Stats::default()
    }

    fn check_writable(&self) -> Result<(), Error> {
        Ok(())
    }

    async fn close(&self) -> Result<(), Error> {
        self.sync().await
    }
}

impl View for SimulatedView {
    async fn get(&self, key: &[u8]) -> Result<Option<Bytes>, Error> {
        self.turns.wait(0).await;
        if !self.disk.read()? {
            return Ok(None);
        }
        let value = self.published.get(key).await?;
        Ok(self.belief.see(key, value))
    }

    async fn get_many(&self, keys: &[Key]) -> Result<Vec<Option<Bytes>>, Error> {
        self.turns.wait(0).await;
        if !self.disk.read()? {
            return Ok(vec![None; keys.len()]);
        }
        if self.disk.has(Flaw::TornView) {
            let (early, late) = keys.split_at(keys.len() / 2);
            let mut found = self.published.get_many(early).await?;
            found.extend(self.later().await.get_many(late).await?);
            return Ok(found);
        }
        self.published.get_many(keys).await
    }

    async fn sums(&self, keys: &[Key]) -> Result<Vec<i64>, Error> {
        self.turns.wait(0).await;
        if !self.disk.read()? {
            return Ok(vec![0; keys.len()]);
        }
        self.published.sums(keys).await
    }

    async fn visit<F>(
        &self,
        range: KeyRange,
        direction: Direction,
        wanted: Wanted,
        visitor: F,
    ) -> Result<(), Error>
    where
        F: FnMut(&[u8], Bytes) -> ControlFlow<()> + Send,
    {
        self.turns.wait(0).await;
        if !self.disk.read()? {
            return Ok(());
        }
        if self.disk.has(Flaw::ShortWalk) && self.turns.fate.chance(10) {
            return self.published.visit(range, direction, wanted, but_the_last(visitor)).await;
        }
        if self.disk.has(Flaw::TornView) {
            return self.visit_torn(range, direction, wanted, visitor).await;
        }
        self.published.visit(range, direction, wanted, visitor).await
    }
}

impl SimulatedView {
    /// Returns the published contents after some turns of others.
    async fn later(&self) -> MemoryView {
        self.turns.wait(1).await;
        self.disk.published().view()
    }

    /// Visits the first entries of this view and the others of a later one.
    async fn visit_torn<F>(
        &self,
        mut range: KeyRange,
        direction: Direction,
        wanted: Wanted,
        mut visitor: F,
    ) -> Result<(), Error>
    where
        F: FnMut(&[u8], Bytes) -> ControlFlow<()> + Send,
    {
        let (mut shown, mut is_over) = (Vec::new(), false);
        let first = |key: &[u8], value| {
            shown.push(key.to_vec());
            is_over = visitor(key, value).is_break();
            if is_over || shown.len() == 2 {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        };
        self.published.visit(range.clone(), direction, wanted, first).await?;
        match (shown.pop(), direction) {
            (None, _) => return Ok(()),
            (Some(last), Direction::Forward) => range.start = [&last[..], &[0]].concat(),
            (Some(last), Direction::Backward) => range.end = Some(last),
        }
        if is_over {
            Ok(())
        } else {
            self.later().await.visit(range, direction, wanted, visitor).await
        }
    }
}

/// Returns a visitor that gets an entry when the next one comes, and so never the last.
fn but_the_last<F>(mut visitor: F) -> impl FnMut(&[u8], Bytes) -> ControlFlow<()> + Send
where
    F: FnMut(&[u8], Bytes) -> ControlFlow<()> + Send,
{
    let mut last = None;
    move |key, value| match last.replace((key.to_vec(), value)) {
        Some((key, value)) => visitor(&key, value),
        None => ControlFlow::Continue(()),
    }
}
