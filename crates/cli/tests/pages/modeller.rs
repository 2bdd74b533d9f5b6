//! The pages of the samples, the tutorial, the pages of PartiQL, of EXPLAIN, of trees, of key templates, of the
//! linter and of costs: their commands and statements run on a folder, or on a server.

use super::compared::Compared;
use super::scratch::{Ended, Scratch, ended};
use hashrange::{Database, Options};
use hashrange_samples::page::{self, Run};
use hashrange_samples::{Sample, all, find, load};
use std::path::{Path, PathBuf};

fn data(scratch: &Scratch) -> PathBuf {
    scratch.work().join("data")
}

fn load_into(folder: &Path, sample: &Sample) {
    let database = Database::open(folder, &Options::default()).unwrap();
    hashrange_storage::block_on(load(sample, &database, &mut |_| {})).unwrap();
    hashrange_storage::block_on(database.close()).unwrap();
}

/// Returns what a command prints, which succeeds.
fn printed_by(scratch: &Scratch, line: &str) -> String {
    let mut command = scratch.hashrange(line);
    command.arg("--data-dir").arg(data(scratch));
    ended(command, "").printed(line)
}

/// Returns what a statement prints, or why it is refused.
fn printed_by_statement(scratch: &Scratch, statement: &str) -> String {
    let mut command = scratch.hashrange("hashrange sql");
    command.arg("--data-dir").arg(data(scratch)).arg(statement);
    let Ended { stdout, stderr, .. } = ended(command, "");
    stdout + &stderr
}

fn check(path: &str, sample: &Sample) {
    let scratch = Scratch::new();
    load_into(&data(&scratch), sample);
    let page = Compared::read(path);
    let mut printed = Vec::new();
    for example in page::examples(&page.written) {
        let text = printed_by(&scratch, example.hashrange.expect("both command lines"));
        printed.extend(example.printed.map(|range| (range, text)));
    }
    page.end(printed);
}

#[test]
fn the_pages_of_the_samples() {
    for sample in all().iter().filter(|sample| sample.name != "shop") {
        check(&format!("docs/samples/{}.md", sample.name), sample);
    }
    check("docs/samples/README.md", find("world").unwrap());
}

/// The page makes an index on its way.
#[test]
fn the_page_of_the_shop() {
    let scratch = Scratch::new();
    load_into(&data(&scratch), find("shop").unwrap());
    let page = Compared::read("docs/samples/shop.md");
    let mut printed = Vec::new();
    for (command, place) in page::commands(&page.written) {
        let text = printed_by(&scratch, command);
        printed.extend(place.map(|place| (place, text)));
    }
    page.end(printed);
}

#[test]
fn the_tutorial() {
    check_on_server("docs/tutorial.md", "hashrange serve --memory");
}

#[test]
fn the_page_of_costs() {
    check_on_server("docs/cost.md", "hashrange serve --memory --record --sample audits");
}

#[test]
fn the_page_of_histories() {
    check_on_server("docs/history.md", "hashrange serve --memory");
}

#[test]
fn the_page_of_advice() {
    check_on_server("docs/advise.md", "hashrange serve --memory --record --sample world");
}

#[test]
fn the_page_of_designs() {
    check_on_server("docs/design.md", "hashrange serve --memory --record --sample orders");
}

#[test]
fn the_page_of_heat() {
    check_on_server("docs/heat.md", "hashrange serve --memory --heat --sample audits");
}

/// Runs the commands of a page on a server. What makes a file comes first; the linter and a budget may end
/// with what they find.
fn check_on_server(path: &str, serve: &str) {
    let mut scratch = Scratch::new();
    let page = Compared::read(path);
    let server = scratch.serve(serve);
    scratch.use_server(&server);
    for fence in page::fences(&page.written) {
        if fence.kind == "console" && fence.body.starts_with("seq ") {
            scratch.sh(fence.body).printed(fence.body);
        }
    }
    let mut printed = Vec::new();
    for (command, place) in page::commands(&page.written) {
        let Ended { code, stdout, stderr } = scratch.run(command);
        let tells =
            ["hashrange lint", "hashrange contract"].iter().any(|it| command.starts_with(it))
                || command.contains("--budget");
        assert!(code == 0 || tells && [5, 6].contains(&code), "{command}: {code} {stderr}");
        let text = if tells && code == 6 { stdout + &stderr } else { stdout };
        match place {
            Some(range) => printed.push((range, text)),
            None => assert_eq!(text, "", "{command}"),
        }
    }
    page.end(printed);
}

#[test]
fn the_page_of_key_templates() {
    let scratch = Scratch::new();
    let page = Compared::read("docs/key-templates.md");
    let shown = page::shown(&page.written);
    let is_run = |line: &&str| ["```sh", "```sql"].contains(line);
    assert_eq!(shown.len(), page.written.lines().filter(is_run).count(), "all say what they print");
    let run = |run| match run {
        Run::Command(command) => printed_by(&scratch, command),
        Run::Statement(statement) => printed_by_statement(&scratch, statement),
    };
    let printed = shown.into_iter().map(|shown| (shown.printed, run(shown.run))).collect();
    page.end(printed);
}

#[test]
fn the_page_of_partiql() {
    check_statements("docs/partiql.md", "orders");
}

#[test]
fn the_page_of_explain() {
    check_statements("docs/explain.md", "world");
}

/// Runs the commands and statements of a page on a sample.
fn check_statements(path: &str, sample: &str) {
    let scratch = Scratch::new();
    load_into(&data(&scratch), find(sample).unwrap());
    let page = Compared::read(path);
    let shown = page::shown(&page.written);
    let statements = page.written.lines().filter(|line| *line == "```sql").count();
    let run = |run| match run {
        Run::Command(command) => printed_by(&scratch, command),
        Run::Statement(statement) => printed_by_statement(&scratch, statement),
    };
    let is_statement = |shown: &&page::ShownRun<'_>| matches!(shown.run, Run::Statement(_));
    assert_eq!(shown.iter().filter(is_statement).count(), statements, "all say what they print");
    let printed = shown.into_iter().map(|shown| (shown.printed, run(shown.run))).collect();
    page.end(printed);
}

#[test]
fn the_page_of_trees() {
    page_on_the_world("docs/tree.md");
}

#[test]
fn the_page_of_rulers() {
    page_on_the_world("docs/ruler.md");
}

/// Walks a page whose commands run on the sample `world`.
fn page_on_the_world(page: &'static str) {
    let scratch = Scratch::new();
    load_into(&data(&scratch), find("world").unwrap());
    let page = Compared::read(page);
    let commands = page::commands(&page.written);
    let print = |(command, place): (&str, Option<std::ops::Range<usize>>)| {
        (place.expect("every command says what it prints"), printed_by(&scratch, command))
    };
    let printed = commands.into_iter().map(print).collect();
    page.end(printed);
}

#[test]
fn the_page_of_the_linter() {
    let scratch = Scratch::new();
    load_into(&data(&scratch), find("audits").unwrap());
    let page = Compared::read("docs/lint.md");
    let mut codes = Vec::new();
    let mut run = |(command, place): (&str, Option<std::ops::Range<usize>>)| {
        let mut hashrange = scratch.hashrange(command);
        hashrange.arg("--data-dir").arg(data(&scratch));
        let Ended { code, stdout, .. } = ended(hashrange, "");
        codes.push(code);
        (place.expect("every command says what it prints"), stdout)
    };
    let printed = page::commands(&page.written).into_iter().map(&mut run).collect();
    page.end(printed);
    assert_eq!(codes, [0, 0, 5], "only the last one finds something");
}

/// A model of NoSQL Workbench with sample data, as that saves it.
const MODEL: &str = r#"{"ModelName": "audits", "DataModel": [{
    "TableName": "audits",
    "KeyAttributes": {
        "PartitionKey": {"AttributeName": "machine", "AttributeType": "S"},
        "SortKey": {"AttributeName": "version", "AttributeType": "S"}
    },
    "TableData": [
        {"machine": {"S": "press"}, "version": {"S": "v_2"}},
        {"machine": {"S": "press"}, "version": {"S": "v_10"}}
    ]
}]}"#;

#[test]
fn a_design_in_a_file_is_looked_at_without_a_database() {
    let scratch = Scratch::new();
    scratch.write("model.json", MODEL);
    let Ended { code, stdout, stderr } =
        ended(scratch.hashrange("hashrange lint --design model.json"), "");
    assert_eq!((code, &stderr[..]), (5, "hashrange: 1 warning\n"), "{stdout}");
    assert_eq!(stdout.lines().next(), Some("audits: 2 items of sample data"));
    assert!(stdout.contains("unpadded-number (audits, version)"), "{stdout}");
    let plain = ended(scratch.hashrange("hashrange lint --design model.json -o json"), "");
    let found: serde_json::Value = serde_json::from_str(&plain.stdout).unwrap();
    assert_eq!(
        (&found["rule"], &found["examples"][0]),
        (&"unpadded-number".into(), &"v_10".into())
    );
    let other = ended(scratch.hashrange("hashrange lint other --design model.json"), "");
    assert_eq!(other.code, 2, "{}", other.stderr);
}
