//! Who lives in the shell: `docs/shell.md`, on a terminal where the page has one, and by pipes.

use super::compared::{Compared, fences, fits_line};
use super::pty::Terminal;
use super::scratch::Scratch;
use super::server::Server;
use hashrange_samples::page;

const PROMPT: &str = "sql> ";
const CONTINUED: &str = "  -> ";

fn written() -> String {
    Compared::read("docs/shell.md").written
}

/// Starts a server with the sample of the page.
fn world() -> (Scratch, Server) {
    let mut scratch = Scratch::new();
    let server = scratch.serve("hashrange serve --memory --sample world");
    scratch.use_server(&server);
    (scratch, server)
}

fn terminal(scratch: &Scratch, server: &Server) -> Terminal {
    let endpoint = format!("http://127.0.0.1:{}", server.port);
    Terminal::start(&scratch.home(), &["--endpoint", &endpoint], 80, 24)
}

#[test]
fn the_first_five_minutes_on_a_terminal() {
    let page = written();
    let session = fences(&page, "console", "The shell")[0].body;
    let mut lines = session.lines();
    assert_eq!(lines.next(), Some("$ hashrange serve --sample world &"));
    let (scratch, server) = world();
    assert_eq!(lines.next(), Some("$ hashrange sql"));
    let mut terminal = terminal(&scratch, &server);
    let greeting = terminal.expect(PROMPT).replace(&format!(":{}", server.port), ":8000");
    let shown = lines.next().expect("the page shows the greeting");
    let greets = |line: &str| fits_line(shown, line.trim_end());
    assert!(greeting.lines().any(greets), "{shown}\n{greeting}");
    let mut is_typed = false;
    for line in lines {
        // What is typed goes on until a statement ends; anything else is printed.
        let begun = line.strip_prefix(PROMPT);
        if let Some(typed) = begun.or_else(|| line.strip_prefix(CONTINUED).filter(|_| is_typed)) {
            if is_typed {
                terminal.expect(CONTINUED);
            }
            terminal.send(&format!("{typed}\r"));
            is_typed = !typed.starts_with('.') && !typed.ends_with(';');
        } else {
            terminal.expect(line);
        }
    }
    // The cities of Brazil are more than a page.
    terminal.expect("São Paulo");
    terminal.expect("lines more");
    terminal.send("q\r");
    terminal.expect(PROMPT);
    // Notes: a Scan, and a name that may have been meant as text.
    terminal.send("SELECT city FROM cities WHERE city = 'Utrecht';\r");
    terminal.expect("more follow");
    terminal.send("q\r");
    terminal.expect("a Scan");
    terminal.expect(PROMPT);
    terminal.send("SELECT * FROM cities WHERE country = \"NL\";\r");
    terminal.expect("more follow");
    terminal.send("q\r");
    terminal.expect("single quotes: 'NL'");
    terminal.expect(PROMPT);
    terminal.run(".tables", "cities");
    terminal.send("\x04");
    assert_eq!(terminal.ended(), Some(0));
}

/// A command of the table as it is typed, and what it answers.
const COMMANDS: &[(&str, &str, &str)] = &[
    (".tables", ".tables", "cities"),
    ("\\dt", "\\dt", "cities"),
    (".schema [TABLE]", ".schema cities", "CREATE TABLE cities"),
    ("\\d", "\\d cities", "CREATE TABLE cities"),
    (".indexes [TABLE]", ".indexes cities", "by-population"),
    ("\\di", "\\di", "capitals"),
    (".mode table", ".mode table", ""),
    ("json", ".mode json", ""),
    ("item", ".mode item", ""),
    ("ddb", ".mode ddb", ""),
    (".expanded on", ".expanded on", "expanded is on"),
    ("off", ".expanded off", "expanded is off"),
    ("auto", ".expanded auto", "expanded is auto"),
    ("\\x", "\\x on", "expanded is on"),
    (".full on", ".full on", "full is on"),
    (".pager on", ".pager off", "pager is off"),
    (".timing on", ".timing on", "timing is on"),
    ("\\timing", "\\timing off", "timing is off"),
    (".hints on", ".hints on", "hints is on"),
    (".help", ".help", ".quit"),
    ("\\?", "\\?", ".quit"),
    (".sch", ".sch cities", "CREATE TABLE cities"),
];

#[test]
fn every_command_of_the_table_answers() {
    let page = written();
    let (_, table) = page.split_once("| command | in psql |").expect("the page has the table");
    let (table, _) = table.split_once("\n## ").expect("a section follows");
    let shown = page::code_spans(table);
    let known = |span: &&str| {
        ["-o", ".quit", "\\q"].contains(span) || COMMANDS.iter().any(|(shown, ..)| shown == span)
    };
    for span in &shown {
        assert!(known(span), "nobody has typed {span}");
    }
    let mut scratch = Scratch::new();
    let server = scratch.serve("hashrange serve --memory");
    scratch.use_server(&server);
    let create = "hashrange create cities country:S place:S --lsi by-population=population:N \
                  --gsi capitals=capital:S,population:N";
    scratch.run(create).printed(create);
    let mut terminal = terminal(&scratch, &server);
    terminal.expect(PROMPT);
    for (span, typed, answer) in COMMANDS {
        assert!(shown.contains(span), "the page has no {span} any more");
        // What is typed comes back first.
        terminal.send(typed);
        terminal.expect(typed);
        terminal.send("\r");
        terminal.expect(answer);
        terminal.expect(PROMPT);
    }
    terminal.send(".quit\r");
    assert_eq!(terminal.ended(), Some(0));
}

#[test]
fn commands_and_scripts_without_a_terminal() {
    let page = written();
    let (scratch, _server) = world();
    let statements = fences(&page, "sql", "Tables")[0].body;
    let printed = scratch.run_on("hashrange sql", statements).printed("the statements");
    assert_eq!(printed, "table orders created\ntable orders altered\ntable orders dropped\n");
    // What the reader calls tables.sql has such statements.
    let (create, _) = statements.split_once("ALTER ").expect("first the table is created");
    scratch.write("tables.sql", create);
    let scripts = page::fences(&page).into_iter().filter(|fence| fence.kind == "sh");
    let lines: Vec<&str> = scripts.flat_map(|fence| fence.body.lines()).collect();
    assert_eq!(lines.len(), 4, "{lines:?}");
    for line in lines {
        // One of them is for jq.
        if line.contains("| jq") && !scratch.has("jq") {
            continue;
        }
        let printed = scratch.sh(line).printed(line);
        let part = if line.contains("tables.sql") { "table orders created" } else { "Utrecht" };
        assert!(printed.contains(part), "{line}: {printed}");
    }
}

#[test]
fn a_script_ends_at_the_statement_that_fails_and_names_its_line() {
    let mut scratch = Scratch::new();
    let server = scratch.serve("hashrange serve --memory");
    scratch.use_server(&server);
    let created = "CREATE TABLE abc (pk S)\n  PRIMARY KEY (pk);\n";
    let cases = [
        ("CREATE TABLE (pk S);\nDROP TABLE abc;\n", 2),
        ("SELEC * FROM abc;\nDROP TABLE abc;\n", 3),
        ("SELECT * FROM nothing;\nDROP TABLE abc;\n", 3),
        (
            "ALTER TABLE abc SET TTL (expires), ADD GSI by_x (x S), DROP GSI none;\nDROP TABLE abc;",
            3,
        ),
    ];
    for (script, code) in cases {
        let ended = scratch.run_on("hashrange sql", &format!("{created}{script}"));
        assert_eq!(ended.code, code, "{}", ended.stderr);
        assert!(ended.stderr.contains("line 3"), "{}", ended.stderr);
        assert!(ended.stdout.starts_with("table abc created\n"), "{}", ended.stdout);
        let dropped = scratch.run("hashrange drop abc --yes").printed("drop");
        assert!(dropped.starts_with("dropped abc"), "it was there: {dropped}");
    }
}

#[test]
fn the_file_of_the_settings_is_read() {
    let mut scratch = Scratch::new();
    let server = scratch.serve("hashrange serve --memory");
    let page = written();
    let file = fences(&page, "toml", "Settings")[0].body;
    let moved = file.replace("127.0.0.1:9000", &format!("127.0.0.1:{}", server.port));
    assert_ne!(file, moved);
    scratch.write("../home/.config/hashrange/client.toml", &moved);
    let keys = "[default]\naws_access_key_id = AKIA1\naws_secret_access_key = one\n";
    scratch.write("../home/.config/hashrange/keys", keys);
    scratch.run("hashrange create shop pk:S").printed("create");
    scratch.run("hashrange put shop '{pk: \"a\"}'").printed("put");
    assert_eq!(scratch.run("hashrange scan shop").printed("scan"), "{\"pk\":\"a\"}\n");
    // A flag wins over the file.
    let table = scratch.run("hashrange scan shop -o table").printed("scan");
    assert!(table.contains("1 item, 1 examined"), "{table}");
    scratch.set("HASHRANGE_OUTPT", "json");
    let refused = scratch.run("hashrange scan shop");
    assert_eq!(refused.code, 2, "{}", refused.stderr);
}
