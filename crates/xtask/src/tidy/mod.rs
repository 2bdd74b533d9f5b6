//! House rules that no compiler checks. Each rule is a module that returns its complaints; all
//! of them are printed, so that one run shows everything.

mod circles;
mod dependencies;
mod figures;
mod files;
mod manifest;
mod modules;
mod requests;
mod rooms;
mod sdks;
mod source;
mod versions;

use std::path::PathBuf;

use crate::command::{output, program};
use crate::terminal::say;
use crate::workspace;
use circles::Circles;

/// Checks every rule over the files that git tracks.
pub fn tidy() -> Result<(), String> {
    check(&circles::all()?)
}

/// Checks every rule, and prints the circles of files that there are, small ones too.
pub fn tidy_verbose() -> Result<(), String> {
    let circles = circles::all()?;
    say(&circles::report(&circles));
    check(&circles)
}

fn check(circles: &[Circles]) -> Result<(), String> {
    let files = tracked_files()?;
    let mut complaints = Vec::new();
    complaints.extend(manifest::crate_table()?);
    complaints.extend(dependencies::undocumented()?);
    complaints.extend(figures::misquoted()?);
    complaints.extend(files::complaints(&files));
    complaints.extend(rooms::imports_upwards(&files)?);
    complaints.extend(circles::complaints(circles));
    complaints.extend(requests::dropped_members(&files)?);
    complaints.extend(versions::differing()?);
    complaints.extend(sdks::differing()?);
    if complaints.is_empty() { Ok(()) } else { Err(complaints.join("\n")) }
}

/// Returns tracked files that are in the working tree, relative to the root.
fn tracked_files() -> Result<Vec<PathBuf>, String> {
    let listed = output(&mut program("git".as_ref(), &["ls-files"]))?;
    let files = listed.lines().map(PathBuf::from);
    Ok(files.filter(|file| workspace::root().join(file).is_file()).collect())
}

/// Returns the text of a file named relative to the root.
fn read(file: &std::path::Path) -> Result<String, String> {
    std::fs::read_to_string(workspace::root().join(file))
        .map_err(|error| format!("read {}: {error}", file.display()))
}
