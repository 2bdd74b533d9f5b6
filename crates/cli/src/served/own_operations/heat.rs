//! The own operation `DescribeHeat`: its request and answer in JSON.
//!
//! A place of the answer is a table, or an index of it, with its minutes. `docs/heat.md` has the members.

use super::{fault, read, written};
use hashrange::heat::{PlaceHeat, Sums};
use hashrange::{ApiResult, Database, HeatInput, StateFault};
use serde::{Deserialize, Serialize};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "PascalCase")]
struct Request {
    table_name: Option<String>,
    index_name: Option<String>,
    minutes: Option<usize>,
    exclusive_start: Option<Position>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "PascalCase")]
struct Position {
    table_name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    index_name: Option<String>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
struct HeatAnswer {
    is_of_all_tables: bool,
    places: Vec<PlaceHeat>,
    /// Sums of minutes of tables that found no room.
    untold: Sums,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_evaluated: Option<Position>,
}

/// Describes the hot keys.
pub async fn describe(database: &Database, body: &[u8]) -> ApiResult<Vec<u8>> {
    let request: Request = read(body)?;
    if request.index_name.is_some() && request.table_name.is_none() {
        return Err(fault(StateFault::Form("IndexName needs TableName".to_owned())));
    }
    let page = database.describe_heat(HeatInput {
        table_name: request.table_name,
        index_name: request.index_name,
        minutes: request.minutes,
        start: request.exclusive_start.map(|start| (start.table_name, start.index_name)),
    });
    let page = page.await?;
    let last = page.last.map(|(table_name, index_name)| Position { table_name, index_name });
    let answer = HeatAnswer {
        is_of_all_tables: page.is_of_all,
        places: page.places,
        untold: page.untold,
        last_evaluated: last,
    };
    written(&answer)
}
