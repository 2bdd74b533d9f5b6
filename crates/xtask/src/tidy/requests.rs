//! Requests are read whole: each member that an operation's request may have is named where the operation is,
//! so that none is read and dropped in silence.
//!
//! An operation's files are those of `crates/engine/src/ops` that name its input, with their folder. A member
//! that changes nothing is taken out of the input by its name and bound to `_`; `..` in such a pattern is refused.
//! Uses of a member in other modules of the engine are not checked.
//!
//! Each member of a structure within requests is named in the files of the engine that name the structure.

use std::path::{Path, PathBuf};

use super::read;
use super::source::{without_quotes, word};

const REQUESTS: &str = "crates/wire/src/generated/requests.rs";
const STRUCTURES: &str = "crates/wire/src/generated/shared.rs";
const ENGINE: &str = "crates/engine/src";
const OPERATIONS: &str = "crates/engine/src/ops";

/// Returns each member of a request that its operation does not name, and each pattern that leaves some out.
pub fn dropped_members(files: &[PathBuf]) -> Result<Vec<String>, String> {
    let mut sources = Vec::new();
    for file in files.iter().filter(|file| file.extension().is_some_and(|end| end == "rs")) {
        if file.starts_with(ENGINE) {
            sources.push((file.clone(), without_quotes(&read(file)?)));
        }
    }
    let structures = structures(&read(Path::new(STRUCTURES))?);
    let mut found = complaints_within(&structures, &sources);
    sources.retain(|(file, _)| file.starts_with(OPERATIONS));
    found.extend(complaints(&inputs(&read(Path::new(REQUESTS))?), &sources));
    Ok(found)
}

/// The name of a structure and those of its members.
type Structure = (String, Vec<String>);

/// Returns the inputs of operations that a text declares.
fn inputs(text: &str) -> Vec<Structure> {
    let mut structures = structures(text);
    structures.retain(|(name, _)| name.ends_with("Input"));
    structures
}

/// Returns the structures that a text declares.
fn structures(text: &str) -> Vec<Structure> {
    let mut structures: Vec<Structure> = Vec::new();
    let mut is_inside = false;
    for line in text.lines() {
        if let Some(declared) = line.strip_prefix("pub struct ") {
            let name = word(declared).to_owned();
            is_inside = declared.ends_with('{');
            if is_inside {
                structures.push((name, Vec::new()));
            }
        } else if line == "}" {
            is_inside = false;
        } else if let (true, Some(member)) = (is_inside, line.strip_prefix("    pub "))
            && let Some((_, members)) = structures.last_mut()
        {
            members.push(word(member.strip_prefix("r#").unwrap_or(member)).to_owned());
        }
    }
    structures
}

/// Returns the members of structures that no file names which names the structure.
fn complaints_within(structures: &[Structure], sources: &[(PathBuf, String)]) -> Vec<String> {
    let mut complaints = Vec::new();
    for (structure, members) in structures {
        let homes: Vec<_> = sources.iter().filter(|(_, code)| names(code, structure)).collect();
        let Some((place, _)) = homes.first() else { continue };
        for member in members {
            if !homes.iter().any(|(_, code)| names(code, member)) {
                let place = place.display();
                complaints.push(format!("{place}: the member {member} of {structure} is not read"));
            }
        }
    }
    complaints
}

fn complaints(inputs: &[Structure], sources: &[(PathBuf, String)]) -> Vec<String> {
    let mut complaints = Vec::new();
    for (input, members) in inputs {
        let homes: Vec<_> = sources.iter().filter(|(_, code)| names(code, input)).collect();
        if homes.is_empty() {
            continue;
        }
        let is_of_operation = |file: &Path| {
            let has_folder = file.parent() != Some(Path::new(OPERATIONS));
            homes
                .iter()
                .any(|(home, _)| home == file || has_folder && home.parent() == file.parent())
        };
        let own: Vec<_> = sources.iter().filter(|(file, _)| is_of_operation(file)).collect();
        for member in members {
            if !own.iter().any(|(_, code)| names(code, member)) {
                let place = homes[0].0.display();
                complaints.push(format!("{place}: the member {member} of {input} is not read"));
            }
        }
        for (file, _) in homes.iter().filter(|(_, code)| leaves_out(code, input)) {
            complaints.push(format!("{}: a pattern of {input} with ..", file.display()));
        }
    }
    complaints
}

/// Returns whether a code takes an input apart and leaves members out.
fn leaves_out(code: &str, input: &str) -> bool {
    code.match_indices(&format!("{input} {{")).any(|(at, opened)| {
        let inside = code[at + opened.len()..].split('}').next().unwrap_or_default();
        inside.trim_end().ends_with("..")
    })
}

/// Returns whether a code has a name as a word.
fn names(code: &str, name: &str) -> bool {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    code.match_indices(name).any(|(at, _)| {
        !code[..at].ends_with(is_part) && !code[at + name.len()..].starts_with(is_part)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const DECLARED: &str = "pub struct PutInput<'a> {\n    pub item: Option<Item>,\n    pub r#type: \
         Option<Cow<'a, str>>,\n}\n\npub struct Item {\n    pub more: bool,\n}\n";

    fn found(sources: &[(&str, &str)]) -> Vec<String> {
        let place = |place: &str| Path::new(OPERATIONS).join(place);
        let sources: Vec<_> =
            sources.iter().map(|(name, text)| (place(name), without_quotes(text))).collect();
        complaints(&inputs(DECLARED), &sources)
    }

    #[test]
    fn a_member_that_no_code_of_its_operation_names_is_found() {
        assert_eq!(inputs(DECLARED), [("PutInput".to_owned(), vec!["item".into(), "type".into()])]);
        assert_eq!(found(&[("put.rs", "fn f(i: PutInput) { i.item; i.r#type; }")]), [""; 0]);
        let dropped =
            ["crates/engine/src/ops/put.rs: the member type of PutInput is not read".to_owned()];
        assert_eq!(found(&[("put.rs", "fn f(i: PutInput) { i.item; i.types } // type")]), dropped);
        assert_eq!(
            found(&[("put.rs", "fn f(i: PutInput) { i.item }"), ("other.rs", "type")]),
            dropped
        );
        assert_eq!(
            found(&[("put/mod.rs", "fn f(i: PutInput) { i.item }"), ("put/more.rs", "i.r#type")]),
            [""; 0]
        );
        assert_eq!(found(&[("get.rs", "fn f() {}")]), [""; 0], "no such operation");
    }

    #[test]
    fn a_member_of_a_structure_within_that_no_code_names_is_found() {
        let structures = [("Item".to_owned(), vec!["more".to_owned(), "most".to_owned()])];
        let found = |text: &str| {
            complaints_within(
                &structures,
                &[(Path::new("a.rs").to_path_buf(), without_quotes(text))],
            )
        };
        assert_eq!(
            found("fn f(item: Item) { item.more }"),
            ["a.rs: the member most of Item is not read"]
        );
        assert_eq!(found("fn f(item: Item) { item.more; item.most }"), [""; 0]);
        assert_eq!(found("fn f() {}"), [""; 0], "it is not read at all");
    }

    #[test]
    fn a_pattern_that_leaves_members_out_is_found() {
        let text = "let PutInput { item, r#type: _, .. } = input;";
        let left_out = ["crates/engine/src/ops/put.rs: a pattern of PutInput with .."];
        assert_eq!(found(&[("put.rs", text)]), left_out);
        assert_eq!(found(&[("put.rs", &text.replace(", ..", ""))]), [""; 0]);
    }
}
