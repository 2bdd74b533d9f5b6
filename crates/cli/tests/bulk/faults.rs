//! What is wrong is said with its line; what is in, and where to go on, too.

use super::served::{Ended, Server, text};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::Stdio;

fn lines(numbers: std::ops::RangeInclusive<usize>) -> String {
    numbers.flat_map(|n| ["{pk:'".to_owned(), n.to_string(), "'}\n".to_owned()]).collect()
}

fn ended(code: i32, stdout: &str, stderr: &str) -> Ended {
    Ended { code, stdout: stdout.to_owned(), stderr: stderr.to_owned() }
}

#[test]
fn a_bad_line_is_named_and_the_rest_can_follow() {
    let server = Server::start(&[]);
    server.create("tab");
    let with = |bad: &str| format!("{}{bad}\n{}", lines(1..=39), lines(41..=60));
    let unreadable = "hashrange: line 40: the item: expected `{` at character 1, not 'x'\n\
                      39 items are in; go on with --from-line 40\n";
    for command in ["put", "import"] {
        let found = server.run(&[command, "tab"], with("x").as_bytes());
        assert_eq!(found, ended(2, "", unreadable));
        let rest = with("{pk:'40'}");
        let found = server.run(&[command, "tab", "--from-line=40"], rest.as_bytes());
        assert_eq!(found, ended(0, "21 items into tab, 21 write units\n", ""));
    }
    assert_eq!(server.items("tab").len(), 60);
    let refused = server.run(&["put", "tab"], with("{pk:1}").as_bytes());
    let start = "hashrange: line 40: ValidationException: One or more parameter values were \
                 invalid: Type mismatch for key pk expected: S actual: N\n";
    assert!(refused.stderr.starts_with(start), "{}", refused.stderr);
    assert!(refused.stderr.ends_with("; go on with --from-line 40\n"), "{}", refused.stderr);
    assert_eq!(refused.code, 3);
}

#[test]
fn bad_lines_can_be_skipped_each_is_told() {
    let server = Server::start(&[]);
    server.create("tab");
    let long = format!("{{pk:'{}'}}", "x".repeat(9 << 20));
    let input = [b"{pk:'1'}\nx\n{}\n\xff\n".as_slice(), long.as_bytes(), b"\n{pk:'2'}"].concat();
    let found = server.run(&["import", "tab", "--skip-bad"], &input);
    assert_eq!(
        (found.code, found.stdout.as_str()),
        (0, "2 items into tab, 4 items skipped, 2 write units\n")
    );
    let mut told: Vec<&str> = found.stderr.lines().collect();
    told.sort_unstable();
    assert_eq!(told.len(), 4, "{told:?}");
    assert_eq!(
        told[0],
        "hashrange: line 2: the item: expected `{` at character 1, not 'x' (skipped)"
    );
    assert!(told[1].starts_with("hashrange: line 3: ValidationException: "), "{told:?}");
    assert!(told[2].starts_with("hashrange: line 4: not in UTF-8: byte 1 is 0xff"), "{told:?}");
    assert_eq!(told[3], "hashrange: line 5: longer than 8 MiB, which no item is (skipped)");
}

#[test]
fn of_several_files_the_one_with_the_fault_is_named() {
    let server = Server::start(&[]);
    let folder = tempfile::tempdir().unwrap();
    server.create("tab");
    let file = |name: &str, content: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let (one, two) = (file("1", &lines(1..=3)), file("2.csv", "pk,n:N\n4,1\n5,x\n"));
    let three = file("3", &lines(6..=6));
    let found = server.run(&["import", "tab", &one, &two, &three], b"");
    let expected = format!(
        "hashrange: {two}: line 3: column n:N: \"x\" is no number\n\
         4 items are in; go on with --from-line 3 {two} {three}\n"
    );
    assert_eq!(found, ended(2, "", &expected));
    std::fs::write(&two, "pk,n:N\n4,1\n5,2\n").unwrap();
    let found = server.run(&["import", "tab", "--from-line=3", &two, &three], b"");
    assert_eq!(found, ended(0, "2 items into tab, 2 write units\n", ""));
    assert_eq!(server.items("tab").len(), 6);
}

#[test]
#[expect(clippy::too_many_lines, reason = "a flat table of cases")]
fn what_cannot_work_is_refused_with_its_reason() {
    let server = Server::start(&[]);
    let folder = tempfile::tempdir().unwrap();
    server.create("tab");
    let here = text(folder.path());
    let absent = format!("{here}/absent/x");
    let cases: &[(&[&str], &str, i32, &str)] = &[
        (&["import", "nothing"], "", 3, "ResourceNotFoundException: Requested resource not found"),
        (&["import", "tab", &absent], "", 1, "line 1: read "),
        (&["import", "tab", here], "", 1, "line 1: read "),
        (&["import", "tab", "-", "-"], "", 2, "standard input can be read once only"),
        (&["import", "tab", "--schema=a:N"], "", 2, "--schema is for CSV: --format csv"),
        (&["import", "tab", "--header=pk"], "", 2, "--header is for CSV: --format csv"),
        (&["import", "tab", "--delimiter=;"], "", 2, "--delimiter is for CSV: --format csv"),
        (
            &["import", "tab", "--format=csv", "--header=pk,pk"],
            "",
            2,
            "--header: the column pk:S stands twice",
        ),
        (
            &["import", "tab", "--format=csv"],
            "pk;n\na;1\n",
            2,
            "line 1: the header has no column pk, but it has with another delimiter: hashrange import \
             --delimiter ';' reads it",
        ),
        (
            &["import", "tab", "--format=csv"],
            "p\0k\0\n",
            2,
            "line 1: every other byte is zero, as in UTF-16 without a byte order mark",
        ),
        (
            &["import", "tab"],
            "$ion_1_0 {Item:{pk:\"a\"}}\n",
            2,
            "line 1: standard input is in Amazon Ion",
        ),
        (
            &["import", "tab"],
            "{\"Metadata\":{},\"Keys\":{\"pk\":{\"S\":\"a\"}},\"NewImage\":{\"pk\":{\"S\":\"a\"}}}\n",
            2,
            "line 1: a change of an incremental export",
        ),
        (
            &["import", "tab", "--format=ddb"],
            "{\"itemCount\":1,\"dataFileS3Key\":\"x\"}\n",
            2,
            "line 1: the manifest of an export",
        ),
        (
            &["import", "tab", "--format=csv", "--schema=a"],
            "",
            2,
            "--schema: \"a\" is no attribute",
        ),
        (
            &["import", "tab", "--format=csv"],
            "pk,pk\n",
            2,
            "line 1: the header: the column pk:S stands twice",
        ),
        (&["import", "tab"], "[1]\n", 2, "line 1: the item: expected `{` at character 1, not '1'"),
        (
            &["put", "tab"],
            "[{\"pk\":\"1\"},\n{\"pk\":[\n1}]",
            2,
            "line 2: expected `]`, not `}` in line 3\n1 item is in; go on with --from-line 2\n",
        ),
        (
            &["put", "tab", "--if=attribute_not_exists(a)"],
            "[{\"pk\":\"1\"},\n{\"pk\":\"2\"},",
            2,
            "line 2, item 2: expected an item, not the end of the file\n2 items are in; go on with",
        ),
        (
            &["import", "tab"],
            "{\"a\":[{\"PutRequest\":{\"Item\":{\"pk\":\"1\"}}}],\"b\":[]}",
            2,
            "line 1: it has items of the tables a and b: a file has those of one table\n0 items",
        ),
        (
            &["import", "tab", "--format=ddb"],
            "{\"pk\":\"a\"}\n",
            2,
            "line 1: attribute \"pk\": expected a type and a value",
        ),
        (&["export", "nothing"], "", 3, "ResourceNotFoundException: Requested resource not found"),
        (&["export", "tab", &absent], "", 1, "write "),
        (&["export", "tab", here], "", 1, "write "),
        (
            &["put", "tab", "--if=attribute_not_exists(pk)"],
            "{pk:'9'}\n{pk:'9'}\n",
            3,
            "line 2: ConditionalCheckFailedException",
        ),
    ];
    for (arguments, input, code, start) in cases {
        let found = server.run(arguments, input.as_bytes());
        assert_eq!((found.code, found.stdout.as_str()), (*code, ""), "{arguments:?} {found:?}");
        let start = format!("hashrange: {start}");
        assert!(found.stderr.starts_with(&start), "{arguments:?}: {}", found.stderr);
    }
    let conflicts: &[&[&str]] = &[
        &["put", "tab", "{pk:'1'}", "--skip-bad"],
        &["put", "tab", "--if=a = 1", "--in-flight=2"],
        &["import", "tab", "--in-flight=0"],
        &["import", "tab", "--from-line=0"],
        &["export", "tab", "--segments=0"],
    ];
    for arguments in conflicts {
        let found = server.run(arguments, b"");
        assert_eq!((found.code, found.stdout.as_str()), (2, ""), "{arguments:?}");
        assert!(found.stderr.starts_with("error: "), "{arguments:?}: {}", found.stderr);
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "no file is left over");
}

#[test]
fn a_hostile_database_gets_and_gives_all_items() {
    let server = Server::start(&["--profile=hostile", "--seed=7", "--table-delay-ms=1"]);
    server.create("tab");
    let told = server.run(&["import", "tab"], lines(1..=600).as_bytes()).printed();
    assert_eq!(told, "600 items into tab, 600 write units\n");
    assert_eq!(server.items("tab").len(), 600);
}

#[test]
fn single_commands_live_with_a_hostile_database() {
    let server = Server::start(&["--profile=hostile", "--seed=3", "--table-delay-ms=1"]);
    server.create("tab");
    for n in 0..40 {
        let n = n.to_string();
        server.run(&["put", "tab", &format!("{{pk:'{n}'}}")], b"").printed();
        server.run(&["update", "tab", &n, "--set=a = 1"], b"").printed();
        server.run(&["get", "tab", &n, "--consistent"], b"").printed();
    }
}

#[test]
fn a_throttled_table_gets_all_items() {
    let server = Server::start(&["--profile=aws", "--table-delay-ms=1"]);
    let create = ["create", "tab", "pk:S", "--throughput=200:100"];
    assert_eq!(server.run(&create, b"").printed(), "created tab\n");
    // More than the bucket holds.
    let told = server.run(&["import", "tab"], lines(1..=200).as_bytes()).printed();
    assert_eq!(told, "200 items into tab, 200 write units\n");
    assert_eq!(server.items("tab").len(), 200);
}

#[cfg(unix)]
#[test]
fn an_interrupted_import_says_where_to_go_on() {
    let server = Server::start(&[]);
    server.create("tab");
    let mut command = server.command(&["import", "tab"]);
    let mut process = command.stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = process.stdin.take().unwrap();
    stdin.write_all(lines(1..=30).as_bytes()).unwrap();
    // They are put although more may come.
    while server.items("tab").len() < 30 {}
    let pid = process.id().to_string();
    assert!(std::process::Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    let mut told = String::new();
    BufReader::new(process.stderr.take().unwrap()).read_to_string(&mut told).unwrap();
    assert_eq!(told, "hashrange: interrupted\n30 items are in; go on with --from-line 31\n");
    assert_eq!(process.wait().unwrap().code(), Some(130));
    drop(stdin);
}

#[test]
fn a_database_that_goes_away_is_told_with_what_is_in() {
    let server = Server::start(&[]);
    server.create("tab");
    let mut command = server.command(&["import", "tab"]);
    let mut process = command.stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = process.stdin.take().unwrap();
    stdin.write_all(lines(1..=30).as_bytes()).unwrap();
    while server.items("tab").len() < 30 {}
    drop(server);
    stdin.write_all(lines(31..=60).as_bytes()).unwrap();
    drop(stdin);
    let mut told = BufReader::new(process.stderr.take().unwrap()).lines();
    let (first, second) = (told.next().unwrap().unwrap(), told.next().unwrap().unwrap());
    assert!(first.starts_with("hashrange: line 31: connect to "), "{first}");
    assert_eq!(second, "30 items are in; go on with --from-line 31");
    assert_eq!(process.wait().unwrap().code(), Some(1));
}
