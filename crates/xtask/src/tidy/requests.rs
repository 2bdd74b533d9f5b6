//! Requests are read whole: each member that an operation's request may have is named where the operation is,
//! so that none is read and dropped in silence.
//!
//! An operation's files are those of `crates/engine/src/ops` that name its input, with their folder. A member
//! that changes nothing is taken out of the input by its name and bound to `_`; `..` in such a pattern is refused.
//! What other modules of the engine do with a member is not looked at.

use std::path::{Path, PathBuf};

use super::read;

const REQUESTS: &str = "crates/wire/src/generated/requests.rs";
const OPERATIONS: &str = "crates/engine/src/ops";

/// Returns each member of a request that its operation does not name, and each pattern that leaves some out.
pub fn dropped_members(files: &[PathBuf]) -> Result<Vec<String>, String> {
    let mut sources = Vec::new();
    for file in files.iter().filter(|file| file.extension().is_some_and(|end| end == "rs")) {
        if file.starts_with(OPERATIONS) {
            sources.push((file.clone(), code(&read(file)?)));
        }
    }
    Ok(complaints(&inputs(&read(Path::new(REQUESTS))?), &sources))
}

/// The name of an input and those of its members.
type Input = (String, Vec<String>);

/// Returns the inputs that a text declares.
fn inputs(text: &str) -> Vec<Input> {
    let mut inputs: Vec<Input> = Vec::new();
    let mut is_inside = false;
    for line in text.lines() {
        if let Some(declared) = line.strip_prefix("pub struct ") {
            let name = word(declared);
            is_inside = name.ends_with("Input") && declared.ends_with('{');
            if is_inside {
                inputs.push((name, Vec::new()));
            }
        } else if line == "}" {
            is_inside = false;
        } else if let (true, Some(member)) = (is_inside, line.strip_prefix("    pub "))
            && let Some((_, members)) = inputs.last_mut()
        {
            members.push(word(member.strip_prefix("r#").unwrap_or(member)));
        }
    }
    inputs
}

fn complaints(inputs: &[Input], sources: &[(PathBuf, String)]) -> Vec<String> {
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

/// Returns the code of a text: without comments.
fn code(text: &str) -> String {
    let lines = text.lines().map(|line| line.split("//").next().unwrap_or_default());
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns whether a code has a name as a word.
fn names(code: &str, name: &str) -> bool {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    code.match_indices(name).any(|(at, _)| {
        !code[..at].ends_with(is_part) && !code[at + name.len()..].starts_with(is_part)
    })
}

/// Returns the name that a text begins with.
fn word(text: &str) -> String {
    text.chars().take_while(|letter| letter.is_alphanumeric() || *letter == '_').collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const DECLARED: &str = "pub struct PutInput<'a> {\n    pub item: Option<Item>,\n    pub r#type: \
         Option<Cow<'a, str>>,\n}\n\npub struct Item {\n    pub more: bool,\n}\n";

    fn found(sources: &[(&str, &str)]) -> Vec<String> {
        let place = |place: &str| Path::new(OPERATIONS).join(place);
        let sources: Vec<_> =
            sources.iter().map(|(name, text)| (place(name), code(text))).collect();
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
    fn a_pattern_that_leaves_members_out_is_found() {
        let text = "let PutInput { item, r#type: _, .. } = input;";
        let left_out = ["crates/engine/src/ops/put.rs: a pattern of PutInput with .."];
        assert_eq!(found(&[("put.rs", text)]), left_out);
        assert_eq!(found(&[("put.rs", &text.replace(", ..", ""))]), [""; 0]);
    }
}
