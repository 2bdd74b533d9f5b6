//! Output of a task for the person who runs it.

use std::io::Write;

/// Prints a line to standard output.
pub fn say(line: &str) {
    // Nothing can be done when standard output is closed.
    drop(writeln!(std::io::stdout(), "{line}"));
}
