//! Values that key templates generate, ids and times: drawn once for a commit, outside of its
//! decision, so that a decision that is made again comes out the same.

use super::Write;
use crate::environment::Environment;
use crate::schema::Table;
use hashrange_expr::Draw;
use xxhash_rust::xxh3::xxh3_128;

/// The draw of a commit; none if no template of its tables generates anything.
#[derive(Debug, Clone, Copy)]
pub(super) struct Draws(Option<Draw>);

impl Draws {
    /// Draws for the writes of a commit.
    pub(super) fn of(writes: &[(&Table, Write<'_>)], environment: &Environment) -> Self {
        let generates =
            |table: &Table| table.derived.iter().flatten().any(|key| key.template.generates());
        let is_wanted = writes.iter().any(|(table, _)| generates(table));
        Self(
            is_wanted
                .then(|| Draw { now_ms: (environment.now_ms)(), random: (environment.random)() }),
        )
    }

    /// Returns the draw for an item: each item of a commit has another one.
    pub(super) fn of_item(&self, key: &[u8]) -> Option<Draw> {
        self.0.map(|draw| Draw { random: draw.random ^ xxh3_128(key), ..draw })
    }
}
