//! Go and its AWS SDK, from the archive of Debian 12: unpacked under `target/e2e/go`. Elsewhere the client is
//! left out.

use std::process::Command;

use super::clients::{fetched, sources};
use crate::command::program;
use crate::debian::Packages;
use crate::fetched::{copy_files, create_folder};

/// Where the packages put Go.
const TOOLCHAIN: &str = "usr/lib/go-1.19";

fn packages() -> Result<Packages, String> {
    Packages::of(sources("go").join("packages.txt"))
}

/// Tells why Go cannot be had here, if so.
pub fn missing() -> Result<Option<&'static str>, String> {
    Ok(packages()?.missing())
}

/// Fetches and unpacks the packages.
pub fn prepare() -> Result<(), String> {
    packages()?.unpack(&fetched("go"))
}

/// Returns the run of the tests.
pub fn test() -> Result<Command, String> {
    let (root, place) = (fetched("go/root"), fetched("go/path/src/smoke"));
    create_folder(&place)?;
    copy_files(&[sources("go").join("smoke_test.go")], &place)?;
    let paths = [fetched("go/path"), root.join("usr/share/gocode")];
    let paths = std::env::join_paths(paths).map_err(|error| format!("a path for Go: {error}"))?;
    let mut command = program(&root.join(TOOLCHAIN).join("bin/go"), &["test", "-count=1", "-v"]);
    command
        .current_dir(place)
        .env("GOROOT", root.join(TOOLCHAIN))
        .env("GOPATH", paths)
        .env("GO111MODULE", "off")
        .env("GOFLAGS", "")
        .env("GOCACHE", fetched("go/cache"));
    Ok(command)
}
