//! Checks that every command that the program prints or the documentation shows exists, with its flags: in texts of
//! the sources, in fences and in code within sentences.

use super::Arguments;
use clap::{Command, CommandFactory};
use std::fs;
use std::path::{Path, PathBuf};

/// Characters that end a command in a text.
const ENDS: [char; 8] = ['\n', '`', '"', '|', ';', '&', '#', '>'];

fn files(folder: &Path, kind: &str, found: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{folder:?}: {error}"));
    for entry in entries {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, kind, found);
        } else if path.extension().is_some_and(|it| it == kind) {
            found.push(path);
        }
    }
}

/// Returns the commands in a text, without the name of the program.
fn commands(text: &str) -> Vec<String> {
    // Lines of a page or a text that go on, escaped line ends, and sentences that go on after a command.
    let text = text.replace("\\n", "\n").replace("\\\n", " ");
    let text = text.replace(", ", "\n").replace(". ", "\n");
    let mut found = Vec::new();
    for (at, name) in text.match_indices("hashrange ") {
        let before = text[..at].chars().next_back().unwrap_or('\n');
        if "\n`\" ($".contains(before) {
            let rest = &text[at + name.len()..];
            found.push(rest[..rest.find(ENDS).unwrap_or(rest.len())].to_owned());
        }
    }
    found
}

/// Returns the flag that a command does not have; none if it has all, or if the text is no command.
fn unknown(program: &Command, text: &str) -> Option<String> {
    let mut words = text.split_whitespace().peekable();
    let mut command = program.find_subcommand(words.next()?)?;
    while let Some(sub) = words.peek().and_then(|word| command.find_subcommand(word)) {
        command = sub;
        words.next();
    }
    words.filter_map(|word| word.strip_prefix("--")).find_map(|word| {
        let is_of_flag = |one: char| one.is_ascii_lowercase() || one == '-';
        let flag = &word[..word.find(|one| !is_of_flag(one)).unwrap_or(word.len())];
        let flag = flag.trim_end_matches('-');
        let is_known = flag.is_empty()
            || flag == "help"
            || command.get_arguments().any(|known| {
                known.get_long() == Some(flag)
                    || known.get_all_aliases().is_some_and(|it| it.contains(&flag))
            });
        (!is_known).then(|| format!("{} has no --{flag}", command.get_name()))
    })
}

/// Returns the program, each command with the flags of its parents.
fn program() -> Command {
    let mut program = Arguments::command();
    program.build();
    program
}

#[test]
fn commands_that_are_printed_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut all = vec![root.join("README.md")];
    files(&root.join("docs"), "md", &mut all);
    for folder in fs::read_dir(root.join("crates")).unwrap() {
        let sources = folder.unwrap().path().join("src");
        if sources.is_dir() {
            files(&sources, "rs", &mut all);
        }
    }
    let program = program();
    let (mut looked_at, mut wrong) = (0, Vec::new());
    // This file has a command that does not exist.
    all.retain(|file| !file.ends_with("arguments/printed.rs"));
    for file in all {
        let text = fs::read_to_string(&file).unwrap();
        for command in commands(&text) {
            looked_at += 1;
            if let Some(why) = unknown(&program, &command) {
                wrong.push(format!("{}: {why}: {command}", file.display()));
            }
        }
    }
    assert!(looked_at > 300, "only {looked_at} commands were found");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_command_that_there_is_not_is_found() {
    let program = program();
    let text = "make it: hashrange alter t --add-index a=b:S\n`hashrange alter t --add-gsi a=b:S`";
    let found: Vec<_> = commands(text).iter().map(|it| unknown(&program, it)).collect();
    assert_eq!(found, [Some("alter has no --add-index".to_owned()), None]);
}
