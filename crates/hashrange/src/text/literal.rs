//! Values as people write them.
//!
//! | written | type |
//! |---|---|
//! | `"text"`, `'text'` | S; escapes as in JSON in the first form, `''` for `'` in the second |
//! | `12`, `-1.5e3` | N, exact |
//! | `b"aGk="` | B, in base64 |
//! | `true`, `false` | BOOL |
//! | `null` | NULL |
//! | `[1, "a"]` | L |
//! | `{"a": 1, b: 2}` | M; of several members of one name the last counts |
//! | `<<"a", "b">>`, `<<1, 2>>`, `<<b"aGk=">>` | SS, NS, BS |
//!
//! Every JSON text is such a value. Lengths are left to the database.
//!
//! Invariant: the position only grows and stands on character boundaries; nesting is bounded.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hashrange_model::{AttributeType, AttributeValue, Item, Number};
use std::collections::BTreeMap;
use std::fmt;

/// Most values inside each other. Source: DynamoDB allows 32 levels.
const DEPTH_MAX: usize = 40;
/// Most values in one text: each takes a byte at least of the largest item, which has 400 KB.
const VALUES_MAX: usize = 400 * 1024;
/// Range of a number, for the text of an error. Source: DynamoDB quotas, number range and
/// precision.
const NUMBER: &str = "zero or a number of up to 38 digits from 1E-130 to 9.9E+125";

/// Fault of a text that is no value or no expression: the expected token and the position.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TextFault {
    /// Expected token.
    pub expected: &'static str,
    /// Text at the position.
    pub found: String,
    /// Characters before the position.
    pub offset: usize,
}

impl fmt::Display for TextFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { expected, found, offset } = self;
        write!(formatter, "expected {expected} at character {}, not {found}", offset + 1)
    }
}

impl std::error::Error for TextFault {}

/// Returns the item that a text like `{"pk": "a", "n": 1}` stands for.
///
/// ```
/// use hashrange::{AttributeValue, item, text};
/// let item = text::parse_item("{pk: 'a', price: 1.50, tags: <<'x', 'y'>>}")?;
/// let tags = AttributeValue::string_set(["x", "y"]);
/// assert_eq!(item, item! { "pk": "a", "price": 1.5, "tags": tags });
/// # Ok::<(), hashrange::Error>(())
/// ```
///
/// # Errors
/// The text is no item; the fault names the expected token and the position.
pub fn parse_item(text: &str) -> Result<Item, TextFault> {
    let attributes = whole(text, |reader| reader.map(0))?;
    let entries = attributes.iter().map(|(name, value)| (name.as_str(), value.clone()));
    Ok(Item::from_attributes(entries))
}

/// Returns the attribute value that a text like `[1, "a"]` stands for.
///
/// # Errors
/// The text is no value; the fault names the expected token and the position.
pub fn parse_value(text: &str) -> Result<AttributeValue, TextFault> {
    whole(text, |reader| reader.value(0))
}

/// Reads a whole text, but for outer white space.
fn whole<T>(
    text: &str,
    read: impl FnOnce(&mut Reader<'_>) -> Result<T, TextFault>,
) -> Result<T, TextFault> {
    let mut reader = Reader::new(text);
    reader.skip_space();
    let found = read(&mut reader)?;
    reader.skip_space();
    if reader.rest().is_empty() { Ok(found) } else { Err(reader.fault("nothing more")) }
}

/// Reads values from a text.
#[derive(Debug)]
pub(super) struct Reader<'a> {
    text: &'a str,
    position: usize,
    /// Values read so far.
    values: usize,
}

impl<'a> Reader<'a> {
    /// Starts at the beginning.
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, position: 0, values: 0 }
    }

    /// Returns the unread rest.
    pub(super) fn rest(&self) -> &'a str {
        &self.text[self.position..]
    }

    /// Returns the next character.
    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Skips a text if it comes next.
    pub(super) fn skip(&mut self, expected: &str) -> bool {
        let found = self.rest().starts_with(expected);
        if found {
            self.position += expected.len();
        }
        found
    }

    /// Skips white space.
    pub(super) fn skip_space(&mut self) {
        self.take_while(char::is_whitespace);
    }

    /// Takes the leading characters that belong.
    pub(super) fn take_while(&mut self, belongs: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|character| !belongs(character)).unwrap_or(rest.len());
        self.position += end;
        &rest[..end]
    }

    /// Returns the fault that `expected` does not stand here.
    pub(super) fn fault(&self, expected: &'static str) -> TextFault {
        self.fault_at(self.position, expected)
    }

    /// Returns the fault that `expected` does not stand at a position. Counts characters from the
    /// start, so callers ask for it only when there is a fault.
    fn fault_at(&self, position: usize, expected: &'static str) -> TextFault {
        let found = match self.text[position..].chars().next() {
            Some(character) => format!("{character:?}"),
            None => "the end".to_owned(),
        };
        TextFault { expected, found, offset: self.text[..position].chars().count() }
    }

    /// Reads a value that begins here.
    pub(super) fn value(&mut self, depth: usize) -> Result<AttributeValue, TextFault> {
        if depth > DEPTH_MAX {
            return Err(self.fault("fewer values inside each other"));
        }
        self.values += 1;
        if self.values > VALUES_MAX {
            return Err(self.fault("fewer values than the largest item has bytes"));
        }
        match self.peek() {
            Some('"') => Ok(AttributeValue::S(self.quoted()?)),
            Some('\'') => Ok(AttributeValue::S(self.enclosed('\'')?)),
            Some('-' | '0'..='9') => Ok(AttributeValue::N(self.number()?)),
            Some('[') => Ok(AttributeValue::L(self.list(depth)?)),
            Some('{') => Ok(AttributeValue::M(self.map(depth)?)),
            Some('b') if self.rest().starts_with("b\"") => self.binary(),
            _ if self.skip("<<") => self.set(depth),
            _ => self.word(),
        }
    }

    /// Reads text between `quote`s; two of them stand for one.
    pub(super) fn enclosed(&mut self, quote: char) -> Result<String, TextFault> {
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

    /// Reads base64 in double quotes after a `b`.
    fn binary(&mut self) -> Result<AttributeValue, TextFault> {
        let start = self.position;
        self.skip("b");
        let bytes = STANDARD.decode(self.quoted()?);
        let bytes = bytes.map_err(|_| self.fault_at(start, "base64 in quotes after b"))?;
        Ok(AttributeValue::B(bytes.into()))
    }

    fn word(&mut self) -> Result<AttributeValue, TextFault> {
        let known = [
            ("true", AttributeValue::Bool(true)),
            ("false", AttributeValue::Bool(false)),
            ("null", AttributeValue::Null),
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
    fn quoted(&mut self) -> Result<String, TextFault> {
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

    fn number(&mut self) -> Result<Number, TextFault> {
        let (start, before) = (self.position, self.rest());
        self.skip("-");
        self.digits()?;
        if self.skip(".") {
            self.digits()?;
        }
        if self.skip("e") || self.skip("E") {
            let _sign = self.skip("-") || self.skip("+");
            self.digits()?;
        }
        let text = &before[..before.len() - self.rest().len()];
        Number::parse(text).map_err(|_| self.fault_at(start, NUMBER))
    }

    fn digits(&mut self) -> Result<(), TextFault> {
        match self.take_while(|character| character.is_ascii_digit()) {
            "" => Err(self.fault("a digit")),
            _ => Ok(()),
        }
    }

    fn list(&mut self, depth: usize) -> Result<Vec<AttributeValue>, TextFault> {
        self.skip("[");
        self.elements("]", "`,` or `]`", |reader| reader.value(depth + 1))
    }

    fn map(&mut self, depth: usize) -> Result<BTreeMap<String, AttributeValue>, TextFault> {
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

    fn set(&mut self, depth: usize) -> Result<AttributeValue, TextFault> {
        let elements = self.elements(">>", "`,` or `>>`", |reader| reader.value(depth + 1))?;
        let Some(first) = elements.first() else {
            return Err(self.fault("texts, numbers or binary values in a set"));
        };
        let (count, element_type) = (elements.len(), first.attribute_type());
        if !element_type.is_scalar_key() {
            return Err(self.fault("texts, numbers or binary values in a set"));
        }
        if elements.iter().any(|element| element.attribute_type() != element_type) {
            return Err(self.fault("elements of one type in a set"));
        }
        let (set, distinct) = set_of(element_type, elements);
        if distinct == count { Ok(set) } else { Err(self.fault("no element twice in a set")) }
    }

    /// Reads elements between commas up to the closing bracket.
    fn elements<T>(
        &mut self,
        close: &str,
        expected: &'static str,
        read: impl Fn(&mut Self) -> Result<T, TextFault>,
    ) -> Result<Vec<T>, TextFault> {
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

/// Returns the set of elements that have one type, and how many different ones it has.
fn set_of(element_type: AttributeType, elements: Vec<AttributeValue>) -> (AttributeValue, usize) {
    let (mut texts, mut numbers, mut binaries) = (Vec::new(), Vec::new(), Vec::new());
    for element in elements {
        match element {
            AttributeValue::S(text) => texts.push(text),
            AttributeValue::N(number) => numbers.push(number),
            AttributeValue::B(bytes) => binaries.push(bytes),
            _ => {}
        }
    }
    let set = match element_type {
        AttributeType::S => AttributeValue::string_set(texts),
        AttributeType::N => AttributeValue::number_set(numbers),
        _ => AttributeValue::binary_set(binaries),
    };
    let distinct = match &set {
        AttributeValue::Ss(members) => members.len(),
        AttributeValue::Ns(members) => members.len(),
        AttributeValue::Bs(members) => members.len(),
        _ => 0,
    };
    (set, distinct)
}

/// Returns true for the characters of names and keywords.
pub(super) fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::item;
    use bytes::Bytes;

    #[test]
    fn items_are_read() {
        let number = |text: &str| AttributeValue::N(Number::parse(text).unwrap());
        let map = AttributeValue::map([("c", AttributeValue::M(BTreeMap::new()))]);
        let list = [1.into(), "b".into(), AttributeValue::list([]), map];
        let cases = [
            ("{}", item! {}),
            (r#" { "a" : "x\n\u00e9" } "#, item! { "a": "x\né" }),
            ("{a: 'it''s'}", item! { "a": "it's" }),
            ("{a: \"two\nlines\"}", item! { "a": "two\nlines" }),
            (
                "{a:-001234567890123456789012345678901234567.50e+10}",
                item! { "a": number("-12345678901234567890123456789012345675e9") },
            ),
            (r#"{a:b"AQI="}"#, item! { "a": Bytes::from_static(&[1, 2]) }),
            ("{a:true,b:false,c:null}", item! { "a": true, "b": false, "c": AttributeValue::Null }),
            (r#"{"a":[1,"b",[],{"c":{}}]}"#, item! { "a": AttributeValue::list(list) }),
            ("{a:<<2, 1>>}", item! { "a": AttributeValue::number_set([1, 2]) }),
            ("{a:<< 'x' >>}", item! { "a": AttributeValue::string_set(["x"]) }),
            (r#"{a:<<b"AQ==">>}"#, item! { "a": AttributeValue::binary_set([vec![1]]) }),
            ("{a: 1, a: 2}", item! { "a": 2 }),
        ];
        for (text, expected) in cases {
            assert_eq!(parse_item(text), Ok(expected), "{text}");
        }
        assert_eq!(parse_value(" 'x' "), Ok("x".into()));
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
            ("{a: <<1, 2, 1.0>>}", "expected no element twice in a set at character 18, not '}'"),
            (
                "{a: 1e126}",
                "expected zero or a number of up to 38 digits from 1E-130 to 9.9E+125 at character 5, not '1'",
            ),
            (r#"{a: b"x"}"#, "expected base64 in quotes after b at character 5, not 'b'"),
            ("{a: <<1, 'x'>>}", "expected elements of one type in a set at character 15, not '}'"),
            (
                "{a: <<[1]>>}",
                "expected texts, numbers or binary values in a set at character 12, not '}'",
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(parse_item(text).unwrap_err().to_string(), expected, "{text}");
        }
    }

    #[test]
    fn nesting_is_bounded() {
        let deep = format!("{{a:{}", "[".repeat(100_000));
        assert_eq!(parse_item(&deep).unwrap_err().expected, "fewer values inside each other");
    }

    #[test]
    fn the_number_of_values_is_bounded_and_each_is_read_once() {
        let many = |count: usize| format!("{{a:[{}]}}", vec!["1"; count].join(","));
        assert!(parse_item(&many(VALUES_MAX - 1)).is_ok());
        let fault = parse_item(&many(VALUES_MAX)).unwrap_err();
        assert_eq!(fault.expected, "fewer values than the largest item has bytes");
    }
}
