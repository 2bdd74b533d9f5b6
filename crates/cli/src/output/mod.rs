//! The only place that writes to standard output and standard error. A reader that went away
//! (`hashrange scan t | head`) ends the command quietly.

pub mod plain;
pub mod printer;
pub mod screen;
pub mod table;
pub mod tree;

use std::fmt;
use std::io::{self, Write};

/// Writes a line to standard output.
pub fn line(text: impl fmt::Display) -> anyhow::Result<()> {
    writeln!(io::stdout().lock(), "{text}")?;
    Ok(())
}

/// Writes bytes and the end of a line to standard output.
pub fn bytes(bytes: &[u8]) -> anyhow::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(bytes)?;
    stdout.write_all(b"\n")?;
    Ok(())
}

/// Writes a text that has its own ends of lines to standard output.
pub fn text(text: &[u8]) -> anyhow::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(text)?;
    stdout.flush()?;
    Ok(())
}

/// Writes a line about what went wrong to standard error.
pub fn complain(text: fmt::Arguments<'_>) {
    // Nothing is left to do if not even this can be written.
    drop(writeln!(io::stderr().lock(), "{text}"));
}

/// Asks a question on standard error; the answer stands behind it.
pub fn question(text: &str) -> anyhow::Result<()> {
    let mut stderr = io::stderr().lock();
    stderr.write_all(text.as_bytes())?;
    stderr.flush()?;
    Ok(())
}

/// Writes what goes on over the last such line on standard error; an empty text clears it.
pub fn progress(text: &str) {
    let mut stderr = io::stderr().lock();
    // Work goes on without anybody watching.
    drop(write!(stderr, "\r\x1b[K{text}").and_then(|()| stderr.flush()));
}

/// Returns true if the command failed because nobody reads its output any more.
pub fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
