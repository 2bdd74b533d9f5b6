//! Quotas of an account, and the text of moments in their sentences.

use super::ErrorKind;
use crate::calendar::date_from_days;

/// A quota that a change of tables would exceed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Quota {
    /// Number of tables; holds the quota.
    Tables(usize),
    /// Number of tables that are created, updated or deleted at once; holds the quota.
    TableChanges(usize),
    /// Number of tables with indexes that are created at once.
    IndexedTableCreations,
    /// Decreases of provisioned units.
    Decreases {
        /// Decreases on this day.
        today: i64,
        /// Time of the last decrease, epoch milliseconds.
        last_ms: u64,
        /// Earliest time of the next one, epoch milliseconds.
        next_ms: u64,
    },
    /// Provisioned units of a table or an index.
    Units {
        /// The index concerned.
        index: Option<String>,
        /// True for writes, false for reads.
        is_write: bool,
        /// Units asked for.
        requested: i64,
        /// Quota of units.
        limit: i64,
        /// The region.
        region: String,
    },
    /// Provisioned units of the whole account.
    AccountUnits {
        /// True for writes, false for reads.
        is_write: bool,
        /// Units in use.
        reserved: i64,
        /// Further units asked for.
        requested: i64,
        /// Quota of units.
        limit: i64,
        /// The region.
        region: String,
    },
    /// A maximum of on-demand throughput.
    OnDemandMaximum {
        /// The index; `None` means the table.
        index: Option<String>,
        /// True for writes, false for reads.
        is_write: bool,
        /// The region.
        region: String,
    },
    /// A second change of deletion protection within 15 seconds.
    Protection {
        /// The table.
        table: String,
        /// Earliest time of the next change, epoch milliseconds.
        until_ms: u64,
    },
    /// Changes of the storage class.
    ClassChanges,
    /// A change of tags while another one is under way.
    TagChanges {
        /// The table.
        table: String,
    },
    /// Changes of the encryption.
    EncryptionChanges {
        /// Changes within the window.
        count: usize,
        /// End of the window, epoch milliseconds.
        window_ms: u64,
        /// Time of the last change, epoch milliseconds.
        last_ms: u64,
        /// Earliest time of the next one, epoch milliseconds.
        next_ms: u64,
    },
}

impl Quota {
    /// Returns the exception that the answer reports.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Protection { .. } => ErrorKind::Throttling,
            Self::Tables(_)
            | Self::TableChanges(_)
            | Self::IndexedTableCreations
            | Self::Decreases { .. }
            | Self::Units { .. }
            | Self::AccountUnits { .. }
            | Self::OnDemandMaximum { .. }
            | Self::ClassChanges
            | Self::TagChanges { .. }
            | Self::EncryptionChanges { .. } => ErrorKind::LimitExceeded,
        }
    }
}

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
/// The epoch was a Thursday.
const WEEKDAYS: [&str; 7] =
    ["Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday"];

/// Returns a moment in the form that the sentence about decreases has.
/// Source: answer of 2022, ansible-collections/community.aws issue 1558.
pub(super) fn moment(epoch_ms: u64) -> String {
    let (days, seconds) = (epoch_ms / 86_400_000, epoch_ms / 1000 % 86_400);
    let (year, month, day) = date_from_days(i64::try_from(days).unwrap_or_default());
    let month = usize::try_from(month - 1).ok().and_then(|nth| MONTHS.get(nth)).unwrap_or(&"");
    let weekday = usize::try_from(days % 7).ok().and_then(|nth| WEEKDAYS.get(nth)).unwrap_or(&"");
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    let half = if hour < 12 { "AM" } else { "PM" };
    let hour = if hour % 12 == 0 { 12 } else { hour % 12 };
    format!(
        "{weekday}, {month} {day}, {year} at {hour}:{minute:02}:{second:02} {half} Coordinated \
         Universal Time"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_have_words() {
        for (epoch_ms, expected) in [
            (0, "Thursday, January 1, 1970 at 12:00:00 AM"),
            (1_665_406_819_000, "Monday, October 10, 2022 at 1:00:19 PM"),
            (1_767_268_800_999, "Thursday, January 1, 2026 at 12:00:00 PM"),
            (1_772_323_199_000, "Saturday, February 28, 2026 at 11:59:59 PM"),
        ] {
            assert_eq!(moment(epoch_ms), format!("{expected} Coordinated Universal Time"));
        }
        assert_eq!(crate::moment::extended(1_791_525_205_330), "2026-10-09T05:53:25.330Z");
    }
}
