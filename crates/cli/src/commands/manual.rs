//! `hashrange man`: the manual pages, made from the same arguments as the help.

use crate::arguments::{Arguments, Manual};
use crate::exit::{self, Usage};
use crate::output;
use anyhow::Context;
use clap::{Command, CommandFactory};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};
use std::io;

/// Prints the page of the program or of a command, or writes all pages into a folder.
pub fn run(arguments: &Manual) -> anyhow::Result<()> {
    let program = program();
    if let Some(folder) = &arguments.folder {
        std::fs::create_dir_all(folder)
            .with_context(|| format!("create the folder {}", folder.display()))?;
        for (name, page) in pages(&program)? {
            let path = folder.join(name);
            std::fs::write(&path, page).with_context(|| format!("write {}", path.display()))?;
        }
        return Ok(());
    }
    output::text(&match &arguments.command {
        None => page(&program, &program)?,
        Some(name) => {
            let unknown = || Usage(format!("there is no command {name:?}: see hashrange --help"));
            page(program.find_subcommand(name).ok_or_else(unknown)?, &program)?
        }
    })
}

/// Returns the program with the full names of its commands.
fn program() -> Command {
    let mut program = Arguments::command().disable_help_subcommand(true);
    program.build();
    program
}

/// Returns all pages with the names of their files.
fn pages(program: &Command) -> io::Result<Vec<(String, Vec<u8>)>> {
    let commands = program.get_subcommands().filter(|command| !command.is_hide_set());
    let all = std::iter::once(program).chain(commands);
    all.map(|command| Ok((Man::new(command.clone()).get_filename(), page(command, program)?)))
        .collect()
}

fn page(command: &Command, program: &Command) -> io::Result<Vec<u8>> {
    let source = format!("hashrange {}", program.get_version().unwrap_or_default());
    let mut page = Vec::new();
    let manual = Man::new(command.clone()).source(source).manual("Hashrange");
    manual.render(&mut page)?;
    let mut end = Roff::new();
    end.control("SH", ["EXIT STATUS"]);
    for (code, meaning) in exit::MEANINGS {
        end.control("TP", []);
        end.text([bold(code.to_string())]);
        end.text([roman(*meaning)]);
    }
    if command.get_name() != program.get_name() {
        end.control("SH", ["SEE ALSO"]);
        end.text([bold("hashrange"), roman("(1)")]);
    }
    end.to_writer(&mut page)?;
    Ok(page)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_command_has_a_page_with_its_options() {
        let pages = pages(&program()).unwrap();
        let names: Vec<&str> = pages.iter().map(|(name, _)| name.as_str()).collect();
        assert!(names.starts_with(&["hashrange.1", "hashrange-serve.1"]), "{names:?}");
        assert_eq!(names.len(), program().get_subcommands().count() + 1);
        for (name, page) in &pages {
            let page = String::from_utf8(page.clone()).unwrap();
            for part in [".SH NAME", ".SH SYNOPSIS", ".SH \"EXIT STATUS\""] {
                assert!(page.contains(part), "{name} has no {part}");
            }
        }
        let (_, serve) = &pages[1];
        assert!(String::from_utf8_lossy(serve).contains(r"\-\-data\-dir"));
    }
}
