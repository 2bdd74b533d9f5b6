//! Golden scripts: requests with the answers they must get, in text files.
//!
//! A script is paragraphs between blank lines. `#` begins a comment line.
//!
//! | first line | then | means |
//! |---|---|---|
//! | `given table NAME` | | CreateTable with the definition `tables/NAME.json` succeeds |
//! | `given OPERATION` | request | the operation succeeds; its answer does not matter |
//! | `wait TABLE` | | wait until no index of the table is being created or deleted, nor time to live enabled or disabled |
//! | `advance MS` | | time passes, and the database does what is due then |
//! | `OPERATION` | request, `---`, answer | the operation answers this JSON or this error |
//! | `OPERATION [kv]` | request, `---`, answer | also lists the changes of the store |
//!
//! In a request `@(a*2049)` is a run of 2049 letters, and `@(1..3 {"n":@})` is
//! `{"n":1},{"n":2},{"n":3}`; `@[/Streams/0/StreamArn]` is the text at that place of the last answer
//! that was JSON and had one. Long runs of one letter are printed in the first form.
//!
//! With `HASHRANGE_BLESS=1` a run replaces the answers in the files by those given, with
//! `HASHRANGE_BLESS=new` only those that are still empty. An answer is the service's own: bless,
//! then read every line.

mod answers;
mod changes;
mod expand;
mod layout;
mod print;

pub use answers::Answers;
pub use changes::Contents;
pub(crate) use print::attribute_value;

use hashrange_model::ApiError;
use serde_json::Value as Json;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Reason for which writing cannot fail.
const IN_MEMORY: &str = "writing to a string cannot fail";

/// The database that a script talks to.
pub trait Subject {
    /// Runs the operation of this name.
    fn call(&self, operation: &str, body: &[u8]) -> Result<Vec<u8>, ApiError>;

    /// Lets time pass and does the work that is due then.
    fn advance(&self, ms: u64);

    /// Returns everything in the store.
    fn contents(&self) -> Contents;

    /// Returns the part of an answer that the script compares.
    fn comparable(&self, answer: &str) -> String {
        answer.to_owned()
    }
}

/// Treatment of answers that differ from the expected ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bless {
    /// The run reports them.
    Never,
    /// The run writes them to the file where it has none yet, and reports them otherwise.
    Missing,
    /// The run writes them to the file.
    All,
}

impl Bless {
    /// Returns the treatment for a setting: nothing, `new`, or anything else.
    pub fn from_setting(setting: Option<&str>) -> Self {
        match setting {
            None | Some("") => Self::Never,
            Some("new") => Self::Missing,
            Some(_) => Self::All,
        }
    }

    fn replaces(self, expected: &str) -> bool {
        match self {
            Self::Never => false,
            Self::Missing => expected.trim().is_empty(),
            Self::All => true,
        }
    }
}

/// A script file with answers that differ from the expected ones.
#[derive(Debug)]
pub struct Mismatch {
    /// The file.
    pub path: PathBuf,
    /// Expected and given answers.
    pub report: String,
}

/// Returns all script files below a folder, in order.
pub fn find(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("the folder of scripts can be read");
    let mut paths: Vec<_> =
        entries.map(|entry| entry.expect("an entry is readable").path()).collect();
    paths.sort();
    let mut scripts = Vec::new();
    for path in paths {
        if path.is_dir() {
            scripts.extend(find(&path));
        } else if path.extension().is_some_and(|extension| extension == "txt") {
            scripts.push(path);
        }
    }
    scripts
}

/// Runs one script on a fresh database; `bless` says which answers to rewrite.
pub fn run(path: &Path, tables: &Path, subject: &impl Subject, bless: Bless) -> Option<Mismatch> {
    let text = std::fs::read_to_string(path).expect("a script can be read");
    let mut answered = String::new();
    let mut report = String::new();
    let mut answers = Answers::default();
    for paragraph in paragraphs(&text) {
        let mut paragraph = Paragraph::parse(paragraph, path);
        paragraph.request = answers
            .insert(&paragraph.request)
            .unwrap_or_else(|fault| panic!("{}: {fault}", path.display()));
        answered.push_str(&paragraph.source);
        if let Some(mut actual) = paragraph.run(tables, subject, &mut answers) {
            let Paragraph { header, expected, .. } = &paragraph;
            let same = is_same(&subject.comparable(&actual), &subject.comparable(expected));
            if !same && !bless.replaces(expected) {
                writeln!(report, "{header}\n  expected: {expected}\n  answered: {actual}")
                    .expect(IN_MEMORY);
                actual.clone_from(expected);
            }
            writeln!(answered, "---\n{}", actual.trim_end()).expect(IN_MEMORY);
        }
        answered.push('\n');
    }
    if bless != Bless::Never {
        std::fs::write(path, format!("{}\n", answered.trim_end()))
            .expect("a script can be written");
    }
    (!report.is_empty()).then(|| Mismatch { path: path.to_owned(), report })
}

/// Returns the requests of a script in order, a line each: the operation, a blank, the body; also
/// the lines `advance MS`. Parts that a request takes from earlier answers stay as they are
/// written.
pub fn requests(path: &Path, tables: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(path).expect("a script can be read");
    paragraphs(&text)
        .filter_map(|paragraph| Paragraph::parse(paragraph, path).line(tables))
        .collect()
}

fn paragraphs(text: &str) -> impl Iterator<Item = &str> {
    text.split("\n\n").map(|paragraph| paragraph.trim_matches('\n')).filter(|text| !text.is_empty())
}

/// Returns true if two answers differ in nothing but the form of their JSON.
fn is_same(actual: &str, expected: &str) -> bool {
    let json = |text: &str| serde_json::from_str::<Json>(text).ok();
    actual.trim_end() == expected.trim_end()
        || json(actual).is_some_and(|actual| Some(actual) == json(expected))
}

/// One paragraph of a script.
struct Paragraph {
    /// Its lines before the answer, as they are.
    source: String,
    header: String,
    request: String,
    expected: String,
}

impl Paragraph {
    fn parse(text: &str, path: &Path) -> Self {
        let (source, expected) = match text.split_once("\n---\n") {
            Some((source, expected)) => (source, expected),
            None => (text.strip_suffix("\n---").unwrap_or(text), ""),
        };
        let mut lines = source.lines().filter(|line| !line.starts_with('#'));
        let header = lines.next().unwrap_or("").to_owned();
        let request = expand::expand(&lines.collect::<Vec<_>>().join("\n"))
            .unwrap_or_else(|fault| panic!("{}: {header}: {fault}", path.display()));
        let expected = expected.to_owned();
        Self { source: format!("{source}\n"), header, request, expected }
    }

    /// Returns the paragraph as one line, unless it only waits.
    fn line(&self, tables: &Path) -> Option<String> {
        let words: Vec<_> = self.header.split_whitespace().collect();
        let (name, body) = match words[..] {
            [] | ["wait", _] => return None,
            ["given", "table", name] => ("CreateTable", definition(tables, name)),
            ["advance", ms] => ("advance", ms.to_owned()),
            ["given", operation] | [operation] | [operation, ..] => {
                (operation, self.request.clone())
            }
        };
        Some(format!("{name} {}", body.replace('\n', " ")))
    }

    /// Runs the paragraph and returns its answer, if the paragraph expects one.
    fn run(&self, tables: &Path, subject: &impl Subject, answers: &mut Answers) -> Option<String> {
        let words: Vec<_> = self.header.split_whitespace().collect();
        match words[..] {
            [] => None,
            ["given", "table", name] => {
                let definition = definition(tables, name);
                answers.add(&self.succeed(subject, "CreateTable", definition.as_bytes()));
                None
            }
            ["given", operation] => {
                answers.add(&self.succeed(subject, operation, self.request.as_bytes()));
                None
            }
            ["wait", table] => {
                wait(subject, table);
                None
            }
            ["advance", ms] => {
                subject.advance(ms.parse().expect("time passes in milliseconds"));
                None
            }
            [operation] => Some(answer(subject, operation, &self.request, answers)),
            [operation, "[kv]"] => {
                let before = subject.contents();
                let answer = answer(subject, operation, &self.request, answers);
                let changes = changes::describe(&before, &subject.contents());
                Some(format!("{answer}\n{changes}"))
            }
            _ => panic!("no script knows {:?}", self.header),
        }
    }

    fn succeed(&self, subject: &impl Subject, operation: &str, body: &[u8]) -> Vec<u8> {
        match subject.call(operation, body) {
            Ok(body) => body,
            Err(error) => panic!("{}\n{}\nfails: {error}", self.header, self.request),
        }
    }
}

fn definition(tables: &Path, name: &str) -> String {
    let path = tables.join(format!("{name}.json"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn answer(subject: &impl Subject, operation: &str, request: &str, answers: &mut Answers) -> String {
    match subject.call(operation, request.as_bytes()) {
        Ok(body) if body.is_empty() => "(no body)".to_owned(),
        Ok(body) => {
            answers.add(&body);
            print::json(&parse(&body))
        }
        Err(error) => {
            let mut text = print::shorten(&error.to_string());
            if let Some(item) = error.item() {
                write!(text, "\n{}", print::item(item)).expect(IN_MEMORY);
            }
            for error in error.cancellation_reasons().into_iter().flatten() {
                write!(text, "\n{}", print::cancellation_reason(error.as_ref())).expect(IN_MEMORY);
            }
            text
        }
    }
}

fn wait(subject: &impl Subject, table: &str) {
    let request = serde_json::json!({ "TableName": table }).to_string();
    loop {
        let answer = subject.call("DescribeTable", request.as_bytes());
        let table = parse(&answer.expect("the table can be described"));
        let indexes = table["Table"]["GlobalSecondaryIndexes"].as_array().cloned();
        let mut indexes = indexes.into_iter().flatten();
        if indexes.all(|index| index["IndexStatus"] == "ACTIVE") && is_settled(subject, &request) {
            return;
        }
        std::thread::yield_now();
    }
}

/// Returns true if time to live is neither being enabled nor disabled.
fn is_settled(subject: &impl Subject, request: &str) -> bool {
    let answer = subject.call("DescribeTimeToLive", request.as_bytes());
    let answer = parse(&answer.expect("time to live can be described"));
    let status = answer["TimeToLiveDescription"]["TimeToLiveStatus"].as_str();
    status.is_some_and(|status| status.ends_with("ED"))
}

fn parse(body: &[u8]) -> Json {
    serde_json::from_slice(body).expect("an answer is JSON")
}
