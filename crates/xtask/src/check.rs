//! The quick checks: formatting, lints, documentation, generated code, house rules.

use crate::codegen;
use crate::command::{cargo, run, step};
use crate::tidy;

/// Runs every quick check; stops at the first that fails.
pub fn check() -> Result<(), String> {
    step("format", || run(&mut cargo(&["fmt", "--all", "--check"])))?;
    step("tidy", tidy::tidy)?;
    step("generated code", codegen::check)?;
    step("clippy", || {
        run(&mut cargo(&[
            "clippy",
            "--quiet",
            "--workspace",
            "--all-targets",
            "--locked",
            "--",
            "-D",
            "warnings",
        ]))
    })?;
    step("documentation", || {
        let mut doc = cargo(&["doc", "--quiet", "--workspace", "--no-deps", "--locked"]);
        run(doc.env("RUSTDOCFLAGS", "-D warnings"))
    })
}
