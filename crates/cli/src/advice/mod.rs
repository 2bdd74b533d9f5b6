//! Meaning of a refusal or a result for the user: messages in the user's own words, and the likely
//! mistake. The database's answers stay as they are; hints stand below them.

mod mistakes;
pub mod names;
mod plan;
mod suspects;

pub use names::index_hint;
pub use plan::scan_note;
pub use suspects::suspects;

use crate::client::{Client, Refused};
use crate::output::plain;
use crate::shell::statement::Outline;
use crate::shell::token::meaningful;
use hashrange::Operation;
use hashrange::nearest::nearest;
use serde_json::{Map, Value, json};

/// Beginning of the message that the server gives about a statement that it cannot read. Source: the service's sentences.
const UNREAD: &str = "Statement wasn't well formed";
/// Longer values are cut in messages.
const VALUE_MAX_CHARACTERS: usize = 60;
/// Most names of tables among which the nearest is searched.
const TABLES_MAX: usize = 1000;
/// Most names that are listed where none is near.
const TABLES_SHOWN: usize = 8;

/// Returns a message with the names and values for which a request has placeholders.
pub fn in_own_words(text: &str, request: &Value) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(found) = rest.find(['#', ':']) {
        let (before, placeholder) = rest.split_at(found);
        out.push_str(before);
        let end = placeholder[1..].find(|it: char| !it.is_ascii_alphanumeric() && it != '_');
        let length = end.map_or(placeholder.len(), |end| end + 1);
        let (placeholder, behind) = placeholder.split_at(length);
        let name = request["ExpressionAttributeNames"][placeholder].as_str().map(name_text);
        let value = || request["ExpressionAttributeValues"].get(placeholder).map(value_text);
        out.push_str(&name.or_else(value).unwrap_or_else(|| placeholder.to_owned()));
        rest = behind;
    }
    out.push_str(rest);
    out
}

fn name_text(name: &str) -> String {
    let is_plain = name.chars().all(|it| it.is_alphanumeric() || it == '_');
    if is_plain { name.to_owned() } else { format!("`{}`", name.replace('`', "``")) }
}

/// Returns a value as one would write it; a long one is cut.
fn value_text(value: &Value) -> String {
    let whole = match value["S"].as_str() {
        Some(text) => format!("'{}'", text.replace('\'', "''")),
        None => plain::value(value),
    };
    let mut short: String = whole.chars().take(VALUE_MAX_CHARACTERS).collect();
    if short.len() < whole.len() {
        short.push('…');
    }
    short
}

/// Puts a refusal into the user's words, and adds the mistakes that show in the request alone.
pub fn explained(mut refused: Refused, request: &Value) -> Refused {
    refused.message = refused.message.map(|message| in_own_words(&message, request));
    let statement = request["Statement"].as_str();
    let outline = statement.map(Outline::of);
    (refused.index, refused.names) = names::named(request);
    if let Some(outline) = outline {
        refused.index = outline.index;
        refused.table = outline.table;
    }
    refused.table = request["TableName"].as_str().map(str::to_owned).or(refused.table);
    match refused.exception.as_str() {
        "ValidationException" | "ConditionalCheckFailedException" => {
            let is_unread = refused.message.as_deref().is_some_and(|it| it.contains(UNREAD));
            refused.hints = expression_hints(request, is_unread);
        }
        "MissingAuthenticationTokenException" => refused.hints.push(
            "the server asks for signed requests: give --credentials FILE, or AWS_ACCESS_KEY_ID and \
             AWS_SECRET_ACCESS_KEY"
                .to_owned(),
        ),
        "UnrecognizedClientException" | "InvalidSignatureException" => refused.hints.push(
            "the server knows other credentials: --credentials FILE and --profile NAME choose some"
                .to_owned(),
        ),
        _ => {}
    }
    refused
}

/// Returns hints about names in a request where the user may have meant text; for an unreadable
/// statement also about its words.
fn expression_hints(request: &Value, is_unread: bool) -> Vec<String> {
    if let Some(statement) = request["Statement"].as_str() {
        let mut hints: Vec<String> = mistakes::mistaken(statement).into_iter().collect();
        hints.extend(mistakes::reserved(statement).filter(|_| is_unread && hints.is_empty()));
        hints.extend(suspects(&meaningful(statement), true, &[]));
        return hints;
    }
    let members =
        ["KeyConditionExpression", "FilterExpression", "ConditionExpression", "UpdateExpression"];
    let texts = members.iter().filter_map(|member| request[*member].as_str());
    let found = texts.flat_map(|text| {
        let own = in_own_words(text, request);
        suspects(&meaningful(&own), false, &[])
    });
    found.collect()
}

/// Returns hints about the filter of a request that found nothing in a table with these key attributes.
pub fn filter_hints(request: &Map<String, Value>, keys: &[String]) -> Vec<String> {
    let filter = request.get("FilterExpression").and_then(Value::as_str);
    let own = filter.map(|filter| in_own_words(filter, &json!(request))).unwrap_or_default();
    let mut hints = suspects(&meaningful(&own), false, keys);
    hints.extend(names::unknown(&names::attributes(&own), keys));
    hints
}

/// Adds to an error the mistakes that the database's tables show: the nearest name of a table, an
/// index or a key.
pub fn completed(client: &mut Client, mut error: anyhow::Error) -> anyhow::Error {
    let Some(refused) = error.downcast_mut::<Refused>() else { return error };
    let is_unknown = refused.exception == "ResourceNotFoundException"
        || refused.message.as_deref().is_some_and(|text| text.contains("non-existent table"));
    let of_table = refused.table.clone().filter(|_| is_unknown).and_then(|table| {
        // A user who may not list the tables gets the refusal alone.
        table_hint(&table, &table_names(client, TABLES_MAX).ok()?)
    });
    let hint = of_table.or_else(|| names::hint(client, refused));
    refused.hints.extend(hint);
    error
}

fn table_hint(wanted: &str, names: &[String]) -> Option<String> {
    if names.iter().any(|name| name == wanted) {
        return None;
    }
    let near = nearest(wanted, names.iter().map(String::as_str));
    Some(match (near, names) {
        (Some(near), _) => format!("there is no table {wanted}; did you mean {near}?"),
        (None, []) => format!("there is no table {wanted}, and no other: the database is empty"),
        (None, names) => {
            let shown = names.iter().take(TABLES_SHOWN).map(String::as_str).collect::<Vec<_>>();
            let more = if names.len() > TABLES_SHOWN { ", ..." } else { "" };
            format!("there is no table {wanted}; there are {}{more}", shown.join(", "))
        }
    })
}

/// Returns the names of tables, up to a number.
pub fn table_names(client: &mut Client, most: usize) -> anyhow::Result<Vec<String>> {
    let mut names = Vec::new();
    let mut request = json!({});
    while names.len() < most {
        let mut response = client.call(Operation::ListTables, &request)?;
        let found = response["TableNames"].as_array().into_iter().flatten();
        names.extend(found.filter_map(Value::as_str).map(str::to_owned));
        match response["LastEvaluatedTableName"].take() {
            Value::Null => break,
            last => request["ExclusiveStartTableName"] = last,
        }
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_become_what_the_user_wrote() {
        let request = json!({
            "ExpressionAttributeNames": {"#n0": "country", "#n1": "first name", "#n10": "ten"},
            "ExpressionAttributeValues": {":v0": {"S": "it's"}, ":v1": {"N": "1.50"}, ":v2": {"L": []},
                ":v3": {"S": "x".repeat(100)}},
        });
        let cases = [
            ("operand: #n0 = :v0", "operand: country = 'it''s'".to_owned()),
            ("[#n1, #n10].", "[`first name`, ten].".to_owned()),
            ("key :v1: #n0:v2", "key 1.50: country[]".to_owned()),
            ("for key :v3", format!("for key '{}…", "x".repeat(59))),
            ("#n2 :v9 # : é#", "#n2 :v9 # : é#".to_owned()),
            ("", String::new()),
        ];
        for (message, expected) in cases {
            assert_eq!(in_own_words(message, &request), expected);
        }
    }

    #[test]
    fn likely_mistakes_are_named() {
        let refused = |exception: &str, request: Value| {
            let refused = Refused { exception: exception.to_owned(), ..Refused::default() };
            explained(refused, &request)
        };
        let query = json!({"TableName": "cities", "KeyConditionExpression": "#n0 = #n1",
            "ExpressionAttributeNames": {"#n0": "country", "#n1": "NL"}});
        let found = refused("ValidationException", query.clone());
        assert_eq!(
            found.hints,
            ["NL without quotes is the name of an attribute; text stands in quotes: 'NL'"]
        );
        assert_eq!(found.table.as_deref(), Some("cities"));
        let statement = json!({"Statement": "SELECT * FROM cities WHERE country = \"NL\""});
        let found = refused("ValidationException", statement);
        assert_eq!(
            found.hints,
            [
                "\"NL\" in double quotes is the name of an attribute; text stands in single quotes: 'NL'"
            ]
        );
        assert_eq!(found.table.as_deref(), Some("cities"));
        let unread = Refused {
            exception: "ValidationException".to_owned(),
            message: Some(format!("{UNREAD}, can't be processed: Unexpected keyword")),
            ..Refused::default()
        };
        let statement = json!({"Statement": "SELECT * FROM cities WHERE size = 3"});
        let hints = explained(unread, &statement).hints;
        assert!(hints[0].contains("write \"size\" in double quotes"), "{hints:?}");
        assert_eq!(refused("ValidationException", statement).hints, [""; 0]);
        assert_eq!(refused("ThrottlingException", query).hints, [""; 0]);
        let unsigned = refused("MissingAuthenticationTokenException", json!({})).hints;
        assert!(unsigned[0].contains("--credentials"), "{unsigned:?}");
    }

    #[test]
    fn an_unknown_table_has_a_nearest_one() {
        let names: Vec<String> = ["cities", "orders"].map(str::to_owned).into();
        let cases = [
            ("citys", &names[..], Some("there is no table citys; did you mean cities?")),
            ("users", &names, Some("there is no table users; there are cities, orders")),
            ("users", &[], Some("there is no table users, and no other: the database is empty")),
            ("cities", &names, None),
        ];
        for (wanted, names, expected) in cases {
            assert_eq!(table_hint(wanted, names).as_deref(), expected);
        }
    }
}
