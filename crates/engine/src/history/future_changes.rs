//! Changes whose moments are later than the clock, which was set back since. The states of the
//! table that can be read now do not show them, so requests about a history report them.

use super::entries::one;
use crate::layout;
use crate::schema::Table;
use hashrange_model::Item;
use hashrange_storage::{Direction, Error, Key, KeyRange, View, Wanted};
use std::ops::ControlFlow;

/// Maximum of changes that are reported.
const TOLD_MAX: usize = 100;

/// Changes whose moments are later than the clock.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ahead {
    /// Keys of changed items, each with the moment of its change, epoch milliseconds; the earliest
    /// first, at most a hundred.
    pub changes: Vec<(Item, u64)>,
    /// True if there are more changes.
    pub is_more: bool,
}

impl Ahead {
    /// Reads the changes of a table whose moments are later than a given one.
    pub(crate) async fn read<V: View>(view: &V, table: &Table, now_ms: u64) -> Result<Self, Error> {
        let range = layout::moments(table.id(), now_ms.saturating_add(1), u64::MAX);
        let mut keys: Vec<Key> = Vec::new();
        view.visit(range, Direction::Forward, Wanted::entries(TOLD_MAX + 1), |key, _| {
            keys.push(key.to_vec());
            if keys.len() > TOLD_MAX { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
        .await?;
        let mut ahead = Self { changes: Vec::new(), is_more: keys.len() > TOLD_MAX };
        for key in keys.into_iter().take(TOLD_MAX) {
            let Some((item_key, at_ms)) = layout::parse_moment(&key) else { continue };
            let mut image = view.get(&item_key).await?;
            if image.is_none() {
                // The last change has removed the item.
                let versions = KeyRange::prefix(&layout::versions_prefix(&item_key));
                let last = one(view, versions, Direction::Backward).await?;
                image = last.and_then(|entry| entry.version.image);
            }
            let form = |_| Error::corrupt("an item has another form", table.record.name.clone());
            if let Some(item) = image.map(Item::from_stored).transpose().map_err(form)? {
                ahead.changes.push((item.retain(|name| table.key.contains(name)), at_ms));
            }
        }
        Ok(ahead)
    }
}
