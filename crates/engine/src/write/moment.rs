//! The moment of a commit that changes items of tables with a history: one for all of them.
//!
//! It is what the server's clock says, unless something is later: the moment after the last change of any
//! of its items, which is read under the lock of its key, so that the moments of an item grow in the order
//! of its changes, whichever servers made them and whatever their clocks say; and the first moment that
//! the history still admits ([`crate::schema::History`]), so that on one server what follows from a change
//! is never before it, though the clock was set back.

use super::Write;
use crate::layout;
use crate::schema::{History, Table};
use bytes::Bytes;
use hashrange_storage::Key;

/// Returns the keys of the last changes of the items that keep a history, in the order of the writes.
pub(super) fn changed_keys<'w>(
    writes: &'w [(&Table, Write<'_>)],
) -> impl Iterator<Item = Key> + 'w {
    keeping(writes).map(|(write, _)| layout::changed(&write.key.bytes))
}

/// Returns the moment of a commit; 0 where no item keeps a history. `current` are the values of the
/// declared keys.
///
/// The key of a value that is no moment is an error.
pub(super) fn of_commit(
    writes: &[(&Table, Write<'_>)],
    current: &[Option<Bytes>],
    now_ms: impl FnOnce() -> u64,
) -> Result<u64, Key> {
    if keeping(writes).next().is_none() {
        return Ok(0);
    }
    let sized = writes.iter().filter(|(table, _)| table.has_local_index).count();
    let changed = current.get(writes.len() + sized..).unwrap_or_default();
    let mut at_ms = now_ms();
    for ((write, history), stored) in keeping(writes).zip(changed) {
        at_ms = at_ms.max(history.next_ms());
        if let Some(stored) = stored {
            let changed_ms = layout::decode_moment(stored);
            let changed_ms = changed_ms.ok_or_else(|| layout::changed(&write.key.bytes))?;
            at_ms = at_ms.max(changed_ms.saturating_add(1));
        }
    }
    for (_, history) in keeping(writes) {
        history.pass(at_ms);
    }
    Ok(at_ms)
}

fn keeping<'w, 'p>(
    writes: &'w [(&Table, Write<'p>)],
) -> impl Iterator<Item = (&'w Write<'p>, &'w History)> {
    writes.iter().filter_map(|(table, write)| Some((write, table.history.as_ref()?)))
}
