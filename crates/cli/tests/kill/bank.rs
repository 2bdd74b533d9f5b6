//! Transfers between accounts, each written into the logs of both, and auditors.
//!
//! A log holds one number for each transfer, unlike all others, that also tells what it moved: so
//! the logs are lists for the checker of transactions, and a balance is what its log says.

use super::client::{Answer, Client};
use super::{Run, TABLE};
use hashrange_testkit::history::Span;
use hashrange_testkit::history::appends::{
    Action, Key, Outcome, Transaction, check as check_order,
};
use hashrange_testkit::random::Random;
use serde_json::{Value as Json, json};

const ACCOUNTS: usize = 5;
const INITIAL: u64 = 1000;
/// Above every amount.
const AMOUNTS: u64 = 500;

/// The accounts.
pub struct Bank<'r> {
    run: &'r Run,
}

impl<'r> Bank<'r> {
    /// Opens all accounts with the same balance.
    pub fn open(run: &'r Run) -> Self {
        let mut client = Client::new(&run.server);
        for nth in 0..ACCOUNTS {
            let mut item = key(nth);
            item["balance"] = json!({ "N": INITIAL.to_string() });
            item["log"] = json!({ "L": [] });
            client.done("PutItem", &json!({ "TableName": TABLE, "Item": item }));
        }
        Self { run }
    }

    pub fn use_once(&self, client: &mut Client<'_>, random: &mut Random) -> Vec<Transaction> {
        match random.below(4) {
            0 => self.audit(client).into_iter().collect(),
            1 => self.look(client, random.below(ACCOUNTS)).into_iter().collect(),
            _ => vec![self.transfer(client, random)],
        }
    }

    /// Moves money if there is enough. Half of the transfers have a token: they are sent again
    /// until their outcome is known.
    fn transfer(&self, client: &mut Client<'_>, random: &mut Random) -> Transaction {
        let from = random.below(ACCOUNTS);
        let to = (from + 1 + random.below(ACCOUNTS - 1)) % ACCOUNTS;
        let amount = 1 + random.below(300) as u64;
        let id = self.run.id();
        let [taken, given] = [2 * id, 2 * id + 1].map(|number| number * AMOUNTS + amount);
        let mut take = change(from, "balance - :amount", amount, taken);
        take["ConditionExpression"] = "balance >= :amount".into();
        let give = change(to, "balance + :amount", amount, given);
        let mut body = json!({ "TransactItems": [{ "Update": take }, { "Update": give }] });
        let has_token = random.chance(50);
        if has_token {
            body["ClientRequestToken"] = format!("transfer {id}").into();
        }
        let called = self.run.clock.now();
        let mut outcome = transfer_once(client, &body);
        while has_token && outcome == Outcome::Unknown {
            outcome = transfer_once(client, &body);
        }
        let returned = (outcome != Outcome::Unknown).then(|| self.run.clock.now());
        let actions = vec![Action::Append(list(from), taken), Action::Append(list(to), given)];
        Transaction { span: Span { called, returned }, actions, outcome }
    }

    /// Reads all accounts as of one moment.
    pub fn audit(&self, client: &mut Client<'_>) -> Option<Transaction> {
        let get = |nth| json!({ "Get": { "TableName": TABLE, "Key": key(nth) } });
        let gets: Vec<_> = (0..ACCOUNTS).map(get).collect();
        let body = json!({ "TransactItems": gets });
        let (answer, span) = self.run.clock.observe(|| client.call("TransactGetItems", &body));
        let Answer::Done(answer) = known(answer)? else { panic!("an audit is never refused") };
        let accounts: Vec<_> = answer["Responses"]
            .as_array()
            .unwrap()
            .iter()
            .map(|got| account(&got["Item"]))
            .collect();
        let sum: u64 = accounts.iter().map(|(balance, _)| balance).sum();
        assert_eq!(sum, INITIAL * ACCOUNTS as u64, "{answer}");
        let reads = accounts.into_iter().enumerate();
        let actions = reads.map(|(nth, (_, log))| Action::Read(list(nth), log)).collect();
        Some(Transaction { span, actions, outcome: Outcome::Committed })
    }

    /// Reads one account.
    fn look(&self, client: &mut Client<'_>, nth: usize) -> Option<Transaction> {
        let body = json!({ "TableName": TABLE, "Key": key(nth), "ConsistentRead": true });
        let (answer, span) = self.run.clock.observe(|| client.call("GetItem", &body));
        let Answer::Done(answer) = known(answer)? else { panic!("a read is never refused") };
        let (_, log) = account(&answer["Item"]);
        let actions = vec![Action::Read(list(nth), log)];
        Some(Transaction { span, actions, outcome: Outcome::Committed })
    }
}

/// Returns an answer, unless there is none.
fn known(answer: Answer) -> Option<Answer> {
    if matches!(answer, Answer::Unknown) { None } else { Some(answer) }
}

fn transfer_once(client: &mut Client<'_>, body: &Json) -> Outcome {
    match client.call("TransactWriteItems", body) {
        Answer::Done(_) => Outcome::Committed,
        Answer::Refused(kind) => {
            assert_eq!(kind, "TransactionCanceledException");
            Outcome::Aborted
        }
        Answer::Unknown => Outcome::Unknown,
    }
}

fn key(nth: usize) -> Json {
    json!({ "pk": { "S": format!("account {nth}") } })
}

fn list(nth: usize) -> Key {
    Key::try_from(nth).unwrap()
}

/// Returns the update that changes a balance and writes a number into the log.
fn change(nth: usize, balance: &str, amount: u64, number: u64) -> Json {
    json!({
        "TableName": TABLE, "Key": key(nth),
        "UpdateExpression":
            format!("SET balance = {balance}, #log = list_append(#log, :number)"),
        "ExpressionAttributeNames": { "#log": "log" },
        "ExpressionAttributeValues": {
            ":amount": { "N": amount.to_string() },
            ":number": { "L": [{ "N": number.to_string() }] },
        },
    })
}

/// Returns the balance and the log of an account, which say the same.
fn account(item: &Json) -> (u64, Vec<u64>) {
    let number = |value: &Json| value["N"].as_str().unwrap().parse::<u64>().unwrap();
    let log: Vec<_> = item["log"]["L"].as_array().unwrap().iter().map(number).collect();
    let balance = log.iter().fold(INITIAL, |balance, number| {
        let amount = number % AMOUNTS;
        let is_taken = (number / AMOUNTS).is_multiple_of(2);
        if is_taken { balance - amount } else { balance + amount }
    });
    assert_eq!(number(&item["balance"]), balance, "{item}");
    (balance, log)
}

/// Checks that some order of all transfers and reads explains them.
pub fn check(history: &[Transaction]) {
    let committed = history.iter().filter(|one| one.outcome == Outcome::Committed).count();
    assert!(committed > 20, "{committed} of {} are committed", history.len());
    assert_eq!(check_order(history), Ok(()));
}
