//! The SQL of a PostgreSQL store, and its preparation.
//!
//! The safe common subset of the family: arrays for many keys, `ON CONFLICT`, row locks,
//! data-modifying common table expressions. No sequences, triggers, cursors or procedures.
//!
//! Rows are always locked and written in the order of the primary key. Statements that take arrays
//! take them sorted; those that lock sort as well. `steps.rs` has the statements of commits.

use super::forms::{Form, query};
use super::revisions::Tables;
use super::steps::{self, Formed, SAME_KEY, StatementStep, Taken};
use futures_util::future::{try_join_all, try_join3};
use parking_lot::Mutex;
use std::collections::HashMap;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Row, Statement};

/// The columns of keys given as arrays `$1`, `$2`, `$3`.
const KEYS: &str = "unnest($1::smallint[], $2::bytea[], $3::bytea[])";

/// The most statements of several steps that are prepared at once on a connection.
const MAX_COMPOSED: usize = 64;

/// Locks that are usual: most commits read the definition of a table and may write some items.
const USUAL_LOCKS: [&[StatementStep]; 7] = [
    &[],
    &[StatementStep::Lock],
    &[StatementStep::Share],
    &[StatementStep::Lock, StatementStep::Share],
    &[StatementStep::Share, StatementStep::Lock],
    &[StatementStep::Lock, StatementStep::Share, StatementStep::Lock],
    &[StatementStep::Share, StatementStep::Lock, StatementStep::Share],
];

/// Statements of a lane.
#[derive(Debug)]
pub(super) struct LaneStatements {
    tables: Tables,
    pub(super) present: Statement,
    pub(super) raise: Statement,
    alone: Vec<(StatementStep, Statement)>,
    composed: Mutex<HashMap<(Composition, Vec<Formed>), Statement>>,
}

/// A statement of several steps.
pub(super) struct Composed {
    statement: Statement,
    steps: Vec<Formed>,
}

/// Kind of a statement of several steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Composition {
    /// The token and locks.
    Locks,
    /// A whole transaction.
    Whole,
}

/// Statements of a reader.
#[derive(Debug)]
pub(super) struct ReaderStatements {
    pub(super) one: Statement,
    pub(super) many: Statement,
    pub(super) sums: Statement,
    pub(super) lock_one: Statement,
    /// Pages of one place: forward, backward.
    pub(super) page: [Statement; 2],
    /// The same for ordinary rows, without counting their bytes.
    pub(super) uncounted_page: [Statement; 2],
    /// The same unless they are the rows of a cached page.
    pub(super) checked_page: [Statement; 2],
    /// Pages of several places in the order of keys: forward, backward.
    pub(super) ordered_page: [Statement; 2],
    /// The same for ordinary rows, without counting their bytes.
    pub(super) uncounted_ordered_page: [Statement; 2],
    /// Pages of several places in any order, merged: forward, backward.
    pub(super) merged_page: [Statement; 2],
    /// Keys that share a whole prefix, in the order of their rests: forward, backward.
    pub(super) crowd: [Statement; 2],
}

impl LaneStatements {
    /// Prepares the statements of single steps and of usual locks, all in one round trip or two.
    pub(super) async fn prepare(
        client: &Client,
        tables: &Tables,
    ) -> Result<Self, tokio_postgres::Error> {
        let schema = &tables.schema;
        let present = format!(
            "SELECT count(*) FROM {KEYS} AS k(place, prefix, tail) JOIN {schema}.entries e ON {SAME_KEY}"
        );
        let others = [present, steps::raise_alone(schema)];
        let alone = StatementStep::ALONE.map(|step| step.alone(schema));
        // No steps are the same in both forms.
        let of_one_row = USUAL_LOCKS.iter().filter(|steps| !steps.is_empty());
        let usual_locks: Vec<_> = (USUAL_LOCKS.iter().map(|steps| in_form(steps, Form::Arrays)))
            .chain(of_one_row.map(|steps| in_form(steps, Form::Rows(1))))
            .collect();
        let locks: Vec<_> = usual_locks.iter().map(|steps| steps::locks(tables, steps)).collect();
        let ([present, raise], alone, locks) = try_join3(
            prepare_all(client, &others),
            prepare_all(client, &alone),
            try_join_all(locks.iter().map(|text| client.prepare(text))),
        )
        .await?;
        let key = |steps| (Composition::Locks, steps);
        let composed = usual_locks.into_iter().map(key).zip(locks).collect();
        let composed = Mutex::new(composed);
        let alone = StatementStep::ALONE.into_iter().zip(alone).collect();
        Ok(Self { tables: tables.clone(), present, raise, alone, composed })
    }

    /// Returns the statement of a single step.
    pub(super) fn alone(&self, step: StatementStep) -> &Statement {
        let found = self.alone.iter().find(|(alone, _)| *alone == step);
        found.map(|(_, statement)| statement).expect("it is sent by itself")
    }

    /// Returns the statement of several steps, which is prepared on first use.
    pub(super) async fn composed(
        &self,
        client: &Client,
        composition: Composition,
        steps: Vec<Formed>,
    ) -> Result<Composed, tokio_postgres::Error> {
        let key = (composition, steps);
        if let Some(statement) = self.composed.lock().get(&key) {
            return Ok(Composed { statement: statement.clone(), steps: key.1 });
        }
        let text = match composition {
            Composition::Locks => steps::locks(&self.tables, &key.1),
            Composition::Whole => steps::whole(&self.tables, &key.1),
        };
        let statement = client.prepare(&text).await?;
        let steps = key.1.clone();
        let mut composed = self.composed.lock();
        if composed.len() >= MAX_COMPOSED {
            composed.clear();
        }
        composed.insert(key, statement.clone());
        Ok(Composed { statement, steps })
    }
}

impl Composed {
    /// Sends it with some arguments and then those of its steps, and returns the rows of the
    /// answer.
    pub(super) async fn query(
        &self,
        client: &Client,
        first: &[&(dyn ToSql + Sync)],
        steps: &[Taken<'_>],
    ) -> Result<Vec<Row>, tokio_postgres::Error> {
        let columns = self.steps.iter().zip(steps);
        let columns = columns.map(|((_, form), (_, columns))| (*form, columns.as_slice()));
        query(client, &self.statement, first, columns).await
    }
}

fn in_form(steps: &[StatementStep], form: Form) -> Vec<Formed> {
    steps.iter().map(|step| (*step, form)).collect()
}

impl ReaderStatements {
    /// Prepares the statements, all in one round trip or two.
    pub(super) async fn prepare(
        client: &Client,
        schema: &str,
    ) -> Result<Self, tokio_postgres::Error> {
        let one = format!(
            "SELECT value, sum FROM {schema}.entries WHERE place = $1 AND prefix = $2 AND tail = $3"
        );
        let texts = [
            one.clone(),
            format!(
                "SELECT k.nth, e.value, e.sum FROM {KEYS} WITH ORDINALITY AS k(place, prefix, tail, nth) \
                 JOIN {schema}.entries e ON {SAME_KEY}"
            ),
            steps::sums(schema),
            format!("{one} FOR SHARE"),
            page(schema, ""),
            page(schema, "DESC"),
            ordered_page(schema, ""),
            ordered_page(schema, "DESC"),
            merged_page(schema, ""),
            merged_page(schema, "DESC"),
            crowd(schema, ""),
            crowd(schema, "DESC"),
            uncounted_page(schema, ""),
            uncounted_page(schema, "DESC"),
            uncounted_ordered_page(schema, ""),
            uncounted_ordered_page(schema, "DESC"),
            checked_page(schema, ""),
            checked_page(schema, "DESC"),
        ];
        let [one, many, sums, lock_one, f1, b1, f2, b2, f3, b3, f4, b4, f5, b5, f6, b6, f7, b7] =
            prepare_all(client, &texts).await?;
        Ok(Self {
            one,
            many,
            sums,
            lock_one,
            page: [f1, b1],
            ordered_page: [f2, b2],
            merged_page: [f3, b3],
            crowd: [f4, b4],
            uncounted_page: [f5, b5],
            uncounted_ordered_page: [f6, b6],
            checked_page: [f7, b7],
        })
    }
}

async fn prepare_all<const N: usize>(
    client: &Client,
    texts: &[String; N],
) -> Result<[Statement; N], tokio_postgres::Error> {
    let prepared = try_join_all(texts.iter().map(|text| client.prepare(text))).await?;
    Ok(prepared.try_into().expect("as many statements as texts"))
}

/// The greatest stamp of all prefixes.
pub(super) fn last_stamp(schema: &str) -> String {
    format!("SELECT coalesce(max(last), 0)::bigint FROM {schema}.stamps")
}

/// Raises the stamps of prefixes to given ones: `$1` place, `$2` prefix, `$3` stamp.
pub(super) fn raise_to(schema: &str) -> String {
    format!(
        "INSERT INTO {schema}.stamps AS s (place, prefix, last) \
         SELECT * FROM unnest($1::smallint[], $2::bytea[], $3::bigint[]) \
         ON CONFLICT (place, prefix) DO UPDATE SET last = greatest(s.last, excluded.last)"
    )
}

/// Locks the row of one key.
pub(super) fn lock_row(schema: &str) -> String {
    format!(
        "SELECT 1 FROM {schema}.entries WHERE place = $1 AND prefix = $2 AND tail = $3 FOR UPDATE"
    )
}

/// Columns of each row that a counted page shows. Columns without information are NULL, which saves
/// both sides a copy: in most rows all but prefix and value.
const SHOWN: &str = "place, prefix, nullif(tail, ''::bytea), nullif(rest, ''::bytea), value, sum";

/// Returns the columns that a page shows of ordinary rows, which have a value and nothing after the
/// prefix. Reading three columns instead of six takes a sixth less of a Query of 100 items, on both
/// sides.
fn shown_of_most(place: &str) -> String {
    format!("{place}, prefix, value")
}

/// Keeps of the rows of `from` those up to the one with which they have `limit` bytes, and shows
/// them.
fn bounded(from: &str, limit: &str) -> String {
    format!(
        "SELECT {SHOWN} FROM (SELECT p.*, \
         sum(coalesce(octet_length(p.value), 8)) OVER (ROWS UNBOUNDED PRECEDING) \
         - coalesce(octet_length(p.value), 8) AS before FROM ({from}) p) b WHERE before < {limit}"
    )
}

/// All columns of a row.
const COLUMNS: &str = "place, prefix, tail, rest, value, sum";

/// Rows from (`$1`, `$2`) to before (`$3`, `$4`), at most `$5`.
fn rows(schema: &str, columns: &str, place: &str, direction: &str) -> String {
    format!(
        "SELECT {columns} FROM {schema}.entries WHERE place = {place} \
         AND (prefix, tail) >= ($1::bytea, $2::bytea) AND (prefix, tail) < ($3::bytea, $4::bytea) \
         ORDER BY prefix {direction}, tail {direction} LIMIT $5"
    )
}

/// `$6` is the place, which is not shown; the rows' numbers are.
fn uncounted_page(schema: &str, direction: &str) -> String {
    let shown = shown_of_most("NULL::smallint") + ", sum";
    rows(schema, &shown, "$6::smallint", direction)
}

/// `$6` is the place, `$7` are the numbers of the rows that are known. If the page has these, one
/// row says so and shows nothing else; if the page is empty, one row says that it is another one.
fn checked_page(schema: &str, direction: &str) -> String {
    let numbers = rows(schema, "sum", "$6::smallint", direction);
    let page = rows(schema, "prefix, value, sum", "$6::smallint AND NOT c.same", direction);
    format!(
        "SELECT c.same, e.prefix, e.value, e.sum FROM \
         (SELECT array_agg(sum) IS NOT DISTINCT FROM $7::bigint[] AS same FROM ({numbers}) n) c \
         LEFT JOIN LATERAL ({page}) e ON true"
    )
}

/// `$6` is the place, `$7` the bytes.
fn page(schema: &str, direction: &str) -> String {
    bounded(&rows(schema, COLUMNS, "$6::smallint", direction), "$7::bigint")
}

/// The places are `$6` and the `$7` after it, in a circle of `$8`.
fn places(schema: &str, columns: &str, direction: &str) -> String {
    let (from, to, step) =
        if direction.is_empty() { ("0", "$7::int", "1") } else { ("$7::int", "0", "-1") };
    format!(
        "SELECT {columns} FROM generate_series({from}, {to}, {step}) AS i, LATERAL ({}) e",
        rows(schema, COLUMNS, "(($6::int + i) % $8::int)::smallint", direction)
    )
}

fn uncounted_ordered_page(schema: &str, direction: &str) -> String {
    places(schema, &shown_of_most("place"), direction) + " LIMIT $5"
}

/// `$9` are the bytes, as of a merged page.
fn ordered_page(schema: &str, direction: &str) -> String {
    bounded(&(places(schema, "e.*", direction) + " LIMIT $5"), "$9::bigint")
}

fn merged_page(schema: &str, direction: &str) -> String {
    let merged = format!(
        "{} ORDER BY prefix {direction}, tail {direction} LIMIT $5",
        places(schema, "e.*", direction)
    );
    bounded(&merged, "$9::bigint")
}

/// Rows of place `$1` with the whole prefix `$2` and a rest from `$3` to before `$4`, at most `$5`
/// and `$6` bytes.
fn crowd(schema: &str, direction: &str) -> String {
    bounded(
        &format!(
            "SELECT {COLUMNS} FROM {schema}.entries \
             WHERE place = $1::smallint AND prefix = $2::bytea AND tail > ''::bytea \
             AND rest >= $3::bytea AND ($4::bytea IS NULL OR rest < $4::bytea) \
             ORDER BY rest {direction} LIMIT $5"
        ),
        "$6::bigint",
    )
}
