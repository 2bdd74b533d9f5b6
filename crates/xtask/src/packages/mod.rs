//! The packages of other ecosystems that carry the program: a wheel for Python and packages for npm.
//!
//! They are built from this tree, installed from the local files into fresh folders, and tested there as their users
//! install them. Their program is the release build that the clients were tested with; `cargo xtask dist` makes the
//! same packages of its own build.

mod npm;
mod python;

use std::path::{Path, PathBuf};

use crate::command::step;
use crate::conformance;
use crate::fetched::{copy, create_folder};
use crate::prerequisites;
use crate::workspace;

/// Build of the program in a package.
#[derive(Clone, Copy)]
pub struct Build<'a> {
    /// The profile of Cargo.
    pub profile: &'a str,
    /// Further arguments of the compiler for the program itself.
    pub compiler_arguments: &'a [&'a str],
}

/// The build of users who compile it, and of the tests.
const RELEASE: Build<'_> = Build { profile: "release", compiler_arguments: &[] };

/// Builds the packages, installs them and runs their tests.
pub fn test() -> Result<(), String> {
    prerequisites::check_python()?;
    prerequisites::check_node()?;
    let mut program = PathBuf::new();
    step("release build", || {
        program = conformance::build()?;
        Ok(())
    })?;
    step("prepare the wheel's tools", python::prepare)?;
    step("prepare the npm package's tools", npm::prepare)?;
    step("Python wheel", || {
        python::test(&python::build(RELEASE, &folder().join("python/built"))?)
    })?;
    step("npm package", || npm::test(&npm::pack(&program, &folder().join("npm/packed"))?))
}

/// Builds the packages around a program that is built already.
pub fn release(program: &Path, build: Build<'_>, into: &Path) -> Result<Vec<PathBuf>, String> {
    python::prepare()?;
    prerequisites::check_node()?;
    let mut files = vec![python::build(build, into)?];
    files.extend(npm::pack(program, into)?);
    Ok(files)
}

/// Copies a file into a folder and returns its path there.
fn place(file: &Path, into: &Path) -> Result<PathBuf, String> {
    create_folder(into)?;
    let placed = into.join(file.file_name().ok_or("a file without a name")?);
    copy(file, &placed)?;
    Ok(placed)
}

fn sources(name: &str) -> PathBuf {
    workspace::root().join("packages").join(name)
}

fn folder() -> PathBuf {
    workspace::target().join("packages")
}
