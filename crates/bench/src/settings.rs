//! Rows to measure and for how long, from the command line.

use hashrange::Options;
use std::path::PathBuf;
use std::time::Duration;

/// Usage of the program.
pub const USAGE: &str = "\
usage: cargo xtask bench [OPTIONS] [ROW...]     measure rows whose names contain a ROW
       cargo xtask bench instructions [--bless] count instructions of the hot paths

options:
  --quick          short rounds on a small table: shows that everything runs
  --full           also the rows that need a table of 1 GiB, and a build from a clean clone
  --soak MINUTES   only reads, then only writes for so long, with the p99 of every ten seconds; 20s
                   means seconds
  --publish        put the table into docs/performance.md
  --rounds N       rounds of each side of a row
  --seconds N      seconds of a round
  --items N        items in the table
  --cache MIB      cache of the server, the library and the raw engine instead of 256 MiB
  --threads N      threads of the load generator
  --program PATH   the server to measure, instead of a build of this workspace with profile dist
";

/// Rows to measure and for how long.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Rounds of each side of a row.
    pub rounds: usize,
    /// The length of a round.
    pub round: Duration,
    /// Items in the table.
    pub items: u64,
    /// Items in the large table, if rows that need it are measured.
    pub large_items: Option<u64>,
    /// Bytes for cached data, except where a row takes the server's default.
    pub cache_bytes: u64,
    /// Threads of the load generator.
    pub threads: usize,
    /// Put the table into the documentation.
    pub publish: bool,
    /// Length of a soak; nothing else is measured then.
    pub soak: Option<Duration>,
    /// The server to measure.
    pub program: Option<PathBuf>,
    /// Parts of the names of the rows to measure; none means all.
    pub filters: Vec<String>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            rounds: 5,
            round: Duration::from_secs(3),
            items: 100_000,
            large_items: None,
            cache_bytes: Options::default().cache_bytes,
            threads: 2,
            publish: false,
            soak: None,
            program: None,
            filters: Vec::new(),
        }
    }
}

impl Settings {
    /// Returns the settings of a command line.
    pub fn parse(arguments: &[&str]) -> Result<Self, String> {
        let mut settings = Self::default();
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().copied().ok_or(USAGE);
            match *argument {
                "--quick" => {
                    settings.rounds = 1;
                    settings.round = Duration::from_millis(300);
                    settings.items = 2_000;
                }
                "--full" => settings.large_items = Some(1_000_000),
                "--publish" => settings.publish = true,
                "--soak" => settings.soak = Some(minutes(value()?)?),
                "--rounds" => settings.rounds = count(value()?)?,
                "--seconds" => settings.round = Duration::from_secs(number(value()?)?),
                "--items" => settings.items = number(value()?)?,
                "--cache" => settings.cache_bytes = number(value()?)? << 20,
                "--threads" => settings.threads = count(value()?)?,
                "--program" => settings.program = Some(value()?.into()),
                option if option.starts_with('-') => return Err(USAGE.to_owned()),
                filter => settings.filters.push(filter.to_owned()),
            }
        }
        Ok(settings)
    }

    /// Returns whether a row is to be measured.
    pub fn wants(&self, row: &str) -> bool {
        self.filters.is_empty() || self.filters.iter().any(|filter| row.contains(&**filter))
    }
}

/// Reads minutes, or seconds with an `s` behind.
fn minutes(text: &str) -> Result<Duration, String> {
    match text.strip_suffix('s') {
        Some(seconds) => Ok(Duration::from_secs(number(seconds)?)),
        None => Ok(Duration::from_secs(60 * number(text)?)),
    }
}

fn count(text: &str) -> Result<usize, String> {
    usize::try_from(number(text)?).map_err(|_| format!("'{text}' is too large"))
}

fn number(text: &str) -> Result<u64, String> {
    match text.parse() {
        Ok(number) if number > 0 => Ok(number),
        _ => Err(format!("'{text}' is not a number from 1 on")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_line_is_read_from_left_to_right() {
        let settings =
            Settings::parse(&["--quick", "--items", "500", "http", "--threads", "1"]).unwrap();
        assert_eq!((settings.rounds, settings.items, settings.threads), (1, 500, 1));
        assert!(settings.wants("http/query") && !settings.wants("process/query"));
        for faulty in [&["--fast"][..], &["--items"], &["--items", "0"], &["--rounds", "x"]] {
            assert!(Settings::parse(faulty).is_err(), "{faulty:?}");
        }
    }
}
