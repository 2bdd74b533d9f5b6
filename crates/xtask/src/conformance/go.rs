//! Go and its AWS SDK, of the versions in `tests/e2e/go/go.sum`, from the module proxy that Go is set up with. A
//! machine without Go, or where no proxy answers, leaves the client out.

use std::path::PathBuf;
use std::process::Command;

use super::clients::{fetched, sources};
use crate::command::{ends_well_within, is_present, program, run};
use crate::fetched::{is_fetched, once};

fn lists() -> [PathBuf; 2] {
    ["go.mod", "go.sum"].map(|name| sources("go").join(name))
}

/// Returns why the client is missing here, if so.
pub fn missing() -> Option<&'static str> {
    if !is_present("go", &["version"]) {
        return Some("no go (https://go.dev)");
    }
    // The newest version can be had from the proxy alone.
    let mut question = go(&["list", "-m", "github.com/aws/smithy-go@latest"]);
    let is_had = is_fetched(&fetched("go"), &lists()) || ends_well_within(20, &mut question);
    (!is_had).then_some("Go is older than go.mod wants, or its module proxy does not answer")
}

/// Fetches the modules and compiles the tests.
pub fn prepare() -> Result<(), String> {
    once(&fetched("go"), &lists(), || {
        run(&mut go(&["mod", "download"]))?;
        run(&mut go(&["test", "-run", "^$", "."]))
    })
}

/// Returns the run of the tests.
pub fn test() -> Command {
    go(&["test", "-count=1", "-v", "."])
}

fn go(arguments: &[&str]) -> Command {
    let mut command = program("go".as_ref(), arguments);
    command
        .current_dir(sources("go"))
        .env("GOFLAGS", "-mod=readonly -modcacherw")
        .env("GOTOOLCHAIN", "local")
        .env("GOMODCACHE", fetched("go/mod"))
        .env("GOCACHE", fetched("go/cache"));
    command
}
