//! A clock that tests set, move and stop; everything of a database that depends on time follows it.
//!
//! Its setting is one number, so reading the time takes no lock and never sees half of a change.

use hashrange_model::error::StateFault;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The end of the year 9999, which no clock passes.
const LAST_MS: i64 = 253_402_300_799_999;

/// A clock that can be set. Clones are the same clock. It begins as the system's.
///
/// ```
/// use hashrange::Clock;
/// use std::time::Duration;
///
/// let clock = Clock::new();
/// clock.set(1_767_225_600_000)?;
/// clock.stop();
/// clock.advance(Duration::from_secs(90))?;
/// assert_eq!(clock.now_ms(), clock.now_ms());
/// # Ok::<(), hashrange::StateFault>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Clock {
    /// The lowest bit is 1 if the clock stands. The bits above are the time at which it stands, or
    /// its lead over the system's clock, in milliseconds.
    setting: Arc<AtomicI64>,
}

/// Setting of a clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClockSetting {
    /// The clock runs, ahead of the system's clock by so many milliseconds.
    Ahead(i64),
    /// The clock stands at this time, in milliseconds since 1970.
    Stopped(i64),
}

impl Clock {
    /// Returns a clock that shows the system's time.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns a clock that stands at this time, in milliseconds since 1970, or at the end of the
    /// year 9999 if that is earlier.
    pub fn stopped_at(now_ms: u64) -> Self {
        let clock = Self::new();
        clock.put(ClockSetting::Stopped(i64::try_from(now_ms).unwrap_or(LAST_MS).min(LAST_MS)));
        clock
    }

    /// Returns the time in milliseconds since 1970.
    pub fn now_ms(&self) -> u64 {
        let now_ms = match self.setting() {
            ClockSetting::Stopped(at_ms) => at_ms,
            ClockSetting::Ahead(ahead_ms) => system_signed_ms().saturating_add(ahead_ms),
        };
        u64::try_from(now_ms.clamp(0, LAST_MS)).unwrap_or(0)
    }

    /// Sets the time, in milliseconds since 1970. A running clock runs on from there.
    pub fn set(&self, now_ms: u64) -> Result<(), StateFault> {
        let now_ms = i64::try_from(now_ms).map_err(|_| StateFault::TimeOutOfRange)?;
        self.change(|setting| match setting {
            ClockSetting::Stopped(_) => ClockSetting::Stopped(now_ms),
            ClockSetting::Ahead(_) => ClockSetting::Ahead(now_ms - system_signed_ms()),
        })
    }

    /// Moves the clock forward.
    pub fn advance(&self, by: Duration) -> Result<(), StateFault> {
        let by_ms = i64::try_from(by.as_millis()).map_err(|_| StateFault::TimeOutOfRange)?;
        self.change(|setting| match setting {
            ClockSetting::Stopped(at_ms) => ClockSetting::Stopped(at_ms.saturating_add(by_ms)),
            ClockSetting::Ahead(ahead_ms) => ClockSetting::Ahead(ahead_ms.saturating_add(by_ms)),
        })
    }

    /// Stops the clock at its present time.
    pub fn stop(&self) {
        self.put(ClockSetting::Stopped(i64::try_from(self.now_ms()).unwrap_or(LAST_MS)));
    }

    /// Lets the clock run on from its present time.
    pub fn go_on(&self) {
        if let ClockSetting::Stopped(at_ms) = self.setting() {
            self.put(ClockSetting::Ahead(at_ms - system_signed_ms()));
        }
    }

    /// Lets the clock show the system's time.
    pub fn follow_system(&self) {
        self.put(ClockSetting::Ahead(0));
    }

    /// Returns the clock's setting.
    pub fn setting(&self) -> ClockSetting {
        let setting = self.setting.load(Ordering::Acquire);
        if setting & 1 == 1 {
            ClockSetting::Stopped(setting >> 1)
        } else {
            ClockSetting::Ahead(setting >> 1)
        }
    }

    pub(crate) fn put(&self, setting: ClockSetting) {
        let (ms, is_stopped) = match setting {
            ClockSetting::Ahead(ms) => (ms, 0),
            ClockSetting::Stopped(ms) => (ms, 1),
        };
        self.setting.store(ms << 1 | is_stopped, Ordering::Release);
    }

    /// Changes the setting, unless the clock would leave its range of years.
    fn change(&self, change: impl FnOnce(ClockSetting) -> ClockSetting) -> Result<(), StateFault> {
        let changed = change(self.setting());
        let now_ms = match changed {
            ClockSetting::Stopped(at_ms) => at_ms,
            ClockSetting::Ahead(ahead_ms) => system_signed_ms().saturating_add(ahead_ms),
        };
        if !(0..=LAST_MS).contains(&now_ms) {
            return Err(StateFault::TimeOutOfRange);
        }
        self.put(changed);
        Ok(())
    }
}

fn system_signed_ms() -> i64 {
    i64::try_from(system_ms()).unwrap_or(i64::MAX)
}

/// Returns the system's time in milliseconds since 1970.
#[expect(clippy::disallowed_methods, reason = "the clock that the engine gets as a parameter")]
pub(crate) fn system_ms() -> u64 {
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since_epoch.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stopped_clock_is_set_and_moved_exactly() {
        let clock = Clock::new();
        clock.stop();
        clock.set(5_000).unwrap();
        clock.advance(Duration::from_millis(90)).unwrap();
        assert_eq!((clock.now_ms(), clock.setting()), (5_090, ClockSetting::Stopped(5_090)));
        clock.go_on();
        let ClockSetting::Ahead(ahead_ms) = clock.setting() else { panic!("it goes") };
        assert!(ahead_ms < 0 && clock.now_ms() >= 5_090);
        clock.follow_system();
        assert_eq!(clock.setting(), ClockSetting::Ahead(0));
    }

    #[test]
    fn a_clock_keeps_to_its_years_and_to_what_it_was_when_it_is_refused() {
        let clock = Clock::new();
        clock.stop();
        for at_ms in [0, 253_402_300_799_999] {
            clock.set(at_ms).unwrap();
            assert_eq!(clock.now_ms(), at_ms);
        }
        for refused in [
            clock.set(253_402_300_800_000),
            clock.set(u64::MAX),
            clock.advance(Duration::from_millis(1)),
            clock.advance(Duration::MAX),
        ] {
            assert_eq!(refused, Err(StateFault::TimeOutOfRange));
        }
        assert_eq!(clock.now_ms(), 253_402_300_799_999);
    }

    #[test]
    fn every_setting_is_kept_as_it_is() {
        let clock = Clock::new();
        for ms in [-LAST_MS, -1, 0, 1, LAST_MS] {
            for setting in [ClockSetting::Ahead(ms), ClockSetting::Stopped(ms.max(0))] {
                clock.put(setting);
                assert_eq!(clock.setting(), setting);
            }
        }
    }
}
