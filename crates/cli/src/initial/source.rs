//! A file's text as JSON values: one or several of JSON, side by side or in arrays, or one of YAML.

use super::yaml;
use crate::reading::encoding;
use anyhow::{Context, bail};
use serde_json::Value;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// The largest file with definitions; a template for CloudFormation has a megabyte at most.
const FILE_MAX_BYTES: u64 = 64 << 20;

/// Reads a file with definitions in JSON or YAML.
pub fn read(path: &Path) -> anyhow::Result<Vec<Value>> {
    values(text(path)?.trim_start_matches('\u{feff}')).with_context(|| path.display().to_string())
}

/// Returns the text of a file with definitions.
pub fn text(path: &Path) -> anyhow::Result<String> {
    let mut bytes = Vec::new();
    let file = File::open(path).with_context(|| path.display().to_string())?;
    file.take(FILE_MAX_BYTES + 1)
        .read_to_end(&mut bytes)
        .with_context(|| path.display().to_string())?;
    if bytes.len() as u64 > FILE_MAX_BYTES {
        bail!("{}: more than {} MiB of definitions", path.display(), FILE_MAX_BYTES >> 20);
    }
    String::from_utf8(bytes).map_err(|error| {
        anyhow::anyhow!("{}: {}", path.display(), encoding::fault(error.as_bytes(), true))
    })
}

/// Returns the values in a text.
pub fn values(text: &str) -> anyhow::Result<Vec<Value>> {
    if !text.trim_start().starts_with(['{', '[']) {
        return Ok(vec![yaml::read(text)?]);
    }
    let mut values = Vec::new();
    for value in serde_json::Deserializer::from_str(text).into_iter::<Value>() {
        match value? {
            Value::Array(inner) => values.extend(inner),
            value => values.push(value),
        }
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_stand_alone_side_by_side_or_in_arrays() {
        for (text, expected) in [
            (r#"{"a":1}"#, vec![json!({"a": 1})]),
            ("{\"a\":1}\n{\"a\":2}\n", vec![json!({"a": 1}), json!({"a": 2})]),
            (r#" [{"a":1},{"a":2}]"#, vec![json!({"a": 1}), json!({"a": 2})]),
            ("a: 1\n", vec![json!({"a": 1})]),
        ] {
            assert_eq!(values(text).unwrap(), expected, "{text}");
        }
        for text in ["{", "[1,]", "{\"a\":1} x"] {
            assert!(values(text).is_err(), "{text}");
        }
    }
}
