//! The own operations on key templates.
//!
//! | operation | request | answer |
//! |---|---|---|
//! | `PutKeyTemplate` | `TableName`, `Template`, `Mode` (`FILL`, the default, or `CHECK`), `Strict`, `DryRun` | `KeyTemplate`, or with `DryRun` `Preview`; `Warnings` |
//! | `UndoKeyTemplate` | `TableName`, `AttributeName` | `Restored`, `Left`, `Done`: a page; call it until it is done |
//! | `KeepKeyTemplate` | `TableName`, `AttributeName` | |
//! | `DescribeKeyTemplates` | `TableName` | `KeyTemplates` |
//! | `DeleteKeyTemplate` | `TableName`, `AttributeName` | |
//! | `ParseKey` | `TableName`, `Key`, `AttributeName` or none | `Keys`, each with `Parts` |

use super::read;
use hashrange::json::attribute_value::write_item;
use hashrange::{
    ApiResult, AttributeValue, Database, KeyPart, KeyTemplateDescription, ParsedKey, PreviewCount,
    PreviewExample, Reason, Rewritten, TemplateFault, TemplateMode, TemplatePreview,
};
use serde::Deserialize;
use serde_json::{Map, Value, json};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "PascalCase")]
struct OfTemplate {
    table_name: String,
    template: String,
    mode: Option<String>,
    #[serde(default)]
    strict: bool,
    #[serde(default)]
    dry_run: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "PascalCase")]
struct OfTable {
    table_name: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "PascalCase")]
struct OfAttribute {
    table_name: String,
    attribute_name: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "PascalCase")]
struct OfKey {
    table_name: String,
    key: String,
    attribute_name: Option<String>,
}

/// Declares a template, or shows what it would do.
pub async fn put(database: &Database, body: &[u8]) -> ApiResult<Vec<u8>> {
    let OfTemplate { table_name, template, mode, strict, dry_run } = read(body)?;
    let mode = match mode.as_deref() {
        None | Some("FILL") => TemplateMode::Fill,
        Some("CHECK") => TemplateMode::Check,
        Some(other) => {
            return Err(Reason::KeyTemplate(TemplateFault::Mode(other.to_owned())).into());
        }
    };
    if strict || dry_run {
        let preview = database.preview_key_template(&table_name, &template, mode).await?;
        if strict && !preview.warnings.is_empty() {
            return Err(Reason::KeyTemplate(TemplateFault::Mistaken(preview.warnings)).into());
        }
        if dry_run {
            let answer = json!({ "Preview": previewed(&preview), "Warnings": preview.warnings });
            return Ok(answer.to_string().into_bytes());
        }
    }
    let declared = database.put_key_template(&table_name, &template, mode).await?;
    let answer = json!({ "KeyTemplate": described(&declared), "Warnings": declared.warnings });
    Ok(answer.to_string().into_bytes())
}

/// Undoes a page of a rewriting.
pub async fn undo(database: &Database, body: &[u8]) -> ApiResult<Vec<u8>> {
    let OfAttribute { table_name, attribute_name } = read(body)?;
    let page = database.undo_key_template(&table_name, &attribute_name).await?;
    let left: Vec<Value> = page.left.iter().map(example).collect();
    let answer = json!({ "Restored": page.restored, "Left": left, "Done": page.is_done });
    Ok(answer.to_string().into_bytes())
}

/// Forgets what an undo needs.
pub async fn keep(database: &Database, body: &[u8]) -> ApiResult<Vec<u8>> {
    let OfAttribute { table_name, attribute_name } = read(body)?;
    database.keep_key_template(&table_name, &attribute_name).await?;
    Ok(b"{}".to_vec())
}

fn previewed(preview: &TemplatePreview) -> Value {
    json!({
        "Examined": preview.examined,
        "All": preview.are_all,
        "Set": count(&preview.set),
        "Changed": count(&preview.changed),
        "Kept": count(&preview.kept),
        "Removed": count(&preview.removed),
        "Refused": count(&preview.refused),
    })
}

fn count(count: &PreviewCount) -> Value {
    let examples: Vec<Value> = count.examples.iter().map(example).collect();
    json!({ "Items": count.items, "Examples": examples })
}

fn example(example: &PreviewExample) -> Value {
    let mut key = Vec::new();
    write_item(&mut key, &example.key);
    let key: Value = serde_json::from_slice(&key).expect("an item is written as an object");
    let mut told = json!({ "Key": key });
    let members = [("Before", &example.before), ("After", &example.after), ("Why", &example.why)];
    for (name, text) in members {
        if let Some(text) = text {
            told[name] = json!(text);
        }
    }
    told
}

/// Describes the templates of a table.
pub async fn describe(database: &Database, body: &[u8]) -> ApiResult<Vec<u8>> {
    let OfTable { table_name } = read(body)?;
    let templates = database.describe_key_templates(&table_name).await?;
    let templates: Vec<Value> = templates.iter().map(described).collect();
    Ok(json!({ "KeyTemplates": templates }).to_string().into_bytes())
}

/// Drops a template.
pub async fn delete(database: &Database, body: &[u8]) -> ApiResult<Vec<u8>> {
    let OfAttribute { table_name, attribute_name } = read(body)?;
    database.delete_key_template(&table_name, &attribute_name).await?;
    Ok(b"{}".to_vec())
}

/// Reads a key.
pub async fn parse(database: &Database, body: &[u8]) -> ApiResult<Vec<u8>> {
    let OfKey { table_name, key, attribute_name } = read(body)?;
    let parsed = database.parse_key(&table_name, attribute_name.as_deref(), &key).await?;
    let keys: Vec<Value> = parsed.iter().map(parsed_key).collect();
    Ok(json!({ "Keys": keys }).to_string().into_bytes())
}

fn described(template: &KeyTemplateDescription) -> Value {
    let is_filling = template.mode != TemplateMode::Check && !template.is_primary;
    let mut described = Map::new();
    described.insert("AttributeName".to_owned(), json!(template.attribute));
    described.insert("Template".to_owned(), json!(template.text));
    let mode = match template.mode {
        TemplateMode::Fill => "FILL",
        TemplateMode::Check => "CHECK",
    };
    described.insert("Mode".to_owned(), json!(mode));
    described.insert("IsKey".to_owned(), json!(template.is_key));
    described.insert("CanUndo".to_owned(), json!(template.can_undo));
    let status = match &template.rewriting {
        None => "ACTIVE",
        Some(_) if is_filling => "REWRITING",
        Some(_) => "EXAMINING",
    };
    described.insert("Status".to_owned(), json!(status));
    if let Some(rewriting) = &template.rewriting {
        described.insert("ItemCount".to_owned(), json!(rewriting.items));
        described.insert("Items".to_owned(), counted(&rewriting.so_far));
    } else if let Some(rewritten) = &template.rewritten {
        described.insert("Items".to_owned(), counted(rewritten));
    }
    Value::Object(described)
}

fn counted(rewritten: &Rewritten) -> Value {
    let mut counted = json!({
        "Examined": rewritten.examined,
        "Changed": rewritten.changed,
        "Refused": rewritten.refused,
    });
    if rewritten.kept > 0 {
        counted["Kept"] = json!(rewritten.kept);
    }
    if let Some(why) = &rewritten.first_refused {
        counted["FirstRefused"] = json!(why);
    }
    counted
}

fn parsed_key(key: &ParsedKey) -> Value {
    json!({ "AttributeName": key.attribute, "Case": key.case, "Parts": parts(&key.parts) })
}

/// Returns parts of a key in JSON.
pub(super) fn parts(parts: &[KeyPart]) -> Vec<Value> {
    parts.iter().map(part).collect()
}

fn part(part: &KeyPart) -> Value {
    let value = match &part.value {
        AttributeValue::N(number) => json!({ "N": number.to_string() }),
        other => json!({ "S": other.as_str() }),
    };
    json!({ "AttributeName": part.name, "Value": value, "Exact": part.is_exact })
}

#[cfg(test)]
mod tests {
    use super::super::of_database;
    use super::*;
    use hashrange::Operation;

    const TABLE: &str = r#"{
        "TableName": "things", "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [
            {"AttributeName": "pk", "AttributeType": "S"},
            {"AttributeName": "by", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        "GlobalSecondaryIndexes": [{"IndexName": "by-n",
            "KeySchema": [{"AttributeName": "by", "KeyType": "HASH"}],
            "Projection": {"ProjectionType": "ALL"}}]
    }"#;

    #[tokio::test]
    async fn templates_are_declared_described_used_and_dropped() {
        let database = Database::memory();
        database.call(Operation::CreateTable, TABLE.as_bytes()).await.unwrap();
        let put = br#"{"TableName": "things", "Item": {"pk": {"S": "a"}, "n": {"N": "7"}}}"#;
        database.call(Operation::PutItem, put).await.unwrap();
        let declared = r#"{"AttributeName":"by","Template":"by = 'N#{n:pad:3}'","Mode":"FILL","IsKey":true,"CanUndo":true,"Status":"ACTIVE","Items":{"Examined":1,"Changed":1,"Refused":0}}"#;
        let nothing = r#"{"Items":0,"Examples":[]}"#;
        for (operation, body, expected) in [
            (
                "PutKeyTemplate",
                r#"{"TableName":"things","Template":"by = 'N#{n:pad:3}'"}"#,
                format!(r#"{{"KeyTemplate":{declared},"Warnings":[]}}"#),
            ),
            (
                "DescribeKeyTemplates",
                r#"{"TableName":"things"}"#,
                format!(r#"{{"KeyTemplates":[{declared}]}}"#),
            ),
            (
                "ParseKey",
                r#"{"TableName":"things","Key":"N#007"}"#,
                r#"{"Keys":[{"AttributeName":"by","Case":0,"Parts":[{"AttributeName":"n","Value":{"N":"7"},"Exact":true}]}]}"#.to_owned(),
            ),
            (
                "PutKeyTemplate",
                r#"{"TableName":"things","Template":"by = 'x'","Mode":"fill"}"#,
                "ValidationException: A key template has the mode FILL or CHECK, not \"fill\"".to_owned(),
            ),
            (
                "PutKeyTemplate",
                r#"{"TableName":"things","Template":"by = 'x'","When":"a"}"#,
                "ValidationException: The request cannot be read: unknown field `When`, expected one of `TableName`, `Template`, `Mode`, `Strict`, `DryRun` at line 1 column 50".to_owned(),
            ),
            (
                "PutKeyTemplate",
                r#"{"TableName":"things","Template":"by = 'M#{n:pad:3}#{m|x}'","DryRun":true}"#,
                format!(
                    r#"{{"Preview":{{"Examined":1,"All":true,"Set":{nothing},"Changed":{{"Items":1,"Examples":[{{"Key":{{"pk":{{"S":"a"}}}},"Before":"N#007","After":"M#007#x"}}]}},"Kept":{nothing},"Removed":{nothing},"Refused":{nothing}}},"Warnings":["none of the 1 items that were looked at has m; did you mean n?"]}}"#
                ),
            ),
            (
                "PutKeyTemplate",
                r#"{"TableName":"things","Template":"by = '{m|x}'","Strict":true}"#,
                "ValidationException: The key template looks mistaken: none of the 1 items that were looked at has m; did you mean n?".to_owned(),
            ),
            (
                "UndoKeyTemplate",
                r#"{"TableName":"things","AttributeName":"by"}"#,
                r#"{"Restored":1,"Left":[],"Done":false}"#.to_owned(),
            ),
            (
                "UndoKeyTemplate",
                r#"{"TableName":"things","AttributeName":"by"}"#,
                r#"{"Restored":0,"Left":[],"Done":true}"#.to_owned(),
            ),
            (
                "PutKeyTemplate",
                r#"{"TableName":"things","Template":"by = 'N#{n:pad:3}'"}"#,
                format!(r#"{{"KeyTemplate":{declared},"Warnings":[]}}"#),
            ),
            ("KeepKeyTemplate", r#"{"TableName":"things","AttributeName":"by"}"#, "{}".to_owned()),
            ("DeleteKeyTemplate", r#"{"TableName":"things","AttributeName":"by"}"#, "{}".to_owned()),
            ("DescribeKeyTemplates", r#"{"TableName":"things"}"#, r#"{"KeyTemplates":[]}"#.to_owned()),
        ] {
            let answer = match of_database(&database, operation, body.as_bytes()).await {
                Ok(answer) => String::from_utf8(answer).unwrap(),
                Err(error) => error.to_string(),
            };
            assert_eq!(sorted(&answer), sorted(&expected), "{operation} {body}");
        }
    }

    /// Returns an answer with its members in order, or a text as it is.
    fn sorted(answer: &str) -> String {
        serde_json::from_str::<Value>(answer).map_or(answer.to_owned(), |json| json.to_string())
    }
}
