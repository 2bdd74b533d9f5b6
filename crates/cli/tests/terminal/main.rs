//! The shell on a terminal, as people use it: prompt, lines that go on, history, completion, pages,
//! Ctrl-C and Ctrl-D.

#![cfg(unix)]
#![expect(
    clippy::disallowed_methods,
    reason = "variables of whoever runs the tests are kept from the shell"
)]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod pty;

use pty::Terminal;
use std::io::Read;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

const CTRL_C: &str = "\x03";
const CTRL_D: &str = "\x04";
const CTRL_R: &str = "\x12";
const UP: &str = "\x1b[A";

/// Starts the shell on a folder, and waits for its prompt.
fn on(folder: &Path) -> Terminal {
    let data = folder.join("data");
    let mut terminal = Terminal::start(folder, &["--data-dir", data.to_str().unwrap()], 80, 24);
    terminal.expect("sql> ");
    terminal
}

#[test]
fn tables_and_items_are_made_read_and_dropped() {
    let folder = tempfile::tempdir().unwrap();
    let mut terminal = on(folder.path());
    terminal.send("CREATE TABLE cities (country S, rank N)\r");
    terminal.expect("  -> ");
    terminal.send("PRIMARY KEY (country, rank)\r");
    terminal.expect("  -> ");
    terminal.send("GSI by-rank (rank);\r");
    terminal.expect("table cities created");
    terminal.expect("sql> ");
    terminal.run(
        "INSERT INTO cities VALUE {'country': 'NL', 'rank': 1};",
        "1 item inserted, 2 write units",
    );
    terminal.run("SELECT * FROM cities WHERE country = 'NL';", "1 item, 0.5 read units");
    terminal
        .run("SELECT * FROM cities WHERE country = \"NL\";", "text stands in single quotes: 'NL'");
    terminal.run(
        "SELECT country FROM cities WHERE rank = 1;",
        "FROM \"cities\".\"by-rank\" reads only what has the value",
    );
    terminal.run("SELECT * FROM citys;", "did you mean cities?");
    terminal.run(".schema cities", "GSI \"by-rank\" (rank)");
    terminal.run("\\x on", "expanded is on");
    terminal.run("SELECT * FROM cities;", "── 1 ──");
    terminal.run(".nothing", "there is no command .nothing");
    terminal.run("DROP TABLE cities;", "table cities dropped");
    terminal.send(".quit\r");
    assert_eq!(terminal.ended(), Some(0));
}

#[test]
fn what_was_typed_is_remembered_for_its_owner() {
    let folder = tempfile::tempdir().unwrap();
    let mut terminal = on(folder.path());
    terminal.run("-- remembered;\r;", "");
    terminal.run(" .tables", "");
    terminal.send(CTRL_D);
    assert_eq!(terminal.ended(), Some(0));
    let file = folder.path().join(".local/state/hashrange/history");
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&file), 0o600);
    assert_eq!(mode(file.parent().unwrap()), 0o700);
    let history = std::fs::read_to_string(&file).unwrap();
    assert!(history.contains("-- remembered") && !history.contains(".tables"), "{history}");

    let mut terminal = on(folder.path());
    terminal.send(UP);
    terminal.expect("-- remembered");
    terminal.send(CTRL_C);
    terminal.expect("sql> ");
    terminal.send(CTRL_R);
    terminal.send("remem");
    terminal.expect("-- remembered");
    terminal.send(CTRL_C);
    terminal.expect("sql> ");
    terminal.send(CTRL_D);
    assert_eq!(terminal.ended(), Some(0));
}

#[test]
fn names_are_completed() {
    let folder = tempfile::tempdir().unwrap();
    let mut terminal = on(folder.path());
    terminal
        .run("CREATE TABLE cities (country S) PRIMARY KEY (country) GSI by-x (x S);", "created");
    terminal.send("sel\t");
    terminal.expect("select");
    terminal.send(" * from ci\t");
    terminal.expect("cities");
    terminal.send(" where coun\t");
    terminal.expect("country");
    terminal.send(" = 'x';\r");
    terminal.expect("0 items");
    terminal.send("select * from cities.\t");
    terminal.expect("\"by-x\"");
    terminal.send(CTRL_C);
    terminal.expect("sql> ");
}

#[test]
fn long_results_come_page_by_page() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let mut terminal =
        Terminal::start(folder.path(), &["--data-dir", data.to_str().unwrap()], 80, 8);
    terminal.expect("sql> ");
    terminal.run("CREATE TABLE abc (pk N) PRIMARY KEY (pk);", "created");
    for pk in 0..12 {
        terminal.run(&format!("INSERT INTO abc VALUE {{'pk': {pk}}};"), "inserted");
    }
    terminal.send("SELECT * FROM abc;\r");
    terminal.expect("lines more: Enter, a (all), q (quit) -- ");
    terminal.send("q\r");
    terminal.expect("12 items");
    terminal.expect("sql> ");
    terminal.send("SELECT * FROM abc;\r");
    terminal.expect("lines more");
    terminal.send("a\r");
    terminal.expect("12 items");
    terminal.expect("sql> ");
}

#[test]
fn words_that_ask_for_help_or_an_end_are_no_statements() {
    for word in ["exit", "quit", "EXIT;"] {
        let folder = tempfile::tempdir().unwrap();
        let mut terminal = on(folder.path());
        terminal.run("help", ".timing [on|off]");
        terminal.run("?;", ".timing [on|off]");
        // Within a statement it is a word of it, until Ctrl-C clears the whole.
        terminal.send("SELECT\r");
        terminal.expect("  -> ");
        terminal.send("exit\r");
        terminal.expect("  -> ");
        terminal.send(CTRL_C);
        terminal.expect("sql> ");
        terminal.send(&format!("{word}\r"));
        assert_eq!(terminal.ended(), Some(0));
    }
}

#[test]
fn a_line_that_goes_on_is_completed_by_the_lines_before() {
    let folder = tempfile::tempdir().unwrap();
    let mut terminal = on(folder.path());
    terminal.run("CREATE TABLE cities (country S) PRIMARY KEY (country);", "created");
    terminal.send("select * from cities\r");
    terminal.expect("  -> ");
    terminal.send("where coun\t");
    terminal.expect("country");
    terminal.send(" = 'x';\r");
    terminal.expect("0 items");
    terminal.expect("sql> ");
    // The statement is remembered as a whole.
    terminal.send(UP);
    terminal.expect("where country = 'x';");
    terminal.send("\r");
    terminal.expect("0 items");
}

#[test]
fn pages_of_the_service_are_read_when_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let arguments = ["--data-dir", data.to_str().unwrap(), "--limit", "1"];
    let mut terminal = Terminal::start(folder.path(), &arguments, 80, 24);
    terminal.expect("sql> ");
    terminal.run("CREATE TABLE abc (pk N) PRIMARY KEY (pk);", "created");
    for pk in 1..=3 {
        terminal.run(&format!("INSERT INTO abc VALUE {{'pk': {pk}}};"), "inserted");
    }
    terminal.send("SELECT * FROM abc;\r");
    terminal.expect("1 item, 0.5 read units; more follow");
    terminal.send("\r");
    terminal.expect("2 items, 1 read unit; more follow");
    // Anything but Enter ends it, such as the next statement that is typed too early.
    for answer in ["q", "a", "SELECT * FROM abc;"] {
        terminal.send(&format!("{answer}\r"));
        terminal.expect("2 items, 1 read unit");
        terminal.expect("more follow");
        terminal.expect("sql> ");
        terminal.send("SELECT * FROM abc;\r");
        terminal.expect("more follow");
        terminal.send("\r");
        terminal.expect("2 items, 1 read unit; more follow");
    }
}

#[test]
fn ctrl_c_stops_a_statement_and_not_the_shell() {
    let folder = tempfile::tempdir().unwrap();
    // Takes requests and never answers.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = format!("http://{}", silent.local_addr().unwrap());
    let mut terminal = Terminal::start(folder.path(), &["--endpoint", &endpoint], 80, 24);
    terminal.expect("sql> ");
    terminal.send("SELECT * FROM abc;\r");
    // The statement runs when its request has come.
    let (mut asked, _) = silent.accept().unwrap();
    let mut head = [0; 4];
    asked.read_exact(&mut head).unwrap();
    assert_eq!(&head, b"POST");
    terminal.send(CTRL_C);
    terminal.expect("stopped");
    terminal.expect("sql> ");
    terminal.send("half a line");
    terminal.expect("half a line");
    terminal.send(CTRL_C);
    terminal.expect("sql> ");
    terminal.send(".quit\r");
    assert_eq!(terminal.ended(), Some(0));
}

#[test]
fn tables_fit_the_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let arguments = ["--data-dir", data.to_str().unwrap()];
    let mut terminal = Terminal::start(folder.path(), &arguments, 40, 24);
    terminal.expect("sql> ");
    terminal.run("CREATE TABLE abc (pk S) PRIMARY KEY (pk);", "created");
    let long = "x".repeat(60);
    terminal.send(&format!("INSERT INTO abc VALUE {{'pk': '{long}'}};\r"));
    terminal.expect("inserted");
    terminal.expect("sql> ");
    terminal.send("SELECT * FROM abc;\r");
    terminal.expect(&format!("{}…", "x".repeat(39)));
    terminal.expect("sql> ");
    terminal.run(".full on", "full is on");
    terminal.send("SELECT * FROM abc;\r");
    terminal.expect(&format!("pk  {}", "x".repeat(30)));
    terminal.expect("sql> ");
}
