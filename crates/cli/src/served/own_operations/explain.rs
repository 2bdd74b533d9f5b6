//! `Explain`: the effect of a request of the service, or with `Analyze` its run.
//!
//! `{"Operation": "Query", "Request": {...}, "Analyze": true}` is answered by `Explanation`, the
//! members of [`hashrange::explain`], `Text`, its lines for people, and `Pattern`, the request
//! without its values. With `WhatIf` the request reads an index that does not exist: `{"IndexName",
//! "KeySchema", "Projection", "AttributeDefinitions"}`, as UpdateTable has them, and `"Local":
//! true` for a local one.

use super::{fault, read_within};
use hashrange::explain::{Mode, SupposedIndex};
use hashrange::{ApiResult, Database, Operation, Service, StateFault};
use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;

/// The largest request: one of the service with the members around it.
const REQUEST_MAX_BYTES: usize = (16 << 20) + 1024;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "PascalCase")]
struct OfExplain {
    operation: String,
    request: Box<RawValue>,
    #[serde(default)]
    analyze: bool,
    what_if: Option<Box<RawValue>>,
}

/// Explains a request.
pub async fn call(database: &Database, body: &[u8]) -> ApiResult<Vec<u8>> {
    let OfExplain { operation, request, analyze, what_if } = read_within(body, REQUEST_MAX_BYTES)?;
    let known = Operation::from_name(Service::DynamoDb, &operation);
    let known = known
        .ok_or_else(|| fault(StateFault::Form(format!("there is no operation {operation:?}"))))?;
    let mode = if analyze { Mode::Analyze } else { Mode::Plan };
    let request = request.get().as_bytes();
    let explanation = match what_if {
        None => database.explain(known, request, mode).await?,
        Some(_) if analyze => return Err(fault(StateFault::SupposedAnalyzed)),
        Some(what_if) => {
            let index = SupposedIndex::from_json(what_if.get().as_bytes())?;
            database.explain_what_if(known, request, &index).await?
        }
    };
    let answer = json!({
        "Explanation": explanation.to_json(), "Text": explanation.text(),
        "Pattern": explanation.pattern,
    });
    Ok(answer.to_string().into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn explained(body: &str) -> String {
        match call(&Database::memory(), body.as_bytes()).await {
            Ok(answer) => String::from_utf8(answer).unwrap(),
            Err(error) => error.to_string(),
        }
    }

    #[tokio::test]
    async fn faults_are_told_in_words() {
        let cases = [
            (
                r#"{"Operation":"Query"}"#,
                "ValidationException: The request cannot be read: missing field `Request` at line 1 column 21",
            ),
            (
                r#"{"Operation":"Qery","Request":{}}"#,
                "ValidationException: The request cannot be read: there is no operation \"Qery\"",
            ),
            (
                r#"{"Operation":"ListTables","Request":{}}"#,
                "ValidationException: ListTables cannot be explained: operations that read or write \
                 items can",
            ),
            (
                r#"{"Operation":"Scan","Request":{"TableName":"none"}}"#,
                "ResourceNotFoundException: Requested resource not found",
            ),
            (
                r#"{"Operation":"Scan","Request":{"TableName":"none"},"WhatIf":{},"Analyze":true}"#,
                "ValidationException: An index that is not there cannot be read: WhatIf goes without \
                 Analyze",
            ),
            (
                r#"{"Operation":"Scan","Request":{"TableName":"none"},"WhatIf":{"IndexName":"a"}}"#,
                "ValidationException: The request cannot be read: missing field `KeySchema`",
            ),
            (
                r#"{"Operation":"Scan","Request":{"TableName":"none"},"WhatIf":{"IndexName":"a-b","KeySchema":[{"AttributeName":"a","KeyType":"HASH"}]}}"#,
                "ResourceNotFoundException: Requested resource not found",
            ),
            (r#"{"Operation":"Scan","Request":{"TableName":1}}"#, "SerializationException: "),
            (r#"{"Operation":"Scan","Request":"#, "SerializationException"),
        ];
        for (body, expected) in cases {
            let answer = explained(body).await;
            assert!(answer.starts_with(expected), "{body}\n{answer}");
        }
    }
}
