//! A release, in `target/dist`: the program with its manual pages, completions and changelog in an archive, the
//! packages of other ecosystems, and the checksums of all of them.
//!
//! The program is built with the profile `dist`. On Linux it carries the C library, so that one file runs
//! on every distribution, in an empty container, and from the wheel and the npm package alike. It is the
//! same library as without. Cargo keeps its own files of the profile in the same folder.

mod archive;
mod checksums;

use std::path::{Path, PathBuf};
use std::process::Stdio;

use crate::command::{cargo, output, program, run, step};
use crate::fetched::{copy, copy_files, empty_folder, write};
use crate::packages::{self, Build};
use crate::terminal::say;
use crate::workspace;

/// The version of every crate and package here.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Links the C library into the program, if possible.
const STATIC: &[&str] = if cfg!(all(target_os = "linux", target_env = "gnu")) {
    &["-C", "target-feature=+crt-static"]
} else {
    &[]
};

/// Completions by their usual names.
const COMPLETIONS: [(&str, &str); 3] =
    [("bash", "hashrange.bash"), ("zsh", "_hashrange"), ("fish", "hashrange.fish")];

/// Builds everything and says where it is.
pub fn dist() -> Result<(), String> {
    let folder = workspace::target().join("dist");
    let mut files = Vec::new();
    step("build with profile dist, some minutes", build)?;
    let binary = folder.join("hashrange");
    step("archive", || {
        files.push(archive(&binary, &folder)?);
        Ok(())
    })?;
    step("packages", || {
        let build = Build { profile: "dist", compiler_arguments: STATIC };
        files.extend(packages::release(&binary, build, &folder)?);
        Ok(())
    })?;
    let sums = folder.join("SHA256SUMS");
    write(&sums, checksums::of(&files)?)?;
    for file in files.iter().chain([&sums, &binary]) {
        say(&file.display().to_string());
    }
    Ok(())
}

fn build() -> Result<(), String> {
    let mut build = cargo(&["rustc", "--profile", "dist", "--locked", "-p", "hashrange-cli"]);
    run(build.args(["--bin", "hashrange", "--"]).args(STATIC))
}

/// Puts all files of the program into a folder of its name, and that into an archive.
fn archive(binary: &Path, folder: &Path) -> Result<PathBuf, String> {
    let name = format!("hashrange-{VERSION}-{}", host()?);
    let content = folder.join(&name);
    empty_folder(&content)?;
    copy(binary, &content.join("hashrange"))?;
    let documents = ["README.md", "CHANGELOG.md", "LICENSE", "NOTICE"];
    copy_files(&documents.map(|name| workspace::root().join(name)), &content)?;
    run(program(binary, &["man", "--dir"]).arg(content.join("man")))?;
    let completions = content.join("completions");
    empty_folder(&completions)?;
    for (shell, file) in COMPLETIONS {
        let script = output(&mut program(binary, &["completions", shell]))?;
        write(&completions.join(file), script)?;
    }
    let archive = folder.join(format!("{name}.tar.gz"));
    archive::write(&content, &name, &archive)?;
    Ok(archive)
}

/// Returns the compiler's name of this machine.
fn host() -> Result<String, String> {
    let mut rustc = program("rustc".as_ref(), &["--version", "--verbose"]);
    let told = output(rustc.stdin(Stdio::null()))?;
    let host = told.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(ToOwned::to_owned).ok_or_else(|| "rustc does not tell its host".to_owned())
}
