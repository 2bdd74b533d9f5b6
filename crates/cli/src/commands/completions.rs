//! `hashrange completions`: scripts by which a shell completes commands, options and their values.

use crate::arguments::{Arguments, Completions};
use crate::output;
use clap::CommandFactory;

/// Prints the completions of a shell.
pub fn run(arguments: &Completions) -> anyhow::Result<()> {
    output::text(&script(arguments.shell))
}

fn script(shell: clap_complete::Shell) -> Vec<u8> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "hashrange", &mut script);
    script
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::ValueEnum;

    /// If one shell lacked a command, only its users would find out.
    #[test]
    fn every_shell_completes_every_command() {
        for shell in clap_complete::Shell::value_variants() {
            let script = String::from_utf8(script(*shell)).unwrap();
            for command in Arguments::command().get_subcommands() {
                let name = command.get_name();
                assert!(script.contains(name), "{shell}: {name} is missing");
            }
        }
    }
}
