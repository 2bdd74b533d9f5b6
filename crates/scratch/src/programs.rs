//! PostgreSQL's programs: their folder, and commands that run them.
//!
//! The server refuses to be run by root, so root runs them as another user.

use std::fs::{self, File};
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Returns the folder of the newest server's programs: of the system's, else of those unpacked in
/// `fetched`. None if there are none.
pub fn folder_of_programs(fetched: &Path) -> Option<PathBuf> {
    let places = [PathBuf::from("/usr/lib/postgresql"), fetched.join("usr/lib/postgresql")];
    places.iter().find_map(|place| {
        let versions = fs::read_dir(place).into_iter().flatten().flatten();
        let mut found: Vec<_> = versions
            .map(|version| version.path().join("bin"))
            .filter(|bin| bin.join("initdb").is_file() && bin.join("postgres").is_file())
            .collect();
        found.sort();
        found.pop()
    })
}

/// Returns the folder of the programs.
pub(crate) fn installed() -> PathBuf {
    folder_of_programs(&fetched()).unwrap_or_else(|| {
        panic!(
            "PostgreSQL is not installed, and these tests need it. `cargo xtask postgres` fetches it; by \
             hand: apt-get install postgresql. {}={} leaves such tests out",
            crate::VARIABLE,
            crate::OFF
        )
    })
}

/// Returns the folder into which the project's tasks unpack the programs if the system has none.
#[expect(clippy::disallowed_methods, reason = "the folder of build results is Cargo's setting")]
pub fn fetched() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let target = std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
    root.join(target).join("e2e/postgresql/root")
}

/// Gives a folder to the user that the server runs as.
pub(crate) fn hand_over(folder: &Path) {
    if rustix::process::geteuid().is_root() {
        run(Command::new("chown").arg("nobody").arg(folder));
    }
}

/// Returns a command of one of the programs, with the libraries that were unpacked with it.
pub(crate) fn command(program: &Path) -> Command {
    let mut command = Command::new(program);
    find_libraries(&mut command);
    command
}

/// Returns a command that runs as another user if the present one is root.
pub(crate) fn as_user(program: &Path) -> Command {
    if !rustix::process::geteuid().is_root() {
        return command(program);
    }
    let mut command = Command::new("setpriv");
    command.args(["--reuid=nobody", "--regid=nogroup", "--clear-groups", "--"]).arg(program);
    command.current_dir("/").env("LC_ALL", "C");
    find_libraries(&mut command);
    command
}

/// Names the folders of libraries that were unpacked; without any, those of the system are enough.
fn find_libraries(command: &mut Command) {
    let entries = fs::read_dir(fetched().join("usr/lib")).into_iter().flatten().flatten();
    let folders = entries.map(|entry| entry.path());
    let folders = folders.filter(|path| path.to_string_lossy().ends_with("-linux-gnu"));
    if let Ok(paths) = std::env::join_paths(folders)
        && !paths.is_empty()
    {
        command.env("LD_LIBRARY_PATH", paths);
    }
}

/// Runs a command to its end and returns its output.
pub(crate) fn run(command: &mut Command) -> String {
    let text = printed(command).unwrap_or_else(|error| panic!("{command:?}: {error}"));
    text.unwrap_or_else(|text| panic!("{command:?}: {text}"))
}

/// Runs a command to its end and returns its output, also if it fails.
pub(crate) fn printed_by(command: &mut Command) -> String {
    let text = printed(command).unwrap_or_else(|error| panic!("{command:?}: {error}"));
    text.unwrap_or_else(|text| text)
}

/// Runs a command to its end and returns whether it succeeded.
pub(crate) fn tried(command: &mut Command) -> bool {
    printed(command).is_ok_and(|text| text.is_ok())
}

/// Runs a command to its end; returns its output, as an error if it fails.
fn printed(command: &mut Command) -> std::io::Result<Result<String, String>> {
    // A server that keeps our pipes would keep us waiting.
    let mut printed: File = tempfile::tempfile()?;
    command.stdin(Stdio::null()).stdout(printed.try_clone()?).stderr(printed.try_clone()?);
    let status = command.status()?;
    let mut text = String::new();
    printed.rewind()?;
    printed.read_to_string(&mut text)?;
    Ok(if status.success() { Ok(text) } else { Err(text) })
}
