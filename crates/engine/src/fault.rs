//! Conversions of faults from the layers below into reasons of the API.

use crate::layout::KeyFault;
use hashrange_model::item::UnknownForm;
use hashrange_model::{ApiError, Reason};
use hashrange_storage::Error;

/// A store's fault: logged here, where the details are known; the client learns what it can act on.
pub(crate) fn of_store(error: Error) -> ApiError {
    match &error {
        Error::Full | Error::Closed => Reason::StoreUnavailable(error.to_string()).into(),
        Error::Io { .. } | Error::Corrupt { .. } | Error::Conflict => {
            tracing::error!(%error, "the store failed");
            Reason::Internal.into()
        }
    }
}

/// Stored bytes that are no item: the folder is damaged or from a newer release.
pub(crate) fn of_form(form: UnknownForm) -> ApiError {
    tracing::error!(?form, "a stored item has an unknown form");
    Reason::Internal.into()
}

/// A fault of the key attributes in an item that is put.
pub(crate) fn of_item_key(fault: KeyFault) -> Reason {
    match fault {
        KeyFault::Missing(attribute) => Reason::MissingKey { attribute },
        KeyFault::Type { attribute, expected, actual } => {
            Reason::KeyTypeMismatch { attribute, expected, actual }
        }
        other => of_key_member(other),
    }
}

/// A fault of a `Key` member.
pub(crate) fn of_key_member(fault: KeyFault) -> Reason {
    match fault {
        KeyFault::Missing(_) | KeyFault::Type { .. } => Reason::KeyElementMismatch,
        KeyFault::Empty { attribute, attribute_type } => {
            Reason::EmptyKeyValue { attribute, attribute_type }
        }
        KeyFault::PartitionTooLong { .. } => Reason::PartitionKeyTooLong,
        KeyFault::SortTooLong { .. } => Reason::SortKeyTooLong,
    }
}
