//! A key that stays locked between commits; see [`AnyStore::hold`](crate::AnyStore::hold).

use crate::Error;
use std::fmt;
use std::future::Future;
use std::pin::Pin;

type Release = Pin<Box<dyn Future<Output = Result<(), Error>> + Send>>;

/// A locked key that no other process commits with. Releases it when dropped.
#[must_use]
pub struct Held(Option<Release>);

impl Held {
    /// Returns a guard that holds nothing.
    pub(crate) fn nothing() -> Self {
        Self(None)
    }

    /// Returns a guard that holds a key until `release` is done or dropped.
    #[cfg(feature = "postgres")]
    pub(crate) fn until(release: impl Future<Output = Result<(), Error>> + Send + 'static) -> Self {
        Self(Some(Box::pin(release)))
    }

    /// Releases the key.
    ///
    /// # Errors
    /// The lock was lost before: others may have committed with the key.
    pub async fn release(self) -> Result<(), Error> {
        match self.0 {
            Some(release) => release.await,
            None => Ok(()),
        }
    }
}

impl fmt::Debug for Held {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Held").finish_non_exhaustive()
    }
}
