//! Contracts: the access patterns that a design allows, by name. A check counts the requests of a recording by access
//! pattern and lists the kinds of requests that the contract does not allow.

use crate::bill::exact;
use crate::pattern::Pattern;
use crate::recording::{KeyRef, Recording, Row, RowKey, Used};
use serde::{Deserialize, Serialize};
use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::fmt;

/// Version of the stored form.
const VERSION: u32 = 1;

/// Access patterns that a design allows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", deny_unknown_fields)]
pub struct Contract {
    /// Version of the stored form.
    pub version: u32,
    /// Access patterns, each with a name of its own.
    pub patterns: Vec<AccessPattern>,
}

/// A kind of requests.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", deny_unknown_fields)]
pub struct AccessPattern {
    /// Name for people, such as `orders of a customer`.
    pub name: String,
    /// The operation, such as `Query`.
    pub operation: String,
    /// The table.
    pub table: String,
    /// The index that is read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<String>,
    /// Pattern of the request, as `hashrange cost` prints it; any if left out. An empty one means requests without
    /// conditions, and every batch, transaction and statement that writes.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "readable")]
    pub pattern: Option<Pattern>,
    /// Most read and write units of a request in the mean.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most_units: Option<f64>,
    /// Example request, with values that a test may use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub example: Option<serde_json::Value>,
}

impl AccessPattern {
    /// Returns whether it covers a kind of requests.
    fn means(&self, asked: &Asked<'_>) -> bool {
        let key = asked.key;
        self.operation == key.operation
            && self.table == key.table
            && self.index.as_deref() == key.index
            && self.pattern.as_ref().is_none_or(|pattern| asked.is_meant_by(pattern))
    }

    /// Returns the pattern of a recorded kind, named after it.
    fn of(key: KeyRef<'_>) -> Self {
        let place = key.index.map_or_else(String::new, |index| format!("/{index}"));
        let name = format!("{} {}{place} {}", key.operation, key.table, key.pattern);
        Self {
            name: name.trim_end().to_owned(),
            operation: key.operation.to_owned(),
            table: key.table.to_owned(),
            index: key.index.map(str::to_owned),
            pattern: Some(key.pattern.clone()),
            most_units: None,
            example: None,
        }
    }
}

/// Patterns as text, in JSON.
mod readable {
    use super::Pattern;
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    #[expect(clippy::ref_option, reason = "serde passes it so")]
    pub(super) fn serialize<S: Serializer>(
        it: &Option<Pattern>,
        out: S,
    ) -> Result<S::Ok, S::Error> {
        match it {
            Some(pattern) => out.collect_str(pattern),
            None => out.serialize_none(),
        }
    }

    pub(super) fn deserialize<'d, D: Deserializer<'d>>(
        stored: D,
    ) -> Result<Option<Pattern>, D::Error> {
        let text = Option::<String>::deserialize(stored)?;
        let read = |text: String| {
            let fault = |why| D::Error::custom(format_args!("the pattern {text:?}: {why}"));
            Pattern::read(&text).map_err(fault)
        };
        text.map(read).transpose()
    }
}

/// Operations whose patterns have members.
const OF_MEMBERS: [&str; 6] = [
    "BatchGetItem",
    "BatchWriteItem",
    "TransactGetItems",
    "TransactWriteItems",
    "BatchExecuteStatement",
    "ExecuteTransaction",
];

/// A kind of requests that is looked up in a contract, with its conditions computed once for all patterns.
struct Asked<'k> {
    key: KeyRef<'k>,
    conditions: OnceCell<Pattern>,
}

impl<'k> Asked<'k> {
    fn new(key: KeyRef<'k>) -> Self {
        Self { key, conditions: OnceCell::new() }
    }

    /// Returns whether a pattern covers the request: equals all of it, or its conditions alone if the pattern does
    /// not say what is returned or changed. An empty one covers each batch, transaction and writing statement, too.
    fn is_meant_by(&self, pattern: &Pattern) -> bool {
        let KeyRef { operation, pattern: asked, .. } = self.key;
        let is_written = operation == "ExecuteStatement" && asked.verb.is_some();
        pattern == asked
            || (pattern.is_empty() && (is_written || OF_MEMBERS.contains(&operation)))
            || self.conditions.get_or_init(|| asked.conditions()) == pattern
    }
}

impl Contract {
    /// Returns a contract that allows nothing.
    pub fn new() -> Self {
        Self { version: VERSION, patterns: Vec::new() }
    }

    /// Parses the stored form.
    pub fn read(text: &[u8]) -> Result<Self, ContractFault> {
        let read: Self =
            serde_json::from_slice(text).map_err(|why| ContractFault::Form(why.to_string()))?;
        if read.version != VERSION {
            return Err(ContractFault::Version(read.version));
        }
        let mut names = BTreeSet::new();
        for pattern in &read.patterns {
            if !names.insert(&pattern.name) {
                return Err(ContractFault::NamedTwice(pattern.name.clone()));
            }
        }
        Ok(read)
    }

    /// Returns the stored form.
    pub fn to_json(&self) -> Vec<u8> {
        let mut json =
            serde_json::to_vec_pretty(self).expect("a contract has no keys that are not text");
        json.push(b'\n');
        json
    }

    /// Returns the first access pattern that covers a kind of requests.
    pub fn find(&self, key: KeyRef<'_>) -> Option<&AccessPattern> {
        let asked = Asked::new(key);
        self.patterns.iter().find(|pattern| pattern.means(&asked))
    }

    /// Returns the reason why `check` does not count a kind of requests for `pattern`; none if it does.
    pub fn mismatch(&self, pattern: &AccessPattern, key: KeyRef<'_>) -> Option<Mismatch> {
        let found = self.find(key);
        if found.is_some_and(|found| found.name == pattern.name) {
            return None;
        }
        if let Some(earlier) = found.filter(|_| pattern.means(&Asked::new(key))) {
            return Some(Mismatch::Earlier(earlier.name.clone()));
        }
        if pattern.operation != key.operation
            || pattern.table != key.table
            || pattern.index.as_deref() != key.index
        {
            return Some(Mismatch::Place(Box::new(key.to_key())));
        }
        Some(Mismatch::Asked {
            asked: Box::new(key.pattern.clone()),
            meant: Box::new(pattern.pattern.clone().unwrap_or_default()),
        })
    }

    /// Adds an access pattern for each kind of requests that none covers, and returns the number added.
    pub fn learn(&mut self, recording: &Recording) -> usize {
        let before = self.patterns.len();
        for row in asked(recording) {
            let key = row.key.as_ref();
            let learnt = AccessPattern::of(key);
            let asked = Asked::new(key);
            let is_known = self.patterns.iter().any(|known| known.means(&asked))
                || self.patterns.iter().any(|known| known.name == learnt.name);
            if !is_known {
                self.patterns.push(learnt);
            }
        }
        self.patterns.len() - before
    }

    /// Checks a recording against the contract; the first pattern that covers a request counts it.
    pub fn check(&self, recording: &Recording) -> Findings {
        let mut used = vec![Used::default(); self.patterns.len()];
        let mut unknown: Vec<Row> = Vec::new();
        for row in asked(recording) {
            let key = row.key.as_ref();
            let asked = Asked::new(key);
            match self.patterns.iter().position(|pattern| pattern.means(&asked)) {
                Some(nth) => used[nth].add(&row.used),
                // Callers are not told apart.
                None => {
                    match unknown.iter_mut().find(|known| is_same_kind(known.key.as_ref(), key)) {
                        Some(known) => known.used.add(&row.used),
                        None => unknown.push(row.clone()),
                    }
                }
            }
        }
        let of_pattern = |(pattern, used): (&AccessPattern, Used)| {
            let is_over = pattern.most_units.is_some_and(|most| mean_units(&used) > most);
            OfPattern { name: pattern.name.clone(), used, most_units: pattern.most_units, is_over }
        };
        Findings { patterns: self.patterns.iter().zip(used).map(of_pattern).collect(), unknown }
    }
}

impl Default for Contract {
    fn default() -> Self {
        Self::new()
    }
}

/// Reason not to count a kind of requests for a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mismatch {
    /// The request's operation, table or index differs.
    Place(Box<RowKey>),
    /// Its pattern differs.
    Asked {
        /// The pattern of the request.
        asked: Box<Pattern>,
        /// The pattern of the contract.
        meant: Box<Pattern>,
    },
    /// Name of an earlier pattern that covers it, too, and counts it.
    Earlier(String),
}

impl fmt::Display for Mismatch {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let told = |pattern: &Pattern| {
            if pattern.is_empty() { "nothing".to_owned() } else { pattern.to_string() }
        };
        match self {
            Self::Place(key) => {
                let place =
                    key.index.as_ref().map_or_else(String::new, |index| format!("/{index}"));
                write!(formatter, "it is {} of {}{place}", key.operation, key.table)
            }
            Self::Asked { asked, meant } => {
                write!(formatter, "it asks {}, the pattern says {}", told(asked), told(meant))
            }
            Self::Earlier(name) => {
                write!(formatter, "it is counted for {name:?}, which stands before")
            }
        }
    }
}

/// Returns rows of requests, without those of index entries that writes maintain.
fn asked(recording: &Recording) -> impl Iterator<Item = &Row> {
    recording.rows.iter().filter(|row| row.used.requests > 0)
}

fn is_same_kind(one: KeyRef<'_>, other: KeyRef<'_>) -> bool {
    KeyRef { caller: "", ..one } == KeyRef { caller: "", ..other }
}

/// Returns the mean read and write units of a request.
pub fn mean_units(used: &Used) -> f64 {
    (used.read_units + used.write_units) / exact(used.requests.max(1))
}

/// Result of a check.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Findings {
    /// Use of each access pattern, in the contract's order.
    pub patterns: Vec<OfPattern>,
    /// Requests that no pattern covers.
    pub unknown: Vec<Row>,
}

impl Findings {
    /// Returns whether the recording keeps to it.
    pub fn is_kept(&self) -> bool {
        self.unknown.is_empty() && !self.patterns.iter().any(|pattern| pattern.is_over)
    }
}

/// Use of one access pattern.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct OfPattern {
    /// Its name.
    pub name: String,
    /// Sums of its requests; 0 if it was never used.
    #[serde(flatten)]
    pub used: Used,
    /// Most units of a request in the mean.
    pub most_units: Option<f64>,
    /// Whether it used more.
    pub is_over: bool,
}

/// Fault of a stored contract.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ContractFault {
    /// Malformed; says why.
    Form(String),
    /// Version of the file, which this program does not know.
    Version(u32),
    /// Name that two patterns have.
    NamedTwice(String),
}

impl fmt::Display for ContractFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Form(why) => write!(formatter, "this is no contract: {why}"),
            Self::Version(version) => {
                write!(formatter, "contracts of version {version} are of a newer program")
            }
            Self::NamedTwice(name) => write!(formatter, "two patterns are named {name:?}"),
        }
    }
}

impl std::error::Error for ContractFault {}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(operation: &str, pattern: &str, caller: &str, requests: u64, read_units: f64) -> Row {
        Row {
            key: RowKey {
                operation: operation.to_owned(),
                table: "orders".to_owned(),
                index: None,
                pattern: Pattern::read(pattern).unwrap(),
                caller: caller.to_owned(),
            },
            used: Used { requests, read_units, ..Used::default() },
        }
    }

    fn recording() -> Recording {
        Recording {
            rows: vec![
                row("Query", "customer = ?", "a", 2, 1.0),
                row("Query", "customer = ?", "b", 2, 3.0),
                row("Scan", "FILTER status = ?", "a", 1, 9.0),
                row("Scan", "FILTER status = ?", "b", 1, 9.0),
                // Entries that a write maintained in an index.
                row("PutItem", "", "a", 0, 0.0),
            ],
            ..Recording::new(0, 0)
        }
    }

    fn contract(text: &str) -> Result<Contract, ContractFault> {
        Contract::read(format!(r#"{{"Version": 1, "Patterns": [{text}]}}"#).as_bytes())
    }

    const QUERY: &str = r#"{"Name": "of a customer", "Operation": "Query", "Table": "orders"}"#;

    #[test]
    fn what_a_contract_does_not_know_is_found_once_for_all_callers() {
        let close = r#"{"Name": "close", "Operation": "UpdateItem", "Table": "orders"}"#;
        let contract = contract(&format!("{QUERY}, {close}")).unwrap();
        let findings = contract.check(&recording());
        assert!(!findings.is_kept());
        let asked: Vec<u64> = findings.patterns.iter().map(|it| it.used.requests).collect();
        assert_eq!(asked, [4, 0]);
        let [scan] = &findings.unknown[..] else { panic!("{findings:?}") };
        assert_eq!((&*scan.key.operation, scan.used.requests), ("Scan", 2));
        assert!((mean_units(&scan.used) - 9.0).abs() < f64::EPSILON);
    }

    #[test]
    fn a_pattern_may_use_so_many_units_and_no_more() {
        for (most, is_over) in [("1.0", false), ("0.9", true)] {
            let limited = QUERY.replace('}', &format!(r#", "MostUnits": {most}}}"#));
            let mut recording = recording();
            recording.rows.truncate(2);
            let findings = contract(&limited).unwrap().check(&recording);
            assert_eq!(findings.patterns[0].is_over, is_over, "{most}");
            assert_eq!(findings.is_kept(), !is_over);
        }
    }

    #[test]
    fn conditions_alone_mean_whatever_is_returned() {
        let pattern = |text: &str| format!(r#", "Pattern": "{text}"}}"#);
        let asked = row("Query", "customer = ? FILTER a = ? RETURNS a, b", "", 1, 1.0);
        let recording = Recording { rows: vec![asked], ..Recording::new(0, 0) };
        for (text, is_kept) in [
            ("customer = ? FILTER a = ?", true),
            ("customer = ? FILTER a = ? RETURNS a, b", true),
            ("customer = ? FILTER a = ? RETURNS a", false),
            ("customer = ?", false),
        ] {
            let contract = contract(&QUERY.replace('}', &pattern(text))).unwrap();
            assert_eq!(contract.check(&recording).is_kept(), is_kept, "{text}");
        }
    }

    #[test]
    fn batches_and_statements_that_write_are_told_apart() {
        let asked = |operation: &str, text: &str, pattern: &str| {
            let pattern = format!(
                r#"{{"Name": "it", "Operation": "{operation}", "Table": "orders", "Pattern": "{pattern}"}}"#
            );
            let rows = vec![row(operation, text, "", 1, 1.0)];
            contract(&pattern).unwrap().check(&Recording { rows, ..Recording::new(0, 0) }).is_kept()
        };
        let put = "Put orders IF attribute_not_exists(id); Update stock UPDATES left IF left > ?";
        for (pattern, is_kept) in [
            (put, true),
            ("Put orders IF attribute_not_exists(id); Update stock IF left > ?", true),
            ("Put orders IF attribute_not_exists(id)", false),
            ("Put orders; Update stock", false),
            // Older contracts have no text for batches.
            ("", true),
        ] {
            assert_eq!(asked("TransactWriteItems", put, pattern), is_kept, "{pattern}");
        }
        for (text, pattern, is_kept) in [
            ("DELETE WHERE id = ?", "DELETE WHERE id = ?", true),
            ("DELETE WHERE id = ?", "WHERE id = ?", false),
            ("UPDATE UPDATES a WHERE id = ?", "UPDATE WHERE id = ?", true),
            ("UPDATE UPDATES a WHERE id = ?", "WHERE id = ?", false),
            ("UPDATE UPDATES a WHERE id = ?", "", true),
            ("INSERT", "", true),
            ("RETURNS a", "", true),
            ("WHERE id = ?", "", false),
        ] {
            assert_eq!(asked("ExecuteStatement", text, pattern), is_kept, "{text} {pattern}");
        }
        assert!(asked("GetItem", "RETURNS a", ""));
        assert!(!asked("PutItem", "IF a = ?", ""));
    }

    #[test]
    fn a_request_is_told_why_it_is_not_counted_for_a_pattern() {
        let pattern = |name: &str, text: &str| {
            format!(
                r#"{{"Name": "{name}", "Operation": "Query", "Table": "orders", "Pattern": "{text}"}}"#
            )
        };
        let contract = contract(&format!(
            "{}, {}, {}",
            pattern("one", "customer = ? AND id = ? FILTER a = ?"),
            pattern("all", "customer = ?"),
            pattern("names", "customer = ? RETURNS name")
        ))
        .unwrap();
        let why = |nth: usize, operation: &str, index: Option<&str>, asked: &str| {
            let mut asked = row(operation, asked, "", 1, 1.0);
            asked.key.index = index.map(str::to_owned);
            let mismatch = contract.mismatch(&contract.patterns[nth], asked.key.as_ref());
            // `mismatch` agrees with the counts of `check`.
            let recording = Recording { rows: vec![asked], ..Recording::new(0, 0) };
            let is_counted = contract.check(&recording).patterns[nth].used.requests == 1;
            assert_eq!(is_counted, mismatch.is_none());
            mismatch.map_or_else(String::new, |mismatch| mismatch.to_string())
        };
        for (nth, asked, expected) in [
            (0, "customer = ? AND id = ? FILTER a = ?", ""),
            (0, "customer = ? AND id = ? FILTER a = ? RETURNS COUNT", ""),
            (
                0,
                "customer = ? AND id > ? FILTER a = ?",
                "it asks customer = ? AND id > ? FILTER a = ?, the pattern says customer = ? AND id = ? FILTER a = ?",
            ),
            (1, "customer = ? RETURNS id", ""),
            (1, "", "it asks nothing, the pattern says customer = ?"),
            (
                1,
                "customer = ? FILTER a = ?",
                "it asks customer = ? FILTER a = ?, the pattern says customer = ?",
            ),
            (2, "customer = ? RETURNS name", "it is counted for \"all\", which stands before"),
        ] {
            assert_eq!(why(nth, "Query", None, asked), expected, "{asked}");
        }
        assert_eq!(why(1, "Scan", None, "customer = ?"), "it is Scan of orders");
        assert_eq!(why(1, "Query", Some("by-id"), "customer = ?"), "it is Query of orders/by-id");
    }

    #[test]
    fn what_was_learnt_is_known() {
        let mut contract = contract(QUERY).unwrap();
        assert_eq!(contract.learn(&recording()), 1);
        assert_eq!(contract.patterns[1].name, "Scan orders FILTER status = ?");
        assert_eq!(contract.learn(&recording()), 0);
        assert!(contract.check(&recording()).is_kept());
        assert_eq!(Contract::read(&contract.to_json()), Ok(contract));
    }

    #[test]
    fn what_is_no_contract_is_refused() {
        let twice = format!("{QUERY}, {QUERY}");
        assert_eq!(contract(&twice), Err(ContractFault::NamedTwice("of a customer".to_owned())));
        let newer = Contract::read(br#"{"Version": 2, "Patterns": []}"#);
        assert_eq!(newer, Err(ContractFault::Version(2)));
        for wrong in [r#"{"Name": "x"}"#, &QUERY.replace("Table", "Tabel"), "1"] {
            assert!(matches!(contract(wrong), Err(ContractFault::Form(_))), "{wrong}");
        }
    }
}
