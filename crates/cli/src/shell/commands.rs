//! The commands of the shell: lines that begin with a dot, and their names in psql.

use super::ddl;
use super::session::{Next, Session};
use super::statement::bare_command;
use super::token::meaningful;
use crate::arguments::Format;
use crate::exit::Usage;
use crate::output::{self, screen::Expanded, table::Table};
use hashrange::Operation;
use hashrange::nearest::nearest;
use serde_json::{Value, json};

/// A command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Command {
    Tables,
    Schema,
    Indexes,
    Mode,
    Expanded,
    Full,
    Pager,
    Timing,
    Hints,
    Help,
    Quit,
}

/// Name, name in psql, arguments, description.
const COMMANDS: [(Command, &str, &str, &str, &str); 11] = [
    (Command::Tables, "tables", "\\dt", "", "list the tables"),
    (Command::Schema, "schema", "\\d", "[TABLE]", "show the definitions of tables"),
    (Command::Indexes, "indexes", "\\di", "[TABLE]", "list the indexes and their keys"),
    (Command::Mode, "mode", "\\a", "[table|json|ddb]", "choose the form of results"),
    (
        Command::Expanded,
        "expanded",
        "\\x",
        "[on|off|auto]",
        "one attribute per line, if a table does not fit (auto)",
    ),
    (Command::Full, "full", "", "[on|off]", "every cell whole"),
    (Command::Pager, "pager", "", "[on|off]", "long results page by page"),
    (Command::Timing, "timing", "\\timing", "[on|off]", "tell how long statements take"),
    (Command::Hints, "hints", "", "[on|off]", "notes below results"),
    (Command::Help, "help", "\\?", "", "show this"),
    (Command::Quit, "quit", "\\q", "", "end (or Ctrl-D)"),
];

const HELP: &str = "
A statement may take several lines and ends with a semicolon:
  SELECT * FROM orders WHERE pk = 'USER#1' AND begins_with(sk, 'ORDER#');
  INSERT INTO orders VALUE {'pk': 'USER#1', 'sk': 'PROFILE', 'tags': <<'a', 'b'>>};
  UPDATE orders SET visits = visits + 1 WHERE pk = 'USER#1' AND sk = 'PROFILE';
  DELETE FROM orders WHERE pk = 'USER#1' AND sk = 'PROFILE';
  CREATE TABLE orders (pk S, sk S, state S) PRIMARY KEY (pk, sk) GSI by_state (state, sk);
  ALTER TABLE orders ADD GSI by_day (day S), SET TTL (expires);    DROP TABLE orders;
'Text' stands in single quotes; in double quotes stands a \"name\".
Tab completes; Ctrl-R searches earlier entries; Ctrl-C clears the line or stops a statement.";

/// Runs a command.
pub fn run(session: &Session<'_, '_>, line: &str) -> anyhow::Result<Next> {
    let mut words = line.trim().trim_end_matches(';').split_whitespace();
    let name = words.next().unwrap_or_default();
    let (argument, more) = (words.next(), words.next());
    let command = find(name)?;
    if let Some(more) = more {
        return Err(Usage(format!("{name} has one argument at most, not {more} too")).into());
    }
    // Names in quotes, as in a statement, lose their quotes.
    let argument = argument.map(|word| word.trim_matches('"'));
    match command {
        Command::Tables => tables(session)?,
        Command::Schema => for_tables(session, argument, schema)?,
        Command::Indexes => for_tables(session, argument, indexes)?,
        Command::Mode => mode(session, argument)?,
        Command::Expanded => expanded(session, argument)?,
        Command::Full => {
            let mut printer = session.printer.get();
            printer.screen.is_full = switched(name, argument, printer.screen.is_full)?;
            session.printer.set(printer);
        }
        Command::Pager => match &session.pager {
            Some(pager) => pager.is_on.set(switched(name, argument, pager.is_on.get())?),
            None => return Err(Usage("only a terminal has pages".to_owned()).into()),
        },
        Command::Timing => {
            session.has_timing.set(switched(name, argument, session.has_timing.get())?);
        }
        Command::Hints => session.has_hints.set(switched(name, argument, session.has_hints.get())?),
        Command::Help => help()?,
        Command::Quit => return Ok(Next::End),
    }
    Ok(Next::More)
}

/// Returns the shell's command for a statement of other databases.
pub fn alias(statement: &str) -> Option<String> {
    match meaningful(statement).as_slice() {
        [show, tables] if show.is("SHOW") && tables.is("TABLES") => Some(".tables".to_owned()),
        [word, table] if word.is("DESCRIBE") || word.is("DESC") => {
            Some(format!(".schema {}", table.name()?))
        }
        [word] => bare_command(word.text).map(str::to_owned),
        _ => None,
    }
}

/// Returns the names of the commands, with their dots.
pub fn names() -> impl Iterator<Item = String> {
    COMMANDS.iter().map(|(_, name, ..)| format!(".{name}"))
}

/// Returns the arguments that a command may have.
pub fn choices(name: &str) -> Vec<&'static str> {
    let found = COMMANDS.iter().find(|(_, known, ..)| name.strip_prefix('.') == Some(known));
    let argument = found.map_or("", |(_, _, _, argument, _)| *argument);
    argument
        .trim_matches(['[', ']'])
        .split('|')
        .filter(|it| !it.is_empty() && *it != "TABLE")
        .collect()
}

/// Returns true for a command that may have a table as argument.
pub fn is_about_a_table(name: &str) -> bool {
    matches!(find(name), Ok(Command::Schema | Command::Indexes))
}

/// Returns the command of that name, or the one command whose name begins with it.
fn find(name: &str) -> Result<Command, Usage> {
    let by_psql = COMMANDS.iter().find(|(_, _, psql, ..)| *psql == name && !name.is_empty());
    let others =
        ["\\l", "\\h"].contains(&name).then(|| if name == "\\l" { "tables" } else { "help" });
    let own = others.or_else(|| name.strip_prefix('.')).unwrap_or_default();
    let exact = COMMANDS.iter().find(|(_, known, ..)| *known == own);
    let mut begins =
        COMMANDS.iter().filter(|(_, known, ..)| !own.is_empty() && known.starts_with(own));
    let abbreviated = begins.next().filter(|_| begins.next().is_none());
    if let Some((command, ..)) = by_psql.or(exact).or(abbreviated) {
        return Ok(*command);
    }
    // Names of sqlite3 and psql.
    if matches!(own, "exit") {
        return Ok(Command::Quit);
    }
    let near = nearest(own, COMMANDS.iter().map(|(_, known, ..)| *known));
    let near =
        near.map_or(".help lists the commands".to_owned(), |it| format!("did you mean .{it}?"));
    Err(Usage(format!("there is no command {name}; {near}")))
}

/// Returns the new setting of a switch; without an argument the opposite of the present one.
fn switched(name: &str, argument: Option<&str>, now: bool) -> anyhow::Result<bool> {
    let next = match argument {
        None => !now,
        Some("on") => true,
        Some("off") => false,
        Some(other) => return Err(Usage(format!("{name} is on or off, not {other}")).into()),
    };
    output::complain(format_args!(
        "{} is {}",
        name.trim_start_matches(['.', '\\']),
        if next { "on" } else { "off" }
    ));
    Ok(next)
}

fn mode(session: &Session<'_, '_>, argument: Option<&str>) -> anyhow::Result<()> {
    let mut printer = session.printer.get();
    printer.format = match argument {
        Some("table") => Format::Table,
        Some("json") => Format::Json,
        Some("item") => Format::Item,
        Some("ddb") => Format::Ddb,
        None => {
            let name = format!("{:?}", printer.format).to_lowercase();
            output::complain(format_args!("mode is {name}"));
            return Ok(());
        }
        Some(other) => {
            return Err(Usage(format!("a mode is table, json, item or ddb, not {other}")).into());
        }
    };
    session.printer.set(printer);
    Ok(())
}

fn expanded(session: &Session<'_, '_>, argument: Option<&str>) -> anyhow::Result<()> {
    let mut printer = session.printer.get();
    printer.screen.expanded = match (argument, printer.screen.expanded) {
        (Some("on"), _) | (None, Expanded::Auto | Expanded::Never) => Expanded::Always,
        (Some("off"), _) => Expanded::Never,
        (Some("auto"), _) | (None, Expanded::Always) => Expanded::Auto,
        (Some(other), _) => {
            return Err(Usage(format!("expanded is on, off or auto, not {other}")).into());
        }
    };
    let name = match printer.screen.expanded {
        Expanded::Always => "on",
        Expanded::Never => "off",
        Expanded::Auto => "auto",
    };
    output::complain(format_args!("expanded is {name}"));
    session.printer.set(printer);
    Ok(())
}

fn tables(session: &Session<'_, '_>) -> anyhow::Result<()> {
    session.catalogue.borrow_mut().forget();
    let names = session.with_catalogue(|catalogue, client| catalogue.tables(client).to_vec());
    show(session, &names)
}

fn show(session: &Session<'_, '_>, lines: &[String]) -> anyhow::Result<()> {
    match &session.pager {
        Some(pager) => pager.show(lines, None).map(drop),
        None => lines.iter().try_for_each(output::line),
    }
}

fn for_tables(
    session: &Session<'_, '_>,
    table: Option<&str>,
    describe: fn(&Session<'_, '_>, &str) -> anyhow::Result<Vec<String>>,
) -> anyhow::Result<()> {
    let names = match table {
        Some(table) => vec![table.to_owned()],
        None => session.with_catalogue(|catalogue, client| catalogue.tables(client).to_vec()),
    };
    let mut lines = Vec::new();
    for name in names {
        if !lines.is_empty() {
            lines.push(String::new());
        }
        lines.extend(describe(session, &name)?);
    }
    show(session, &lines)
}

fn schema(session: &Session<'_, '_>, table: &str) -> anyhow::Result<Vec<String>> {
    let request = json!({ "TableName": table });
    let described = session.call(Operation::DescribeTable, &request)?;
    // A table that was deleted meanwhile, or a server without time to live, has none.
    let expires = session.call(Operation::DescribeTimeToLive, &request).unwrap_or(Value::Null);
    Ok(ddl::render(&described["Table"], &expires).lines().map(str::to_owned).collect())
}

fn indexes(session: &Session<'_, '_>, table: &str) -> anyhow::Result<Vec<String>> {
    let request = json!({ "TableName": table });
    let described = session.call(Operation::DescribeTable, &request)?;
    let described = &described["Table"];
    let key = |it: &Value| {
        let elements = it["KeySchema"].as_array().into_iter().flatten();
        let names = elements.filter_map(|element| element["AttributeName"].as_str());
        names.collect::<Vec<_>>().join(", ")
    };
    let mut rows = Table::new(&["table", "index", "key", "kind"].map(str::to_owned));
    rows.add_texts([table.to_owned(), "-".to_owned(), key(described), "primary".to_owned()]);
    for (member, kind) in [("GlobalSecondaryIndexes", "global"), ("LocalSecondaryIndexes", "local")]
    {
        for index in described[member].as_array().into_iter().flatten() {
            let name = index["IndexName"].as_str().unwrap_or_default();
            rows.add_texts([table.to_owned(), name.to_owned(), key(index), kind.to_owned()]);
        }
    }
    Ok(rows.lines_on(&session.printer.get().screen))
}

fn help() -> anyhow::Result<()> {
    for (_, name, psql, argument, what) in COMMANDS {
        let usage = format!(".{name} {argument}");
        output::line(format_args!(
            "{usage:<24} {what}{}",
            if psql.is_empty() { String::new() } else { format!("  ({psql})") }
        ))?;
    }
    output::line(HELP)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_have_names_beginnings_and_those_of_psql() {
        let cases = [
            (".tables", Ok(Command::Tables)),
            (".ta", Ok(Command::Tables)),
            ("\\dt", Ok(Command::Tables)),
            ("\\l", Ok(Command::Tables)),
            ("\\d", Ok(Command::Schema)),
            (".exit", Ok(Command::Quit)),
            ("\\q", Ok(Command::Quit)),
            (".t", Err("there is no command .t; .help lists the commands")),
            (".tabels", Err("there is no command .tabels; did you mean .tables?")),
            (".", Err("there is no command .; .help lists the commands")),
            ("\\", Err("there is no command \\; .help lists the commands")),
        ];
        for (name, expected) in cases {
            let found = find(name).map_err(|usage| usage.0);
            assert_eq!(found, expected.map_err(str::to_owned), "{name}");
        }
    }

    #[test]
    fn statements_of_others_are_understood() {
        let cases = [
            ("show tables", Some(".tables")),
            ("DESCRIBE \"cities\";", None),
            ("DESC cities", Some(".schema cities")),
            ("exit", Some(".quit")),
            ("Help", Some(".help")),
            ("SELECT 1", None),
        ];
        for (statement, expected) in cases {
            assert_eq!(alias(statement).as_deref(), expected, "{statement}");
        }
    }

    #[test]
    fn choices_are_those_of_the_help() {
        assert_eq!(choices(".mode"), ["table", "json", "ddb"]);
        assert_eq!(choices(".schema"), [""; 0]);
        assert!(is_about_a_table(".schema") && !is_about_a_table(".mode"));
    }
}
