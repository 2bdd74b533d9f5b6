//! The template of a key attribute for the items of one kind, and the values that it does not derive.

use super::kinds::Kind;
use super::part::{self, REPRODUCED, Seen, rendered};
use super::skeleton::{DELIMITERS, components, is_word};
use super::{EXAMPLES_MAX, KeyAttribute, key_text, when};
use crate::words::{count, is_share, short};
use hashrange_expr::KeyTemplate;
use hashrange_model::error::TemplateFault;
use hashrange_model::{ApiError, Item, Reason, ValueRef};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// A key attribute of the items of one kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct KeyPattern {
    /// The attribute.
    pub attribute: String,
    /// `HASH` or `RANGE` if it is in the table's key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of_table: Option<&'static str>,
    /// Names of indexes that have it in their key.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub indexes: Vec<String>,
    /// The key as far as it is understood, such as `ORDER#{id}`; `{}` is a part that no attribute has.
    pub pattern: String,
    /// Condition on the items that have the attribute, such as `status in ['OPEN']`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub when: Option<String>,
    /// True if `pattern` is a key template that derives at least 95 % of the values.
    pub is_template: bool,
    /// Number of items that have the attribute.
    pub items: u64,
    /// Number of items whose value the template derives as it is.
    pub derived: u64,
    /// Items whose value is another.
    pub drift: Vec<Drift>,
    /// Why there is no template.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// An item whose key is not what the template derives.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct Drift {
    /// Key of the item.
    pub item: String,
    /// Its value; none if it lacks the attribute.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub found: Option<String>,
    /// The value that the template derives; none if it derives none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub derived: Option<String>,
}

/// Returns the pattern of each key attribute for a kind.
///
/// A part names no attribute that is derived itself. So first no key is a source; then those that are attributes of
/// their own are sources of the others, such as the state and the date of a key that joins both.
pub(crate) fn of_kind(keys: &[KeyAttribute], kind: &Kind, items: &[Item]) -> Vec<KeyPattern> {
    let rows: Vec<&Item> = kind.rows.iter().filter_map(|row| items.get(*row)).collect();
    let is_only = rows.len() == items.len();
    let find = |key: &KeyAttribute, excluded: &BTreeSet<&str>| {
        let finder = Finder { keys, key, rows: &rows, is_only, excluded };
        finder.pattern()
    };
    let mut derived: BTreeSet<&str> = keys.iter().map(|key| key.name.as_str()).collect();
    let mut patterns: Vec<KeyPattern> = keys.iter().map(|key| find(key, &derived)).collect();
    for (key, pattern) in keys.iter().zip(&patterns) {
        if pattern.is_own() {
            derived.remove(key.name.as_str());
        }
    }
    let mut sources: BTreeSet<String> = BTreeSet::new();
    for (key, pattern) in keys.iter().zip(&mut patterns) {
        let is_settled = pattern.is_template || pattern.items == 0 || sources.contains(&key.name);
        if is_settled {
            continue;
        }
        derived.insert(&key.name);
        let found = find(key, &derived);
        // A key of the table that equals one of an index is where that comes from.
        let is_copied = key.of_table.is_some() && found.is_one_part();
        if found.is_template && !is_copied {
            let text = template_text(&key.name, &found.pattern, None);
            let template = KeyTemplate::parse(&text).ok();
            let names = template.iter().flat_map(KeyTemplate::names);
            sources.extend(names.map(str::to_owned));
            *pattern = found;
        } else if pattern.is_own() {
            derived.remove(key.name.as_str());
        }
    }
    patterns
}

impl KeyPattern {
    /// Returns whether it is one part and nothing around it.
    fn is_one_part(&self) -> bool {
        self.pattern.starts_with('{') && self.pattern.find('}') == Some(self.pattern.len() - 1)
    }

    /// Returns whether it is an attribute of its own, which is made of no others.
    fn is_own(&self) -> bool {
        !self.is_template && self.why.is_none() && self.items > 0
    }
}

/// An item, and the components of its key.
type Divided<'i> = (&'i Item, Vec<&'i str>);

struct Finder<'f> {
    keys: &'f [KeyAttribute],
    key: &'f KeyAttribute,
    rows: &'f [&'f Item],
    /// True if the table has no other kind.
    is_only: bool,
    excluded: &'f BTreeSet<&'f str>,
}

/// Pieces of a template, as far as they were found.
struct Found {
    text: String,
    /// The first piece that no attribute derives: the text before it.
    missing: Option<String>,
    parts: usize,
    /// Number of parts, and of literals that are more than digits, as the year of all dates.
    explained: usize,
}

impl Finder<'_> {
    fn pattern(&self) -> KeyPattern {
        let having: Vec<Seen<'_>> = self.rows.iter().filter_map(|item| self.seen(item)).collect();
        let number = self.rows.iter().filter(|item| item.get(&self.key.name).is_some()).count();
        let mut pattern = KeyPattern {
            attribute: self.key.name.clone(),
            of_table: self.key.of_table,
            indexes: self.key.indexes.clone(),
            pattern: String::new(),
            when: None,
            is_template: false,
            items: count(number),
            derived: 0,
            drift: Vec::new(),
            why: None,
        };
        if number == 0 {
            return pattern;
        }
        if !is_share(having.len(), number, REPRODUCED) {
            // A number or binary is no derived text.
            pattern.pattern = format!("{{{}}}", self.key.name);
            return pattern;
        }
        let found = self.find(&having);
        pattern.pattern.clone_from(&found.text);
        if found.missing.is_some() && found.text == "{}" {
            // One part and nothing around it: an attribute of its own.
            pattern.pattern = format!("{{{}}}", self.key.name);
            return pattern;
        }
        if let Some(before) = found.missing {
            let place = if before.is_empty() {
                "at its beginning".to_owned()
            } else {
                format!("behind {before}")
            };
            pattern.why = Some(format!("no attribute has the part {place}"));
            return pattern;
        }
        if found.parts == 0 && self.is_only {
            pattern.why = Some("all items have one value, which shows no template".to_owned());
            return pattern;
        }
        if found.parts == 0 && self.rows.len() < 2 {
            pattern.why = Some("one item does not show what varies".to_owned());
            return pattern;
        }
        self.settle(pattern, number)
    }

    fn seen<'i>(&self, item: &'i Item) -> Option<Seen<'i>> {
        match item.get(&self.key.name)? {
            ValueRef::S(text) => Some(Seen { item, text }),
            _ => None,
        }
    }

    /// Finds the pieces with the delimiter that explains the most of them.
    fn find(&self, having: &[Seen<'_>]) -> Found {
        let whole = part::find(having, "", self.excluded);
        if let Some(part) = whole.filter(|_| !is_constant(having) || having.len() == 1) {
            return Found { text: part, missing: None, parts: 1, explained: 1 };
        }
        let mut best =
            Found { text: "{}".to_owned(), missing: Some(String::new()), parts: 1, explained: 0 };
        let mut most = 0;
        for delimiter in DELIMITERS.into_iter().map(Some).chain([None]) {
            let Some((divided, pieces)) = by_delimiter(having, delimiter) else { continue };
            let (found, open) = self.pieces(&divided, pieces, delimiter);
            if open == 0 {
                return found;
            }
            // Of equals the first counts, whose delimiter is the more likely one.
            if found.explained > most {
                most = found.explained;
                best = found;
            }
        }
        best
    }

    /// Returns the pieces of values that all have the same number of components, and how many are open.
    fn pieces(
        &self,
        divided: &[Divided<'_>],
        pieces: usize,
        delimiter: Option<char>,
    ) -> (Found, usize) {
        let mut found = Found { text: String::new(), missing: None, parts: 0, explained: 0 };
        let (mut open, mut hint) = (0, String::new());
        for nth in 0..pieces {
            if let (1.., Some(delimiter)) = (nth, delimiter) {
                found.text.push(delimiter);
            }
            let of_piece = divided.iter().map(|(item, parts)| Seen { item, text: parts[nth] });
            let seen: Vec<Seen<'_>> = of_piece.collect();
            if let Some((text, is_part)) = self.piece(&seen, &hint) {
                hint.clone_from(&text);
                found.text.push_str(&text);
                found.parts += usize::from(is_part);
                let is_word = text.contains(char::is_alphabetic);
                found.explained += usize::from(is_part || is_word);
            } else {
                found.missing.get_or_insert_with(|| found.text.clone());
                found.text.push_str("{}");
                open += 1;
            }
        }
        (found, open)
    }

    /// Returns the text of one component, and whether it is a part: a literal, a part, or a literal and a part.
    fn piece(&self, seen: &[Seen<'_>], hint: &str) -> Option<(String, bool)> {
        let first = seen.first()?.text;
        if is_constant(seen) && (is_word(first) || seen.len() > 1) {
            return Some((escaped(first), false));
        }
        if let Some(part) = part::find(seen, hint, self.excluded) {
            return Some((part, true));
        }
        for start in starts(seen) {
            let rest: Vec<Seen<'_>> = seen
                .iter()
                .filter_map(|it| Some(Seen { text: it.text.get(start..)?, ..*it }))
                .collect();
            let before = first.get(..start)?;
            if let Some(part) = part::find(&rest, before, self.excluded) {
                return Some((format!("{}{part}", escaped(before)), true));
            }
        }
        None
    }

    /// Checks a template on all items, and adds its drift.
    fn settle(&self, mut pattern: KeyPattern, having: usize) -> KeyPattern {
        if having < self.rows.len() {
            pattern.when = when::presence(self.rows, &self.key.name);
        }
        let text = template_text(&self.key.name, &pattern.pattern, pattern.when.as_deref());
        let template = match KeyTemplate::parse(&text) {
            Ok(template) => template,
            Err(fault) => {
                pattern.why = Some(format!("no template has this form: {}", fault_text(fault)));
                return pattern;
            }
        };
        let (mut derived, mut right) = (0, 0);
        for item in self.rows {
            let found = self.seen(item).map(|it| it.text);
            let expected = rendered(&template, item);
            derived += usize::from(found.is_some() && expected.as_deref() == found);
            if expected.as_deref() == found {
                right += 1;
            } else if pattern.drift.len() < EXAMPLES_MAX {
                pattern.drift.push(Drift {
                    item: key_text(self.keys, item),
                    found: found.map(short),
                    derived: expected.as_deref().map(short),
                });
            }
        }
        pattern.derived = count(derived);
        pattern.is_template = is_share(right, self.rows.len(), REPRODUCED);
        if !pattern.is_template {
            let lacking = self.rows.len() - having;
            pattern.why = Some(if lacking > 0 && derived == having {
                format!(
                    "it would add the attribute to items that lack it ({lacking} of {})",
                    self.rows.len()
                )
            } else {
                format!("it derives only {derived} of {having} values")
            });
        }
        pattern
    }
}

fn is_constant(seen: &[Seen<'_>]) -> bool {
    seen.windows(2).all(|pair| pair[0].text == pair[1].text)
}

/// Returns the values that have the usual number of components, if nearly all have it, and that number.
fn by_delimiter<'i>(
    having: &[Seen<'i>],
    delimiter: Option<char>,
) -> Option<(Vec<Divided<'i>>, usize)> {
    let divided = having.iter().map(|it| (it.item, components(it.text, delimiter)));
    let mut divided: Vec<Divided<'_>> = divided.collect();
    let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
    for (_, parts) in &divided {
        *counts.entry(parts.len()).or_default() += 1;
    }
    let (usual, number) = counts.into_iter().max_by_key(|(_, number)| *number)?;
    let is_one = delimiter.is_some() && usual == 1;
    if is_one || !is_share(number, having.len(), REPRODUCED) {
        return None;
    }
    divided.retain(|(_, parts)| parts.len() == usual);
    Some((divided, usual))
}

/// Returns offsets at which a part may begin behind a literal that all texts begin with, the longest literal first.
fn starts(seen: &[Seen<'_>]) -> Vec<usize> {
    let Some(first) = seen.first().map(|it| it.text) else { return Vec::new() };
    let common = seen.iter().fold(first.len(), |common, it| {
        first.bytes().zip(it.text.bytes()).take(common).take_while(|(a, b)| a == b).count()
    });
    let common = (0..=common).rev().find(|at| seen.iter().all(|it| it.text.is_char_boundary(*at)));
    let Some(literal) = common.and_then(|end| first.get(..end)) else { return Vec::new() };
    let without_digits = literal.trim_end_matches(|it: char| it.is_ascii_digit()).len();
    let without_word = literal.trim_end_matches(char::is_alphanumeric).len();
    // Digits in front may be the zeros of a padded number.
    let mut starts = vec![without_digits, literal.len(), without_word];
    starts.retain(|start| *start > 0);
    starts.dedup();
    starts
}

/// Returns a literal as a template writes it.
fn escaped(literal: &str) -> String {
    literal.replace('{', "{{").replace('}', "}}")
}

/// Returns the sentence of a template's fault.
pub(crate) fn fault_text(fault: TemplateFault) -> String {
    ApiError::new(Reason::KeyTemplate(fault)).to_string()
}

/// Returns the text of a template with one case.
pub(crate) fn template_text(attribute: &str, body: &str, when: Option<&str>) -> String {
    let attribute = when::name(attribute);
    let body = body.replace('"', "\"\"");
    let when = when.map_or_else(String::new, |when| format!(" when {when}"));
    format!("{attribute} = \"{body}\"{when}")
}
