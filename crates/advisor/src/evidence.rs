//! Evidence and effect of a piece of advice in words: a line each, for printing or listing.

use crate::index_text::shell_word;
use crate::report::{Answered, Entries, NewIndex, Report, Request, Spare, SpareIndex, UnusedKey};
use crate::{TRAFFIC_MIN_MS, TRAFFIC_MIN_REQUESTS};
use hashrange_cost::{dollars, grouped, units};
use std::fmt;

const MINUTE_MS: u64 = 60_000;

impl fmt::Display for Request {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} {}", self.operation, self.table)?;
        if let Some(index) = &self.index {
            write!(out, "/{index}")?;
        }
        if self.pattern.is_empty() { Ok(()) } else { write!(out, " {}", self.pattern) }
    }
}

impl Report {
    /// Returns whether the report has no advice.
    pub fn is_empty(&self) -> bool {
        self.add.is_empty() && self.unused_keys.is_empty() && self.spare.is_empty()
    }

    /// Returns the tables without enough traffic to advise on money and spare indexes, with the
    /// reason; `None` if there are none.
    pub fn too_little_text(&self) -> Option<String> {
        let tables: Vec<&str> = self.too_little.iter().map(|it| it.table.as_str()).collect();
        (!tables.is_empty()).then(|| {
            format!(
                "no money and no spare index is told of {}: that takes {} of a table in {} at least",
                tables.join(", "),
                counted(TRAFFIC_MIN_REQUESTS, "request"),
                counted(TRAFFIC_MIN_MS / (60 * MINUTE_MS), "hour"),
            )
        })
    }

    /// Returns the duration of the recording.
    pub fn recorded(&self) -> String {
        let ms = self.until_ms.saturating_sub(self.began_ms);
        match ms {
            ms if ms < 2 * MINUTE_MS => counted(ms / 1000, "second"),
            ms if ms < 120 * MINUTE_MS => counted(ms / MINUTE_MS, "minute"),
            ms if ms < 48 * 60 * MINUTE_MS => counted(ms / (60 * MINUTE_MS), "hour"),
            ms => counted(ms / (24 * 60 * MINUTE_MS), "day"),
        }
    }
}

fn counted(number: u64, noun: &str) -> String {
    format!("{} {noun}{}", grouped(number), if number == 1 { "" } else { "s" })
}

impl Answered {
    /// Returns the evidence that its requests read too much.
    pub fn evidence(&self) -> String {
        format!(
            "{} of {} examined {} items and returned {}, for {} read units",
            grouped(self.requests),
            self.request,
            grouped(self.examined),
            grouped(self.returned),
            units(self.read_units),
        )
    }

    /// Returns the request that reads less, with its consumption.
    pub fn remedy(&self) -> String {
        let then = units(self.read_units_then);
        if self.examined_then <= crate::figures::exact(self.returned) {
            return format!("{}, for about {then} read units", self.instead);
        }
        let most = units(self.read_units_at_most);
        format!("{}, for about {then} read units, at most {most}", self.instead)
    }
}

impl NewIndex {
    /// Returns its savings and costs in a month, if enough was recorded.
    pub fn balance(&self) -> Option<String> {
        let money = self.money?;
        Some(format!(
            "{} a month: reads -{}, writes +{}, storage +{}",
            saved(money.net),
            dollars(money.reads_saved),
            dollars(money.writes),
            dollars(money.storage),
        ))
    }

    /// Returns the command that adds it.
    pub fn command(&self) -> String {
        format!("hashrange alter {} --add-gsi {}", self.table, shell_word(&self.definition))
    }

    /// Returns the attributes of its entries.
    pub fn holds(&self) -> String {
        self.entries.to_string()
    }
}

impl UnusedKey {
    /// Returns its savings in a month, if enough was recorded.
    pub fn balance(&self) -> Option<String> {
        Some(format!("{} a month", saved(self.reads_saved?)))
    }
}

impl SpareIndex {
    /// Returns the evidence for it.
    pub fn evidence(&self) -> String {
        let written = format!("its entries used {} write units", units(self.write_units));
        match &self.why {
            Spare::Unread => format!("no request read it; {written}"),
            Spare::ContainedIn(other) => {
                format!(
                    "{other} has its key at the beginning of its own, and all it has; {written}"
                )
            }
            Spare::HoldsTooMuch(entries) => format!(
                "all {} requests that read it ask for no more than {entries}; {written}",
                grouped(self.read_by)
            ),
        }
    }

    /// Returns the remedy.
    pub fn remedy(&self) -> String {
        match &self.why {
            Spare::Unread if self.is_local => {
                "a local index goes only with its table: leave it out of the next one".to_owned()
            }
            Spare::Unread => format!("hashrange alter {} --drop-gsi {}", self.table, self.index),
            Spare::ContainedIn(other) => format!("read {other} in its place, and drop it"),
            Spare::HoldsTooMuch(entries) => {
                format!("make an index that has {entries}, read that, and drop this one")
            }
        }
    }

    /// Returns its savings in a month.
    pub fn balance(&self) -> String {
        let reads = match self.reads_saved {
            reads if reads < 0.0 => format!(", reads +{}", dollars(-reads)),
            reads if reads > 0.0 => format!(", reads -{}", dollars(reads)),
            _ => String::new(),
        };
        format!(
            "{} a month: writes -{}, storage -{}{reads}",
            saved(self.net),
            dollars(self.writes_saved),
            dollars(self.storage_saved),
        )
    }
}

fn saved(net: f64) -> String {
    format!("saves {}", dollars(net))
}

impl fmt::Display for Entries {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => out.write_str("all attributes"),
            Self::KeysOnly => out.write_str("the keys"),
            Self::Include(names) => {
                let names: Vec<String> =
                    names.iter().map(|it| crate::index_text::name(it)).collect();
                write!(out, "the keys and {}", names.join(", "))
            }
        }
    }
}
