//! Decision of a commit before a lane took it.

use crate::Batch;
use bytes::Bytes;

/// Decision of a commit before a lane took it.
#[derive(Debug)]
pub(super) struct Early {
    /// The copy of the fence that it was shown, if it was.
    pub(super) fence: Option<Bytes>,
    /// Its writes, at least one.
    pub(super) batch: Batch,
}
