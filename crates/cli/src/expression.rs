//! Expressions as people write them, with values and any attribute name in them, turned into
//! DynamoDB's expressions with placeholders.
//!
//! `year >= 1999 and begins_with(title, "B")` becomes `#n0 >= :v0 AND begins_with(#n1, :v1)`.
//!
//! - Values are written as in [`crate::literal`].
//! - Every attribute name gets a placeholder, so reserved words need no care. A name of letters,
//!   digits and `_` stands for itself; any other, and one that is a keyword, goes in backquotes:
//!   `` `in`.`first name` `` (two backquotes stand for one).
//! - Keywords (`AND OR NOT BETWEEN IN`) may be written in small letters. A function's name is one
//!   only before `(`.
//! - `a[0]` is an element of a list; a `[` that does not follow a path begins a list value.

use crate::literal::{LiteralFault, Reader, is_word};
use serde_json::{Map, Value};

const KEYWORDS: [&str; 5] = ["AND", "OR", "NOT", "BETWEEN", "IN"];
const FUNCTIONS: [&str; 8] = [
    "attribute_exists",
    "attribute_not_exists",
    "attribute_type",
    "begins_with",
    "contains",
    "size",
    "if_not_exists",
    "list_append",
];

/// The names and values of all expressions of one request.
#[derive(Debug, Default)]
pub struct Placeholders {
    names: Vec<String>,
    values: Vec<Value>,
}

/// What was read last, which decides what `[` and `-` mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Last {
    /// A path: `[` begins an index, `-` subtracts.
    Path,
    /// A dot: a name follows, even one that looks like a value.
    Dot,
    /// A value or a closing bracket: `-` subtracts.
    Operand,
    /// Nothing, an operator or a keyword: a value may follow.
    Operator,
}

impl Placeholders {
    /// Returns an expression with placeholders.
    pub fn expression(&mut self, text: &str) -> Result<String, LiteralFault> {
        self.rewrite(text, false)
    }

    /// Returns the actions of an ADD or DELETE clause, `path value, ...`, with placeholders: here a
    /// value follows a path without an operator.
    pub fn pairs(&mut self, text: &str) -> Result<String, LiteralFault> {
        self.rewrite(text, true)
    }

    /// Adds the names and values to a request.
    pub fn add_to(self, request: &mut Map<String, Value>) {
        let numbered = |prefix: &str, values: Vec<Value>| -> Value {
            let named = |(nth, value)| (format!("{prefix}{nth}"), value);
            Value::Object(values.into_iter().enumerate().map(named).collect())
        };
        if !self.names.is_empty() {
            let names = self.names.into_iter().map(Value::from).collect();
            request.insert("ExpressionAttributeNames".into(), numbered("#n", names));
        }
        if !self.values.is_empty() {
            request.insert("ExpressionAttributeValues".into(), numbered(":v", self.values));
        }
    }

    fn rewrite(&mut self, text: &str, pairs: bool) -> Result<String, LiteralFault> {
        let mut reader = Reader::new(text);
        let mut out = String::new();
        let mut last = Last::Operator;
        while let Some(next) = reader.peek() {
            last = match next {
                _ if next.is_whitespace() => {
                    out.push_str(reader.take_while(char::is_whitespace));
                    last
                }
                '`' => self.name(&mut out, &reader.enclosed('`')?),
                '[' if last == Last::Path => index(&mut reader, &mut out)?,
                '-' if follows_operand(last, pairs) => operator(&mut reader, &mut out),
                _ if begins_value(&reader, last) => {
                    let value = reader.value(0)?;
                    self.value(&mut out, value)
                }
                _ if is_word(next) => self.word(&mut reader, &mut out, last),
                '.' => {
                    out.push('.');
                    reader.skip(".");
                    Last::Dot
                }
                '=' | '<' | '>' | '(' | ')' | ',' | '+' => operator(&mut reader, &mut out),
                ':' | '#' => return Err(reader.fault("the value or name itself")),
                _ => return Err(reader.fault("an expression")),
            };
        }
        Ok(out)
    }

    fn word(&mut self, reader: &mut Reader<'_>, out: &mut String, last: Last) -> Last {
        let word = reader.take_while(is_word);
        let capitals = word.to_ascii_uppercase();
        if last == Last::Dot {
            return self.name(out, word);
        }
        if KEYWORDS.contains(&capitals.as_str()) {
            out.push_str(&capitals);
            return Last::Operator;
        }
        if FUNCTIONS.contains(&word) && reader.rest().trim_start().starts_with('(') {
            out.push_str(word);
            return Last::Operator;
        }
        self.name(out, word)
    }

    fn name(&mut self, out: &mut String, name: &str) -> Last {
        let known = self.names.iter().position(|known| known == name);
        let nth = known.unwrap_or_else(|| {
            self.names.push(name.to_owned());
            self.names.len() - 1
        });
        out.extend(["#n", &nth.to_string()]);
        Last::Path
    }

    fn value(&mut self, out: &mut String, value: Value) -> Last {
        out.extend([":v", &self.values.len().to_string()]);
        self.values.push(value);
        Last::Operand
    }
}

/// Returns true if a minus sign is subtraction here.
fn follows_operand(last: Last, pairs: bool) -> bool {
    match last {
        Last::Path => !pairs,
        Last::Operand => true,
        Last::Dot | Last::Operator => false,
    }
}

/// Returns true if what comes next is a value and not a name or an operator.
fn begins_value(reader: &Reader<'_>, last: Last) -> bool {
    let rest = reader.rest();
    let word = &rest[..rest.find(|character| !is_word(character)).unwrap_or(rest.len())];
    match rest.as_bytes().first() {
        _ if last == Last::Dot => false,
        Some(b'"' | b'\'' | b'{' | b'[' | b'-' | b'0'..=b'9') => true,
        Some(b'<') => rest.starts_with("<<"),
        _ => matches!(word, "true" | "false" | "null") || rest.starts_with("b\""),
    }
}

/// Copies `[0]`.
fn index(reader: &mut Reader<'_>, out: &mut String) -> Result<Last, LiteralFault> {
    reader.skip("[");
    reader.skip_space();
    let digits = reader.take_while(|character| character.is_ascii_digit());
    if digits.is_empty() {
        return Err(reader.fault("the position of an element"));
    }
    reader.skip_space();
    if !reader.skip("]") {
        return Err(reader.fault("`]`"));
    }
    out.extend(["[", digits, "]"]);
    Ok(Last::Path)
}

/// Copies one character of an operator.
fn operator(reader: &mut Reader<'_>, out: &mut String) -> Last {
    let Some(character) = reader.peek() else { return Last::Operator };
    reader.skip(character.encode_utf8(&mut [0; 4]));
    out.push(character);
    if character == ')' { Last::Operand } else { Last::Operator }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rewritten(text: &str, pairs: bool) -> (String, String) {
        let mut placeholders = Placeholders::default();
        let out = placeholders.rewrite(text, pairs).unwrap_or_else(|fault| fault.to_string());
        let mut request = Map::new();
        placeholders.add_to(&mut request);
        (out, Value::Object(request).to_string())
    }

    #[test]
    fn names_and_values_become_placeholders() {
        let names = |names: &str| format!("{{\"ExpressionAttributeNames\":{{{names}}}");
        let cases = [
            (
                r#"country = "NL" and begins_with(sk, '07#')"#,
                "#n0 = :v0 AND begins_with(#n1, :v1)",
                format!(
                    "{},\"ExpressionAttributeValues\":{{\":v0\":{{\"S\":\"NL\"}},\":v1\":{{\"S\":\"07#\"}}}}}}",
                    names(r##""#n0":"country","#n1":"sk""##)
                ),
            ),
            (
                "a.b[0].true = true OR not a.in >= -1.5",
                "#n0.#n1[0].#n2 = :v0 OR NOT #n0.#n3 >= :v1",
                format!(
                    "{},\"ExpressionAttributeValues\":{{\":v0\":{{\"BOOL\":true}},\":v1\":{{\"N\":\"-1.5\"}}}}}}",
                    names(r##""#n0":"a","#n1":"b","#n2":"true","#n3":"in""##)
                ),
            ),
            (
                "n = n - 1, l = list_append(l, [1, {x: null}]), m=if_not_exists(m,<<'a'>>)-2",
                "#n0 = #n0 - :v0, #n1 = list_append(#n1, :v1), #n2=if_not_exists(#n2,:v2)-:v3",
                format!(
                    "{},\"ExpressionAttributeValues\":{{\":v0\":{{\"N\":\"1\"}},\":v1\":{{\"L\":[{{\"N\":\"1\"}},{{\"M\":{{\"x\":{{\"NULL\":true}}}}}}]}},\":v2\":{{\"SS\":[\"a\"]}},\":v3\":{{\"N\":\"2\"}}}}}}",
                    names(r##""#n0":"n","#n1":"l","#n2":"m""##)
                ),
            ),
            (
                "`first name`.size, size, größe",
                "#n0.#n1, #n1, #n2",
                names(r##""#n0":"first name","#n1":"size","#n2":"größe""##) + "}",
            ),
            (
                "x between 1 and 2 and y in (1,b\"AQ==\")",
                "#n0 BETWEEN :v0 AND :v1 AND #n1 IN (:v2,:v3)",
                format!(
                    "{},\"ExpressionAttributeValues\":{{\":v0\":{{\"N\":\"1\"}},\":v1\":{{\"N\":\"2\"}},\":v2\":{{\"N\":\"1\"}},\":v3\":{{\"B\":\"AQ==\"}}}}}}",
                    names(r##""#n0":"x","#n1":"y""##)
                ),
            ),
            ("", "", "{}".to_owned()),
        ];
        for (text, expected, members) in cases {
            assert_eq!(rewritten(text, false), (expected.to_owned(), members), "{text}");
        }
    }

    #[test]
    fn in_pairs_a_minus_sign_after_a_path_belongs_to_the_value() {
        assert_eq!(rewritten("n -1, tags <<'x'>>", true).0, "#n0 :v0, #n1 :v1");
    }

    #[test]
    fn what_is_no_expression_is_a_fault_with_its_place() {
        let cases = [
            ("a = :v", "expected the value or name itself at character 5, not ':'"),
            ("#a = 1", "expected the value or name itself at character 1, not '#'"),
            ("a = 1;", "expected an expression at character 6, not ';'"),
            ("a[x] = 1", "expected the position of an element at character 3, not 'x'"),
            ("a[1", "expected `]` at character 4, not the end"),
            ("a = \"x", "expected the closing quote at character 7, not the end"),
            ("`a", "expected the closing quote at character 3, not the end"),
            ("a = {", "expected an attribute name at character 6, not the end"),
        ];
        for (text, expected) in cases {
            assert_eq!(rewritten(text, false).0, expected, "{text}");
        }
    }
}
