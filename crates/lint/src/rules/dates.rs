//! Dates that begin with the day or the month.

use super::inverted;
use crate::finding::{Finding, Rule};
use crate::siblings::Siblings;

/// A year, month and day.
type Date = (u32, u32, u32);

const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// Position of the day in a date of three numbers.
#[derive(Debug, Clone, Copy)]
enum First {
    Day,
    Month,
}

pub(super) fn check(siblings: &Siblings) -> Option<Finding> {
    let texts: Vec<&str> =
        siblings.components.iter().map(String::as_str).filter(|text| looks_dated(text)).collect();
    // Both readings, day first and month first, have to show harm.
    let read = [First::Day, First::Month].map(|first| all(&texts, first));
    let possible: Vec<_> = read.into_iter().flatten().collect();
    let harm = possible.iter().map(|meant| inverted(meant));
    let harm: Vec<_> = harm.collect::<Option<_>>()?;
    let (first, second) = harm.first()?;
    let evidence = format!("{first} sorts before {second}, which is earlier");
    let examples = vec![siblings.key(first), siblings.key(second)];
    Some(Finding::new(Rule::DateOrder, evidence, examples))
}

/// Returns the dates in their order, if all texts are dates in this reading.
fn all<'s>(texts: &[&'s str], first: First) -> Option<Vec<(Date, &'s str)>> {
    let date = |text: &&'s str| Some((date(text, first)?, *text));
    let mut dates = texts.iter().map(date).collect::<Option<Vec<_>>>()?;
    dates.sort_unstable();
    (dates.len() > 1).then_some(dates)
}

fn looks_dated(text: &str) -> bool {
    date(text, First::Day).is_some() || date(text, First::Month).is_some()
}

fn date(text: &str, first: First) -> Option<Date> {
    let is_between = |character: char| ". /-,".contains(character);
    let parts: Vec<&str> = text.split(is_between).filter(|part| !part.is_empty()).collect();
    let &[one, two, year] = &parts[..] else { return None };
    let (day, month) = match (month_named(one), month_named(two), first) {
        (Some(month), None, _) => (number(two, 2)?, month),
        (None, Some(month), _) => (number(one, 2)?, month),
        (None, None, First::Day) => (number(one, 2)?, number(two, 2)?),
        (None, None, First::Month) => (number(two, 2)?, number(one, 2)?),
        (Some(_), Some(_), _) => return None,
    };
    let is_dotted =
        text.contains(['/', '.', '-']) || month_named(one).or(month_named(two)).is_some();
    let year = year_of(year)?;
    let is_date = (1..=12).contains(&month) && (1..=31).contains(&day) && is_dotted;
    is_date.then_some((year, month, day))
}

fn month_named(text: &str) -> Option<u32> {
    let lower = text.to_ascii_lowercase();
    let is_month = |name: &&str| {
        lower.starts_with(*name)
            && lower.len() <= 9
            && lower.bytes().all(|byte| byte.is_ascii_lowercase())
    };
    (1..).zip(MONTHS).find(|(_, name)| is_month(name)).map(|(month, _)| month)
}

fn number(text: &str, digits: usize) -> Option<u32> {
    let is_number =
        (1..=digits).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_number)
}

/// Returns a year of four digits, or of two.
fn year_of(text: &str) -> Option<u32> {
    let year = number(text, 4)?;
    match text.len() {
        2 => Some(2000 + year),
        4 if (1900..2200).contains(&year) => Some(year),
        _ => None,
    }
}
