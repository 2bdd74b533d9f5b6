//! GetItem of two connections beside many clients that keep the server busy with long pages: does a
//! client that asks for little get it soon?

use super::http::{get_item, requests};
use crate::bench::Bench;
use crate::data::{self, SMALL_TABLE, TABLE, WIDE_PARTITION};
use crate::histogram::Histogram;
use crate::load::{Load, Numbers, Outcome, Requests};
use crate::process::Server;
use crate::report::{Figure, Row, Target, Unit, rate_text};
use crate::rounds::median;
use std::time::Duration;

/// Connections that ask for single items.
const CONNECTIONS: usize = 2;
/// Time for which the other clients work before requests count.
const HEAD_START: Duration = Duration::from_secs(1);

/// One row of this kind.
struct Case {
    name: &'static str,
    /// The other clients.
    clients: usize,
    p99_max: Duration,
    others: fn(items: u64) -> Requests,
}

const CASES: [Case; 4] = [
    Case {
        name: "http/get-item-beside-scans",
        clients: 200,
        p99_max: Duration::from_millis(10),
        others: scans,
    },
    Case {
        name: "http/get-item-beside-queries",
        clients: 200,
        p99_max: Duration::from_millis(15),
        others: queries,
    },
    Case {
        name: "http/get-item-beside-conditions",
        clients: 64,
        p99_max: Duration::from_millis(15),
        others: conditions,
    },
    Case {
        name: "http/get-item-beside-statements",
        clients: 32,
        p99_max: Duration::from_millis(15),
        others: statements,
    },
];

/// Measures the rows of this kind.
pub fn run(bench: &mut Bench) -> Result<(), String> {
    let wanted: Vec<&Case> = CASES.iter().filter(|case| bench.settings.wants(case.name)).collect();
    if wanted.is_empty() {
        return Ok(());
    }
    let program = bench.program()?;
    let folder = bench.path("beside");
    data::fill_folder(&folder, bench.settings.items)?;
    data::add_long_pages(&folder)?;
    let server = Server::product(&program, &folder, Some(bench.settings.cache_bytes), None)?;
    for case in wanted {
        measure(bench, case, &server)?;
    }
    server.stop()
}

fn measure(bench: &mut Bench, case: &Case, server: &Server) -> Result<(), String> {
    let (gets, others) = (get_item(bench.settings.items), (case.others)(bench.settings.items));
    let (mut beside, mut alone) = (Histogram::new(), Histogram::new());
    let (mut p99s_ms, mut rates, mut other_rates) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..bench.settings.rounds.max(1) {
        alone.merge(&run_gets(bench, server, &gets)?.latencies);
        let (outcome, other_rate) = std::thread::scope(|scope| {
            let others = scope.spawn(|| run_others(bench, case, server, &others));
            let outcome = run_gets(bench, server, &gets);
            let others = others.join().map_err(|_| "a client thread panicked".to_owned())?;
            Ok::<_, String>((outcome?, others?.rate))
        })?;
        p99s_ms.push(millis(&outcome.latencies, 0.99));
        rates.push(outcome.rate);
        other_rates.push(other_rate);
        beside.merge(&outcome.latencies);
    }
    let spread = (
        p99s_ms.iter().copied().fold(f64::INFINITY, f64::min),
        p99s_ms.iter().copied().fold(0.0, f64::max),
    );
    bench.add(Row {
        name: case.name.to_owned(),
        ours: format!(
            "p50 {:.2} ms, p99 {:.2} ms, p99.9 {:.2} ms at {}",
            millis(&beside, 0.5),
            millis(&beside, 0.99),
            millis(&beside, 0.999),
            rate_text(median(rates))
        ),
        beside: format!(
            "alone p50 {:.2} ms, p99 {:.2} ms",
            millis(&alone, 0.5),
            millis(&alone, 0.99)
        ),
        figure: Figure {
            value: median(p99s_ms),
            spread,
            target: Target::AtMost(case.p99_max.as_secs_f64() * 1e3),
            unit: Unit::Millis,
        },
        notes: vec![format!(
            "p99 of {CONNECTIONS} connections beside {} clients at {}",
            case.clients,
            rate_text(median(other_rates))
        )],
    });
    Ok(())
}

fn run_gets(bench: &Bench, server: &Server, requests: &Requests) -> Result<Outcome, String> {
    let load = Load {
        addresses: vec![server.address()],
        requests,
        connections: CONNECTIONS,
        threads: 1,
        warm_up: HEAD_START,
        duration: bench.settings.round,
    };
    load.run()
}

/// Loads the server with the other clients for as long as requests count.
fn run_others(
    bench: &Bench,
    case: &Case,
    server: &Server,
    requests: &Requests,
) -> Result<Outcome, String> {
    let load = Load {
        addresses: vec![server.address()],
        requests,
        connections: case.clients,
        threads: 1,
        warm_up: HEAD_START,
        duration: bench.settings.round,
    };
    load.run()
}

fn millis(latencies: &Histogram, share: f64) -> f64 {
    latencies.quantile(share).as_secs_f64() * 1e3
}

/// Returns scans from items at random on, with a filter that nothing passes.
fn scans(items: u64) -> Requests {
    let body = format!(
        r#"{{"TableName":"{TABLE}","ExclusiveStartKey":{{"pk":{{"S":"part-########"}},"sk":{{"S":"sort-####"}}}},"FilterExpression":"contains(payload, :p) AND hits > :h","ExpressionAttributeValues":{{":p":{{"S":"none of them"}},":h":{{"N":"0"}}}}}}"#
    );
    requests("Scan", &[body], Numbers::Random(items))
}

/// Returns queries whose answers have the largest size of a page.
fn queries(_: u64) -> Requests {
    let body = format!(
        r#"{{"TableName":"{TABLE}","KeyConditionExpression":"pk = :p","ExpressionAttributeValues":{{":p":{{"S":"{WIDE_PARTITION}"}}}}}}"#
    );
    requests("Query", &[body], Numbers::Random(1))
}

/// Returns scans of small items with 140 comparisons, none of which holds.
fn conditions(_: u64) -> Requests {
    let tests: Vec<_> = (0..140).map(|nth| format!("hits < :v{nth}")).collect();
    let values: Vec<_> = (0..140).map(|nth| format!(r#"":v{nth}":{{"N":"{nth}"}}"#)).collect();
    let body = format!(
        r#"{{"TableName":"{SMALL_TABLE}","FilterExpression":"{}","ExpressionAttributeValues":{{{}}}}}"#,
        tests.join(" OR "),
        values.join(",")
    );
    requests("Scan", &[body], Numbers::Random(1))
}

/// Returns SELECT statements over small items with 500 comparisons, none of which holds.
fn statements(_: u64) -> Requests {
    let tests: Vec<_> = (0..500).map(|nth| format!("hits<{nth}")).collect();
    let body = format!(
        r#"{{"Statement":"SELECT * FROM \"{SMALL_TABLE}\" WHERE {}"}}"#,
        tests.join(" OR ")
    );
    requests("ExecuteStatement", &[body], Numbers::Random(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hashrange::{Database, Operation};

    #[test]
    fn requests_are_accepted() {
        let database = Database::memory().blocking();
        database.create_table(data::plain_table()).unwrap();
        database.create_table(hashrange::create_table(SMALL_TABLE, ("pk", "S"), None)).unwrap();
        for case in &CASES {
            let requests = (case.others)(100);
            let operation =
                Operation::from_target(&format!("DynamoDB_20120810.{}", requests.operation));
            let body = requests.templates[0].fill(7);
            database.call(operation.unwrap(), &body).unwrap();
        }
    }
}
