//! Members of files that make no difference to the tables here, and why. The code uses each member
//! of a file or names it here.

use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// A member of a file that has no meaning here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotTaken {
    /// Name of the member, and of the object that has it.
    pub what: String,
    /// Reason for which it has no meaning here.
    pub why: &'static str,
}

/// Reason for members that describe the state of a table.
pub const STATE: &str = "the state of a table, which is not copied";
/// Reason for members that describe the file.
pub const ABOUT: &str = "it describes the file and no table";
/// Reason for resources of other types.
pub const NO_TABLE: &str = "no tables";

const SCALING: &str = "units are not scaled; the least of them are taken";
const ENCRYPTION_KEY: &str = "no key service is asked for a key";
const POLICY: &str = "there are no resource policies";
const STACK: &str = "no stack is deployed";
const ONE_REGION: &str = "a table is in one region here";
const UNKNOWN: &str = "not known here";

/// Members, and why they are not taken.
const REASONS: [(&str, &str); 63] = [
    ("PointInTimeRecoverySpecification", "there are no backups"),
    ("RestoreSummary", "there are no backups"),
    ("ArchivalSummary", "there are no backups"),
    ("KMSMasterKeyId", ENCRYPTION_KEY),
    ("KMSMasterKeyArn", ENCRYPTION_KEY),
    ("InaccessibleEncryptionDateTime", ENCRYPTION_KEY),
    ("ResourcePolicy", POLICY),
    ("ReplicaStreamSpecification", POLICY),
    ("KinesisStreamSpecification", "no stream of Kinesis is fed"),
    ("ImportSourceSpecification", "nothing is imported from S3; hashrange import brings items"),
    ("Replicas", ONE_REGION),
    ("Region", ONE_REGION),
    ("GlobalTableVersion", ONE_REGION),
    ("GlobalTableWitnesses", ONE_REGION),
    ("MultiRegionConsistency", ONE_REGION),
    ("GlobalTableSourceArn", ONE_REGION),
    ("GlobalTableSettingsReplicationMode", ONE_REGION),
    ("MaxCapacity", SCALING),
    ("SeedCapacity", SCALING),
    ("TargetTrackingScalingPolicyConfiguration", SCALING),
    ("AutoScalingRead", SCALING),
    ("AutoScalingWrite", SCALING),
    ("WriteProvisionedThroughputSettings", "the table is on demand"),
    ("ReadProvisionedThroughputSettings", "the table is on demand"),
    ("ProvisionedCapacitySettings", "the table is on demand"),
    ("WriteOnDemandThroughputSettings", "the table has provisioned units"),
    ("ReadOnDemandThroughputSettings", "the table has provisioned units"),
    ("NonKeyAttributes", "a table knows the types of its keys only"),
    ("TableFacets", "a table has no views of its items; their sample data are taken"),
    ("DataAccess", "no other database is written to"),
    ("DependsOn", STACK),
    ("DeletionPolicy", STACK),
    ("UpdateReplacePolicy", STACK),
    ("UpdatePolicy", STACK),
    ("CreationPolicy", STACK),
    ("Outputs", STACK),
    ("Rules", STACK),
    ("Hooks", STACK),
    ("Metadata", ABOUT),
    ("Description", ABOUT),
    ("AWSTemplateFormatVersion", ABOUT),
    ("ModelName", ABOUT),
    ("ModelMetadata", ABOUT),
    ("ResponseMetadata", ABOUT),
    ("TableStatus", STATE),
    ("CreationDateTime", STATE),
    ("TableSizeBytes", STATE),
    ("ItemCount", STATE),
    ("TableArn", STATE),
    ("TableId", STATE),
    ("LatestStreamLabel", STATE),
    ("LatestStreamArn", STATE),
    ("WarmThroughput", STATE),
    ("IndexStatus", STATE),
    ("IndexSizeBytes", STATE),
    ("IndexArn", STATE),
    ("Backfilling", STATE),
    ("LastIncreaseDateTime", STATE),
    ("LastDecreaseDateTime", STATE),
    ("NumberOfDecreasesToday", STATE),
    ("LastUpdateToPayPerRequestDateTime", STATE),
    ("LastUpdateDateTime", STATE),
    ("Status", STATE),
];

/// Members that CreateTable's request has inside each of its members. Source: the service's model.
const INSIDE: [(&str, &[&str]); 13] = [
    (
        "",
        &[
            "TableName",
            "AttributeDefinitions",
            "KeySchema",
            "LocalSecondaryIndexes",
            "GlobalSecondaryIndexes",
            "BillingMode",
            "ProvisionedThroughput",
            "OnDemandThroughput",
            "WarmThroughput",
            "StreamSpecification",
            "SSESpecification",
            "Tags",
            "TableClass",
            "DeletionProtectionEnabled",
            "ResourcePolicy",
            "GlobalTableSourceArn",
            "GlobalTableSettingsReplicationMode",
        ],
    ),
    ("AttributeDefinitions", &["AttributeName", "AttributeType"]),
    ("KeySchema", &["AttributeName", "KeyType"]),
    ("LocalSecondaryIndexes", &["IndexName", "KeySchema", "Projection"]),
    ("GlobalSecondaryIndexes", &INDEX),
    ("Projection", &["ProjectionType", "NonKeyAttributes"]),
    ("ProvisionedThroughput", &["ReadCapacityUnits", "WriteCapacityUnits"]),
    ("OnDemandThroughput", &["MaxReadRequestUnits", "MaxWriteRequestUnits"]),
    ("WarmThroughput", &["ReadUnitsPerSecond", "WriteUnitsPerSecond"]),
    ("StreamSpecification", &["StreamEnabled", "StreamViewType"]),
    ("SSESpecification", &["Enabled", "SSEType", "KMSMasterKeyId"]),
    ("TimeToLiveSpecification", &["AttributeName", "Enabled"]),
    ("Tags", &["Key", "Value"]),
];
/// Members of an index that requests and templates have alike.
pub const INDEX: [&str; 6] = [
    "IndexName",
    "KeySchema",
    "Projection",
    "ProvisionedThroughput",
    "OnDemandThroughput",
    "WarmThroughput",
];

impl NotTaken {
    /// Returns the note that a member of something is not taken.
    pub fn member(member: &str, of: &str) -> Self {
        let known = REASONS.iter().find(|(name, _)| *name == member);
        let what = if of.is_empty() { member.to_owned() } else { format!("{member} of {of}") };
        Self { what, why: known.map_or(UNKNOWN, |(_, why)| why) }
    }
}

/// Returns the notes on all members of an object but those that are taken.
pub fn but(object: &Map<String, Value>, taken: &[&str], of: &str) -> Vec<NotTaken> {
    let left = object.keys().filter(|name| !taken.contains(&name.as_str()));
    left.map(|name| NotTaken::member(name, of)).collect()
}

/// Returns the notes on members of a request that CreateTable does not have.
pub fn in_request(request: &Map<String, Value>) -> Vec<NotTaken> {
    inside("", "", request)
}

/// Returns the notes on unknown members of a `TimeToLiveSpecification`.
pub fn in_time_to_live(specification: &Value) -> Vec<NotTaken> {
    let name = "TimeToLiveSpecification";
    specification.as_object().map_or_else(Vec::new, |members| inside(name, name, members))
}

fn inside(parent: &str, of: &str, members: &Map<String, Value>) -> Vec<NotTaken> {
    let known = INSIDE.iter().find(|(name, _)| *name == parent);
    let Some((_, known)) = known else { return Vec::new() };
    let mut found = but(members, known, of);
    for (name, value) in members.iter().filter(|(name, _)| known.contains(&name.as_str())) {
        let values = match value {
            Value::Array(values) => values.as_slice(),
            value => std::slice::from_ref(value),
        };
        let objects = values.iter().filter_map(Value::as_object);
        found.extend(objects.flat_map(|inner| inside(name, name, inner)));
    }
    found
}

/// Returns lines that name the members, those of one reason together; each with true if the user
/// should look at it.
pub fn lines(not_taken: &[NotTaken]) -> Vec<(String, bool)> {
    let mut told = BTreeSet::new();
    let mut lines: Vec<(Vec<&str>, &str)> = Vec::new();
    for NotTaken { what, why } in not_taken.iter().filter(|it| told.insert((it.why, &it.what))) {
        match lines.iter_mut().find(|(_, known)| known == why) {
            Some((whats, _)) => whats.push(what),
            None => lines.push((vec![what], why)),
        }
    }
    let harmless = [STATE, ABOUT, NO_TABLE, STACK];
    let line = |(whats, why): (Vec<&str>, &str)| {
        (format!("{} ({why})", whats.join(", ")), !harmless.contains(&why))
    };
    lines.into_iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn members_that_no_request_has_are_named_at_every_depth() {
        let request = json!({"TableName": "T", "Tgas": [], "Tags": [{"Key": "a", "Value": "b", "X": 1}],
            "GlobalSecondaryIndexes": [{"IndexName": "g", "Projection": {"ProjectionType": "ALL", "Y": 1}, "Z": 2}]});
        let Value::Object(request) = request else { panic!("an object") };
        let mut whats: Vec<_> = in_request(&request).into_iter().map(|note| note.what).collect();
        whats.sort_unstable();
        assert_eq!(whats, ["Tgas", "X of Tags", "Y of Projection", "Z of GlobalSecondaryIndexes"]);
    }

    #[test]
    fn what_is_left_for_one_reason_is_one_line() {
        let note = |member| NotTaken::member(member, "");
        let notes = [
            note("ItemCount"),
            note("KMSMasterKeyId"),
            note("TableId"),
            note("ItemCount"),
            note("x"),
        ];
        assert_eq!(
            lines(&notes),
            [
                (
                    "ItemCount, TableId (the state of a table, which is not copied)".to_owned(),
                    false
                ),
                ("KMSMasterKeyId (no key service is asked for a key)".to_owned(), true),
                ("x (not known here)".to_owned(), true),
            ]
        );
    }
}
