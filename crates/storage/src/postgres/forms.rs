//! Forms in which statements take rows: as arrays, or each element as an argument.
//!
//! Arrays are as many arguments however many rows there are. The few rows of a commit by itself are
//! arguments of their own, which is less work for the database: to unnest arrays takes a sixth of a
//! single PutItem's statement.
//!
//! Leaves to `steps.rs` the use of the rows in statements.

use bytes::Bytes;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Row, Statement};

/// Most rows of a step that are not arrays: each number of rows is another statement.
const MAX_FEW: usize = 4;

/// A column of rows: an array.
pub(super) trait Column: ToSql + Send + Sync {
    fn elements(&self) -> Vec<&(dyn ToSql + Sync)>;
}

impl<T: ToSql + Send + Sync> Column for &[T] {
    fn elements(&self) -> Vec<&(dyn ToSql + Sync)> {
        elements(self)
    }
}

impl<T: ToSql + Send + Sync> Column for Vec<T> {
    fn elements(&self) -> Vec<&(dyn ToSql + Sync)> {
        elements(self)
    }
}

fn elements<T: ToSql + Sync>(column: &[T]) -> Vec<&(dyn ToSql + Sync)> {
    column.iter().map(|element| element as &(dyn ToSql + Sync)).collect()
}

/// A column of a statement.
pub(super) type Argument<'a> = Box<dyn Column + 'a>;

/// Form in which a statement takes the rows of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Form {
    /// Each column is an argument, an array of any length.
    Arrays,
    /// So many rows, with each element of a column as an argument.
    Rows(usize),
}

impl Form {
    /// Returns the form of few rows for these columns, if they have so many.
    pub(super) fn of_few(columns: &[Argument<'_>]) -> Self {
        let mut counts = columns.iter().map(|column| column.elements().len());
        match counts.next() {
            Some(rows @ 1..=MAX_FEW) if counts.all(|other| other == rows) => Self::Rows(rows),
            _ => Self::Arrays,
        }
    }

    /// Adds the arguments of these columns to those of a statement.
    fn add<'a>(self, columns: &'a [Argument<'_>], arguments: &mut Vec<&'a (dyn ToSql + Sync)>) {
        for column in columns {
            match self {
                Self::Arrays => arguments.push(&**column),
                Self::Rows(_) => arguments.extend(column.elements()),
            }
        }
    }

    /// Returns the number of arguments for so many columns.
    pub(super) fn arguments(self, columns: usize) -> usize {
        match self {
            Self::Arrays => columns,
            Self::Rows(rows) => columns * rows,
        }
    }

    /// Returns the rows of columns of these types, as arguments that are counted from `first`.
    pub(super) fn rows(self, first: usize, types: &[&str]) -> String {
        match self {
            Self::Arrays => unnest(first, types),
            Self::Rows(rows) => values(first, types, rows, |_| String::new()),
        }
    }

    /// Returns the same with a further column: the number of the row, from 1.
    pub(super) fn numbered_rows(self, first: usize, types: &[&str]) -> String {
        match self {
            Self::Arrays => unnest(first, types) + " WITH ORDINALITY",
            Self::Rows(rows) => values(first, types, rows, |row| format!(", {}::bigint", row + 1)),
        }
    }
}

/// Returns arrays of these types side by side, as arguments that are counted from `first`.
pub(super) fn unnest(first: usize, types: &[&str]) -> String {
    let arrays: Vec<_> =
        (first..).zip(types).map(|(nth, type_)| format!("${nth}::{type_}[]")).collect();
    format!("unnest({})", arrays.join(", "))
}

/// Returns so many rows of these types, column by column as arguments counted from `first`, with a
/// text behind each row.
fn values(
    first: usize,
    types: &[&str],
    rows: usize,
    following: impl Fn(usize) -> String,
) -> String {
    let row = |row: usize| {
        let numbers = (first + row..).step_by(rows);
        let elements: Vec<_> =
            numbers.zip(types).map(|(nth, type_)| format!("${nth}::{type_}")).collect();
        format!("({}{})", elements.join(", "), following(row))
    };
    let all: Vec<_> = (0..rows).map(row).collect();
    format!("(VALUES {})", all.join(", "))
}

/// Returns bytes in the form that an array takes.
pub(super) fn slices(bytes: &[Bytes]) -> Vec<&[u8]> {
    bytes.iter().map(|bytes| &bytes[..]).collect()
}

/// Sends a statement with some arguments and then these columns in their forms, and returns the
/// rows of the answer.
pub(super) async fn query<'a>(
    client: &Client,
    statement: &Statement,
    first: &[&(dyn ToSql + Sync)],
    columns: impl IntoIterator<Item = (Form, &'a [Argument<'a>])>,
) -> Result<Vec<Row>, tokio_postgres::Error> {
    let mut arguments = first.to_vec();
    for (form, columns) in columns {
        form.add(columns, &mut arguments);
    }
    client.query(statement, &arguments).await
}

/// Sends a statement with arrays alone, in the same way.
pub(super) async fn query_arrays(
    client: &Client,
    statement: &Statement,
    arrays: &[Argument<'_>],
) -> Result<Vec<Row>, tokio_postgres::Error> {
    query(client, statement, &[], [(Form::Arrays, arrays)]).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_rows_are_given_column_by_column() {
        let text = values(3, &["smallint", "bytea"], 2, |row| format!(", {row}"));
        assert_eq!(text, "(VALUES ($3::smallint, $5::bytea, 0), ($4::smallint, $6::bytea, 1))");
    }

    #[test]
    fn only_few_rows_that_all_columns_have_are_arguments_of_their_own() {
        let column = |rows: usize| -> Argument<'_> { Box::new(vec![0_i64; rows]) };
        assert_eq!(Form::of_few(&[column(2), column(2)]), Form::Rows(2));
        for other in [[1, 2], [0, 0], [MAX_FEW + 1, MAX_FEW + 1]] {
            assert_eq!(Form::of_few(&other.map(column)), Form::Arrays, "{other:?}");
        }
    }
}
