//! Names of the model as Rust names.

/// Returns a member's name as a field: `SSESpecification` becomes `sse_specification`.
pub fn field(name: &str) -> String {
    let field = words(name).join("_").to_lowercase();
    if field == "type" { "r#type".to_owned() } else { field }
}

/// Returns an enum value as a variant: `PAY_PER_REQUEST` becomes `PayPerRequest`.
pub fn variant(value: &str) -> String {
    // Values in capitals (`ALL_OLD`) and values in mixed case (`AccessDenied`) both occur.
    let has_lowercase = value.contains(|c: char| c.is_ascii_lowercase());
    value
        .split('_')
        .map(|word| if has_lowercase { word.to_owned() } else { capital(word) })
        .collect()
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters.flat_map(char::to_lowercase)).collect()
    })
}

/// Splits at each change to upper case; a run of capitals is one word up to its last letter.
fn words(name: &str) -> Vec<String> {
    let letters: Vec<char> = name.chars().collect();
    let mut words: Vec<String> = Vec::new();
    for (nth, &letter) in letters.iter().enumerate() {
        let previous = nth.checked_sub(1).map(|before| letters[before]);
        let next_is_lowercase = letters.get(nth + 1).is_some_and(char::is_ascii_lowercase);
        let starts_word = letter.is_uppercase()
            && previous.is_none_or(|before| !before.is_uppercase() || next_is_lowercase);
        match words.last_mut() {
            Some(word) if !starts_word => word.push(letter),
            _ => words.push(letter.to_string()),
        }
    }
    words
}

#[cfg(test)]
mod tests {
    #[test]
    fn fields_split_at_capitals() {
        let cases = [
            ("TableName", "table_name"),
            ("SSESpecification", "sse_specification"),
            ("KMSMasterKeyId", "kms_master_key_id"),
            ("S3BucketSource", "s3_bucket_source"),
            ("S3SseKmsKeyId", "s3_sse_kms_key_id"),
            ("SSEType", "sse_type"),
            ("eventID", "event_id"),
            ("Type", "r#type"),
            ("message", "message"),
        ];
        for (name, expected) in cases {
            assert_eq!(super::field(name), expected);
        }
    }

    #[test]
    fn variants_are_camel_case() {
        let cases = [
            ("PAY_PER_REQUEST", "PayPerRequest"),
            ("S", "S"),
            ("AES256", "Aes256"),
            ("AccessDenied", "AccessDenied"),
        ];
        for (value, expected) in cases {
            assert_eq!(super::variant(value), expected);
        }
    }
}
