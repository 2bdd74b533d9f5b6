//! `TableFacts`: the facts of a table that a recording keeps: its billing, its keys and indexes,
//! and the attributes that a bounded sample of its items has. No values.
//!
//! `{"TableName": "orders"}` is answered by the members of [`hashrange::cost::TableFacts`].

use super::{fault, read};
use hashrange::{ApiResult, Database, StateFault};
use serde::Deserialize;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "PascalCase")]
struct OfFacts {
    table_name: String,
}

/// Describes a table.
pub async fn call(database: &Database, body: &[u8]) -> ApiResult<Vec<u8>> {
    let OfFacts { table_name } = read(body)?;
    let facts = database.facts(&table_name).await?;
    serde_json::to_vec(&facts).map_err(|why| fault(StateFault::Form(why.to_string())))
}
