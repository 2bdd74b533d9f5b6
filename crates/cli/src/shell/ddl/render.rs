//! A table's definition from its description: the statement that would create it again.

use serde_json::Value;

/// Returns CREATE TABLE for a table, given as DescribeTable and DescribeTimeToLive describe it.
pub fn render(table: &Value, time_to_live: &Value) -> String {
    let declared = elements(&table["AttributeDefinitions"]).map(|it| {
        format!("{} {}", name(&it["AttributeName"]), it["AttributeType"].as_str().unwrap_or("S"))
    });
    let declared = declared.collect::<Vec<_>>().join(", ");
    let mut lines = vec![
        format!("CREATE TABLE {} ({declared})", name(&table["TableName"])),
        format!("PRIMARY KEY ({})", key(table)),
    ];
    for (word, kind) in [("GSI", "GlobalSecondaryIndexes"), ("LSI", "LocalSecondaryIndexes")] {
        lines.extend(elements(&table[kind]).map(|it| format!("{word} {}", index(it))));
    }
    lines.push(match units(&table["ProvisionedThroughput"]) {
        Some(units) => format!("BILLING PROVISIONED {units}"),
        None => "BILLING ON DEMAND".to_owned(),
    });
    if table["StreamSpecification"]["StreamEnabled"] == true {
        let view = match table["StreamSpecification"]["StreamViewType"].as_str() {
            Some("NEW_AND_OLD_IMAGES") => "NEW AND OLD IMAGES",
            Some("NEW_IMAGE") => "NEW IMAGE",
            Some("OLD_IMAGE") => "OLD IMAGE",
            _ => "KEYS ONLY",
        };
        lines.push(format!("STREAM ({view})"));
    }
    let expires = &time_to_live["TimeToLiveDescription"];
    if matches!(expires["TimeToLiveStatus"].as_str(), Some("ENABLED" | "ENABLING")) {
        lines.push(format!("TTL ({})", name(&expires["AttributeName"])));
    }
    if table["DeletionProtectionEnabled"] == true {
        lines.push("DELETION PROTECTION ON".to_owned());
    }
    format!("{};", lines.join("\n  "))
}

fn index(index: &Value) -> String {
    let throughput = units(&index["ProvisionedThroughput"]);
    let throughput = throughput.map(|units| format!(" THROUGHPUT {units}")).unwrap_or_default();
    let projection = projection(&index["Projection"]);
    format!("{} ({}){projection}{throughput}", name(&index["IndexName"]), key(index))
}

fn elements(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn key(described: &Value) -> String {
    let schema: Vec<&Value> = elements(&described["KeySchema"]).collect();
    let is_usual = |(nth, it): (usize, &&Value)| (it["KeyType"] == "HASH") == (nth == 0);
    let is_usual = schema.iter().enumerate().all(is_usual);
    let part = |it: &&Value| {
        let role = it["KeyType"].as_str().filter(|_| !is_usual);
        format!(
            "{}{}",
            name(&it["AttributeName"]),
            role.map(|role| format!(" {role}")).unwrap_or_default()
        )
    };
    schema.iter().map(part).collect::<Vec<_>>().join(", ")
}

fn projection(projection: &Value) -> String {
    match projection["ProjectionType"].as_str() {
        Some("KEYS_ONLY") => " PROJECTION KEYS ONLY".to_owned(),
        Some("INCLUDE") => {
            let names = elements(&projection["NonKeyAttributes"]).map(name).collect::<Vec<_>>();
            format!(" PROJECTION INCLUDE ({})", names.join(", "))
        }
        _ => String::new(),
    }
}

/// Returns units that are provisioned.
fn units(throughput: &Value) -> Option<String> {
    let read = throughput["ReadCapacityUnits"].as_u64().filter(|&units| units > 0)?;
    let write = throughput["WriteCapacityUnits"].as_u64()?;
    Some(format!("({read}, {write})"))
}

/// Returns a name as it has to be written: in double quotes, unless it is a plain word.
fn name(name: &Value) -> String {
    let name = name.as_str().unwrap_or_default();
    let mut characters = name.chars();
    let is_letter = |it: char| it.is_ascii_alphabetic() || it == '_';
    let is_plain = characters.next().is_some_and(is_letter)
        && characters.all(|it| it.is_ascii_alphanumeric() || it == '_');
    if is_plain { name.to_owned() } else { format!("\"{}\"", name.replace('"', "\"\"")) }
}

#[cfg(test)]
mod tests {
    use super::super::{Definition, create_request, parse};
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_rendered_defines_the_same_table() {
        let statement = "CREATE TABLE \"app.orders\" (pk S, \"first name\" S, n N, \"a\"\"b\" B)
  PRIMARY KEY (pk, n)
  GSI \"by-name\" (\"first name\") PROJECTION INCLUDE (x, \"y z\") THROUGHPUT (3, 4)
  GSI two (pk HASH, \"first name\" HASH, n RANGE) PROJECTION KEYS ONLY THROUGHPUT (1, 2)
  LSI other (pk, \"a\"\"b\")
  BILLING PROVISIONED (1, 2)
  STREAM (OLD IMAGE)
  TTL (expires)
  DELETION PROTECTION ON;";
        let Ok(Definition::Create { table, .. }) = parse(statement) else { panic!() };
        let mut described = create_request(&table);
        described["TableStatus"] = json!("ACTIVE");
        let expires = json!({"TimeToLiveDescription": {"TimeToLiveStatus": "ENABLED", "AttributeName": "expires"}});
        assert_eq!(render(&described, &expires), statement);
        let plain = "CREATE TABLE t (pk S)\n  PRIMARY KEY (pk)\n  BILLING ON DEMAND;";
        let Ok(Definition::Create { table, .. }) = parse(plain) else { panic!() };
        let mut described = create_request(&table);
        // As DescribeTable describes tables on demand.
        described["ProvisionedThroughput"] =
            json!({"ReadCapacityUnits": 0, "WriteCapacityUnits": 0});
        assert_eq!(render(&described, &Value::Null), plain);
    }
}
