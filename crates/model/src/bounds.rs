//! Bounds of client text that the server renders, keeps and counts, each with its reason: the one
//! list of how much memory a stranger's text may take once the request is read. The limits of the
//! service stand in [`crate::limits`]; a server's settings bound the number of requests, bodies and
//! connections.
//!
//! | kept | bound | where |
//! |---|---|---|
//! | kinds of requests of a recording, its callers, its tables | 10,000 and 1,000 others, 1,000, 10,000 | `cost/src/ledger.rs` |
//! | keys and names of heat | 64 and 16 of a page of a minute, 160 bytes each | `heat/src/book.rs`, `heat/src/name.rs` |
//! | kinds of requests that a contract refused | 1,000 | `hashrange/src/guard.rs` |
//! | recent requests of all watches | 4 MiB of lines unless a setting says otherwise; 16 watches, for each 10 seconds of 100 patterns and 16 KiB of their texts | `server/src/watching/` |
//! | namespaces | 256 in memory, 32 in a folder, names of 128 bytes | `cli/src/served/namespaces.rs` |
//! | bodies, answers, connections | `Limits` | `server/src/config.rs` |
//! | tests of key templates that read through an item | 300 of a table | `engine/src/schema/template.rs` |
//!
//! Writers cut a text while they write it ([`Bounded`]), never afterwards: the whole of it would be
//! in memory once. `docs/robustness.md`, "What clients sent", has the figures.

use std::fmt::{self, Display, Write};

/// Most bytes of one value or name in an explanation. Whole keys fit: 2,048 bytes take 2,732 as
/// base64.
pub const TOLD_VALUE_MAX_BYTES: usize = 4 * 1024;
/// Most bytes of one text of an explanation: a condition, an update, a range, a sentence of
/// refusal. An expression of 4 KB with its values in the place of placeholders of usual length
/// fits.
pub const TOLD_TEXT_MAX_BYTES: usize = 16 * 1024;
/// Most pieces of advice in one explanation.
pub const TOLD_ADVICE_MAX: usize = 20;
/// Most ranges of a read that an explanation lists one by one.
pub const TOLD_RANGES_MAX: usize = 50;
/// Most bytes of a response header that the client asked for. Clients take heads of 8 KiB, with all
/// other headers in them.
pub const TOLD_HEADER_MAX_BYTES: usize = 6000;
/// Most bytes of a request that the server explains in a header: the client should not wait for two
/// long answers at once.
pub const EXPLAINED_IN_HEADER_MAX_BYTES: usize = 128 * 1024;
/// Most bytes that the names and tests of a request take in its pattern; a request with more has no
/// pattern of its own. An expression of 4 KB fits, its names as long as they usually are.
pub const PATTERN_MAX_BYTES: usize = 16 * 1024;
/// Most conditions of `Expected`, `QueryFilter` or `ScanFilter`, with their values: each takes half
/// a kilobyte while it is compiled, and a request of 16 MB has room for half a million. No item has
/// as many attributes.
pub const LEGACY_CONDITIONS_MAX: usize = 50_000;
/// Most bytes of an access key id that is kept: the service's have 20, its longest allowed 128. A
/// caller whose key is not verified may show any text.
pub const CALLER_MAX_BYTES: usize = 128;
/// Most bytes of an operation's name that is kept: the longest that is known has 44.
pub const OPERATION_NAME_MAX_BYTES: usize = 128;
/// Most bytes of a `User-Agent` that is kept.
pub const AGENT_MAX_BYTES: usize = 512;
/// Most bytes of a request's path that is kept.
pub const PATH_MAX_BYTES: usize = 1024;

/// Most bytes of one value that the message of a violation repeats; one answer lists up to ten
/// violations.
pub const ECHOED_MAX_BYTES: usize = 256 * 1024;
/// Most entries of one map that the message of a violation repeats.
pub const ECHOED_ENTRIES_MAX: usize = 4096;
/// Most characters of a map's key in the path of a violation.
pub const ECHOED_NAME_MAX_CHARS: usize = 1024;
/// Most bytes of a header that a refusal repeats.
pub const ECHOED_HEADER_MAX_BYTES: usize = 255;

/// Largest body that the log of requests looks into, in bytes: a longer one would hold up the
/// connections of the same thread.
pub const LOGGED_BODY_MAX_BYTES: usize = 1 << 20;
/// Most tables of one request that the log names.
pub const LOGGED_TABLES_MAX: usize = 5;
/// Most bytes of the name of a table, or of its ARN, in the log.
pub const LOGGED_NAME_MAX_BYTES: usize = 1024;

/// End of a text that was cut.
pub const CUT: &str = "...";

/// Writer that takes text up to a bound and then returns an error, so that its caller stops
/// writing.
#[derive(Debug)]
pub struct Bounded<W> {
    out: W,
    left_bytes: usize,
    is_cut: bool,
}

impl<W: Write> Bounded<W> {
    /// Returns a writer of at most so many bytes to `out`, with [`CUT`] behind them if there was
    /// more.
    pub fn new(out: W, most_bytes: usize) -> Self {
        Self { out, left_bytes: most_bytes, is_cut: false }
    }

    /// Returns the result of writing a text here: a cut is no error.
    pub fn ended(&self, written: fmt::Result) -> fmt::Result {
        if self.is_cut { Ok(()) } else { written }
    }

    /// Returns the inner writer.
    pub fn into_inner(self) -> W {
        self.out
    }
}

impl<W: Write> Write for Bounded<W> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.is_cut {
            return Err(fmt::Error);
        }
        if text.len() <= self.left_bytes {
            self.left_bytes -= text.len();
            return self.out.write_str(text);
        }
        self.is_cut = true;
        self.out.write_str(beginning(text, self.left_bytes))?;
        self.out.write_str(CUT)?;
        Err(fmt::Error)
    }
}

/// Returns the longest beginning of a text that has at most so many bytes.
pub fn beginning(text: &str, most_bytes: usize) -> &str {
    let mut end = most_bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// Returns the text that something displays, cut to [`TOLD_TEXT_MAX_BYTES`]. Expressions read their
/// precision, which is [`TOLD_VALUE_MAX_BYTES`], as the bound of each value and name.
pub fn told(it: &dyn Display) -> String {
    cut(format_args!("{it:.TOLD_VALUE_MAX_BYTES$}"), TOLD_TEXT_MAX_BYTES)
}

/// Returns a text cut to at most so many bytes, with [`CUT`] behind them if there was more.
pub fn cut(text: fmt::Arguments<'_>, most_bytes: usize) -> String {
    let mut bounded = Bounded::new(String::new(), most_bytes);
    // The bound is the only reason for an error, since a String takes everything.
    let _cut = bounded.write_fmt(text);
    bounded.into_inner()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_ends_at_its_bound_between_characters() {
        assert_eq!(cut(format_args!("{}{}", "ab", "cd"), 4), "abcd");
        assert_eq!(cut(format_args!("{}{}", "ab", "cde"), 4), "abcd...");
        assert_eq!(cut(format_args!("a\u{e9}\u{e9}"), 4), "a\u{e9}...");
        assert_eq!(cut(format_args!(""), 0), "");
    }

    #[test]
    fn what_writes_ends_at_the_bound() {
        struct Endless;
        impl Display for Endless {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                loop {
                    formatter.write_str("more ")?;
                }
            }
        }
        assert_eq!(told(&Endless).len(), TOLD_TEXT_MAX_BYTES + CUT.len());
    }
}
