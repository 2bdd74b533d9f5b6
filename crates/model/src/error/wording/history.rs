//! Sentences about the history of tables: a part of [`super`], which is the only way to them. The
//! service has none like them.

use super::super::HistoryFault;
use crate::moment;

/// Returns the sentence for a request for the history of a table.
pub fn refused(fault: &HistoryFault) -> String {
    match fault {
        HistoryFault::NotKept(table) => {
            format!("The table {table} keeps no history: UpdateHistory begins one")
        }
        HistoryFault::Beginning(table) => {
            format!("The history of the table {table} has not begun yet: try again in a moment")
        }
        HistoryFault::Ending(table) => {
            format!("The history of the table {table} is being removed: try again when it is gone")
        }
        HistoryFault::NotAMoment(text) => format!(
            "{text:?} is no moment: write 20261121T100000Z, 20261121T100000.250Z or seconds since 1970"
        ),
        HistoryFault::TooEarly { table, at_ms, reaches_back_to_ms } => format!(
            "The history of the table {table} reaches back to {}, and {} is before that",
            moment::extended(*reaches_back_to_ms),
            moment::extended(*at_ms)
        ),
        HistoryFault::Future { at_ms, now_ms } => format!(
            "{} is in the future: it is {}",
            moment::extended(*at_ms),
            moment::extended(*now_ms)
        ),
        HistoryFault::ReadOnly(name) => {
            format!("{name} is the past of a table: it is read, and never written or changed")
        }
        HistoryFault::IndexOfThePast => {
            "An index of the past is read by Query, Scan and ExecuteStatement".to_owned()
        }
        HistoryFault::TooMuchForAnIndex { table } => format!(
            "The past of an index is looked up among the items of its table, and {table} had more than 1,000,000 or 1 GiB: read by the key of the table"
        ),
        HistoryFault::VersionsByQuery(name) => {
            format!(
                "{name} has the versions of items: they are read by GetItem, Query, Scan and ExecuteStatement"
            )
        }
        HistoryFault::Key => {
            "Key has to be the partition key of the table, or the whole key of an item".to_owned()
        }
        HistoryFault::SortKeyPrefix => {
            "SortKeyPrefix needs the partition key in Key, and a sort key that is a string"
                .to_owned()
        }
        HistoryFault::Limit { most } => format!("Limit has to be from 1 to {most}"),
        HistoryFault::Backward => "To is before From".to_owned(),
        HistoryFault::Start => {
            "ExclusiveStart is none that a page of the same request has returned".to_owned()
        }
        HistoryFault::RestoreTo => {
            "Items are put back to what they were at one moment: To is not allowed".to_owned()
        }
        HistoryFault::Versions(why) => format!("Versions cannot be kept so: {why}"),
        HistoryFault::VersionTooHigh { form, number } => format!(
            "The item has no next version: number {number} does not fit the keys {form} of its versions, or the key is too long"
        ),
        HistoryFault::VersionWritten(key) => format!(
            "The server keeps the versions of this table: leave {key} out of the request that writes its item"
        ),
        HistoryFault::Retention { most } => {
            format!("A history is kept for 1 to {most} hours, or without RetentionHours for ever")
        }
    }
}
