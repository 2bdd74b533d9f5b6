//! Finds the keys of stored items that a new key template would remove though no template has
//! derived them: clients wrote them. The search runs before the template is declared; writes during
//! it keep such keys themselves (`derive.rs`), so the count need not be of one moment.

use crate::core::Core;
use crate::fault;
use crate::layout;
use crate::schema::{DerivedKey, IndexId, TableId};
use hashrange_model::{ApiResult, Item, ValueRef};
use hashrange_storage::{Demand, Direction, Key, Store, View, Wanted, give_way};
use std::ops::ControlFlow;

/// Maximum of items that are examined.
const ITEMS_MAX: u64 = 200_000;
/// Maximum of bytes of items that are examined.
const BYTES_MAX: usize = 256 * 1024 * 1024;
const ITEMS_PER_PAGE: usize = 256;
const BYTES_PER_PAGE: usize = 1024 * 1024;
const EXAMPLES_MAX: usize = 3;
/// Maximum of characters shown of an example.
const EXAMPLE_CHARS: usize = 60;

/// Keys of items that clients wrote and a template would remove.
#[derive(Debug, Default)]
pub(crate) struct Others {
    /// Number of items with such a key.
    pub(crate) items: u64,
    /// Number of items examined.
    pub(crate) examined: u64,
    /// True if these were all items of the table.
    pub(crate) are_all: bool,
    /// Examples of the keys, cut.
    pub(crate) examples: Vec<String>,
}

impl Others {
    fn add(&mut self, key: &DerivedKey, item: &Item) {
        self.examined += 1;
        if !key.has_others(item) {
            return;
        }
        self.items += 1;
        if self.examples.len() < EXAMPLES_MAX {
            self.examples.extend(item.get(key.template.attribute()).map(example));
        }
    }
}

fn example(value: ValueRef<'_>) -> String {
    let ValueRef::S(text) = value else {
        return format!("a value of the type {}", value.attribute_type().as_str());
    };
    let mut told: String = text.chars().take(EXAMPLE_CHARS).collect();
    if told.len() < text.len() {
        told.push_str("...");
    }
    format!("{told:?}")
}

/// Examines the first items of a table, up to [`ITEMS_MAX`] and [`BYTES_MAX`], a page at a time.
pub(crate) async fn others<S: Store>(
    core: &Core<S>,
    table: TableId,
    key: &DerivedKey,
) -> ApiResult<Others> {
    let mut others = Others::default();
    let mut range = layout::keyspace(table, IndexId::BASE);
    let mut all_bytes = 0;
    let view = core.store.view().await.map_err(fault::of_store)?;
    while others.examined < ITEMS_MAX && all_bytes < BYTES_MAX {
        let mut last: Option<Key> = None;
        let (mut items, mut bytes, mut unreadable) = (0, 0, None);
        let wanted = Wanted { entries: ITEMS_PER_PAGE, bytes: BYTES_PER_PAGE };
        let visited = view.visit(range.clone(), Direction::Forward, wanted, |at, stored| {
            items += 1;
            bytes += stored.len();
            match Item::from_stored(stored) {
                Ok(item) => others.add(key, &item),
                Err(_) => unreadable = Some(at.to_vec()),
            }
            if unreadable.is_none() && items < ITEMS_PER_PAGE && bytes < BYTES_PER_PAGE {
                return ControlFlow::Continue(());
            }
            last = Some(at.to_vec());
            ControlFlow::Break(())
        });
        visited.await.map_err(fault::of_store)?;
        if let Some(at) = unreadable {
            return Err(fault::of_value(&at));
        }
        let Some(last) = last else {
            others.are_all = true;
            return Ok(others);
        };
        range.start = [&last[..], &[0]].concat();
        all_bytes += bytes;
        give_way(Demand::Long).await;
    }
    Ok(others)
}
