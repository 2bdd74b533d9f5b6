//! The first-time cloner: every command of the README, in its order, in a repository whose status stays
//! clean.
//!
//! The build is excepted: what `cargo run` would start is the program of the tests. `cargo install` and
//! `cargo xtask` are not run.

use super::compared::{Compared, root};
use super::scratch::Scratch;
use super::server::Server;
use super::tried::{
    self, Case,
    Tried::{Fails, Prints, Serves},
};
use hashrange::{Database, Options, item};
use hashrange_samples::page::{self, Fence};
use serde_json::Value;

/// The endpoint that the README and the samples name.
const PAGES_PORT: &str = ":8000";

/// A walk along the page.
struct Walk {
    scratch: Scratch,
    has_aws: bool,
    server: Option<Server>,
    /// The variables that the reader has set so far.
    exports: String,
    /// What the last command of the AWS CLI has answered.
    answer: Option<String>,
    /// What the last command of our own has printed.
    printed: Option<String>,
}

impl Walk {
    fn begin() -> Self {
        let scratch = Scratch::new();
        let ignored = std::fs::read_to_string(root().join(".gitignore")).unwrap();
        scratch.write(".gitignore", &ignored);
        let made = "git init -q && git add . && \
                    git -c user.name=x -c user.email=x@example.com commit -q -m begin";
        scratch.sh(made).printed(made);
        let has_aws = scratch.has("aws");
        let exports = String::new();
        Self { scratch, has_aws, server: None, exports, answer: None, printed: None }
    }

    /// Runs what a fence has.
    fn step(&mut self, fence: &Fence<'_>) {
        let body = fence.body;
        if body.starts_with("cargo ") {
            body.lines().for_each(|line| self.cargo(line));
        } else if body.lines().all(|line| line.starts_with("export ")) {
            self.exports.push_str(body);
        } else if body.starts_with("aws ") {
            self.answer = self.has_aws.then(|| self.aws(body));
        } else if body.starts_with("hashrange ") {
            self.printed = Some(self.scratch.run(body).printed(body));
        } else {
            panic!("nobody has walked this: {body}");
        }
    }

    /// Does what a line does, except that the program is built already.
    fn cargo(&mut self, line: &str) {
        let command = line.split('#').next().unwrap_or_default().trim();
        match command.strip_prefix("cargo run --release -- ") {
            Some(arguments) => {
                let server = self.scratch.serve(&format!("hashrange {arguments}"));
                self.scratch.use_server(&server);
                assert!(server.logged.iter().any(|line| line.contains("sample loaded")));
                self.server = Some(server);
            }
            None => assert_eq!(command, "cargo xtask test"),
        }
    }

    fn aws(&self, command: &str) -> String {
        let port = self.server.as_ref().expect("a server runs").port;
        let command = command.replace(PAGES_PORT, &format!(":{port}"));
        self.scratch.sh(&(self.exports.clone() + &command)).printed(&command)
    }
}

#[test]
fn every_command_in_order() {
    let page = Compared::read("README.md");
    let mut walk = Walk::begin();
    let mut printed = Vec::new();
    for fence in page::fences(&page.written) {
        match fence.kind {
            "sh" => walk.step(&fence),
            "json" => {
                if let Some(answer) = walk.answer.take() {
                    assert_is_shown(fence.body, &answer);
                }
            }
            "text" => printed.push((fence.range, walk.printed.take().expect("a command before"))),
            "rust" => assert_is_snippet(fence.body),
            kind => panic!("nobody has walked this: {kind} {}", fence.body),
        }
    }
    let status = "git status --porcelain";
    assert_eq!(walk.scratch.sh(status).printed(status), "");
    let mut server = walk.server.expect("the page starts a server");
    server.stop();
    let told = server.printed();
    assert!(told.contains("aws dynamodb query"), "it tells what to type next: {told}");
    assert_picture_is_of(&page.written);
    page.end(printed);
}

/// Fails unless each line of the picture at the top of the page stands in what `explain` prints further down.
fn assert_picture_is_of(page: &str) {
    let (top, rest) = page.split_once("## Install").expect("the page has the heading");
    let picture: Vec<&str> = top.lines().filter_map(|line| line.strip_prefix("    ")).collect();
    assert!(picture.len() > 10, "{picture:?}");
    for line in picture {
        assert!(rest.contains(&format!("\n{line}\n")), "{line:?} is printed nowhere");
    }
}

/// Fails unless an answer of the AWS CLI is what the page shows; that may leave out the last elements of
/// lists, and says how many.
fn assert_is_shown(shown: &str, answer: &str) {
    let mut shown: Value = serde_json::from_str(shown).unwrap();
    let answer: Value = serde_json::from_str(answer).unwrap();
    let items = shown["Items"].as_array_mut().expect("the page shows items");
    if let Some(more) = items.last().and_then(Value::as_str) {
        let all = answer["Items"].as_array().expect("items");
        let left_out = all.len() - (items.len() - 1);
        assert_eq!(more, format!("... {left_out} more"));
        items.pop();
        items.extend_from_slice(&all[items.len()..]);
    }
    for (name, value) in shown.as_object().expect("an answer has members") {
        assert_eq!(&answer[name], value, "{name}");
    }
}

#[test]
fn the_snippet_of_rust_runs() -> hashrange::Result<()> {
    let scratch = Scratch::new();
    let music_data = scratch.work().join("music-data");
    // The snippet.
    let db = Database::open(&music_data, &Options::default())?.blocking();
    db.create("music", "artist:S song:S").run()?;
    db.put("music", item! { "artist": "Nina Simone", "song": "Sinnerman", "year": 1965 }).run()?;
    let sixties = db.query("music").key("artist = 'Nina Simone'").filter("year < 1970").all()?;
    // Its end.
    assert_eq!(sixties.len(), 1);
    Ok(())
}

/// Fails unless the test above has the text of the page, except for where the folder is.
fn assert_is_snippet(shown: &str) {
    let (_, source) = include_str!("cloner.rs").split_once("// The snippet.\n").expect("it begins");
    let (source, _) = source.split_once("// Its end.\n").expect("it ends");
    let shown = shown.replace("\"music-data\"", "&music_data");
    let shown = shown.lines().filter(|line| !line.is_empty() && !line.starts_with("use "));
    let source = source.lines().map(str::trim).filter(|line| !line.is_empty());
    assert_eq!(shown.collect::<Vec<_>>(), source.collect::<Vec<_>>());
}

/// What stands in the section "Use it", and what is run for it.
const TABLE: &[Case] = &[
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
    ("hashrange sql", Prints("hashrange sql 'SELECT * FROM music'", "0 items")),
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
    ("--config FILE", Serves("hashrange serve --config hashrange.toml")),
    ("--stream-shard-period 1m", Serves("hashrange serve --memory --stream-shard-period 1m")),
    ("--stream-shards 1", Serves("hashrange serve --memory --stream-shards 1")),
    ("hashrange check DIR", Prints("hashrange check shop", " 0 problems")),
];

#[test]
fn every_row_of_the_table_works() {
    let page = Compared::read("README.md").written;
    let (_, section) = page.split_once("\n## Use it\n").expect("the page has the section");
    let table = section.split("\n\n").next().expect("the section begins with its table");
    let mut scratch = Scratch::new();
    scratch.write("keys", "[default]\naws_access_key_id = AKIA1\naws_secret_access_key = secret\n");
    scratch.write("hashrange.toml", "data-dir = \"other\"\ncache-size = \"64MiB\"\n");
    let server = scratch.serve("hashrange serve --memory");
    scratch.use_server(&server);
    scratch.run("hashrange create music pk:S").printed("create");
    tried::all(&scratch, table, TABLE);
}
