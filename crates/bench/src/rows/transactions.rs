//! Transactions: over HTTP beside single puts of the same server, in process as transfers between
//! accounts whose sum must not change.

use super::http::{CONNECTIONS, GroupCommits, latency_note, put_item, requests, run_load};
use super::process::{numbered_write_rate, put_rate};
use super::share_row;
use crate::bench::Bench;
use crate::data;
use crate::histogram::Histogram;
use crate::load::{Numbers, Requests};
use crate::process::Server;
use crate::random::Random;
use crate::rounds::Rounds;
use hashrange::{
    AttributeValue, Database, Get, PutItemInput, TransactGetItem, TransactGetItemsInput,
    TransactWriteItem, TransactWriteItemsInput, Update, Value, create_table, item,
};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

const OVER_HTTP: &str = "http/transact-write-items";
const TRANSFERS: &str = "process/bank-transfers";
const P99_MAX: Duration = Duration::from_millis(20);
const ACCOUNTS_TABLE: &str = "Accounts";
const ACCOUNTS: u64 = 100;
const OPENING: u32 = 1_000_000;

/// Measures the rows of this kind.
pub fn run(bench: &mut Bench) -> Result<(), String> {
    if bench.settings.wants(OVER_HTTP) {
        over_http(bench)?;
    }
    if bench.settings.wants(TRANSFERS) {
        transfers(bench)?;
    }
    Ok(())
}

/// Returns transactions of four puts of 1 KiB.
fn transact_write(_: u64) -> Requests {
    // Far above the keys of other rows.
    let numbers = Numbers::Sequence(AtomicU64::new(1_000_000_000));
    requests("TransactWriteItems", &data::transact_write_bodies(), numbers)
}

fn over_http(bench: &mut Bench) -> Result<(), String> {
    let program = bench.program()?;
    let folder = bench.path("transact");
    data::fill_folder(&folder, bench.settings.items)?;
    let server = Server::product(&program, &folder, Some(bench.settings.cache_bytes), None)?;
    let (transactions, puts) = (transact_write(0), put_item(0));
    let mut latencies = Histogram::new();
    let mut group_commits = None;
    let rounds = Rounds::measure(
        bench.settings.rounds,
        || {
            let before = GroupCommits::read(&server);
            let outcome = run_load(bench, &server, &transactions)?;
            latencies.merge(&outcome.latencies);
            group_commits = before.and_then(|before| before.note(&server));
            Ok(outcome.rate)
        },
        || run_load(bench, &server, &puts).map(|outcome| outcome.rate),
    )?;
    let mut row = share_row(OVER_HTTP, "PutItem", &rounds, Some(1.0 / 3.0));
    row.notes.push(format!("4 items of 1 KiB in each, {CONNECTIONS} connections"));
    row.notes.push(latency_note(&latencies, P99_MAX));
    row.notes.extend(group_commits);
    bench.add(row);
    server.stop()
}

fn account(nth: u64) -> hashrange::Item {
    item! { "id": &*format!("account-{nth:03}") }
}

/// Returns the change of one account; a negative one demands a sufficient balance.
fn change(nth: u64, by: i64) -> TransactWriteItem<'static> {
    let value = |number: i64| Value::from(AttributeValue::from(number)).into();
    let mut values = vec![(":by".into(), value(by))];
    if by < 0 {
        values.push((":least".into(), value(-by)));
    }
    TransactWriteItem {
        update: Some(Update {
            table_name: Some(ACCOUNTS_TABLE.into()),
            key: Some(account(nth).into()),
            update_expression: Some("SET balance = balance + :by".into()),
            condition_expression: (by < 0).then(|| "balance >= :least".into()),
            expression_attribute_values: Some(values.into_iter().collect()),
            ..Update::default()
        }),
        ..TransactWriteItem::default()
    }
}

/// Returns the nth transfer: between two accounts, as good as at random.
fn transfer(nth: u64) -> TransactWriteItemsInput<'static> {
    let mut random = Random::new(nth);
    let source = random.next() % ACCOUNTS;
    let target = (source + 1 + random.next() % (ACCOUNTS - 1)) % ACCOUNTS;
    let amount = i64::try_from(1 + random.next() % 10).expect("it is at most 10");
    TransactWriteItemsInput {
        transact_items: Some(vec![change(source, -amount), change(target, amount)]),
        ..TransactWriteItemsInput::default()
    }
}

fn transfers(bench: &mut Bench) -> Result<(), String> {
    let database = data::open(&bench.path("bank"), bench.settings.cache_bytes)?;
    let blocking = database.blocking();
    for table in [data::plain_table(), create_table(ACCOUNTS_TABLE, ("id", "S"), None)] {
        blocking.create_table(table).map_err(|error| error.to_string())?;
    }
    for nth in 0..ACCOUNTS {
        let id = format!("account-{nth:03}");
        let balance = AttributeValue::from(i64::from(OPENING));
        let opened = blocking.put_item(PutItemInput {
            table_name: Some(ACCOUNTS_TABLE.into()),
            item: Some(item! { "id": &*id, "balance": balance }.into()),
            ..PutItemInput::default()
        });
        opened.map_err(|error| error.to_string())?;
    }
    let (next, next_put) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    let round = bench.settings.round;
    let rounds = Rounds::measure(
        bench.settings.rounds,
        || {
            numbered_write_rate(round, &database, &next, |database, nth| async move {
                database.transact_write_items(transfer(nth)).await
            })
        },
        || put_rate(round, &database, data::TABLE, &next_put),
    )?;
    let sum = sum_of_accounts(&database)?;
    if sum != ACCOUNTS * u64::from(OPENING) {
        return Err(format!("{TRANSFERS}: the accounts hold {sum}"));
    }
    let mut row = share_row(TRANSFERS, "PutItem of 1 KiB", &rounds, None);
    let clients = data::WRITERS;
    row.notes.push(format!("{clients} clients, {ACCOUNTS} accounts; the sum is unchanged"));
    bench.add(row);
    Ok(())
}

fn sum_of_accounts(database: &Database) -> Result<u64, String> {
    let get = |nth| TransactGetItem {
        get: Some(Get {
            table_name: Some(ACCOUNTS_TABLE.into()),
            key: Some(account(nth).into()),
            ..Get::default()
        }),
    };
    let input = TransactGetItemsInput {
        transact_items: Some((0..ACCOUNTS).map(get).collect()),
        ..TransactGetItemsInput::default()
    };
    let output =
        database.blocking().transact_get_items(input).map_err(|error| error.to_string())?;
    let balance = |item: hashrange::Item| match item.get("balance")?.to_attribute_value() {
        AttributeValue::N(number) => number.to_string().parse::<u64>().ok(),
        _ => None,
    };
    let responses = output.responses.unwrap_or_default();
    Ok(responses.into_iter().filter_map(|response| balance(response.item?)).sum())
}
