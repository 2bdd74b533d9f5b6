//! `hashrange sql` without a terminal: statements, definitions and scripts on a folder, and what is
//! said where something is wrong.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use hashrange_testkit::process::bare;
use std::io::Write;
use std::path::Path;
use std::process::{Output, Stdio};

/// Arguments, variables, exit code, and how the complaint begins.
type Case<'a> = (&'a [&'a str], &'a [(&'a str, &'a str)], i32, &'a str);

/// Runs a command with some variables, and returns exit code, standard output and error.
fn run(arguments: &[&str], variables: &[(&str, &str)], input: &str) -> (i32, String, String) {
    let mut command = bare(env!("CARGO_BIN_EXE_hashrange"));
    command.envs(variables.iter().copied());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut process = command.args(arguments).spawn().unwrap();
    // A command that reads nothing may have ended.
    drop(process.stdin.take().unwrap().write_all(input.as_bytes()));
    let Output { status, stdout, stderr } = process.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (status.code().unwrap(), text(stdout), text(stderr))
}

/// Runs `hashrange sql` on a folder.
fn sql(folder: &Path, arguments: &[&str], input: &str) -> (i32, String, String) {
    let mut all = vec!["sql", "--data-dir", folder.to_str().unwrap()];
    all.extend(arguments);
    run(&all, &[], input)
}

const ORDERS: &str = "CREATE TABLE orders (pk S, n N, state S)
  PRIMARY KEY (pk, n)
  GSI \"by-state\" (state, pk) PROJECTION KEYS ONLY
  BILLING ON DEMAND
  STREAM (NEW IMAGE)
  TTL (expires)
  DELETION PROTECTION ON;\n";

#[test]
fn tables_are_created_altered_and_dropped() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("begins/here");
    std::fs::create_dir(folder.path().join("begins")).unwrap();
    let cases = [
        (ORDERS, 0, "table orders created\n", ""),
        (
            "CREATE TABLE IF NOT EXISTS orders (pk S) PRIMARY KEY (pk)",
            0,
            "table orders exists already\n",
            "",
        ),
        (
            "CREATE TABLE orders (pk S) PRIMARY KEY (pk)",
            3,
            "",
            "hashrange: ResourceInUseException: ",
        ),
        ("DROP TABLE orders", 3, "", "hashrange: ValidationException: "),
        (
            "ALTER TABLE orders SET DELETION PROTECTION OFF, ADD GSI by_day (day S, n), DROP GSI by-state, \
             SET STREAM OFF, SET TTL OFF (expires)",
            0,
            "table orders altered\n",
            "",
        ),
        (
            ".schema orders",
            0,
            "CREATE TABLE orders (day S, n N, pk S)\n  PRIMARY KEY (pk, n)\n  GSI by_day (day, n)\n  \
             BILLING ON DEMAND;\n",
            "",
        ),
        (
            "ALTER TABLE orders SET STREAM (KEYS ONLY), DROP GSI nothing",
            3,
            "",
            "hashrange: of the changes to orders the first is done: ResourceNotFoundException: ",
        ),
        ("SHOW TABLES", 0, "orders\n", ""),
        (
            "DROP TABLE orders; DROP TABLE IF EXISTS orders",
            0,
            "table orders dropped\nthere is no table orders\n",
            "",
        ),
        ("CREATE TABLE abc (pk INT)", 2, "", "hashrange: character 22: expected a type: "),
    ];
    for (statement, code, out, start) in cases {
        let (actual, stdout, stderr) = sql(&data, &[statement], "");
        assert_eq!((actual, stdout.as_str()), (code, out), "{statement}: {stderr}");
        assert!(stderr.starts_with(start) && stderr.is_empty() == start.is_empty(), "{stderr}");
    }
}

#[test]
fn what_schema_shows_creates_the_same_table() {
    let folder = tempfile::tempdir().unwrap();
    let (one, two) = (folder.path().join("one"), folder.path().join("two"));
    assert_eq!(sql(&one, &[], ORDERS).0, 0);
    let shown = sql(&one, &[".schema"], "").1;
    assert!(shown.contains("DELETION PROTECTION ON;"), "{shown}");
    assert_eq!(sql(&two, &[], &shown).1, "table orders created\n");
    assert_eq!(sql(&two, &[".schema"], "").1, shown);
}

#[test]
fn a_script_stops_at_the_first_error_with_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let script = "-- a table\nCREATE TABLE abc (pk S) PRIMARY KEY (pk);\n.mode json\n\
                  INSERT INTO abc VALUE {'pk': 'a;b'}; SELECT * FROM abc;\n\n\
                  SELECT\n* FROM absent;\nDROP TABLE abc;\n";
    let (code, stdout, stderr) = sql(folder.path(), &[], script);
    assert_eq!((code, stdout.as_str()), (3, "table abc created\n{\"pk\":\"a;b\"}\n"));
    assert_eq!(
        stderr,
        "hashrange: line 6: ResourceNotFoundException: Requested resource not found\n  hint: there is \
         no table absent; there are abc\n"
    );
    assert_eq!(
        sql(folder.path(), &[], "SELECT * FROM abc").1,
        "pk\n───\na;b\n\n1 item, 0.5 read units\n"
    );
    let (code, _, stderr) = sql(folder.path(), &[], "\n.nothing\n");
    assert_eq!(code, 2);
    assert!(stderr.starts_with("hashrange: line 2: there is no command .nothing"), "{stderr}");
    let (code, _, stderr) = sql(folder.path(), &[], &format!("SELECT\n{}", "x".repeat(1 << 17)));
    assert_eq!((code, stderr.as_str()), (2, "hashrange: line 2: a line is too long\n"));
}

#[test]
fn hints_name_the_likely_mistake() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    assert_eq!(
        sql(
            folder.path(),
            &["CREATE TABLE cities (country S, place S) PRIMARY KEY (country, place)"],
            ""
        )
        .0,
        0
    );
    let cases: &[(&[&str], i32, &str)] = &[
        (&["query", "cities", "country = NL"], 3, "NL without quotes is the name of an attribute"),
        (&["scan", "citys"], 3, "there is no table citys; did you mean cities?"),
        (&["put", "users", "{a: 1}"], 3, "there is no table users; there are cities"),
        (
            &["sql", "SELECT * FROM cities WHERE country", "-p", "NL"],
            2,
            "text stands in quotes: -p \"'NL'\"",
        ),
        (
            &["get", "cities", "NL", "x"],
            4,
            "cities has no item with country = 'NL' and place = 'x'",
        ),
    ];
    for (arguments, code, expected) in cases {
        let mut all = arguments.to_vec();
        all.extend(["--data-dir", path]);
        let (actual, stdout, stderr) = run(&all, &[], "");
        assert_eq!((actual, stdout.as_str()), (*code, ""), "{arguments:?}: {stderr}");
        assert!(stderr.contains(expected), "{arguments:?}: {stderr}");
    }
    let conditional =
        ["update", "cities", "NL", "x", "--set=n = 1", "--if=place = 'y'", "--data-dir", path];
    let (code, _, stderr) = run(&conditional, &[], "");
    assert_eq!((code, stderr.contains('#') || stderr.contains(":v")), (3, false), "{stderr}");
}

#[test]
#[expect(clippy::too_many_lines, reason = "a flat table of cases")]
fn settings_come_from_variables_and_misspelt_ones_are_refused() {
    let nobody = "http://127.0.0.1:1";
    let cases: &[Case<'_>] = &[
        (
            &["tables"],
            &[("AWS_ENDPOINT_URL", nobody)],
            1,
            "connect to 127.0.0.1:1 (is a server there? ",
        ),
        (
            &["tables"],
            &[("AWS_ENDPOINT_URL_DYNAMODB", nobody), ("AWS_ENDPOINT_URL", "x")],
            1,
            "connect to 127.0.0.1:1 ",
        ),
        (
            &["tables"],
            &[("HASHRANGE_ENDPOINT", nobody), ("AWS_ENDPOINT_URL", "x")],
            1,
            "connect to 127.0.0.1:1 ",
        ),
        (
            &["tables"],
            &[("AWS_ENDPOINT_URL", "ftp://x")],
            2,
            "endpoint \"ftp://x\": ftp:// is not spoken here: http:// and https:// are (from AWS_ENDPOINT_URL)",
        ),
        (
            &["tables"],
            &[("HASHRANGE_ENDPONT", nobody)],
            2,
            "environment variable HASHRANGE_ENDPONT is no setting; did you mean HASHRANGE_ENDPOINT?",
        ),
        (
            &["check", "."],
            &[("HASHRANGE_WHATEVER", "1")],
            2,
            "environment variable HASHRANGE_WHATEVER is no setting; unset it",
        ),
        (
            &["serve"],
            &[("HASHRANGE_PROT", "1")],
            2,
            "environment variable HASHRANGE_PROT is no setting; did you mean HASHRANGE_PORT?",
        ),
        (
            &["check", "/nonexistent"],
            &[
                ("HASHRANGE_SERVICE_HOST", "10.0.0.1"),
                ("HASHRANGE_PORT_8000_TCP", "tcp://10.0.0.1:8000"),
            ],
            1,
            "/nonexistent: there is no such folder",
        ),
        (
            &["tables"],
            &[("HASHRANGE_CLIENT_CONFIG", "/nonexistent/x.toml")],
            2,
            "/nonexistent/x.toml: ",
        ),
        (
            &["tables", "--profile=x"],
            &[("HOME", "")],
            2,
            "--profile names one of the profiles in a file: give --credentials FILE, too",
        ),
        (
            &["tables", "--data-dir=/nonexistent/x"],
            &[],
            1,
            "/nonexistent/x: there is no such folder (`hashrange sql --data-dir /nonexistent/x` begins",
        ),
    ];
    for (arguments, variables, code, start) in cases {
        let (actual, stdout, stderr) = run(arguments, variables, "");
        assert_eq!((actual, stdout.as_str()), (*code, ""), "{arguments:?} {variables:?}: {stderr}");
        assert!(stderr.starts_with(&format!("hashrange: {start}")), "{variables:?}: {stderr}");
    }
}

#[test]
fn colours_are_for_who_asks() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(
        sql(
            folder.path(),
            &["CREATE TABLE abc (pk S) PRIMARY KEY (pk); INSERT INTO abc VALUE {'pk': 'a'}"],
            ""
        )
        .0,
        0
    );
    let select = "SELECT * FROM abc";
    let plain = sql(folder.path(), &[select], "").1;
    assert!(!plain.contains('\x1b'), "{plain}");
    let coloured = sql(folder.path(), &[select, "--color=always"], "").1;
    assert!(coloured.starts_with("\x1b[1mpk\x1b[0m\n"), "{coloured}");
    let expanded = sql(folder.path(), &[select, "-x"], "").1;
    assert!(expanded.starts_with("── 1 ─") && expanded.contains("\npk  a\n"), "{expanded}");
}

#[test]
fn what_is_nearly_right_has_a_hint() {
    let folder = tempfile::tempdir().unwrap();
    let create =
        "CREATE TABLE pets (PK S, SK S, owner S) PRIMARY KEY (PK, SK) GSI GSI1 (owner, SK);";
    assert_eq!(sql(folder.path(), &[create], "").0, 0);
    let data = folder.path().to_str().unwrap();
    let cases: [(&[&str], &str); 9] = [
        (
            &["sql", "SELECT * FORM pets"],
            "hint: did you mean FROM where FORM stands?\n    SELECT * FORM pets\n             ^\n",
        ),
        (&["sql", "SELECT * FROM pets LIMIT 3"], "statements have no LIMIT"),
        (&["sql", "SELECT count(*) FROM pets"], "count with --count"),
        (&["sql", "SELECT * FROM pets.gsi1"], "there is no index gsi1; did you mean GSI1?"),
        (&["scan", "pets", "--index", "gsi1"], "there is no index gsi1; did you mean GSI1?"),
        (&["query", "pets", "owner = 'a'"], "owner is the key of the index GSI1: --index GSI1"),
        (&["query", "pets", "pk = 'a'"], "pk is no key; did you mean PK?"),
        (&["put", "pets", "{pk: 'a', SK: 'b'}"], "the key is PK, and the item has pk"),
        (&["sql", "INSERT INTO pets VALUES ('a')"], "VALUE {"),
    ];
    for (arguments, hint) in cases {
        let (code, out, said) = run(&[arguments, &["--data-dir", data]].concat(), &[], "");
        assert_eq!((code, out.as_str()), (3, ""), "{arguments:?}");
        assert!(said.contains(hint), "{arguments:?}: {said}");
    }
}

#[test]
fn an_item_of_the_arguments_may_be_in_dynamodbs_json() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(sql(folder.path(), &["CREATE TABLE pets (PK S) PRIMARY KEY (PK)"], "").0, 0);
    let data = folder.path().to_str().unwrap();
    let items = [
        r#"{"PK": {"S": "a"}, "n": {"N": "1"}}"#,
        r#"{"Item": {"PK": {"S": "b"}, "n": {"N": "2"}}}"#,
        r#"{"PK": "c", "n": {"N": "3"}}"#,
    ];
    for item in items {
        let (code, _, said) = run(&["put", "pets", item, "--data-dir", data], &[], "");
        assert_eq!((code, said.as_str()), (0, ""), "{item}");
    }
    for (key, expected) in [("a", r#""n":1"#), ("b", r#""n":2"#), ("c", r#""n":{"N":"3"}"#)] {
        let (_, out, _) = run(&["get", "pets", key, "-o", "json", "--data-dir", data], &[], "");
        assert!(out.contains(expected), "{key}: {out}");
    }
}

#[test]
fn a_count_is_of_all_pages() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(sql(folder.path(), &["CREATE TABLE pets (PK N) PRIMARY KEY (PK)"], "").0, 0);
    let data = folder.path().to_str().unwrap();
    // Three pages of a mebibyte.
    let long = "x".repeat(300_000);
    let item = |pk: u32| format!("{{PK: {pk}, t: '{long}'}}\n");
    let items = (0..8).map(item).collect::<Vec<_>>().concat();
    assert_eq!(run(&["put", "pets", "--data-dir", data], &[], &items).0, 0);
    let scan = ["scan", "pets", "--count", "--data-dir", data];
    let (_, out, _) = run(&scan, &[], "");
    assert!(out.starts_with("8 items, 8 examined, ") && !out.contains("more follow"), "{out}");
    let (_, out, _) = run(&[&scan[..], &["-o", "json"]].concat(), &[], "");
    assert_eq!(out, "{\"count\":8}\n");
    let (_, out, _) = run(&[&scan[..], &["--limit", "2"]].concat(), &[], "");
    assert!(out.starts_with("2 items, 2 examined, ") && out.contains("more follow"), "{out}");
}
