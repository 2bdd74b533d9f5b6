//! A client that changes the key template of `receipts` while others write. In the calm each receipt has the
//! label that the newest template makes of it, and the index of labels has exactly those that have one.

use super::server::{Answer, Server};
use super::tables::{BY_LABEL, RECEIPTS, items, number, scan};
use hashrange_model::ErrorKind;
use hashrange_wire::Operation;
use serde_json::{Value as Json, json};
use std::collections::BTreeSet;

/// A template, and the label that it derives from the name of a receipt and the number of times
/// that it was applied.
type Template = (&'static str, fn(&str, u64) -> Option<String>);

const TEMPLATES: [Template; 3] = [
    (r#"label = "BY#{pk}#{applied:pad:6}""#, |name, applied| {
        Some(format!("BY#{name}#{applied:06}"))
    }),
    (r#"label = "{applied:pad:4}#{pk}""#, |name, applied| Some(format!("{applied:04}#{name}"))),
    (
        r#"label = "FIRST#{pk}#{applied:pad:4}" when begins_with(pk, 'transfer 0')"#,
        |name, applied| {
            name.starts_with("transfer 0").then(|| format!("FIRST#{name}#{applied:04}"))
        },
    ),
];

/// Declares one template after the other.
pub(super) async fn change(server: Server, count: usize) {
    for _ in 0..count {
        let (text, _) = TEMPLATES[server.fate().below(TEMPLATES.len())];
        match server.put_template(RECEIPTS, text).await {
            Answer::Done(_) | Answer::Unknown => {}
            // The service's words for a table that is changing.
            Answer::Refused(error) => assert_eq!(error.kind(), ErrorKind::ResourceInUse, "{error}"),
        }
        server.sleep(server.fate().below(500) as u64).await;
    }
}

/// Waits until no receipt is being rewritten, and compares labels and index with the receipts.
pub(super) async fn check(server: Server) {
    let Some(text) = settled(&server).await else { return };
    let template = TEMPLATES.iter().find(|(known, _)| *known == text);
    let (_, label) = template.expect("this client has declared it");
    let receipts = scan(&server, RECEIPTS).await;
    for receipt in &receipts {
        let name = receipt["pk"]["S"].as_str().unwrap_or("");
        let expected = number(&receipt["applied"]).and_then(|applied| label(name, applied));
        assert_eq!(receipt["label"]["S"].as_str(), expected.as_deref(), "{receipt} by {text}");
    }
    let labelled = receipts.iter().filter(|receipt| receipt.get("label").is_some());
    let labelled: BTreeSet<_> = labelled.map(ToString::to_string).collect();
    let request = json!({"TableName": RECEIPTS, "IndexName": BY_LABEL});
    let found = server.insist(Operation::Scan, &request).await;
    let found: BTreeSet<_> = items(&found).iter().map(Json::to_string).collect();
    assert_eq!(found, labelled, "the index of labels and the receipts");
}

/// Returns the text of the template, if there is one, once all items follow it.
async fn settled(server: &Server) -> Option<String> {
    loop {
        match server.template_of(RECEIPTS).await {
            Answer::Done(Json::Null) => return None,
            Answer::Done(Json::String(text)) => return Some(text),
            Answer::Done(_) | Answer::Unknown => server.sleep(20).await,
            Answer::Refused(error) => panic!("templates are not described: {error}"),
        }
    }
}
