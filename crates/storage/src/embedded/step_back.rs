//! Lowers the priority of background work, for the sake of requests.

/// Niceness of background work. It gets its time in the end, because writes wait while too much is
/// unsorted.
#[cfg(target_os = "linux")]
const NICENESS: i32 = 10;

/// Lowers the priority of this thread and of those that it starts.
#[cfg(target_os = "linux")]
pub(super) fn step_back() {
    // If the system refuses, the workers only compete more.
    let _refused = rustix::process::nice(NICENESS);
}

/// Does nothing: on other systems niceness belongs to whole processes.
#[cfg(not(target_os = "linux"))]
pub(super) fn step_back() {}
