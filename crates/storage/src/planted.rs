//! Mistakes that can be planted in the store, so that the runs under a scheduler show that they
//! would find them (`embedded/schedules.rs`).
//!
//! In every other build none can be planted, and the compiler removes the question.

/// A mistake in the order of steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Planted {
    /// A group is published before the caches are told of it.
    CachesToldLate,
    /// Writers are answered before new views show what they wrote.
    AnsweredEarly,
    /// Writers give their keys back before their batch is queued.
    LocksGivenBackEarly,
    /// Writers lock their keys in the order in which they name them.
    StripesUnordered,
    /// A ticket is taken and its batch queued in two steps.
    TicketsOutsideTheQueue,
    /// Sequenced values are forgotten when the committer takes them, before they are written.
    ValuesForgottenEarly,
    /// A writer that waits for a ticket goes to sleep without a second look.
    NoSecondLook,
    /// A writer that waits for room is not woken when there is some.
    RoomNotTold,
    /// A failure wakes waiting writers before they can see it.
    FailureToldEarly,
    /// The committer ends at the close, whatever is queued.
    EndBeforeDrained,
    /// A value is kept that a later group may have changed.
    ValueKeptLate,
    /// A page is kept that a later group may have changed.
    PageKeptLate,
    /// Outdated pages are dropped before older readers are kept from bringing them back.
    PagesForgottenFirst,
}

#[cfg(feature = "shuttle")]
thread_local! {
    // A scheduler runs all threads of a test on the test's own.
    static PLANTED: std::cell::Cell<Option<Planted>> = const { std::cell::Cell::new(None) };
}

/// Plants a mistake, or removes it.
#[cfg(all(test, feature = "shuttle"))]
pub(crate) fn plant(planted: Option<Planted>) {
    PLANTED.set(planted);
}

/// Returns whether this mistake is planted.
#[cfg(feature = "shuttle")]
pub(crate) fn is_planted(planted: Planted) -> bool {
    PLANTED.get() == Some(planted)
}

/// Returns false: no mistake can be planted.
#[cfg(not(feature = "shuttle"))]
#[expect(clippy::inline_always, reason = "nothing may be left of it in an ordinary build")]
#[inline(always)]
pub(crate) const fn is_planted(_: Planted) -> bool {
    false
}
