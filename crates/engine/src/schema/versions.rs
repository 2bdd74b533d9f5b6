//! Versions of items kept as items of the same collection: which keys clients write, and which keys the server keeps
//! for them. The forms are those of the documents-with-versions patterns: `v{n:pad:3}_{name}`, `v0_{name}`.
//!
//! | form | holds |
//! |---|---|
//! | version | `{n}` or `{n:pad:WIDTH}`, and `{name}` at its beginning or end, or not at all |
//! | pointer | `{name}` if the form of versions has it |
//!
//! Invariant: a key in the form of versions is read back as one number and one name, and never as a pointer.
//!
//! Left to others: the writes of versions (`write/numbered.rs`).

use super::{KeyType, TableRecord};
use serde::{Deserialize, Serialize};

/// Most digits of a number.
const WIDTH_MAX: usize = 19;

/// The stored form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VersionsRecord {
    /// Sort key of a version, such as `v{n:pad:3}_{name}`.
    pub version: String,
    /// Sort key of the newest state, which clients write, such as `v0_{name}`.
    pub pointer: String,
    /// Attribute of the newest state that has the number of the latest version.
    pub number: String,
    /// Number of versions that are kept; all if `None`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keep: Option<u32>,
    /// Days after which a version expires by the table's time to live; never if `None`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keep_days: Option<u32>,
}

impl VersionsRecord {
    /// Attribute of the number unless another one is named.
    pub const NUMBER: &str = "LatestVersion";

    /// Returns the record of a form of versions and one of pointers; all versions are kept.
    pub fn new(version: &str, pointer: &str) -> Self {
        Self {
            version: version.to_owned(),
            pointer: pointer.to_owned(),
            number: Self::NUMBER.to_owned(),
            keep: None,
            keep_days: None,
        }
    }

    /// Refuses an attribute of the number that is a key of an index and no number.
    pub(crate) fn check_number(&self, table: &TableRecord) -> Result<(), String> {
        match table.key_type(&self.number) {
            None | Some(KeyType::N) => Ok(()),
            Some(_) => Err(format!("{} is a key of an index that is no number", self.number)),
        }
    }
}

/// The rules that a record's forms say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct VersionRules {
    pub(crate) record: VersionsRecord,
    version: Form,
    pointer: Form,
}

impl VersionRules {
    /// Parses the forms of a record; the error says what is wrong with them.
    pub(crate) fn of(record: &VersionsRecord) -> Result<Self, String> {
        let version = Form::parse(&record.version)?;
        let pointer = Form::parse(&record.pointer)?;
        if !version.has_number() {
            return Err(format!(
                "{:?} has no number: write {{n:pad:3}} where it stands",
                record.version
            ));
        }
        if pointer.has_number() {
            return Err(format!("{:?} has a number: it is the key of one item", record.pointer));
        }
        if pointer.has_name() != version.has_name() {
            return Err(format!(
                "{:?} and {:?} do not both have {{name}}: a version belongs to one item",
                record.pointer, record.version
            ));
        }
        if version.runs_into_digits() {
            return Err(format!(
                "{:?}: a digit beside {{n}} is read as a part of it",
                record.version
            ));
        }
        let rules = Self { record: record.clone(), version, pointer };
        let example = rules.pointer.render(0, "A").unwrap_or_default();
        if rules.name(&example).is_none() {
            return Err(format!("the pointer {:?} is a version itself", record.pointer));
        }
        Ok(rules)
    }

    /// Returns the name in the sort key of a newest state; none for other keys.
    pub(crate) fn name<'s>(&self, sort: &'s str) -> Option<&'s str> {
        let is_version = self.version.read(sort).is_some_and(|(number, _)| number != Some(0));
        self.pointer.read(sort).map(|(_, name)| name).filter(|_| !is_version)
    }

    /// Returns the number of a version of an item.
    pub(crate) fn number(&self, sort: &str, name: &str) -> Option<u64> {
        let (number, of) = self.version.read(sort)?;
        number.filter(|number| *number > 0 && of == name)
    }

    /// Returns the sort key of a version; none if its number does not fit.
    pub(crate) fn version(&self, number: u64, name: &str) -> Option<String> {
        self.version.render(number, name)
    }

    /// Returns the text with which the keys of all versions of an item begin.
    pub(crate) fn beginning(&self, name: &str) -> String {
        let mut text = String::new();
        for part in &self.version.0 {
            match part {
                Part::Literal(literal) => text.push_str(literal),
                Part::Name => text.push_str(name),
                Part::Number(_) => break,
            }
        }
        text
    }

    /// Returns whether versions sort by their numbers.
    pub(crate) fn is_padded(&self) -> bool {
        self.version.0.iter().any(|part| matches!(part, Part::Number(Some(_))))
    }

    /// Returns what readers of the keys may stumble over.
    pub(crate) fn warnings(&self) -> Vec<String> {
        let mut found = Vec::new();
        let VersionsRecord { version, pointer, .. } = &self.record;
        if !self.is_padded() {
            let key = |number| self.version.render(number, "A").unwrap_or_default();
            found.push(format!(
                "{} sorts before {}: pad the number, as in {{n:pad:3}}",
                key(10),
                key(2)
            ));
        }
        let name = if self.version.has_name() { "A" } else { "" };
        let beginning = self.beginning(name);
        let newest = self.pointer.render(0, name).unwrap_or_default();
        if !beginning.is_empty() && newest.starts_with(&beginning) {
            let last = self.version.render(1, name).unwrap_or_default();
            let place = if newest < last { "before" } else { "among or after" };
            found.push(format!(
                "begins_with({beginning:?}) finds the pointer {pointer}, too, {place} the versions {version}"
            ));
        }
        found
    }
}

/// A form of sort keys.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Form(Vec<Part>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Literal(String),
    /// With its width, if it is padded.
    Number(Option<usize>),
    Name,
}

impl Form {
    fn parse(text: &str) -> Result<Self, String> {
        let mut parts = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            let (literal, behind) = rest.split_once('{').unwrap_or((rest, ""));
            if literal.contains('}') {
                return Err(format!("{text:?}: a }} without a {{"));
            }
            if !literal.is_empty() {
                parts.push(Part::Literal(literal.to_owned()));
            }
            if literal.len() == rest.len() {
                break;
            }
            let Some((part, behind)) = behind.split_once('}') else {
                return Err(format!("{text:?}: a {{ without a }}"));
            };
            parts.push(Part::parse(part).map_err(|why| format!("{text:?}: {why}"))?);
            rest = behind;
        }
        let count = |wanted: fn(&Part) -> bool| parts.iter().filter(|part| wanted(part)).count();
        let names = count(|part| *part == Part::Name);
        let is_end = |part: Option<&Part>| part == Some(&Part::Name);
        if parts.is_empty() {
            return Err("a form is not empty".to_owned());
        }
        if names > 1 || count(|part| matches!(part, Part::Number(_))) > 1 {
            return Err(format!("{text:?}: {{n}} and {{name}} stand once"));
        }
        if names == 1 && !is_end(parts.first()) && !is_end(parts.last()) {
            return Err(format!("{text:?}: {{name}} stands at the beginning or the end"));
        }
        let is_value = |part: &Part| !matches!(part, Part::Literal(_));
        if parts.windows(2).any(|pair| pair.iter().all(is_value)) {
            return Err(format!("{text:?}: a text has to stand between {{n}} and {{name}}"));
        }
        Ok(Self(parts))
    }

    fn has_number(&self) -> bool {
        self.0.iter().any(|part| matches!(part, Part::Number(_)))
    }

    /// Returns whether a number without a width stands beside a digit of a literal.
    fn runs_into_digits(&self) -> bool {
        let ends = |part: &Part, of: fn(&str) -> Option<char>| match part {
            Part::Literal(text) => of(text).is_some_and(|one| one.is_ascii_digit()),
            Part::Number(_) | Part::Name => false,
        };
        self.0.windows(2).any(|pair| match pair {
            [Part::Number(None), behind] => ends(behind, |text| text.chars().next()),
            [before, Part::Number(None)] => ends(before, |text| text.chars().next_back()),
            _ => false,
        })
    }

    fn has_name(&self) -> bool {
        self.0.contains(&Part::Name)
    }

    /// Returns the number and the name in a key of this form; the name is empty if the form has none.
    fn read<'s>(&self, key: &'s str) -> Option<(Option<u64>, &'s str)> {
        let mut rest = key;
        let mut number = None;
        let is_backward = self.0.first() == Some(&Part::Name);
        let mut parts: Vec<&Part> = self.0.iter().filter(|part| **part != Part::Name).collect();
        if is_backward {
            parts.reverse();
        }
        for part in parts {
            match part {
                Part::Literal(literal) if is_backward => rest = rest.strip_suffix(&**literal)?,
                Part::Literal(literal) => rest = rest.strip_prefix(&**literal)?,
                Part::Number(width) => {
                    let (digits, behind) = split_digits(rest, *width, is_backward)?;
                    number = Some(digits.parse().ok()?);
                    rest = behind;
                }
                Part::Name => {}
            }
        }
        // A name is not empty; without one nothing is left.
        (rest.is_empty() != self.has_name()).then_some((number, rest))
    }

    fn render(&self, number: u64, name: &str) -> Option<String> {
        let mut text = String::new();
        for part in &self.0 {
            match part {
                Part::Literal(literal) => text.push_str(literal),
                Part::Name => text.push_str(name),
                Part::Number(width) => {
                    let digits = format!("{number:0least$}", least = width.unwrap_or(1));
                    if digits.len() > width.unwrap_or(WIDTH_MAX) {
                        return None;
                    }
                    text.push_str(&digits);
                }
            }
        }
        Some(text)
    }
}

/// Splits a number off the beginning, or off the end: of a width, or all digits, without leading zeros.
fn split_digits(text: &str, width: Option<usize>, is_backward: bool) -> Option<(&str, &str)> {
    let is_digit = |byte: &&u8| byte.is_ascii_digit();
    let bytes = text.as_bytes();
    let all = if is_backward {
        bytes.iter().rev().take_while(is_digit).count()
    } else {
        bytes.iter().take_while(is_digit).count()
    };
    let length = width.unwrap_or(all);
    if length == 0 || length > all || length > WIDTH_MAX {
        return None;
    }
    let (digits, rest) = if is_backward {
        let (rest, digits) = text.split_at_checked(text.len() - length)?;
        (digits, rest)
    } else {
        text.split_at_checked(length)?
    };
    let is_plain = width.is_some() || digits == "0" || !digits.starts_with('0');
    is_plain.then_some((digits, rest))
}

impl Part {
    fn parse(text: &str) -> Result<Self, String> {
        match text {
            "n" => Ok(Self::Number(None)),
            "name" => Ok(Self::Name),
            other => {
                let digits = other.strip_prefix("n:pad:").unwrap_or_default();
                let is_plain =
                    digits.bytes().all(|byte| byte.is_ascii_digit()) && !digits.starts_with('0');
                match digits.parse().ok().filter(|_| is_plain) {
                    Some(width @ 1..=WIDTH_MAX) => Ok(Self::Number(Some(width))),
                    _ => Err(format!(
                        "{{{other}}} is none of {{n}}, {{n:pad:WIDTH}} (to {WIDTH_MAX}) and {{name}}"
                    )),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(version: &str, pointer: &str) -> Result<VersionRules, String> {
        VersionRules::of(&VersionsRecord::new(version, pointer))
    }

    #[test]
    fn a_number_that_is_not_read_back_is_not_written() {
        let plain = rules("v_{n}_{name}", "v_{name}").unwrap();
        let last = 10_u64.pow(19) - 1;
        let key = plain.version(last, "A").unwrap();
        assert_eq!(plain.number(&key, "A"), Some(last));
        assert_eq!(plain.version(last + 1, "A"), None);
    }

    #[test]
    fn keys_are_told_apart() {
        let padded = rules("v{n:pad:3}_{name}", "v0_{name}").unwrap();
        for (key, name, number) in [
            ("v0_Audit", Some("Audit"), None),
            ("v001_Audit", None, Some(1)),
            ("v999_Audit", None, Some(999)),
            ("v1_Audit", None, None),
            ("v0_", None, None),
            ("metadata", None, None),
            ("v0_7", Some("7"), None),
        ] {
            assert_eq!(padded.name(key), name, "{key}");
            assert_eq!(padded.number(key, "Audit"), number, "{key}");
        }
        assert_eq!(padded.version(7, "Audit").as_deref(), Some("v007_Audit"));
        assert_eq!(padded.version(1000, "Audit"), None);
        assert_eq!(padded.beginning("Audit"), "v");
        let plain = rules("v_{n}", "v_0").unwrap();
        assert_eq!((plain.name("v_0"), plain.name("v_1")), (Some(""), None));
        assert_eq!((plain.number("v_10", ""), plain.number("v_0", "")), (Some(10), None));
        assert_eq!(plain.number("v_01", ""), None);
        let plain_key = rules("v{n:pad:3}_{name}", "{name}").unwrap();
        assert_eq!((plain_key.name("Audit"), plain_key.name("v001_Audit")), (Some("Audit"), None));
        let behind = rules("{name}#v{n:pad:4}", "{name}").unwrap();
        assert_eq!((behind.name("doc#1"), behind.name("doc#1#v0002")), (Some("doc#1"), None));
        assert_eq!(behind.number("doc#1#v0002", "doc#1"), Some(2));
        assert_eq!(behind.beginning("doc#1"), "doc#1#v");
    }

    #[test]
    fn forms_that_say_nothing_clear_are_refused() {
        for (version, pointer) in [
            ("v_{name}", "v0_{name}"),
            ("v{n}", "v0_{name}"),
            ("v{n}{name}", "v0_{name}"),
            ("v{n}_{name}_x", "v0_{name}"),
            ("v{n}_{n}", "v0"),
            ("v{m}", "v0"),
            ("v{n", "v0"),
            ("v}n", "v0"),
            ("v{n:pad:0}", "v0"),
            ("v{n:pad:20}", "v0"),
            ("v{n:pad:+3}", "v0"),
            ("v{n:pad:03}", "v0"),
            ("v{n}", "v{n}"),
            ("v{n}", "v1"),
            ("v{n}", "v2"),
            ("v{n:pad:3}", "v007"),
            ("v{n}_{name}", "v1_{name}"),
            ("{name}1{n}", "p_{name}"),
            ("v{n}0_{name}", "p_{name}"),
            ("", "v0"),
        ] {
            assert!(rules(version, pointer).is_err(), "{version} {pointer}");
        }
    }

    #[test]
    fn flaws_of_the_patterns_are_told() {
        let told = |version, pointer| rules(version, pointer).unwrap().warnings().len();
        assert_eq!(told("v_{n}", "v_0"), 2);
        assert_eq!(told("v{n:pad:3}_{name}", "v0_{name}"), 1);
        assert_eq!(told("v{n:pad:3}_{name}", "latest_{name}"), 0);
        assert_eq!(told("{name}#v{n:pad:3}", "{name}"), 0);
    }
}
