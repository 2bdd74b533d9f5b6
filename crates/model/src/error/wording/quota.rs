//! Sentences about quotas of an account: a part of [`super`], which is the only way to them.
//! Source: answers quoted in public issues (tables), answers of 2026-10 (the others).

use super::super::Quota;
use super::super::quota::moment;
use crate::moment::extended;

const LIMITED: &str = "Subscriber limit exceeded: ";
const REFER: &str = "Refer to the Amazon DynamoDB Developer Guide for current limits and how to \
                     request higher limits.";

/// Returns the sentence.
pub fn exceeded(quota: &Quota) -> String {
    match quota {
        Quota::Tables(limit) => {
            format!("{LIMITED}There is a limit of {limit} tables per subscriber")
        }
        Quota::TableChanges(limit) => format!(
            "{LIMITED}Only {limit} tables can be created, updated, or deleted simultaneously"
        ),
        Quota::IndexedTableCreations => format!(
            "{LIMITED}You have exceeded the maximum number of indexed tables that can be created \
             simultaneously"
        ),
        Quota::Decreases { today, last_ms, next_ms } => format!(
            "{LIMITED}Provisioned throughput decreases are limited within a given UTC day. After \
             the first 4 decreases, each subsequent decrease in the same UTC day can be performed \
             at most once every 3600 seconds. Number of decreases today: {today}. Last decrease \
             at {}. Next decrease can be made at {}",
            moment(*last_ms),
            moment(*next_ms)
        ),
        Quota::Units { index, is_write, requested, limit, region } => {
            let member = units(*is_write);
            let (of, kind) = match index {
                Some(index) => (format!(" for index {index}"), "index"),
                None => (String::new(), "table"),
            };
            format!(
                "The requested {member}{of}, {requested}, is above the per {kind} maximum for the \
                 account in {region}. Per {kind} maximum: {limit}. {REFER}"
            )
        }
        Quota::AccountUnits { is_write, reserved, requested, limit, region } => format!(
            "This request would have caused the {} limit to be exceeded for the account in \
             {region}. Current {} reserved by the account: {reserved}. Limit: {limit}. Requested: \
             {requested}. {REFER}",
            units(*is_write),
            units(*is_write)
        ),
        Quota::OnDemandMaximum { index, is_write, region } => {
            let kind = if *is_write { "Write" } else { "Read" };
            let of = index.as_ref().map_or("table".to_owned(), |index| format!("index : {index}")); // sic
            format!(
                "{LIMITED}Requested Max{kind}RequestUnits for OnDemandThroughput for {of} exceeds \
                 TableMax{kind}CapacityUnits of the account in region {region}"
            )
        }
        Quota::Protection { table, until_ms } => format!(
            "Deletion protection setting for table {table} modified within the previous 15000 \
             milliseconds. Please try again after {}",
            extended(*until_ms)
        ),
        Quota::TagChanges { table } => format!("{LIMITED}Table tags are being updated: {table}"),
        Quota::ClassChanges => {
            format!("{LIMITED}Updates to TableClass are limited to 2 times in 30 day(s).")
        }
        Quota::EncryptionChanges { count, window_ms, last_ms, next_ms } => format!(
            "{LIMITED}Encryption mode changes are limited in the 24h window ending at {}. After \
             the first 4 change, each subsequent change in the same window can be performed at \
             most once every 21600 seconds. Number of updates today: {count}. Last change at {}. \
             Next changes can be made at {}.",
            extended(*window_ms),
            extended(*last_ms),
            extended(*next_ms)
        ),
    }
}

fn units(is_write: bool) -> &'static str {
    if is_write { "WriteCapacityUnits" } else { "ReadCapacityUnits" }
}
