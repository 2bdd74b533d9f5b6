//! A JSON value as YAML in blocks. Texts are written as JSON has them, which YAML reads as they are.

use serde_json::Value;

/// Deepest nesting that is written in blocks; what is deeper is written as JSON.
const DEPTH_MAX: usize = 32;

/// Returns a value as a document.
pub(super) fn text(value: &Value) -> String {
    let mut out = String::new();
    write(&mut out, value, 0);
    out.trim_start_matches('\n').to_owned()
}

/// Writes a value behind a name or a dash.
fn write(out: &mut String, value: &Value, depth: usize) {
    match value {
        Value::Object(members) if !members.is_empty() && depth < DEPTH_MAX => {
            out.push('\n');
            for (name, value) in members {
                indent(out, depth);
                out.push_str(&key(name));
                out.push(':');
                write(out, value, depth + 1);
            }
        }
        Value::Array(values) if !values.is_empty() && depth < DEPTH_MAX => {
            out.push('\n');
            for value in values {
                indent(out, depth);
                out.push('-');
                let at = out.len();
                write(out, value, depth + 1);
                // The first member of a list's object stands behind the dash.
                if value.is_object() && out[at..].starts_with('\n') {
                    let rest = out[at..].trim_start().to_owned();
                    out.truncate(at);
                    out.push(' ');
                    out.push_str(&rest);
                }
            }
        }
        value => {
            out.push(' ');
            out.push_str(&value.to_string());
            out.push('\n');
        }
    }
}

fn indent(out: &mut String, depth: usize) {
    out.push_str(&"  ".repeat(depth));
}

fn key(name: &str) -> String {
    let is_plain = name.starts_with(|first: char| first.is_ascii_alphabetic())
        && name.chars().all(|it| it.is_ascii_alphanumeric());
    // Words such as `no` mean a truth value.
    let is_word = is_plain
        && name.len() > 3
        && !["true", "false", "null"].contains(&name.to_lowercase().as_str());
    if is_word { name.to_owned() } else { Value::from(name).to_string() }
}
