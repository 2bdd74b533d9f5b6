//! Delimiters of a key attribute, found in its values.
//!
//! Some characters are hardly used but to divide (`#`, `|`). Others divide if most values have them
//! (`/`, `:`). The rest (`_`, `-`, `.`) are in names, too: they divide if nothing else does and the
//! values share their first components.

use super::tokens::{Kind, Token};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Characters that are hardly used but to divide.
const ALWAYS: &str = "#|¦^§\u{1f}\t";
/// Characters that divide if so many values in a hundred have them.
const OFTEN: &str = "/:~;>=$*";
const OFTEN_PERCENT: usize = 30;
/// Characters that divide if nothing else does.
const AT_LAST: &str = "_-.";
const AT_LAST_PERCENT: usize = 50;
/// Values that are looked at.
const VALUES_MAX: usize = 2_000;

/// Delimiters of an attribute.
#[derive(Debug, Clone, Default)]
pub(crate) struct Delimiters {
    /// Those of the first two sorts.
    pub(crate) strong: BTreeSet<char>,
    /// Those of the last sort.
    pub(crate) weak: BTreeSet<char>,
}

impl Delimiters {
    /// Finds the delimiters in the values of an attribute.
    pub(crate) fn of<'v>(values: impl Iterator<Item = (&'v str, &'v [Token])>) -> Self {
        let distinct: BTreeMap<&str, &[Token]> = values.take(VALUES_MAX * 4).collect();
        let values: Vec<(&str, &[Token])> = distinct.into_iter().take(VALUES_MAX).collect();
        let mut found = Self::default();
        let mut counts: BTreeMap<char, usize> = BTreeMap::new();
        for (_, tokens) in &values {
            // A hyphen at the beginning is a minus.
            let divides = |(at, mark): &(usize, char)| *at > 0 || !AT_LAST.contains(*mark);
            let marks: BTreeSet<char> =
                marks(tokens).filter(divides).map(|(_, mark)| mark).collect();
            for mark in marks {
                *counts.entry(mark).or_default() += 1;
            }
        }
        let is_often = |count: usize, percent: usize| count * 100 >= values.len() * percent;
        for (mark, count) in &counts {
            if ALWAYS.contains(*mark) || OFTEN.contains(*mark) && is_often(*count, OFTEN_PERCENT) {
                found.strong.insert(*mark);
            }
        }
        if found.strong.iter().any(|mark| is_often(counts.get(mark).copied().unwrap_or(0), 50)) {
            return found;
        }
        for (mark, count) in counts {
            let is_candidate = AT_LAST.contains(mark) && is_often(count, AT_LAST_PERCENT);
            if is_candidate && has_shared_beginnings(&values, mark) && !are_languages(&values) {
                found.weak.insert(mark);
            }
        }
        found
    }

    /// Returns whether a character is one of them.
    pub(crate) fn has(&self, mark: char) -> bool {
        self.strong.contains(&mark) || self.weak.contains(&mark)
    }

    /// Returns the parts of a text between the delimiters, or between the strong ones only.
    pub(crate) fn divide(
        &self,
        text: &str,
        tokens: &[Token],
        only_strong: bool,
    ) -> Vec<Range<usize>> {
        let mut parts = Vec::new();
        let mut start = 0;
        let mut after_colon = None;
        for (at, mark) in marks(tokens) {
            let is_delimiter =
                self.strong.contains(&mark) || !only_strong && self.weak.contains(&mark);
            // Two colons are one delimiter.
            if is_delimiter && mark == ':' && after_colon == Some(at) {
                start = at + 1;
                after_colon = None;
            } else if is_delimiter {
                parts.push(start..at);
                start = at + mark.len_utf8();
                after_colon = (mark == ':').then_some(start);
            }
        }
        parts.push(start..text.len());
        parts
    }
}

fn marks(tokens: &[Token]) -> impl Iterator<Item = (usize, char)> {
    tokens.iter().filter_map(|token| match token.kind {
        Kind::Mark(mark) => Some((token.range.start, mark)),
        _ => None,
    })
}

/// Returns whether the texts before a mark repeat themselves, as names of kinds do.
fn has_shared_beginnings(values: &[(&str, &[Token])], mark: char) -> bool {
    let first = |(text, tokens): &(&'_ str, &[Token])| {
        let (at, _) = marks(tokens).find(|(_, found)| *found == mark)?;
        text.get(..at).map(str::to_owned)
    };
    let firsts: Vec<String> = values.iter().filter_map(first).collect();
    let distinct: BTreeSet<&String> = firsts.iter().collect();
    !firsts.is_empty() && distinct.len() * 100 <= firsts.len() * 60
}

/// Returns whether most texts are tags of languages: `en-GB`, `zh-Hans-CN`.
fn are_languages(values: &[(&str, &[Token])]) -> bool {
    let is_tag = |text: &str| {
        let mut parts = text.split(['-', '_']);
        let is_language = parts.next().is_some_and(|part| {
            (2..=3).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_lowercase())
        });
        is_language && parts.all(|part| (2..=4).contains(&part.len()))
    };
    values.iter().filter(|(text, _)| is_tag(text)).count() * 100 >= values.len() * 80
}

#[cfg(test)]
mod tests {
    use super::Delimiters;
    use crate::keys::tokens::tokens;

    fn found(values: &[&str]) -> String {
        let tokens: Vec<_> = values.iter().map(|value| tokens(value)).collect();
        let both = values.iter().copied().zip(tokens.iter().map(Vec::as_slice));
        let found = Delimiters::of(both);
        found.strong.into_iter().chain(found.weak).collect()
    }

    #[test]
    fn delimiters_are_found_in_values() {
        assert_eq!(found(&["ORDER#a-1", "ORDER#b-2"]), "#");
        assert_eq!(found(&["bid_95_a", "bid_120_b", "bid_7_c"]), "_");
        assert_eq!(found(&["SCORE-95-ann", "SCORE-7-bo", "SCORE-8-cy"]), "-");
        assert_eq!(found(&["temp:1f", "co2:a0", "temp:b2"]), ":");
        assert_eq!(found(&["2026-03-01T10:00:00Z/a", "2026-03-01T11:00:00Z/b"]), "/");
        assert_eq!(found(&["acme-legal", "kerr-and-sons", "bloom"]), "");
        assert_eq!(found(&["en", "en-GB", "en-US", "de-AT", "de-CH"]), "");
        assert_eq!(found(&["2026-03-01", "2026-03-02"]), "");
        assert_eq!(found(&["29d4c7e2-0732-4b32-8217-9804d77637f1"]), "");
    }
}
