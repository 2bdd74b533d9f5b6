//! Auditors of the [bank](super::bank): in whatever way they read all accounts in one request, the
//! answer is as of one moment, so money is neither made nor lost; and the accounts have received
//! what was moved, which stands in another table.

use super::bank::{BANK, TOTAL, accounts, moved};
use super::server::{Answer, Server};
use super::tables::{ACCOUNTS, BY_NAME, RECEIPTS, items, number};
use hashrange_wire::Operation;
use serde_json::{Value as Json, json};

/// A way to read all accounts in one request.
#[derive(Debug, Clone, Copy)]
enum Way {
    Scan,
    Query,
    QueryOfIndex,
    BatchGetItem,
    TransactGetItems,
}

const WAYS: [Way; 5] =
    [Way::Scan, Way::Query, Way::QueryOfIndex, Way::BatchGetItem, Way::TransactGetItems];

/// Sums the balances again and again, in one way or another. With several servers only a
/// transaction shows one moment, as the service promises.
pub(super) async fn audit(server: Server, count: usize) {
    for _ in 0..count {
        let ways = if server.are_several() { &[Way::TransactGetItems][..] } else { &WAYS };
        let way = ways[server.fate().below(ways.len())];
        let (operation, request) = way.request(server.fate().chance(500));
        match server.call(operation, &request).await {
            Answer::Done(found) => way.assert_balanced(&found),
            Answer::Unknown => {}
            Answer::Refused(error) => panic!("{operation:?} is refused: {error}"),
        }
        server.sleep(server.fate().below(60) as u64).await;
    }
}

/// Age of moments at which no server commits any more, whatever its clock says: with several
/// servers later moments may still change, and a read of them is not of one state.
const OVER_MS: u64 = 15 * 60 * 1000;

/// Sums the balances that there were at moments since the history began.
pub(super) async fn audit_the_past(server: Server, since_ms: u64, count: usize) {
    for _ in 0..count {
        let fate = server.fate();
        let over_ms = if server.are_several() { OVER_MS } else { 0 };
        let last_ms = fate.now_ms().saturating_sub(over_ms);
        if last_ms >= since_ms {
            let way = if fate.chance(500) { Way::Scan } else { Way::Query };
            let at_ms = since_ms + fate.bits() % (last_ms - since_ms + 1);
            let (operation, mut request) = way.request(fate.chance(500));
            request["TableName"] = format!("{ACCOUNTS}.asof.{at_ms}").into();
            match server.call(operation, &request).await {
                Answer::Done(found) => way.assert_balanced(&found),
                Answer::Unknown => {}
                Answer::Refused(error) => panic!("the past is refused: {error}"),
            }
        }
        server.sleep(server.fate().below(60) as u64).await;
    }
}

impl Way {
    fn request(self, consistent: bool) -> (Operation, Json) {
        let query = json!({
            "TableName": ACCOUNTS, "KeyConditionExpression": "pk = :bank",
            "ExpressionAttributeValues": {":bank": {"S": BANK}},
        });
        let with = |mut request: Json, name: &str, value: Json| {
            request[name] = value;
            request
        };
        match self {
            Self::Scan => {
                (Operation::Scan, json!({"TableName": ACCOUNTS, "ConsistentRead": consistent}))
            }
            Self::Query => (Operation::Query, with(query, "ConsistentRead", consistent.into())),
            Self::QueryOfIndex => (Operation::Query, with(query, "IndexName", BY_NAME.into())),
            Self::BatchGetItem => {
                let part = |keys: Vec<Json>| json!({"Keys": keys, "ConsistentRead": consistent});
                let parts = json!({ACCOUNTS: part(accounts()), RECEIPTS: part(vec![moved()])});
                (Operation::BatchGetItem, json!({"RequestItems": parts}))
            }
            Self::TransactGetItems => {
                let get = |table: &str, key: Json| json!({"Get": {"TableName": table, "Key": key}});
                let mut gets: Vec<_> =
                    accounts().into_iter().map(|account| get(ACCOUNTS, account)).collect();
                gets.push(get(RECEIPTS, moved()));
                (Operation::TransactGetItems, json!({"TransactItems": gets}))
            }
        }
    }

    /// Returns the items in an answer.
    fn items(self, answer: &Json) -> Vec<&Json> {
        match self {
            Self::Scan | Self::Query | Self::QueryOfIndex => items(answer).iter().collect(),
            Self::BatchGetItem => {
                assert_eq!(answer["UnprocessedKeys"], json!({}));
                let tables =
                    [ACCOUNTS, RECEIPTS].map(|table| answer["Responses"][table].as_array());
                tables.into_iter().flatten().flatten().collect()
            }
            Self::TransactGetItems => {
                let responses = answer["Responses"].as_array();
                responses.into_iter().flatten().map(|response| &response["Item"]).collect()
            }
        }
    }

    fn assert_balanced(self, answer: &Json) {
        let items = self.items(answer);
        let sum = |name: &str| items.iter().filter_map(|item| number(&item[name])).sum::<u64>();
        assert_eq!(sum("balance"), TOTAL, "the auditor's sum by {self:?}");
        if matches!(self, Self::BatchGetItem | Self::TransactGetItems) {
            assert_eq!(sum("received"), sum("amount"), "what was moved by {self:?}");
        }
    }
}
