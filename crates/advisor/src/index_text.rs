//! Text of an index: the request of UpdateTable, and the argument of the command line.

use crate::TableSeen;
use crate::fit::Key;
use crate::report::{Entries, KeyAttribute};
use hashrange_cost::{Kind, PlaceBill};
use serde_json::{Value, json};

/// The longest name of an index.
const NAME_MAX_CHARS: usize = 255;
/// The shortest one.
const NAME_MIN_CHARS: usize = 3;

/// Returns a name in the form that conditions have it: in backquotes unless it is a plain word.
pub(crate) fn name(name: &str) -> String {
    let is_word = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && name.chars().all(|one| one.is_ascii_alphanumeric() || one == '_');
    if is_word { name.to_owned() } else { format!("`{}`", name.replace('`', "``")) }
}

/// Returns a name for an index that no other index has.
pub(crate) fn index_name(table: &TableSeen<'_>, key: &Key, taken: &[String]) -> String {
    let names: Vec<&str> = key.attributes().collect();
    let is_allowed = |one: char| one.is_ascii_alphanumeric() || matches!(one, '_' | '-' | '.');
    let plain: String =
        names.join("-").chars().map(|one| if is_allowed(one) { one } else { '_' }).collect();
    let mut name = format!("by-{plain}");
    name.truncate(NAME_MAX_CHARS - NAME_MIN_CHARS);
    let definition = table.definition;
    let there =
        || definition.global_secondary_indexes.iter().chain(&definition.local_secondary_indexes);
    let is_there = |name: &String| there().any(|it| it.index_name == *name) || taken.contains(name);
    // A table has 25 indexes at most, so one of these is free.
    let numbered = (2..).map(|nth| format!("{name}-{nth}"));
    std::iter::once(name.clone()).chain(numbered).find(|name| !is_there(name)).unwrap_or(name)
}

/// Returns a word quoted for a shell. One with characters that a terminal does not show is in the form `$'...'` of bash
/// and zsh.
pub fn shell_word(word: &str) -> String {
    let is_plain = |one: char| one.is_ascii_alphanumeric() || "-_.=:,+/".contains(one);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    if !word.chars().any(is_hidden) {
        return format!("'{}'", word.replace('\'', r"'\''"));
    }
    let mut quoted = "$'".to_owned();
    for one in word.chars() {
        match one {
            '\'' | '\\' => quoted.extend(['\\', one]),
            one if !is_hidden(one) => quoted.push(one),
            one => {
                let code = u32::from(one);
                let escape =
                    if code > 0xFFFF { format!("\\U{code:08x}") } else { format!("\\u{code:04x}") };
                quoted.push_str(&escape);
            }
        }
    }
    quoted + "'"
}

/// Returns whether a terminal may show nothing of a character, or something else.
fn is_hidden(one: char) -> bool {
    one.is_control() || !(one.is_ascii() || one.is_alphanumeric())
}

/// Returns the index in the form of `hashrange alter --add-gsi`.
pub(crate) fn definition(
    index: &str,
    (partition, sort): (&[KeyAttribute], &[KeyAttribute]),
    entries: &Entries,
) -> String {
    let part = |attributes: &[KeyAttribute]| {
        let texts = attributes.iter().map(|it| format!("{}:{}", quoted(&it.name), it.key_type));
        texts.collect::<Vec<_>>().join("+")
    };
    let sort = if sort.is_empty() { String::new() } else { format!(",{}", part(sort)) };
    let entries = match entries {
        Entries::All => String::new(),
        Entries::KeysOnly => "/keys-only".to_owned(),
        Entries::Include(names) => {
            let names: Vec<String> = names.iter().map(|it| quoted(it)).collect();
            format!("/include={}", names.join(","))
        }
    };
    format!("{index}={}{sort}{entries}", part(partition))
}

fn quoted(name: &str) -> String {
    let is_plain =
        !name.is_empty() && !name.contains([':', '+', ',', '/', '=', '"', ' ', '\'', '$']);
    if is_plain { name.to_owned() } else { format!("\"{}\"", name.replace('"', "\"\"")) }
}

/// Returns the request of UpdateTable that adds it.
pub(crate) fn update_table(
    table: &TableSeen<'_>,
    index: &str,
    (partition, sort): (&[KeyAttribute], &[KeyAttribute]),
    entries: &Entries,
) -> Value {
    let element = |kind: &'static str| move |it: &KeyAttribute| json!({ "AttributeName": it.name, "KeyType": kind });
    let schema: Vec<Value> =
        partition.iter().map(element("HASH")).chain(sort.iter().map(element("RANGE"))).collect();
    let definitions: Vec<Value> = partition
        .iter()
        .chain(sort)
        .map(|it| json!({ "AttributeName": it.name, "AttributeType": it.key_type }))
        .collect();
    let projection = match entries {
        Entries::All => json!({ "ProjectionType": "ALL" }),
        Entries::KeysOnly => json!({ "ProjectionType": "KEYS_ONLY" }),
        Entries::Include(names) => {
            json!({ "ProjectionType": "INCLUDE", "NonKeyAttributes": names })
        }
    };
    let mut create = json!({ "IndexName": index, "KeySchema": schema, "Projection": projection });
    if table.facts.is_provisioned {
        create["ProvisionedThroughput"] = throughput(table);
    }
    json!({
        "TableName": table.facts.table, "AttributeDefinitions": definitions,
        "GlobalSecondaryIndexUpdates": [{ "Create": create }],
    })
}

/// Returns the capacity that the table itself would need in its busiest minute: an index with less
/// holds up the table's writes.
fn throughput(table: &TableSeen<'_>) -> Value {
    let of_kind = |kind: Kind| {
        let peaks = table.recording.peaks.iter().filter(|peak| {
            peak.kind == kind && peak.place.table == table.facts.table && peak.place.index.is_none()
        });
        PlaceBill::units_for_minute(peaks.fold(0.0, |most, peak| peak.units.max(most)))
    };
    json!({
        "ReadCapacityUnits": of_kind(Kind::Read), "WriteCapacityUnits": of_kind(Kind::Write),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_for_a_shell() {
        for (word, quoted) in [
            ("by-a=a:S", "by-a=a:S"),
            ("", "''"),
            ("it's", r"'it'\''s'"),
            ("tab\t", r"$'tab\u0009'"),
            ("a\nb'c\\", r"$'a\u000ab\'c\\'"),
            ("a\u{202e}b", r"$'a\u202eb'"),
            ("\u{1F600}", r"$'\U0001f600'"),
            ("größe 1", "'größe 1'"),
        ] {
            assert_eq!(shell_word(word), quoted);
        }
    }
}
