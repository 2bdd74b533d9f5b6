//! The wheel: maturin builds it, pip installs it.

use std::path::{Path, PathBuf};

use super::{Build, folder, sources};
use crate::command::{program, run};
use crate::fetched::{empty_folder, once, python_environment};
use crate::workspace;

/// Fetches maturin, and the packages that the tests install beside the wheel.
pub fn prepare() -> Result<(), String> {
    let list = sources("python").join("requirements-build.txt");
    python_environment(&tools(), &list)?;
    let list = sources("python").join("requirements-test.txt");
    let wheels = fetched_wheels();
    once(&wheels, std::slice::from_ref(&list), || {
        empty_folder(&wheels)?;
        run(pip(&["download", "--quiet", "--requirement"]).arg(&list).arg("--dest").arg(&wheels))
    })
}

/// Builds the wheel into a folder and returns its path. The program is compiled only if it is not yet.
pub fn build(build: Build<'_>, into: &Path) -> Result<PathBuf, String> {
    let built = folder().join("python/wheel");
    empty_folder(&built)?;
    let mut maturin = program(&tools().join("bin/maturin"), &["build", "--quiet", "--locked"]);
    maturin.args(["--profile", build.profile, "--out"]).arg(&built);
    maturin.arg("--target-dir").arg(workspace::target());
    if !build.compiler_arguments.is_empty() {
        maturin.arg("--").args(build.compiler_arguments);
    }
    run(maturin.current_dir(sources("python")))?;
    let wheel = only_file(&built)?;
    super::place(&wheel, into)
}

/// Installs the wheel into a fresh environment and runs the package's tests there.
pub fn test(wheel: &Path) -> Result<(), String> {
    let fresh = folder().join("python/fresh");
    empty_folder(&fresh)?;
    run(program("python3".as_ref(), &["-m", "venv", "--without-pip"]).arg(&fresh))?;
    let python = fresh.join("bin/python");
    let mut install = program(&tools().join("bin/python"), &["-m", "pip", "--python"]);
    install.arg(&python).args(["install", "--quiet", "--no-index", "--disable-pip-version-check"]);
    install.arg("--find-links").arg(fetched_wheels()).arg(wheel).arg("--requirement");
    run(install.arg(sources("python").join("requirements-test.txt")))?;
    let mut pytest = program(&python, &["-m", "pytest", "--quiet", "--numprocesses=2"]);
    run(pytest.current_dir(sources("python").join("tests")).env("PYTHONDONTWRITEBYTECODE", "1"))
}

fn pip(arguments: &[&str]) -> std::process::Command {
    let pip = ["-m", "pip", "--disable-pip-version-check"];
    let mut pip = program(&tools().join("bin/python"), &pip);
    pip.args(arguments);
    pip
}

fn tools() -> PathBuf {
    folder().join("python/tools")
}

fn fetched_wheels() -> PathBuf {
    folder().join("python/fetched")
}

fn only_file(folder: &Path) -> Result<PathBuf, String> {
    let entries = std::fs::read_dir(folder);
    let entries = entries.map_err(|error| format!("list {}: {error}", folder.display()))?;
    let mut files = entries.flatten().map(|entry| entry.path());
    match (files.next(), files.next()) {
        (Some(file), None) => Ok(file),
        _ => Err(format!("{} should hold one file", folder.display())),
    }
}
