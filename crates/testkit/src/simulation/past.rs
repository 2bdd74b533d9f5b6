//! Histories of tables in the calm, against the knowledge of others: of `accounts`, that money was
//! neither made nor lost at any moment; of `things`, whose old versions expire, that each version
//! is one of the stream, in the stream's order, and that no version is gone that a client may still
//! ask for.

use super::bank::TOTAL;
use super::consumer::{Change, Consumer};
use super::server::Server;
use super::tables::{ACCOUNTS, RECEIPTS, THINGS, items, number, scan};
use hashrange_model::moment;
use hashrange_wire::Operation;
use serde_json::{Value as Json, json};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// Hours for which `things` keep their old versions: the clock leaps further.
pub(super) const RETENTION_HOURS: u32 = 1;

/// A version of an item.
#[derive(Debug)]
struct Version {
    /// The item; none if it was not there.
    image: Option<Json>,
    is_expiry: bool,
    since_ms: Option<u64>,
    until_ms: Option<u64>,
}

impl Version {
    fn parse(shown: &Json) -> Self {
        let mut image = shown.clone();
        let attributes = image.as_object_mut().expect("an item is an object");
        let mut take = |name: &str| attributes.remove(&format!("hashrange:{name}"));
        let moment = |value: Json| moment::parse(value["S"].as_str().unwrap_or(""));
        let (since_ms, until_ms) = (take("since").and_then(moment), take("until").and_then(moment));
        // The versions come in their order, which this attribute repeats.
        take("order");
        let (is_expiry, is_deleted) = (take("expired").is_some(), take("deleted").is_some());
        Self { image: (!is_deleted).then_some(image), is_expiry, since_ms, until_ms }
    }

    fn is_at(&self, at_ms: u64) -> bool {
        self.since_ms.is_none_or(|since_ms| since_ms <= at_ms)
            && self.until_ms.is_none_or(|until_ms| at_ms < until_ms)
    }
}

/// Returns the versions of each item of a table, the oldest first.
async fn versions(server: &Server, table: &str, key: &[&str]) -> BTreeMap<String, Vec<Version>> {
    let request = json!({"TableName": format!("{table}.history")});
    let found = server.insist(Operation::Scan, &request).await;
    let mut versions: BTreeMap<String, Vec<Version>> = BTreeMap::new();
    for shown in items(&found) {
        let key: Json = key.iter().map(|name| ((*name).to_owned(), shown[name].clone())).collect();
        versions.entry(key.to_string()).or_default().push(Version::parse(shown));
    }
    for (key, versions) in &versions {
        let is_gapless = |pair: &[Version]| pair[0].until_ms == pair[1].since_ms;
        assert!(versions.windows(2).all(is_gapless), "the versions of {key}: {versions:#?}");
    }
    versions
}

/// Compares the versions of the accounts with all money and with the receipts. Nothing is under way.
pub(super) async fn check_accounts(server: &Server) {
    let versions = versions(server, ACCOUNTS, &["pk", "name"]).await;
    let all = || versions.values().flatten();
    let moments: BTreeSet<u64> = all().filter_map(|version| version.since_ms).collect();
    let balance = |version: &Version| {
        let image = version.image.as_ref().expect("accounts are not deleted");
        number(&image["balance"]).unwrap_or(0)
    };
    for at_ms in moments {
        let sum = all().filter(|version| version.is_at(at_ms)).map(balance).sum::<u64>();
        assert_eq!(sum, TOTAL, "the sum of all versions at {}", moment::basic(at_ms));
    }
    let changes = all().filter(|version| version.since_ms.is_some()).count();
    let receipts = scan(server, RECEIPTS).await;
    let applied = receipts.iter().filter_map(|receipt| number(&receipt["applied"])).sum::<u64>();
    assert_eq!(changes as u64, 2 * applied, "the changes of accounts by their versions");
}

/// Compares the versions of things with the records of their changes. Nothing is under way but the removal
/// of versions.
pub(super) async fn check_things(server: &Server, consumer: &Consumer) {
    let mut versions = versions(server, THINGS, &["pk"]).await;
    // Asked after the versions, so that it covers all that were gone when those were read.
    let reaches_back_to_ms = server.history_reaches_back_to(THINGS).await;
    for (key, changes) in consumer.changes() {
        let versions = versions.remove(&key).unwrap_or_default();
        check_versions(&key, &versions, &changes, reaches_back_to_ms);
    }
    assert!(versions.is_empty(), "versions of things that nobody has put: {versions:?}");
}

/// Compares all versions of an item with all its changes.
fn check_versions(key: &str, versions: &[Version], changes: &[Change], reaches_back_to_ms: u64) {
    let told = versions.iter().filter(|version| version.since_ms.is_some()).count();
    let gone = changes.len().checked_sub(told);
    let gone = gone.unwrap_or_else(|| panic!("{key} has more versions than changes: {versions:?}"));
    // The item that the last forgotten change led to has a version without a beginning, unless that
    // change removed it.
    let first = gone.checked_sub(1).filter(|nth| changes[*nth].image.is_some()).unwrap_or(gone);
    let told = |image: &Option<Json>, is_expiry: bool| (image.clone(), is_expiry);
    let found: Vec<_> = versions.iter().map(|it| told(&it.image, it.is_expiry)).collect();
    let expected: Vec<_> =
        changes[first..].iter().map(|it| told(&it.image, it.is_expiry)).collect();
    assert_eq!(found, expected, "the versions of {key} and its changes");
    for (version, change) in versions.iter().zip(&changes[first..]) {
        let Some(since_ms) = version.since_ms else { continue };
        let is_then = (change.at_s..change.at_s + 1.0).contains(&seconds(since_ms));
        assert!(is_then, "{key} became {change:?} at {}", moment::basic(since_ms));
    }
    if let Some(last) = gone.checked_sub(1).map(|nth| &changes[nth]) {
        let is_expired = last.at_s <= seconds(reaches_back_to_ms);
        let told = moment::basic(reaches_back_to_ms);
        assert!(is_expired, "{key} was something else before {last:?}, after {told}");
    }
}

fn seconds(ms: u64) -> f64 {
    Duration::from_millis(ms).as_secs_f64()
}
