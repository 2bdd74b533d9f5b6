//! Creates tables, or compares existing tables with their definitions.
//!
//! A definition is compared as the engine describes it: the code creates it in a separate database
//! in memory first. That finds its faults before anything is created, and settles the defaults and
//! the order of members.

use super::definition::{Definition, Insights};
use anyhow::{Context, bail};
use hashrange::{ApiError, Database, ErrorKind, Operation};
use serde_json::{Map, Value, json};

/// Members of a description that make up a definition.
const COMPARED: [&str; 10] = [
    "KeySchema",
    "AttributeDefinitions",
    "BillingModeSummary",
    "ProvisionedThroughput",
    "GlobalSecondaryIndexes",
    "LocalSecondaryIndexes",
    "StreamSpecification",
    "TableClassSummary",
    "DeletionProtectionEnabled",
    "OnDemandThroughput",
];
/// Members of those, at any depth, that differ between tables of one definition.
const IGNORED: [&str; 11] = [
    "IndexArn",
    "IndexStatus",
    "IndexSizeBytes",
    "ItemCount",
    "Backfilling",
    "WarmThroughput",
    "LastIncreaseDateTime",
    "LastDecreaseDateTime",
    "NumberOfDecreasesToday",
    "LastUpdateToPayPerRequestDateTime",
    "LastUpdateDateTime",
];

/// Creates the tables that do not exist. Fails before it creates any if an existing one differs.
/// Contributor Insights, which takes nothing from a table, is enabled on existing tables, too.
pub async fn bring(definitions: &[Definition], database: &Database) -> anyhow::Result<()> {
    let trial = Database::memory();
    let mut missing = Vec::new();
    for definition in definitions {
        let place = || format!("{}: the table {}", definition.source, definition.name);
        create(definition, &trial).await.with_context(place)?;
        watch(definition, &trial).await.with_context(place)?;
        match described(database, &definition.name).await? {
            None => missing.push(definition),
            Some(there) => {
                let wanted = described(&trial, &definition.name).await?;
                let wanted = wanted.context("a table that was created is there")?;
                check_same(&there, &wanted).with_context(place)?;
            }
        }
    }
    for definition in missing {
        create(definition, database)
            .await
            .with_context(|| format!("{}: the table {}", definition.source, definition.name))?;
        tracing::info!(table = definition.name, "table created");
    }
    for definition in definitions {
        watch(definition, database)
            .await
            .with_context(|| format!("{}: the table {}", definition.source, definition.name))?;
    }
    Ok(())
}

async fn create(definition: &Definition, database: &Database) -> anyhow::Result<()> {
    call(database, Operation::CreateTable, &Value::Object(definition.request.clone())).await?;
    if let Some(attribute) = &definition.time_to_live {
        let specification = json!({ "AttributeName": attribute, "Enabled": true });
        let request =
            json!({ "TableName": definition.name, "TimeToLiveSpecification": specification });
        call(database, Operation::UpdateTimeToLive, &request).await?;
    }
    Ok(())
}

/// Enables Contributor Insights of a table and its indexes, as far as its definition says so.
async fn watch(definition: &Definition, database: &Database) -> anyhow::Result<()> {
    for Insights { index, mode } in &definition.insights {
        let mut request =
            json!({ "TableName": definition.name, "ContributorInsightsAction": "ENABLE" });
        for (name, given) in [("IndexName", index), ("ContributorInsightsMode", mode)] {
            if let Some(given) = given {
                request[name] = json!(given);
            }
        }
        call(database, Operation::UpdateContributorInsights, &request).await?;
    }
    Ok(())
}

/// Runs an operation.
pub async fn call(
    database: &Database,
    operation: Operation,
    request: &Value,
) -> anyhow::Result<Value> {
    call_with(database, operation, request.to_string()).await
}

/// Calls an operation with the text of a request.
pub async fn call_with(
    database: &Database,
    operation: Operation,
    request: String,
) -> anyhow::Result<Value> {
    let answer = database.call_boxed(operation, request.into()).await?;
    serde_json::from_slice(&answer).context("the answer is not JSON")
}

/// Returns the parts of a description that make up the definition of a table; none if there is no
/// such table.
pub async fn described(
    database: &Database,
    table: &str,
) -> anyhow::Result<Option<Map<String, Value>>> {
    let request = json!({ "TableName": table });
    let answer = match call(database, Operation::DescribeTable, &request).await {
        Ok(answer) => answer,
        Err(error) => {
            let refused = error.downcast_ref::<ApiError>();
            if refused.is_some_and(|error| error.kind() == ErrorKind::ResourceNotFound) {
                return Ok(None);
            }
            return Err(error);
        }
    };
    let mut definition: Map<String, Value> = COMPARED
        .iter()
        .map(|name| ((*name).to_owned(), comparable(&answer["Table"][*name])))
        .collect();
    let time_to_live = call(database, Operation::DescribeTimeToLive, &request).await?;
    let attribute = &time_to_live["TimeToLiveDescription"]["AttributeName"];
    definition.insert("TimeToLiveSpecification".to_owned(), attribute.clone());
    Ok(Some(definition))
}

/// Returns a value without the members that differ between tables of one definition, its lists in
/// one order.
fn comparable(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let members = members.iter().filter(|(name, _)| !IGNORED.contains(&name.as_str()));
            members.map(|(name, value)| (name.clone(), comparable(value))).collect()
        }
        Value::Array(values) => {
            let mut values: Vec<_> = values.iter().map(comparable).collect();
            let is_key_schema = values.iter().any(|value| value.get("KeyType").is_some());
            if !is_key_schema {
                values.sort_by_key(Value::to_string);
            }
            Value::Array(values)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}

fn check_same(there: &Map<String, Value>, wanted: &Map<String, Value>) -> anyhow::Result<()> {
    let differences: Vec<_> = wanted
        .iter()
        .filter(|(name, wanted)| there.get(*name) != Some(wanted))
        .map(|(name, wanted)| {
            format!("{name} is {}, not {wanted}", there.get(name).unwrap_or(&Value::Null))
        })
        .collect();
    if differences.is_empty() {
        return Ok(());
    }
    bail!(
        "it is there already, with another definition: {}. Change or delete it, or take it out of \
         the file",
        differences.join("; ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn definition(request: Value) -> Definition {
        let Value::Object(request) = request else { panic!("{request}") };
        let name = request["TableName"].as_str().unwrap().to_owned();
        Definition { name, request, source: "FILE".to_owned(), ..Definition::default() }
    }

    fn music() -> Value {
        let key = |name: &str, kind: &str| json!({"AttributeName": name, "KeyType": kind});
        json!({"TableName": "music", "BillingMode": "PAY_PER_REQUEST",
            "AttributeDefinitions": [{"AttributeName": "artist", "AttributeType": "S"}, {"AttributeName": "song", "AttributeType": "S"}],
            "KeySchema": [key("artist", "HASH"), key("song", "RANGE")],
            "GlobalSecondaryIndexes": [{"IndexName": "by-song", "KeySchema": [key("song", "HASH")], "Projection": {"ProjectionType": "ALL"}}]})
    }

    #[tokio::test]
    async fn the_same_definition_is_left_alone_however_it_is_written() {
        let database = Database::memory();
        let mut first = definition(music());
        first.time_to_live = Some("expires".to_owned());
        bring(std::slice::from_ref(&first), &database).await.unwrap();
        let mut same = music();
        same["AttributeDefinitions"].as_array_mut().unwrap().reverse();
        same["DeletionProtectionEnabled"] = json!(false);
        let mut same = definition(same);
        same.time_to_live = Some("expires".to_owned());
        bring(&[same], &database).await.unwrap();
    }

    /// Returns the table and its indexes that are watched, with their modes.
    async fn watched(database: &Database) -> Vec<(String, String)> {
        let request = json!({"TableName": "music"});
        let listed = call(database, Operation::ListContributorInsights, &request).await.unwrap();
        let listed = listed["ContributorInsightsSummaries"].as_array().unwrap();
        let enabled = listed.iter().filter(|one| one["ContributorInsightsStatus"] == "ENABLED");
        let text = |value: &Value| value.as_str().unwrap_or("").to_owned();
        enabled
            .map(|one| (text(&one["IndexName"]), text(&one["ContributorInsightsMode"])))
            .collect()
    }

    #[tokio::test]
    async fn what_is_to_be_watched_is_watched_also_of_a_table_that_is_there() {
        let database = Database::memory();
        let quiet = definition(music());
        bring(std::slice::from_ref(&quiet), &database).await.unwrap();
        assert_eq!(watched(&database).await, []);
        let mut loud = definition(music());
        let mode = Some("THROTTLED_KEYS".to_owned());
        loud.insights = vec![
            Insights { index: None, mode: None },
            Insights { index: Some("by-song".to_owned()), mode },
        ];
        let expected = [("", "ACCESSED_AND_THROTTLED_KEYS"), ("by-song", "THROTTLED_KEYS")];
        let expected = expected.map(|(index, mode)| (index.to_owned(), mode.to_owned()));
        for database in [&database, &Database::memory()] {
            bring(std::slice::from_ref(&loud), database).await.unwrap();
            assert_eq!(watched(database).await, expected);
            // A definition without Contributor Insights does not disable it.
            bring(std::slice::from_ref(&quiet), database).await.unwrap();
            assert_eq!(watched(database).await, expected);
        }
    }

    #[tokio::test]
    async fn an_index_to_be_watched_that_is_not_there_creates_nothing() {
        let database = Database::memory();
        let mut wrong = definition(music());
        wrong.insights = vec![Insights { index: Some("by-year".to_owned()), mode: None }];
        let error = format!("{:#}", bring(&[wrong], &database).await.unwrap_err());
        assert!(error.contains("by-year"), "{error}");
        assert_eq!(described(&database, "music").await.unwrap(), None);
    }

    #[tokio::test]
    async fn another_definition_is_refused_with_what_differs_before_anything_is_created() {
        let database = Database::memory();
        bring(&[definition(music())], &database).await.unwrap();
        let mut other = music();
        other["DeletionProtectionEnabled"] = json!(true);
        let mut new = music();
        new["TableName"] = json!("new");
        let error = bring(&[definition(new), definition(other)], &database).await.unwrap_err();
        assert_eq!(
            format!("{error:#}"),
            "FILE: the table music: it is there already, with another definition: \
             DeletionProtectionEnabled is false, not true. Change or delete it, or take it out of \
             the file"
        );
        assert_eq!(described(&database, "new").await.unwrap(), None);
    }

    #[tokio::test]
    async fn a_definition_that_the_engine_refuses_creates_nothing() {
        let database = Database::memory();
        let mut wrong = music();
        wrong["TableName"] = json!("wrong");
        wrong["KeySchema"] = json!([]);
        let error = bring(&[definition(music()), definition(wrong)], &database).await.unwrap_err();
        assert!(format!("{error:#}").starts_with("FILE: the table wrong: ValidationException"));
        assert_eq!(described(&database, "music").await.unwrap(), None);
    }
}
