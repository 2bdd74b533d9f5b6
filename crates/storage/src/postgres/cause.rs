//! Reasons for which transactions are begun again.

/// Reason why a transaction failed that is begun again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// Another transaction wrote a key on whose absence a member had decided.
    Conflict,
    /// The database could not order it with other transactions.
    Serialization,
    /// The transaction and others waited for each other.
    Deadlock,
    /// Other transactions kept a lock for too long.
    Lock,
    /// The database failed inside.
    Internal,
    /// The connection broke, or did not answer.
    Connection,
    /// The database takes no writes.
    ReadOnly,
}

impl Cause {
    /// All causes.
    pub const ALL: [Self; 7] = [
        Self::Conflict,
        Self::Serialization,
        Self::Deadlock,
        Self::Lock,
        Self::Internal,
        Self::Connection,
        Self::ReadOnly,
    ];
}
