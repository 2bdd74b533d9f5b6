//! Whether writes were refused and none was taken since: the end of it is logged once.

use std::sync::atomic::{AtomicBool, Ordering};

/// Whether writes were refused.
#[derive(Debug, Default)]
pub struct RefusedWrites(AtomicBool);

impl RefusedWrites {
    /// A write was refused because the store takes none.
    pub fn begin(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Returns true once for each time that writes were refused, when they are taken again. What is asked for
    /// that is asked only if some were refused.
    pub fn ended(&self, is_writable: impl FnOnce() -> bool) -> bool {
        self.0.load(Ordering::Relaxed) && is_writable() && self.0.swap(false, Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_refused_writes_is_told_once() {
        let refused = RefusedWrites::default();
        assert!(!refused.ended(|| panic!("nobody asks")));
        refused.begin();
        refused.begin();
        assert!(!refused.ended(|| false));
        assert!(refused.ended(|| true));
        assert!(!refused.ended(|| true));
    }
}
