//! Faults in the definition of a table or in a change of it. The sentences stand in
//! [`super::wording`].

use super::ErrorKind;

/// A fault of CreateTable or UpdateTable that is about throughput, indexes, encryption, or members
/// that do not go together. `index` names the index concerned; without it the fault is the table's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TableFault {
    // ---- keys of indexes
    /// Two elements of an index key have one name.
    IndexKeyTwice,
    /// More than four elements of one role, HASH or RANGE, which this holds.
    TooManyIndexKeys(&'static str),
    /// A RANGE element stands before a HASH element.
    IndexKeyOrder,
    /// A projection names an attribute twice.
    ProjectedTwice(String),
    /// A new index types an attribute that is a key otherwise; holds both schemas as shown.
    Redefined {
        /// The schema with the attribute as it is.
        existing: String,
        /// The schema of the new index.
        new: String,
    },
    /// A new index without `AttributeDefinitions` beside it.
    DefinitionsMissing(String),
    /// UpdateTable brings a 21st global index.
    TooManyIndexes,
    /// A local index is to be deleted or updated.
    NotGlobal {
        /// `delete` or `update`.
        action: &'static str,
        /// The index.
        index: String,
    },

    // ---- throughput
    /// A global index of a new provisioned table has no throughput.
    IndexUnitsMissing(String),
    /// A global index that is added to a provisioned table has no throughput.
    AddedIndexUnitsMissing(String),
    /// A switch to on-demand mode with throughput.
    UnitsWithOnDemand,
    /// A maximum of on-demand throughput, `member`, on a provisioned table.
    MaximumOnProvisioned {
        /// The index concerned.
        index: Option<String>,
        /// The member.
        member: &'static str,
        /// True if UpdateTable reports it, false if CreateTable does.
        of_update: bool,
    },
    /// A maximum of on-demand throughput that is no maximum.
    MaximumOutOfRange {
        /// The index concerned.
        index: Option<String>,
        /// The member.
        member: &'static str,
    },
    /// `OnDemandThroughput` without a maximum, and nothing else.
    MaximaEmpty,
    /// Warm throughput below its floor.
    WarmTooLow {
        /// The index concerned.
        index: Option<String>,
        /// True for writes, false for reads.
        is_write: bool,
        /// The floor.
        floor: WarmFloor,
    },
    /// `WarmThroughput` without a member.
    WarmEmpty {
        /// The index concerned.
        index: Option<String>,
    },

    // ---- members of UpdateTable
    /// Nothing is to be changed.
    NothingToUpdate {
        /// True if `MultiRegionConsistency` was given, which the sentence then leaves out.
        has_consistency: bool,
    },
    /// Settings that are replicated with overrides, of a table without replicas.
    SettingsOverridden,
    /// A change that must be the only one; holds the beginning of the sentence.
    NotAlone(&'static str),
    /// `OnDemandThroughput` beside something else than `BillingMode`.
    MaximaNotAlone,
    /// A change of the stream beside one of provisioned throughput.
    StreamWithUnits,
    /// An index comes or goes beside a change of provisioned throughput.
    IndexWithUnits,
    /// An index comes or goes beside a change of the stream.
    IndexWithStream,
    /// An index comes beside warm throughput.
    IndexWithWarm,
    /// `GlobalSecondaryIndexUpdates` is an empty list.
    IndexUpdatesEmpty,
    /// An index is updated twice.
    IndexUpdateTwice(String),
    /// An update of an index does several things.
    IndexUpdateSeveral,
    /// An update of an index of an on-demand table that changes none of its settings.
    IndexUpdateOnDemand(String),

    // ---- streams
    /// A stream is enabled without a view type.
    StreamViewMissing {
        /// True if UpdateTable reports it, false if CreateTable does.
        of_update: bool,
    },
    /// A stream is disabled with a view type.
    StreamViewForbidden {
        /// True if UpdateTable reports it, false if CreateTable does.
        of_update: bool,
    },

    // ---- encryption
    /// `member` of `SSESpecification` beside Enabled false.
    EncryptionOffWith {
        /// The member.
        member: &'static str,
    },
    /// A KMS key without `SSEType` KMS.
    EncryptionKeyWithoutType,
    /// `SSEType` AES256.
    EncryptionTypeUnsupported,
    /// Encryption is switched off on a table that has it switched off already.
    EncryptionOff,
    /// The table has this KMS key already.
    EncryptionKeyUnchanged,
}

/// Floor of warm throughput.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WarmFloor {
    /// The throughput that every on-demand table begins with.
    OnDemand,
    /// Provisioned throughput.
    Provisioned,
    /// The present warm throughput.
    Current,
}

impl TableFault {
    /// Returns the exception that the answer reports.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::TooManyIndexes => ErrorKind::LimitExceeded,
            Self::IndexKeyTwice
            | Self::TooManyIndexKeys(_)
            | Self::IndexKeyOrder
            | Self::ProjectedTwice(_)
            | Self::Redefined { .. }
            | Self::DefinitionsMissing(_)
            | Self::NotGlobal { .. }
            | Self::IndexUnitsMissing(_)
            | Self::AddedIndexUnitsMissing(_)
            | Self::UnitsWithOnDemand
            | Self::MaximumOnProvisioned { .. }
            | Self::MaximumOutOfRange { .. }
            | Self::MaximaEmpty
            | Self::WarmTooLow { .. }
            | Self::WarmEmpty { .. }
            | Self::NothingToUpdate { .. }
            | Self::NotAlone(_)
            | Self::SettingsOverridden
            | Self::MaximaNotAlone
            | Self::StreamWithUnits
            | Self::IndexWithUnits
            | Self::IndexWithStream
            | Self::IndexWithWarm
            | Self::IndexUpdatesEmpty
            | Self::IndexUpdateTwice(_)
            | Self::IndexUpdateSeveral
            | Self::IndexUpdateOnDemand(_)
            | Self::StreamViewMissing { .. }
            | Self::StreamViewForbidden { .. }
            | Self::EncryptionOffWith { .. }
            | Self::EncryptionKeyWithoutType
            | Self::EncryptionTypeUnsupported
            | Self::EncryptionOff
            | Self::EncryptionKeyUnchanged => ErrorKind::Validation,
        }
    }
}
