//! Figures of this process for `/metrics`, under the names that Prometheus' own libraries use.
//! Without `/proc` the only figure is the build.
//!
//! Source: proc(5) of Linux.

use crate::surroundings::text_variable;
use hashrange_server::{Kind, Measure, Value};
use std::fs;
use std::path::Path;

/// Ticks of the times in `/proc` in a second. Source: `USER_HZ` of Linux, which never changes.
const TICKS: u64 = 100;
/// Fields of `/proc/self/stat` after the command's name, counted from the state: user and system
/// time, start.
const USER_TIME: usize = 11;
const SYSTEM_TIME: usize = 12;
const START: usize = 19;

/// Returns the figures.
pub fn measures() -> Vec<Measure> {
    let build = concat!("version=\"", env!("CARGO_PKG_VERSION"), "\"");
    let mut measures = vec![Measure {
        name: "hashrange_build_info",
        kind: Kind::Gauge,
        help: "1, with the version.",
        values: vec![(build.into(), Value::Number(1))],
    }];
    let mut add = |name, kind, help, value: Option<Value>| {
        let measure = |value| Measure { name, kind, help, values: vec![("".into(), value)] };
        measures.extend(value.map(measure));
    };
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let all = fs::read_to_string("/proc/stat").unwrap_or_default();
    let open = fs::read_dir("/proc/self/fd").map(|entries| Value::Number(entries.count() as u64));
    add("process_cpu_seconds_total", Kind::Counter, "Processor time.", cpu(&stat));
    add("process_resident_memory_bytes", Kind::Gauge, "Resident memory.", resident(&status));
    add("process_open_fds", Kind::Gauge, "Open file descriptors.", open.ok());
    let help = "Start, in seconds since 1970.";
    add("process_start_time_seconds", Kind::Gauge, help, start(&stat, &all));
    measures
}

/// Returns the resident memory in bytes, if it is known.
pub fn resident_bytes() -> Option<u64> {
    match resident(&fs::read_to_string("/proc/self/status").ok()?)? {
        Value::Number(bytes) => Some(bytes),
        Value::Micros(_) => None,
    }
}

/// Returns the bytes that are free where a folder is, if the system tells.
#[cfg(unix)]
pub fn free_bytes(folder: &Path) -> Option<u64> {
    let status = rustix::fs::statvfs(folder).ok()?;
    status.f_bavail.checked_mul(status.f_frsize)
}

/// Returns the bytes that are free where a folder is, if the system tells.
#[cfg(not(unix))]
pub fn free_bytes(_folder: &Path) -> Option<u64> {
    None
}

/// Returns the name of this machine, if the system tells.
pub fn machine() -> Option<String> {
    let name = fs::read_to_string("/proc/sys/kernel/hostname").ok();
    let name = name.map(|name| name.trim().to_owned()).filter(|name| !name.is_empty());
    name.or_else(|| text_variable("HOSTNAME"))
}

/// Returns a field of `/proc/self/stat`; the command's name before them may hold blanks and brackets.
fn field(stat: &str, nth: usize) -> Option<u64> {
    stat.rsplit_once(')')?.1.split_whitespace().nth(nth)?.parse().ok()
}

fn cpu(stat: &str) -> Option<Value> {
    let ticks = field(stat, USER_TIME)? + field(stat, SYSTEM_TIME)?;
    Some(Value::Micros(ticks * (1_000_000 / TICKS)))
}

fn resident(status: &str) -> Option<Value> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(Value::Number(kib * 1024))
}

fn start(stat: &str, all: &str) -> Option<Value> {
    let booted = all.lines().find_map(|line| line.strip_prefix("btime "))?;
    let booted: u64 = booted.trim().parse().ok()?;
    Some(Value::Number(booted + field(stat, START)? / TICKS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_read_as_linux_writes_them() {
        let stat = "7 (a ) b) S 1 7 7 0 -1 4194560 100 0 0 0 250 50 0 0 20 0 3 0 12345 9 9";
        assert_eq!(cpu(stat), Some(Value::Micros(3_000_000)));
        assert_eq!(start(stat, "cpu 1 2\nbtime 1700000000\n"), Some(Value::Number(1_700_000_123)));
        assert_eq!(resident("Name:\tx\nVmRSS:\t   2048 kB\n"), Some(Value::Number(2 << 20)));
        assert_eq!((cpu(""), resident("VmRSS: x"), start(stat, "")), (None, None, None));
    }
}
