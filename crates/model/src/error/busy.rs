//! Refusals of a change because another one is under way. The sentences stand in
//! [`super::wording`].

use super::ErrorKind;

/// A request that a change under way refuses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Busy {
    /// The table.
    pub table: String,
    /// Requested change.
    pub asked: Asked,
    /// Change under way.
    pub under_way: UnderWay,
}

impl Busy {
    /// Returns the exception that the answer reports. In the case where the service itself fails
    /// with status 500, it is a `ValidationException`.
    pub fn kind(&self) -> ErrorKind {
        if self.asked == Asked::Warm { ErrorKind::Validation } else { ErrorKind::ResourceInUse }
    }
}

/// Change that a request asks of a table, as far as it can collide with one under way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asked {
    /// DeleteTable.
    Deletion,
    /// `DeletionProtectionEnabled`.
    Protection,
    /// `ProvisionedThroughput` or `BillingMode`.
    Units,
    /// `StreamSpecification`.
    Stream,
    /// `OnDemandThroughput`.
    Maxima,
    /// `WarmThroughput`.
    Warm,
    /// `TableClass`.
    Class,
    /// `SSESpecification`.
    Encryption,
    /// A new global index.
    IndexCreation,
    /// The end of a global index; holds its name.
    IndexDeletion(String),
    /// A change of a global index; holds its name.
    IndexUpdate(String),
}

/// Change that the service makes to a table in the background.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UnderWay {
    /// Provisioned throughput changes.
    Units,
    /// The billing mode changes.
    BillingMode {
        /// True if the new mode is on-demand.
        to_on_demand: bool,
    },
    /// A stream is enabled or disabled.
    Stream {
        /// Its label.
        label: String,
        /// True if the stream is being enabled.
        enables: bool,
    },
    /// The storage class changes; holds the new one.
    Class(&'static str),
    /// The encryption changes.
    Encryption,
    /// The table is warmed.
    Warm,
    /// A global index is created, its resources are being allocated; holds its name.
    IndexAllocation(String),
    /// A global index is created, existing items are being added; holds its name.
    IndexBackfill(String),
    /// A global index is deleted; holds its name.
    IndexDeletion(String),
    /// The throughput of a global index changes; holds its name.
    IndexUpdate(String),
    /// A global index is warmed; holds its name.
    IndexWarm(String),
}

impl UnderWay {
    /// Returns whether the change is of the table's units or billing mode.
    pub(super) fn is_of_units(&self) -> bool {
        matches!(self, Self::Units | Self::BillingMode { .. })
    }

    /// Returns whether this is the creation of an index.
    pub fn is_creation_of(&self, index: &str) -> bool {
        match self {
            Self::IndexAllocation(name) | Self::IndexBackfill(name) => name == index,
            Self::Units
            | Self::BillingMode { .. }
            | Self::Stream { .. }
            | Self::Class(_)
            | Self::Encryption
            | Self::Warm
            | Self::IndexDeletion(_)
            | Self::IndexUpdate(_)
            | Self::IndexWarm(_) => false,
        }
    }
}

impl Asked {
    /// Returns whether the service refuses this change while `under_way` is, with a sentence of
    /// [`Busy`]. Source: answers of 2026-10 and, where there are none, the status that the table
    /// has meanwhile.
    pub fn is_refused(&self, under_way: &UnderWay) -> bool {
        let is_updating = matches!(
            under_way,
            UnderWay::Units
                | UnderWay::BillingMode { .. }
                | UnderWay::Stream { .. }
                | UnderWay::Class(_)
                | UnderWay::IndexAllocation(_)
                | UnderWay::IndexDeletion(_)
        );
        let is_of_table =
            !matches!(under_way, UnderWay::IndexAllocation(_) | UnderWay::IndexDeletion(_));
        match self {
            Self::Deletion => true,
            Self::Protection => false,
            Self::Units | Self::Stream | Self::Class => is_updating,
            Self::Maxima => is_updating && *under_way != UnderWay::Units,
            Self::Warm => matches!(under_way, UnderWay::IndexAllocation(_)),
            Self::Encryption => *under_way == UnderWay::Encryption,
            Self::IndexCreation => is_updating && is_of_table,
            Self::IndexDeletion(index) => {
                if let UnderWay::IndexAllocation(other) | UnderWay::IndexDeletion(other) = under_way
                {
                    return other == index;
                }
                is_updating
            }
            Self::IndexUpdate(index) => {
                if let UnderWay::IndexAllocation(other)
                | UnderWay::IndexDeletion(other)
                | UnderWay::IndexUpdate(other) = under_way
                {
                    return other == index;
                }
                is_updating
            }
        }
    }

    /// Returns whether the request creates or deletes an index while another index is created or
    /// deleted; the service allows one at a time.
    pub fn is_one_index_too_many(&self, under_way: &UnderWay) -> bool {
        let (UnderWay::IndexAllocation(other)
        | UnderWay::IndexBackfill(other)
        | UnderWay::IndexDeletion(other)) = under_way
        else {
            return false;
        };
        match self {
            Self::IndexCreation => true,
            Self::IndexDeletion(index) => index != other,
            Self::Deletion
            | Self::Protection
            | Self::Units
            | Self::Stream
            | Self::Maxima
            | Self::Warm
            | Self::Class
            | Self::Encryption
            | Self::IndexUpdate(_) => false,
        }
    }
}
