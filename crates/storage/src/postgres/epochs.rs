//! The order of primaries after a failover, and the connections to the older ones.
//!
//! A standby that is promoted begins a new timeline: one number more than that of the primary whose log it has. So of
//! two primaries of one system the one with the greater timeline is the newer one, even if the other one still takes
//! writes. Leaves asking a host for its origin to `connect.rs`, and looking at hosts without a connection to
//! `look.rs`.
//!
//! Invariants: no connection is admitted to a host that is known to be older; when a newer one is found, connections
//! to the older one are cut before any is admitted to the newer one, and answers of the older one no longer count.
//! Two standbys promoted from the same primary have the same timeline and cannot be ordered. Of these, and of silent
//! hosts, the last connected one counts.

use parking_lot::Mutex;
use std::fmt;
use std::sync::{Arc, Weak};

/// The system of hosts that do not report theirs.
const SILENT: i64 = 0;

/// Identity of a database that takes writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Origin {
    /// Number of the system, which its standbys share.
    pub(super) system: i64,
    pub(super) timeline: u32,
    /// Number that distinguishes servers of one timeline.
    pub(super) server: i64,
}

/// A connection.
pub(super) trait Cut {
    /// Ends it: waiting tasks get an error, and none of its answers counts any more.
    fn cut(&self);
}

/// The newest origin, and the connections to it.
#[derive(Debug)]
pub(super) struct Epochs<L> {
    state: Mutex<State<L>>,
}

#[derive(Debug)]
struct State<L> {
    newest: Option<Origin>,
    links: Vec<Weak<L>>,
}

/// Error of a host older than the newest one.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Older {
    timeline: u32,
    newest: u32,
}

impl fmt::Display for Older {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { timeline, newest } = self;
        write!(
            formatter,
            "it is a primary of timeline {timeline} that was replaced: another host has taken over with timeline {newest}"
        )
    }
}

impl Origin {
    /// Returns the origin of a host that reports none, by its number in the URL.
    pub(super) fn of_silent(host: usize) -> Self {
        Self { system: SILENT, timeline: 0, server: i64::try_from(host).unwrap_or(i64::MAX) }
    }

    /// Returns whether `self` is known to come after `other`.
    fn is_after(&self, other: &Self) -> bool {
        self.system == other.system && self.timeline > other.timeline
    }
}

impl<L: Cut> Epochs<L> {
    /// Returns epochs without an origin.
    pub(super) fn new() -> Self {
        Self { state: Mutex::new(State { newest: None, links: Vec::new() }) }
    }

    /// Admits a new connection, and cuts those to another origin.
    pub(super) fn admit(&self, origin: Origin, link: &Arc<L>) -> Result<(), Older> {
        let mut state = self.state.lock();
        if let Some(newest) = state.newest.filter(|newest| newest.is_after(&origin)) {
            return Err(Older { timeline: origin.timeline, newest: newest.timeline });
        }
        // A silent host does not replace one that reports its origin.
        let is_told = origin.system != SILENT;
        if state
            .newest
            .is_none_or(|newest| newest != origin && (is_told || newest.system == SILENT))
        {
            state.rise(origin);
        }
        state.links.retain(|link| link.strong_count() > 0);
        state.links.push(Arc::downgrade(link));
        Ok(())
    }

    /// Notes the origin of a host, and returns whether it is newer than all before.
    pub(super) fn noticed(&self, origin: Origin) -> bool {
        let mut state = self.state.lock();
        let is_newer = state.newest.is_none_or(|newest| origin.is_after(&newest));
        if is_newer {
            state.rise(origin);
        }
        is_newer
    }
}

impl<L: Cut> State<L> {
    fn rise(&mut self, origin: Origin) {
        let is_older = self.newest.is_some_and(|newest| newest.is_after(&origin));
        assert!(!is_older, "no older primary takes the place of a newer one");
        self.newest = Some(origin);
        for link in self.links.drain(..).filter_map(|link| link.upgrade()) {
            link.cut();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, Ordering};

    #[derive(Debug, Default)]
    struct Link(AtomicBool);

    impl Cut for Link {
        fn cut(&self) {
            self.0.store(true, Ordering::Relaxed);
        }
    }

    fn origin(timeline: u32, server: i64) -> Origin {
        Origin { system: 7, timeline, server }
    }

    fn admitted(epochs: &Epochs<Link>, origin: Origin) -> Arc<Link> {
        let link = Arc::new(Link::default());
        assert_eq!(epochs.admit(origin, &link), Ok(()));
        link
    }

    fn is_cut(link: &Link) -> bool {
        link.0.load(Ordering::Relaxed)
    }

    #[test]
    fn an_older_host_is_cut_and_never_let_in_again() {
        let epochs = Epochs::new();
        let (old, other) = (admitted(&epochs, origin(1, 10)), admitted(&epochs, origin(1, 10)));
        let new = admitted(&epochs, origin(2, 20));
        assert!(is_cut(&old) && is_cut(&other) && !is_cut(&new));
        let refused = epochs.admit(origin(1, 10), &Arc::new(Link::default()));
        assert_eq!(refused, Err(Older { timeline: 1, newest: 2 }));
        assert!(!is_cut(&new), "whoever is refused cuts nobody");
    }

    #[test]
    fn a_look_cuts_only_for_what_is_newer() {
        let epochs = Epochs::new();
        assert!(epochs.noticed(origin(3, 10)));
        let link = admitted(&epochs, origin(3, 10));
        for other in [origin(3, 11), origin(2, 12), Origin { system: 8, ..origin(4, 13) }] {
            assert!(!epochs.noticed(other), "{other:?}");
        }
        assert!(!is_cut(&link));
        assert!(epochs.noticed(origin(4, 14)));
        assert!(is_cut(&link));
    }

    #[test]
    fn of_two_that_cannot_be_compared_the_last_one_counts() {
        let epochs = Epochs::new();
        let twin = admitted(&epochs, origin(2, 10));
        let second = admitted(&epochs, origin(2, 11));
        assert!(is_cut(&twin) && !is_cut(&second));
        let restored = admitted(&epochs, Origin { system: 8, ..origin(1, 12) });
        assert!(is_cut(&second) && !is_cut(&restored), "another system");
    }

    #[test]
    fn hosts_that_do_not_tell_are_known_by_their_number() {
        let epochs = Epochs::new();
        let (first, again) =
            (admitted(&epochs, Origin::of_silent(0)), admitted(&epochs, Origin::of_silent(0)));
        assert!(!is_cut(&first) && !is_cut(&again));
        let other = admitted(&epochs, Origin::of_silent(1));
        assert!(is_cut(&first) && is_cut(&again));
        let told = admitted(&epochs, origin(1, 10));
        assert!(is_cut(&other));
        let silent = admitted(&epochs, Origin::of_silent(0));
        assert!(!is_cut(&told), "who does not tell is not preferred");
        admitted(&epochs, origin(2, 11));
        assert!(is_cut(&told) && is_cut(&silent));
    }
}
