//! Changes of the store by an operation.

use super::layout;
use std::collections::BTreeMap;

/// Keys and values of a store.
pub type Contents = BTreeMap<Vec<u8>, Vec<u8>>;

/// Returns a line for each key that was put (`+`), changed (`~`) or removed (`-`).
pub(super) fn describe(before: &Contents, after: &Contents) -> String {
    let mut lines = Vec::new();
    for (key, value) in after {
        match before.get(key) {
            None => lines.push((key, format!("+ {}", entry(key, value)))),
            Some(old) if old != value => lines.push((key, format!("~ {}", entry(key, value)))),
            Some(_) => {}
        }
    }
    let removed = before.keys().filter(|key| !after.contains_key(*key));
    lines.extend(removed.map(|key| (key, format!("- {}", layout::key(key)))));
    lines.sort();
    lines.into_iter().map(|(_, line)| line).collect::<Vec<_>>().join("\n")
}

fn entry(key: &[u8], value: &[u8]) -> String {
    format!("{} = {}", layout::key(key), layout::value(key, value))
}
