//! The rooms of the engine, its top-level modules, and their floors. The table is the one of ARCHITECTURE.md; a room
//! may import those of lower floors only, and those of its own row.
//!
//! Tests may import everything. Uses of a method alone, without its type's name, are not seen.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::read;
use super::source::{product_code, word};

const DOCUMENT: &str = "ARCHITECTURE.md";
const HEADING: &str = "## The engine, floor by floor";
const SOURCES: &str = "crates/engine/src";

/// Excepted complaints, each with the reason.
const EXCEPTIONS: &[(&str, &str)] = &[(
    "crates/engine/src/copying/mod.rs: copying may not import engine, which is not below it",
    "the calls that copy are methods of Engine and stand there: engine uses jobs, and jobs copying",
)];

/// Place of each room: its floor, and its row among the others.
type Floors = BTreeMap<String, (u32, usize)>;

/// Returns each import of the engine that goes up, or to another room of its own floor.
pub fn imports_upwards(files: &[PathBuf]) -> Result<Vec<String>, String> {
    let floors = floors(&read(Path::new(DOCUMENT))?);
    let mut complaints = Vec::new();
    let mut rooms: Vec<String> = Vec::new();
    for file in files.iter().filter(|file| file.extension().is_some_and(|end| end == "rs")) {
        let Ok(place) = file.strip_prefix(SOURCES) else { continue };
        let path = module_path(place);
        let Some(room) = path.first() else { continue };
        rooms.push(room.clone());
        let wrong = complaints_of(&floors, &path, &read(file)?);
        complaints.extend(wrong.into_iter().map(|what| format!("{}: {what}", file.display())));
    }
    let gone = floors.keys().filter(|room| !rooms.contains(room));
    complaints.extend(gone.map(|room| format!("{DOCUMENT}: the engine has no room {room}")));
    Ok(without_exceptions(complaints, EXCEPTIONS))
}

/// Removes excepted complaints, and complains of exceptions without need.
fn without_exceptions(complaints: Vec<String>, exceptions: &[(&str, &str)]) -> Vec<String> {
    let (excepted, mut others): (Vec<_>, Vec<_>) = complaints
        .into_iter()
        .partition(|complaint| exceptions.iter().any(|(excepted, _)| complaint == excepted));
    let stale = exceptions.iter().filter(|(one, _)| !excepted.iter().any(|found| found == one));
    others.extend(stale.map(|(one, _)| format!("an exception that is not needed: {one}")));
    others
}

/// Returns the rooms of the table in a text: `| floor | rooms | idea |`, each room in backticks.
fn floors(text: &str) -> Floors {
    let section = text.split_once(HEADING).map_or("", |(_, section)| section);
    let section = section.split("\n## ").next().unwrap_or(section);
    let mut floors = Floors::new();
    for (row, line) in section.lines().enumerate() {
        let mut cells = line.trim_start_matches("| ").split(" | ");
        let (Some(floor), Some(names)) = (cells.next(), cells.next()) else { continue };
        let Ok(floor) = floor.parse() else { continue };
        for name in names.split('`').skip(1).step_by(2) {
            let name = name.trim_end_matches('/').trim_end_matches(".rs");
            floors.insert(name.to_owned(), (floor, row));
        }
    }
    floors
}

/// Returns the module of a source file by its place in the crate; empty for its root.
fn module_path(place: &Path) -> Vec<String> {
    let path = place.with_extension("");
    let names = path.iter().map(|name| name.to_string_lossy().into_owned());
    names.filter(|name| name != "mod" && name != "lib").collect()
}

fn complaints_of(floors: &Floors, path: &[String], text: &str) -> Vec<String> {
    let room = path.first().map_or("", String::as_str);
    let Some((floor, row)) = floors.get(room) else {
        return vec![format!("the room {room} has no floor in {DOCUMENT}")];
    };
    let mut complaints = Vec::new();
    for name in imported(path, text) {
        let is_allowed = floors
            .get(&name)
            .is_some_and(|(below, of_row)| name == room || below < floor || of_row == row);
        if !is_allowed {
            complaints.push(format!("{room} may not import {name}, which is not below it"));
        }
    }
    complaints.sort();
    complaints.dedup();
    complaints
}

/// Returns the names that a file takes from the root of its crate, outside of tests and comments.
fn imported(path: &[String], text: &str) -> Vec<String> {
    let code = product_code(text);
    let root = "super::".repeat(path.len());
    let mut names = Vec::new();
    for (start, prefix) in [("crate::", "crate::"), (root.as_str(), root.as_str())] {
        for (at, _) in code.match_indices(start) {
            let is_whole = !code[..at].ends_with(|before: char| {
                before.is_alphanumeric() || before == '_' || before == ':'
            });
            if is_whole {
                names.extend(names_at(&code[at + prefix.len()..]));
            }
        }
    }
    names
}

/// Returns the next name of a path, or the names in its braces.
fn names_at(rest: &str) -> Vec<String> {
    let name = |text: &str| word(text).to_owned();
    let Some(list) = rest.strip_prefix('{') else { return vec![name(rest)] };
    let (mut depth, mut names, mut is_next) = (1, Vec::new(), true);
    for (at, letter) in list.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 1 => is_next = true,
            _ if is_next && !letter.is_whitespace() => {
                names.push(name(&list[at..]));
                is_next = false;
            }
            _ => {}
        }
        if depth == 0 {
            break;
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "## The engine, floor by floor\n\n| floor | room | idea |\n|---|---|---|\n\
         | 3 | `ops/` | operations |\n| 2 | `read/` | reads |\n| 2 | `write/` | writes |\n\
         | 1 | `schema/`, `layout/` | tables |\n\n## Another\n\n| 9 | `x.rs` | no |\n";

    fn found(place: &str, text: &str) -> Vec<String> {
        complaints_of(&floors(TABLE), &module_path(Path::new(place)), text)
    }

    #[test]
    fn the_table_is_read_up_to_the_next_heading() {
        let floors: Vec<_> =
            floors(TABLE).into_iter().map(|(room, (floor, _))| (room, floor)).collect();
        let wanted = [("layout", 1), ("ops", 3), ("read", 2), ("schema", 1), ("write", 2)];
        assert_eq!(floors, wanted.map(|(room, floor)| (room.to_owned(), floor)));
    }

    #[test]
    fn imports_go_down() {
        let down = "use crate::write::{self, Write};\nuse crate::{read, schema::Table};\n";
        assert_eq!(found("ops/put_item.rs", down), [""; 0]);
        assert_eq!(found("schema/mod.rs", "use crate::layout;\nuse crate::schema::x;"), [""; 0]);
        assert_eq!(found("lib_of.rs", ""), ["the room lib_of has no floor in ARCHITECTURE.md"]);
    }

    #[test]
    fn imports_up_and_across_are_found_in_every_spelling() {
        let up = ["write may not import ops, which is not below it"];
        for text in [
            "use crate::ops::put_item;",
            "use crate::{\n    layout,\n    ops::{a, b},\n};",
            "fn f() -> crate::ops::X {}",
            "use super::super::ops;",
        ] {
            assert_eq!(found("write/plan.rs", text), up, "{text}");
        }
        assert_eq!(found("write/mod.rs", "use super::ops;"), up);
        assert_eq!(
            found("read/page.rs", "use crate::write;"),
            ["read may not import write, which is not below it"]
        );
        assert_eq!(
            found("read/page.rs", "use crate::Engine;"),
            ["read may not import Engine, which is not below it"]
        );
    }

    #[test]
    fn comments_and_tests_import_what_they_like() {
        let text = "//! See [`crate::ops`].\nuse super::page;\n#[cfg(test)]\nmod tests {\n    use crate::Engine;\n}\n";
        assert_eq!(found("read/page.rs", text), [""; 0]);
    }

    #[test]
    fn an_exception_goes_with_what_it_excepts() {
        let complaints = |found: &[&str]| {
            let found = found.iter().map(|one| (*one).to_owned()).collect();
            without_exceptions(found, &[("a", "reason")])
        };
        assert_eq!(complaints(&["a", "b"]), ["b"]);
        assert_eq!(complaints(&["b"]), ["b", "an exception that is not needed: a"]);
    }

    #[test]
    fn what_stands_behind_the_tests_is_read() {
        for tests in ["mod tests;", "mod tests {\n    fn f() {}\n}", "pub(crate) mod tests;"] {
            let text = format!("#[cfg(test)]\n{tests}\n\nuse crate::Engine;\n");
            let up = ["read may not import Engine, which is not below it"];
            assert_eq!(found("read/mod.rs", &text), up, "{tests}");
        }
    }
}
