//! The oldest Rust that builds the workspace, `rust-version` in `Cargo.toml`. Clippy's `incompatible_msrv` refuses
//! newer items of the standard library, and this the crates that need a later one.

use serde_json::Value;

use crate::command::{cargo, output, program, run};
use crate::workspace;

/// Refuses crates of the lock file that need a later Rust than the workspace says.
pub fn check_crates() -> Result<(), String> {
    let arguments = ["metadata", "--locked", "--quiet", "--format-version", "1"];
    let metadata = output(&mut cargo(&arguments))?;
    let metadata = serde_json::from_str(&metadata);
    let metadata: Value = metadata.map_err(|error| format!("cargo metadata: {error}"))?;
    let later = needing_later(&metadata, env!("CARGO_PKG_RUST_VERSION"));
    if later.is_empty() { Ok(()) } else { Err(later.join("\n")) }
}

/// Compiles the workspace with that very Rust, which rustup fetches.
pub fn build() -> Result<(), String> {
    let version = env!("CARGO_PKG_RUST_VERSION");
    let mut rustup = program("rustup".as_ref(), &["toolchain", "install", "--profile", "minimal"]);
    run(rustup.arg(version))?;
    let check = ["run", version, "cargo", "check", "--quiet", "--workspace", "--locked"];
    let mut check = program("rustup".as_ref(), &check);
    // The variables of this program's cargo are not for that of another Rust.
    for name in ["CARGO", "RUSTC", "RUSTUP_TOOLCHAIN"] {
        check.env_remove(name);
    }
    run(check.env("CARGO_TARGET_DIR", workspace::target().join("oldest-rust")))
}

fn needing_later(metadata: &Value, ours: &str) -> Vec<String> {
    let packages = metadata["packages"].as_array().into_iter().flatten();
    packages
        .filter_map(|package| Some((package, package["rust_version"].as_str()?)))
        .filter(|(_, needed)| numbers(needed) > numbers(ours))
        .map(|(package, needed)| {
            let name = package["name"].as_str().unwrap_or_default();
            format!("{name} needs Rust {needed}, and the workspace says {ours}")
        })
        .collect()
}

/// Returns the three numbers of a version; absent ones are zero.
fn numbers(version: &str) -> [u32; 3] {
    let mut numbers = version.split('.').map(|number| number.parse().unwrap_or(0));
    std::array::from_fn(|_| numbers.next().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn versions_are_compared_as_numbers() {
        let metadata = json!({"packages": [
            {"name": "none", "rust_version": null},
            {"name": "same", "rust_version": "1.90.0"},
            {"name": "earlier", "rust_version": "1.9"},
            {"name": "later", "rust_version": "1.90.1"},
            {"name": "latest", "rust_version": "1.100"},
        ]});
        let later = |name: &str, needed: &str| {
            format!("{name} needs Rust {needed}, and the workspace says 1.90")
        };
        let wanted = [later("later", "1.90.1"), later("latest", "1.100")];
        assert_eq!(needing_later(&metadata, "1.90"), wanted);
    }
}
