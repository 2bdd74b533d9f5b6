//! Commands and flags in the sentences and tables of a page: each is tried, and none is left over.

use super::scratch::Scratch;
use hashrange_samples::page;
use std::collections::BTreeSet;

/// What stands in the page, and what is tried for it.
pub type Case = (&'static str, Tried);

/// A command, and what comes of it.
pub enum Tried {
    /// A server starts, and ends well.
    Serves(&'static str),
    /// A command succeeds and prints this.
    Prints(&'static str, &'static str),
    /// A command ends with this code and complains of this.
    Fails(&'static str, i32, &'static str),
}

/// Tries every command and flag in a part of a page, in the order of the cases.
pub fn all(scratch: &Scratch, part: &str, cases: &[Case]) {
    let is_ours = |span: &&str| span.starts_with("hashrange ") || span.starts_with("--");
    let shown: BTreeSet<&str> = page::code_spans(part).into_iter().filter(is_ours).collect();
    let known: BTreeSet<&str> = cases.iter().map(|(shown, _)| *shown).collect();
    assert_eq!(shown, known, "what the page shows, what is tried");
    for (_, tried) in cases {
        try_it(scratch, tried);
    }
}

fn try_it(scratch: &Scratch, tried: &Tried) {
    match tried {
        Tried::Serves(line) => scratch.serve(line).stop(),
        Tried::Prints(line, part) => {
            let printed = scratch.run(line).printed(line);
            assert!(printed.contains(part), "{line}: {printed}");
        }
        Tried::Fails(line, code, part) => {
            let ended = scratch.run(line);
            assert_eq!(ended.code, *code, "{line}: {}", ended.stderr);
            assert!(ended.stderr.contains(part), "{line}: {}", ended.stderr);
        }
    }
}
