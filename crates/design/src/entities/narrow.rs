//! Items without most of their attributes, if they have very many: the time of all that looks at entities grows with
//! the attributes, and a template has few.
//!
//! Invariant: key attributes, and those whose names name kinds, are always kept.

use super::KeyAttribute;
use super::kind_attribute::is_known_name;
use crate::words::{count, counted};
use hashrange_model::Item;
use std::borrow::Cow;

/// Most attributes of an item that may be parts of templates, conditions and marks of kinds.
const ATTRIBUTES_MAX: usize = 100;

/// Returns items with the first attributes of each, in byte order of their names, and what is to be told of the others.
pub(crate) fn narrowed<'i>(
    keys: &[KeyAttribute],
    items: &'i [Item],
) -> (Cow<'i, [Item]>, Option<String>) {
    let most = items.iter().map(|item| item.iter().count()).max().unwrap_or(0);
    if most <= ATTRIBUTES_MAX {
        return (Cow::Borrowed(items), None);
    }
    let narrow = |item: &Item| {
        let mut kept = 0;
        item.retain(|name| {
            let is_kept = kept < ATTRIBUTES_MAX;
            kept += 1;
            is_kept || is_known_name(name) || keys.iter().any(|key| key.name == name)
        })
    };
    let note = format!(
        "items have up to {}: kinds and templates come from keys and the first {ATTRIBUTES_MAX} of each item, by name",
        counted(count(most), "attribute")
    );
    (Cow::Owned(items.iter().map(narrow).collect()), Some(note))
}
