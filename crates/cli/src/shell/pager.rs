//! Long results page by page: a screen full, then a question.

use crate::output;
use anyhow::Context;
use rustyline::error::ReadlineError;
use rustyline::history::MemHistory;
use rustyline::{Config, Editor};
use std::cell::{Cell, RefCell};

/// Lines that stay free on the screen for the question.
const LINES_FOR_THE_QUESTION: usize = 1;

/// Shows results page by page.
pub struct Pager {
    editor: RefCell<Editor<(), MemHistory>>,
    /// Show long results page by page.
    pub is_on: Cell<bool>,
    height: Cell<usize>,
}

/// Answer of the user to a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Choice {
    Next,
    All,
    Stop,
}

impl Pager {
    /// Returns a pager for a screen.
    pub fn new(height: usize) -> anyhow::Result<Self> {
        let editor = Editor::with_history(Config::default(), MemHistory::new());
        let editor = RefCell::new(editor.context("use the terminal")?);
        Ok(Self { editor, is_on: Cell::new(true), height: Cell::new(height) })
    }

    /// Adapts to the height of the screen.
    pub fn resize(&self, height: usize) {
        self.height.set(height);
    }

    /// Shows lines, a screen at a time. With `more`, which says how much was read so far, also asks
    /// if the next page is wanted. Returns false if the user has seen enough.
    pub fn show(&self, lines: &[String], more: Option<&str>) -> anyhow::Result<bool> {
        let height = self.height.get().saturating_sub(LINES_FOR_THE_QUESTION).max(1);
        let mut shown_whole = !self.is_on.get();
        let mut at = 0;
        while at < lines.len() {
            let end = if shown_whole { lines.len() } else { (at + height).min(lines.len()) };
            lines[at..end].iter().try_for_each(output::line)?;
            at = end;
            if at < lines.len() {
                let question =
                    format!("-- {} lines more: Enter, a (all), q (quit) -- ", lines.len() - at);
                match self.ask(&question)? {
                    Choice::Next => {}
                    Choice::All => shown_whole = true,
                    Choice::Stop => return Ok(false),
                }
            }
        }
        let Some(so_far) = more else { return Ok(true) };
        if !self.is_on.get() {
            return Ok(false);
        }
        let question = format!("-- {so_far}; more follow: Enter reads on, anything else stops -- ");
        Ok(self.ask(&question)? == Choice::Next)
    }

    fn ask(&self, question: &str) -> anyhow::Result<Choice> {
        let answer = match self.editor.borrow_mut().readline(question) {
            Ok(answer) => answer,
            Err(ReadlineError::Interrupted | ReadlineError::Eof) => "q".to_owned(),
            Err(error) => return Err(error).context("read the answer"),
        };
        Ok(match answer.trim().to_ascii_lowercase().as_str() {
            "" | "y" | "yes" => Choice::Next,
            "a" | "all" => Choice::All,
            _ => Choice::Stop,
        })
    }
}
