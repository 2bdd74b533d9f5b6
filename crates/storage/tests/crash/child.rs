//! Starting this program again as the process that crashes, and what it acknowledged.

use crate::workload::Workload;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Returns whether this process is the one to crash.
pub(crate) fn is_child() -> bool {
    std::env::var_os("CRASH_WORKLOAD").is_some()
}

/// Returns what the child is to do, as text.
pub(crate) fn workload() -> String {
    std::env::var("CRASH_WORKLOAD").unwrap()
}

/// Returns the child's data folder.
pub(crate) fn folder() -> PathBuf {
    std::env::var_os("CRASH_FOLDER").unwrap().into()
}

/// Returns the command that starts a child on `folder`.
pub(crate) fn command(folder: &Path, workload: Workload) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.env("CRASH_WORKLOAD", workload.to_text()).env("CRASH_FOLDER", folder);
    command.stdout(Stdio::piped());
    command
}

/// Compiles the recorder of file system calls; `None`, after saying so, without a C compiler.
pub(crate) fn build_recorder(folder: &Path) -> Option<PathBuf> {
    let library = folder.join("interpose.so");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/crash/interpose.c");
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".to_owned());
    let mut command = Command::new(&compiler);
    command
        .args(["-shared", "-fPIC", "-O2", "-o"])
        .arg(&library)
        .arg(&source)
        .arg("-lpthread")
        .arg("-ldl");
    match command.status() {
        Ok(status) => {
            assert!(status.success(), "compile {}", source.display());
            Some(library)
        }
        Err(error) => {
            println!("SKIPPED: needs a C compiler, and '{compiler}' cannot be run: {error}");
            None
        }
    }
}

/// The last acknowledged round of each thread.
pub(crate) type Acknowledged = Vec<u64>;

/// Takes note of a line that a child printed; other lines are ignored.
pub(crate) fn acknowledge(line: &str, acknowledged: &mut Acknowledged) {
    let mut numbers = line.split(' ').map(str::parse::<u64>);
    if let (Some(Ok(thread)), Some(Ok(round))) = (numbers.next(), numbers.next()) {
        let thread = usize::try_from(thread).unwrap();
        acknowledged[thread] = acknowledged[thread].max(round);
    }
}
