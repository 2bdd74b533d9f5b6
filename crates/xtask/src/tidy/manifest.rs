//! The crate table: allowed uses between crates of the workspace. A new arrow needs a decision
//! record and a line here.
//!
//! Reads only as much of TOML as our own manifests use: one dependency a line.

use std::path::Path;

use super::read;
use crate::workspace;

/// Each crate and the crates of the workspace it may use. Everything may use
/// `testkit` and `scratch` in tests.
const TABLE: &[(&str, &[&str])] = &[
    ("allocator", &[]),
    ("console", &[]),
    ("model", &[]),
    ("tls", &[]),
    ("storage", &["tls"]),
    ("scratch", &[]),
    ("advisor", &["cost"]),
    ("heat", &[]),
    ("lint", &["advisor", "heat"]),
    ("design", &["advisor", "cost", "expr", "lint", "model"]),
    ("xtask", &["scratch"]),
    ("wire", &["model"]),
    ("expr", &["model"]),
    ("cost", &["expr"]),
    ("auth", &["model"]),
    ("engine", &["cost", "heat", "model", "wire", "expr", "storage"]),
    ("hashrange", &["advisor", "cost", "heat", "model", "wire", "storage", "engine"]),
    ("samples", &["hashrange", "storage"]),
    ("server", &["cost", "model", "wire", "auth"]),
    (
        "cli",
        &[
            "hashrange",
            "allocator",
            "auth",
            "server",
            "samples",
            "storage",
            "lint",
            "tls",
            "design",
            "console",
        ],
    ),
    ("testkit", &["model", "wire", "scratch", "storage", "engine"]),
    ("bench", &["scratch", "expr", "auth", "hashrange", "server"]),
];

/// One dependency as a manifest names it.
pub struct Dependency {
    /// Name of the crate it comes from.
    pub name: String,
    /// Whether only tests use it.
    pub for_tests: bool,
}

/// Returns each arrow that the table does not allow.
pub fn crate_table() -> Result<Vec<String>, String> {
    let mut complaints = Vec::new();
    for folder in crate_folders()? {
        let Some((_, allowed)) = TABLE.iter().find(|(name, _)| *name == folder) else {
            complaints.push(format!("crates/{folder}: not in the crate table of xtask tidy"));
            continue;
        };
        for dependency in dependencies(&folder)? {
            let Some(target) = own_crate(&dependency.name) else { continue };
            let by_tests = dependency.for_tests
                && (["testkit", "scratch"].contains(&target) || target == folder);
            if !allowed.contains(&target) && !by_tests {
                complaints.push(format!("crates/{folder}: may not use {}", dependency.name));
            }
        }
    }
    Ok(complaints)
}

/// Returns the folder names under `crates`, sorted.
pub fn crate_folders() -> Result<Vec<String>, String> {
    let crates = workspace::root().join("crates");
    let entries = std::fs::read_dir(&crates).map_err(|error| format!("list crates: {error}"))?;
    let mut folders: Vec<String> = entries
        .flatten()
        .filter(|entry| entry.path().join("Cargo.toml").is_file())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    folders.sort();
    Ok(folders)
}

/// Returns the dependencies of the crate in `crates/<folder>`.
pub fn dependencies(folder: &str) -> Result<Vec<Dependency>, String> {
    let manifest = read(&Path::new("crates").join(folder).join("Cargo.toml"))?;
    Ok(parse(&manifest))
}

fn parse(manifest: &str) -> Vec<Dependency> {
    let mut section = "";
    let mut found = Vec::new();
    for line in manifest.lines().map(str::trim) {
        if line.starts_with('[') {
            section = line.trim_matches(['[', ']']);
        } else if section.ends_with("dependencies")
            && let Some((name, value)) = line.split_once('=')
            && !line.starts_with('#')
        {
            let name = renamed(value).unwrap_or(name.split('.').next().unwrap_or(name).trim());
            let for_tests = section.ends_with("dev-dependencies");
            found.push(Dependency { name: name.to_owned(), for_tests });
        }
    }
    found
}

/// Returns the real name in `{ package = "name", ... }`.
fn renamed(value: &str) -> Option<&str> {
    value.split_once("package = \"")?.1.split('"').next()
}

/// Returns the folder of a crate of this workspace, `None` for others.
pub fn own_crate(name: &str) -> Option<&str> {
    if name == "hashrange" { Some(name) } else { name.strip_prefix("hashrange-") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dependencies_are_read_in_every_spelling() {
        let manifest = "[package]\nname = \"x\"\n[dependencies]\n# note = 1\na = \"1\"\nb.workspace = true\n\
             c = { version = \"1\", package = \"d\" }\n[target.'cfg(unix)'.dependencies]\ne = \"1\"\n\
             [dev-dependencies]\nf = \"1\"\n[[test]]\nname = \"g\"\n";
        let found: Vec<_> =
            parse(manifest).into_iter().map(|one| (one.name, one.for_tests)).collect();
        let wanted = [("a", false), ("b", false), ("d", false), ("e", false), ("f", true)];
        assert_eq!(found, wanted.map(|(name, for_tests)| (name.to_owned(), for_tests)));
    }
}
