//! Pauses between tries of work that the database has put off.

use super::pause::Pause;
use crate::database::random;
use crate::{Error, Result};
use std::time::Duration;

/// The longest first pause, in milliseconds; each further one may be twice as long.
const FIRST_MS: u64 = 25;
/// The longest pause of all, in milliseconds.
const LONGEST_MS: u64 = 5_000;
/// Pauses without progress after which the caller gives up.
const PAUSES_MAX: u32 = 10;

/// Pauses that grow while tries make no progress.
#[derive(Debug, Default)]
pub(super) struct Retries {
    without_progress: u32,
}

impl Retries {
    /// Waits before the next try; not at all after progress.
    ///
    /// # Errors
    /// There was no progress for too long.
    pub(super) async fn pause(&mut self, has_progressed: bool) -> Result<()> {
        if has_progressed {
            self.without_progress = 0;
            return Ok(());
        }
        if self.without_progress >= PAUSES_MAX {
            return Err(Error::PutOff);
        }
        Pause::of(Duration::from_millis(pause_ms(self.without_progress, random()))).await;
        self.without_progress += 1;
        Ok(())
    }
}

/// Returns a random pause between none and the longest of this try, so that callers that were put
/// off together do not all come back together.
fn pause_ms(tries: u32, random: u128) -> u64 {
    let longest = FIRST_MS.saturating_mul(1 << tries.min(16)).min(LONGEST_MS);
    u64::try_from(random % u128::from(longest + 1)).unwrap_or(longest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_to_a_bound() {
        let longest = |tries: u32| (0..10_000).map(|nth| pause_ms(tries, nth)).max();
        assert_eq!(longest(0), Some(25));
        assert_eq!(longest(1), Some(50));
        assert_eq!(longest(9), Some(5_000));
        assert_eq!(longest(u32::MAX), Some(5_000));
        assert_eq!(pause_ms(3, 0), 0);
    }
}
