//! Who has a question: the commands of `docs/answers.md`, and the flags that any page names.

use super::compared::{Compared, root};
use super::scratch::Scratch;
use super::tried::{
    self, Case,
    Tried::{Prints, Serves},
};
use hashrange_samples::page;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// The flags stand in sentences about `serve`, except `--all`.
const ANSWERS: &[Case] = &[
    ("hashrange serve --memory", Serves("hashrange serve --memory")),
    ("--credentials FILE", Serves("hashrange serve --memory --credentials keys")),
    // The port of the page may be taken.
    ("hashrange serve --port 8000", Serves("hashrange serve --port 0")),
    ("--host 0.0.0.0 --insecure", Serves("hashrange serve --host 0.0.0.0 --insecure")),
    ("hashrange health", Prints("hashrange health", "healthy")),
    (
        "--allow-origin https://app.example",
        Serves("hashrange serve --memory --allow-origin https://app.example"),
    ),
    ("--allow-host NAME", Serves("hashrange serve --memory --allow-host db.example")),
    ("--data-dir DIR", Serves("hashrange serve --data-dir shop")),
    ("--memory", Serves("hashrange serve --memory")),
    ("hashrange describe orders", Prints("hashrange describe orders", "orders")),
    ("hashrange scan orders --limit 20", Prints("hashrange scan orders --limit 20", "1 item")),
    ("--all", Prints("hashrange scan orders --all", "1 item, 1 examined")),
    ("hashrange sql", Prints("hashrange sql 'SELECT * FROM orders'", "1 item")),
    ("hashrange serve --init orders.json", Serves("hashrange serve --memory --init orders.json")),
    (
        "hashrange serve --init orders.json --load items",
        Serves("hashrange serve --memory --init orders.json --load items"),
    ),
    (
        "hashrange import orders FILE.json.gz",
        Prints("hashrange import orders out.json.gz", "1 item into orders"),
    ),
    ("--profile aws", Serves("hashrange serve --memory --profile aws")),
    ("hashrange clock --advance 25h", Prints("hashrange clock --advance 25h", "Z")),
    ("--cache-size", Serves("hashrange serve --memory --cache-size 64MiB")),
    ("hashrange drop orders", Prints("hashrange drop orders --yes", "dropped orders")),
    ("hashrange state reset --empty", Prints("hashrange state reset --empty", "is deleted")),
];

/// What `aws dynamodb scan` answers.
pub const SCANNED: &str =
    "{\"Items\": [{\"pk\": {\"S\": \"a\"}}], \"Count\": 1, \"ScannedCount\": 1}\n";

#[test]
fn every_command_of_the_answers_works() {
    let page = Compared::read("docs/answers.md").written;
    let mut scratch = Scratch::new();
    scratch.write("keys", "[default]\naws_access_key_id = AKIA1\naws_secret_access_key = secret\n");
    let server = scratch.serve("hashrange serve --memory");
    scratch.use_server(&server);
    let prepare = "hashrange create orders pk:S
        hashrange put orders '{pk: \"a\"}'
        hashrange export orders out.json.gz --format ddb
        hashrange api DescribeTable '{\"TableName\": \"orders\"}' > orders.json";
    scratch.sh(prepare).printed(prepare);
    scratch.write("items/orders.json", SCANNED);
    tried::all(&scratch, &page, ANSWERS);
    assert!(scratch.work().join("hashrange-data").is_dir(), "where the page says that data are");
}

/// Flags of other programs that the pages name.
const OF_OTHERS: &[&str] =
    &["--cli-input-json", "--endpoint-url", "--key-condition-expression", "--limit"];

/// Fails for each `--flag` in a page that no command of ours has, or not the one that it stands behind.
#[test]
fn every_flag_that_a_page_names_is_one() {
    let mut flags = Flags::default();
    let mut checked = 0;
    for path in pages() {
        let page = std::fs::read_to_string(&path).unwrap();
        let mut codes: Vec<&str> = page::code_spans(&page);
        let fences = page::fences(&page);
        let of_shell = fences.iter().filter(|fence| ["sh", "console"].contains(&fence.kind));
        // A command that goes on is one line.
        let of_shell: Vec<String> = of_shell.map(|fence| fence.body.replace("\\\n", "")).collect();
        codes.extend(of_shell.iter().flat_map(|body| body.lines()));
        for code in codes {
            for part in code.split(['|', '&', ';']) {
                checked += flags.check(part.trim(), &format!("{}: {code}", path.display()));
            }
        }
    }
    assert!(checked > 100, "pages name flags: {checked}");
}

/// Pages about tests and measurements, whose flags are those of other programs.
const OF_DEVELOPERS: &[&str] =
    &["HACKING.md", "dependencies.md", "performance.md", "robustness.md"];

/// Returns the pages that speak of the program to its users.
fn pages() -> Vec<PathBuf> {
    let mut pages = vec![root().join("README.md")];
    for folder in ["docs", "docs/samples"] {
        let files = std::fs::read_dir(root().join(folder)).unwrap();
        let files = files.map(|file| file.unwrap().path());
        let is_for_users = |path: &PathBuf| {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            path.extension().is_some_and(|it| it == "md") && !OF_DEVELOPERS.contains(&name)
        };
        pages.extend(files.filter(is_for_users));
    }
    pages
}

/// The flags of each command, as its help names them.
#[derive(Default)]
struct Flags {
    of_command: BTreeMap<String, BTreeSet<String>>,
}

impl Flags {
    /// Checks what stands in a page as code and returns how many flags were in it.
    fn check(&mut self, code: &str, place: &str) -> usize {
        let code = code.trim_start_matches("$ ").replace("cargo run --release -- ", "hashrange ");
        let words: Vec<&str> = code.split_whitespace().collect();
        let command = match words.as_slice() {
            ["hashrange", group @ ("store" | "template" | "history" | "design"), command, ..] => {
                Some(format!("{group} {command}"))
            }
            ["hashrange", "explain", rest @ ..] => {
                let explained = rest.iter().find(|word| !word.starts_with('-'));
                Some(explained.map_or("explain".to_owned(), |command| format!("explain {command}")))
            }
            ["hashrange", command, ..] if !command.starts_with('-') => Some((*command).to_owned()),
            [first, ..] if first.starts_with("--") => None,
            _ => return 0,
        };
        // A comment of a statement is no flag.
        let named = words.iter().filter(|word| word.starts_with("--") && word.len() > 2);
        let named: Vec<&str> = named.filter_map(|word| word.split(['=', ',']).next()).collect();
        for flag in &named {
            let is_one = match &command {
                Some(command) => self.of(command).contains(*flag),
                None => OF_OTHERS.contains(flag) || self.all().contains(*flag),
            };
            assert!(is_one, "{flag} is no flag: {place}");
        }
        named.len()
    }

    fn of(&mut self, command: &str) -> &BTreeSet<String> {
        self.of_command.entry(command.to_owned()).or_insert_with(|| {
            let line = format!("hashrange {command} --help");
            let help = Scratch::new().run(&line).printed(&line);
            let words = help.split(|one: char| !(one.is_ascii_alphanumeric() || one == '-'));
            words.filter(|word| word.starts_with("--")).map(str::to_owned).collect()
        })
    }

    fn all(&mut self) -> BTreeSet<String> {
        if self.of_command.len() < COMMANDS.len() {
            for command in COMMANDS {
                self.of(command);
            }
        }
        self.of_command.values().flatten().cloned().collect()
    }
}

/// The commands whose flags stand alone in pages.
const COMMANDS: &[&str] = &[
    "serve",
    "health",
    "create",
    "alter",
    "drop",
    "describe",
    "template set",
    "template parse",
    "history enable",
    "history show",
    "history disable",
    "history versions",
    "get",
    "put",
    "import",
    "export",
    "update",
    "delete",
    "query",
    "gather",
    "scan",
    "explain",
    "tree",
    "console",
    "requests",
    "ruler",
    "lint",
    "entities",
    "coverage",
    "design diff",
    "design write",
    "study",
    "cost",
    "advise",
    "heat",
    "contract",
    "sql",
    "state",
    "clock",
    "api",
    "check",
    "copy",
    "man",
    "store init",
    "store upgrade",
];
