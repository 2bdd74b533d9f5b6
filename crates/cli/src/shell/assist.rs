//! Help while the user types: completion and colours.

use super::catalogue::Catalogue;
use super::commands;
use super::token::{Kind, Token, tokens};
use crate::client::Client;
use crate::commands::table_keys::TableKeys;
use crate::output::screen::{Screen, Style};
use crate::output::terminal::is_unsafe;
use hashrange::is_reserved_in_statements;
use rustyline::completion::Completer;
use rustyline::highlight::{CmdKind, Highlighter};
use rustyline::hint::Hinter;
use rustyline::validate::Validator;
use rustyline::{Context, Helper};
use std::borrow::Cow;
use std::cell::RefCell;

/// The words of statements and definitions.
pub const KEYWORDS: [&str; 67] = [
    "ADD",
    "ALL",
    "ALTER",
    "AND",
    "ASC",
    "BETWEEN",
    "BILLING",
    "BY",
    "CREATE",
    "DELETE",
    "DELETION",
    "DEMAND",
    "DESC",
    "DESCRIBE",
    "DROP",
    "EXISTS",
    "FALSE",
    "FROM",
    "GSI",
    "IF",
    "IMAGE",
    "IMAGES",
    "IN",
    "INCLUDE",
    "INSERT",
    "INTO",
    "IS",
    "KEY",
    "KEYS",
    "LSI",
    "MISSING",
    "MODIFIED",
    "NEW",
    "NOT",
    "NULL",
    "OFF",
    "OLD",
    "ON",
    "ONLY",
    "OR",
    "ORDER",
    "PRIMARY",
    "PROJECTION",
    "PROTECTION",
    "PROVISIONED",
    "REMOVE",
    "RETURNING",
    "SELECT",
    "SET",
    "SHOW",
    "STREAM",
    "TABLE",
    "TABLES",
    "THROUGHPUT",
    "TRUE",
    "TTL",
    "UPDATE",
    "VALUE",
    "WHERE",
    "attribute_exists",
    "attribute_not_exists",
    "attribute_type",
    "begins_with",
    "contains",
    "if_not_exists",
    "list_append",
    "size",
];

/// Words that a table's name follows.
const BEFORE_TABLES: [&str; 5] = ["FROM", "INTO", "UPDATE", "TABLE", "DESCRIBE"];

/// Helps while the user types.
pub struct Assist<'s, 'c> {
    /// Database that is asked for names.
    pub client: &'s RefCell<&'c mut Client>,
    /// Names that the shell knows of the tables.
    pub catalogue: &'s RefCell<Catalogue>,
    /// The lines before the one that is being typed, with their ends.
    pub begun: &'s RefCell<String>,
    /// Screen of the shell, with colours or without.
    pub screen: Screen,
}

/// Kind of the word to complete.
#[derive(Debug, PartialEq, Eq)]
enum Wanted {
    /// A command of the shell.
    Command,
    /// An argument of a command.
    Argument(String),
    /// A table.
    Table,
    /// An index of a table.
    Index(String),
    /// A word of a statement, or an attribute of its table.
    Word(Option<String>),
    /// Nothing: inside of a text.
    Nothing,
}

impl Assist<'_, '_> {
    /// Returns the known names of the wanted kind, in the spelling of statements.
    fn names(&self, wanted: &Wanted) -> Vec<String> {
        let mut catalogue = self.catalogue.borrow_mut();
        let Ok(mut client) = self.client.try_borrow_mut() else { return Vec::new() };
        let plain = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
        match wanted {
            Wanted::Nothing => Vec::new(),
            Wanted::Command => commands::names().collect(),
            Wanted::Argument(command) if commands::is_about_a_table(command) => {
                catalogue.tables(&mut client).to_vec()
            }
            Wanted::Argument(command) => plain(&commands::choices(command)),
            Wanted::Table => quoted(catalogue.tables(&mut client)),
            Wanted::Index(table) => {
                let indexes = catalogue.keys(&mut client, table).map(TableKeys::indexes);
                let names: Vec<String> =
                    indexes.into_iter().flatten().map(|(name, _)| name).collect();
                quoted(&names)
            }
            Wanted::Word(table) => {
                let table = table.as_ref();
                let attributes = table.map(|table| catalogue.attributes(&mut client, table));
                let mut names = quoted(&attributes.unwrap_or_default());
                names.extend(plain(&KEYWORDS));
                names
            }
        }
    }
}

/// Returns the kind of the word to complete at the end of a text, and the offset at which that word
/// begins.
fn wanted(before: &str, whole: &str) -> (usize, Wanted) {
    let trimmed = before.trim_start();
    if trimmed.starts_with(['.', '\\']) {
        let start = before.rfind(char::is_whitespace).map_or(0, |at| at + 1);
        let command = trimmed.split_whitespace().next().unwrap_or_default();
        let is_first = start <= before.len() - trimmed.len();
        let wanted = if is_first { Wanted::Command } else { Wanted::Argument(command.to_owned()) };
        return (start, wanted);
    }
    // A finished statement says nothing about the one being typed.
    let begin = tokens(before).filter(|it| it.is_symbol(";")).last().map_or(0, |it| it.end());
    let found: Vec<Token<'_>> = tokens(&before[begin..]).collect();
    let (start, known) = match found.split_last() {
        Some((last, _)) if !last.is_closed && last.kind != Kind::Name => {
            return (before.len(), Wanted::Nothing);
        }
        Some((last, rest))
            if !last.is_closed
                || (last.kind == Kind::Word && begin + last.end() == before.len()) =>
        {
            (begin + last.offset, rest)
        }
        _ => (before.len(), found.as_slice()),
    };
    let all: Vec<Token<'_>> = tokens(&whole[begin..]).collect();
    let wanted = match known {
        [.., name, dot] if dot.is_symbol(".") && dot.end() + begin == start => {
            name.name().map_or(Wanted::Nothing, Wanted::Index)
        }
        [.., last] if BEFORE_TABLES.iter().any(|word| last.is(word)) => Wanted::Table,
        _ => Wanted::Word(table_of(&all)),
    };
    (start, wanted)
}

/// Returns the table that a statement names, wherever it is being edited.
fn table_of(tokens: &[Token<'_>]) -> Option<String> {
    let at = tokens.iter().position(|it| BEFORE_TABLES.iter().any(|word| it.is(word)))?;
    tokens.get(at + 1)?.name()
}

/// Returns names as statements have to write them.
fn quoted(names: &[String]) -> Vec<String> {
    let write = |name: &String| {
        let mut characters = name.chars();
        let begins = characters.next().is_some_and(|it| it.is_ascii_alphabetic() || it == '_');
        let is_keyword = KEYWORDS.iter().any(|keyword| keyword.eq_ignore_ascii_case(name));
        let is_plain = begins && characters.all(|it| it.is_ascii_alphanumeric() || it == '_');
        if is_plain && !is_keyword && !is_reserved_in_statements(name) {
            name.clone()
        } else {
            format!("\"{}\"", name.replace('"', "\"\""))
        }
    };
    names.iter().map(write).collect()
}

/// Returns the names that begin with the typed text; keywords in the case of that text.
fn beginning(names: Vec<String>, typed: &str) -> Vec<String> {
    let bare = typed.trim_start_matches('"').to_lowercase();
    let is_small = typed.chars().any(char::is_lowercase) || typed.is_empty();
    let is_keyword = |name: &String| name.chars().all(|it| it.is_ascii_uppercase());
    let begins = |name: &String| name.trim_start_matches('"').to_lowercase().starts_with(&bare);
    let cased = |name: String| {
        if is_keyword(&name) && is_small && !typed.is_empty() { name.to_lowercase() } else { name }
    };
    let mut found: Vec<String> = names.into_iter().filter(begins).map(cased).collect();
    if typed.starts_with('"') {
        found.retain(|name| !is_keyword(name) && !KEYWORDS.contains(&name.as_str()));
        for name in &mut found {
            if !name.starts_with('"') {
                *name = format!("\"{name}\"");
            }
        }
    }
    found.dedup();
    found
}

impl Helper for Assist<'_, '_> {}

impl Hinter for Assist<'_, '_> {
    type Hint = String;
}

impl Completer for Assist<'_, '_> {
    type Candidate = String;

    fn complete(
        &self,
        line: &str,
        position: usize,
        _: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<String>)> {
        let begun = self.begun.borrow();
        let before = format!("{begun}{}", &line[..position]);
        let (start, wanted) = wanted(&before, &format!("{begun}{line}"));
        // A text or name that an earlier line has begun has no completion in this one.
        let Some(start_in_line) = start.checked_sub(begun.len()) else {
            return Ok((position, Vec::new()));
        };
        let mut found = beginning(self.names(&wanted), &before[start..]);
        // The editor prints the names itself, and they come from the server.
        found.retain(|name| !name.contains(is_unsafe));
        Ok((start_in_line, found))
    }
}

impl Validator for Assist<'_, '_> {}

impl Highlighter for Assist<'_, '_> {
    fn highlight<'l>(&self, line: &'l str, _: usize) -> Cow<'l, str> {
        let begun = self.begun.borrow();
        // A text that an earlier line has begun goes on without colours.
        let is_inside = tokens(&begun).last().is_some_and(|token| !token.is_closed);
        if !self.screen.has_colours || is_inside {
            return line.into();
        }
        highlighted(&self.screen, line).into()
    }

    fn highlight_char(&self, _: &str, _: usize, _: CmdKind) -> bool {
        self.screen.has_colours
    }
}

fn highlighted(screen: &Screen, line: &str) -> String {
    let mut out = String::with_capacity(line.len() * 2);
    let mut at = 0;
    for token in tokens(line) {
        out.push_str(&line[at..token.offset]);
        let is_keyword = || KEYWORDS.iter().any(|keyword| token.is(keyword));
        let style = match token.kind {
            Kind::Text => Some(Style::Text),
            Kind::Number => Some(Style::Number),
            Kind::Comment => Some(Style::Frame),
            Kind::Word if is_keyword() => Some(Style::Keyword),
            Kind::Word | Kind::Name | Kind::Symbol => None,
        };
        match style {
            Some(style) => out.push_str(&screen.painted(style, token.text)),
            None => out.push_str(token.text),
        }
        at = token.end();
    }
    out.push_str(&line[at..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wanted_depends_on_what_stands_before() {
        let word = |table: &str| Wanted::Word(Some(table.to_owned()));
        let cases = [
            ("", "", 0, Wanted::Word(None)),
            ("sel", "", 0, Wanted::Word(None)),
            (".ta", "", 0, Wanted::Command),
            ("  .ta", "", 2, Wanted::Command),
            (".mode j", "", 6, Wanted::Argument(".mode".to_owned())),
            ("SELECT * FROM ", "", 14, Wanted::Table),
            ("SELECT * FROM ci", "", 14, Wanted::Table),
            ("SELECT * FROM \"ci", "", 14, Wanted::Table),
            ("DROP TABLE c", "", 11, Wanted::Table),
            ("SELECT * FROM cities.", "", 21, Wanted::Index("cities".to_owned())),
            ("SELECT * FROM \"cities\".\"by", "", 23, Wanted::Index("cities".to_owned())),
            ("SELECT * FROM cities WHERE co", "", 27, word("cities")),
            ("SELECT na", " FROM cities", 7, word("cities")),
            ("SELECT * FROM a; SELECT * FROM b WHERE ", "", 39, word("b")),
            ("SELECT * FROM cities WHERE a = 'x", "", 33, Wanted::Nothing),
            ("-- comment", "", 10, Wanted::Word(None)),
        ];
        for (before, after, start, expected) in cases {
            let whole = format!("{before}{after}");
            assert_eq!(wanted(before, &whole), (start, expected), "{before}|{after}");
        }
    }

    #[test]
    fn names_are_completed_as_they_have_to_be_written() {
        let names = quoted(&["cities", "by-state", "order", "a\"b"].map(str::to_owned));
        assert_eq!(names, ["cities", "\"by-state\"", "\"order\"", "\"a\"\"b\""]);
        let reserved = quoted(&["Date", "user", "level_of"].map(str::to_owned));
        assert_eq!(reserved, ["\"Date\"", "\"user\"", "level_of"]);
        let mut all = names;
        all.extend(["SELECT", "SET", "size"].map(str::to_owned));
        let cases: [(&str, &[&str]); 6] = [
            ("ci", &["cities"]),
            ("CI", &["cities"]),
            ("by", &["\"by-state\""]),
            ("\"c", &["\"cities\""]),
            ("se", &["select", "set"]),
            ("SE", &["SELECT", "SET"]),
        ];
        for (typed, expected) in cases {
            assert_eq!(beginning(all.clone(), typed), expected, "{typed}");
        }
    }

    #[test]
    fn colours_leave_the_text_as_it_is() {
        let screen = Screen { has_colours: true, ..Screen::FILE };
        let coloured = highlighted(&screen, "select 1, 'a' -- x\nfrom \"t\"");
        assert_eq!(
            coloured,
            "\x1b[1;34mselect\x1b[0m \x1b[36m1\x1b[0m, \x1b[32m'a'\x1b[0m \x1b[2m-- x\x1b[0m\n\
             \x1b[1;34mfrom\x1b[0m \"t\""
        );
    }
}
