//! Packages that tests and builds fetch with the package managers of other languages. They stay under the folder of
//! build results and are fetched again only when their list changes.

use std::fs;
use std::path::{Path, PathBuf};

use crate::command::{program, run};
use crate::prerequisites;

/// Name of the file with the lists.
const STAMP: &str = "fetched";

/// Runs `fetch`, which fills the folder, unless it has run for these very lists of packages.
pub fn once(
    folder: &Path,
    lists: &[PathBuf],
    fetch: impl FnOnce() -> Result<(), String>,
) -> Result<(), String> {
    if is_fetched(folder, lists) {
        return Ok(());
    }
    let wanted = joined(lists)?;
    create_folder(folder)?;
    fetch()?;
    write(&folder.join(STAMP), wanted)
}

/// Makes a folder a Python environment with the packages of a list.
pub fn python_environment(folder: &Path, list: &Path) -> Result<(), String> {
    once(folder, &[list.to_path_buf()], || {
        prerequisites::check_python()?;
        run(program("python3".as_ref(), &["-m", "venv"]).arg(folder))?;
        let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r"];
        run(program(&folder.join("bin/python"), &pip).arg(list))
    })
}

/// Whether the folder was filled for these very lists of packages.
pub fn is_fetched(folder: &Path, lists: &[PathBuf]) -> bool {
    let given = fs::read_to_string(folder.join(STAMP));
    given.is_ok_and(|given| joined(lists).is_ok_and(|wanted| given == wanted))
}

fn joined(lists: &[PathBuf]) -> Result<String, String> {
    let read = |list: &PathBuf| {
        fs::read_to_string(list).map_err(|error| format!("read {}: {error}", list.display()))
    };
    lists.iter().map(read).collect()
}

/// Creates a folder and those above it.
pub fn create_folder(folder: &Path) -> Result<(), String> {
    fs::create_dir_all(folder).map_err(|error| format!("create {}: {error}", folder.display()))
}

/// Empties a folder, or creates it.
pub fn empty_folder(folder: &Path) -> Result<(), String> {
    if folder.exists() {
        fs::remove_dir_all(folder)
            .map_err(|error| format!("remove {}: {error}", folder.display()))?;
    }
    create_folder(folder)
}

/// Copies files into a folder.
pub fn copy_files(files: &[PathBuf], folder: &Path) -> Result<(), String> {
    for file in files {
        let name = file.file_name().ok_or("a file without a name")?;
        copy(file, &folder.join(name))?;
    }
    Ok(())
}

/// Copies a file with its permissions.
pub fn copy(from: &Path, to: &Path) -> Result<(), String> {
    fs::copy(from, to).map(drop).map_err(|error| format!("copy {}: {error}", from.display()))
}

/// Copies a folder with all its content.
pub fn copy_folder(from: &Path, to: &Path) -> Result<(), String> {
    create_folder(to)?;
    let entries =
        fs::read_dir(from).map_err(|error| format!("list {}: {error}", from.display()))?;
    for entry in entries.flatten() {
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if from.is_dir() { copy_folder(&from, &to)? } else { copy(&from, &to)? }
    }
    Ok(())
}

/// Writes a file.
pub fn write(path: &Path, content: impl AsRef<[u8]>) -> Result<(), String> {
    fs::write(path, content).map_err(|error| format!("write {}: {error}", path.display()))
}
