//! The steps of a commit: what it does with rows, each as a statement by itself or several as one.
//!
//! Several steps as one statement are common table expressions. The database carries out those whose rows are counted,
//! in the order in which they are, so that locks are taken as by one statement after the other; those that are not
//! counted would follow in any order. All see what was committed when the statement began. So no step may write a
//! row that another one of the statement writes.
//!
//! Leaves to `rows.rs` what the arguments are.

use bytes::Bytes;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Row, Statement};

/// The condition that finds the row of a key.
pub(super) const SAME_KEY: &str = "e.place = k.place AND e.prefix = k.prefix AND e.tail = k.tail";

/// Counters in an array: a counter stands once for each place.
const COUNTER: &str = "k(nth, place, low, high, key)";

/// The stripes of counters: keys that begin with the counter's and are 8 bytes longer, which are between
/// two prefixes.
const IS_STRIPE: &str = "e.place = k.place AND e.prefix >= k.low AND e.prefix <= k.high \
     AND e.sum IS NOT NULL AND e.value IS NULL AND octet_length(e.prefix) + octet_length(e.rest) = octet_length(k.key) + 8 \
     AND substr(e.prefix || e.rest, 1, octet_length(k.key)) = k.key";

/// Adds two numbers of 64 bits that wrap around.
const WRAPPED_SUM: &str = "(mod(mod(e.sum::numeric + excluded.sum + 9223372036854775808, \
     18446744073709551616) + 18446744073709551616, 18446744073709551616) - 9223372036854775808)::bigint";

const PLACE: &str = "smallint";
const BYTES: &str = "bytea";
const NUMBER: &str = "bigint";
/// The columns of a key.
const KEY: [&str; 3] = [PLACE, BYTES, BYTES];

/// What a step does with the rows of the keys that it is given as arrays, in the order of the primary key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Step {
    /// Locks rows for update, or only for share, and reads them.
    Lock,
    Share,
    /// The same of rows that are to have these numbers, without reading them.
    LockSame,
    ShareSame,
    /// Writes rows that are to have other numbers until then.
    WriteSame,
    /// Writes rows that are not to be there.
    Insert,
    /// Writes rows that are there.
    Update,
    /// Writes rows, whether they are there or not.
    Upsert,
    Delete,
    /// Removes all stripes of counters.
    RemoveCounters,
    /// Adds to stripes of counters.
    Add,
    /// Raises the stamps of prefixes and puts the records at them: place, prefix, how many; then for each record
    /// place, prefix, how many of its prefix follow it, value.
    Append,
}

/// An array of a statement.
pub(super) type Argument<'a> = Box<dyn ToSql + Send + Sync + 'a>;

/// A step with its arrays.
pub(super) type Taken<'a> = (Step, Vec<Argument<'a>>);

impl Step {
    /// Those that are sent by themselves.
    pub(super) const ALONE: [Self; 7] = [
        Self::Insert,
        Self::Update,
        Self::Upsert,
        Self::Delete,
        Self::RemoveCounters,
        Self::Add,
        Self::Append,
    ];

    /// Returns the types of its arrays' elements.
    fn types(self) -> Vec<&'static str> {
        let after_key = |types: &[&'static str]| [&KEY, types].concat();
        match self {
            Self::Lock | Self::Share | Self::Delete => after_key(&[]),
            Self::LockSame | Self::ShareSame => after_key(&[NUMBER]),
            Self::WriteSame => after_key(&[BYTES, NUMBER, NUMBER]),
            Self::Insert | Self::Upsert => after_key(&[BYTES, BYTES, NUMBER]),
            Self::Update | Self::Add => after_key(&[BYTES, NUMBER]),
            Self::RemoveCounters => vec!["int", PLACE, BYTES, BYTES, BYTES],
            Self::Append => vec![PLACE, BYTES, NUMBER, PLACE, BYTES, NUMBER, BYTES],
        }
    }

    /// Returns the step as a statement whose arguments are counted from `first`, with what has to come before it as a
    /// common table expression.
    fn text(self, schema: &str, first: usize) -> (Option<String>, String) {
        let types = self.types();
        let rows = unnest(first, &types);
        let entries = format!("{schema}.entries");
        let insert =
            |columns: &str| format!("INSERT INTO {entries} AS e ({columns}) SELECT * FROM {rows}");
        let put = || insert("place, prefix, tail, rest, value, sum");
        let update = |columns: &str, and: &str| {
            format!(
                "UPDATE {entries} e SET value = k.value, sum = k.number FROM {rows} AS k(place, prefix, tail, {columns}) \
                 WHERE {SAME_KEY}{and}"
            )
        };
        let read = |how: &str| {
            format!(
                "SELECT k.nth, e.value, e.sum FROM {rows} WITH ORDINALITY AS k(place, prefix, tail, nth) \
                 JOIN {entries} e ON {SAME_KEY} ORDER BY k.nth FOR {how} OF e"
            )
        };
        let same = |how: &str| {
            format!(
                "SELECT 1 FROM {rows} AS k(place, prefix, tail, number) JOIN {entries} e ON {SAME_KEY} \
                 AND e.sum = k.number ORDER BY e.place, e.prefix, e.tail FOR {how} OF e"
            )
        };
        let text = match self {
            Self::Lock => read("UPDATE"),
            Self::Share => read("SHARE"),
            Self::LockSame => same("UPDATE"),
            Self::ShareSame => same("SHARE"),
            Self::WriteSame => update("value, number, before", " AND e.sum = k.before"),
            Self::Insert => put(),
            Self::Update => update("value, number", ""),
            Self::Upsert => format!(
                "{} ON CONFLICT (place, prefix, tail) DO UPDATE SET value = excluded.value, sum = excluded.sum",
                put()
            ),
            Self::Delete => format!(
                "DELETE FROM {entries} e USING {rows} AS k(place, prefix, tail) WHERE {SAME_KEY}"
            ),
            Self::RemoveCounters => {
                format!("DELETE FROM {entries} e USING {rows} AS {COUNTER} WHERE {IS_STRIPE}")
            }
            Self::Add => format!(
                "{} ON CONFLICT (place, prefix, tail) \
                 DO UPDATE SET sum = CASE WHEN e.value IS NULL THEN {WRAPPED_SUM} END, value = NULL",
                insert("place, prefix, tail, rest, sum")
            ),
            Self::Append => {
                let (stamps, records) = types.split_at(3);
                let raised = raise(schema, first, stamps, "s.place, s.prefix, s.last");
                let records = unnest(first + stamps.len(), records);
                let text = format!(
                    "INSERT INTO {entries} (place, prefix, tail, rest, value) \
                     SELECT r.place, r.prefix || int8send(r.last - a.following), '', '', a.value \
                     FROM {records} AS a(place, prefix, following, value) \
                     JOIN raised r ON r.place = a.place AND r.prefix = a.prefix"
                );
                return (Some(format!("raised AS ({raised})")), text);
            }
        };
        (None, text)
    }

    /// Returns the step as a statement.
    pub(super) fn alone(self, schema: &str) -> String {
        match self.text(schema, 1) {
            (Some(before), text) => format!("WITH {before} {text}"),
            (None, text) => text,
        }
    }

    /// Returns how many rows there have to be that are found or written, given the first argument.
    fn condition(self, first: usize) -> String {
        match self {
            Self::LockSame | Self::ShareSame | Self::WriteSame => {
                format!("= cardinality(${first})")
            }
            _ => ">= 0".to_owned(),
        }
    }

    fn only_locks(self) -> bool {
        matches!(self, Self::Lock | Self::Share | Self::LockSame | Self::ShareSame)
    }
}

/// Returns arrays of these types side by side, as arguments that are counted from `first`.
fn unnest(first: usize, types: &[&str]) -> String {
    let arrays: Vec<_> =
        (first..).zip(types).map(|(nth, type_)| format!("${nth}::{type_}[]")).collect();
    format!("unnest({})", arrays.join(", "))
}

/// Returns what raises the stamps of prefixes.
fn raise(schema: &str, first: usize, types: &[&str], returned: &str) -> String {
    format!(
        "INSERT INTO {schema}.stamps AS s (place, prefix, last) SELECT * FROM {} \
         ON CONFLICT (place, prefix) DO UPDATE SET last = s.last + excluded.last RETURNING {returned}",
        unnest(first, types)
    )
}

/// Returns the statement that raises the stamps of prefixes and returns the last one of each, for keys whose place or
/// digest depends on the stamp.
pub(super) fn raise_alone(schema: &str) -> String {
    raise(schema, 1, &[PLACE, BYTES, NUMBER], "s.prefix, s.last")
}

/// Returns the statement that reads the stripes of counters, as arrays as of those that are removed.
pub(super) fn sums(schema: &str) -> String {
    let counters = unnest(1, &Step::RemoveCounters.types());
    format!(
        "SELECT k.nth, e.sum FROM {counters} AS {COUNTER} JOIN {schema}.entries e ON {IS_STRIPE}"
    )
}

/// Returns the statement that sets the token `$2` of lane `$1` and locks rows. Its rows tell the number of a step, of
/// which the first is 1, that of a key in it, and what is there; a step 0 tells how many rows the lane has.
pub(super) fn locks(schema: &str, steps: &[Step]) -> String {
    let mut selections = vec![format!(
        "WITH t AS (UPDATE {schema}.lanes SET token = $2, seen = now() WHERE lane = $1 RETURNING 1) \
         SELECT 0 AS step, count(*) AS nth, NULL::bytea AS value, NULL::bigint AS sum FROM t"
    )];
    let mut first = 3;
    for (step, nth) in steps.iter().zip(1..) {
        let (_, locked) = step.text(schema, first);
        selections.push(format!("SELECT {nth}, l{nth}.* FROM ({locked}) l{nth}"));
        first += step.types().len();
    }
    selections.join(" UNION ALL ")
}

/// Returns the statement that is a whole transaction: it sets the token `$2` of lane `$1` whose last one is `$3`, and
/// takes all steps. It fails, by a division by zero, if the token is another one or a row is not there that has to be.
pub(super) fn whole(schema: &str, steps: &[Step]) -> String {
    let mut expressions = vec![format!(
        "t AS (UPDATE {schema}.lanes SET token = $2, seen = now() WHERE lane = $1 AND token = $3 RETURNING 1)"
    )];
    let mut conditions = vec!["(SELECT count(*) FROM t) = 1".to_owned()];
    let mut first = 4;
    for (step, nth) in steps.iter().zip(1..) {
        let (before, text) = step.text(schema, first);
        expressions.extend(before);
        let returned = if step.only_locks() { "" } else { " RETURNING 1" };
        expressions.push(format!("s{nth} AS ({text}{returned})"));
        conditions.push(format!("(SELECT count(*) FROM s{nth}) {}", step.condition(first)));
        first += step.types().len();
    }
    format!("WITH {} SELECT 1 / ({})::int", expressions.join(", "), conditions.join(" AND "))
}

/// Returns bytes as an array takes them.
pub(super) fn slices(bytes: &[Bytes]) -> Vec<&[u8]> {
    bytes.iter().map(|bytes| &bytes[..]).collect()
}

/// Sends a statement with some arguments and then these arrays, and returns the rows of the answer.
pub(super) async fn query<'a>(
    client: &Client,
    statement: &Statement,
    first: &[&(dyn ToSql + Sync)],
    arrays: impl IntoIterator<Item = &'a Argument<'a>>,
) -> Result<Vec<Row>, tokio_postgres::Error> {
    let mut all = first.to_vec();
    all.extend(arrays.into_iter().map(|array| &**array as &(dyn ToSql + Sync)));
    client.query(statement, &all).await
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOCKS: [Step; 2] = [Step::Lock, Step::Share];
    const SAME: [Step; 3] = [Step::LockSame, Step::ShareSame, Step::WriteSame];

    /// Returns the numbers of the arguments in a text, in their order.
    fn arguments(text: &str) -> Vec<usize> {
        let digits = |part: &str| part.chars().take_while(char::is_ascii_digit).collect::<String>();
        text.split('$').skip(1).map(|part| digits(part).parse().unwrap()).collect()
    }

    #[test]
    fn each_array_is_an_argument_of_its_own() {
        let arrays_of = |steps: &[Step]| steps.iter().map(|step| step.types().len()).sum::<usize>();
        for step in Step::ALONE {
            let arrays: Vec<usize> = (1..=arrays_of(&[step])).collect();
            assert_eq!(arguments(&step.alone("s")), arrays, "{step:?}");
        }
        let all = [&SAME[..], &Step::ALONE].concat();
        let composed =
            [(locks("s", &LOCKS), 2 + arrays_of(&LOCKS)), (whole("s", &all), 3 + arrays_of(&all))];
        for (text, count) in composed {
            let mut found = arguments(&text);
            found.sort_unstable();
            found.dedup();
            assert_eq!(found, (1..=count).collect::<Vec<_>>(), "{text}");
        }
    }

    #[test]
    fn a_whole_transaction_checks_the_token_and_all_rows_that_have_to_be_there() {
        let text = whole("s", &[Step::ShareSame, Step::WriteSame, Step::Add]);
        let checked = "SELECT 1 / ((SELECT count(*) FROM t) = 1 \
                       AND (SELECT count(*) FROM s1) = cardinality($4) \
                       AND (SELECT count(*) FROM s2) = cardinality($8) \
                       AND (SELECT count(*) FROM s3) >= 0)::int";
        assert!(text.ends_with(checked), "{text}");
    }
}
