//! Limit of the files and connections that this process may have open.

/// Raises the limit as far as the system allows, and returns it, if the system tells.
///
/// The usual limit of 1,024 is for programs that cannot count further. Where connections use it up
/// the store cannot open its files.
#[cfg(unix)]
pub fn raise_limit() -> Option<u64> {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    let wanted = Rlimit { current: limit.maximum, maximum: limit.maximum };
    match setrlimit(Resource::Nofile, wanted) {
        Ok(()) => limit.maximum,
        Err(_) => limit.current,
    }
}

/// Returns nothing: there is no such limit.
#[cfg(not(unix))]
pub fn raise_limit() -> Option<u64> {
    None
}
