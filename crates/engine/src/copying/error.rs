//! Errors of a copy: a sentence for each, with advice.

use hashrange_storage::{Error, Key};
use std::fmt;

/// Bytes of a key that a difference shows.
const KEY_BYTES_MAX: usize = 40;

/// A key that differs between source and target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The store key.
    pub key: Key,
    /// Description of the difference.
    pub what: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (shown, rest) = self.key.split_at(self.key.len().min(KEY_BYTES_MAX));
        formatter.write_str("key ")?;
        shown.iter().try_for_each(|byte| write!(formatter, "{byte:02x}"))?;
        if !rest.is_empty() {
            write!(formatter, "... ({} bytes)", self.key.len())?;
        }
        write!(formatter, ": {}", self.what)
    }
}

/// Reason why a copy failed.
#[derive(Debug)]
#[non_exhaustive]
pub enum CopyError {
    /// The source failed.
    Source(Error),
    /// The target failed.
    Target(Error),
    /// Servers use the source: this many were seen.
    SourceInUse(usize),
    /// Servers use the target: this many were seen.
    TargetInUse(usize),
    /// The source is itself an unfinished copy.
    SourceUnfinished,
    /// The source was moved to another store than this target.
    SourceMoved,
    /// Another copy of the source is under way, or was a minute ago.
    CopiedAlready,
    /// Others have ended this copy: servers that saw no progress of it for a minute, or another
    /// copy.
    GivenUp,
    /// Clients write to the source faster than it can be copied: this many keys were left in the
    /// end.
    TooBusy(usize),
    /// The database was not moved away.
    NotMoved,
    /// The source holds a state that this release cannot read.
    Unreadable(String),
    /// The target holds a database.
    NotEmpty,
    /// The target is an unfinished copy, and the caller did not ask to restart it.
    Unfinished,
    /// The target is a folder whose commit stamps are behind those that readers of the source's
    /// streams have seen.
    StampsBehind,
    /// Source and target differ after the copy.
    Different {
        /// The first differences.
        differences: Vec<Difference>,
        /// Number of further differences, as far as they were counted.
        further: u64,
    },
}

fn servers(count: usize) -> String {
    if count == 1 { "a server is".to_owned() } else { format!("{count} servers are") }
}

impl fmt::Display for CopyError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Source(error) => write!(formatter, "the source: {error}"),
            Self::Target(error) => write!(formatter, "the target: {error}"),
            Self::SourceInUse(count) => write!(
                formatter,
                "{} at work on the source: stop all of them first, so that nothing is written meanwhile",
                servers(*count)
            ),
            Self::TargetInUse(count) => write!(
                formatter,
                "{} at work on the target: a copy needs one that nobody uses",
                servers(*count)
            ),
            Self::SourceUnfinished => {
                formatter.write_str("the source is itself a copy that was not finished")
            }
            Self::SourceMoved => formatter.write_str(
                "the source was moved to another store before, which has all that was written since: copy \
                 that one, or let this one be used again with --reopen",
            ),
            Self::CopiedAlready => formatter.write_str(
                "another copy of the source is under way: wait for its end, or let this one take its place \
                 with --restart",
            ),
            Self::GivenUp => formatter.write_str(
                "the copy was ended by others: servers of the source heard nothing of it for a minute, or \
                 another copy has taken its place. The target stays unfinished; begin again with --restart",
            ),
            Self::TooBusy(keys) => write!(
                formatter,
                "the source is written to faster than it can be copied: {keys} keys were left in the end. \
                 Begin again with --restart when less is written",
            ),
            Self::NotMoved => formatter.write_str("the database was not moved away"),
            Self::Unreadable(what) => write!(formatter, "the source: {what}"),
            Self::NotEmpty => formatter.write_str(
                "the target holds a database already: name a folder that does not exist, or another \
                 schema or database, or remove what is there",
            ),
            Self::Unfinished => formatter.write_str(
                "the target is a copy that was not finished: --restart empties it and begins again",
            ),
            Self::StampsBehind => formatter.write_str(
                "the target's folder was created before the source had written so much, so the records \
                 of its streams would not follow the source's: remove the folder and begin again",
            ),
            Self::Different { differences, further } => {
                formatter.write_str("source and target differ:")?;
                for difference in differences {
                    write!(formatter, "\n  {difference}")?;
                }
                if *further > 0 {
                    write!(formatter, "\n  and {further} more")?;
                }
                formatter.write_str(
                    "\nThe target stays unfinished. Was the source written to? Begin again with --restart",
                )
            }
        }
    }
}

impl std::error::Error for CopyError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Source(error) | Self::Target(error) => Some(error),
            Self::SourceInUse(_)
            | Self::TargetInUse(_)
            | Self::SourceUnfinished
            | Self::SourceMoved
            | Self::CopiedAlready
            | Self::GivenUp
            | Self::TooBusy(_)
            | Self::NotMoved
            | Self::Unreadable(_)
            | Self::NotEmpty
            | Self::Unfinished
            | Self::StampsBehind
            | Self::Different { .. } => None,
        }
    }
}
