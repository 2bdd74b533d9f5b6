//! Generates the request and response types of `crates/wire` from the facts of the service model.
//!
//! Two steps: `facts` reduces the service's own model (a file of an AWS SDK) to names, types and
//! limits in `crates/wire/model/facts.json`; `codegen` turns those facts into Rust. Only the
//! second is needed to build; its result is committed and `--check` proves it current.
//!
//! The models are published with the AWS SDKs under Apache-2.0; the facts are of botocore 1.44.5
//! (`botocore/data/{dynamodb,dynamodbstreams}/2012-08-10/service-2.json`).
#![expect(
    clippy::format_collect,
    reason = "lines of generated code are made one by one, and rarely"
)]

use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::workspace;

mod constraints;
mod enums;
mod exceptions;
mod facts;
mod naming;
mod operations;
mod rust_types;
mod service_limits;
mod structures;

use facts::Facts;
use rust_types::Usage;

/// One generated file: its name below `crates/wire/src/generated` and its text.
struct GeneratedFile {
    name: &'static str,
    text: String,
}

/// Writes every generated file.
pub fn write() -> Result<(), String> {
    for file in generate()? {
        let path = generated_directory().join(file.name);
        fs::write(&path, file.text)
            .map_err(|error| format!("write {}: {error}", path.display()))?;
    }
    Ok(())
}

/// Fails when a generated file differs from the facts.
pub fn check() -> Result<(), String> {
    for file in generate()? {
        let path = generated_directory().join(file.name);
        let current = fs::read_to_string(&path)
            .map_err(|error| format!("read {}: {error}", path.display()))?;
        if current != file.text {
            return Err(format!("{} is stale: run `cargo xtask codegen`", path.display()));
        }
    }
    Ok(())
}

/// Reduces service models to the facts file.
pub fn write_facts(service_models: &[&str]) -> Result<(), String> {
    let mut facts = Facts::default();
    for path in service_models {
        let text = fs::read_to_string(path).map_err(|error| format!("read {path}: {error}"))?;
        facts.add_service_model(&text).map_err(|error| format!("{path}: {error}"))?;
    }
    let path = facts_path();
    fs::write(&path, facts.to_json()?).map_err(|error| format!("write {}: {error}", path.display()))
}

fn generate() -> Result<Vec<GeneratedFile>, String> {
    let path = facts_path();
    let text =
        fs::read_to_string(&path).map_err(|error| format!("read {}: {error}", path.display()))?;
    let mut facts = Facts::from_json(&text)?;
    service_limits::apply(&mut facts);
    let usage = Usage::of(&facts);
    let files = [
        ("operations.rs", operations::emit(&facts, &usage)),
        ("enums.rs", enums::emit(&facts, &usage)),
        ("requests.rs", structures::emit_requests(&facts, &usage)),
        ("responses.rs", structures::emit_responses(&facts, &usage)),
        ("shared.rs", structures::emit_shared(&facts, &usage)),
        ("exceptions.rs", exceptions::emit(&facts, &usage)),
        ("constraints.rs", constraints::emit(&facts, &usage)),
    ];
    files.into_iter().map(|(name, text)| Ok(GeneratedFile { name, text: format(&text)? })).collect()
}

/// Returns the text as rustfmt lays it out under the rules of this repository.
fn format(text: &str) -> Result<String, String> {
    let mut rustfmt = Command::new("rustfmt")
        .args(["--emit", "stdout", "--config-path"])
        .arg(workspace::root())
        .args(["--edition", "2024"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| format!("start rustfmt: {error}"))?;
    let mut input = rustfmt.stdin.take().expect("standard input was requested");
    // rustfmt reads all of its input before it writes, so writing first cannot deadlock.
    input.write_all(text.as_bytes()).map_err(|error| format!("feed rustfmt: {error}"))?;
    drop(input);
    let output = rustfmt.wait_with_output().map_err(|error| format!("run rustfmt: {error}"))?;
    if !output.status.success() {
        return Err("rustfmt refused the generated code".to_owned());
    }
    String::from_utf8(output.stdout).map_err(|error| format!("read from rustfmt: {error}"))
}

fn facts_path() -> PathBuf {
    workspace::root().join("crates/wire/model/facts.json")
}

fn generated_directory() -> PathBuf {
    workspace::root().join("crates/wire/src/generated")
}

#[cfg(test)]
mod tests {
    #[test]
    fn generated_code_is_current() {
        assert_eq!(super::check(), Ok(()));
    }
}
