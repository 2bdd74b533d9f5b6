//! Runs every example of every page of queries and compares the answer with the page.
//!
//! `HASHRANGE_BLESS=1 cargo test -p hashrange-samples` writes the answers into the pages instead.

#![expect(
    clippy::disallowed_methods,
    reason = "whether to rewrite the pages comes from the environment"
)]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod answer;
mod aws_command;

use hashrange::{Blocking, Database};
use hashrange_samples::{DEFAULT_ENDPOINT, Loaded, Sample, all, find, load, page};
use std::path::PathBuf;

fn page_path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/samples").join(name)
}

fn loaded(sample: &Sample) -> Blocking {
    let database = Database::memory();
    let loaded = hashrange_storage::block_on(load(sample, &database, &mut |_| {})).unwrap();
    assert_eq!(loaded, Loaded::Now { items: sample.item_count });
    database.blocking()
}

/// Runs the examples of a page in order on one database; the page must have at least `least`.
fn check(file: &str, sample: &Sample, least: usize) {
    let path = page_path(file);
    let written = std::fs::read_to_string(&path).unwrap();
    let database = loaded(sample);
    let mut run = String::new();
    let mut copied = 0;
    let examples = page::examples(&written);
    assert!(examples.len() >= least, "{file} has {} examples", examples.len());
    for example in examples {
        let answer = answer::of(&database, &aws_command::parse(example.aws));
        let range = example.answer.unwrap_or_else(|| panic!("no answer: {}", example.aws));
        assert!(example.hashrange.is_some(), "not for our own command line: {}", example.aws);
        run.push_str(&written[copied..range.start]);
        run.push_str(&answer);
        copied = range.end;
    }
    run.push_str(&written[copied..]);
    if std::env::var_os("HASHRANGE_BLESS").is_some() {
        std::fs::write(&path, run).unwrap();
    } else if let Some((is, was)) = run.lines().zip(written.lines()).find(|(is, was)| is != was) {
        panic!("{file}: the page says\n{was}\nthe database answers\n{is}");
    } else {
        assert_eq!(run, written, "{file}");
    }
}

macro_rules! pages {
    ($($name:ident: $least:literal;)*) => {
        $(
            #[test]
            fn $name() {
                let name = stringify!($name);
                check(&format!("{name}.md"), find(name).unwrap(), $least);
            }
        )*

        #[test]
        fn every_sample_has_a_tested_page() {
            let mut tested = vec![$(stringify!($name)),*];
            let mut samples: Vec<_> = all().iter().map(|sample| sample.name).collect();
            tested.sort_unstable();
            samples.sort_unstable();
            assert_eq!(tested, samples);
        }
    };
}

pages! {
    world: 9;
    shop: 4;
    devices: 5;
    chat: 6;
    documents: 5;
    audits: 5;
    projects: 5;
    orders: 6;
}

#[test]
fn the_overview_shows_what_the_world_answers() {
    check("README.md", find("world").unwrap(), 3);
}

#[test]
fn next_steps_are_three_examples_for_two_command_lines_and_three_views_of_the_keys() {
    for sample in all() {
        let text = sample.next_steps("http://127.0.0.1:9999");
        assert_eq!(text.matches("\n  aws dynamodb ").count(), 3, "{text}");
        assert_eq!(text.matches("\n  hashrange ").count(), 6, "{text}");
        for view in ["explain query", "tree", "lint"] {
            let begins = format!("\n  hashrange {view} {}", sample.table);
            assert_eq!(text.matches(&begins).count(), 1, "{text}");
        }
        assert_eq!(text.matches("--endpoint-url http://127.0.0.1:9999 ").count(), 3, "{text}");
        assert_eq!(text.matches(" --endpoint http://127.0.0.1:9999\n").count(), 6, "{text}");
        assert!(!text.contains(DEFAULT_ENDPOINT), "{text}");
        let text = sample.next_steps("http://127.0.0.1:8000");
        assert!(!text.contains(" --endpoint "), "{text}");
    }
}
