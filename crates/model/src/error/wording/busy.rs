//! Sentences about changes that are refused while another one is under way: a part of [`super`],
//! through which alone they are reached. Source: answers of 2026-10, but for the lines marked
//! "ours".

use super::super::{Asked, Busy, UnderWay};

const IN_USE: &str = "Attempt to change a resource which is still in use: ";

/// Returns the sentence.
pub fn sentence(busy: &Busy) -> String {
    let Busy { table, asked, under_way } = busy;
    if let (Asked::Warm, _) = (asked, under_way) {
        return "Table is under system maintenance, please try again later".to_owned();
    }
    let words = match asked {
        Asked::Deletion => deletion(table, under_way),
        Asked::Protection => "Table needs to be in ACTIVE status to modify deletion protection \
                              setting."
            .to_owned(),
        Asked::Units => when("Can't change table IOPS", table, under_way),
        Asked::Stream => stream(table, under_way),
        Asked::Maxima => maxima(under_way),
        Asked::Class => class(table, under_way),
        Asked::Warm | Asked::Encryption => {
            "Server-Side Encryption is still being updated".to_owned()
        }
        Asked::IndexCreation => index_set(table, under_way),
        Asked::IndexDeletion(index) => {
            same_index(table, index, under_way, true).unwrap_or_else(|| index_set(table, under_way))
        }
        Asked::IndexUpdate(index) => same_index(table, index, under_way, false)
            .unwrap_or_else(|| when("Can't change table IOPS", table, under_way)),
    };
    if *asked == Asked::Protection { words } else { format!("{IN_USE}{words}") }
}

fn deletion(table: &str, under_way: &UnderWay) -> String {
    match under_way {
        UnderWay::Stream { .. } => {
            "Cannot delete table while stream is being enabled/disabled.".to_owned()
        }
        UnderWay::IndexAllocation(_)
        | UnderWay::IndexBackfill(_)
        | UnderWay::IndexDeletion(_)
        | UnderWay::IndexUpdate(_)
        | UnderWay::IndexWarm(_) => {
            "Cannot delete table while indexes are being created, updated, or deleted.".to_owned()
        }
        UnderWay::Units
        | UnderWay::BillingMode { .. }
        | UnderWay::Class(_)
        | UnderWay::Encryption
        | UnderWay::Warm => format!("Table: {table} is in the process of being updated."),
    }
}

/// The sentence that most refusals share. Of throughput, encryption, warm throughput and changes of
/// an index that leave the table's status alone: ours.
fn when(cannot: &str, table: &str, under_way: &UnderWay) -> String {
    match under_way {
        UnderWay::Stream { label, enables } => format!(
            "{cannot} when stream status is being updated. Table: {table} Stream: {label} \
             Operation: {}",
            operation(*enables)
        ),
        UnderWay::Class(class) => format!(
            "{cannot} when a table class update is in progress. Table: {table} \
             TableClassUpdateInProgress: {class}"
        ),
        UnderWay::IndexAllocation(index) => {
            format!("{cannot} when an index is being created. Table: {table} Indexes: [{index}]")
        }
        UnderWay::IndexDeletion(index) => {
            format!("{cannot} when an index is being deleted. Table: {table} Indexes: [{index}]")
        }
        UnderWay::Units
        | UnderWay::BillingMode { .. }
        | UnderWay::Encryption
        | UnderWay::Warm
        | UnderWay::IndexBackfill(_)
        | UnderWay::IndexUpdate(_)
        | UnderWay::IndexWarm(_) => {
            format!("Table IOPS are currently being updated. Table: {table}")
        }
    }
}

fn operation(enables: bool) -> &'static str {
    if enables { "ENABLE" } else { "DISABLE" }
}

fn stream(table: &str, under_way: &UnderWay) -> String {
    match under_way {
        UnderWay::Stream { label, enables } => format!(
            "A stream status change is currently in progress. Table: {table} Stream: {label} \
             Operation: {}",
            operation(*enables)
        ),
        UnderWay::Units | UnderWay::BillingMode { .. } => format!(
            "Can't enable or disable stream while table IOPS are being updated. Table: {table}"
        ),
        UnderWay::Class(_)
        | UnderWay::Encryption
        | UnderWay::Warm
        | UnderWay::IndexAllocation(_)
        | UnderWay::IndexBackfill(_)
        | UnderWay::IndexDeletion(_)
        | UnderWay::IndexUpdate(_)
        | UnderWay::IndexWarm(_) => when("Can't change stream status", table, under_way),
    }
}

fn class(table: &str, under_way: &UnderWay) -> String {
    if under_way.is_of_units() {
        return format!(
            "Can't update table class while table IOPS are being updated. Table: {table}" // ours
        );
    }
    when("Can't update table class", table, under_way)
}

fn index_set(table: &str, under_way: &UnderWay) -> String {
    if under_way.is_of_units() {
        return format!(
            "Can't create or delete indexes while table IOPS are being updated. Table: {table}"
        );
    }
    when("Can't create or delete an index", table, under_way)
}

fn maxima(under_way: &UnderWay) -> String {
    let what = match under_way {
        UnderWay::Stream { .. } => "stream status update is in progress".to_owned(),
        UnderWay::Class(class) => {
            format!("TableClass update is in progress. TableClassUpdateInProgress: {class}")
        }
        UnderWay::IndexAllocation(index) => {
            format!("index creation is in progress for indexes: [{index}]")
        }
        UnderWay::IndexDeletion(index) => {
            format!("index deletion is in progress for indexes: [{index}]")
        }
        UnderWay::Units
        | UnderWay::BillingMode { .. }
        | UnderWay::Encryption
        | UnderWay::Warm
        | UnderWay::IndexBackfill(_)
        | UnderWay::IndexUpdate(_)
        | UnderWay::IndexWarm(_) => "BillingMode update is in progress".to_owned(),
    };
    format!("OnDemandThroughput cannot be updated while {what}")
}

/// Returns the words for an index that is already being changed.
fn same_index(table: &str, index: &str, under_way: &UnderWay, is_deletion: bool) -> Option<String> {
    let place = format!("Table: {table} Index: {index}");
    match under_way {
        UnderWay::IndexAllocation(_) if is_deletion => Some(format!(
            "Index creation is in resource allocation phase. Retry deletion during backfilling \
             phase or when the index is active. {place}"
        )),
        UnderWay::IndexAllocation(_) => {
            Some(format!("Index is being created but is not backfilling yet. {place}"))
        }
        UnderWay::IndexDeletion(_) => Some(format!("Index is being deleted. {place}")),
        UnderWay::IndexUpdate(_) => Some(format!("Index is being updated. {place}")),
        UnderWay::Units
        | UnderWay::BillingMode { .. }
        | UnderWay::Stream { .. }
        | UnderWay::Class(_)
        | UnderWay::Encryption
        | UnderWay::Warm
        | UnderWay::IndexBackfill(_)
        | UnderWay::IndexWarm(_) => None,
    }
}
