//! The processor time of a process or thread: the cost of work even when other programs run.

use std::time::Duration;

/// Ticks per second in `/proc`. Source: proc(5); the value is 100 on every Linux of today.
const TICKS_PER_SECOND: u64 = 100;

/// Returns the time that a process has spent on processors so far, in steps of 10 ms; `None` means
/// this process.
pub fn of(process: Option<u32>) -> Result<Duration, String> {
    let process = process.map_or("self".to_owned(), |id| id.to_string());
    let path = format!("/proc/{process}/stat");
    let text = std::fs::read_to_string(&path).map_err(|error| format!("{path}: {error}"))?;
    parse(&text).ok_or_else(|| format!("{path} has no processor time"))
}

/// Returns the time that the calling thread has spent on processors so far.
pub fn of_thread() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::try_from(time).unwrap_or_default()
}

/// Returns the sum of user and system time: fields 14 and 15, of which the second may hold spaces.
fn parse(stat: &str) -> Option<Duration> {
    let (_, rest) = stat.rsplit_once(')')?;
    let mut fields = rest.split_ascii_whitespace().skip(11);
    let user: u64 = fields.next()?.parse().ok()?;
    let system: u64 = fields.next()?.parse().ok()?;
    Some(Duration::from_millis((user + system) * 1000 / TICKS_PER_SECOND))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn user_and_system_time_are_added() {
        let stat = "12 (a (b) c) S 1 2 3 4 5 6 7 8 9 10 250 50 0 0 20";
        assert_eq!(parse(stat), Some(Duration::from_secs(3)));
        assert_eq!(parse("12 (a) S 1"), None);
        assert!(of(None).is_ok());
    }
}
