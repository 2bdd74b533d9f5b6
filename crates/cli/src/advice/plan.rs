//! A note on a SELECT that reads a whole table or index, by the database's own explanation of it.

use crate::commands::table_keys::TableKeys;
use serde_json::Value;

/// Returns a note if the explained SELECT reads all items of a table or index.
pub fn scan_note(explanation: &Value, keys: Option<&TableKeys>) -> Option<String> {
    let read = &explanation["Steps"][0]["Read"];
    let (table, index) = (read["Table"].as_str()?, read["Index"].as_str());
    let what = match (read["Access"].as_str()?, index) {
        ("WholeTable", _) => table.to_owned(),
        ("WholeIndex", Some(index)) => format!("the index {index} of {table}"),
        _ => return None,
    };
    let partition = keys.and_then(|keys| keys.partition_of(index));
    let why = partition.map_or_else(String::new, |partition| {
        format!("WHERE names no value of {partition}, the partition key, so that ")
    });
    let mut advice = explanation["Advice"].as_array().into_iter().flatten();
    let better = advice.find(|advice| advice["Kind"] == "IndexFits");
    let better = better.and_then(|advice| advice["Remedy"].as_str());
    let better = better.map_or_else(String::new, |remedy| format!("; {remedy}"));
    Some(format!("this was a Scan: {why}all of {what} is read and paid for{better}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn note(access: &str, index: Option<&str>, advice: &Value) -> Option<String> {
        let keys = TableKeys::described(json!({
            "KeySchema": [{"AttributeName": "country", "KeyType": "HASH"}],
        }));
        let mut read = json!({"Table": "cities", "Access": access});
        if let Some(index) = index {
            read["Index"] = index.into();
        }
        let explanation = json!({"Steps": [{"Read": read}], "Advice": advice});
        scan_note(&explanation, Some(&keys))
    }

    #[test]
    fn a_scan_is_told_with_the_index_that_fits() {
        let fits = json!([
            {"Kind": "WholeRead", "Remedy": "add country"},
            {"Kind": "IndexFits", "Remedy": "FROM \"cities\".\"capitals\" reads less"},
        ]);
        let told = "this was a Scan: WHERE names no value of country, the partition key, so that \
                    all of cities is read and paid for";
        assert_eq!(note("WholeTable", None, &json!([])).as_deref(), Some(told));
        let better = format!("{told}; FROM \"cities\".\"capitals\" reads less");
        assert_eq!(note("WholeTable", None, &fits), Some(better));
        let told = "this was a Scan: all of the index capitals of cities is read and paid for";
        assert_eq!(note("WholeIndex", Some("capitals"), &json!([])).as_deref(), Some(told));
        for access in ["OneItem", "KeyRange", "Partition", "SeveralRanges"] {
            assert_eq!(note(access, None, &fits), None, "{access}");
        }
        assert_eq!(scan_note(&json!({}), None), None);
    }
}
