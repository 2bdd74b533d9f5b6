//! The operator: `docs/operating.md`, from the unit of systemd to the table of what goes wrong.

use super::compared::{Compared, fences};
use super::scratch::{Ended, Scratch};
use super::server::Server;
use super::tried::{
    self, Case,
    Tried::{Fails, Prints, Serves},
};
use hashrange_samples::page;
use rustix::process::Signal;
use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;

const KEYS: &str = "[default]\naws_access_key_id = AKIA1\naws_secret_access_key = one\n";

/// The heading under which the unit and its settings stand.
const UNIT: &str = "Start it under systemd";

fn written() -> String {
    Compared::read("docs/operating.md").written
}

/// Returns the first cells of the table with that head, without backquotes.
fn first_cells(page: &str, head: &str) -> Vec<String> {
    let (_, table) = page.split_once(head).expect("the page has the table");
    let rows = table.lines().skip(2).take_while(|line| line.starts_with('|'));
    rows.map(|row| row.split('|').nth(1).unwrap_or_default().trim().replace('`', "")).collect()
}

/// Fails unless a command ends with the code and complains of this.
#[track_caller]
fn assert_fails(ended: &Ended, code: i32, part: &str) {
    assert_eq!(ended.code, code, "{}{}", ended.stdout, ended.stderr);
    assert!(ended.stderr.contains(part), "{part:?} is not in {}", ended.stderr);
}

/// Begins a database with one item in the folder `data`.
fn with_item(scratch: &Scratch) {
    let create = "hashrange sql 'CREATE TABLE shop (pk S) PRIMARY KEY (pk)' --data-dir data";
    scratch.run(create).printed(create);
    let put = "hashrange put shop '{pk: \"a\"}' --data-dir data";
    scratch.run(put).printed(put);
}

#[test]
fn the_units_are_ones_for_systemd() {
    let scratch = Scratch::new();
    let units = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packages/systemd");
    let unit = |name: &str| std::fs::read_to_string(units.join(name)).unwrap();
    let page = written();
    assert_eq!(fences(&page, "ini", UNIT)[0].body, unit("hashrange.service"), "page and file");
    // What systemd says of a unit needs systemd.
    if !scratch.has("systemd-analyze") {
        return;
    }
    let installed = "/usr/local/bin/hashrange";
    for name in ["hashrange.service", "hashrange-postgres.service"] {
        assert!(unit(name).contains(installed));
        // It looks whether the program is there.
        scratch.write(name, &unit(name).replace(installed, env!("CARGO_BIN_EXE_hashrange")));
        let verified = scratch.sh(&format!("systemd-analyze verify ./{name}"));
        assert_eq!((verified.code, verified.stderr.as_str()), (0, ""), "{name}");
    }
}

#[test]
fn the_configuration_starts_a_server_that_is_watched() {
    let page = written();
    let mut scratch = Scratch::new();
    let work = scratch.work();
    let here = |folder: &str| work.join(folder).to_str().unwrap().to_owned();
    let settings = fences(&page, "toml", UNIT)[0].body;
    let folder = "/var/lib/hashrange";
    assert!(settings.contains(folder), "{folder}");
    let moved = settings.replace(folder, &here(&folder[1..]));
    scratch.write("etc/hashrange/hashrange.toml", &moved);
    scratch.write("etc/hashrange/credentials", KEYS);
    scratch.sh("mkdir -p var/lib; chmod 600 etc/hashrange/credentials").printed("prepare");
    let line = "hashrange serve --config etc/hashrange/hashrange.toml";
    assert_fails(&scratch.run(line), 1, "--insecure");

    let mut server = scratch.serve(&format!("{line} --credentials etc/hashrange/credentials"));
    for logged in &server.logged {
        assert!(logged.starts_with('{') && logged.ends_with('}'), "a line of JSON: {logged}");
    }
    scratch.use_server(&server);
    for path in ["/health", "/ready"] {
        assert!(page.contains(&format!("`GET {path}`")));
        assert_eq!(server.get(path).0, 200, "{path}");
    }
    scratch.run("hashrange health --ready").printed("health");
    let (status, metrics) = server.get("/metrics");
    assert_eq!(status, 200);
    let served: BTreeSet<&str> = metrics.lines().filter_map(metric_name).collect();
    let listed = page::code_spans(&page).into_iter().filter(|span| is_metric(span));
    assert_eq!(listed.map(|name| name.trim_end_matches(" == 0")).collect::<BTreeSet<_>>(), served);
    assert_fails(&scratch.run("hashrange tables"), 3, "MissingAuthenticationToken");
    let signed = "hashrange tables --credentials etc/hashrange/credentials";
    scratch.run(signed).printed(signed);
    server.stop();
}

fn metric_name(line: &str) -> Option<&str> {
    line.strip_prefix("# TYPE ")?.split(' ').next()
}

fn is_metric(span: &str) -> bool {
    let is_of_process = cfg!(target_os = "linux") && span.starts_with("process_");
    span.starts_with("hashrange_") || is_of_process
}

#[test]
fn the_log_tells_as_much_as_it_is_asked_to() {
    let mut scratch = Scratch::new();
    let mut server = scratch.serve("hashrange serve --memory --log-level debug --log-format json");
    scratch.use_server(&server);
    scratch.run("hashrange tables").printed("tables");
    let answered = server.wait_for("ListTables");
    assert!(answered.contains("\"status\":200"), "{answered}");
    server.stop();
    // A server that logs warnings only does not say where it listens: its port is given.
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let line = format!("hashrange serve --memory --port {port} --log-level warn");
    let quiet = scratch.sh(&format!(
        "{line} 2> log & until hashrange health --endpoint http://127.0.0.1:{port}; do :; done; \
         kill $!; wait $!; cat log"
    ));
    let lines: Vec<&str> = quiet.stdout.lines().collect();
    let [console, healthy] = lines[..] else { panic!("{}", quiet.stdout) };
    assert!(console.starts_with("console  http://") && healthy.starts_with("healthy"), "{lines:?}");
    assert_eq!(quiet.code, 0);
    assert_fails(&scratch.run("hashrange serve --log-level loud"), 2, "loud");
}

#[test]
fn signals_do_what_the_table_says() {
    let rows = first_cells(&written(), "| signal | what happens |");
    assert_eq!(rows, ["SIGTERM, Ctrl-C", "a second one", "SIGHUP", "SIGKILL, power loss"]);
    let scratch = Scratch::new();
    for signal in [Signal::TERM, Signal::INT] {
        let mut server = scratch.serve("hashrange serve --data-dir data");
        server.signal(signal);
        assert_eq!(server.ended(), Some(0), "{}", server.logged.join("\n"));
    }
    second_signal(&scratch, Signal::TERM);
    second_signal(&scratch, Signal::INT);
}

/// Lets a request hang, and asks a server twice to end.
fn second_signal(scratch: &Scratch, signal: Signal) {
    let mut server = scratch.serve("hashrange serve --memory");
    let mut hanging = TcpStream::connect(("127.0.0.1", server.port)).unwrap();
    let head = "POST / HTTP/1.1\r\nhost: localhost\r\nx-amz-target: DynamoDB_20120810.ListTables\r\n\
                content-type: application/x-amz-json-1.0\r\nexpect: 100-continue\r\n\
                content-length: 100\r\n\r\n";
    hanging.write_all(head.as_bytes()).unwrap();
    // Says that the body may come, so the request runs.
    let mut answer = [0; 12];
    hanging.read_exact(&mut answer).unwrap();
    assert_eq!(&answer, b"HTTP/1.1 100");
    server.signal(signal);
    server.wait_for("a second signal ends the server at once");
    server.signal(signal);
    assert_eq!(server.ended(), Some(130));
}

#[test]
fn credentials_are_read_again() {
    let mut scratch = Scratch::new();
    scratch.write("keys", KEYS);
    let mut server = scratch.serve("hashrange serve --memory --credentials keys");
    scratch.use_server(&server);
    scratch.write("others", &KEYS.replace("one", "two"));
    let (old, new) =
        ("hashrange tables --credentials old", "hashrange tables --credentials others");
    scratch.write("old", KEYS);
    scratch.run(old).printed(old);
    assert_fails(&scratch.run(new), 3, "signature");
    scratch.write("keys", &KEYS.replace("one", "two"));
    server.signal(Signal::HUP);
    server.wait_for("credentials read again");
    scratch.run(new).printed(new);
    assert_fails(&scratch.run(old), 3, "signature");
    scratch.write("keys", "no credentials");
    server.signal(Signal::HUP);
    server.wait_for("credentials stay as they were");
    scratch.run(new).printed(new);
    server.stop();
}

#[test]
fn what_was_acknowledged_survives_a_kill() {
    let mut scratch = Scratch::new();
    let mut server = scratch.serve("hashrange serve --data-dir data");
    scratch.use_server(&server);
    scratch.run("hashrange create shop pk:S").printed("create");
    scratch.run("hashrange put shop '{pk: \"a\"}'").printed("put");
    server.signal(Signal::KILL);
    assert_eq!(server.ended(), None);
    let mut again = scratch.serve("hashrange serve --data-dir data");
    scratch.use_server(&again);
    assert!(scratch.run("hashrange get shop a").printed("get").contains("pk"));
    again.stop();
}

/// An exit code of the table, a command that ends with it, and what it complains of.
const EXITS: &[(i32, &str, &str)] = &[
    (0, "hashrange check data", ""),
    (1, "hashrange serve --data-dir file", "File exists"),
    (1, "hashrange serve --data-dir file/below", "Not a directory"),
    (1, "hashrange serve --data-dir others", "is not a data folder"),
    (1, "hashrange serve --memory --host 192.0.2.1", "listen on 192.0.2.1"),
    (1, "hashrange check nowhere", "there is no such folder"),
    (1, "hashrange tables --data-dir nowhere", "nowhere"),
    (2, "hashrange serve --port 99999", "99999 is not in 0..=65535"),
    (2, "hashrange serve --no-such-option", "--no-such-option"),
    (2, "hashrange serve --config nowhere.toml", "nowhere.toml"),
    (2, "hashrange serve --config bad.toml", "bad.toml:2"),
    (2, "hashrange serve --memory --credentials nowhere", "nowhere"),
    (2, "hashrange serve --memory --seed 7", "seed needs the profile"),
    (2, "hashrange server --data-dir data", "a folder has no figures"),
    (3, "hashrange get nothing a --data-dir data", "there is no table nothing"),
    (4, "hashrange get shop b --data-dir data", "no item"),
];

#[test]
fn exit_codes_are_those_of_the_table() {
    let scratch = Scratch::new();
    with_item(&scratch);
    scratch.write("file", "");
    scratch.write("others/letter.txt", "dear reader");
    scratch.write("bad.toml", "port = 1\nprot = 2\n");
    for (code, line, part) in EXITS {
        assert_fails(&scratch.run(line), *code, part);
    }
    let mut misspelt = Scratch::new();
    misspelt.set("HASHRANGE_PROT", "9000");
    assert_fails(&misspelt.run("hashrange serve --memory"), 2, "HASHRANGE_PROT");
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let second = scratch.run(&format!("hashrange serve --memory --port {port}"));
    assert_fails(&second, 1, &format!("listen on 127.0.0.1:{port}"));
    let mut codes: Vec<String> = EXITS.iter().map(|(code, ..)| code.to_string()).collect();
    // 130: see `second_signal`.
    codes.push("130".to_owned());
    codes.dedup();
    assert_eq!(first_cells(&written(), "| exit code | meaning |"), codes);
}

#[test]
fn a_copy_opens_and_what_is_wrong_is_told_as_the_table_says() {
    let rows = first_cells(&written(), "| you see | it is | do |");
    let scratch = Scratch::new();
    with_item(&scratch);
    let mut server = scratch.serve("hashrange serve --data-dir data");
    let in_use = "is in use by another process";
    assert_is_row(&rows, &scratch.run("hashrange serve --data-dir data"), in_use);
    assert_is_row(&rows, &scratch.run("hashrange check data"), in_use);
    server.stop();

    scratch.sh("cp -r data copy").printed("cp");
    let checked = scratch.run("hashrange check copy").printed("check");
    assert!(checked.contains("1 tables, 1 items,") && checked.ends_with(" 0 problems\n"));
    let mut server: Server = scratch.serve("hashrange serve --data-dir copy");
    server.stop();
    let log = empty_log(&scratch.work().join("copy"));
    std::fs::remove_file(&log).unwrap();
    let missing = scratch.run("hashrange serve --data-dir copy");
    assert_is_row(&rows, &missing, "the log ... is missing");
    assert!(missing.stderr.contains("create it again as an empty file"), "{}", missing.stderr);
    std::fs::write(&log, "").unwrap();
    scratch.run("hashrange check copy").printed("check");
}

/// Returns the log of a store that was stopped.
fn empty_log(data: &Path) -> std::path::PathBuf {
    let files = std::fs::read_dir(data.join("fjall")).unwrap();
    let mut logs = files.map(|file| file.unwrap().path()).filter(|path| {
        path.extension().is_some_and(|it| it == "jnl") && path.metadata().unwrap().len() == 0
    });
    logs.next().expect("the log of a stopped store is empty")
}

/// Fails unless a command complains as a row of the table says.
#[track_caller]
fn assert_is_row(rows: &[String], ended: &Ended, row: &str) {
    assert!(rows.iter().any(|it| it == row), "no row {row:?} in {rows:?}");
    let parts: Vec<&str> = row.split("...").map(str::trim).collect();
    let has_all = parts.iter().all(|part| ended.stderr.contains(part));
    assert!(ended.code == 1 && has_all, "{row:?}: {}", ended.stderr);
}

#[test]
fn a_server_that_was_killed_says_so_when_it_starts_again() {
    assert!(written().contains("`recovered after an unclean stop`"));
    let mut scratch = Scratch::new();
    let line = "hashrange serve --data-dir data";
    let told = |server: &Server| server.logged.iter().any(|line| line.contains("unclean stop"));
    let mut server = scratch.serve(line);
    assert!(!told(&server), "{:?}", server.logged);
    scratch.use_server(&server);
    let create = "hashrange sql 'CREATE TABLE shop (pk S) PRIMARY KEY (pk)'";
    scratch.run(create).printed(create);
    server.signal(Signal::KILL);
    assert_eq!(server.ended(), None);
    let mut server = scratch.serve(line);
    assert!(told(&server), "{:?}", server.logged);
    server.stop();
    let mut server = scratch.serve(line);
    assert!(!told(&server), "{:?}", server.logged);
    server.stop();
}

/// Flags and commands of the table under "Flags by purpose", and what is run for each.
const FLAGS: &[Case] = &[
    ("hashrange serve --memory", Serves("hashrange serve --memory")),
    ("hashrange serve --data-dir DIR", Serves("hashrange serve --data-dir shop")),
    (
        "hashrange serve --store URL",
        Fails("hashrange serve --store postgres://user@127.0.0.1:1/shop", 1, "cannot be reached"),
    ),
    (
        "hashrange copy --from DIR --to URL",
        Fails(
            "hashrange copy --from shop --to postgres://user@127.0.0.1:1/shop",
            1,
            "cannot be reached",
        ),
    ),
    ("hashrange serve --credentials FILE", Serves("hashrange serve --memory --credentials keys")),
    ("--host 0.0.0.0", Fails("hashrange serve --memory --host 0.0.0.0", 1, "--credentials FILE")),
    ("--insecure", Serves("hashrange serve --memory --host 0.0.0.0 --insecure")),
    (
        "--allow-origin https://app.example",
        Serves("hashrange serve --memory --allow-origin https://app.example"),
    ),
    ("--allow-host NAME", Serves("hashrange serve --memory --allow-host db.example")),
    ("--host", Serves("hashrange serve --memory --host localhost")),
    ("--host 0.0.0.0 --insecure", Serves("hashrange serve --memory --host 0.0.0.0 --insecure")),
    ("hashrange health", Prints("hashrange health", "healthy")),
    ("hashrange health --ready", Prints("hashrange health --ready", "ready")),
    ("--cache-size 1GiB", Serves("hashrange serve --memory --cache-size 1GiB")),
    ("--banner TEXT", Serves("hashrange serve --memory --banner production")),
    ("hashrange server", Prints("hashrange server", "takes writes")),
    ("--config FILE", Serves("hashrange serve --config hashrange.toml")),
    ("--stream-shard-period 1m", Serves("hashrange serve --memory --stream-shard-period 1m")),
    ("--stream-shards 1", Serves("hashrange serve --memory --stream-shards 1")),
    ("hashrange check DIR", Prints("hashrange check shop", " 0 problems")),
];

#[test]
fn every_flag_by_purpose_works() {
    let page = written();
    let (_, section) =
        page.split_once("\n## Flags by purpose\n").expect("the page has the section");
    let (_, table) = section.split_once("| you want | flag |").expect("the section has its table");
    let table = table.split("\n\n").next().unwrap_or_default();
    let mut scratch = Scratch::new();
    scratch.write("keys", KEYS);
    scratch.write("hashrange.toml", "data-dir = \"other\"\ncache-size = \"64MiB\"\n");
    let server = scratch.serve("hashrange serve --memory");
    scratch.use_server(&server);
    tried::all(&scratch, table, FLAGS);
}
