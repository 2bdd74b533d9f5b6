//! What is advised is made and tried: by an index that is advised, requests read no more than without it, and the
//! commands that are printed run.

#![expect(clippy::disallowed_methods, reason = "a shell finds the program on its path")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod served;

use hashrange_testkit::process::bare;
use serde_json::{Value, json};
use served::{Server, hashrange};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::Path;
use std::process::Stdio;

/// Numbers that look random, the same in each run. Source: `SplitMix64`, public domain.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % bound
    }

    /// Returns a number below the bound, the small ones much more often.
    fn skewed(&mut self, bound: u64) -> u64 {
        let most = self.below(bound) + 1;
        self.below(most)
    }
}

/// A read: the attributes that it compares by `=`, those on the key first.
#[derive(Debug, Clone)]
struct Read {
    keys: Vec<(&'static str, String)>,
    filter: Vec<(&'static str, String)>,
}

impl Read {
    fn values(&self) -> BTreeMap<&str, &str> {
        self.keys.iter().chain(&self.filter).map(|(name, value)| (*name, value.as_str())).collect()
    }

    fn arguments(&self, table: &str) -> Vec<String> {
        let joined = |conditions: &[(&str, String)]| {
            let texts = conditions.iter().map(|(name, value)| format!("{name} = '{value}'"));
            texts.collect::<Vec<_>>().join(" AND ")
        };
        let mut arguments = match &self.keys[..] {
            [] => vec!["scan".to_owned(), table.to_owned()],
            keys => vec!["query".to_owned(), table.to_owned(), joined(keys)],
        };
        if !self.filter.is_empty() {
            arguments.extend(["--filter".to_owned(), joined(&self.filter)]);
        }
        arguments
    }

    /// Returns its form as a recording has it.
    fn pattern(&self) -> String {
        let names = |conditions: &[(&str, String)]| {
            let texts: BTreeSet<String> =
                conditions.iter().map(|(name, _)| format!("{name} = ?")).collect();
            texts.into_iter().collect::<Vec<_>>().join(" AND ")
        };
        let filter = format!("FILTER {}", names(&self.filter));
        if self.keys.is_empty() { filter } else { format!("{} {filter}", names(&self.keys)) }
    }

    /// Returns the same read in the form that advice gives it.
    fn instead(&self, instead: &Value) -> Vec<String> {
        let (table, pattern) = (text(&instead["Table"]), text(&instead["Pattern"]));
        let values = self.values();
        let filled = |conditions: &str| {
            let filled = conditions.split(" AND ").map(|condition| {
                let name = condition.split(' ').next().unwrap();
                condition.replace('?', &format!("'{}'", values[name]))
            });
            filled.collect::<Vec<_>>().join(" AND ")
        };
        assert_eq!(instead["Operation"], "Query", "{instead}");
        let (keys, filter) = pattern.split_once(" FILTER ").unwrap_or((pattern, ""));
        let mut arguments = vec!["query".to_owned(), table.to_owned(), filled(keys)];
        if !filter.is_empty() {
            arguments.extend(["--filter".to_owned(), filled(filter)]);
        }
        if let Some(index) = instead["Index"].as_str() {
            arguments.extend(["--index".to_owned(), index.to_owned()]);
        }
        arguments
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("{value} is no text"))
}

/// Runs a read to its end, and returns how many items it found and the read units that it took.
fn measured(server: &Server, arguments: &[String]) -> (u64, f64) {
    let mut all: Vec<&str> = arguments.iter().map(String::as_str).collect();
    all.push("--all");
    let printed = server.ok(&all);
    let last = printed.lines().rev().find(|line| line.contains(" read unit")).unwrap();
    let words: Vec<&str> = last.split([' ', ',']).filter(|word| !word.is_empty()).collect();
    let units = words.windows(2).find(|pair| pair[1] == "read").unwrap()[0];
    (words[0].parse().unwrap(), units.parse().unwrap())
}

/// Makes the indexes that are advised, and returns for how many kinds of reads their units were compared.
fn try_advice(server: &Server, table: &str, reads: &[Read]) -> usize {
    let before: Vec<_> =
        reads.iter().map(|read| measured(server, &read.arguments(table))).collect();
    let report: Value =
        serde_json::from_str(&server.ok(&["advise", "--table", table, "-ojson"])).unwrap();
    let indexes = report["Add"].as_array().unwrap();
    for index in indexes {
        server.ok(&["alter", table, "--add-gsi", text(&index["Definition"])]);
    }
    let of_indexes = indexes.iter().flat_map(|index| index["Answers"].as_array().unwrap());
    let of_keys = report["UnusedKeys"].as_array().unwrap().iter().map(|it| &it["Answered"]);
    let mut compared = 0;
    for answered in of_indexes.chain(of_keys) {
        let pattern = text(&answered["Request"]["Pattern"]);
        let (mut units, mut units_then) = (0.0, 0.0);
        let of_kind = reads.iter().zip(&before).filter(|(read, _)| read.pattern() == pattern);
        for (read, (found, used)) in of_kind {
            let (found_then, used_then) = measured(server, &read.instead(&answered["Instead"]));
            assert_eq!(found_then, *found, "{read:?} by {answered}");
            units += used;
            units_then += used_then;
        }
        assert!(units > 0.0, "no read is a {pattern}");
        assert!(
            units_then <= units,
            "{units_then} units instead of {units}: {answered} of {table}"
        );
        compared += 1;
    }
    compared
}

/// Makes a table and puts items; what is recorded begins behind that.
fn make(server: &Server, folder: &Path, table: &str, items: &[Value]) {
    server.ok(&["create", table, "pk:S", "sk:S"]);
    let file = folder.join(table);
    let mut lines = String::new();
    for item in items {
        writeln!(lines, "{item}").unwrap();
    }
    fs::write(&file, lines).unwrap();
    server.ok(&["import", table, file.to_str().unwrap()]);
    server.ok(&["cost", "--start"]);
}

fn recording() -> Server {
    Server::start(hashrange(&["serve", "--memory", "--record", "--port=0", "--log-format=json"]))
}

/// Whatever the values are like, no advice is dearer than what it replaces.
#[test]
fn no_advice_is_dearer_than_what_it_replaces() {
    let (server, folder) = (recording(), tempfile::tempdir().unwrap());
    let mut compared = 0;
    for seed in 0..10 {
        let mut random = Random(seed);
        let table = format!("table-{seed}");
        let count = 100 + random.below(500);
        let (partitions, states, places) =
            (1 + random.below(40), 1 + random.below(12), 1 + random.below(60));
        let padding = "x".repeat(usize::try_from(random.below(900)).unwrap());
        let items: Vec<Value> = (0..count)
            .map(|nth| {
                let partition = random.skewed(partitions);
                // Values may go together with the partition, or not.
                let state = if seed % 3 == 0 { partition % states } else { random.skewed(states) };
                json!({"pk": format!("p{partition}"), "sk": nth.to_string(), "padding": padding,
                    "state": format!("s{state}"), "place": format!("c{}", random.below(places))})
            })
            .collect();
        make(&server, folder.path(), &table, &items);
        let mut reads = Vec::new();
        for _ in 0..3 {
            let nth = usize::try_from(random.below(count)).unwrap();
            let of = |name: &'static str| (name, items[nth][name].as_str().unwrap().to_owned());
            reads.extend([
                Read { keys: vec![of("pk")], filter: vec![of("state")] },
                Read { keys: vec![of("pk")], filter: vec![of("state"), of("place")] },
                Read { keys: vec![], filter: vec![of("place")] },
                Read { keys: vec![], filter: vec![of("pk"), of("state")] },
            ]);
        }
        compared += try_advice(&server, &table, &reads);
    }
    assert!(compared > 10, "only {compared} kinds of reads had advice");
}

/// The items of a partition are few, those of a state many: an index by the state alone would be dearer.
#[test]
fn a_filter_within_a_partition_is_not_advised_an_index_of_the_whole_table() {
    let (server, folder) = (recording(), tempfile::tempdir().unwrap());
    let items: Vec<Value> = (0..3000)
        .map(|nth: u32| {
            let status = format!("s{}", nth / 30 % 3);
            json!({"pk": format!("p{}", nth % 30), "sk": nth.to_string(), "padding": "x".repeat(120),
                "status": status})
        })
        .collect();
    make(&server, folder.path(), "orders", &items);
    let read = |nth: u32| Read {
        keys: vec![("pk", format!("p{nth}"))],
        filter: vec![("status", "s1".to_owned())],
    };
    let reads: Vec<Read> = (0..20).map(read).collect();
    try_advice(&server, "orders", &reads);
    let report: Value = serde_json::from_str(&server.ok(&["advise", "-ojson"])).unwrap();
    let partitions = report["Add"].as_array().unwrap().iter().map(|index| &index["Partition"]);
    let names: Vec<&str> = partitions.map(|keys| text(&keys[0]["Name"])).collect();
    assert!(!names.contains(&"status"), "{report}");
}

/// Runs a command as a shell does, with values in the place of dots.
fn run_in_shell(server: &Server, command: &str) {
    let program = Path::new(env!("CARGO_BIN_EXE_hashrange")).parent().unwrap();
    let path = std::env::var("PATH").unwrap();
    let mut shell = bare("sh");
    shell.args(["-c", &command.replace("...", "'\\''x'\\''")]);
    shell.env("PATH", format!("{}:{path}", program.display()));
    shell.env("HASHRANGE_ENDPOINT", &server.endpoint);
    let output = shell.output().unwrap();
    assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
}

/// Returns the commands that lines of advice have; a sentence or a comment may go on behind one.
fn commands(printed: &str) -> Vec<&str> {
    let found = printed.lines().filter_map(|line| Some(&line[line.find("hashrange ")?..]));
    found.filter_map(|command| command.split(" # ").next()?.split("; ").next()).collect()
}

#[cfg(unix)]
#[test]
fn commands_that_are_advised_run() {
    let (server, folder) = (recording(), tempfile::tempdir().unwrap());
    let item = |nth: u32| {
        json!({"pk": "p", "sk": nth.to_string(), "first name": format!("n{nth}"), "at": format!("a{nth}"),
            "padding": "x".repeat(300)})
    };
    make(&server, folder.path(), "people", &(0..200).map(item).collect::<Vec<_>>());
    server.ok(&["alter", "people", "--add-gsi", "unread=at:S/keys-only"]);
    server.ok(&["cost", "--start"]);
    for _ in 0..5 {
        server.ok(&["scan", "people", "--filter", "`first name` = 'n1'", "--all"]);
        server.ok(&["query", "people", "pk = 'p'", "--filter", "at > 'a5'", "--select", "sk"]);
    }
    let saved = folder.path().join("recording.json");
    let saved = saved.to_str().unwrap();
    server.ok(&["cost", "--save", saved]);
    // Two hours with a thousand times the requests, of which a month can be told.
    let mut recording: Value = serde_json::from_str(&fs::read_to_string(saved).unwrap()).unwrap();
    recording["BeganMs"] = json!(recording["UntilMs"].as_u64().unwrap() - 7_200_000);
    for row in recording["Rows"].as_array_mut().unwrap() {
        for name in ["Requests", "Examined", "ExaminedBytes", "Returned"] {
            row[name] = json!(row[name].as_u64().unwrap() * 1000);
        }
        for name in ["ReadUnits", "WriteUnits"] {
            row[name] = json!(row[name].as_f64().unwrap() * 1000.0);
        }
    }
    fs::write(saved, recording.to_string()).unwrap();
    let advised = server.ok(&["advise", saved]);
    let mut lint = hashrange(&["lint", "--recording", saved]);
    let found = lint.env("HASHRANGE_ENDPOINT", &server.endpoint).output().unwrap();
    let found = String::from_utf8(found.stdout).unwrap();
    let of_lint = commands(&found);
    let of_advice = commands(&advised);
    for flag in ["--what-if", "--add-gsi", "--drop-gsi"] {
        assert!(of_advice.iter().any(|it| it.contains(flag)), "no {flag} in {advised}");
    }
    let changes = |command: &&str| command.starts_with("hashrange alter ");
    let of_lint: Vec<&str> = of_lint.into_iter().filter(changes).collect();
    assert!(!of_lint.is_empty(), "{found}");
    for command in of_lint {
        assert!(of_advice.contains(&command), "{command}: {advised}");
    }
    for command in of_advice {
        run_in_shell(&server, command);
    }
}

/// What the commands of advice ask themselves is no traffic.
#[test]
fn advise_and_lint_ask_not_to_be_recorded() {
    for command in ["advise", "lint"] {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut process = hashrange(&[command]);
        process.env("HASHRANGE_ENDPOINT", format!("http://{}", listener.local_addr().unwrap()));
        let mut process = process.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let (socket, _) = listener.accept().unwrap();
        let lines = BufReader::new(socket).lines().map(Result::unwrap);
        let head: Vec<String> = lines.take_while(|line| !line.is_empty()).collect();
        drop(listener);
        process.kill().unwrap();
        process.wait().unwrap();
        let name = "x-hashrange-unrecorded:";
        assert!(
            head.iter().any(|line| line.to_lowercase().starts_with(name)),
            "{command}: {head:?}"
        );
    }
}
