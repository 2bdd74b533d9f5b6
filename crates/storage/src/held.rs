//! A key that is kept locked between commits; see [`AnyStore::hold`](crate::AnyStore::hold).

use crate::Error;
use std::fmt;
use std::future::Future;
use std::pin::Pin;

type Release = Pin<Box<dyn Future<Output = Result<(), Error>> + Send>>;

/// A key that nobody else commits with. Lets go of it when dropped.
#[must_use]
pub struct Held(Option<Release>);

impl Held {
    /// Returns what holds nothing.
    pub(crate) fn nothing() -> Self {
        Self(None)
    }

    /// Returns what holds a key until `release` is done or dropped.
    #[cfg(feature = "postgres")]
    pub(crate) fn until(release: impl Future<Output = Result<(), Error>> + Send + 'static) -> Self {
        Self(Some(Box::pin(release)))
    }

    /// Lets go of the key.
    ///
    /// # Errors
    /// When it was lost before: others may have committed with it.
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
