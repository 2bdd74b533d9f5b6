//! `hashrange sql`: a shell on a terminal; elsewhere one statement, or those on standard input.
//!
//! | part | idea |
//! |---|---|
//! | [`token`], [`statement`] | end of a statement, and its table |
//! | [`ddl`] | CREATE, ALTER and DROP TABLE, which become requests of the API |
//! | `session` | runs entries and scripts; `execute`, `define`, `commands` are its kinds of work |
//! | `interactive`, `assist`, `pager` | the terminal: editing, completion, colours, pages |
//! | `catalogue` | facts about the tables |
//!
//! Statements go to the database as they are, and its answers come back as they are: the shell reads
//! just enough of them to help.

mod assist;
mod catalogue;
mod commands;
pub mod ddl;
mod define;
mod execute;
mod interactive;
mod pager;
mod run;
mod session;
pub mod statement;
pub mod token;

use crate::arguments::Sql;
use crate::client::{Client, Stop};
use crate::exit::Usage;
use anyhow::Context;
use serde_json::{Map, Value};
use session::{Next, Session};
use statement::{Input, Splitter, TooLong};
use std::cell::RefCell;
use std::io::{self, BufRead, IsTerminal, Read};

/// The longest line that is read from a script.
const LINE_MAX_BYTES: u64 = 1 << 16;

/// Runs the statement given, those on standard input, or a shell.
pub fn run(client: &mut Client, arguments: &Sql) -> anyhow::Result<()> {
    let is_terminal = io::stdin().is_terminal() && crate::output::is_terminal();
    if arguments.statement.is_none() && is_terminal {
        let stop = Stop::listen()?;
        client.heed(&stop);
        let client = RefCell::new(client);
        return interactive::run(Session::new(&client, arguments, stop)?);
    }
    let client = RefCell::new(client);
    let session = Session::new(&client, arguments, Stop::never())?;
    match &arguments.statement {
        Some(text) => given(&session, text),
        None => script(&session, io::stdin().lock()),
    }
}

/// Returns the request of the one statement that the arguments give.
pub fn statement_request(arguments: &Sql) -> anyhow::Result<Map<String, Value>> {
    let statement = arguments.statement.as_deref();
    let text = statement.ok_or_else(|| Usage("a statement to explain is needed".to_owned()))?;
    let text = text.trim().trim_end_matches(';');
    Ok(execute::statement_request(text, &session::parameters(arguments)?, arguments))
}

/// Runs the argument: a command, or statements with semicolons between them.
fn given(session: &Session<'_, '_>, text: &str) -> anyhow::Result<()> {
    let mut splitter = Splitter::default();
    let too_long = |TooLong| Usage("a statement is too long".to_owned());
    let mut statements = Vec::new();
    for line in text.lines() {
        let mut next = splitter.line(line).map_err(too_long)?;
        while let Some(input) = next {
            statements.push(input);
            next = splitter.next();
        }
    }
    statements.extend(splitter.rest().map(Input::Statement));
    for input in statements {
        if session.run(&input)? == Next::End {
            break;
        }
    }
    Ok(())
}

/// Runs statements up to the first that fails, and names the line in which that one began.
fn script(session: &Session<'_, '_>, mut input: impl BufRead) -> anyhow::Result<()> {
    let mut splitter = Splitter::default();
    loop {
        let mut line = Vec::new();
        let read = input.by_ref().take(LINE_MAX_BYTES + 1).read_until(b'\n', &mut line);
        if read.context("read standard input")? == 0 {
            break;
        }
        let at = |number: usize| format!("line {number}");
        let number = splitter.lines() + 1;
        if line.len() as u64 > LINE_MAX_BYTES {
            return Err(Usage(format!("line {number}: a line is too long")).into());
        }
        let line = String::from_utf8(line)
            .map_err(|_| Usage(format!("line {number}: statements are UTF-8 text")))?;
        let mut next = splitter
            .line(line.trim_end_matches(['\n', '\r']))
            .map_err(|TooLong| Usage(format!("line {number}: a statement is too long")))?;
        while let Some(input) = next {
            if session.run(&input).with_context(|| at(splitter.first_line()))? == Next::End {
                return Ok(());
            }
            next = splitter.next();
        }
    }
    let first_line = splitter.first_line();
    match splitter.rest() {
        Some(rest) => {
            let done = session.run(&Input::Statement(rest));
            done.with_context(|| format!("line {first_line}")).map(drop)
        }
        None => Ok(()),
    }
}
