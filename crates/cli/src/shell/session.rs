//! A session: its settings so far.

use super::assist::Assist;
use super::catalogue::Catalogue;
use super::pager::Pager;
use crate::advice;
use crate::arguments::Sql;
use crate::client::{Client, Stop, Stopped, is_unknown};
use crate::exit::Usage;
use crate::literal;
use crate::output::{self, printer::Printer};
use hashrange::Operation;
use serde_json::{Map, Value, json};
use std::cell::{Cell, RefCell};

/// Continuation after a statement or command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// The next statement.
    More,
    /// The end of the session.
    End,
}

/// A session with a database.
pub struct Session<'s, 'c> {
    client: &'s RefCell<&'c mut Client>,
    /// Facts that the shell knows of the tables.
    pub catalogue: RefCell<Catalogue>,
    /// Form and screen of results.
    pub printer: Cell<Printer>,
    /// Print the time of each statement.
    pub has_timing: Cell<bool>,
    /// Give hints.
    pub has_hints: Cell<bool>,
    /// Whether the database answers `Explain`.
    explains: Cell<bool>,
    /// Shows long results page by page, on a terminal.
    pub pager: Option<Pager>,
    /// The values of question marks.
    pub parameters: Vec<Value>,
    /// The lines before the one that is being typed, with their ends: a statement that is not whole.
    pub begun: RefCell<String>,
    /// Arguments of the command line.
    pub arguments: &'s Sql,
    /// Ctrl-C, which stops the present statement.
    pub stop: RefCell<Stop>,
}

impl<'s, 'c> Session<'s, 'c> {
    /// Begins a session.
    pub fn new(
        client: &'s RefCell<&'c mut Client>,
        arguments: &'s Sql,
        stop: Stop,
    ) -> anyhow::Result<Self> {
        Ok(Self {
            client,
            catalogue: RefCell::default(),
            printer: Cell::new(Printer::of(&arguments.connection)?),
            has_timing: Cell::new(false),
            has_hints: Cell::new(true),
            explains: Cell::new(true),
            pager: None,
            parameters: parameters(arguments)?,
            begun: RefCell::default(),
            arguments,
            stop: RefCell::new(stop),
        })
    }

    /// Returns the help while the user types.
    pub fn assist(&self) -> Assist<'_, 'c> {
        Assist {
            client: self.client,
            catalogue: &self.catalogue,
            begun: &self.begun,
            screen: self.printer.get().screen,
        }
    }

    /// Adapts to the size of the screen.
    pub fn resize(&self) -> anyhow::Result<()> {
        let mut printer = self.printer.get();
        let now = Printer::of(&self.arguments.connection)?.screen;
        (printer.screen.width, printer.screen.height) = (now.width, now.height);
        self.printer.set(printer);
        if let (Some(pager), Some(height)) = (&self.pager, now.height) {
            pager.resize(height);
        }
        Ok(())
    }

    /// Runs an operation.
    pub fn call(&self, operation: Operation, request: &Value) -> anyhow::Result<Value> {
        self.stop.borrow().check()?;
        self.client.borrow_mut().call(operation, request)
    }

    /// Returns the database's explanation of a statement; none from a database that gives none.
    pub fn explanation(&self, statement: &Map<String, Value>) -> Option<Value> {
        if !self.explains.get() {
            return None;
        }
        let request = json!({
            "Operation": Operation::ExecuteStatement.name(), "Request": statement,
        });
        let answer = self.client.borrow_mut().call_own("Explain", &request);
        self.explains.set(!answer.as_ref().is_err_and(is_unknown));
        Some(answer.ok()?["Explanation"].take())
    }

    /// Calls `run` with the database and the facts about its tables.
    pub fn with_catalogue<T>(&self, run: impl FnOnce(&mut Catalogue, &mut Client) -> T) -> T {
        run(&mut self.catalogue.borrow_mut(), &mut self.client.borrow_mut())
    }

    /// Prints why something failed, and what the user may have meant.
    pub fn complain(&self, error: anyhow::Error) {
        let is_stop = error.is::<Stopped>();
        let error = advice::completed(&mut self.client.borrow_mut(), error);
        let text = if is_stop { "stopped".to_owned() } else { format!("{error:#}") };
        let screen = self.printer.get().screen;
        output::complain(format_args!("{}", screen.fault(&text)));
    }
}

/// Returns the values of the question marks on the command line.
pub fn parameters(arguments: &Sql) -> anyhow::Result<Vec<Value>> {
    Ok(arguments.parameters.iter().map(|text| parameter(text)).collect::<Result<_, _>>()?)
}

/// Returns the attribute value of a literal.
fn parameter(text: &str) -> Result<Value, Usage> {
    const BEFORE: &str = "{it: ";
    let item = literal::item(&format!("{BEFORE}{text}}}"));
    let mut item = item.map_err(|mut fault| {
        fault.offset = fault.offset.saturating_sub(BEFORE.len());
        let is_word = text.chars().all(|it| it.is_alphanumeric() || it == '_');
        let hint = if is_word && !text.is_empty() {
            format!("\n  hint: text stands in quotes: -p \"'{text}'\"")
        } else {
            String::new()
        };
        Usage(format!("--parameter {text}: {fault}{hint}"))
    })?;
    Ok(item.remove("it").unwrap_or_default())
}
