//! Log lines with unsafe characters escaped.

use super::terminal::escaped;
use std::borrow::Cow;
use std::io::{self, Write};

/// Standard error, to which each call of `write` has a whole line.
pub struct Lines {
    colours: bool,
}

impl Lines {
    /// Returns the destination of a log, with colours or without.
    pub fn new(colours: bool) -> Self {
        Self { colours }
    }
}

impl Write for Lines {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let line_text = String::from_utf8_lossy(line);
        io::stderr().write_all(shown(&line_text, self.colours).as_bytes())?;
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}

/// Returns a line with unsafe characters escaped. The subscriber colours it, and has escaped the
/// controls in messages.
fn shown(line: &str, colours: bool) -> Cow<'_, str> {
    if !colours {
        return escaped(line);
    }
    line.split('\x1b').map(escaped).collect::<Vec<_>>().join("\x1b").into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_turns_the_writing_round_is_escaped_and_colours_stay() {
        assert_eq!(shown("a\u{202e}b\n", false), "a\\u202eb\n");
        assert_eq!(
            shown("\x1b[32mINFO\x1b[0m a\u{202e}b\n", true),
            "\x1b[32mINFO\x1b[0m a\\u202eb\n"
        );
        assert_eq!(shown("\x1b[32m", false), "\\u001b[32m");
    }
}
