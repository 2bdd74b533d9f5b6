//! The commands, one file each, and their common parts.

mod advise;
mod alter;
mod api;
mod check;
mod clock;
mod completions;
mod console;
mod contract;
pub mod copy;
mod cost;
mod coverage;
mod create;
mod credentials;
pub mod definition;
mod delete;
mod describe;
mod design;
mod drop;
mod entities;
mod explain;
mod export;
mod get;
mod health;
mod heat;
mod history;
mod import;
mod item_key;
mod key_parts;
pub mod lint;
mod manual;
mod page;
mod put;
mod query;
mod requests;
mod ruler;
mod sample;
mod scan;
mod serve;
mod server;
mod state;
pub mod store;
mod store_sql;
mod study;
pub mod table_keys;
mod tables;
mod template;
mod tree;
mod update;

use crate::advice;
use crate::arguments::{Command, Connection, DesignCommand, SampleCommand, StoreCommand};
use crate::client::Client;
use crate::shell;

/// Runs a command.
#[expect(clippy::too_many_lines, reason = "a flat table of commands, one an arm")]
pub fn run(command: Command) -> anyhow::Result<()> {
    match command {
        Command::Serve(arguments) => serve::run(arguments),
        Command::Health(arguments) => health::run(&arguments),
        Command::Completions(arguments) => completions::run(&arguments),
        Command::Man(arguments) => manual::run(&arguments),
        Command::Check(arguments) => check::run(&arguments),
        Command::Copy(arguments) => copy::run(&arguments),
        Command::Store(arguments) => match arguments.command {
            StoreCommand::Init(arguments) => store_sql::init(&arguments),
            StoreCommand::Upgrade(arguments) => store_sql::upgrade(&arguments),
        },
        Command::Server(arguments) => {
            connected(&arguments.connection, |client| server::run(client, &arguments))
        }
        Command::Sample(arguments) => match &arguments.command {
            SampleCommand::List(it) => connected(&it.connection, |client| sample::list(client, it)),
            SampleCommand::Load(it) => beginning(&it.connection, |client| sample::load(client, it)),
        },
        Command::Tables(arguments) => {
            connected(&arguments.connection, |client| tables::run(client, &arguments))
        }
        Command::Create(arguments) => {
            beginning(&arguments.connection, |client| create::run(client, &arguments))
        }
        Command::Alter(arguments) => {
            connected(&arguments.connection, |client| alter::run(client, &arguments))
        }
        Command::Drop(arguments) => {
            connected(&arguments.connection, |client| drop::run(client, &arguments))
        }
        Command::Describe(arguments) => {
            connected(&arguments.connection, |client| describe::run(client, &arguments))
        }
        Command::Get(arguments) => {
            connected(&arguments.connection, |client| get::run(client, &arguments))
        }
        Command::Put(arguments) => {
            connected(&arguments.connection, |client| put::run(client, &arguments))
        }
        Command::Import(arguments) => {
            connected(&arguments.connection, |client| import::run(client, &arguments))
        }
        Command::Export(arguments) => {
            connected(&arguments.connection, |client| export::run(client, &arguments))
        }
        Command::Update(arguments) => {
            connected(&arguments.connection, |client| update::run(client, &arguments))
        }
        Command::Delete(arguments) => {
            connected(&arguments.connection, |client| delete::run(client, &arguments))
        }
        Command::Query(arguments) => {
            connected(&arguments.connection, |client| query::run(client, &arguments))
        }
        Command::Gather(arguments) => {
            connected(&arguments.connection, |client| query::gather(client, &arguments))
        }
        Command::Scan(arguments) => {
            connected(&arguments.connection, |client| scan::run(client, &arguments))
        }
        Command::Tree(arguments) => {
            connected(&arguments.connection, |client| tree::run(client, &arguments))
        }
        Command::Ruler(arguments) => {
            connected(&arguments.connection, |client| ruler::run(client, &arguments))
        }
        Command::Lint(arguments) => match &arguments.design {
            Some(file) => lint::run_on_design(&arguments, file),
            None => connected(&arguments.connection, |client| lint::run(client, &arguments)),
        },
        Command::Entities(arguments) => {
            connected(&arguments.connection, |client| entities::run(client, &arguments))
        }
        Command::Coverage(arguments) if coverage::is_of_files(&arguments) => {
            coverage::run_on_files(&arguments)
        }
        Command::Coverage(arguments) => {
            connected(&arguments.connection, |client| coverage::run(client, &arguments))
        }
        Command::Design(arguments) => match &arguments.command {
            DesignCommand::Diff(files) => design::diff(files),
            DesignCommand::Write(it) if it.from.is_some() => design::write_file(it),
            DesignCommand::Write(it) => {
                connected(&it.connection, |client| design::write(client, it))
            }
        },
        Command::Study(arguments) => study::run(&arguments),
        Command::Cost(arguments) if arguments.files.is_empty() => {
            connected(&arguments.connection, |client| cost::run(client, &arguments))
        }
        Command::Cost(arguments) => cost::run_on_files(&arguments),
        Command::Advise(arguments) if arguments.files.is_empty() || arguments.build => {
            connected(&arguments.connection, |client| advise::run(client, &arguments))
        }
        Command::Advise(arguments) => advise::run_on_files(&arguments),
        Command::Heat(arguments) => {
            connected(&arguments.connection, |client| heat::run(client, &arguments))
        }
        Command::Requests(arguments) => {
            connected(&arguments.connection, |client| requests::run(client, &arguments))
        }
        Command::Console(arguments) => console::run(&arguments),
        Command::Contract(arguments) if arguments.recordings.is_empty() => {
            connected(&arguments.connection, |client| contract::run(client, &arguments))
        }
        Command::Contract(arguments) => contract::run_on_files(&arguments),
        Command::Sql(arguments) => {
            beginning(&arguments.connection, |client| shell::run(client, &arguments))
        }
        Command::Explain(arguments) => {
            let connection = explain::connection(&arguments.command);
            connected(connection, |client| explain::run(client, &arguments))
        }
        Command::Template(arguments) => {
            let connection = arguments.command.connection();
            connected(connection, |client| template::run(client, &arguments))
        }
        Command::History(arguments) => {
            let connection = arguments.command.connection();
            connected(connection, |client| history::run(client, &arguments))
        }
        Command::State(arguments) => {
            connected(&arguments.connection, |client| state::run(client, &arguments))
        }
        Command::Clock(arguments) => {
            connected(&arguments.connection, |client| clock::run(client, &arguments))
        }
        Command::Api(arguments) => {
            let run = |client: &mut Client| api::run(client, &arguments);
            if arguments.operation.eq_ignore_ascii_case("CreateTable") {
                beginning(&arguments.connection, run)
            } else {
                connected(&arguments.connection, run)
            }
        }
    }
}

/// Runs a command with the database that its arguments name.
fn connected(
    connection: &Connection,
    command: impl FnOnce(&mut Client) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    with(Client::open(connection, false)?, command)
}

/// Runs a command with which a database may begin: creates the folder if it does not exist.
fn beginning(
    connection: &Connection,
    command: impl FnOnce(&mut Client) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    with(Client::open(connection, true)?, command)
}

fn with(
    mut client: Client,
    command: impl FnOnce(&mut Client) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let done = command(&mut client).map_err(|error| advice::completed(&mut client, error));
    let closed = client.close();
    done.and(closed)
}
