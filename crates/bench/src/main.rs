//! Measures Hashrange: its server beside a bare hyper server, on PostgreSQL beside bare SQL, its
//! library beside the raw engine, large tables beside small ones, starting and memory; and counts
//! instructions of hot paths.
//!
//! Run as `cargo xtask bench`. A run measures both sides of a row in turn, so that the ratio means
//! something on a machine that does other things too; figures across machines do not.
#![expect(
    clippy::cast_precision_loss,
    reason = "figures are shown with few digits: no count comes near 2^53"
)]
#![expect(clippy::disallowed_methods, reason = "time is what the benchmark measures")]
#![expect(clippy::print_stdout, reason = "a program for people")]

mod bare;
mod bench;
mod data;
mod histogram;
mod instructions;
mod load;
mod process;
mod processor_time;
mod publish;
mod random;
mod raw;
mod report;
mod rounds;
mod rows;
mod settings;
mod sql;

use bench::Bench;
use settings::Settings;
use std::io::Write;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            // Nothing can be done when standard error is closed.
            drop(writeln!(std::io::stderr(), "{message}"));
            ExitCode::FAILURE
        }
    }
}

/// Runs the form that the arguments choose; with two of the forms this program calls itself.
fn run(arguments: &[&str]) -> Result<(), String> {
    match arguments {
        ["instructions"] => instructions::check(),
        ["instructions", "--bless"] => instructions::bless(),
        ["bare-server", port, answer] => {
            let answer = std::fs::read(answer).map_err(|error| error.to_string())?;
            bare::serve(port.parse().map_err(|_| "the port is not a number")?, answer)
        }
        ["hot-path", name, times] => {
            instructions::run_path(name, times.parse().map_err(|_| "not a number of times")?)
        }
        _ => measure(arguments),
    }
}

fn measure(arguments: &[&str]) -> Result<(), String> {
    let mut bench = Bench::new(Settings::parse(arguments)?)?;
    rows::run(&mut bench)?;
    if bench.settings.publish { publish::publish(&bench.rows, arguments) } else { Ok(()) }
}
