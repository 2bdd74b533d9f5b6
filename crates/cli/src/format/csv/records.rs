//! Records and cells of CSV: commas, quotes and ends of lines. A cell without quotes is empty where a
//! quoted one is an empty text, which the usual libraries do not tell apart. Another delimiter may stand for the comma.

use super::Delimiter;

/// Position inside a record: tells if the end of a line is the end of the record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Position {
    /// At the beginning of a cell.
    #[default]
    Begin,
    /// In a cell without quotes.
    Bare,
    /// Between quotes, where an end of a line is text.
    Quoted,
    /// Behind a quote in a quoted cell: its end, or the first of two.
    Quote,
}

impl Position {
    /// Returns the position behind these bytes of a record.
    pub fn after(self, delimiter: Delimiter, bytes: &[u8]) -> Self {
        let delimiter = delimiter.byte();
        bytes.iter().fold(self, |position, byte| match (position, byte) {
            (Self::Quoted, b'"') => Self::Quote,
            (Self::Begin | Self::Quote, b'"') | (Self::Quoted, _) => Self::Quoted,
            (_, byte) if *byte == delimiter => Self::Begin,
            _ => Self::Bare,
        })
    }
}

/// Returns the cells of a record: `None` for an empty one without quotes.
pub fn cells(delimiter: Delimiter, record: &str) -> Result<Vec<Option<String>>, String> {
    let mut cells = Vec::new();
    let mut rest = record;
    let delimiter = delimiter.character();
    loop {
        let (cell, after) = match rest.strip_prefix('"') {
            Some(quoted) => quoted_cell(delimiter, record, quoted)?,
            None => bare_cell(delimiter, record, rest)?,
        };
        cells.push(cell);
        match after.strip_prefix(delimiter) {
            Some(next) => rest = next,
            None => return Ok(cells),
        }
    }
}

type CellAndRest<'a> = (Option<String>, &'a str);

fn bare_cell<'a>(delimiter: char, record: &str, rest: &'a str) -> Result<CellAndRest<'a>, String> {
    let (text, after) = rest.split_at(rest.find(delimiter).unwrap_or(rest.len()));
    match text.find('"') {
        Some(offset) => {
            let place = character(record, &rest[offset..]);
            Err(format!("{place}: a cell with a quote inside stands in quotes, each quote twice"))
        }
        None => Ok(((!text.is_empty()).then(|| text.to_owned()), after)),
    }
}

/// Reads a cell behind its first quote.
fn quoted_cell<'a>(
    delimiter: char,
    record: &str,
    mut rest: &'a str,
) -> Result<CellAndRest<'a>, String> {
    let mut text = String::new();
    loop {
        let Some(end) = rest.find('"') else {
            return Err("the closing quote of the last cell is missing".to_owned());
        };
        text.push_str(&rest[..end]);
        rest = &rest[end + 1..];
        match rest.chars().next() {
            Some('"') => {
                text.push('"');
                rest = &rest[1..];
            }
            None => return Ok((Some(text), rest)),
            Some(next) if next == delimiter => return Ok((Some(text), rest)),
            Some(other) => {
                let place = character(record, rest);
                let expected = match delimiter {
                    ',' => "a comma".to_owned(),
                    other => format!("{other:?}"),
                };
                return Err(format!(
                    "{place}: expected {expected} behind the closing quote, not {other:?}"
                ));
            }
        }
    }
}

/// Returns the number of the character of the record with which `rest`, its end, begins.
fn character(record: &str, rest: &str) -> String {
    let before = &record[..record.len() - rest.len()];
    format!("character {}", before.chars().count() + 1)
}

/// Writes a cell, in quotes where a reader would misread it without them.
pub fn write_cell(out: &mut String, text: &str) {
    let is_plain = !text.is_empty()
        && !text.contains([',', '"', '\n', '\r'])
        // A byte order mark at the beginning of a file is no text.
        && !text.starts_with('\u{feff}')
        // A row of one cell of white space would be a blank line.
        && !text.chars().all(char::is_whitespace);
    if is_plain {
        return out.push_str(text);
    }
    out.push('"');
    out.push_str(&text.replace('"', "\"\""));
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let texts = ["", "a", " ", "a\"b", "\"", "a,b", "a\nb", "a\r\n", "\u{feff}", ",,", "é"];
        for first in texts {
            for second in texts {
                let mut record = String::new();
                write_cell(&mut record, first);
                record.push_str(",,");
                write_cell(&mut record, second);
                let read = cells(Delimiter::default(), &record).unwrap();
                assert_eq!(read, [Some(first.to_owned()), None, Some(second.to_owned())]);
                assert_ne!(
                    Position::default().after(Delimiter::default(), record.as_bytes()),
                    Position::Quoted
                );
            }
        }
    }

    #[test]
    fn a_record_goes_on_while_a_quote_is_open() {
        let cases = [
            ("a,b", false),
            ("a,\"b", true),
            ("a,\"b\"\"", true),
            ("a,\"b\"\"\"", false),
            ("a\",b", false),
            ("\"a\",\"", true),
            ("", false),
        ];
        for (record, is_open) in cases {
            let position = Position::default().after(Delimiter::default(), record.as_bytes());
            assert_eq!(position == Position::Quoted, is_open, "{record}");
        }
    }
}
