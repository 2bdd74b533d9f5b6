//! Transfers between accounts by TransactWriteItems under client request tokens, each with a
//! receipt that counts how often it was applied. [`super::audit`] has the auditors that read
//! meanwhile.
//!
//! A transfer without an answer is sent again under its token, which counts for ten minutes: only
//! one that took longer may be applied more than once.

use super::server::{Answer, Server};
use super::tables::{ACCOUNTS, RECEIPTS, key, n, number, scan};
use hashrange_model::ErrorKind;
use hashrange_model::limits::TOKEN_LIFETIME_MS;
use hashrange_wire::Operation;
use serde_json::{Value as Json, json};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

const COUNT: usize = 5;
const INITIAL: u64 = 50;
/// The sum of all balances, always.
pub(super) const TOTAL: u64 = COUNT as u64 * INITIAL;
/// The partition of all accounts.
pub(super) const BANK: &str = "bank";

/// The bank's own books; clones share them.
#[derive(Debug, Clone)]
pub(super) struct Bank {
    server: Server,
    transfers: Rc<RefCell<BTreeMap<String, Transfer>>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Transfer {
    from: usize,
    to: usize,
    amount: u64,
    outcome: Outcome,
    /// Number of times that it was sent after its token had expired, and may count anew.
    repeats: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Done,
    Refused,
    Unknown,
}

fn account(nth: usize) -> Json {
    json!({"pk": {"S": BANK}, "name": {"S": format!("account {nth}")}})
}

/// Returns the keys of all accounts.
pub(super) fn accounts() -> Vec<Json> {
    (0..COUNT).map(account).collect()
}

/// Returns the key of the item, among the receipts, that counts all money that was moved.
pub(super) fn moved() -> Json {
    key("moved")
}

impl Bank {
    pub(super) async fn open(server: Server) -> Self {
        for nth in 0..COUNT {
            let mut item = account(nth);
            item["balance"] = n(INITIAL);
            let put = json!({"TableName": ACCOUNTS, "Item": item});
            server.insist(Operation::PutItem, &put).await;
        }
        Self { server, transfers: Rc::default() }
    }

    /// Makes some transfers.
    pub(super) async fn transfer(self, client: String, count: usize) {
        for nth in 0..count {
            let fate = self.server.fate();
            let from = fate.below(COUNT);
            let to = (from + 1 + fate.below(COUNT - 1)) % COUNT;
            let amount = 1 + fate.below(40) as u64;
            let mut transfer = Transfer { from, to, amount, outcome: Outcome::Unknown, repeats: 0 };
            let id = format!("{client}-{nth}");
            self.transfers.borrow_mut().insert(id.clone(), transfer);
            self.send(&id, &mut transfer).await;
            self.transfers.borrow_mut().insert(id, transfer);
        }
    }

    /// Sends a transfer until its outcome is known or the client gives up.
    async fn send(&self, id: &str, transfer: &mut Transfer) {
        let fate = self.server.fate();
        let (request, first_ms) = (transfer.request(id), fate.now_ms());
        for attempt in 0..10 {
            let answer = self.server.call(Operation::TransactWriteItems, &request).await;
            if attempt > 0 && fate.now_ms() > first_ms + TOKEN_LIFETIME_MS {
                transfer.repeats += 1;
            }
            match answer {
                Answer::Done(_) => transfer.outcome = Outcome::Done,
                Answer::Refused(error) => {
                    let kind = error.kind();
                    let reason = error.to_string();
                    assert_eq!(kind, ErrorKind::TransactionCanceled, "{reason}");
                    assert!(!reason.contains("TransactionConflict"), "{reason}");
                    // An earlier attempt that is still under way may yet find more money.
                    if attempt == 0 {
                        transfer.outcome = Outcome::Refused;
                    }
                }
                Answer::Unknown => {
                    self.server.sleep(fate.below(100) as u64).await;
                    continue;
                }
            }
            // Some clients do not believe the answer.
            if !(transfer.outcome == Outcome::Done && fate.chance(100)) {
                return;
            }
        }
    }

    /// Compares the accounts with the receipts, and the receipts with the answers that clients got.
    /// No transfer is under way.
    pub(super) async fn close_books(&self) {
        let mut balances = [signed(INITIAL); COUNT];
        let receipts = scan(&self.server, RECEIPTS).await;
        let applied: BTreeMap<_, _> = receipts
            .iter()
            .map(|receipt| (receipt["pk"]["S"].as_str().unwrap_or(""), number(&receipt["applied"])))
            .collect();
        for (id, transfer) in &*self.transfers.borrow() {
            let times = applied.get(id.as_str()).copied().flatten().unwrap_or(0);
            let least = u64::from(transfer.outcome == Outcome::Done);
            let most = u64::from(transfer.outcome != Outcome::Refused) + transfer.repeats;
            assert!(
                (least..=most).contains(&times),
                "{id} was applied {times} times: {transfer:?}"
            );
            let moved = signed(transfer.amount * times);
            balances[transfer.from] -= moved;
            balances[transfer.to] += moved;
        }
        for item in scan(&self.server, ACCOUNTS).await {
            let name = item["name"]["S"].as_str().unwrap_or("");
            let nth = (0..COUNT).find(|nth| account(*nth)["name"]["S"] == name);
            let nth = nth.expect("the bank has this account");
            assert_eq!(number(&item["balance"]), u64::try_from(balances[nth]).ok(), "{name}");
        }
    }
}

impl Transfer {
    fn request(&self, id: &str) -> Json {
        let update = |nth: usize, expression: &str| {
            json!({"Update": {
                "TableName": ACCOUNTS, "Key": account(nth), "UpdateExpression": expression,
                "ExpressionAttributeValues": {":amount": n(self.amount)},
            }})
        };
        let mut taken = update(self.from, "SET balance = balance - :amount");
        taken["Update"]["ConditionExpression"] = "balance >= :amount".into();
        let given = update(self.to, "SET balance = balance + :amount ADD received :amount");
        let count = |key: Json, name: &str, by: u64| {
            json!({"Update": {
                "TableName": RECEIPTS, "Key": key, "UpdateExpression": format!("ADD {name} :by"),
                "ExpressionAttributeValues": {":by": n(by)},
            }})
        };
        let receipt = count(key(id), "applied", 1);
        let moved = count(moved(), "amount", self.amount);
        json!({"ClientRequestToken": id, "TransactItems": [taken, given, receipt, moved]})
    }
}

fn signed(amount: u64) -> i64 {
    i64::try_from(amount).expect("there is not that much money")
}
