//! Good inputs, taken from the golden scripts of the engine: every operation, every expression and
//! every statement that a test knows.

use hashrange_testkit::script;
use serde_json::Value as Json;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Longer inputs only slow the search down.
const INPUT_MAX_BYTES: usize = 16 * 1024;

/// Returns each script as a sequence of requests, a line each.
pub fn sequences() -> Vec<String> {
    let folder = scripts();
    let tables = folder.join("tables");
    let sequence = |path: &PathBuf| script::requests(path, &tables).join("\n");
    distinct(script::find(&folder).iter().map(sequence))
}

/// Returns every request: the operation, a blank, its body.
pub fn requests() -> Vec<String> {
    distinct(sequences().iter().flat_map(|sequence| sequence.lines().map(str::to_owned)))
}

/// Returns the texts that requests hold under a name that ends so, at any depth.
pub fn members(ending: &str) -> Vec<String> {
    let mut found = Vec::new();
    for request in requests() {
        let body = request.split_once(' ').map_or("", |(_, body)| body);
        if let Ok(body) = serde_json::from_str(body) {
            collect(&body, ending, &mut found);
        }
    }
    distinct(found.into_iter())
}

fn collect(value: &Json, ending: &str, found: &mut Vec<String>) {
    match value {
        Json::Object(members) => {
            for (name, value) in members {
                match value {
                    Json::String(text) if name.ends_with(ending) => found.push(text.clone()),
                    _ => collect(value, ending, found),
                }
            }
        }
        Json::Array(values) => values.iter().for_each(|value| collect(value, ending, found)),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {}
    }
}

fn distinct(inputs: impl Iterator<Item = String>) -> Vec<String> {
    let short = inputs.filter(|input| !input.is_empty() && input.len() <= INPUT_MAX_BYTES);
    short.collect::<BTreeSet<_>>().into_iter().collect()
}

fn scripts() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/engine/tests/scripts")
}
