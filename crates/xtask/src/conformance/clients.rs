//! The clients: their needs, their fetching by their own package managers, and their runs.
//!
//! Everything fetched stays under `target/e2e` and is fetched again only when its list of
//! packages changes.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::{go, java};
use crate::command::{cargo, program, run};
use crate::fetched::{copy_files, once, python_environment};
use crate::prerequisites;
use crate::server::Store;
use crate::workspace;

/// A client under test.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Client {
    /// boto3, plain sockets, servers of its own: the main suite.
    Python,
    /// The AWS CLI.
    Cli,
    /// The AWS SDK for JavaScript v3.
    Js,
    /// The AWS SDK for Rust.
    Rust,
    /// The AWS SDK for Go v2.
    Go,
    /// The AWS SDK for Java 2.x.
    Java,
}

impl Client {
    /// Every client, the quickest to fail first.
    pub const ALL: [Self; 6] =
        [Self::Python, Self::Cli, Self::Js, Self::Rust, Self::Go, Self::Java];

    /// Returns the client of a name.
    pub fn from_name(name: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|client| client.name() == name);
        found.ok_or_else(|| format!("unknown client {name}: python, js, cli, rust, go or java"))
    }

    /// Returns the name for the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Python => "python",
            Self::Cli => "cli",
            Self::Js => "js",
            Self::Rust => "rust",
            Self::Go => "go",
            Self::Java => "java",
        }
    }

    /// Returns the stores that the client is run on.
    pub fn stores(self) -> &'static [Store] {
        match self {
            Self::Python => &[Store::Memory, Store::Embedded],
            Self::Cli | Self::Js | Self::Rust | Self::Go | Self::Java => &[Store::Memory],
        }
    }

    /// Returns why the client is missing on this machine, if so. The others must be present.
    pub fn missing(self) -> Option<&'static str> {
        match self {
            Self::Go => go::missing(),
            Self::Java => java::missing(),
            Self::Python | Self::Cli | Self::Js | Self::Rust => None,
        }
    }

    /// Fetches the client's packages.
    pub fn prepare(self) -> Result<(), String> {
        match self {
            Self::Python | Self::Cli => prepare_python(),
            Self::Js => prepare_js(),
            Self::Rust => run(rust().arg("--no-run")),
            Self::Go => go::prepare(),
            Self::Java => java::prepare(),
        }
    }

    /// Runs the tests; without a `binary`, except those that start servers of their own.
    pub fn test(self, endpoint: &str, binary: Option<&Path>, store: &Store) -> Result<(), String> {
        let mut command = match self {
            Self::Python => pytest(binary, store),
            Self::Cli => cli(),
            Self::Js => node(),
            Self::Rust => rust(),
            Self::Go => go::test(),
            Self::Java => java::test(),
        };
        command.env("HASHRANGE_ENDPOINT", endpoint);
        if let Some(binary) = binary {
            command.env("HASHRANGE_BINARY", binary);
        }
        run(&mut command)
    }
}

pub(super) fn sources(client: &str) -> PathBuf {
    workspace::root().join("tests/e2e").join(client)
}

pub(super) fn fetched(name: &str) -> PathBuf {
    workspace::target().join("e2e").join(name)
}

fn prepare_python() -> Result<(), String> {
    python_environment(&fetched("venv"), &sources("python").join("requirements.txt"))
}

/// Returns pytest. On disk only tests that depend on the store run again: writes, reads, indexes.
fn pytest(binary: Option<&Path>, store: &Store) -> Command {
    let mut command = program(&fetched("venv").join("bin/python"), &["-m", "pytest"]);
    command.current_dir(sources("python")).env("PYTHONDONTWRITEBYTECODE", "1");
    let marks = match (binary, store) {
        (None, _) => "not process and not hashrange",
        (Some(_), Store::Memory) => "",
        (Some(_), Store::Embedded | Store::Postgres(_)) => "not process",
    };
    if !marks.is_empty() {
        command.args(["-m", marks]);
    }
    if *store == Store::Embedded {
        let files = [
            "batch",
            "item_writes",
            "query",
            "scan",
            "secondary_indexes",
            "streams",
            "table_lifecycle",
            "time_to_live",
            "update_item",
        ];
        command.args(files.map(|name| format!("test_{name}.py")));
    }
    command
}

fn cli() -> Command {
    let mut paths = vec![fetched("venv").join("bin")];
    paths.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
    let mut command = program("bash".as_ref(), &[]);
    command.arg(sources("cli").join("smoke.sh"));
    // Unchanged when a folder name could not stand in PATH; `aws` is then missed with a message.
    if let Ok(path) = std::env::join_paths(paths) {
        command.env("PATH", path);
    }
    command
}

fn prepare_js() -> Result<(), String> {
    let folder = fetched("js");
    let lists = ["package.json", "package-lock.json"].map(|name| sources("js").join(name));
    once(&folder, &lists, || {
        prerequisites::check_node()?;
        copy_files(&lists, &folder)?;
        run(program("npm".as_ref(), &["ci", "--silent", "--no-audit", "--no-fund"])
            .current_dir(&folder))
    })
}

const JS_TESTS: [&str; 3] = ["smoke.test.mjs", "stream_consumer.test.mjs", "sdk_page.test.mjs"];

/// Returns the node runner. Packages are looked up beside a file, so the tests are copied there.
fn node() -> Command {
    let folder = fetched("js");
    // A failed copy shows as a missing or an old test file, which node reports.
    drop(copy_files(&JS_TESTS.map(|name| sources("js").join(name)), &folder));
    let mut command = program("node".as_ref(), &["--test", "--test-reporter=spec"]);
    command.args(JS_TESTS).current_dir(folder).env("DOCS_FOLDER", workspace::root().join("docs"));
    command
}

fn rust() -> Command {
    let mut command = cargo(&["test", "--quiet", "--locked", "--manifest-path"]);
    command
        .arg(sources("rust").join("Cargo.toml"))
        .env("CARGO_TARGET_DIR", workspace::target().join("e2e-rust"));
    command
}
