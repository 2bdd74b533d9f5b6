//! Inputs for everything that parses, and for sequences of whole requests, found by libFuzzer: it
//! keeps those that reach code no other reached.
//!
//! `cargo xtask fuzz TARGET` builds it with the instrumentation and starts it. The environment names
//! the target (`HASHRANGE_FUZZ_TARGET`), and without one the names are printed; with `HASHRANGE_FUZZ_SEEDS` the target's good inputs are
//! written into that folder instead. A panic or a slow case ends the run, with the input in a file:
//! it then becomes a named test of the crate that it concerns.

#![no_main]

mod corpus;
mod sequence;
mod streams;
mod targets;

use libfuzzer_sys::fuzz_target;
use std::cell::RefCell;
use std::env;
use std::path::Path;
use std::process::exit;
use targets::{Check, TARGETS, Target};

thread_local! {
    /// What each case is given to. libFuzzer calls from one thread.
    static CHECK: RefCell<Option<Check>> = const { RefCell::new(None) };
}

fuzz_target!(
    init: {
        let fuzzed = (chosen().start)();
        if let Some(folder) = env::var_os("HASHRANGE_FUZZ_SEEDS") {
            write_seeds(folder.as_ref(), &fuzzed.inputs);
            exit(0);
        }
        CHECK.set(Some(fuzzed.check));
    },
    |input: &[u8]| {
        CHECK.with_borrow_mut(|check| check.as_mut().expect("it was prepared")(input));
    }
);

fn chosen() -> &'static Target {
    let Ok(name) = env::var("HASHRANGE_FUZZ_TARGET") else {
        TARGETS.iter().for_each(|target| println!("{}", target.name));
        exit(0)
    };
    TARGETS.iter().find(|target| target.name == name).expect("the target exists")
}

fn write_seeds(folder: &Path, inputs: &[String]) {
    for (nth, input) in inputs.iter().enumerate() {
        let path = folder.join(format!("seed-{nth:05}"));
        std::fs::write(path, input).expect("the folder can be written");
    }
}
