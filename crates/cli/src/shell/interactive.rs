//! The shell on a terminal: reads a statement with an editor, runs it, goes on.
//!
//! The shell remembers entries in `hashrange/history` in `XDG_STATE_HOME` or `~/.local/state`,
//! which only its owner can read, up to a number of entries. It does not remember an entry that
//! begins with a blank.

use super::assist::Assist;
use super::pager::Pager;
use super::session::{Next, Session};
use super::statement::{Input, Splitter, is_complete};
use crate::config::ClientSettings;
use crate::output;
use crate::surroundings::{text_variable, variable};
use anyhow::Context;
use rustyline::error::ReadlineError;
use rustyline::history::FileHistory;
use rustyline::{ColorMode, CompletionType, Config, Editor};
use std::path::{Path, PathBuf};

const PROMPT: &str = "sql> ";
/// Prompt of the lines that go on with a statement.
const CONTINUED: &str = "  -> ";
/// Most entries that are remembered.
const HISTORY_MAX: usize = 2000;
/// Longer entries are not remembered.
const ENTRY_MAX_BYTES: usize = 16 << 10;

/// Runs the shell until the user ends it.
pub fn run(session: Session<'_, '_>) -> anyhow::Result<()> {
    let mut session = session;
    let screen = session.printer.get().screen;
    session.pager = Some(Pager::new(screen.height.unwrap_or(usize::MAX))?);
    let session = &session;
    let config = Config::builder()
        .max_history_size(HISTORY_MAX)
        .and_then(|config| config.history_ignore_dups(true))
        .context("prepare the editor")?
        .history_ignore_space(true)
        .completion_type(CompletionType::List)
        .color_mode(if screen.has_colours { ColorMode::Enabled } else { ColorMode::Disabled })
        .build();
    let history = FileHistory::with_config(&config);
    let mut editor = Editor::with_history(config, history).context("use the terminal")?;
    editor.set_helper(Some(session.assist()));
    let file = history_file();
    if let Some(problem) = file.as_deref().and_then(|file| load(&mut editor, file).err()) {
        output::complain(format_args!("the history is not read: {problem:#}"));
    }
    output::line(greeting(session)?)?;
    loop {
        match statement(session, &mut editor) {
            Ok(text) => {
                remember(&mut editor, &text, file.as_deref());
                session.resize()?;
                if run_all(session, &text) == Next::End {
                    return Ok(());
                }
            }
            Err(ReadlineError::Interrupted) => {}
            Err(ReadlineError::Eof) => return Ok(()),
            Err(error) => return Err(error).context("read a statement"),
        }
    }
}

/// Reads lines until a statement is whole.
fn statement(
    session: &Session<'_, '_>,
    editor: &mut Editor<Assist<'_, '_>, FileHistory>,
) -> Result<String, ReadlineError> {
    let begun = &session.begun;
    begun.borrow_mut().clear();
    let mut line = editor.readline(PROMPT)?;
    loop {
        begun.borrow_mut().push_str(&line);
        let text = begun.borrow().clone();
        if text.len() > ENTRY_MAX_BYTES || is_complete(&text) {
            return Ok(text);
        }
        begun.borrow_mut().push('\n');
        line = editor.readline(CONTINUED)?;
    }
}

fn greeting(session: &Session<'_, '_>) -> anyhow::Result<String> {
    let connection = &session.arguments.connection;
    let place = match &connection.data_dir {
        Some(folder) => folder.display().to_string(),
        None => ClientSettings::resolve(connection, variable)?.endpoint.url,
    };
    let version = env!("CARGO_PKG_VERSION");
    Ok(format!("Hashrange {version}, {place}. Statements end with a semicolon; .help shows more."))
}

/// Runs an entry: a command, or statements up to the first that fails.
fn run_all(session: &Session<'_, '_>, text: &str) -> Next {
    let mut splitter = Splitter::default();
    for line in text.lines() {
        let Ok(mut next) = splitter.line(line) else {
            output::complain(format_args!("the statement is too long"));
            return Next::More;
        };
        while let Some(input) = next {
            if let Some(next) = run_one(session, &input) {
                return next;
            }
            next = splitter.next();
        }
    }
    let rest = splitter.rest().map(Input::Statement);
    rest.and_then(|input| run_one(session, &input)).unwrap_or(Next::More)
}

/// Runs one of them; returns `None` if the next one may follow.
fn run_one(session: &Session<'_, '_>, input: &Input) -> Option<Next> {
    match session.run(input) {
        Ok(Next::More) => None,
        Ok(Next::End) => Some(Next::End),
        Err(error) => {
            session.complain(error);
            Some(Next::More)
        }
    }
}

fn history_file() -> Option<PathBuf> {
    let given = text_variable("XDG_STATE_HOME").map(PathBuf::from);
    let home = || Some(PathBuf::from(text_variable("HOME")?).join(".local").join("state"));
    let folder = given.filter(|path| path.is_absolute()).or_else(home)?;
    Some(folder.join("hashrange").join("history"))
}

fn load(editor: &mut Editor<Assist<'_, '_>, FileHistory>, file: &Path) -> anyhow::Result<()> {
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    }
    if file.exists() {
        editor.load_history(file).with_context(|| file.display().to_string())?;
    }
    Ok(())
}

/// Remembers an entry; one that cannot be written to the file is remembered until the shell ends.
fn remember(editor: &mut Editor<Assist<'_, '_>, FileHistory>, text: &str, file: Option<&Path>) {
    let is_worth_it = !text.trim().is_empty() && text.len() <= ENTRY_MAX_BYTES;
    if is_worth_it && editor.add_history_entry(text).unwrap_or(false) {
        // The shell complained about the file when it read the history.
        drop(file.map(|file| editor.append_history(file)));
    }
}
