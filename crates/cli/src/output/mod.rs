//! The only place that writes to standard output and standard error; `cargo xtask tidy` checks it.
//! A reader that went away (`hashrange scan t | head`) ends the command quietly.
//!
//! All output passes [`terminal::escaped`], because servers and files that anybody may have written
//! give texts. Only an export to a file or a pipe is written as it is.

pub mod log;
pub mod plain;
pub mod printer;
pub mod ruler;
pub mod screen;
pub mod table;
pub mod terminal;
pub mod tree;

use anyhow::Context;
use std::fmt;
use std::io::{self, BufRead, IsTerminal, Read, Write};
use terminal::escaped;

/// Writes a line to standard output.
pub fn line(text: impl fmt::Display) -> anyhow::Result<()> {
    writeln!(io::stdout().lock(), "{}", escaped(&text.to_string()))?;
    Ok(())
}

/// Writes bytes, which are text, and the end of a line to standard output.
pub fn bytes(bytes: &[u8]) -> anyhow::Result<()> {
    line(String::from_utf8_lossy(bytes))
}

/// Writes a text that has its own ends of lines to standard output.
pub fn text(text: &[u8]) -> anyhow::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(escaped(&String::from_utf8_lossy(text)).as_bytes())?;
    stdout.flush()?;
    Ok(())
}

/// Writes a line about a failure to standard error.
pub fn complain(text: fmt::Arguments<'_>) {
    // Nothing is left to do if not even this can be written.
    drop(writeln!(io::stderr().lock(), "{}", escaped(&text.to_string())));
}

/// Asks the person at the terminal on standard error, and returns whether the answer is yes.
pub fn is_confirmed(question: &str) -> anyhow::Result<bool> {
    const ANSWER_MAX_BYTES: u64 = 1024;
    let mut stderr = io::stderr().lock();
    stderr.write_all(escaped(&format!("{question} [y/N] ")).as_bytes())?;
    stderr.flush()?;
    let mut answer = String::new();
    let mut input = io::stdin().lock().take(ANSWER_MAX_BYTES);
    input.read_line(&mut answer).context("read the answer")?;
    Ok(["y", "yes"].contains(&answer.trim().to_lowercase().as_str()))
}

/// Writes the progress of work over the last such line on standard error; an empty text clears it.
pub fn progress(text: &str) {
    let mut stderr = io::stderr().lock();
    // The work goes on without anybody watching.
    drop(write!(stderr, "\r\x1b[K{}", escaped(text)).and_then(|()| stderr.flush()));
}

/// Returns true if standard output is a terminal.
pub fn is_terminal() -> bool {
    io::stdout().is_terminal()
}

/// Returns true if standard error is a terminal.
pub fn is_watched() -> bool {
    io::stderr().is_terminal()
}

/// Standard output for an export, byte by byte; on a terminal with unsafe characters escaped.
#[derive(Debug)]
pub struct Export {
    is_terminal: bool,
    /// The beginning of a character whose end has not come.
    begun: Vec<u8>,
}

impl Export {
    /// Returns the present standard output.
    pub fn new() -> Self {
        Self { is_terminal: is_terminal(), begun: Vec::new() }
    }
}

impl Write for Export {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !self.is_terminal {
            return io::stdout().lock().write(bytes);
        }
        self.begun.extend_from_slice(bytes);
        let whole = whole_characters(&self.begun);
        let shown = String::from_utf8_lossy(&self.begun[..whole]);
        io::stdout().lock().write_all(escaped(&shown).as_bytes())?;
        self.begun.drain(..whole);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stdout().lock().flush()
    }
}

/// Returns the number of bytes before a character that lacks its end.
fn whole_characters(bytes: &[u8]) -> usize {
    match std::str::from_utf8(bytes) {
        Err(fault) if fault.error_len().is_none() => fault.valid_up_to(),
        Ok(_) | Err(_) => bytes.len(),
    }
}

/// Returns true if the command failed because nobody reads its output any more.
pub fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_character_is_written_when_its_end_is_there() {
        let text = "a\u{1f600}".as_bytes();
        assert_eq!([1, 2, 4, 5].map(|end| whole_characters(&text[..end])), [1, 1, 1, 5]);
        assert_eq!(whole_characters(b"a\xff"), 2, "what is no text never ends");
    }
}
