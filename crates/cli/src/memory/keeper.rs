//! Gives memory back: freed memory when the server has a quiet moment, kept data when the machine or
//! the container runs short, or when nobody has asked for anything for half a minute.
//!
//! The decisions are functions of measured values; only [`Keeper::look`] reads files. Blocks of
//! sorted files are not given back: their cache is fjall's, which cannot shrink.

use super::limit_bytes;
use crate::served::Served;
use std::fs;
use std::sync::Arc;
use std::time::Duration;

/// Time between two looks of the keeper.
pub const PERIOD: Duration = Duration::from_secs(2);

/// Less than this part of the memory available is a shortage.
const SHORT_PART: u64 = 16;
/// More than this part available ends it.
const AMPLE_PART: u64 = 8;
/// Part of the cache that comes back with each look after a shortage.
const REGAINED_PART: u64 = 16;
/// Growth of the process, since memory was given back last, at which the keeper looks for freed memory.
const GROWN_BYTES: u64 = 16 << 20;
/// Part of a processor, as a divisor: a process that used less since the last look has a quiet moment.
const QUIET_PART: u64 = 10;
/// Most clock ticks that an idle process uses from look to look.
const IDLE_TICKS: u64 = 1;
/// Idle looks in a row after which nobody uses the server.
const IDLE_LOOKS: u32 = 15;
/// Clock ticks in a second of processor time, on every Linux.
const TICKS_PER_SECOND: u64 = 100;

/// State that the keeper keeps between looks.
#[derive(Debug)]
pub struct Keeper {
    served: Arc<Served>,
    /// Bytes that the cache may take when memory is ample, and now.
    full_bytes: u64,
    bound_bytes: u64,
    /// Empty the cache when nobody uses the server: its data come from this machine's disk again.
    forgets: bool,
    idle_looks: u32,
    processor_ticks: u64,
    /// Resident bytes when the keeper gave freed memory back last.
    resident_bytes: u64,
}

impl Keeper {
    /// Returns the keeper of a database, whose cache may take so many bytes; if `forgets`, the
    /// keeper empties the cache when nobody uses the server.
    pub fn new(served: Arc<Served>, cache_bytes: u64, forgets: bool) -> Self {
        Self {
            served,
            full_bytes: cache_bytes,
            bound_bytes: cache_bytes,
            forgets,
            idle_looks: 0,
            processor_ticks: 0,
            resident_bytes: 0,
        }
    }

    /// Measures memory and use, and gives back what it can. Where the system does not tell, nothing
    /// happens.
    pub fn look(&mut self) {
        let (Some(limit), Some(available)) = (limit_bytes(), available_bytes()) else { return };
        let bound = next_bound(self.bound_bytes, self.full_bytes, available, limit);
        let is_short = bound < self.bound_bytes;
        if bound != self.bound_bytes {
            self.bound_bytes = bound;
            self.served.bound_cache(bound);
        }
        if is_short {
            tracing::info!(available, cache_bytes = bound, "memory is short: the cache shrinks");
        }
        let Some(ticks) = processor_ticks() else { return };
        let used_ticks = ticks - self.processor_ticks;
        self.processor_ticks = ticks;
        let is_quiet = used_ticks < PERIOD.as_secs() * TICKS_PER_SECOND / QUIET_PART;
        self.idle_looks = next_idle_looks(self.idle_looks, used_ticks);
        let is_forgotten = self.forgets && self.idle_looks == IDLE_LOOKS;
        if is_forgotten {
            self.served.bound_cache(0);
            self.served.bound_cache(self.bound_bytes);
        }
        let Some(resident) = resident_bytes() else { return };
        if is_short || is_forgotten || is_quiet && resident > self.resident_bytes + GROWN_BYTES {
            hashrange_allocator::give_back_memory();
            self.resident_bytes = resident_bytes().unwrap_or(resident);
        }
        self.resident_bytes = self.resident_bytes.min(resident);
    }
}

/// Returns the bytes that the cache may take from now on.
fn next_bound(bound: u64, full: u64, available: u64, limit: u64) -> u64 {
    if available < limit / SHORT_PART {
        bound / 2
    } else if available > limit / AMPLE_PART {
        full.min(bound + full.div_ceil(REGAINED_PART))
    } else {
        bound
    }
}

/// Returns the number of looks in a row that found the process idle, after one more.
fn next_idle_looks(looks: u32, used_ticks: u64) -> u32 {
    if used_ticks <= IDLE_TICKS { looks.saturating_add(1) } else { 0 }
}

/// Returns the bytes that could still be allocated, by this process, in this container and on the machine.
fn available_bytes() -> Option<u64> {
    let meminfo = fs::read_to_string("/proc/meminfo").ok()?;
    let machine = super::field_bytes(&meminfo, "MemAvailable:")?;
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let in_groups = super::limit_files(&groups).into_iter().filter_map(|file| {
        let limit = fs::read_to_string(&file).ok()?.trim().parse::<u64>().ok()?;
        let beside = |name: &str| fs::read_to_string(file.with_file_name(name)).ok();
        let used = beside("memory.current").or_else(|| beside("memory.usage_in_bytes"))?;
        let files = beside("memory.stat").map_or(0, |stat| cached_bytes(&stat));
        Some(limit.saturating_sub(used.trim().parse::<u64>().ok()?.saturating_sub(files)))
    });
    let of_addresses = super::address_space_bytes().and_then(|limit| {
        let used = super::field_bytes(&fs::read_to_string("/proc/self/status").ok()?, "VmSize:")?;
        Some(limit.saturating_sub(used))
    });
    Some(in_groups.chain(of_addresses).fold(machine, u64::min))
}

/// Reads from `memory.stat` the bytes of files that the system keeps only as long as it has room.
fn cached_bytes(stat: &str) -> u64 {
    let value = |line: &str, name| line.strip_prefix(name)?.trim().parse::<u64>().ok();
    let names = ["inactive_file ", "active_file "];
    stat.lines().filter_map(|line| names.iter().find_map(|name| value(line, name))).sum()
}

/// Returns the resident bytes of this process.
fn resident_bytes() -> Option<u64> {
    super::field_bytes(&fs::read_to_string("/proc/self/status").ok()?, "VmRSS:")
}

/// Returns the processor time of this process in clock ticks.
fn processor_ticks() -> Option<u64> {
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    // The name, in parentheses, may hold anything; behind it the 12th and 13th field are wanted.
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
    let mut next = || fields.next()?.parse::<u64>().ok();
    Some(next()? + next()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cache_shrinks_while_memory_is_short_and_comes_back() {
        const GIB: u64 = 1 << 30;
        let mut bound = 4 * GIB;
        for _ in 0..3 {
            bound = next_bound(bound, 4 * GIB, GIB / 2, 16 * GIB);
        }
        assert_eq!(bound, GIB / 2);
        assert_eq!(next_bound(bound, 4 * GIB, 3 * GIB / 2, 16 * GIB), bound, "neither nor");
        for _ in 0..20 {
            bound = next_bound(bound, 4 * GIB, 8 * GIB, 16 * GIB);
        }
        assert_eq!(bound, 4 * GIB);
    }

    #[test]
    fn one_look_in_a_row_of_idle_ones_is_the_one_that_forgets() {
        let after =
            |ticks: &[u64]| ticks.iter().fold(0, |looks, used| next_idle_looks(looks, *used));
        let idle = [IDLE_TICKS; 40];
        let forgetting =
            |row: &[u64]| (0..=row.len()).filter(|nth| after(&row[..*nth]) == IDLE_LOOKS).count();
        assert_eq!(forgetting(&idle), 1);
        assert_eq!(forgetting(&idle[..14]), 0);
        assert_eq!(forgetting(&[&idle[..10], &[IDLE_TICKS + 1], &idle[..10]].concat()), 0);
        assert_eq!(forgetting(&[&idle[..], &[50], &idle[..]].concat()), 2);
    }

    #[test]
    fn what_a_group_keeps_of_files_is_read() {
        let stat = "anon 7\nfile 100\ninactive_file 30\nactive_file 12\nslab 9\n";
        assert_eq!(cached_bytes(stat), 42);
        assert_eq!(cached_bytes(""), 0);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn this_process_has_memory_and_time() {
        assert!(resident_bytes().is_some_and(|bytes| bytes > 1 << 20));
        assert!(available_bytes().is_some_and(|bytes| bytes > 0));
        assert!(processor_ticks().is_some());
    }
}
