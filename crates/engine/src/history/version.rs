//! Form of an entry of the history: the image that a change has replaced.
//!
//! | byte | content of a stored entry |
//! |---|---|
//! | 0 | form, `01` |
//! | 1 | flags: `01` there was no item, `02` the item expired by its time to live |
//! | 2 ... | the item, if there was one |

use crate::layout::{self, ItemKey, Stamp};
use bytes::Bytes;
use hashrange_model::Item;
use hashrange_storage::Batch;

const FORM: u8 = 1;
const ABSENT: u8 = 1;
const EXPIRED: u8 = 2;

/// State of an item until a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Version {
    /// Item in its stored form; `None` if the item did not exist.
    pub(crate) image: Option<Bytes>,
    /// True if the change was the removal of an expired item.
    pub(crate) is_expiry: bool,
}

impl Version {
    /// Decodes a stored entry; `None` for another form.
    pub(crate) fn decode(stored: &Bytes) -> Option<Self> {
        let (FORM, flags) = (*stored.first()?, *stored.get(1)?) else { return None };
        if flags & !(ABSENT | EXPIRED) != 0 {
            return None;
        }
        let image = (flags & ABSENT == 0).then(|| stored.slice(2..));
        Some(Self { image, is_expiry: flags & EXPIRED != 0 })
    }
}

/// Puts the entry with the image before a change. The commit has declared the item's key and that
/// of its last change.
pub(crate) fn keep(
    key: &ItemKey,
    old: Option<&Item>,
    is_expiry: bool,
    stamp: Stamp,
    batch: &mut Batch,
) {
    let flags = if old.is_none() { ABSENT } else { 0 } | if is_expiry { EXPIRED } else { 0 };
    let image = old.map_or(&[][..], |old| old.as_bytes());
    batch.put(layout::version(&key.bytes, stamp), Bytes::from([&[FORM, flags], image].concat()));
    batch.put(layout::moment(&key.bytes, stamp.at_ms), Bytes::new());
    batch.put(layout::changed(&key.bytes), stamp.encode().into());
}
