//! The command line of Hashrange: `hashrange serve` runs a server, the other commands talk to one
//! or to a data folder.
//! This file only chooses the command. Settings are in [`config`], commands in [`commands`], the
//! output of commands goes through [`output`], and exit codes are in [`exit`].
#![forbid(unsafe_code)]

mod advice;
mod arguments;
mod bulk;
mod client;
mod commands;
mod config;
mod exit;
mod expression;
mod files;
mod format;
mod initial;
mod literal;
mod logs;
mod memory;
mod output;
mod reading;
mod served;
mod shell;
mod surroundings;

use arguments::Arguments;
use clap::Parser as _;
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: hashrange_allocator::Allocator = hashrange_allocator::ALLOCATOR;

fn main() -> ExitCode {
    hashrange_allocator::share_heap_of_libc();
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return exit::usage(&error),
    };
    // Every file that any command creates gets the permissions of a data folder's files.
    hashrange_storage::embedded::keep_new_files_private();
    let names = config::check_names(surroundings::variable_names());
    let done = names.map_err(Into::into).and_then(|()| commands::run(arguments.command));
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => exit::failure(&error),
    }
}
