//! YAML into JSON values, with CloudFormation's short tags in their long form: `!Ref X` becomes
//! `{"Ref": "X"}`, `!GetAtt A.B` becomes `{"Fn::GetAtt": ["A", "B"]}`.
//!
//! The reader bounds nesting, the number of values, and the bytes that aliases repeat. It keeps a
//! value for its anchor only where an alias names it, and counts its bytes as for each alias.

use anyhow::{Context, bail};
use saphyr_parser::{Event, Parser, ScalarStyle, Tag};
use serde_json::{Map, Number, Value};
use std::collections::{BTreeMap, BTreeSet};

const DEPTH_MAX: usize = 100;
const VALUES_MAX: usize = 1_000_000;
/// Most bytes of memory that copies of values take, about.
const COPIED_MAX_BYTES: usize = 64 << 20;

/// A value whose parts are being read.
#[derive(Debug)]
struct Open {
    anchor: usize,
    tag: Option<String>,
    parts: Parts,
}

#[derive(Debug)]
enum Parts {
    Sequence(Vec<Value>),
    Mapping { entries: Map<String, Value>, key: Option<String> },
}

/// The part of a document that has been read.
#[derive(Debug, Default)]
struct Document {
    open: Vec<Open>,
    /// The anchors that aliases name.
    named: BTreeSet<usize>,
    anchors: BTreeMap<usize, Value>,
    values: usize,
    copied_bytes: usize,
    root: Option<Value>,
}

/// Reads a text with one document.
pub fn read(text: &str) -> anyhow::Result<Value> {
    let mut document = Document { named: named_anchors(text), ..Document::default() };
    let mut documents = 0;
    let mut parser = Parser::new_from_str(text);
    while let Some(event) = parser.next_event() {
        let (event, span) = event.map_err(|error| anyhow::anyhow!("{error}"))?;
        if matches!(event, Event::DocumentStart(_)) {
            documents += 1;
            if documents > 1 {
                bail!("line {}: a second document begins", span.start.line());
            }
        }
        document.take(event).with_context(|| format!("line {}", span.start.line()))?;
    }
    document.root.context("there is nothing in it")
}

/// Returns the anchors that aliases name; the reader reports faults of the text later.
fn named_anchors(text: &str) -> BTreeSet<usize> {
    let mut parser = Parser::new_from_str(text);
    let events = std::iter::from_fn(|| parser.next_event()?.ok());
    let named = events.filter_map(|(event, _)| match event {
        Event::Alias(anchor) => Some(anchor),
        _ => None,
    });
    named.collect()
}

impl Document {
    fn take(&mut self, event: Event<'_>) -> anyhow::Result<()> {
        match event {
            Event::Nothing
            | Event::StreamStart
            | Event::StreamEnd
            | Event::DocumentStart(_)
            | Event::DocumentEnd => Ok(()),
            Event::Alias(anchor) => {
                let value = self.anchors.get(&anchor).context("an alias of nothing")?;
                let size = Size::of(value);
                if self.open.len() + size.depth > DEPTH_MAX {
                    bail!("values are nested more than {DEPTH_MAX} deep");
                }
                self.values += size.values;
                copy(&mut self.copied_bytes, size)?;
                let value = value.clone();
                self.put(0, value)
            }
            Event::Scalar(text, style, anchor, tag) => {
                if self.awaits_key() && tag.is_none() {
                    return self.put(anchor, Value::String(text.into_owned()));
                }
                self.put(anchor, scalar(&text, style, tag.as_deref())?)
            }
            Event::SequenceStart(anchor, tag) => {
                self.begin(anchor, tag.as_deref(), Parts::Sequence(Vec::new()))
            }
            Event::MappingStart(anchor, tag) => self.begin(
                anchor,
                tag.as_deref(),
                Parts::Mapping { entries: Map::new(), key: None },
            ),
            Event::SequenceEnd | Event::MappingEnd => {
                let Open { anchor, tag, parts } = self.open.pop().context("an end of nothing")?;
                let value = match parts {
                    Parts::Sequence(values) => Value::Array(values),
                    Parts::Mapping { entries, .. } => Value::Object(entries),
                };
                self.put(anchor, tagged(tag.as_deref(), value)?)
            }
        }
    }

    fn begin(&mut self, anchor: usize, tag: Option<&Tag>, parts: Parts) -> anyhow::Result<()> {
        if self.open.len() >= DEPTH_MAX {
            bail!("values are nested more than {DEPTH_MAX} deep");
        }
        self.open.push(Open { anchor, tag: own_tag(tag), parts });
        Ok(())
    }

    fn awaits_key(&self) -> bool {
        let innermost = self.open.last().map(|open| &open.parts);
        matches!(innermost, Some(Parts::Mapping { key: None, .. }))
    }

    fn put(&mut self, anchor: usize, value: Value) -> anyhow::Result<()> {
        self.values += 1;
        if self.values > VALUES_MAX {
            bail!("more than {VALUES_MAX} values");
        }
        if anchor != 0 && self.named.contains(&anchor) {
            copy(&mut self.copied_bytes, Size::of(&value))?;
            self.anchors.insert(anchor, value.clone());
        }
        match self.open.last_mut().map(|open| &mut open.parts) {
            None => self.root = Some(value),
            Some(Parts::Sequence(values)) => values.push(value),
            Some(Parts::Mapping { entries, key }) => match key.take() {
                Some(key) => insert(entries, key, value)?,
                None => match value {
                    Value::String(text) => *key = Some(text),
                    Value::Number(number) => *key = Some(number.to_string()),
                    Value::Bool(is) => *key = Some(is.to_string()),
                    Value::Null | Value::Array(_) | Value::Object(_) => {
                        bail!("a key that is not text")
                    }
                },
            },
        }
        Ok(())
    }
}

/// Adds an entry; `<<` adds those of another mapping that are not there.
fn insert(entries: &mut Map<String, Value>, key: String, value: Value) -> anyhow::Result<()> {
    match (key.as_str(), value) {
        ("<<", Value::Object(others)) => {
            for (key, value) in others {
                entries.entry(key).or_insert(value);
            }
        }
        (_, value) => {
            if entries.contains_key(&key) {
                bail!("the key {key} stands there twice");
            }
            entries.insert(key, value);
        }
    }
    Ok(())
}

/// Counts copied bytes.
fn copy(copied_bytes: &mut usize, size: Size) -> anyhow::Result<()> {
    *copied_bytes = copied_bytes.saturating_add(size.bytes);
    if *copied_bytes > COPIED_MAX_BYTES {
        bail!("anchors and aliases repeat more than {} MB", COPIED_MAX_BYTES >> 20);
    }
    Ok(())
}

/// The size of a value.
#[derive(Debug, Clone, Copy)]
struct Size {
    values: usize,
    depth: usize,
    /// Bytes of memory, about.
    bytes: usize,
}

impl Size {
    /// Bytes for a value, or for a name of an entry, beside its text.
    const VALUE_BYTES: usize = 64;

    fn of(value: &Value) -> Self {
        let of_text = |text: &str| Self::VALUE_BYTES + text.len();
        let own = Self { values: 1, depth: 0, bytes: Self::VALUE_BYTES };
        match value {
            Value::Array(values) => values.iter().fold(own.deeper(0), Self::with),
            Value::Object(entries) => {
                let names = entries.keys().map(|name| of_text(name)).sum();
                entries.values().fold(own.deeper(names), Self::with)
            }
            Value::String(text) => Self { bytes: of_text(text), ..own },
            Value::Null | Value::Bool(_) | Value::Number(_) => own,
        }
    }

    fn deeper(self, bytes: usize) -> Self {
        Self { depth: 1, bytes: self.bytes + bytes, ..self }
    }

    fn with(self, inner: &Value) -> Self {
        let inner = Self::of(inner);
        Self {
            values: self.values + inner.values,
            depth: self.depth.max(1 + inner.depth),
            bytes: self.bytes + inner.bytes,
        }
    }
}

/// Returns the name of a tag that is not one of YAML's own types.
fn own_tag(tag: Option<&Tag>) -> Option<String> {
    let tag = tag?;
    (!tag.is_yaml_core_schema()).then(|| tag.suffix.clone())
}

/// Returns the value of a scalar. Source: YAML 1.2.2, section 10.3 (core schema); dates stay text.
fn scalar(text: &str, style: ScalarStyle, tag: Option<&Tag>) -> anyhow::Result<Value> {
    let is_text = tag.is_some_and(|tag| tag.is_yaml_core_schema() && tag.suffix == "str");
    if style != ScalarStyle::Plain || is_text {
        return tagged(own_tag(tag).as_deref(), Value::String(text.to_owned()));
    }
    if let Some(name) = own_tag(tag) {
        return tagged(Some(&name), Value::String(text.to_owned()));
    }
    Ok(match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        text => number(text).map_or_else(|| Value::String(text.to_owned()), Value::Number),
    })
}

/// Returns a number, unless digits would be lost: account numbers begin with zeros.
fn number(text: &str) -> Option<Number> {
    let number: Number = serde_json::from_str(text).ok()?;
    (number.to_string() == text).then_some(number)
}

/// Returns a value with a tag in its long form.
fn tagged(tag: Option<&str>, value: Value) -> anyhow::Result<Value> {
    let Some(tag) = tag else { return Ok(value) };
    let (function, value) = match (tag, value) {
        ("", value) => return Ok(value),
        ("Ref", value) => ("Ref".to_owned(), value),
        ("Condition", value) => ("Condition".to_owned(), value),
        ("GetAtt", Value::String(path)) => {
            let (resource, attribute) =
                path.split_once('.').context("!GetAtt is followed by RESOURCE.ATTRIBUTE")?;
            let path = [resource, attribute].map(|part| Value::String(part.to_owned()));
            ("Fn::GetAtt".to_owned(), Value::Array(path.to_vec()))
        }
        (name, value) => (format!("Fn::{name}"), value),
    };
    Ok(Value::Object([(function, value)].into_iter().collect()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn templates_are_read_with_their_short_tags() {
        let text = "Resources:\n  T: # a table\n    Type: 'AWS::DynamoDB::Table'\n    Properties:\n      \
                    TableName: !Sub '${Stage}-orders'\n      Key: !GetAtt K.Arn\n      Units: 5\n      \
                    On: true\n      Account: 000123\n      Names: [!Ref A, \"b\"]\n      Join: !Join ['-', [a, b]]\n      \
                    Long: |\n        two\n        lines\n";
        let expected = json!({"Resources": {"T": {"Type": "AWS::DynamoDB::Table", "Properties": {
            "TableName": {"Fn::Sub": "${Stage}-orders"},
            "Key": {"Fn::GetAtt": ["K", "Arn"]},
            "Units": 5, "On": true, "Account": "000123",
            "Names": [{"Ref": "A"}, "b"],
            "Join": {"Fn::Join": ["-", ["a", "b"]]},
            "Long": "two\nlines\n",
        }}}});
        assert_eq!(read(text).unwrap(), expected);
    }

    #[test]
    fn aliases_repeat_and_merge() {
        let text = "a: &x {n: 1, m: 2}\nb: *x\nc:\n  m: 3\n  <<: *x\n";
        assert_eq!(
            read(text).unwrap(),
            json!({"a": {"n": 1, "m": 2}, "b": {"n": 1, "m": 2}, "c": {"m": 3, "n": 1}})
        );
    }

    #[test]
    fn anchors_that_no_alias_names_are_not_kept() {
        let mut nested = format!("[{}]", vec!["x"; 40_000].join(", "));
        for nth in 0..95 {
            nested = format!("[&a{nth} {nested}]");
        }
        assert_eq!(Size::of(&read(&nested).unwrap()).depth, 96);
    }

    #[test]
    fn what_asks_for_too_much_or_is_wrong_is_refused() {
        let mut laughs = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
        for nth in 1..10 {
            let before = vec![format!("*a{}", nth - 1); 10].join(", ");
            laughs = format!("{laughs}a{nth}: &a{nth} [{before}]\n");
        }
        let mut chain = "a0: &a0 [x]\n".to_owned();
        for nth in 1..5000 {
            chain = format!("{chain}a{nth}: &a{nth} [*a{}]\n", nth - 1);
        }
        // Nested anchors that aliases name, with much in the innermost.
        let mut nested = format!("[{}]", vec!["x"; 40_000].join(", "));
        for nth in 0..95 {
            nested = format!("[&a{nth} {nested}, *a{nth}]");
        }
        let long = format!("a: &a {}\nb: [{}]", "x".repeat(1 << 20), vec!["*a"; 100].join(", "));
        for (text, expected) in [
            (nested, "repeat more than 64 MB"),
            (long, "repeat more than 64 MB"),
            (chain, "nested more than 100 deep"),
            (laughs, "repeat more than 64 MB"),
            ("[".repeat(150), "nested more than 100 deep"),
            ("[".repeat(100_000), "recursion limit"),
            ("a: 1\na: 2".to_owned(), "the key a stands there twice"),
            ("a: *b".to_owned(), ""),
            ("? [a]\n: 1".to_owned(), "a key that is not text"),
            ("a: 1\n---\nb: 2".to_owned(), "line 2: a second document begins"),
            (String::new(), "there is nothing in it"),
            ("a: !GetAtt b".to_owned(), "!GetAtt is followed by RESOURCE.ATTRIBUTE"),
            ("a: 'x".to_owned(), ""),
        ] {
            let error = format!("{:#}", read(&text).unwrap_err());
            assert!(error.contains(expected), "{error}");
        }
    }
}
