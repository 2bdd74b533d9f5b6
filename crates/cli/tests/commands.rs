//! The binary as people use it: a server, commands against it and against a folder, exit codes.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod served;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Output, Stdio};

const TABLE: &str = r#"{"TableName":"cities","BillingMode":"PAY_PER_REQUEST",
    "AttributeDefinitions":[{"AttributeName":"country","AttributeType":"S"},
        {"AttributeName":"rank","AttributeType":"N"}],
    "KeySchema":[{"AttributeName":"country","KeyType":"HASH"},
        {"AttributeName":"rank","KeyType":"RANGE"}]}"#;

/// Returns the binary, whose output is read.
fn hashrange() -> Command {
    let mut command = served::hashrange(&[]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// A server on a free port.
struct Server {
    process: Child,
    log: BufReader<ChildStderr>,
    address: String,
}

impl Server {
    fn start(arguments: &[&str]) -> Self {
        let mut command = hashrange();
        command.args(["serve", "--port=0", "--log-format=json"]).args(arguments);
        let mut process = command.spawn().unwrap();
        let mut log = BufReader::new(process.stderr.take().unwrap());
        let mut line = String::new();
        while !line.contains("\"endpoint\"") {
            line.clear();
            assert!(log.read_line(&mut line).unwrap() > 0, "the server ended");
        }
        let (_, rest) = line.split_once("\"endpoint\":\"http://").unwrap();
        let address = rest.split('"').next().unwrap().to_owned();
        Self { process, log, address }
    }

    /// Runs a command against the server and returns exit code, standard output and error.
    fn run(&self, arguments: &[&str], input: &str) -> (i32, String, String) {
        let mut command = hashrange();
        command.env("HASHRANGE_ENDPOINT", format!("http://{}", self.address)).args(arguments);
        run(command, input)
    }

    #[cfg(unix)]
    fn signal(&self, name: &str) {
        let pid = self.process.id().to_string();
        assert!(Command::new("kill").args([name, &pid]).status().unwrap().success());
    }

    fn ended(&mut self) -> (Option<i32>, String) {
        let code = self.process.wait().unwrap().code();
        let mut log = String::new();
        self.log.read_to_string(&mut log).unwrap();
        (code, log)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Ends it if a test has not.
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

fn run(mut command: Command, input: &str) -> (i32, String, String) {
    let mut process = command.stdin(Stdio::piped()).spawn().unwrap();
    process.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let Output { status, stdout, stderr } = process.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (status.code().unwrap(), text(stdout), text(stderr))
}

fn refused(arguments: &[&str]) -> (i32, String) {
    let mut command = hashrange();
    command.args(arguments);
    let (code, stdout, stderr) = run(command, "");
    assert_eq!(stdout, "", "{arguments:?}");
    (code, stderr)
}

const SCANNED: &str = "{\"country\":\"NL\",\"n\":1,\"rank\":1}\n\
    {\"country\":\"NL\",\"name\":\"Rotterdam\",\"rank\":2,\"tags\":[\"port\"]}\n";

const ITEMS: &str = r#"{"country":"NL","rank":1,"name":"Amsterdam","size":219.3}
{"country":"NL","rank":2,"name":"Rotterdam",tags:<<"port">>}

{"country":"BE","rank":1,"name":"Brussel","old":true}
"#;

#[test]
#[expect(clippy::too_many_lines, reason = "a flat table of commands and what they print")]
fn commands_print_what_the_server_answers() {
    let server = Server::start(&["--memory"]);
    let cases: &[(&[&str], &str, i32, &str)] = &[
        (&["put", "cities"], ITEMS, 0, "3 items into cities, 3 write units\n"),
        (&["tables"], "", 0, "cities\n"),
        (
            &["describe", "cities"],
            "",
            0,
            "cities: active, 3 items, 102 bytes\n\n\
             index    keys               projection  status  items  bytes\n\
             ───────  ─────────────────  ──────────  ──────  ─────  ─────\n\
             (table)  country S, rank N  ALL         ACTIVE  3      102\n\n\
             billing       on demand\n\
             stream        off\n\
             time to live  off\n\
             protected     no\n\
             class         STANDARD\n\
             tags          none\n\
             arn           arn:aws:dynamodb:us-east-1:314159265358:table/cities\n",
        ),
        (
            &["query", "cities", "country = 'NL'", "--reverse"],
            "",
            0,
            "country  rank  name       tags      size\n\
             ───────  ────  ─────────  ────────  ─────\n\
             NL          2  Rotterdam  [\"port\"]\n\
             NL          1  Amsterdam            219.3\n\n\
             2 items, 2 examined, 0.5 read units\n",
        ),
        (
            &["query", "cities", "country = 'NL' and rank < 9", "--limit=1", "--select=name, size"],
            "",
            0,
            "name       size\n─────────  ─────\nAmsterdam  219.3\n\n\
             1 item, 1 examined, 0.5 read units\n\
             more follow: --start '{\"country\": \"NL\", \"rank\": 1}'\n",
        ),
        (
            &[
                "query",
                "cities",
                "country = 'NL'",
                "--limit=1",
                "--start={country:'NL',rank:1}",
                "-ojson",
            ],
            "",
            0,
            "{\"country\":\"NL\",\"name\":\"Rotterdam\",\"rank\":2,\"tags\":[\"port\"]}\n",
        ),
        (
            &["query", "cities", "country = 'NL'", "--limit=1", "--all", "--count"],
            "",
            0,
            "2 items, 2 examined, 1.5 read units\n",
        ),
        (
            &[
                "scan",
                "cities",
                "--filter",
                "contains(name, 'dam') and attribute_exists(tags)",
                "-ojson",
                "--select=tags[0], name",
            ],
            "",
            0,
            "{\"name\":\"Rotterdam\"}\n",
        ),
        (
            &["get", "cities", "NL", "1", "-oddb", "--select=name"],
            "",
            0,
            "{\"Item\":{\"name\":{\"S\":\"Amsterdam\"}}}\n",
        ),
        (
            &[
                "update",
                "cities",
                "{country:'NL', rank:1}",
                "--set=size = size + 0.7, state = 'x'",
                "--add=n -1",
                "--add=tags <<'capital'>>",
                "--remove=name",
                "--if=size = 219.3",
                "-ojson",
            ],
            "",
            0,
            "{\"country\":\"NL\",\"n\":-1,\"rank\":1,\"size\":220,\"state\":\"x\",\"tags\":[\"capital\"]}\n",
        ),
        (
            &["update", "cities", "NL", "1", "--set=n = 1", "--remove=tags, state, size"],
            "",
            0,
            "attribute  type  value\n─────────  ────  ─────\n\
             country    S     NL\nn          N     1\nrank       N     1\n\n1 item written, 1 write unit\n",
        ),
        (
            &["delete", "cities", "BE", "1", "--if=old = true"],
            "",
            0,
            "1 item deleted, 1 write unit\n",
        ),
        (
            &["delete", "cities", "BE", "1"],
            "",
            4,
            "cities has no item with country = 'BE' and rank = 1\n",
        ),
        (
            &["get", "cities", "'BE'", "-1"],
            "",
            4,
            "cities has no item with country = ''BE'' and rank = -1\n  hint: a key stands as it is",
        ),
        (&["tables", "-ojson"], "", 0, "{\"table\":\"cities\"}\n"),
        (&["tables", "-oddb"], "", 0, "{\"TableNames\":[\"cities\"]}\n"),
        (&["api", "Scan", "{\"TableName\":\"cities\"}", "-ojson", "--region=x"], "", 0, SCANNED),
        (&["get", "cities", "BE"], "", 2, "the key of cities is country and rank, not BE"),
        (&["get", "cities", "{x"], "", 2, "the key: expected `:` at character 3, not the end"),
        (
            &["get", "nothing", "x"],
            "",
            3,
            "ResourceNotFoundException: Requested resource not found",
        ),
        (&["put", "cities", "{}"], "", 3, "ValidationException: "),
        (&["put", "cities", "[]"], "", 2, "the item: expected `{` at character 1, not '['"),
        (&["put", "cities"], "{\"country\":\"x\",\"rank\":1}\nx", 2, "line 2: the item: "),
        (&["update", "cities", "x", "1"], "", 2, "say what to change"),
        (&["api", "describelimits", "{"], "", 3, "SerializationException"),
        (&["api", "Nothing"], "", 2, "there is no operation \"Nothing\""),
        (&["api", "ListTables", "-"], "{}", 0, "{\"TableNames\":[\"cities\"]}\n"),
    ];
    let created = server.run(&["api", "CreateTable", TABLE], "");
    assert_eq!((created.0, created.2.as_str()), (0, ""));
    for (arguments, input, code, expected) in cases {
        let (actual, stdout, stderr) = server.run(arguments, input);
        assert_eq!(actual, *code, "{arguments:?}: {stdout}{stderr}");
        if *code == 0 {
            assert_eq!((stdout.as_str(), stderr.as_str()), (*expected, ""), "{arguments:?}");
        } else {
            assert_eq!(stdout, "", "{arguments:?}");
            assert!(
                stderr.starts_with(&format!("hashrange: {expected}")),
                "{arguments:?}: {stderr}"
            );
        }
    }
}

#[test]
fn commands_and_server_use_the_same_folder() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    let local = |arguments: &[&str], input: &str| {
        let mut command = hashrange();
        command.args(arguments).args(["--data-dir", path]);
        run(command, input)
    };
    assert_eq!(local(&["api", "CreateTable", TABLE], "").0, 0);
    let told = "3 items into cities, 3 write units\n".to_owned();
    assert_eq!(local(&["put", "cities"], ITEMS), (0, told, String::new()));
    let server = Server::start(&["--data-dir", path]);
    assert_eq!(server.run(&["scan", "cities", "--count", "-ojson"], "").1, "{\"count\":3}\n");
    let (code, _, stderr) = local(&["tables"], "");
    assert_eq!(code, 1, "{stderr}");
    assert!(stderr.starts_with(&format!("hashrange: open {path}: ")), "{stderr}");
    drop(server);
    let mut check = hashrange();
    check.args(["check", path]);
    assert_eq!(
        run(check, "").1,
        "1 tables, 3 items, 0 index entries, 0 stream records, 0 problems\n"
    );
}

#[test]
fn statements_are_given_or_read_from_standard_input() {
    let server = Server::start(&["--memory"]);
    assert_eq!(server.run(&["api", "CreateTable", TABLE], "").0, 0);
    let insert = "INSERT INTO cities VALUE {'country': 'NL', 'rank': ?, 'name': ?}";
    let given = server.run(&["sql", insert, "-p", "1", "-p", "'Amsterdam'"], "");
    assert_eq!(given, (0, "1 item inserted, 1 write unit\n".to_owned(), String::new()));
    let script = "INSERT INTO cities VALUE {'country': 'NL',\n 'rank': 2};\n\n\
                  SELECT * FROM cities WHERE country = 'NL'";
    let read = server.run(&["sql", "--output=json"], script);
    let rows = "{\"country\":\"NL\",\"name\":\"Amsterdam\",\"rank\":1}\n\
                {\"country\":\"NL\",\"rank\":2}\n";
    assert_eq!(read, (0, rows.to_owned(), String::new()));
    let pages = server.run(&["sql", "SELECT rank FROM cities", "--limit=1"], "");
    let page = "rank\n────\n   1\n\n1 item, 0.5 read units\nmore follow: --all reads them\n";
    assert_eq!(pages, (0, page.to_owned(), String::new()));
    let all = server.run(&["sql", "SELECT rank FROM cities", "--limit=1", "--all", "-ojson"], "");
    assert_eq!(all.1, "{\"rank\":1}\n{\"rank\":2}\n");
    let refused = server.run(&["sql"], "SELEC;\nSELECT rank FROM cities;");
    assert_eq!((refused.0, refused.1.as_str()), (3, ""));
    assert!(refused.2.contains("Expected data manipulation"), "{}", refused.2);
}

#[test]
fn a_server_can_start_with_a_sample() {
    let server = Server::start(&["--memory", "--sample", "orders"]);
    assert_eq!(server.run(&["tables"], "").1, "orders\n");
    assert_eq!(server.run(&["scan", "orders", "--count", "-ojson"], "").1, "{\"count\":22}\n");
    let (code, stderr) = refused(&["serve", "--memory", "--port=0", "--sample=x"]);
    assert_eq!(code, 2);
    assert!(stderr.starts_with("hashrange: there is no sample \"x\", only world, "), "{stderr}");
}

#[test]
fn a_server_with_credentials_answers_only_those_who_have_them() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, secret: &str| {
        let path = folder.path().join(name);
        let text =
            format!("[app]\naws_access_key_id=AKIDEXAMPLE\naws_secret_access_key={secret}\n");
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let (right, wrong) = (write("right", "secret"), write("wrong", "other"));
    let server = Server::start(&["--memory", "--credentials", &right]);
    let cases = [
        (vec!["tables"], 3, "hashrange: MissingAuthenticationTokenException: "),
        (vec!["tables", "--credentials", &wrong], 3, "hashrange: InvalidSignatureException: "),
        (vec!["tables", "--credentials", &right], 0, ""),
        (vec!["tables", "--credentials", &right, "--profile", "x"], 2, "hashrange: "),
        (vec!["tables", "--credentials", "/absent"], 2, "hashrange: /absent: "),
    ];
    for (arguments, code, start) in cases {
        let (actual, _, stderr) = server.run(&arguments, "");
        assert_eq!(actual, code, "{arguments:?}: {stderr}");
        assert!(stderr.starts_with(start), "{arguments:?}: {stderr}");
    }
    let mut signed = hashrange();
    signed.env("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE").env("AWS_SECRET_ACCESS_KEY", "secret");
    signed.args(["tables", "--endpoint", &format!("http://{}", server.address)]);
    assert_eq!(run(signed, "").0, 0);
}

#[test]
fn what_cannot_work_is_refused_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let unknown = file("unknown.toml", b"\nprot = 1\n");
    let binary = file("binary.toml", b"\xff\xfe\0");
    let taken = Server::start(&["--memory"]);
    let (_, port) = taken.address.rsplit_once(':').unwrap();
    let cases: &[(&[&str], i32, String)] = &[
        (
            &["serve", "--memory", "--port=0", "--host=0.0.0.0"],
            1,
            "hashrange: refuse to listen on 0.0.0.0:".into(),
        ),
        (
            &["serve", "--memory", "--data-dir=x"],
            2,
            "hashrange: memory and data-dir exclude".into(),
        ),
        (&["serve", "--config", &unknown], 2, format!("hashrange: {unknown}:2: unknown field")),
        (&["serve", "--config", &binary], 2, format!("hashrange: {binary}: a configuration file")),
        (&["serve", "--memory", "--credentials", &binary], 2, format!("hashrange: {binary}")),
        (
            &["serve", "--memory", "--port", port],
            1,
            format!("hashrange: listen on 127.0.0.1:{port}: "),
        ),
        (&["serve", "--port=x"], 2, "error: invalid value 'x' for '--port".into()),
        (&["serve", "--cache-size=1x"], 2, "error: invalid value '1x'".into()),
        (
            &["serve", "--data-dir", &unknown, "--port=0"],
            1,
            "hashrange: open the database in ".into(),
        ),
        (
            &["tables", "--endpoint=http://127.0.0.1:1"],
            1,
            "hashrange: connect to 127.0.0.1:1 ".into(),
        ),
        (
            &["tables", "--endpoint=ftp://x"],
            2,
            "hashrange: endpoint \"ftp://x\": ftp:// is not".into(),
        ),
        (&["tables", "--data-dir=/absent/x"], 1, "hashrange: /absent/x: there is no such".into()),
        (&["nothing"], 2, "error: unrecognized subcommand".into()),
    ];
    for (arguments, code, start) in cases {
        let (actual, stderr) = refused(arguments);
        assert_eq!(actual, *code, "{arguments:?}: {stderr}");
        assert!(stderr.starts_with(start.as_str()), "{arguments:?}: {stderr}");
    }
}

#[cfg(unix)]
#[test]
fn a_signal_ends_the_server_in_order() {
    for name in ["-TERM", "-INT"] {
        let mut server = Server::start(&["--memory"]);
        let _idle = TcpStream::connect(&server.address).unwrap();
        assert_eq!(server.run(&["tables"], "").0, 0);
        server.signal(name);
        let (code, log) = server.ended();
        assert_eq!(code, Some(0), "{log}");
        assert!(log.contains("\"message\":\"stopped\""), "{log}");
        assert!(!log.contains("ERROR") && !log.contains("WARN"), "{log}");
    }
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[test]
fn memory_of_large_requests_is_given_back_at_once() {
    const BODIES: usize = 10;
    const BODY_BYTES: usize = 16 << 20;
    let server = Server::start(&["--memory"]);
    let resident_mib = || {
        let status = format!("/proc/{}/status", server.process.id());
        let status = std::fs::read_to_string(status).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        line.trim().strip_suffix(" kB").unwrap().parse::<u64>().unwrap() / 1024
    };
    assert_eq!(server.run(&["api", "CreateTable", TABLE], "").0, 0);
    let value = "v".repeat(390_000);
    let puts: Vec<_> = (0..25)
        .map(|rank| {
            format!(
                r#"{{"PutRequest":{{"Item":{{"country":{{"S":"NL"}},"rank":{{"N":"{rank}"}},"v":{{"S":"{value}"}}}}}}}}"#
            )
        })
        .collect();
    let body = format!(r#"{{"RequestItems":{{"cities":[{}]}}}}"#, puts.join(","));
    let request = format!(
        "POST / HTTP/1.1\r\nHost: localhost\r\nX-Amz-Target: DynamoDB_20120810.BatchWriteItem\r\n\
         Content-Type: application/x-amz-json-1.0\r\nContent-Length: {BODY_BYTES}\r\n\r\n{body}{}",
        " ".repeat(BODY_BYTES - body.len())
    );
    let stored_mib = (puts.len() * value.len()) as u64 >> 20;
    let before = resident_mib();
    for _ in 0..BODIES {
        let (_, answer) = talk(&server.address, &request);
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    }
    // What the last one freed may still be on its way.
    let grown = resident_mib() - before;
    assert!(grown < stored_mib + 32, "{grown} MiB, of which {stored_mib} are items");
}

#[test]
fn a_reader_that_goes_away_ends_a_command_quietly() {
    let server = Server::start(&["--memory"]);
    assert_eq!(server.run(&["api", "CreateTable", TABLE], "").0, 0);
    let mut command = hashrange();
    command.args(["api", "DescribeTable", "{\"TableName\":\"cities\"}"]);
    command.env("HASHRANGE_ENDPOINT", format!("http://{}", server.address));
    let mut process = command.spawn().unwrap();
    drop(process.stdout.take());
    let ended = process.wait_with_output().unwrap();
    assert_eq!((ended.status.code(), ended.stderr.as_slice()), (Some(0), &b""[..]));
    assert!(!Path::new("hashrange-data").exists());
}

/// Sends bytes to a server and returns what it answers up to the end of the connection or its first
/// pause.
fn talk(address: &str, sent: &str) -> (TcpStream, String) {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(sent.as_bytes()).unwrap();
    let mut answer = vec![0; 64 * 1024];
    let length = stream.read(&mut answer).unwrap();
    (stream, String::from_utf8_lossy(&answer[..length]).into_owned())
}

#[test]
fn names_and_origins_of_strangers_are_refused_unless_allowed() {
    let scan = |host: &str, origin: &str| {
        format!(
            "POST / HTTP/1.1\r\nHost: {host}\r\n{origin}X-Amz-Target: DynamoDB_20120810.ListTables\r\n\
             Content-Type: application/x-amz-json-1.0\r\nContent-Length: 2\r\n\r\n{{}}"
        )
    };
    let page = "Origin: https://app.example\r\n";
    let plain = Server::start(&["--memory"]);
    let told = Server::start(&[
        "--memory",
        "--allow-host=db",
        "--allow-host=other",
        "--allow-origin=https://app.example",
    ]);
    for (host, origin, by_plain, by_told) in [
        ("localhost:8000", "", "200", "200"),
        ("evil.example", "", "403", "403"),
        ("db:8000", "", "403", "200"),
        ("other", "", "403", "200"),
        ("localhost", page, "403", "200"),
        ("localhost", "Origin: https://evil.example\r\n", "403", "403"),
        ("localhost", "Origin: http://localhost:3000\r\n", "200", "200"),
    ] {
        for (server, expected) in [(&plain, by_plain), (&told, by_told)] {
            let (_, answer) = talk(&server.address, &scan(host, origin));
            assert_eq!(&answer[9..12], expected, "{host} {origin} {answer}");
        }
    }
}

#[cfg(unix)]
#[test]
fn a_hangup_reads_the_credentials_again() {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("credentials");
    let keys = |id: &str| format!("[a]\naws_access_key_id={id}\naws_secret_access_key=s\n");
    std::fs::write(&file, keys("first")).unwrap();
    let path = file.to_str().unwrap();
    let mut server = Server::start(&["--memory", "--credentials", path]);
    let tables = |server: &Server| server.run(&["tables", "--credentials", path], "").0;
    assert_eq!(tables(&server), 0);

    let logs = |server: &mut Server, text: &str| {
        let mut line = String::new();
        while !line.contains(text) {
            line.clear();
            assert!(server.log.read_line(&mut line).unwrap() > 0, "the server ended");
        }
    };
    std::fs::write(&file, keys("second")).unwrap();
    assert_ne!(tables(&server), 0, "not read before it is told");
    std::fs::set_permissions(&file, Permissions::from_mode(0o644)).unwrap();
    server.signal("-HUP");
    logs(&mut server, "every user of this machine can read the credentials");
    logs(&mut server, "credentials read again");
    assert_eq!(tables(&server), 0);

    std::fs::write(&file, "[a]\nnothing").unwrap();
    server.signal("-HUP");
    logs(&mut server, "credentials stay as they were");
    std::fs::write(&file, keys("second")).unwrap();
    assert_eq!(tables(&server), 0);
}

#[test]
fn a_start_that_fails_refuses_connections() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("FORMAT"), "of others").unwrap();
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let mut command = hashrange();
    command.args(["serve", &format!("--port={port}"), "--data-dir"]).arg(folder.path());
    assert_eq!(command.output().unwrap().status.code(), Some(1));
    let error = TcpStream::connect(("127.0.0.1", port)).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::ConnectionRefused);
}

#[cfg(unix)]
#[test]
fn at_the_level_debug_each_request_is_logged_without_values() {
    let mut server = Server::start(&["--memory", "--log-level=debug"]);
    assert_eq!(server.run(&["api", "CreateTable", TABLE], "").0, 0);
    assert_eq!(server.run(&["update", "cities", "secret", "1", "--set=n = 1"], "").0, 0);
    let request = "GET /a%0Ab HTTP/1.1\r\nHost: localhost\r\n\r\n";
    talk(&server.address, request);
    assert_eq!(server.run(&["get", "nothing", "{pk: 'secret'}"], "").0, 3);
    server.signal("-TERM");
    let (_, log) = server.ended();
    let line = |part: &str| log.lines().find(|line| line.contains(part)).unwrap_or_default();
    let updated = line("\"operation\":\"UpdateItem\"");
    for part in ["\"tables\":\"cities\"", "\"status\":200", "\"units\":1", "\"ms\":"] {
        assert!(updated.contains(part), "{part}: {log}");
    }
    let refused = line("\"operation\":\"GetItem\"");
    for part in
        ["\"tables\":\"nothing\"", "\"status\":400", "\"error\":\"ResourceNotFoundException\""]
    {
        assert!(refused.contains(part), "{part}: {log}");
    }
    assert!(line("GET ").contains("\"status\":404"), "{log}");
    assert!(!log.contains("secret"), "{log}");
}

#[test]
fn cost_says_what_it_cannot_do_and_adds_what_several_servers_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    std::fs::write(path("no.json"), "{\"Version\": 1}").unwrap();
    std::fs::write(path("newer.json"), recorded(2, 1.0)).unwrap();
    std::fs::write(path("one.json"), recorded(1, 1e6)).unwrap();
    std::fs::write(path("two.json"), recorded(1, 3e6)).unwrap();
    let server = Server::start(&["--memory"]);
    let (one, two) = (path("one.json"), path("two.json"));
    let cases: &[(&[&str], i32, &str)] = &[
        (&["cost"], 0, "nothing is recorded: hashrange cost --start begins"),
        (&["cost", "--stop"], 0, "requests are recorded no more"),
        (&["cost", "--budget", "5%"], 2, "a budget in % bounds the increase"),
        (&["cost", "--budget", "much"], 2, "is no budget: write 5% or 0.02"),
        (&["cost", "--region", "eu-west-1"], 2, "the prices of eu-west-1 do not come with the"),
        (&["cost", "--prices", &one], 1, "this is no price list: unknown field"),
        (&["cost", &path("no.json")], 1, "this is no recording: missing field"),
        (&["cost", &path("newer.json")], 1, "recordings of version 2 are of a newer program"),
        (&["cost", &path("absent.json")], 1, "absent.json: No such file"),
        (&["cost", &one, "--start"], 2, "cannot be used with"),
        (&["cost", &one, &two], 0, "all of it costs $0.50"),
        (&["cost", &one, "--budget", "0.125"], 0, "all of it costs $0.125"),
        (&["cost", &one, "--budget", "0.1"], 6, "$0.125 now: over the budget of $0.10"),
        (
            &["cost", &two, "--against", &one, "--budget", "100%"],
            6,
            "over the budget of 100 % more",
        ),
        (&["cost", &two, "--against", &one, "--budget", "200%"], 0, "$0.125 before, $0.375 now"),
        (&["cost", &two, "--against", &two], 0, "every kind of request costs what it cost"),
    ];
    for (arguments, expected, text) in cases {
        let (code, stdout, stderr) = server.run(arguments, "");
        assert!(
            code == *expected && (stdout.clone() + &stderr).contains(text),
            "{arguments:?}: {code} {stdout}{stderr}"
        );
    }
    let local = run(
        {
            let mut command = hashrange();
            command.args(["create", "abc", "pk:S", "--data-dir", &path("data")]);
            command
        },
        "",
    );
    assert_eq!(local.0, 0, "{}", local.2);
    let mut command = hashrange();
    command.args(["cost", "--data-dir", &path("data")]);
    let (code, _, stderr) = run(command, "");
    assert!(code == 2 && stderr.contains("a folder records nothing"), "{code} {stderr}");
}

#[test]
#[expect(
    clippy::too_many_lines,
    reason = "eight contracts, and a flat table of commands on one server"
)]
fn a_contract_is_enforced_told_and_verified() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let get = r#"{"Name": "a song", "Operation": "GetItem", "Table": "music", "MostUnits": 1,
        "Example": {"TableName": "music", "Key": {"artist": {"S": "a"}}}}"#;
    let put = r#"{"Name": "a new song", "Operation": "PutItem", "Table": "music",
        "Example": {"TableName": "music", "Item": {"artist": {"S": "b"}}}}"#;
    let scan = r#"{"Name": "all", "Operation": "Scan", "Table": "music", "MostUnits": 0.1,
        "Example": {"TableName": "other"}}"#;
    let contract =
        |patterns: &[&str]| format!(r#"{{"Version": 1, "Patterns": [{}]}}"#, patterns.join(", "));
    std::fs::write(path("design.json"), contract(&[get, put])).unwrap();
    let wrong = scan.replace("\"TableName\": \"other\"", "\"TableName\": \"music\"");
    std::fs::write(path("dear.json"), contract(&[&wrong])).unwrap();
    std::fs::write(path("other.json"), contract(&[scan])).unwrap();
    let asked = r#"{"Name": "an album", "Operation": "Query", "Table": "music", "Pattern": "artist = ?",
        "Example": {"TableName": "music", "KeyConditionExpression": "artist = :a",
            "FilterExpression": "album = :b",
            "ExpressionAttributeValues": {":a": {"S": "a"}, ":b": {"S": "b"}}}}"#;
    let meant = asked.replace("artist = ?", "artist = ? FILTER album = ?");
    let transaction = |table: &str, pattern: &str| {
        format!(
            r#"{{"Name": "sold {table}", "Operation": "TransactWriteItems", "Table": "{table}", "Pattern": "{pattern}",
                "Example": {{"TransactItems": [
                    {{"Put": {{"TableName": "music", "Item": {{"artist": {{"S": "c"}}}},
                        "ConditionExpression": "attribute_not_exists(artist)"}}}},
                    {{"Update": {{"TableName": "other", "Key": {{"artist": {{"S": "c"}}}},
                        "UpdateExpression": "ADD sold :n", "ExpressionAttributeValues": {{":n": {{"N": "1"}}}}}}}}]}}}}"#
        )
    };
    for (file, pattern) in [
        ("sold.json", "Put music IF attribute_not_exists(artist); Update other"),
        ("unsold.json", "Put music; Update other"),
        ("once.json", ""),
    ] {
        let both = ["music", "other"].map(|table| transaction(table, pattern));
        std::fs::write(path(file), contract(&[&both[0], &both[1]])).unwrap();
    }
    let (sold, unsold, once) = (path("sold.json"), path("unsold.json"), path("once.json"));
    std::fs::write(path("asked.json"), contract(&[asked])).unwrap();
    std::fs::write(path("meant.json"), contract(&[&meant])).unwrap();
    let (design, dear, other) = (path("design.json"), path("dear.json"), path("other.json"));
    let (asked, meant) = (path("asked.json"), path("meant.json"));
    let contract = format!("--contract={design}");
    let server = Server::start(&["--memory", &contract, "--enforce"]);
    let cases: &[(&[&str], i32, &str)] = &[
        (&["create", "music", "artist:S"], 0, ""),
        (&["create", "other", "artist:S"], 0, ""),
        (&["put", "music", "{artist: 'a'}"], 0, "1 item into music"),
        (&["get", "music", "a"], 0, "artist"),
        (&["contract"], 0, "a song"),
        (
            &["scan", "music"],
            3,
            "AccessDeniedException: The contract of access patterns does not allow this: Scan music",
        ),
        (&["contract"], 5, "1 kind of requests not in the contract"),
        (&["contract", "-o", "json"], 5, "\"IsEnforced\":true"),
        (&["contract", &design, "--verify"], 0, "a new song"),
        (&["contract", &dear, "--verify"], 5, "over 0.1"),
        (&["contract", &other, "--verify"], 5, "it is Scan of other"),
        (
            &["contract", &asked, "--verify"],
            5,
            "it asks artist = ? FILTER album = ?, the pattern says artist = ?",
        ),
        (&["contract", &meant, "--verify"], 0, "an album"),
        (&["contract", &sold, "--verify"], 0, "sold other"),
        (&["contract", &once, "--verify"], 0, "sold other"),
        (
            &["contract", &unsold, "--verify"],
            5,
            "it asks Put music IF attribute_not_exists(artist); Update other UPDATES sold, the pattern says Put music; Update other",
        ),
        (&["contract", "--verify"], 2, "required"),
        (&["get", "music", "b"], 4, "music has no item"),
        (&["advise"], 0, "no index would pay"),
        (&["advise", &design], 1, "this is no recording"),
    ];
    for (arguments, expected, text) in cases {
        let (code, stdout, stderr) = server.run(arguments, "");
        assert!(
            code == *expected && (stdout.clone() + &stderr).contains(text),
            "{arguments:?}: {code} {stdout}{stderr}"
        );
    }
    let (code, why) = refused(&["serve", "--memory", "--port=0", "--enforce"]);
    assert!(code == 2 && why.contains("--contract names it"), "{code} {why}");
}

/// Returns a recording of one Query.
fn recorded(version: u32, read_units: f64) -> String {
    format!(
        r#"{{"Version": {version}, "BeganMs": 0, "UntilMs": 1000, "Rows": [{{
            "Operation": "Query", "Table": "cities", "Requests": 1, "Failed": 0, "ReadUnits": {read_units},
            "WriteUnits": 0, "Examined": 1, "ExaminedBytes": 100, "Returned": 1}}]}}"#
    )
}

/// Returns what a server says of a table in two minutes, in the first of which one key is too hot.
fn heat_of_orders() -> String {
    let sums = |read: f64, write: f64| {
        format!(
            r#""ReadUnits": {read:.1}, "WriteUnits": {write:.1}, "Requests": 40, "Bytes": 2048, "Throttles": 0"#
        )
    };
    let minute = |at: u64, write: f64| {
        let key = |range: usize, name: &str, sums: String, over: f64| {
            format!(r#"{{"Key": "pk = '{name}'", "Range": {range}, {sums}, "Over": {over:.1}}}"#)
        };
        let ranges: Vec<String> = (0..32)
            .map(|nth| if nth == 5 { sums(10.0, write) } else { sums(0.0, 0.0) })
            .map(|sums| format!("{{{sums}}}"))
            .collect();
        let (hot, cool) =
            (key(5, "hot", sums(8.0, write), 0.0), key(5, "cool", sums(2.0, 0.0), 0.5));
        let none = r#"{"Keys": [], "Floor": 0.0}"#;
        format!(
            r#"{{"MinuteMs": {at}, "Whole": {{{}}}, "Ranges": [{}],
                "Keys": {{"Accessed": {{"Keys": [{hot}, {cool}], "Floor": 0.5}}, "Throttled": {none}}},
                "Items": {{"Accessed": {none}, "Throttled": {none}}}}}"#,
            sums(10.0, write),
            ranges.join(", "),
        )
    };
    format!(
        r#"{{"Places": [{{"Table": "orders", "Minutes": [{}, {}]}}]}}"#,
        minute(1_767_225_600_000, 150_000.0),
        minute(1_767_225_720_000, 100.0),
    )
}

#[test]
fn heat_is_drawn_added_up_and_advised_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    std::fs::write(path("orders.json"), heat_of_orders()).unwrap();
    std::fs::write(path("wrong.json"), heat_of_orders().replace("150000.0", "-1.0")).unwrap();
    std::fs::write(path("no.json"), "{}").unwrap();
    let throttled = r#""Throttled": {"Keys": [
        {"Key": "pk = 'NL#1'", "Parts": "country = 'NL' AND id = '1'", "Range": 5, "ReadUnits": 0.0,
            "WriteUnits": 0.0, "Requests": 0, "Bytes": 0, "Throttles": 3, "Over": 0.0},
        {"Key": "pk = 'no'", "Range": 6, "ReadUnits": 0.0,
            "WriteUnits": 0.0, "Requests": 0, "Bytes": 0, "Throttles": 1, "Over": 0.0}], "Floor": 0.0}"#;
    let none = r#""Throttled": {"Keys": [], "Floor": 0.0}"#;
    std::fs::write(path("throttled.json"), heat_of_orders().replacen(none, throttled, 1)).unwrap();
    let server = Server::start(&["--memory"]);
    let (code, stdout, stderr) = server.run(&["heat", "--with", &path("throttled.json")], "");
    let expected = "
throttled partition key  parts                        times
───────────────────────  ───────────────────────────  ─────
pk = 'NL#1'              country = 'NL' AND id = '1'      3
pk = 'no'                                                 1
units by range";
    assert!(code == 0 && stdout.contains(expected), "{code} {stdout}{stderr}");
    let file = path("orders.json");
    let (code, stdout, stderr) = server.run(&["heat", "--with", &file], "");
    let expected = "\
orders: 80 requests in 3 minutes, 20 read and 150,100 write units, 0 throttled
partition key  share    requests  read  write    peak a second  bytes  or more
─────────────  ───────  ────────  ────  ───────  ─────────────  ─────  ───────
pk = 'hot'     100.0 %        80    16  150,100         2500.1  4,096       +0
pk = 'cool'      0.0 %        80     4        0            0.0  4,096       +1
units by range of the hash space, a column a minute, 00:00 to 00:02 UTC; @ is 150,010
0  |   |
1  |   |
2  |@ .|  pk = 'hot' 100 %
";
    assert!(code == 0 && stdout.starts_with(expected), "{code} {stdout}{stderr}");
    let advice = "f  |   |\npk = 'hot' takes 2500 write units a second in its busiest minute; a partition of the \
        service gives 1000: write it as 3 partition keys or more\n";
    assert!(stdout.ends_with(advice), "{stdout}");
    let cases: &[(&[&str], i32, &str)] = &[
        (&["heat"], 0, "nothing is known: hashrange serve --heat watches all tables"),
        (&["heat", "orders"], 3, "Table: orders not found"),
        (&["heat", "--with", &file, "--with", &file], 0, "orders: 160 requests in 3 minutes"),
        (
            &["heat", "--with", &file, "--by", "bytes", "--limit", "1"],
            0,
            "bytes by range of the hash space",
        ),
        (&["heat", "--with", &file, "--minutes", "1"], 2, "cannot be used with"),
        (&["heat", "--with", &path("wrong.json")], 1, "some are below 0"),
        (&["heat", "--with", &path("no.json")], 1, "these are no figures of heat"),
    ];
    for (arguments, expected, text) in cases {
        let (code, stdout, stderr) = server.run(arguments, "");
        let all = stdout.clone() + &stderr;
        assert!(code == *expected && all.contains(text), "{arguments:?}: {code} {all}");
    }
    assert_eq!(server.run(&["create", "orders", "pk:S"], "").0, 0);
    let (code, stdout, stderr) = server.run(&["lint", "--heat", &file], "");
    let found = "  warning: hot-key (orders)\n    pk = 'hot' takes 2500 write units a second in its busiest \
        minute; a partition of the service gives 1000\n    fix: write it as 3 partition keys or more\n";
    assert!(code == 5 && stdout.contains(found), "{code} {stdout}{stderr}");
    let mut command = hashrange();
    command.args(["create", "abc", "pk:S", "--data-dir", &path("data")]);
    assert_eq!(run(command, "").0, 0);
    let mut command = hashrange();
    command.args(["heat", "--data-dir", &path("data")]);
    let (code, _, stderr) = run(command, "");
    assert!(code == 2 && stderr.contains("a folder has no heat"), "{code} {stderr}");
}
