//! Memory that this process may use: the machine's, or less in a container or under `ulimit -v`.
//! Known on Linux.

mod keeper;

pub use keeper::{Keeper, PERIOD};

use std::fs;
use std::path::{Path, PathBuf};

/// Returns the bytes of memory that this process may use, if the system tells.
pub fn limit_bytes() -> Option<u64> {
    // `sysinfo` does not do: some containers learn their limit from this file alone.
    let total = fs::read_to_string("/proc/meminfo")
        .ok()
        .and_then(|text| field_bytes(&text, "MemTotal:"))?;
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let limits = limit_files(&groups).into_iter().filter_map(|file| {
        // Not every control group has a limit; one without says "max" or a number without meaning.
        fs::read_to_string(file).ok()?.trim().parse().ok()
    });
    Some(limits.chain(address_space_bytes()).fold(total, u64::min))
}

/// Returns the bytes of addresses that this process may have, if they are limited (`ulimit -v`).
#[cfg(unix)]
fn address_space_bytes() -> Option<u64> {
    rustix::process::getrlimit(rustix::process::Resource::As).current
}

/// Returns nothing: there is no such limit.
#[cfg(not(unix))]
fn address_space_bytes() -> Option<u64> {
    None
}

/// Reads a field of `/proc/meminfo` or of a process's status, which is in KiB.
fn field_bytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1024)
}

/// Returns the files that may limit the groups of `/proc/self/cgroup` and the groups around them.
fn limit_files(groups: &str) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for line in groups.lines() {
        // Number, controllers (none in version 2), path.
        let mut fields = line.splitn(3, ':').skip(1);
        let (root, name, path) = match (fields.next(), fields.next()) {
            (Some(""), Some(path)) => ("/sys/fs/cgroup", "memory.max", path),
            (Some(controllers), Some(path)) if controllers.split(',').any(|it| it == "memory") => {
                ("/sys/fs/cgroup/memory", "memory.limit_in_bytes", path)
            }
            _ => continue,
        };
        let group = Path::new(root).join(path.trim_start_matches('/'));
        let around = group.ancestors().take_while(|folder| folder.starts_with(root));
        files.extend(around.map(|folder| folder.join(name)));
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn total_is_read_in_bytes() {
        let text = "MemTotal:       24683112 kB\nMemFree:        23402000 kB\n";
        assert_eq!(field_bytes(text, "MemTotal:"), Some(24_683_112 * 1024));
        for text in ["", "MemTotal: many kB", "MemFree: 1 kB", "MemTotal: 18446744073709551615 kB"]
        {
            assert_eq!(field_bytes(text, "MemTotal:"), None, "{text}");
        }
    }

    #[test]
    fn groups_of_both_versions_and_those_around_them_may_limit() {
        let files = |groups| limit_files(groups).into_iter().map(|file| file.display().to_string());
        let version_2 = ["a/b/", "a/", ""].map(|at| format!("/sys/fs/cgroup/{at}memory.max"));
        assert!(files("0::/a/b\n").eq(version_2));
        let version_1 = ["docker/1/", "docker/", ""]
            .map(|at| format!("/sys/fs/cgroup/memory/{at}memory.limit_in_bytes"));
        assert!(files("9:name=systemd:/\n5:cpu,memory:/docker/1\n").eq(version_1));
        assert_eq!(files("no groups\n7:cpu:/\n").count(), 0);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn this_machine_has_memory() {
        assert!(limit_bytes().is_some_and(|bytes| bytes > 1 << 20));
    }
}
