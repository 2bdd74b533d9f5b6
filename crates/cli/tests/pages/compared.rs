//! Compares a page with what was printed, or writes that into it.

use hashrange_samples::page::{self, Fence};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Stands in a page for a text within a line that differs from run to run.
const ANYTHING: &str = "...";

/// A page as it is written, and what was printed in its places.
pub struct Compared {
    path: PathBuf,
    /// The page.
    pub written: String,
}

impl Compared {
    /// Reads a page by its path from the root of the project.
    pub fn read(path: &str) -> Self {
        let path = root().join(path);
        let written = std::fs::read_to_string(&path);
        let written = written.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Self { path, written }
    }

    /// Compares the page with the page that shows what was printed, or writes that.
    pub fn end(self, printed: Vec<(Range<usize>, String)>) {
        let Self { path, written } = self;
        assert!(!printed.is_empty(), "{} shows nothing that is printed", path.display());
        let mut is = String::new();
        let mut copied = 0;
        for (range, text) in printed {
            let shown = &written[range.clone()];
            is.push_str(&written[copied..range.start]);
            is.push_str(if fits(shown, &text) { shown } else { &text });
            copied = range.end;
        }
        is.push_str(&written[copied..]);
        if std::env::var_os("HASHRANGE_BLESS").is_some() {
            std::fs::write(path, is).unwrap();
        } else {
            assert_eq!(is, written, "{}", path.display());
        }
    }
}

/// Returns the fences of a kind under a heading, of which there is one at least.
pub fn fences<'a>(page: &'a str, kind: &str, heading: &str) -> Vec<Fence<'a>> {
    let mut found = page::fences(page);
    found.retain(|fence| fence.kind == kind && fence.heading == heading);
    assert!(!found.is_empty(), "no {kind} under {heading}");
    found
}

/// Returns the folder of the project.
pub fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// Returns whether a text is what a page shows.
pub fn fits(shown: &str, text: &str) -> bool {
    shown.lines().count() == text.lines().count()
        && shown.lines().zip(text.lines()).all(|(shown, line)| fits_line(shown, line))
}

/// Returns whether a line is what a page shows, where `...` is any text.
pub fn fits_line(shown: &str, line: &str) -> bool {
    let mut parts = shown.split(ANYTHING);
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = line.strip_prefix(first) else { return false };
    let mut last = None;
    for part in parts {
        if let Some(part) = last.replace(part) {
            let Some((_, after)) = rest.split_once(part) else { return false };
            rest = after;
        }
    }
    last.map_or(rest.is_empty(), |last| rest.ends_with(last))
}

#[test]
fn dots_are_any_text_within_a_line() {
    let cases = [
        ("a\n", "a\n", true),
        ("a\n", "b\n", false),
        ("a\n", "a\nb\n", false),
        ("a ... c\n", "a b b c\n", true),
        ("a ... c\n", "a b b\n", false),
        ("... c ...\n", "a c b\n", true),
        ("... c ... c\n", "a c\n", false),
        ("...\n", "a\nb\n", false),
        ("a...\n", "a\n", true),
    ];
    for (shown, text, is) in cases {
        assert_eq!(fits(shown, text), is, "{shown:?} {text:?}");
    }
}
