//! Operations on features that this database does not have: what the service answers about tables
//! without them.
//!
//! Tools ask on every refresh whether a table has backups, a resource policy or replicas; the
//! truth is that it has none. Reads answer that, and so do changes that leave it so. What would
//! begin to use such a feature is refused as not implemented, elsewhere.
//! Source: recorded answers of control operations, October 2026.

mod backups;
mod global_tables;
mod insights;
mod kinesis;
mod policies;
mod transfers;

use hashrange_model::Reason;

/// Refuses a token for the next page: no answer has given one.
fn check_no_token(token: Option<&str>) -> Result<(), Reason> {
    token.map_or(Ok(()), |token| Err(Reason::NextTokenUnknown(token.to_owned())))
}
