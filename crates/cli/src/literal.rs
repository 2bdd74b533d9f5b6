//! Values as people write them, read into DynamoDB's JSON.
//!
//! | written | type |
//! |---|---|
//! | `"text"`, `'text'` | S; escapes as in JSON in the first form, `''` for `'` in the second |
//! | `12`, `-1.5e3` | N, digit by digit |
//! | `b"aGk="` | B, in base64 |
//! | `true`, `false` | BOOL |
//! | `null` | NULL |
//! | `[1, "a"]` | L |
//! | `{"a": 1, b: 2}` | M |
//! | `<<"a", "b">>`, `<<1, 2>>`, `<<b"aGk=">>` | SS, NS, BS |
//!
//! Every JSON text is such a value. Ranges and lengths are left to the database.
//!
//! Invariant: the position only grows and stands on character boundaries; nesting is bounded.

use serde_json::{Map, Value, json};
use std::fmt;

/// Most values inside each other. Source: DynamoDB allows 32 levels.
const DEPTH_MAX: usize = 40;

/// A text is no value; says what is wrong and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiteralFault {
    /// What was expected.
    pub expected: &'static str,
    /// What stands there.
    pub found: String,
    /// Characters before it.
    pub offset: usize,
}

impl fmt::Display for LiteralFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { expected, found, offset } = self;
        write!(formatter, "expected {expected} at character {}, not {found}", offset + 1)
    }
}

impl std::error::Error for LiteralFault {}

/// Returns the item that a text like `{"pk": "a", "n": 1}` stands for.
pub fn item(text: &str) -> Result<Map<String, Value>, LiteralFault> {
    let mut reader = Reader::new(text);
    reader.skip_space();
    let item = reader.map(0)?;
    reader.skip_space();
    if reader.rest().is_empty() { Ok(item) } else { Err(reader.fault("nothing more")) }
}

/// Reads values from a text.
#[derive(Debug)]
pub struct Reader<'a> {
    text: &'a str,
    position: usize,
}

impl<'a> Reader<'a> {
    /// Starts at the beginning.
    pub fn new(text: &'a str) -> Self {
        Self { text, position: 0 }
    }

    /// Returns what has not been read.
    pub fn rest(&self) -> &'a str {
        &self.text[self.position..]
    }

    /// Returns the next character.
    pub fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Skips a text if it comes next.
    pub fn skip(&mut self, expected: &str) -> bool {
        let found = self.rest().starts_with(expected);
        if found {
            self.position += expected.len();
        }
        found
    }

    /// Skips white space.
    pub fn skip_space(&mut self) {
        self.take_while(char::is_whitespace);
    }

    /// Returns the longest text of such characters.
    pub fn take_while(&mut self, belongs: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|character| !belongs(character)).unwrap_or(rest.len());
        self.position += end;
        &rest[..end]
    }

    /// Returns the fault that something else stands here.
    pub fn fault(&self, expected: &'static str) -> LiteralFault {
        let found = match self.peek() {
            Some(character) => format!("{character:?}"),
            None => "the end".to_owned(),
        };
        LiteralFault { expected, found, offset: self.text[..self.position].chars().count() }
    }

    /// Reads a value that begins here, in DynamoDB's JSON.
    pub fn value(&mut self, depth: usize) -> Result<Value, LiteralFault> {
        if depth > DEPTH_MAX {
            return Err(self.fault("fewer values inside each other"));
        }
        match self.peek() {
            Some('"') => Ok(json!({"S": self.quoted()?})),
            Some('\'') => Ok(json!({"S": self.enclosed('\'')?})),
            Some('-' | '0'..='9') => Ok(json!({"N": self.number()?})),
            Some('[') => Ok(json!({"L": self.list(depth)?})),
            Some('{') => Ok(json!({"M": self.map(depth)?})),
            Some('b') if self.rest().starts_with("b\"") => {
                self.skip("b");
                Ok(json!({"B": self.quoted()?}))
            }
            _ if self.skip("<<") => self.set(depth),
            _ => self.word(),
        }
    }

    /// Reads text between `quote`s; two of them stand for one.
    pub fn enclosed(&mut self, quote: char) -> Result<String, LiteralFault> {
        let quote = quote.to_string();
        let mut text = String::new();
        self.skip(&quote);
        loop {
            text.push_str(self.take_while(|character| !quote.starts_with(character)));
            if !self.skip(&quote) {
                return Err(self.fault("the closing quote"));
            }
            if !self.skip(&quote) {
                return Ok(text);
            }
            text.push_str(&quote);
        }
    }

    fn word(&mut self) -> Result<Value, LiteralFault> {
        let known = [
            ("true", json!({"BOOL": true})),
            ("false", json!({"BOOL": false})),
            ("null", json!({"NULL": true})),
        ];
        let found = known.into_iter().find(|(word, _)| {
            let after = self.rest().strip_prefix(word);
            after.is_some_and(|after| !after.starts_with(is_word))
        });
        let Some((word, value)) = found else { return Err(self.fault("a value")) };
        self.skip(word);
        Ok(value)
    }

    /// Reads a text in double quotes with JSON's escapes.
    fn quoted(&mut self) -> Result<String, LiteralFault> {
        let rest = self.rest();
        let mut escaped = false;
        let end = rest.char_indices().skip(1).find(|&(_, character)| {
            let closes = character == '"' && !escaped;
            escaped = character == '\\' && !escaped;
            closes
        });
        let Some((end, _)) = end else {
            self.position = self.text.len();
            return Err(self.fault("the closing quote"));
        };
        // JSON wants control characters escaped; a shell passes them as they are.
        let literal = rest[..=end].replace('\n', "\\n").replace('\t', "\\t");
        let text = serde_json::from_str(&literal)
            .map_err(|_| self.fault("text with escapes as in JSON"))?;
        self.position += end + 1;
        Ok(text)
    }

    fn number(&mut self) -> Result<&'a str, LiteralFault> {
        let before = self.rest();
        self.skip("-");
        self.digits()?;
        if self.skip(".") {
            self.digits()?;
        }
        if self.skip("e") || self.skip("E") {
            let _sign = self.skip("-") || self.skip("+");
            self.digits()?;
        }
        Ok(&before[..before.len() - self.rest().len()])
    }

    fn digits(&mut self) -> Result<(), LiteralFault> {
        match self.take_while(|character| character.is_ascii_digit()) {
            "" => Err(self.fault("a digit")),
            _ => Ok(()),
        }
    }

    fn list(&mut self, depth: usize) -> Result<Vec<Value>, LiteralFault> {
        self.skip("[");
        self.elements("]", "`,` or `]`", |reader| reader.value(depth + 1))
    }

    fn map(&mut self, depth: usize) -> Result<Map<String, Value>, LiteralFault> {
        if !self.skip("{") {
            return Err(self.fault("`{`"));
        }
        let members = self.elements("}", "`,` or `}`", |reader| {
            let name = match reader.peek() {
                Some('"') => reader.quoted()?,
                Some('\'') => reader.enclosed('\'')?,
                Some(first) if is_word(first) => reader.take_while(is_word).to_owned(),
                _ => return Err(reader.fault("an attribute name")),
            };
            reader.skip_space();
            if !reader.skip(":") {
                return Err(reader.fault("`:`"));
            }
            reader.skip_space();
            Ok((name, reader.value(depth + 1)?))
        })?;
        Ok(members.into_iter().collect())
    }

    fn set(&mut self, depth: usize) -> Result<Value, LiteralFault> {
        let elements = self.elements(">>", "`,` or `>>`", |reader| {
            let fault = reader.fault("texts, numbers or binary values of one type in a set");
            match reader.value(depth + 1)? {
                Value::Object(typed) => typed.into_iter().next().ok_or(fault),
                _ => Err(fault),
            }
        })?;
        let tag = match elements.first().map(|(tag, _)| tag.as_str()) {
            Some("S") => "SS",
            Some("N") => "NS",
            Some("B") => "BS",
            _ => return Err(self.fault("texts, numbers or binary values in a set")),
        };
        if elements.iter().any(|(own, _)| own != &tag[..1]) {
            return Err(self.fault("elements of one type in a set"));
        }
        let elements: Vec<Value> = elements.into_iter().map(|(_, value)| value).collect();
        Ok(json!({tag: elements}))
    }

    /// Reads what stands between commas up to the closing bracket.
    fn elements<T>(
        &mut self,
        close: &str,
        expected: &'static str,
        read: impl Fn(&mut Self) -> Result<T, LiteralFault>,
    ) -> Result<Vec<T>, LiteralFault> {
        let mut elements = Vec::new();
        self.skip_space();
        if self.skip(close) {
            return Ok(elements);
        }
        loop {
            self.skip_space();
            elements.push(read(self)?);
            self.skip_space();
            if self.skip(close) {
                return Ok(elements);
            }
            if !self.skip(",") {
                return Err(self.fault(expected));
            }
        }
    }
}

/// Returns true for the characters of names and keywords.
pub fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_read() {
        let cases = [
            ("{}", json!({})),
            (r#" { "a" : "x\n\u00e9" } "#, json!({"a": {"S": "x\né"}})),
            ("{a: 'it''s'}", json!({"a": {"S": "it's"}})),
            ("{a: \"two\nlines\"}", json!({"a": {"S": "two\nlines"}})),
            (
                "{a:-0012345678901234567890123456789012345678.50e+10}",
                json!({"a": {"N": "-0012345678901234567890123456789012345678.50e+10"}}),
            ),
            (r#"{a:b"AQI="}"#, json!({"a": {"B": "AQI="}})),
            (
                "{a:true,b:false,c:null}",
                json!({"a": {"BOOL": true}, "b": {"BOOL": false}, "c": {"NULL": true}}),
            ),
            (
                r#"{"a":[1,"b",[],{"c":{}}]}"#,
                json!({"a": {"L": [{"N": "1"}, {"S": "b"}, {"L": []}, {"M": {"c": {"M": {}}}}]}}),
            ),
            ("{a:<<1, 2>>}", json!({"a": {"NS": ["1", "2"]}})),
            ("{a:<< 'x' >>}", json!({"a": {"SS": ["x"]}})),
            (r#"{a:<<b"AQ==">>}"#, json!({"a": {"BS": ["AQ=="]}})),
        ];
        for (text, expected) in cases {
            assert_eq!(item(text).map(Value::Object), Ok(expected), "{text}");
        }
    }

    #[test]
    fn other_texts_are_faults_with_their_place() {
        let cases = [
            ("", "expected `{` at character 1, not the end"),
            ("[1]", "expected `{` at character 1, not '['"),
            ("{} x", "expected nothing more at character 4, not 'x'"),
            ("{é: }", "expected a value at character 5, not '}'"),
            ("{a 1}", "expected `:` at character 4, not '1'"),
            ("{a: 1 b: 2}", "expected `,` or `}` at character 7, not 'b'"),
            ("{a: tru}", "expected a value at character 5, not 't'"),
            ("{a: truest}", "expected a value at character 5, not 't'"),
            ("{a: -}", "expected a digit at character 6, not '}'"),
            ("{a: 1.}", "expected a digit at character 7, not '}'"),
            ("{a: \"x", "expected the closing quote at character 7, not the end"),
            ("{a: 'x", "expected the closing quote at character 7, not the end"),
            (r#"{a: "\x"}"#, "expected text with escapes as in JSON at character 5, not '\"'"),
            (
                "{a: <<>>}",
                "expected texts, numbers or binary values in a set at character 9, not '}'",
            ),
            ("{a: <<1, 'x'>>}", "expected elements of one type in a set at character 15, not '}'"),
            (
                "{a: <<[1]>>}",
                "expected texts, numbers or binary values in a set at character 12, not '}'",
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(item(text).unwrap_err().to_string(), expected, "{text}");
        }
    }

    #[test]
    fn nesting_is_bounded() {
        let deep = format!("{{a:{}", "[".repeat(100_000));
        assert_eq!(item(&deep).unwrap_err().expected, "fewer values inside each other");
    }
}
