//! Sample tables to try the database on: the cities of the world, a year of a shop's orders, and six
//! small ones that show one way of designing keys each.
//!
//! A sample is data in this crate: a table definition, items, and a page of queries with their
//! answers (`docs/samples/NAME.md`), which a test executes. [`load`] writes a sample into a
//! database; [`Sample::next_steps`] returns the commands to try then.
//!
//! Left to others: serving, showing progress, and the command line whose commands the pages name.
//!
//! Invariant: the data is the same in every build, and nothing of it is unpacked before a sample
//! is loaded.
#![forbid(unsafe_code)]

mod items;
mod load;
pub mod page;
mod shop;
mod world;

pub use items::{BrokenData, Items};
pub use load::{Error, Loaded, Loading, Pause, Progress, load, load_patiently};

use std::fmt::Write;

/// Endpoint of the server in the pages' commands.
pub const DEFAULT_ENDPOINT: &str = "http://localhost:8000";

/// Examples of a page that [`Sample::next_steps`] shows.
const NEXT_STEPS: usize = 3;

/// Reason why writing to a string cannot fail.
const IN_MEMORY: &str = "writing to a string cannot fail";

/// A table with its items and its page of queries.
#[derive(Debug)]
pub struct Sample {
    /// The name on the command line and of the page.
    pub name: &'static str,
    /// Its content, in a few words.
    pub title: &'static str,
    /// The way of designing keys that it shows, in a sentence.
    pub description: &'static str,
    /// The name of its table.
    pub table: &'static str,
    /// Number of its items.
    pub item_count: u64,
    /// Owner of the data, if it is not ours, to be named with the sample.
    pub attribution: Option<&'static str>,
    /// The page of queries, in Markdown.
    pub page: &'static str,
    definition: &'static str,
    items: fn() -> Items,
}

macro_rules! small_sample {
    ($name:literal, $table:literal, $item_count:literal, $title:literal, $description:literal) => {
        Sample {
            name: $name,
            title: $title,
            description: $description,
            table: $table,
            item_count: $item_count,
            attribution: None,
            page: include_str!(concat!("../../../docs/samples/", $name, ".md")),
            definition: include_str!(concat!("../data/", $name, "/table.json")),
            items: || items::of_lines(include_str!(concat!("../data/", $name, "/items.jsonl"))),
        }
    };
}

static SAMPLES: [Sample; 8] = [
    Sample {
        name: "world",
        title: "Cities of the world",
        description: "a hierarchy in the sort key, ranges on population, sparse indexes",
        table: "cities",
        item_count: world::ITEM_COUNT,
        attribution: Some("Data: GeoNames (https://www.geonames.org), CC BY 4.0"),
        page: include_str!("../../../docs/samples/world.md"),
        definition: include_str!("../data/world/table.json"),
        items: world::items,
    },
    Sample {
        name: "shop",
        title: "A year of a shop's orders",
        description: "a table that lacks an index: a filter that throws away what was paid for",
        table: "shop-orders",
        item_count: shop::ITEM_COUNT,
        attribution: None,
        page: include_str!("../../../docs/samples/shop.md"),
        definition: include_str!("../data/shop/table.json"),
        items: shop::items,
    },
    small_sample!(
        "devices",
        "device-logs",
        241,
        "Logs of devices",
        "events by time, and the alerts of all devices in a sparse index"
    ),
    small_sample!(
        "chat",
        "chat",
        120,
        "Chat rooms",
        "messages by user and time, the reversed order in an index, a busy room in two shards"
    ),
    small_sample!(
        "documents",
        "documents",
        41,
        "Documents",
        "metadata, permissions, location and versions of a document as items of one collection"
    ),
    small_sample!(
        "audits",
        "equipment",
        19,
        "Audits of equipment",
        "numbered revisions, with the newest one repeated under v0_"
    ),
    small_sample!(
        "projects",
        "projects",
        12,
        "Projects of organisations",
        "other orders of the same items: by last change (local index), by owner (global index)"
    ),
    small_sample!(
        "orders",
        "orders",
        22,
        "Users and their orders",
        "two kinds of items in one table, status and date in one key, a queue as a sparse index"
    ),
];

/// Returns every sample, the large ones first.
pub fn all() -> &'static [Sample] {
    &SAMPLES
}

/// Returns the sample of this name.
pub fn find(name: &str) -> Option<&'static Sample> {
    SAMPLES.iter().find(|sample| sample.name == name)
}

impl Sample {
    /// Returns the CreateTable request of the table, in JSON.
    pub fn definition(&self) -> &'static str {
        self.definition
    }

    /// Returns the items, sorted by key; data is unpacked as the iterator advances.
    pub fn items(&self) -> Items {
        (self.items)()
    }

    /// Returns the commands to try next on a server at `endpoint`: the first examples of the page,
    /// for the AWS CLI and for our own, and the commands that show the effect of the keys.
    pub fn next_steps(&self, endpoint: &str) -> String {
        let mut text = format!("{} are in table {} at {endpoint}\n", self.title, self.table);
        let examples = page::examples(self.page);
        let shown = || examples.iter().take(NEXT_STEPS);
        text.push_str("\nWith the AWS CLI (any region and credentials will do):\n\n");
        for example in shown() {
            append_commented(&mut text, example.heading, example.aws, endpoint);
        }
        text.push_str("With our own:\n\n");
        for example in shown() {
            if let Some(command) = example.hashrange {
                let command = format!("{}{}", command.trim_end(), endpoint_option(endpoint));
                append_commented(&mut text, example.heading, &command, endpoint);
            }
        }
        text.push_str("See what the keys do:\n\n");
        let mut ours = examples.iter().filter_map(|example| example.hashrange);
        let query = ours.find_map(|command| command.strip_prefix("hashrange query "));
        let explained = query.map(|query| format!("hashrange explain query {query}"));
        let shown = [
            ("What the first query reads and costs", explained),
            (
                "The partition keys, and folders below one: add a key",
                Some(format!("hashrange tree {}", self.table)),
            ),
            ("What will hurt later", Some(format!("hashrange lint {}", self.table))),
        ];
        for (comment, command) in shown {
            let Some(command) = command else { continue };
            let command = format!("{}{}", command.trim_end(), endpoint_option(endpoint));
            append_commented(&mut text, comment, &command, endpoint);
        }
        writeln!(text, "More: docs/samples/{}.md", self.name).expect(IN_MEMORY);
        if let Some(attribution) = self.attribution {
            writeln!(text, "{attribution}").expect(IN_MEMORY);
        }
        text
    }
}

/// Returns the option for an endpoint that is not our own command line's default.
fn endpoint_option(endpoint: &str) -> String {
    match endpoint {
        DEFAULT_ENDPOINT | "http://127.0.0.1:8000" => String::new(),
        _ => format!(" --endpoint {endpoint}"),
    }
}

fn append_commented(text: &mut String, comment: &str, command: &str, endpoint: &str) {
    let command = command.trim_end().replace(DEFAULT_ENDPOINT, endpoint);
    writeln!(text, "  # {comment}").expect(IN_MEMORY);
    for line in command.lines() {
        writeln!(text, "  {line}").expect(IN_MEMORY);
    }
    text.push('\n');
}
