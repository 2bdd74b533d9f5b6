//! Work in the background steps back for those who wait for an answer.

/// How far it steps back. It gets its time in the end: writes wait while too much is unsorted.
#[cfg(target_os = "linux")]
const NICENESS: i32 = 10;

/// Lowers the priority of this thread and of those that it starts.
#[cfg(target_os = "linux")]
pub(super) fn step_back() {
    // Where the system refuses, the workers only compete more.
    let _refused = rustix::process::nice(NICENESS);
}

/// Elsewhere niceness is a matter of whole processes.
#[cfg(not(target_os = "linux"))]
pub(super) fn step_back() {}
