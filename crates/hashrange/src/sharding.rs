//! Shards of the streams of tables. Values outside of the bounds cannot be made.

use std::fmt;
use std::time::Duration;

/// Number of shards of a new stream, and the period for which they are written to.
///
/// ```
/// use hashrange::{Database, Options, Sharding};
/// use std::time::Duration;
///
/// let sharding = Sharding::new(1, Duration::from_secs(60))?;
/// let database = Database::memory_with(&Options { sharding, ..Options::default() });
/// let refused = Sharding::new(0, Duration::from_secs(60)).unwrap_err();
/// assert_eq!(refused.to_string(), "a stream has 1 to 1000 shards, not 0");
/// # drop(database);
/// # Ok::<(), hashrange::BadSharding>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sharding {
    // Invariant: from 1 to `SHARDS_MAX`.
    shards: u32,
    // Invariant: at least `PERIOD_MIN`.
    period: Duration,
}

/// A number of shards or a period that a stream cannot have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BadSharding {
    /// The number of shards.
    Shards(u32),
    /// The period.
    Period(Duration),
}

impl Sharding {
    /// The most shards of a stream that are written to at the same time.
    pub const SHARDS_MAX: u32 = 1000;
    /// The shortest period after which shards are closed: a stream lists each for a day, so shorter
    /// periods would fill its description.
    pub const PERIOD_MIN: Duration = Duration::from_secs(1);

    /// Returns a setting with so many shards, which are closed and get children after a period.
    pub fn new(shards: u32, period: Duration) -> Result<Self, BadSharding> {
        if shards == 0 || shards > Self::SHARDS_MAX {
            return Err(BadSharding::Shards(shards));
        }
        if period < Self::PERIOD_MIN {
            return Err(BadSharding::Period(period));
        }
        Ok(Self { shards, period })
    }

    /// Returns the number of shards of a new stream that are written to at the same time.
    pub fn shards(self) -> u32 {
        self.shards
    }

    /// Returns the period after which children succeed shards.
    pub fn period(self) -> Duration {
        self.period
    }
}

impl Default for Sharding {
    /// Four shards, and a period of four hours.
    fn default() -> Self {
        Self { shards: 4, period: Duration::from_secs(4 * 60 * 60) }
    }
}

impl fmt::Display for BadSharding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Shards(shards) => {
                write!(formatter, "a stream has 1 to {} shards, not {shards}", Sharding::SHARDS_MAX)
            }
            Self::Period(period) => write!(
                formatter,
                "a shard is written to for at least {:?}, not {period:?}",
                Sharding::PERIOD_MIN
            ),
        }
    }
}

impl std::error::Error for BadSharding {}

#[cfg(test)]
mod tests {
    use super::*;
    use hashrange_engine::EngineOptions;

    #[test]
    fn bounds_are_kept() {
        let hour = Duration::from_secs(3600);
        let new = |shards, period| Sharding::new(shards, period).map_err(|bad| bad.to_string());
        for shards in [1, 4, 1000] {
            assert_eq!(new(shards, hour).map(Sharding::shards), Ok(shards));
        }
        for (shards, period, refused) in [
            (0, hour, "a stream has 1 to 1000 shards, not 0"),
            (1001, hour, "a stream has 1 to 1000 shards, not 1001"),
            (u32::MAX, hour, "a stream has 1 to 1000 shards, not 4294967295"),
            (1, Duration::ZERO, "a shard is written to for at least 1s, not 0ns"),
            (1, Duration::from_millis(999), "a shard is written to for at least 1s, not 999ms"),
        ] {
            assert_eq!(new(shards, period), Err(refused.to_owned()));
        }
        assert_eq!(new(1, Duration::MAX).map(Sharding::period), Ok(Duration::MAX));
    }

    #[test]
    fn the_default_is_the_engines() {
        let (default, engine) = (Sharding::default(), EngineOptions::default());
        assert_eq!(default.shards(), engine.stream_shards);
        assert_eq!(default.period().as_millis(), engine.stream_shard_period_ms.into());
    }
}
