//! Loads samples into a data folder and prints how long each takes and what to type next.
//!
//! `cargo run --release -p hashrange-samples --example load_speed -- FOLDER [SAMPLE...]`
#![expect(clippy::disallowed_methods, reason = "it measures time")]
#![expect(clippy::print_stdout, reason = "a program for people")]

use hashrange::{Database, Options};
use hashrange_samples::{DEFAULT_ENDPOINT, all, find, load};
use std::error::Error;
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().ok_or("name a folder")?;
    let mut names: Vec<String> = arguments.collect();
    if names.is_empty() {
        names = all().iter().map(|sample| sample.name.to_owned()).collect();
    }
    let database = Database::open(folder, &Options::default())?;
    for name in names {
        let sample = find(&name).ok_or_else(|| format!("no sample {name:?}"))?;
        let start = Instant::now();
        let loaded = hashrange_storage::block_on(load(sample, &database, &mut |_| {}))?;
        println!(
            "{name}: {loaded:?} in {:?}\n{}",
            start.elapsed(),
            sample.next_steps(DEFAULT_ENDPOINT)
        );
    }
    hashrange_storage::block_on(database.close())?;
    Ok(())
}
