//! Steps of a commit: its work on rows, each as a statement by itself or several as one.
//!
//! Several steps as one statement are common table expressions. The database executes those whose
//! rows are read, in the order of reading, so that it takes locks as in one statement after the
//! other; those whose rows are not read would follow in any order. All see the data committed when
//! the statement began. So no step may write a row that another step of the statement writes.
//!
//! Leaves the forms of rows to `forms.rs`, and their content to `rows.rs`.

use super::forms::{Argument, Form, unnest};
use super::revisions::Tables;

/// The condition that finds the row of a key.
pub(super) const SAME_KEY: &str = "e.place = k.place AND e.prefix = k.prefix AND e.tail = k.tail";

/// Counters in an array: a counter stands once for each place.
const COUNTER: &str = "k(nth, place, low, high, key)";

/// The stripes of counters: keys that begin with the counter's and are 8 bytes longer, which are
/// between two prefixes.
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

/// Work of a step on the rows of its keys, in the order of the primary key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum StatementStep {
    /// Locks rows for update, or only for share, and reads them.
    Lock,
    Share,
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
    /// Raises the stamps of prefixes and puts the records at them: place, prefix, how many; then
    /// for each record place, prefix, how many of its prefix follow it, value.
    Append,
}

/// A step with the columns of its rows.
pub(super) type Taken<'a> = (StatementStep, Vec<Argument<'a>>);

/// A step as a statement takes it.
pub(super) type Formed = (StatementStep, Form);

impl StatementStep {
    /// Steps that are sent by themselves.
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
            Self::Insert | Self::Upsert => after_key(&[BYTES, BYTES, NUMBER]),
            Self::Update | Self::Add => after_key(&[BYTES, NUMBER]),
            Self::RemoveCounters => vec!["int", PLACE, BYTES, BYTES, BYTES],
            Self::Append => vec![PLACE, BYTES, NUMBER, PLACE, BYTES, NUMBER, BYTES],
        }
    }

    /// Returns the step as a statement whose arguments are counted from `first`, with the common
    /// table expression that has to precede it.
    fn text(self, schema: &str, form: Form, first: usize) -> (Option<String>, String) {
        let types = self.types();
        let rows = form.rows(first, &types);
        let entries = format!("{schema}.entries");
        let insert = |columns: &str| {
            format!("INSERT INTO {entries} AS e ({columns}) SELECT * FROM {rows} AS k")
        };
        let put = || insert("place, prefix, tail, rest, value, sum");
        let read = |how: &str| {
            format!(
                "SELECT k.nth, e.value, e.sum FROM {} AS k(place, prefix, tail, nth) \
                 JOIN {entries} e ON {SAME_KEY} ORDER BY k.nth FOR {how} OF e",
                form.numbered_rows(first, &types)
            )
        };
        let text = match self {
            Self::Lock => read("UPDATE"),
            Self::Share => read("SHARE"),
            Self::Insert => put(),
            Self::Update => format!(
                "UPDATE {entries} e SET value = k.value, sum = k.number \
                 FROM {rows} AS k(place, prefix, tail, value, number) WHERE {SAME_KEY}"
            ),
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
                let raised = raise(schema, &form.rows(first, stamps), "s.place, s.prefix, s.last");
                let records = form.rows(first + form.arguments(stamps.len()), records);
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

    /// Returns the step as a statement that takes arrays.
    pub(super) fn alone(self, schema: &str) -> String {
        match self.text(schema, Form::Arrays, 1) {
            (Some(before), text) => format!("WITH {before} {text}"),
            (None, text) => text,
        }
    }
}

/// Returns the statement that raises the stamps of prefixes in these rows.
fn raise(schema: &str, rows: &str, returned: &str) -> String {
    format!(
        "INSERT INTO {schema}.stamps AS s (place, prefix, last) SELECT * FROM {rows} AS k \
         ON CONFLICT (place, prefix) DO UPDATE SET last = s.last + excluded.last RETURNING {returned}"
    )
}

/// Returns the statement that raises the stamps of prefixes and returns the last one of each, for
/// keys whose place or digest depends on the stamp.
pub(super) fn raise_alone(schema: &str) -> String {
    raise(schema, &unnest(1, &[PLACE, BYTES, NUMBER]), "s.prefix, s.last")
}

/// Returns the statement that reads the stripes of counters, given as arrays as for their removal.
pub(super) fn sums(schema: &str) -> String {
    let counters = unnest(1, &StatementStep::RemoveCounters.types());
    format!(
        "SELECT k.nth, e.sum FROM {counters} AS {COUNTER} JOIN {schema}.entries e ON {IS_STRIPE}"
    )
}

/// Returns the statement that sets the token `$2` of lane `$1` and locks rows. Its rows have the
/// number of a step, of which the first is 1, that of a key in the step, and the key's value; a
/// step 0 has the copy of the fence in the lane's row.
pub(super) fn locks(tables: &Tables, steps: &[Formed]) -> String {
    let (schema, lanes, copy) = (&tables.schema, tables.lanes(), tables.fence_copy());
    let mut selections = vec![format!(
        "WITH t AS (UPDATE {lanes} SET token = $2, seen = now() WHERE lane = $1 RETURNING {copy} AS copy) \
         SELECT 0 AS step, 1::bigint AS nth, copy AS value, NULL::bigint AS sum FROM t"
    )];
    let mut first = 3;
    for ((step, form), nth) in steps.iter().zip(1..) {
        let (_, locked) = step.text(schema, *form, first);
        selections.push(format!("SELECT {nth}, l{nth}.* FROM ({locked}) l{nth}"));
        first += form.arguments(step.types().len());
    }
    selections.join(" UNION ALL ")
}

/// Returns the statement that is a whole transaction: it sets the token `$2` of lane `$1` whose last
/// one is `$3` and whose copy of the fence is `$4`, if that is not NULL, and takes all steps, none of
/// which only locks. It fails, by a division by zero, if the lane's row is another one.
pub(super) fn whole(tables: &Tables, steps: &[Formed]) -> String {
    let (schema, lanes, copy) = (&tables.schema, tables.lanes(), tables.fence_copy());
    let mut expressions = vec![format!(
        "t AS (UPDATE {lanes} SET token = $2, seen = now() WHERE lane = $1 AND token = $3 \
         AND ($4::bytea IS NULL OR {copy} = $4) RETURNING 1)"
    )];
    let mut taken = vec!["SELECT 1 AS found FROM t".to_owned()];
    let mut first = 5;
    for ((step, form), nth) in steps.iter().zip(1..) {
        let (before, text) = step.text(schema, *form, first);
        expressions.extend(before);
        expressions.push(format!("s{nth} AS ({text} RETURNING 1)"));
        taken.push(format!("SELECT NULL::int FROM s{nth}"));
        first += form.arguments(step.types().len());
    }
    format!(
        "WITH {} SELECT 1 / count(found) FROM ({}) AS taken",
        expressions.join(", "),
        taken.join(" UNION ALL ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOCKS: [StatementStep; 2] = [StatementStep::Lock, StatementStep::Share];
    const FORMS: [Form; 3] = [Form::Arrays, Form::Rows(1), Form::Rows(3)];

    fn tables() -> Tables {
        Tables::new("s", super::super::revisions::NEWEST)
    }

    fn in_form(steps: &[StatementStep], form: Form) -> Vec<Formed> {
        steps.iter().map(|step| (*step, form)).collect()
    }

    /// Returns the numbers of the arguments in a text, in their order.
    fn numbers(text: &str) -> Vec<usize> {
        let digits = |part: &str| part.chars().take_while(char::is_ascii_digit).collect::<String>();
        text.split('$').skip(1).map(|part| digits(part).parse().unwrap()).collect()
    }

    #[test]
    fn each_column_or_element_is_an_argument_of_its_own() {
        let columns_of =
            |steps: &[StatementStep]| steps.iter().map(|step| step.types().len()).sum::<usize>();
        for step in StatementStep::ALONE {
            let columns: Vec<usize> = (1..=columns_of(&[step])).collect();
            assert_eq!(numbers(&step.alone("s")), columns, "{step:?}");
        }
        for form in FORMS {
            let composed = [
                (locks(&tables(), &in_form(&LOCKS, form)), 2 + form.arguments(columns_of(&LOCKS))),
                (
                    whole(&tables(), &in_form(&StatementStep::ALONE, form)),
                    4 + form.arguments(columns_of(&StatementStep::ALONE)),
                ),
            ];
            for (text, count) in composed {
                let mut found = numbers(&text);
                found.sort_unstable();
                found.dedup();
                assert_eq!(found, (1..=count).collect::<Vec<_>>(), "{text}");
            }
        }
    }

    #[test]
    fn a_whole_transaction_checks_the_token_and_takes_all_steps() {
        let text =
            whole(&tables(), &in_form(&[StatementStep::Insert, StatementStep::Add], Form::Arrays));
        let checked = "SELECT 1 / count(found) FROM (SELECT 1 AS found FROM t \
             UNION ALL SELECT NULL::int FROM s1 UNION ALL SELECT NULL::int FROM s2) AS taken";
        assert!(text.ends_with(checked), "{text}");
    }
}
