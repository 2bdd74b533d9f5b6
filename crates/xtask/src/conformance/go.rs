//! Go and its AWS SDK, from the archive of Debian 12: unpacked under `target/e2e/go`, without a change to
//! the system. Elsewhere they cannot be had this way, and the client is left out.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use super::clients::{fetched, sources};
use crate::command::{is_present, program, run};
use crate::fetched::{copy_files, create_folder, empty_folder, once};

/// Where the packages put Go.
const TOOLCHAIN: &str = "usr/lib/go-1.19";

fn list() -> PathBuf {
    sources("go").join("packages.txt")
}

fn packages() -> Result<Vec<String>, String> {
    let list = list();
    let names = fs::read_to_string(&list);
    let names = names.map_err(|error| format!("read {}: {error}", list.display()))?;
    Ok(names.lines().map(str::to_owned).collect())
}

/// Tells why Go cannot be had here, if so.
pub fn missing() -> Result<Option<&'static str>, String> {
    let names = packages()?;
    let asked: Vec<&str> =
        ["download", "--print-uris"].into_iter().chain(names.iter().map(String::as_str)).collect();
    let why = "no apt-get that knows Debian 12's packages (apt-get update fetches its lists)";
    Ok((!is_present("apt-get", &asked)).then_some(why))
}

/// Fetches and unpacks the packages.
pub fn prepare() -> Result<(), String> {
    let (archives, root) = (fetched("go/archives"), fetched("go/root"));
    once(&fetched("go"), &[list()], || {
        empty_folder(&archives)?;
        empty_folder(&root)?;
        let names = packages()?;
        let mut download = program("apt-get".as_ref(), &["-qq", "download"]);
        run(download.args(names).current_dir(&archives))?;
        let entries =
            fs::read_dir(&archives).map_err(|error| format!("list the archives: {error}"))?;
        for archive in entries.flatten() {
            run(program("dpkg-deb".as_ref(), &["-x"]).arg(archive.path()).arg(&root))?;
        }
        empty_folder(&archives)
    })
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
