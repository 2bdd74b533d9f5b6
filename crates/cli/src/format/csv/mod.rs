//! CSV as RFC 4180 has it, with types: a column is `name:TYPE`, a row an item.
//!
//! | cell | attribute |
//! |---|---|
//! | empty | absent |
//! | `""` | empty text or binary |
//! | of a column S | text as it is |
//! | N | a number, with white space around it or not |
//! | B | base64 |
//! | BOOL, NULL | `true`, `false`; `null` |
//! | L, M, SS, NS, BS | a value in the item form, such as `[1,"a"]` or `<<1,2>>` |
//!
//! An attribute with values of several types has a column for each.
//!
//! Another delimiter may stand for the comma; empty cells behind the last column are passed over.
//!
//! Left to others: the beginning and end of each record of a file ([`records`] finds them byte by
//! byte).

mod delimiter;
pub mod records;

pub use delimiter::Delimiter;

use super::{WireItem, item};
use crate::literal;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use hashrange::{AttributeType, Number};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Types of attributes by their names.
pub type Types = BTreeMap<String, AttributeType>;

/// A column: an attribute and the type of its values here.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Column {
    /// The attribute.
    pub name: String,
    /// The wire's name of the type.
    pub tag: &'static str,
}

impl Column {
    /// Returns the column of a typed name such as `n:N`, or of a name whose type is in `types`, or is
    /// S.
    fn of_header(cell: &str, types: &Types) -> Self {
        if let Some((name, tag)) = cell.rsplit_once(':')
            && let Some(typed) = AttributeType::from_name(tag)
        {
            return Self { name: name.to_owned(), tag: typed.as_str() };
        }
        let typed = types.get(cell).copied().unwrap_or(AttributeType::S);
        Self { name: cell.to_owned(), tag: typed.as_str() }
    }

    /// Returns the cell of the header.
    fn header(&self) -> String {
        format!("{}:{}", self.name, self.tag)
    }
}

/// Returns the types of a schema such as `n:N,tags:SS`.
pub fn types(schema: &str) -> Result<Types, String> {
    let cells = records::cells(Delimiter::default(), schema)
        .map_err(|fault| format!("--schema: {fault}"))?;
    let typed = |cell: Option<String>| {
        let cell = cell.unwrap_or_default();
        let split = cell.rsplit_once(':');
        let found = split.and_then(|(name, tag)| Some((name, AttributeType::from_name(tag)?)));
        found.map(|(name, tag)| (name.to_owned(), tag)).ok_or_else(|| {
            format!(
                "--schema: {cell:?} is no attribute with a type (S, N, B, BOOL, NULL, L, M, SS, \
                 NS, BS) such as n:N"
            )
        })
    };
    cells.into_iter().map(typed).collect()
}

/// Returns the columns of a header. Cells at its end without a name are no columns.
pub fn columns(delimiter: Delimiter, header: &str, types: &Types) -> Result<Vec<Column>, String> {
    let mut cells = records::cells(delimiter, header)?;
    drop_empty_behind(&mut cells, 1);
    let mut columns = Vec::with_capacity(cells.len());
    let mut known = BTreeSet::new();
    for cell in cells {
        let cell = cell.ok_or("a column has no name")?;
        let column = Column::of_header(&cell, types);
        if !known.insert(column.clone()) {
            return Err(format!("the column {} stands twice", column.header()));
        }
        columns.push(column);
    }
    Ok(columns)
}

/// Drops empty cells at the end as long as there are more than so many.
fn drop_empty_behind(cells: &mut Vec<Option<String>>, count: usize) {
    let is_empty = |cell: &Option<String>| cell.as_ref().is_none_or(String::is_empty);
    while cells.len() > count && cells.last().is_some_and(is_empty) {
        cells.pop();
    }
}

/// Returns the item of a row. Empty cells behind the last column are no cells.
pub fn read(delimiter: Delimiter, columns: &[Column], row: &str) -> Result<WireItem, String> {
    let mut cells = records::cells(delimiter, row)?;
    drop_empty_behind(&mut cells, columns.len());
    if cells.len() != columns.len() {
        let (found, expected) = (cells.len(), columns.len());
        return Err(format!("{found} cells where the header has {expected}"));
    }
    let mut item = WireItem::new();
    for (column, cell) in columns.iter().zip(cells) {
        let Some(text) = cell else { continue };
        let value = value(column.tag, &text)
            .map_err(|problem| format!("column {}: {problem}", column.header()))?;
        if item.insert(column.name.clone(), value).is_some() {
            return Err(format!("attribute {:?} has values in two columns", column.name));
        }
    }
    Ok(item)
}

/// Returns the value of a cell.
fn value(tag: &str, text: &str) -> Result<Value, String> {
    let is = |word: &str| text.eq_ignore_ascii_case(word);
    match tag {
        "S" => Ok(json!({ "S": text })),
        "N" => match Number::parse(text.trim()) {
            Ok(_) => Ok(json!({ "N": text.trim() })),
            Err(_) => Err(format!("{text:?} is no number")),
        },
        "B" => match BASE64_STANDARD.decode(text) {
            Ok(_) => Ok(json!({ "B": text })),
            Err(_) => Err(format!("{text:?} is no base64")),
        },
        "BOOL" if is("true") => Ok(json!({ "BOOL": true })),
        "BOOL" if is("false") => Ok(json!({ "BOOL": false })),
        "BOOL" => Err(format!("{text:?} is neither true nor false")),
        "NULL" if is("null") => Ok(json!({ "NULL": true })),
        "NULL" => Err(format!("{text:?} is not null")),
        tag => {
            let value = literal::value(text).map_err(|fault| fault.to_string())?;
            as_type(tag, value).ok_or_else(|| format!("{text:?} is no value of type {tag}"))
        }
    }
}

/// Returns the value if it is of that type; a list of texts or numbers passes for their set.
fn as_type(tag: &str, value: Value) -> Option<Value> {
    if value.get(tag).is_some() {
        return Some(value);
    }
    let element = match tag {
        "SS" => "S",
        "NS" => "N",
        "BS" => "B",
        _ => return None,
    };
    let elements = value.get("L")?.as_array()?;
    let members: Option<Vec<&Value>> = elements.iter().map(|typed| typed.get(element)).collect();
    Some(json!({ tag: members? }))
}

/// Returns the columns that an item fills.
pub fn columns_of(item: &WireItem) -> impl Iterator<Item = Column> + '_ {
    item.iter().filter_map(|(name, typed)| {
        let tag = typed.as_object()?.keys().next()?;
        let tag = AttributeType::from_name(tag)?.as_str();
        Some(Column { name: name.clone(), tag })
    })
}

/// Returns the header of columns, without the end of the line.
pub fn header(columns: &[Column]) -> String {
    row(columns.iter().map(|column| Some(column.header())))
}

/// Returns the row of an item, without the end of the line.
pub fn text(columns: &[Column], item: &WireItem) -> String {
    row(columns.iter().map(|column| {
        let typed = item.get(&column.name)?;
        let value = typed.get(column.tag)?;
        Some(match (column.tag, value) {
            ("S" | "N" | "B", Value::String(text)) => text.clone(),
            _ => item::value_text(typed),
        })
    }))
}

fn row(cells: impl Iterator<Item = Option<String>>) -> String {
    let mut out = String::new();
    for (nth, cell) in cells.enumerate() {
        if nth > 0 {
            out.push(',');
        }
        if let Some(text) = cell {
            records::write_cell(&mut out, &text);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_one(header: &str, row: &str) -> Result<Value, String> {
        let types = types("k:N,when:S").unwrap();
        let comma = Delimiter::default();
        read(comma, &columns(comma, header, &types)?, row).map(Value::Object)
    }

    #[test]
    fn cells_are_of_the_type_of_their_column() {
        let cases = [
            ("k,a", "1,x", json!({"k": {"N": "1"}, "a": {"S": "x"}})),
            ("a:b:S,\"c,d\"", "1,2", json!({"a:b": {"S": "1"}, "c,d": {"S": "2"}})),
            ("a:S,b:S,c:B", ",\"\",\"\"", json!({"b": {"S": ""}, "c": {"B": ""}})),
            ("a:N,a:S", ",1", json!({"a": {"S": "1"}})),
            (
                "a:BOOL,b:BOOL,c:NULL",
                "TRUE,false,null",
                json!({"a": {"BOOL": true}, "b": {"BOOL": false}, "c": {"NULL": true}}),
            ),
            (
                "a:L,b:M",
                "\"[1,\"\"x\"\"]\",{}",
                json!({"a": {"L": [{"N": "1"}, {"S": "x"}]}, "b": {"M": {}}}),
            ),
            (
                "a:SS,b:NS",
                "\"<<\"\"x\"\">>\",\"[1,2]\"",
                json!({"a": {"SS": ["x"]}, "b": {"NS": ["1", "2"]}}),
            ),
            ("k:S", "1", json!({"k": {"S": "1"}})),
            ("a,b,,", "1,2,,", json!({"a": {"S": "1"}, "b": {"S": "2"}})),
            ("a,b", "1,,,\"\"", json!({"a": {"S": "1"}})),
            ("a,\"\"", "1", json!({"a": {"S": "1"}})),
            ("a,k", " x , 1.50 ", json!({"a": {"S": " x "}, "k": {"N": "1.50"}})),
        ];
        for (header, row, expected) in cases {
            assert_eq!(read_one(header, row), Ok(expected), "{header}");
        }
    }

    #[test]
    fn other_delimiters_leave_the_comma_to_the_text() {
        for delimiter in Delimiter::all() {
            let between = delimiter.character();
            let header = ["a", "b", "c"].join(&between.to_string());
            let columns = columns(delimiter, &header, &Types::new()).unwrap();
            let quoted = format!("\"x{between}\"");
            let row = format!("{quoted}{between}1{between}");
            let expected = json!({"a": {"S": format!("x{between}")}, "b": {"S": "1"}});
            let found = read(delimiter, &columns, &row).map(Value::Object);
            assert_eq!(found, Ok(expected), "{delimiter}");
        }
        let semicolon = ";".parse().unwrap();
        let columns = columns(semicolon, "a;b", &Types::new()).unwrap();
        let expected = json!({"a": {"S": "1,5"}, "b": {"S": "x"}});
        assert_eq!(read(semicolon, &columns, "1,5;x").map(Value::Object), Ok(expected));
        assert_eq!(
            read(semicolon, &columns, "\"1\",x"),
            Err("character 4: expected ';' behind the closing quote, not ','".to_owned())
        );
    }

    #[test]
    fn what_is_wrong_names_the_column() {
        let cases = [
            ("k", "x", "column k:N: \"x\" is no number"),
            ("a:B", "x", "column a:B: \"x\" is no base64"),
            ("a:BOOL", "yes", "column a:BOOL: \"yes\" is neither true nor false"),
            ("a:NULL", "x", "column a:NULL: \"x\" is not null"),
            ("a:L", "{}", "column a:L: \"{}\" is no value of type L"),
            ("a:NS", "\"[1,\"\"x\"\"]\"", "column a:NS: \"[1,\\\"x\\\"]\" is no value of type NS"),
            ("a:M", "{} x", "column a:M: expected nothing more at character 4, not 'x'"),
            ("a,b", "1", "1 cells where the header has 2"),
            ("a,a:S", "1,2", "the column a:S stands twice"),
            (",a", "1,2", "a column has no name"),
            ("", "", "a column has no name"),
            ("a,", "1,2", "2 cells where the header has 1"),
            ("a,a:N", "1,2", "attribute \"a\" has values in two columns"),
            ("a", "\"x\"y", "character 4: expected a comma behind the closing quote, not 'y'"),
        ];
        for (header, row, expected) in cases {
            assert_eq!(read_one(header, row), Err(expected.to_owned()), "{header}");
        }
        assert!(types("a").unwrap_err().starts_with("--schema: \"a\" is no attribute with a type"));
    }
}
