//! Durations of changes of tables on the service.
//!
//! Source: measured on the service in 2026-10, on empty tables: the middle of the measured times.

use crate::options::EngineOptions;
use crate::profile::Profile;
use crate::schema::{IndexKind, TableRecord};
use hashrange_model::error::UnderWay;

/// Duration of changes under the profile `hostile`, unless set otherwise, milliseconds.
const HOSTILE_MS: u64 = 3000;

const CREATION_MS: u64 = 6000;
const CREATION_WITH_INDEXES_MS: u64 = 18_000;
const DELETION_MS: u64 = 5000;
const INSIGHTS_MS: u64 = 2000;
/// Time for which most operations do not find a new table, milliseconds.
const UNSEEN_MS: u64 = 5000;
/// Time for which a new index waits for resources, milliseconds; until then it cannot be deleted.
const INDEX_ALLOCATION_MS: u64 = 40_000;
const INDEX_CREATION_MS: u64 = 520_000;

/// Rule for the durations of changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pace {
    /// The same duration for all, milliseconds.
    Even(u64),
    /// The durations of the service.
    Service,
}

impl Pace {
    /// Returns the pace for the options.
    pub(super) fn of(options: &EngineOptions) -> Self {
        match (options.table_delay_ms, options.profile) {
            (Some(delay_ms), _) => Self::Even(delay_ms),
            (None, Profile::Hostile) => Self::Even(HOSTILE_MS),
            (None, Profile::Aws | Profile::Default) => Self::Service,
        }
    }

    /// Returns the duration of a table's creation, milliseconds.
    pub(super) fn creation_ms(self, record: &TableRecord) -> u64 {
        let has_global = record.indexes.iter().any(|index| index.kind == IndexKind::Global);
        self.or_even(if has_global { CREATION_WITH_INDEXES_MS } else { CREATION_MS })
    }

    /// Returns the longest duration of a table's creation, milliseconds.
    pub(super) fn longest_creation_ms(self) -> u64 {
        self.or_even(CREATION_WITH_INDEXES_MS)
    }

    /// Returns the duration of a table's deletion, milliseconds.
    pub(super) fn deletion_ms(self) -> u64 {
        self.or_even(DELETION_MS)
    }

    /// Returns the duration of a change of Contributor Insights, milliseconds.
    pub(super) fn insights_ms(self) -> u64 {
        self.or_even(INSIGHTS_MS)
    }

    /// Returns the time for which most operations do not find a new table, milliseconds: half of an
    /// even pace.
    pub(super) fn unseen_ms(self) -> u64 {
        match self {
            Self::Even(ms) => ms / 2,
            Self::Service => UNSEEN_MS,
        }
    }

    /// Returns a time of the service, or that of an even pace if it is shorter, milliseconds.
    pub(super) fn at_most(self, service_ms: u64) -> u64 {
        match self {
            Self::Even(ms) => ms.min(service_ms),
            Self::Service => service_ms,
        }
    }

    /// Returns the time for which a new index waits for resources, milliseconds: half of an even
    /// pace.
    pub(super) fn index_allocation_ms(self) -> u64 {
        match self {
            Self::Even(ms) => ms / 2,
            Self::Service => INDEX_ALLOCATION_MS,
        }
    }

    /// Returns the duration of a change, milliseconds; a change that the table has gone through
    /// before may be faster.
    #[expect(
        clippy::match_same_arms,
        reason = "a table of measured times: equal ones were measured apart"
    )]
    pub(super) fn change_ms(self, change: &UnderWay, is_repeated: bool) -> u64 {
        self.or_even(match (change, is_repeated) {
            (UnderWay::Units, _) => 1500,
            (UnderWay::BillingMode { to_on_demand: false }, false) => 80_000,
            (UnderWay::BillingMode { to_on_demand: false }, true) => 2000,
            (UnderWay::BillingMode { to_on_demand: true }, false) => 140_000,
            (UnderWay::BillingMode { to_on_demand: true }, true) => 3000,
            (UnderWay::Stream { .. } | UnderWay::Class(_) | UnderWay::IndexDeletion(_), _) => 4000,
            (UnderWay::Encryption, _) => 22_000,
            (UnderWay::Warm, false) => 390_000,
            (UnderWay::Warm, true) => 2000,
            (UnderWay::IndexAllocation(_) | UnderWay::IndexBackfill(_), _) => INDEX_CREATION_MS,
            (UnderWay::IndexUpdate(_), _) => 3000,
            (UnderWay::IndexWarm(_), _) => 388_000,
        })
    }

    fn or_even(self, service_ms: u64) -> u64 {
        match self {
            Self::Even(ms) => ms,
            Self::Service => service_ms,
        }
    }
}
