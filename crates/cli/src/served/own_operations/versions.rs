//! The own operations on versions that tables keep as items.
//!
//! | operation | request | answer |
//! |---|---|---|
//! | `UpdateVersions` | `TableName`, `Versions` or null for no more | `Versions`, `Warnings` |
//! | `DescribeVersions` | `TableName` | the same |
//!
//! `Versions` is `Version`, `Pointer`, `Number`, `Keep` and `KeepDays`; the last three may be left out.

use super::{read, written};
use hashrange::{ApiResult, Database, VersionsDescription, VersionsRecord};
use serde::{Deserialize, Serialize};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "PascalCase")]
struct OfVersions {
    table_name: String,
    // Null ends the keeping; without the member nothing is said.
    #[serde(deserialize_with = "Option::deserialize")]
    versions: Option<Rules>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "PascalCase")]
struct OfTable {
    table_name: String,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "PascalCase")]
struct Rules {
    version: String,
    pointer: String,
    number: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    keep: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    keep_days: Option<u32>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
struct Answer {
    versions: Option<Rules>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

/// Begins, changes or ends the keeping of versions.
pub async fn update(database: &Database, body: &[u8]) -> ApiResult<Vec<u8>> {
    let OfVersions { table_name, versions } = read(body)?;
    let record = versions.map(|rules| VersionsRecord {
        version: rules.version,
        pointer: rules.pointer,
        number: rules.number.unwrap_or_else(|| VersionsRecord::NUMBER.to_owned()),
        keep: rules.keep,
        keep_days: rules.keep_days,
    });
    answer(database.set_versions(&table_name, record).await?)
}

/// Describes the versions that are kept.
pub async fn describe(database: &Database, body: &[u8]) -> ApiResult<Vec<u8>> {
    let OfTable { table_name } = read(body)?;
    answer(database.describe_versions(&table_name).await?)
}

fn answer(described: VersionsDescription) -> ApiResult<Vec<u8>> {
    let rules = |record: VersionsRecord| Rules {
        version: record.version,
        pointer: record.pointer,
        number: Some(record.number),
        keep: record.keep,
        keep_days: record.keep_days,
    };
    let versions = described.versions.map(rules);
    written(&Answer { versions, warnings: described.warnings })
}
