//! Who has tests in CI: `docs/ci.md`, and the pages of the packages.
//!
//! The snippets for pytest, vitest and jest are files that `cargo xtask packages` runs; here the pages
//! are compared with them. The command lines for any other language run here.

use super::compared::{Compared, fences, root};
use super::scratch::Scratch;

const CI: &str = "docs/ci.md";
const PYTHON: &str = "packages/python/README.md";
const NPM: &str = "packages/npm/hashrange/README.md";

/// A page, the kind of a fence and the heading above it, and the file that is run.
const SNIPPETS: &[(&str, &str, &str, &str)] = &[
    (CI, "python", "pytest", "packages/python/tests/test_page.py"),
    (PYTHON, "python", "In tests", "packages/python/tests/test_page.py"),
    (CI, "ts", "vitest and jest", "packages/npm/tests/page-vitest/vitest.config.ts"),
    (NPM, "ts", "vitest", "packages/npm/tests/page-vitest/vitest.config.ts"),
    (NPM, "js", "In a test", "packages/npm/tests/page-vitest/tables.test.js"),
    (CI, "js", "vitest and jest", "packages/npm/tests/page-jest/jest.config.js"),
    (NPM, "js", "jest", "packages/npm/tests/page-jest/jest.config.js"),
];

#[test]
fn the_snippets_are_files_that_run() {
    for (page, kind, heading, file) in SNIPPETS {
        let written = Compared::read(page).written;
        // The name of a file stands in a page only.
        let shown =
            fences(&written, kind, heading)[0].body.lines().filter(|line| !is_file_name(line));
        let run = std::fs::read_to_string(root().join(file)).unwrap();
        let run = run.trim_start_matches(|first| first != '\n');
        let shown: Vec<&str> = shown.collect();
        assert_eq!(shown, run.trim_start().lines().collect::<Vec<_>>(), "{page}, {file}");
    }
}

fn is_file_name(line: &str) -> bool {
    line.strip_prefix("// ").is_some_and(|rest| !rest.contains(' ') && rest.contains(".config."))
}

#[test]
fn any_language_finds_the_server_by_its_log() {
    let page = Compared::read(CI).written;
    let shown = fences(&page, "sh", "Any language")[0].body;
    let scratch = Scratch::new();
    let ask = "\nhashrange create orders id:S\necho $AWS_ENDPOINT_URL_DYNAMODB\n\
               kill $!\nwait $!\ncat server.log >&2\n";
    let ended = scratch.sh(&format!("{shown}{ask}"));
    assert_eq!(ended.code, 0, "{}{}", ended.stdout, ended.stderr);
    let (console, rest) = ended.stdout.split_once('\n').unwrap();
    assert!(console.starts_with("console  http://localhost:"), "{}", ended.stdout);
    assert!(rest.starts_with("created orders\nhttp://127.0.0.1:"), "{}", ended.stdout);
    assert!(ended.stderr.contains("\"message\":\"stopped\""), "{}", ended.stderr);
}
