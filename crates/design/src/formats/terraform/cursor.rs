//! The characters of a text, with their lines.

use std::fmt;

/// Largest text, in bytes.
pub const TEXT_MAX_BYTES: usize = 4 << 20;

/// Fault of a text in Terraform's language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TerraformFault {
    /// Line, from 1.
    pub line: usize,
    /// The fault.
    pub why: String,
}

impl fmt::Display for TerraformFault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "line {}: {}", self.line, self.why)
    }
}

impl std::error::Error for TerraformFault {}

/// A place in a text.
pub(super) struct Cursor<'t> {
    text: &'t str,
    at: usize,
    line: usize,
}

impl<'t> Cursor<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, at: 0, line: 1 }
    }

    pub(super) fn line(&self) -> usize {
        self.line
    }

    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// Returns the text from an earlier place to this one.
    pub(super) fn since(&self, start: usize) -> &'t str {
        self.text.get(start..self.at).unwrap_or_default()
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn starts_with(&self, text: &str) -> bool {
        self.rest().starts_with(text)
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    pub(super) fn next(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += next.len_utf8();
        self.line += usize::from(next == '\n');
        Some(next)
    }

    pub(super) fn eat(&mut self, wanted: char) -> bool {
        let is_next = self.peek() == Some(wanted);
        if is_next {
            self.next();
        }
        is_next
    }

    pub(super) fn fault<T>(&self, why: impl Into<String>) -> Result<T, TerraformFault> {
        Err(TerraformFault { line: self.line, why: why.into() })
    }

    /// Passes blanks and comments; line breaks, too, if `with_lines`.
    pub(super) fn pass_blanks(&mut self, with_lines: bool) -> Result<(), TerraformFault> {
        loop {
            if self.starts_with("#") || self.starts_with("//") {
                while self.peek().is_some_and(|it| it != '\n') {
                    self.next();
                }
            } else if self.starts_with("/*") {
                let line = self.line;
                while !self.starts_with("*/") {
                    if self.next().is_none() {
                        let why = "a comment is not closed".to_owned();
                        return Err(TerraformFault { line, why });
                    }
                }
                self.next();
                self.next();
            } else if self.peek().is_some_and(|it| it.is_whitespace() && (with_lines || it != '\n'))
            {
                self.next();
            } else {
                return Ok(());
            }
        }
    }

    /// Passes a name, and returns it; empty if there is none.
    pub(super) fn name(&mut self) -> &'t str {
        let start = self.at;
        while self.peek().is_some_and(|it| it.is_alphanumeric() || matches!(it, '_' | '-')) {
            self.next();
        }
        self.since(start)
    }

    /// Passes a heredoc, whose beginning stands here.
    pub(super) fn pass_heredoc(&mut self) -> Result<(), TerraformFault> {
        let line = self.line;
        while self.eat('<') || self.eat('-') {}
        let mark = self.name();
        while self.peek().is_some_and(|it| it != '\n') {
            self.next();
        }
        while self.next().is_some() {
            let start = self.at;
            while self.peek().is_some_and(|it| it != '\n') {
                self.next();
            }
            if self.since(start).trim() == mark {
                return Ok(());
            }
        }
        Err(TerraformFault { line, why: "a heredoc is not closed".to_owned() })
    }
}
