//! Names of months and days of the week.

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];
const DAYS: [&str; 7] =
    ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

/// Returns the number of a month that is written out or as its first three letters.
pub(super) fn month(word: &str) -> Option<i64> {
    position(&MONTHS, word).or_else(|| word.eq_ignore_ascii_case("sept").then_some(9))
}

pub(super) fn is_day(word: &str) -> bool {
    position(&DAYS, word).is_some()
}

fn position(names: &[&str], word: &str) -> Option<i64> {
    if word.len() < 3 || word.len() > 9 {
        return None;
    }
    let is_it = |name: &&str| {
        name.eq_ignore_ascii_case(word)
            || word.len() == 3
                && name.get(..3).is_some_and(|start| start.eq_ignore_ascii_case(word))
    };
    (1..).zip(names).find(|(_, name)| is_it(name)).map(|(nth, _)| nth)
}
