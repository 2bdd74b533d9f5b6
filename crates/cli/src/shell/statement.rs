//! Statements: the end of one in typed or piped text, and its table.

use super::token::{Kind, Token, meaningful, tokens};

/// The longest statement that is collected. Source: DynamoDB takes 8,192 characters.
const STATEMENT_MAX_BYTES: usize = 1 << 16;

/// Commands that need no dot, for users who look for help or the end.
const BARE_COMMANDS: [(&str, &str); 4] =
    [("exit", ".quit"), ("quit", ".quit"), ("help", ".help"), ("?", ".help")];

/// A piece of input that can be run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// A statement without its semicolon.
    Statement(String),
    /// A line that begins with a dot or a backslash, or one of [`BARE_COMMANDS`].
    Command(String),
}

/// A statement is longer than any.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooLong;

/// Collects lines until a statement ends.
///
/// Invariant: `scanned` bytes hold whole tokens and no semicolon, or are the beginning of a token that
/// has not ended; each byte is looked at a bounded number of times.
#[derive(Debug, Default)]
pub struct Splitter {
    text: String,
    scanned: usize,
    lines: usize,
    first_line: usize,
}

impl Splitter {
    /// Adds a line; between two statements, one that begins with a dot or is a bare word such as `exit`
    /// is a command.
    pub fn line(&mut self, line: &str) -> Result<Option<Input>, TooLong> {
        self.lines += 1;
        if is_blank(&self.text) {
            self.text.clear();
            self.scanned = 0;
            self.first_line = self.lines;
            if begins_command(line) {
                return Ok(Some(Input::Command(line.trim().to_owned())));
            }
            if let Some(command) = bare_command(line) {
                return Ok(Some(Input::Command(command.to_owned())));
            }
        }
        self.text.push_str(line);
        self.text.push('\n');
        if self.text.len() > STATEMENT_MAX_BYTES { Err(TooLong) } else { Ok(self.next()) }
    }

    /// Returns the next statement that has its semicolon.
    pub fn next(&mut self) -> Option<Input> {
        loop {
            let end = self.end()?;
            let rest = self.text.split_off(end);
            let statement = std::mem::replace(&mut self.text, rest);
            self.scanned = 0;
            let statement = statement.trim().trim_end_matches(';').trim_end();
            if !is_blank(statement) {
                return Some(Input::Statement(statement.to_owned()));
            }
        }
    }

    /// Returns a statement that was begun and has no semicolon.
    pub fn rest(self) -> Option<String> {
        (!is_blank(&self.text)).then(|| self.text.trim().to_owned())
    }

    /// Returns the number of lines so far.
    pub fn lines(&self) -> usize {
        self.lines
    }

    /// Returns the line in which the last returned statement began, counted from 1.
    pub fn first_line(&self) -> usize {
        self.first_line
    }

    fn end(&mut self) -> Option<usize> {
        let from = self.scanned;
        for token in tokens(&self.text[from..]) {
            if !token.is_closed {
                // It goes on in the next line.
                return None;
            }
            self.scanned = from + token.end();
            if token.is_symbol(";") {
                return Some(self.scanned);
            }
        }
        None
    }
}

/// Returns true for text that begins like a command: with a dot, or with a backslash as in psql.
fn begins_command(text: &str) -> bool {
    text.trim_start().starts_with(['.', '\\'])
}

/// Returns the command that a line without a dot stands for, with or without a semicolon.
pub fn bare_command(line: &str) -> Option<&'static str> {
    let word = line.trim().trim_end_matches(';').trim_end();
    let found = BARE_COMMANDS.iter().find(|(name, _)| name.eq_ignore_ascii_case(word));
    found.map(|(_, command)| *command)
}

/// Returns true if the text holds whole statements only, each with its semicolon, or one command.
pub fn is_complete(text: &str) -> bool {
    let is_command = begins_command(text) || bare_command(text).is_some();
    let last = tokens(text).filter(|token| token.kind != Kind::Comment || !token.is_closed).last();
    is_command || last.is_none_or(|token| token.is_symbol(";"))
}

/// Returns true if there is nothing but white space and comments.
pub fn is_blank(text: &str) -> bool {
    tokens(text).all(|token| token.kind == Kind::Comment && token.is_closed)
}

/// Effect of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verb {
    /// Reads items.
    Select,
    /// Writes an item that is not there.
    Insert,
    /// Changes an item that is there.
    Update,
    /// Deletes an item.
    Delete,
    /// Creates, changes or deletes a table, which no statement of the database can.
    Define,
    /// Explains another one.
    Explain,
    /// Something else.
    Other,
}

/// A statement as its tokens show it.
#[derive(Debug)]
pub struct Outline<'a> {
    /// Effect of the statement.
    pub verb: Verb,
    /// The table.
    pub table: Option<String>,
    /// The index.
    pub index: Option<String>,
    /// Its tokens after the table's name, without comments.
    pub rest: Vec<Token<'a>>,
}

impl<'a> Outline<'a> {
    /// Returns the outline of a statement.
    pub fn of(statement: &'a str) -> Self {
        let tokens = meaningful(statement);
        let verb = tokens.first().map_or(Verb::Other, verb);
        let before = match verb {
            Verb::Select | Verb::Delete => Some("FROM"),
            Verb::Insert => Some("INTO"),
            Verb::Update => Some("UPDATE"),
            Verb::Define | Verb::Explain | Verb::Other => None,
        };
        let found = before.and_then(|word| tokens.iter().position(|token| token.is(word)));
        let mut at = found.map_or(tokens.len(), |nth| nth + 1);
        let table = tokens.get(at).and_then(Token::name);
        at = (at + 1).min(tokens.len());
        let mut index = None;
        if tokens.get(at).is_some_and(|token| token.is_symbol(".")) {
            index = tokens.get(at + 1).and_then(Token::name);
            at = (at + 2).min(tokens.len());
        }
        Self { verb, table, index, rest: tokens.get(at..).unwrap_or_default().to_vec() }
    }

    /// Returns the tokens of the condition.
    pub fn condition(&self) -> &[Token<'a>] {
        let Some(begin) = self.rest.iter().position(|token| token.is("WHERE")) else { return &[] };
        let condition = &self.rest[begin + 1..];
        let ends = |token: &Token<'_>| token.is("ORDER") || token.is("RETURNING");
        &condition[..condition.iter().position(ends).unwrap_or(condition.len())]
    }
}

fn verb(first: &Token<'_>) -> Verb {
    let verbs = [
        ("EXPLAIN", Verb::Explain),
        ("SELECT", Verb::Select),
        ("INSERT", Verb::Insert),
        ("UPDATE", Verb::Update),
        ("DELETE", Verb::Delete),
        ("CREATE", Verb::Define),
        ("ALTER", Verb::Define),
        ("DROP", Verb::Define),
    ];
    verbs.into_iter().find(|(word, _)| first.is(word)).map_or(Verb::Other, |(_, verb)| verb)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn input_is_split_where_a_semicolon_is_no_text() {
        let cases: &[(&str, &str)] = &[
            ("", ""),
            ("a;", "1 a"),
            ("a; b;\nc", "1 a|1 b|rest c"),
            ("a\n b ';' \";\" -- ;\n /* ; \n ; */ c;", "1 a\n b ';' \";\" -- ;\n /* ; \n ; */ c"),
            ("\n\n-- only this\n;;\nx;", "5 x"),
            (".tables\nselect\n.5;\n .quit now ", "1 .tables|2 select\n.5|4 .quit now"),
            ("'a\nb;\n';", "1 'a\nb;\n'"),
            ("a 'b;\nc", "rest a 'b;\nc"),
            ("exit\nQUIT ;\n help;\n?", "1 .quit|2 .quit|3 .help|4 .help"),
            ("select\nexit\n;", "1 select\nexit"),
        ];
        for (text, expected) in cases {
            let mut splitter = Splitter::default();
            let mut found = Vec::new();
            for line in text.lines() {
                let mut next = splitter.line(line).expect("short");
                while let Some(input) = next {
                    let (Input::Statement(text) | Input::Command(text)) = input;
                    found.push(format!("{} {text}", splitter.first_line()));
                    next = splitter.next();
                }
            }
            found.extend(splitter.rest().map(|rest| format!("rest {rest}")));
            assert_eq!(found.join("|"), *expected, "{text}");
        }
    }

    #[test]
    fn a_statement_without_end_is_bounded() {
        let mut splitter = Splitter::default();
        let line = "x".repeat(1 << 12);
        let fault = (0..20).find_map(|_| splitter.line(&line).err());
        assert_eq!(fault, Some(TooLong));
    }

    #[test]
    fn enter_runs_what_is_complete() {
        let cases = [
            ("", true),
            ("select 1", false),
            ("select 1;", true),
            ("select 1; -- done", true),
            ("select ';", false),
            ("select 1; select", false),
            ("/* begun;", false),
            (".help", true),
            ("exit", true),
            ("help ", true),
            ("?", true),
            ("exit now", false),
        ];
        for (text, expected) in cases {
            assert_eq!(is_complete(text), expected, "{text}");
        }
    }

    #[test]
    fn an_outline_names_the_table_and_the_index() {
        let cases = [
            ("select * from cities where a = 1 order by b", "Select cities - a=1"),
            ("SELECT a FROM \"cities\".\"by-name\"", "Select cities by-name "),
            ("INSERT INTO t VALUE {'a': 1}", "Insert t - "),
            ("update t set a = 1 where b = 2 returning all new *", "Update t - b=2"),
            ("DELETE FROM t.", "Delete t - "),
            ("select * from", "Select - - "),
            ("create table t", "Define - - "),
            ("explain analyze select * from t", "Explain - - "),
            ("exists(select", "Other - - "),
            ("", "Other - - "),
        ];
        for (statement, expected) in cases {
            let outline = Outline::of(statement);
            let condition: String = outline.condition().iter().map(|token| token.text).collect();
            let (table, index) = (outline.table.as_deref(), outline.index.as_deref());
            let found = format!(
                "{:?} {} {} {condition}",
                outline.verb,
                table.unwrap_or("-"),
                index.unwrap_or("-")
            );
            assert_eq!(found, expected, "{statement}");
        }
    }
}
