//! Marks that writes were refused and none was taken since, so that the end of it is logged once.

use std::sync::atomic::{AtomicBool, Ordering};

/// Flag that is set while writes are refused.
#[derive(Debug, Default)]
pub struct RefusedWrites(AtomicBool);

impl RefusedWrites {
    /// Notes that a write was refused because the store takes none.
    pub fn begin(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Returns true once each time the store takes writes again after it refused some. Calls
    /// `is_writable` only if some were refused.
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
