//! A run: the settings, a place for data folders, the rows so far.

use crate::report::Row;
use crate::settings::Settings;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// A run of the measurements.
#[derive(Debug)]
pub struct Bench {
    /// Rows to measure, and for how long.
    pub settings: Settings,
    /// Rows measured so far.
    pub rows: Vec<Row>,
    folder: TempDir,
    program: Option<PathBuf>,
}

impl Bench {
    /// Returns a run with an empty place for data, on the disk of the build's folder.
    pub fn new(settings: Settings) -> Result<Self, String> {
        let own = std::env::current_exe().map_err(|error| error.to_string())?;
        let beside = own.parent().ok_or("the program is in no folder")?;
        let folder = tempfile::Builder::new().prefix("bench-").tempdir_in(beside);
        let folder = folder.map_err(|error| format!("cannot make a folder: {error}"))?;
        let program = settings.program.clone();
        Ok(Self { settings, rows: Vec::new(), folder, program })
    }

    /// Returns the path of a file or folder of this run.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Returns whether any of the rows is to be measured.
    pub fn wants_any(&self, rows: &[&str]) -> bool {
        rows.iter().any(|row| self.settings.wants(row))
    }

    /// Adds a row and shows it.
    pub fn add(&mut self, row: Row) {
        println!("{row}");
        self.rows.push(row);
    }

    /// Returns the server to measure, built if it was not given.
    pub fn program(&mut self) -> Result<PathBuf, String> {
        if let Some(program) = &self.program {
            return Ok(program.clone());
        }
        let program = build_program()?;
        self.program = Some(program.clone());
        Ok(program)
    }
}

/// Builds the server and returns where it is: beside this program.
fn build_program() -> Result<PathBuf, String> {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(["build", "--quiet", "--profile", "dist", "--package", "hashrange-cli"]);
    let status = command.current_dir(workspace()).status();
    if !status.is_ok_and(|status| status.success()) {
        return Err(format!("{command:?} failed"));
    }
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    Ok(own.with_file_name("hashrange"))
}

/// Returns the root of the workspace.
pub fn workspace() -> &'static Path {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.ancestors().nth(2).expect("the crate lies two folders below the workspace")
}
