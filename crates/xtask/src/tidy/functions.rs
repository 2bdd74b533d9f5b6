//! No function grows past a few screens unless it is listed here with the reason.
//!
//! Relies on rustfmt: a function ends at the first line that is its indentation and `}`.

use std::path::PathBuf;

use super::read;

const MAX_LINES: usize = 120;

/// Functions that may be longer, as `file::function`, with the reason.
const LONG_FUNCTIONS: &[(&str, &str)] = &[
    ("crates/model/src/error/wording.rs::sentence", "one flat match: a sentence an arm"),
    (
        "crates/model/src/error/wording/expression.rs::expression",
        "one flat match: a sentence an arm",
    ),
    ("crates/model/src/error/wording/table.rs::fault", "one flat match: a sentence an arm"),
    ("crates/model/src/error/reason.rs::kind", "one exhaustive match: an arm a reason"),
    ("crates/model/src/error/reason.rs::is_enveloped", "one exhaustive match: an arm a reason"),
];

/// Returns each function that is too long; tests and generated code are left out.
pub fn too_long(files: &[PathBuf]) -> Result<Vec<String>, String> {
    let mut complaints = Vec::new();
    for file in files {
        let name = file.to_string_lossy();
        let is_source = name.starts_with("crates/") && name.ends_with(".rs");
        if !is_source || name.contains("/tests") || name.contains("/generated/") {
            continue;
        }
        for (function, lines) in functions(&read(file)?) {
            let path = format!("{name}::{function}");
            if lines > MAX_LINES && !LONG_FUNCTIONS.iter().any(|(listed, _)| *listed == path) {
                complaints
                    .push(format!("{path}: {lines} lines; split it or list it with a reason"));
            }
        }
    }
    Ok(complaints)
}

/// Returns each function with its number of lines.
fn functions(text: &str) -> Vec<(&str, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (start, line) in lines.iter().enumerate() {
        let Some(name) = function_name(line) else { continue };
        let indentation = &line[..line.len() - line.trim_start().len()];
        let end = format!("{indentation}}}");
        let is_end = |line: &&str| *line == end || has_no_body(line, indentation);
        if let Some(length) = lines[start..].iter().position(is_end) {
            found.push((name, length + 1));
        }
    }
    found
}

/// Whether a line ends a signature without a body (`fn f();`) or a body in one line.
fn has_no_body(line: &str, indentation: &str) -> bool {
    let at_margin = line.strip_prefix(indentation).is_some_and(|rest| !rest.starts_with(' '));
    at_margin && (line.ends_with(';') || line.ends_with("{}") || line.ends_with(" }"))
}

fn function_name(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let (before, after) = line.split_once("fn ")?;
    let qualifiers =
        ["pub", "pub(crate)", "pub(super)", "const", "async", "unsafe", "extern", "\"C\""];
    let only_qualifiers = before.split_whitespace().all(|word| qualifiers.contains(&word));
    let name = after.split(['(', '<']).next()?;
    only_qualifiers.then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_counted_from_signature_to_brace() {
        let text = "fn one() {}\npub(crate) async fn three<T>(\n    a: T,\n) {\n    b();\n}\n\
            trait A {\n    fn none(&self);\n    fn two(&self) {\n        if a {\n        }\n    }\n}\n// fn no(\n";
        assert_eq!(functions(text), [("one", 1), ("three", 5), ("none", 1), ("two", 4)]);
    }
}
