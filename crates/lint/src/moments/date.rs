//! Dates: the year first or last, months as numbers or names.

use super::cursor::Cursor;
use super::{Kind, name};

/// A date. The day is zero if there is none.
#[derive(Debug, Clone, Copy)]
pub(super) struct Date {
    pub(super) year: i64,
    /// Month, or week.
    pub(super) month: i64,
    pub(super) day: i64,
    pub(super) is_week: bool,
}

const YEARS: (i64, i64) = (1900, 2199);
const MONTHS: (i64, i64) = (1, 12);
const DAYS: (i64, i64) = (1, 31);

/// Returns the number of a month by its name.
pub(crate) fn month_named(word: &str) -> Option<i64> {
    name::month(word)
}

impl Date {
    fn new(year: i64, month: i64, day: i64) -> Self {
        Self { year, month, day, is_week: false }
    }

    /// Returns a number of days that keeps the order.
    pub(super) fn day_number(self) -> i64 {
        (self.year * 54 + self.month) * 32 + self.day
    }
}

/// Reads `2026-03-01`, `2026-03`, `2026-W09`, `20260301`, and the character between the parts.
pub(super) fn year_first(cursor: &mut Cursor<'_>) -> Option<(Date, Option<char>)> {
    if let Some(date) = compact(cursor) {
        return Some((date, None));
    }
    let year = cursor.number((4, 4), YEARS)?;
    let between = cursor.one_of("-/._");
    if let Some(week) = week(cursor) {
        return Some((Date { year, month: week, day: 0, is_week: true }, between));
    }
    let between = between?;
    let month = cursor.number((1, 2), MONTHS)?;
    let mut further = *cursor;
    let day = further.one_of(&between.to_string()).and_then(|_| further.number((1, 2), DAYS));
    if day.is_some() {
        *cursor = further;
    }
    // A year and a month alone are written with a hyphen; otherwise they may be anything.
    (day.is_some() || between == '-')
        .then(|| (Date::new(year, month, day.unwrap_or(0)), Some(between)))
}

fn week(cursor: &mut Cursor<'_>) -> Option<i64> {
    let mut further = *cursor;
    let word = further.word();
    let is_week = ["W", "KW", "WK"].iter().any(|known| known.eq_ignore_ascii_case(word));
    let week = further.number((1, 2), (0, 53)).filter(|_| is_week)?;
    *cursor = further;
    Some(week)
}

fn compact(cursor: &mut Cursor<'_>) -> Option<Date> {
    let mut further = *cursor;
    let digits = further.digits(8, 8)?;
    let part = |range: std::ops::Range<usize>| digits.get(range).and_then(|text| text.parse().ok());
    let (year, month, day): (i64, i64, i64) = (part(0..4)?, part(4..6)?, part(6..8)?);
    let is_date = (YEARS.0..=YEARS.1).contains(&year)
        && (MONTHS.0..=MONTHS.1).contains(&month)
        && (DAYS.0..=DAYS.1).contains(&day);
    is_date.then(|| {
        *cursor = further;
        Date::new(year, month, day)
    })
}

/// Reads three numbers with the year last, as day first and as month first.
pub(super) fn year_last(cursor: &mut Cursor<'_>) -> Option<([Option<Date>; 2], Kind)> {
    let one = cursor.number((1, 2), DAYS)?;
    let between = cursor.one_of("./-")?;
    if let Some(year) = cursor.number((4, 4), YEARS).filter(|_| one <= MONTHS.1 && between != '.') {
        return Some(([Some(Date::new(year, one, 0)); 2], Kind::YearLast));
    }
    let two = cursor.number((1, 2), DAYS)?;
    cursor.one_of(&between.to_string())?;
    let year = match cursor.number((4, 4), YEARS) {
        Some(year) => year,
        // Two digits of a year between dots or hyphens may be anything.
        None if between == '/' => 2000 + cursor.number((2, 2), (0, 99))?,
        None => return None,
    };
    let date = |month: i64, day: i64| (month <= MONTHS.1).then(|| Date::new(year, month, day));
    let dates = [date(two, one), date(one, two)];
    dates.iter().any(Option::is_some).then_some((dates, Kind::YearLast))
}

/// Reads a date whose month is a name, in any order of its parts.
pub(super) fn named(cursor: &mut Cursor<'_>) -> Option<Date> {
    let mut further = *cursor;
    if name::is_day(further.word()) && further.between() {
        *cursor = further;
    }
    if let Some(year) = cursor.number((4, 4), YEARS) {
        cursor.between().then_some(())?;
        let month = name::month(cursor.word())?;
        return Some(Date::new(year, month, day_behind(cursor)));
    }
    if let Some(day) = cursor.number((1, 2), DAYS) {
        cursor.between().then_some(())?;
        let month = name::month(cursor.word())?;
        return Some(Date::new(year_behind(cursor)?, month, day));
    }
    let month = name::month(cursor.word())?;
    let mut further = *cursor;
    if further.between()
        && let Some(day) = further.number((1, 2), DAYS)
    {
        let year = year_behind(&mut further)?;
        *cursor = further;
        return Some(Date::new(year, month, day));
    }
    Some(Date::new(year_behind(cursor)?, month, 0))
}

fn day_behind(cursor: &mut Cursor<'_>) -> i64 {
    let mut further = *cursor;
    let day = further.between().then(|| further.number((1, 2), DAYS)).flatten();
    if day.is_some() {
        *cursor = further;
    }
    day.unwrap_or(0)
}

fn year_behind(cursor: &mut Cursor<'_>) -> Option<i64> {
    cursor.between().then_some(())?;
    cursor.number((4, 4), YEARS)
}
