//! Conversions of faults from the layers below into reasons of the API.
//!
//! Faults of the store are logged here, where the details are known: each once a minute, so that a
//! disk that fails every request does not flood the log.

#![deny(clippy::wildcard_enum_match_arm)]

use crate::layout::{self, KeyFault};
use crate::schema::{Table, TableId};
use hashrange_model::item::UnknownForm;
use hashrange_model::{ApiError, Reason};
use hashrange_storage::Error;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Faults that were logged since the last call of [`log_anew`]. Of the process, as the log is.
static LOGGED: Logged = Logged(Mutex::new(BTreeMap::new()));

/// Converts a fault of a commit of items: a conflict that remains after all attempts becomes a
/// conflict with other transactions.
pub(crate) fn of_commit<'t>(tables: impl IntoIterator<Item = &'t Table>, error: Error) -> ApiError {
    match error {
        Error::Conflict => Reason::TransactionConflict.into(),
        Error::Io { .. }
        | Error::Corrupt { .. }
        | Error::Unavailable { .. }
        | Error::Full
        | Error::Closed => of_tables(tables, error),
    }
}

/// Logs a store's fault and returns the error for the client.
pub(crate) fn of_store(error: Error) -> ApiError {
    of_tables([], error)
}

/// Converts a store's fault in reading or writing one or more of `tables`: logs it with the name of
/// the table to which the unreadable data belong.
#[expect(clippy::needless_pass_by_value, reason = "map_err passes it so")]
pub(crate) fn of_tables<'t>(tables: impl IntoIterator<Item = &'t Table>, error: Error) -> ApiError {
    match &error {
        Error::Full => {
            if LOGGED.is_news(error.to_string()) {
                tracing::error!(%error, "the store refuses writes");
            }
            Reason::StoreUnavailable(error.to_string()).into()
        }
        Error::Unavailable { .. } => {
            if LOGGED.is_news(error.to_string()) {
                tracing::error!(%error, "the store cannot be reached");
            }
            Reason::StoreUnavailable(error.to_string()).into()
        }
        Error::Closed => Reason::StoreUnavailable(error.to_string()).into(),
        Error::Conflict => Reason::Contended.into(),
        Error::Io { .. } | Error::Corrupt { .. } => {
            if LOGGED.is_news(error.to_string()) {
                let id = table_of(&error);
                let table = tables.into_iter().find(|table| id == Some(table.id()));
                let table = table.map(|table| table.record.name.as_str());
                tracing::error!(%error, table, "the store failed");
            }
            Reason::Internal.into()
        }
    }
}

/// Returns the table to which the unreadable key belongs, if the error names one.
fn table_of(error: &Error) -> Option<TableId> {
    let Error::Corrupt { near: Some(key), .. } = error else { return None };
    layout::parse_item_keyspace(key).map(|(table, _)| table)
}

/// Returns the error for a value that is not of the form that the layout has at its key.
pub(crate) fn of_value(key: &[u8]) -> ApiError {
    let place = key.escape_ascii().to_string();
    of_store(Error::corrupt("the value of this key has another form", place))
}

/// Returns the error for stored bytes that are no item: the folder is damaged or from a newer
/// release.
#[expect(clippy::needless_pass_by_value, reason = "map_err passes it so")]
pub(crate) fn of_form(form: UnknownForm) -> ApiError {
    if LOGGED.is_news(format!("unknown form of an item: {form:?}")) {
        tracing::error!(?form, "a stored item has an unknown form");
    }
    Reason::Internal.into()
}

/// Logs how often each fault was repeated since the last call, and lets each be logged again. The
/// sweep calls this once a minute.
pub(crate) fn log_anew() {
    for (fault, again) in LOGGED.take() {
        if again > 0 {
            tracing::error!(again, "the store failed again: {fault}");
        }
    }
}

/// Logged faults, with the number of their repetitions.
struct Logged(Mutex<BTreeMap<String, u64>>);

impl Logged {
    /// Number of different faults that are counted apart; further ones are counted as one.
    const FAULTS_MAX: usize = 50;

    /// Returns whether a fault is to be logged.
    fn is_news(&self, fault: String) -> bool {
        let mut logged = self.lock();
        if let Some(again) = logged.get_mut(&fault) {
            *again += 1;
            return false;
        }
        let is_one_of_many = logged.len() >= Self::FAULTS_MAX;
        if is_one_of_many {
            *logged.entry("other faults".to_owned()).or_insert(0) += 1;
        } else {
            logged.insert(fault, 0);
        }
        !is_one_of_many
    }

    fn take(&self) -> BTreeMap<String, u64> {
        std::mem::take(&mut *self.lock())
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, u64>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the reason for a fault of the key attributes in an item that is put.
pub(crate) fn of_item_key(fault: KeyFault) -> Reason {
    match fault {
        KeyFault::Missing(attribute) => Reason::MissingKey { attribute },
        KeyFault::Type { attribute, expected, actual } => {
            Reason::KeyTypeMismatch { attribute, expected, actual }
        }
        KeyFault::Empty { .. }
        | KeyFault::PartitionTooLong { .. }
        | KeyFault::SortTooLong { .. } => of_key_member(fault),
    }
}

/// Returns the reason for a fault of a `Key` member.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::IndexId;

    #[test]
    fn the_table_is_known_by_the_key_that_could_not_be_read() {
        let near = |key: hashrange_storage::Key| {
            let near = Some(Box::new(key));
            table_of(&Error::Corrupt { what: String::new(), place: String::new(), near })
        };
        for index in [0, 3] {
            let key = layout::keyspace(TableId(7), IndexId(index)).start;
            assert_eq!(near(key), Some(TableId(7)));
        }
        assert_eq!(near(layout::table_record(TableId(7))), None, "no item's key");
        assert_eq!(near(Vec::new()), None);
        assert_eq!(table_of(&Error::corrupt("", "")), None);
    }

    #[test]
    fn a_fault_is_logged_once_and_counted_until_it_is_forgotten() {
        let logged = Logged(Mutex::default());
        let is_news = |fault: &str| logged.is_news(fault.to_owned());
        assert!(is_news("read block"));
        assert!(!is_news("read block"));
        assert!(is_news("commit group"));
        assert!(!is_news("read block"));
        let again = [("commit group".to_owned(), 0), ("read block".to_owned(), 2)];
        assert_eq!(logged.take(), BTreeMap::from(again));
        assert!(is_news("read block"));
    }

    #[test]
    fn there_are_not_endlessly_many_faults() {
        let logged = Logged(Mutex::default());
        let news = (0..1000).filter(|nth| logged.is_news(format!("block {nth}"))).count();
        assert_eq!(news, Logged::FAULTS_MAX);
        let taken = logged.take();
        assert_eq!((taken.len(), taken["other faults"]), (Logged::FAULTS_MAX + 1, 950));
    }
}
