//! The SQL of a PostgreSQL store, and its preparation.
//!
//! The safe common subset of the family: arrays for many keys, `ON CONFLICT`, row locks, one data-modifying
//! common table expression. No sequences, triggers, cursors or procedures.
//!
//! Rows are always locked and written in the order of the primary key. Statements that take arrays take
//! them sorted; those that lock sort as well.

use futures_util::future::try_join_all;
use tokio_postgres::{Client, Statement};

/// The columns of keys given as arrays `$1`, `$2`, `$3`, and the condition that finds their rows.
const KEYS: &str = "unnest($1::smallint[], $2::bytea[], $3::bytea[])";
const SAME_KEY: &str = "e.place = k.place AND e.prefix = k.prefix AND e.tail = k.tail";

/// The stripes of counters: keys that begin with the counter's and are 8 bytes longer, which are between
/// two prefixes. `$1` is the place in the list of counters; a counter stands once for each place.
const COUNTERS: &str = "unnest($1::int[], $2::smallint[], $3::bytea[], $4::bytea[], $5::bytea[]) \
     AS k(nth, place, low, high, key)";
const IS_STRIPE: &str = "e.place = k.place AND e.prefix >= k.low AND e.prefix <= k.high \
     AND e.sum IS NOT NULL AND e.value IS NULL AND octet_length(e.prefix) + octet_length(e.rest) = octet_length(k.key) + 8 \
     AND substr(e.prefix || e.rest, 1, octet_length(k.key)) = k.key";

/// Adds two numbers of 64 bits that wrap around.
const WRAPPED_SUM: &str = "(mod(mod(e.sum::numeric + excluded.sum + 9223372036854775808, \
     18446744073709551616) + 18446744073709551616, 18446744073709551616) - 9223372036854775808)::bigint";

/// Returns a statement that fails, by a division by zero, unless `rows` has a row for each of the arrays' keys.
fn all_of(rows: &str) -> String {
    format!("WITH s AS ({rows}) SELECT 1 / (count(*) = cardinality($1))::int FROM s")
}

/// Statements of a lane.
#[derive(Debug)]
pub(super) struct LaneStatements {
    pub(super) token: Statement,
    pub(super) lock_for_update: Statement,
    pub(super) lock_for_share: Statement,
    pub(super) lock_same_for_update: Statement,
    pub(super) lock_same_for_share: Statement,
    pub(super) present: Statement,
    pub(super) insert: Statement,
    pub(super) upsert: Statement,
    pub(super) update: Statement,
    pub(super) update_same: Statement,
    pub(super) delete: Statement,
    pub(super) remove_counters: Statement,
    pub(super) add: Statement,
    pub(super) append: Statement,
    pub(super) raise: Statement,
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
    /// The same of rows as most are, their bytes not counted.
    pub(super) uncounted_page: [Statement; 2],
    /// The same if they are not the rows of a page that is kept.
    pub(super) checked_page: [Statement; 2],
    /// Pages of several places in the order of keys: forward, backward.
    pub(super) ordered_page: [Statement; 2],
    /// The same of rows as most are, their bytes not counted.
    pub(super) uncounted_ordered_page: [Statement; 2],
    /// Pages of several places in any order, merged: forward, backward.
    pub(super) merged_page: [Statement; 2],
    /// Keys that share a whole prefix, in the order of what follows: forward, backward.
    pub(super) crowd: [Statement; 2],
}

impl LaneStatements {
    /// Prepares the statements, all in one round trip or two.
    pub(super) async fn prepare(
        client: &Client,
        schema: &str,
    ) -> Result<Self, tokio_postgres::Error> {
        let lock = |how: &str| {
            format!(
                "SELECT e.place, e.prefix, e.tail, e.value, e.sum FROM {KEYS} AS k(place, prefix, tail) \
                 JOIN {schema}.entries e ON {SAME_KEY} ORDER BY e.place, e.prefix, e.tail FOR {how} OF e"
            )
        };
        let lock_same = |how: &str| {
            all_of(&format!(
                "SELECT 1 FROM unnest($1::smallint[], $2::bytea[], $3::bytea[], $4::bigint[]) \
                 AS k(place, prefix, tail, number) JOIN {schema}.entries e ON {SAME_KEY} AND e.sum = k.number \
                 ORDER BY e.place, e.prefix, e.tail FOR {how} OF e"
            ))
        };
        let insert = format!(
            "INSERT INTO {schema}.entries AS e (place, prefix, tail, rest, value, sum) SELECT * FROM \
             unnest($1::smallint[], $2::bytea[], $3::bytea[], $4::bytea[], $5::bytea[], $6::bigint[])"
        );
        let texts = [
            format!("UPDATE {schema}.lanes SET token = $2, seen = now() WHERE lane = $1"),
            lock("UPDATE"),
            lock("SHARE"),
            lock_same("UPDATE"),
            lock_same("SHARE"),
            format!(
                "SELECT count(*) FROM {KEYS} AS k(place, prefix, tail) JOIN {schema}.entries e ON {SAME_KEY}"
            ),
            insert.clone(),
            format!(
                "{insert} ON CONFLICT (place, prefix, tail) DO UPDATE SET value = excluded.value, sum = excluded.sum"
            ),
            format!(
                "UPDATE {schema}.entries e SET value = k.value, sum = k.number FROM \
                 unnest($1::smallint[], $2::bytea[], $3::bytea[], $4::bytea[], $5::bigint[]) \
                 AS k(place, prefix, tail, value, number) WHERE {SAME_KEY}"
            ),
            all_of(&format!(
                "UPDATE {schema}.entries e SET value = k.value, sum = k.number FROM \
                 unnest($1::smallint[], $2::bytea[], $3::bytea[], $4::bytea[], $5::bigint[], $6::bigint[]) \
                 AS k(place, prefix, tail, value, number, before) WHERE {SAME_KEY} AND e.sum = k.before RETURNING 1"
            )),
            format!(
                "DELETE FROM {schema}.entries e USING {KEYS} AS k(place, prefix, tail) WHERE {SAME_KEY}"
            ),
            format!("DELETE FROM {schema}.entries e USING {COUNTERS} WHERE {IS_STRIPE}"),
            format!(
                "INSERT INTO {schema}.entries AS e (place, prefix, tail, rest, sum) SELECT * FROM \
                 unnest($1::smallint[], $2::bytea[], $3::bytea[], $4::bytea[], $5::bigint[]) \
                 ON CONFLICT (place, prefix, tail) DO UPDATE SET sum = CASE WHEN e.value IS NULL THEN {WRAPPED_SUM} END, value = NULL"
            ),
            append(schema),
            raise(schema),
        ];
        let prepared = prepare_all(client, &texts).await?;
        let [
            token,
            lock_for_update,
            lock_for_share,
            lock_same_for_update,
            lock_same_for_share,
            present,
            insert,
            upsert,
            update,
            update_same,
            delete,
            remove_counters,
            add,
            append,
            raise,
        ] = prepared;
        Ok(Self {
            token,
            lock_for_update,
            lock_for_share,
            lock_same_for_update,
            lock_same_for_share,
            present,
            insert,
            upsert,
            update,
            update_same,
            delete,
            remove_counters,
            add,
            append,
            raise,
        })
    }
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
            format!("SELECT k.nth, e.sum FROM {COUNTERS} JOIN {schema}.entries e ON {IS_STRIPE}"),
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

/// Raises the stamps of prefixes and puts the records at them: `$1` place, `$2` prefix, `$3` how many;
/// then for each record `$4` place, `$5` prefix, `$6` how many of its prefix follow it, `$7` value.
fn append(schema: &str) -> String {
    format!(
        "WITH raised AS (INSERT INTO {schema}.stamps AS s (place, prefix, last) \
             SELECT * FROM unnest($1::smallint[], $2::bytea[], $3::bigint[]) \
             ON CONFLICT (place, prefix) DO UPDATE SET last = s.last + excluded.last \
             RETURNING s.place, s.prefix, s.last) \
         INSERT INTO {schema}.entries (place, prefix, tail, rest, value) \
         SELECT r.place, r.prefix || int8send(r.last - a.following), '', '', a.value \
         FROM unnest($4::smallint[], $5::bytea[], $6::bigint[], $7::bytea[]) \
             AS a(place, prefix, following, value) \
         JOIN raised r ON r.place = a.place AND r.prefix = a.prefix"
    )
}

/// Raises the stamps of prefixes and returns the last one of each, for keys whose place or digest
/// depends on the stamp.
fn raise(schema: &str) -> String {
    format!(
        "INSERT INTO {schema}.stamps AS s (place, prefix, last) \
         SELECT * FROM unnest($1::smallint[], $2::bytea[], $3::bigint[]) \
         ON CONFLICT (place, prefix) DO UPDATE SET last = s.last + excluded.last \
         RETURNING s.prefix, s.last"
    )
}

/// The greatest stamp of all prefixes.
pub(super) fn last_stamp(schema: &str) -> String {
    format!("SELECT coalesce(max(last), 0)::bigint FROM {schema}.stamps")
}

/// Raises the stamps of prefixes to what is given: `$1` place, `$2` prefix, `$3` stamp.
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

/// What a counted page shows of each row. Columns that say nothing are NULL, which costs neither side a copy: those
/// of most rows but prefix and value.
const SHOWN: &str = "place, prefix, nullif(tail, ''::bytea), nullif(rest, ''::bytea), value, sum";

/// What a page shows of rows as most are: that have a value, and nothing after the prefix. To read three columns
/// instead of six takes a sixth less of a Query of 100 items, on both sides.
fn shown_of_most(place: &str) -> String {
    format!("{place}, prefix, value")
}

/// Keeps of the rows of `from` those up to the one with which they have `limit` bytes, and shows them.
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

/// `$6` is the place, `$7` are the numbers of the rows that are known. If the page has these, one row says so and
/// shows nothing else; if the page is empty, one row says that it is another one.
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

/// Rows of place `$1` with the whole prefix `$2` and a rest from `$3` to before `$4`, at most `$5` and
/// `$6` bytes.
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
