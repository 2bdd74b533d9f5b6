//! Skeletons of keys: a key divided at its delimiter into literals and parts, such as `USER#{}` for `USER#alex`.
//!
//! A component is a literal if it is a word that recurs and if the items with it are a kind of their own: words of
//! items that have mostly the same attributes, such as the states `NE` and `NY`, are values of one part.

use super::kinds::Names;
use std::collections::BTreeMap;
use std::fmt;

/// Delimiters; an earlier one counts before a later one.
pub(crate) const DELIMITERS: [char; 7] = ['#', '|', '/', ':', '_', '-', '.'];
/// Delimiters that data rarely has: they count without a word in front of them.
const STRONG: [char; 2] = ['#', '|'];
/// Most components of a key that are looked at; the rest is one.
pub(crate) const COMPONENTS_MAX: usize = 8;
/// Most words at one place that may be literals.
const WORDS_MAX: usize = 40;
/// From so many words on, words of like items are values.
const VALUES_MIN: usize = 3;

/// Skeleton of a key.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Skeleton {
    pub(crate) delimiter: Option<char>,
    /// Literals, and none for each part.
    pub(crate) pieces: Vec<Option<String>>,
}

impl fmt::Display for Skeleton {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (nth, piece) in self.pieces.iter().enumerate() {
            if let (1.., Some(delimiter)) = (nth, self.delimiter) {
                write!(out, "{delimiter}")?;
            }
            out.write_str(piece.as_deref().unwrap_or("{}"))?;
        }
        Ok(())
    }
}

/// A value of a key attribute: the row it is from, and its components.
pub(crate) struct Row<'v> {
    pub(crate) row: usize,
    pub(crate) parts: Vec<&'v str>,
}

/// Returns the delimiter of the values of a key attribute.
pub(crate) fn delimiter_of(values: &[&str]) -> Option<char> {
    DELIMITERS.into_iter().find(|delimiter| {
        let with = values.iter().filter(|value| match value.split_once(*delimiter) {
            Some((first, _)) => STRONG.contains(delimiter) || is_word(first),
            None => false,
        });
        let with = with.count();
        // A weak delimiter may be a character of names.
        let least = if STRONG.contains(delimiter) { values.len() / 20 } else { values.len() / 2 };
        with > 0 && with >= least
    })
}

/// Divides a value at a delimiter into at most [`COMPONENTS_MAX`] components.
pub(crate) fn components(value: &str, delimiter: Option<char>) -> Vec<&str> {
    match delimiter {
        Some(delimiter) => value.splitn(COMPONENTS_MAX, delimiter).collect(),
        None => vec![value],
    }
}

/// Returns the skeleton of each value of a key attribute, by row.
pub(crate) fn skeletons(
    values: &[(usize, &str)],
    names: &Names<'_>,
    is_partition: bool,
) -> BTreeMap<usize, Skeleton> {
    let texts: Vec<&str> = values.iter().map(|(_, value)| *value).collect();
    let delimiter = delimiter_of(&texts);
    let rows =
        values.iter().map(|(row, value)| Row { row: *row, parts: components(value, delimiter) });
    let rows = rows.collect();
    let mut found = BTreeMap::new();
    let divider = Divider { names, is_partition, delimiter };
    divider.divide(rows, &[], &mut found);
    found
}

struct Divider<'n> {
    names: &'n Names<'n>,
    is_partition: bool,
    delimiter: Option<char>,
}

impl Divider<'_> {
    /// Divides rows with the same pieces by their next component. Depth: [`COMPONENTS_MAX`].
    fn divide(
        &self,
        rows: Vec<Row<'_>>,
        pieces: &[Option<String>],
        found: &mut BTreeMap<usize, Skeleton>,
    ) {
        let at = pieces.len();
        let (ended, going_on): (Vec<_>, Vec<_>) =
            rows.into_iter().partition(|row| row.parts.len() <= at);
        for row in ended {
            let skeleton = Skeleton { delimiter: self.delimiter, pieces: pieces.to_vec() };
            found.insert(row.row, skeleton);
        }
        if going_on.is_empty() {
            return;
        }
        let literals = self.literals(&going_on, pieces);
        let mut groups: BTreeMap<Option<String>, Vec<Row<'_>>> = BTreeMap::new();
        for row in going_on {
            let word = row.parts[at];
            let literal = literals.contains(&word).then(|| word.to_owned());
            groups.entry(literal).or_default().push(row);
        }
        for (literal, rows) in groups {
            let mut pieces = pieces.to_vec();
            pieces.push(literal);
            self.divide(rows, &pieces, found);
        }
    }

    /// Returns the words at the next place that are literals.
    fn literals<'v>(&self, rows: &[Row<'v>], pieces: &[Option<String>]) -> Vec<&'v str> {
        let at = pieces.len();
        let mut words: BTreeMap<&'v str, Vec<usize>> = BTreeMap::new();
        let has_delimiters = rows.iter().any(|row| row.parts.len() > at + 1);
        let is_first = at == 0;
        let (whole, all) = (rows.iter().filter(|row| row.parts.len() == at + 1), rows.len());
        let few_whole = is_few(whole.clone().map(|row| row.parts[at]), whole.count());
        for row in rows {
            let word = row.parts[at];
            let is_last = row.parts.len() == at + 1;
            let is_name = match (is_last, is_first) {
                (false, true) => is_word(word),
                (true, true) if self.is_partition => has_delimiters && is_capital(word),
                (true, true) => is_capital(word) || few_whole && is_word(word),
                (_, false) => is_capital(word),
            };
            if is_name {
                words.entry(word).or_default().push(row.row);
            }
        }
        // A single lower-case word is as likely a value.
        words.retain(|word, rows| rows.len() > 1 || is_capital(word) || all == 1);
        if words.len() > WORDS_MAX {
            return Vec::new();
        }
        let mut groups: Vec<&[usize]> = words.values().map(Vec::as_slice).collect();
        let is_value = |(word, rows): (&&str, &Vec<usize>)| self.names.holds(rows, word);
        let is_naming = is_first && self.is_partition;
        let may_be_values = words.len() >= VALUES_MIN && !is_naming
            || words.len() > 1 && words.iter().all(is_value);
        if may_be_values && self.names.are_alike(&groups) {
            return Vec::new();
        }
        // Names have weak delimiters, too, and values are words: there other attributes must tell the words apart.
        let is_weak = self.delimiter.is_some_and(|it| !STRONG.contains(&it));
        let others = rows.iter().filter(|row| !words.contains_key(row.parts[at]));
        let others: Vec<usize> = others.map(|row| row.row).collect();
        if !others.is_empty() {
            groups.push(&others);
        }
        if (is_weak || !is_first) && groups.len() > 1 && !self.names.differ(&groups) {
            return Vec::new();
        }
        words.into_keys().collect()
    }
}

/// Returns whether values are few words that recur.
fn is_few<'v>(values: impl Iterator<Item = &'v str>, number: usize) -> bool {
    const DISTINCT_MAX: usize = 12;
    const EACH_MIN: usize = 3;
    let distinct: std::collections::BTreeSet<&str> = values.collect();
    distinct.len() <= DISTINCT_MAX && number >= distinct.len() * EACH_MIN
}

/// Returns whether a component is a word: letters, and `_`, `-` or blanks between them.
pub(crate) fn is_word(text: &str) -> bool {
    const LENGTH_MAX: usize = 40;
    let is_letter = |it: char| it.is_alphabetic() || matches!(it, '_' | '-' | ' ');
    (1..=LENGTH_MAX).contains(&text.len())
        && text.starts_with(|first: char| first.is_alphabetic() || first == '_')
        && text.chars().all(is_letter)
}

/// Returns whether a component is a word in capitals, as names of kinds are written.
fn is_capital(text: &str) -> bool {
    text.len() > 1 && is_word(text) && !text.chars().any(char::is_lowercase)
}
