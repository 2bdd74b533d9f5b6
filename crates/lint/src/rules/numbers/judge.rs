//! Whether numbers have an order: they count or measure something, or they are codes.

use super::found::{Groups, Mix, Number, Reading};
use super::grows;
use crate::design::Scalar;
use crate::finding::Rule;
use crate::keys::Column;
use crate::keys::words::{is_coded, is_counted, is_of_versions, of_name};
use std::collections::{BTreeMap, BTreeSet};

/// Numbers without a name count something if there are at least so many of them ...
const COUNTER_MIN: usize = 5;
/// ... and they fill at least so much of the space between the least and the greatest, in percent.
const COUNTER_DENSITY: i128 = 50;
/// As much if there are fewer, which begin low and have a word before them.
const FEW_DENSITY: i128 = 66;
const FEW_MAX: i128 = 1_000;
/// Numbers with more digits are codes, if nothing else speaks for an order.
const LONG: usize = 8;
/// Rows that are searched for an attribute with the number.
const ROWS_MAX: usize = 50;

/// A group of numbers and what is known of it.
#[derive(Debug)]
pub(super) struct Judge<'g, 'i> {
    column: &'g Column<'i>,
    numbers: &'g [Number<'i>],
    mix: Mix,
    label: &'i str,
    pub(super) reading: Reading,
}

impl<'g, 'i> Judge<'g, 'i> {
    /// Returns none if there are too few numbers for an order.
    pub(super) fn new(
        column: &'g Column<'i>,
        groups: &Groups<'_>,
        numbers: &'g [Number<'i>],
    ) -> Option<Self> {
        let first = numbers.first().filter(|_| numbers.len() > 1)?;
        let label = first.label();
        let mut shape = crate::keys::Shape::default();
        for token in &column.rows[first.row].tokens {
            if token.range.end > first.before.len() {
                break;
            }
            shape.push(first.before, token);
        }
        let mix = groups.mixes.get(&shape).copied().unwrap_or_default();
        let is_version = is_of_versions(label) || numbers.iter().any(|it| it.parts.len() > 2);
        let reading = if is_version { Reading::Version } else { Reading::Decimal };
        Some(Self { column, numbers, mix, label, reading })
    }

    /// Returns the rule that the group breaks, if the numbers are in the wrong order.
    pub(super) fn rule(&self) -> Option<Rule> {
        if self.is_part_of_date() {
            return Some(Rule::DateOrder);
        }
        if self.numbers.iter().any(|number| number.is_negative) {
            return Some(Rule::UnpaddedNumber);
        }
        if self.is_code() {
            return None;
        }
        if self.numbers.iter().any(|number| number.parts.len() > 2 && !number.has_thousands) {
            return self.are_versions().then_some(Rule::UnpaddedNumber);
        }
        if self.is_padded() {
            if self.has_more_digits() {
                return self.overflows().then_some(Rule::PaddingOverflow);
            }
            let is_order = self.is_named(is_counted) || self.is_padded_in_part();
            return is_order.then_some(Rule::UnpaddedNumber);
        }
        self.has_order().then_some(Rule::UnpaddedNumber)
    }

    /// Returns whether the name of the attribute has a word, if nothing else is before the number.
    fn is_named(&self, is_it: fn(&str) -> bool) -> bool {
        if !self.label.is_empty() {
            return is_it(self.label);
        }
        let is_first = self.numbers.iter().all(|number| number.before.is_empty());
        is_first && of_name(self.column.attribute).iter().any(|word| is_it(word))
    }

    fn is_code(&self) -> bool {
        let is_counted = self.is_named(is_counted);
        let is_in_words = |number: &Number<'_>| {
            number.segment_before(self.column).contains(' ') || number.is_before_words()
        };
        if self.is_named(is_coded) || self.numbers.iter().any(|it| it.before.ends_with('+')) {
            return true;
        }
        if is_counted {
            return false;
        }
        let head_is_empty = self.numbers.iter().all(|number| number.head.is_empty());
        let Mix { numbers, words, codes } = self.mix;
        let has_codes = codes * 4 > numbers && head_is_empty;
        // Names and numbers side by side: S, M, L and 10, 12.
        let has_words = words * 4 > numbers && head_is_empty && !self.label.is_empty();
        let are_long = self.numbers.iter().any(|number| number.digits().len() > LONG);
        let are_long = are_long && !self.is_dense(COUNTER_DENSITY) && !self.is_in_attribute();
        has_codes || has_words || are_long || self.numbers.iter().any(is_in_words)
    }

    fn has_order(&self) -> bool {
        let is_measured = self
            .numbers
            .iter()
            .any(|number| number.parts.len() == 2 || number.has_unit && self.numbers.len() > 2);
        is_measured
            || self.is_named(is_counted)
            || self.is_counter()
            || self.is_in_attribute()
            || grows::with_time(self.column, self.numbers, self.reading)
    }

    /// Returns whether numbers fill the space between them densely, as counters do.
    fn is_counter(&self) -> bool {
        let count = self.distinct().len();
        if count >= COUNTER_MIN {
            return self.is_dense(COUNTER_DENSITY);
        }
        let is_low = self.distinct().last().is_some_and(|greatest| *greatest < FEW_MAX);
        let is_divided = self.numbers.iter().all(|number| number.head.is_empty());
        let has_word = self.label.chars().count() > 1 && is_divided;
        has_word && is_low && self.is_dense(FEW_DENSITY)
    }

    /// Returns whether numbers, all of them or those of one collection, are dense.
    fn is_dense(&self, percent: i128) -> bool {
        if are_dense(&self.distinct(), percent) {
            return true;
        }
        let mut collections: BTreeMap<usize, BTreeSet<i128>> = BTreeMap::new();
        for number in self.numbers.iter().filter(|number| number.is_whole()) {
            let meaning = number.meaning(self.reading).first().copied();
            collections.entry(number.collection).or_default().extend(meaning);
        }
        let mut enough = collections.values().filter(|numbers| numbers.len() >= COUNTER_MIN);
        enough.any(|numbers| are_dense(numbers, percent))
    }

    /// Returns the different whole numbers.
    fn distinct(&self) -> BTreeSet<i128> {
        let whole = self.numbers.iter().filter(|number| number.is_whole());
        whole.filter_map(|number| number.meaning(self.reading).first().copied()).collect()
    }

    fn is_padded(&self) -> bool {
        let is_padded =
            |number: &Number<'_>| number.digits().len() > 1 && number.digits().starts_with('0');
        self.numbers.iter().any(is_padded)
    }

    /// Returns whether numbers have come to more digits than they are padded to.
    fn overflows(&self) -> bool {
        let padded =
            |number: &&Number<'_>| number.digits().starts_with('0') && number.digits().len() > 1;
        let widths: BTreeSet<usize> =
            self.numbers.iter().filter(padded).map(|number| number.digits().len()).collect();
        if self.is_named(is_counted) || self.is_dense(COUNTER_DENSITY) {
            return true;
        }
        let Some(width) = widths.first().filter(|_| widths.len() == 1) else { return false };
        let beyond = 10_i128.pow(u32::try_from(*width).unwrap_or(30).min(30));
        let least = self.distinct().range(beyond..).next().copied();
        *width < LONG && least.is_some_and(|least| least < beyond + beyond / 2)
    }

    /// Returns whether a number has more digits than others are padded to.
    fn has_more_digits(&self) -> bool {
        let digits = || self.numbers.iter().map(Number::digits);
        let padded = digits().filter(|digits| digits.len() > 1 && digits.starts_with('0'));
        let width = padded.map(str::len).max().unwrap_or(0);
        digits().any(|digits| digits.len() > width)
    }

    /// Returns whether at least half of the numbers are padded to one width, and others have less.
    fn is_padded_in_part(&self) -> bool {
        let digits = || self.numbers.iter().map(Number::digits);
        let padded = || digits().filter(|digits| digits.len() > 1 && digits.starts_with('0'));
        let width = padded().map(str::len).min().unwrap_or(0);
        let is_one_width = padded().all(|digits| digits.len() == width);
        let is_shorter = digits().any(|digits| digits.len() < width);
        let many = padded().count();
        is_one_width && is_shorter && many > 1 && many * 2 >= self.numbers.len() && width < LONG
    }

    /// Returns whether numbers of three parts are versions; builds are looked up by equality.
    fn are_versions(&self) -> bool {
        let is_version = self.is_named(is_of_versions)
            || of_name(self.column.attribute).iter().any(|word| is_of_versions(word));
        let whole = self.numbers.iter().filter(|number| number.parts.last() == Some(&"0")).count();
        is_version || whole * 10 >= self.numbers.len() * 3
    }

    /// Returns whether an attribute of most items has the number as a number.
    fn is_in_attribute(&self) -> bool {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        let numbers: Vec<&Number<'_>> = self.numbers.iter().take(ROWS_MAX).collect();
        for number in &numbers {
            let wanted = significant(&number.parts.join("."));
            for (name, value) in self.column.rows[number.row].item {
                if matches!(value, Scalar::N(text) if significant(text) == wanted) {
                    *counts.entry(name).or_default() += 1;
                }
            }
        }
        let is_measure = |name: &str| {
            let words = of_name(name);
            !words
                .iter()
                .any(|word| is_coded(word) || ["id", "number", "no", "year"].contains(&&word[..]))
        };
        let most = counts.into_iter().filter(|(name, _)| is_measure(name)).map(|(_, count)| count);
        most.max().is_some_and(|most| most >= 3 && most * 10 >= numbers.len() * 8)
    }

    /// Returns whether a year, or a year and a month, is before the number: `2026/3/4/8`, `2026#W9`.
    fn is_part_of_date(&self) -> bool {
        self.numbers.iter().all(|number| {
            let value = number.meaning(self.reading).first().copied().unwrap_or(0);
            let week = is_of_week(number.head);
            let is_month = number.before.ends_with(|it: char| "/-._".contains(it))
                && ends_with_year(number.before);
            let most = if week {
                53
            } else if is_month {
                12
            } else {
                31
            };
            (0..=most).contains(&value)
                && (number.head.is_empty() || week)
                && is_behind_year(number.before.strip_suffix(number.head).unwrap_or(""), week)
        })
    }
}

/// Returns whether letters before a number say that it is a week.
pub(super) fn is_of_week(head: &str) -> bool {
    ["w", "kw", "week"].iter().any(|known| known.eq_ignore_ascii_case(head))
}

/// Returns whether a text ends with a year and a mark.
fn ends_with_year(before: &str) -> bool {
    let mut parts = before.rsplit(|it: char| !it.is_alphanumeric());
    parts.next();
    parts.next().is_some_and(|year| year.len() == 4 && year.bytes().all(|it| it.is_ascii_digit()))
}

/// Returns whether a text ends with a year and perhaps numbers of a date, all closed.
fn is_behind_year(before: &str, is_week: bool) -> bool {
    let Some(between) = before.chars().last().filter(|it| !it.is_alphanumeric()) else {
        return false;
    };
    if !is_week && !"/-._".contains(between) {
        return false;
    }
    let parts: Vec<&str> = before.trim_end_matches(between).rsplit(between).collect();
    let is_number = |part: &&&str| {
        (1..=2).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
    };
    let numbers = parts.iter().take_while(is_number).count();
    let year = parts.get(numbers).map(|part| part.rsplit(['#', '|', ':']).next().unwrap_or(part));
    year.is_some_and(|year| {
        year.len() == 4 && year.parse().is_ok_and(|year: u32| (1900..2200).contains(&year))
    })
}

/// Returns the digits of a number without the zeros at both ends, and without sign and point.
fn significant(text: &str) -> String {
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    let whole = digits.trim_start_matches('0');
    if text.contains('.') { whole.trim_end_matches('0').to_owned() } else { whole.to_owned() }
}

/// Returns whether numbers fill so much of the space between the least and the greatest.
fn are_dense(numbers: &BTreeSet<i128>, percent: i128) -> bool {
    let (Some(least), Some(greatest)) = (numbers.first(), numbers.last()) else { return false };
    let count = i128::try_from(numbers.len()).unwrap_or(i128::MAX);
    count * 100 >= (greatest - least + 1) * percent
}
