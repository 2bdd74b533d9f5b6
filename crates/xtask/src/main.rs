//! Project tasks, run as `cargo xtask <task>`.
//!
//! This file only picks the task; each task is a module of its own. Prints what went wrong
//! to standard error and ends with status 1 when a task fails.

use std::io::Write;
use std::process::ExitCode;

mod codegen;
mod workspace;

const USAGE: &str = "\
usage: cargo xtask <task>

tasks:
  codegen [--check]      write (or compare) the generated part of crates/wire
  facts SERVICE_JSON...  reduce service models to crates/wire/model/facts.json
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            // Nothing can be done when standard error is closed.
            drop(writeln!(std::io::stderr(), "{message}"));
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[&str]) -> Result<(), String> {
    match arguments {
        ["codegen"] => codegen::write(),
        ["codegen", "--check"] => codegen::check(),
        ["facts", paths @ ..] if !paths.is_empty() => codegen::write_facts(paths),
        _ => Err(USAGE.to_owned()),
    }
}
