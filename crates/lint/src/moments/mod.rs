//! Moments in text: dates, times of day, weeks and months in the forms in which people write them.
//!
//! A moment is read at the beginning of a text and ends before a letter or digit. What it means is
//! a number that keeps the order; a date of three numbers may have two meanings.

mod clock;
mod cursor;
mod date;
mod name;

pub(crate) use clock::Zone;
pub(crate) use date::month_named;

use clock::Clock;
use cursor::Cursor;
use date::Date;

/// A moment at the beginning of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Moment {
    /// The kind of its writing.
    pub(crate) kind: Kind,
    /// What it means if the day stands before the month.
    pub(crate) day_first: Option<i64>,
    /// What it means if the month stands before the day.
    pub(crate) month_first: Option<i64>,
    /// Its writing.
    pub(crate) form: Form,
    /// Its minutes east of UTC.
    pub(crate) zone: Zone,
    /// Length of the digits behind the minutes, seconds and fraction together.
    pub(crate) rest: usize,
    /// Bytes of it.
    pub(crate) length: usize,
}

/// Kind of writing a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// The year comes first.
    YearFirst,
    /// A year and a week.
    Week,
    /// Three numbers, the year last.
    YearLast,
    /// A month by its name.
    Named,
    /// A time of day.
    Clock,
}

/// Writing of a moment that begins with the year.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct Form {
    /// Character between year, month and day; none in the compact form.
    pub(crate) between_days: Option<char>,
    /// Character between date and time of day.
    pub(crate) before_clock: Option<char>,
    /// Character between hour and minute; none in the compact form.
    pub(crate) between_hours: Option<char>,
    /// True if it has a time of day.
    pub(crate) has_clock: bool,
}

/// Minutes of a day.
const DAY: i64 = 24 * 60;
/// Microseconds of a minute.
const MINUTE: i64 = 60_000_000;

/// Returns the moment that a text begins with.
pub(crate) fn moment(text: &str) -> Option<Moment> {
    let first = text.bytes().next()?;
    if first.is_ascii_digit() {
        return year_first(text).or_else(|| year_last(text)).or_else(|| clock_alone(text));
    }
    first.is_ascii_alphabetic().then(|| named(text)).flatten()
}

fn year_first(text: &str) -> Option<Moment> {
    let mut cursor = Cursor::new(text);
    let (date, between_days) = date::year_first(&mut cursor)?;
    let mut form = Form { between_days, ..Form::default() };
    let mut clock = None;
    if date.day > 0
        && let Some(found) = clock::after_date(&cursor, between_days)
    {
        form.has_clock = true;
        form.before_clock = found.before;
        form.between_hours = found.clock.between;
        cursor = found.cursor;
        clock = Some(found.clock);
    }
    let kind = if date.is_week { Kind::Week } else { Kind::YearFirst };
    let meaning = Some(date.day_number());
    cursor.is_at_end_of_word().then(|| put_together(kind, [meaning; 2], form, clock, &cursor))
}

fn year_last(text: &str) -> Option<Moment> {
    let mut cursor = Cursor::new(text);
    let dates = date::year_last(&mut cursor).or_else(|| {
        cursor = Cursor::new(text);
        date::named(&mut cursor).map(|date| ([Some(date); 2], Kind::Named))
    });
    let (dates, kind) = dates?;
    with_clock(kind, dates, cursor)
}

fn named(text: &str) -> Option<Moment> {
    let mut cursor = Cursor::new(text);
    let date = date::named(&mut cursor)?;
    with_clock(Kind::Named, [Some(date); 2], cursor)
}

fn with_clock(kind: Kind, dates: [Option<Date>; 2], before: Cursor<'_>) -> Option<Moment> {
    let mut cursor = before;
    let mut clock = None;
    if let Some(found) = clock::after_date(&cursor, None) {
        cursor = found.cursor;
        clock = Some(found.clock);
    }
    let meanings = dates.map(|date| date.map(Date::day_number));
    let moment = put_together(kind, meanings, Form::default(), clock, &cursor);
    cursor.is_at_end_of_word().then_some(moment)
}

fn clock_alone(text: &str) -> Option<Moment> {
    let mut cursor = Cursor::new(text);
    let clock = clock::alone(&mut cursor)?;
    let form = Form { has_clock: true, between_hours: clock.between, ..Form::default() };
    let moment = put_together(Kind::Clock, [Some(0); 2], form, Some(clock), &cursor);
    cursor.is_at_end_of_word().then_some(moment)
}

fn put_together(
    kind: Kind,
    days: [Option<i64>; 2],
    form: Form,
    clock: Option<Clock>,
    cursor: &Cursor<'_>,
) -> Moment {
    let within = clock.map_or(0, |clock| clock.minute * MINUTE + clock.microsecond);
    let [day_first, month_first] = days.map(|day| day.map(|day| day * DAY * MINUTE + within));
    Moment {
        kind,
        day_first,
        month_first,
        form,
        zone: clock.map_or(Zone::None, |clock| clock.zone),
        rest: clock.map_or(0, |clock| clock.rest),
        length: cursor.at,
    }
}

impl Moment {
    /// Returns what it means in UTC, if its year is first.
    pub(crate) fn in_utc(&self) -> Option<i64> {
        let offset = match self.zone {
            Zone::None | Zone::Utc => 0,
            Zone::Offset(minutes) => minutes,
        };
        Some(self.day_first? - offset * MINUTE)
    }
}

#[cfg(test)]
mod tests {
    use super::{Kind, moment};

    fn check(text: &str, expected: Option<(Kind, usize)>) {
        assert_eq!(moment(text).map(|found| (found.kind, found.length)), expected, "{text}");
    }

    #[test]
    fn moments_of_every_form_are_read_to_their_end() {
        check("2026-03-01", Some((Kind::YearFirst, 10)));
        check("2026-3-9#07:40", Some((Kind::YearFirst, 8)));
        check("2026-03-01T10:15:30.250Z#x", Some((Kind::YearFirst, 24)));
        check("2026-03-01 10:15", Some((Kind::YearFirst, 16)));
        check("2026-03-01T10:15:30+02:00", Some((Kind::YearFirst, 25)));
        check("20260301T101530Z", Some((Kind::YearFirst, 16)));
        check("20260301", Some((Kind::YearFirst, 8)));
        check("2026/03/01", Some((Kind::YearFirst, 10)));
        check("2026-03", Some((Kind::YearFirst, 7)));
        check("2026-W9", Some((Kind::Week, 7)));
        check("2026W09", Some((Kind::Week, 7)));
        check("12/19/2025", Some((Kind::YearLast, 10)));
        check("14-03-2026#09:30", Some((Kind::YearLast, 10)));
        check("05-Jan-2026/news", Some((Kind::Named, 11)));
        check("Tue Mar 03 2026#ella", Some((Kind::Named, 15)));
        check("Mar 1, 2023", Some((Kind::Named, 11)));
        check("January-2026", Some((Kind::Named, 12)));
        check("2026-Mar-05", Some((Kind::Named, 11)));
        check("9:05", Some((Kind::Clock, 4)));
        check("02:30 PM", Some((Kind::Clock, 8)));
        check("9am", Some((Kind::Clock, 3)));
        check("Tue, 03 Mar 2026 10:00:00 GMT", Some((Kind::Named, 29)));
    }

    #[test]
    fn other_numbers_are_no_moments() {
        for text in [
            "12.1.21",
            "10.0.0.9",
            "20261345",
            "1234567890",
            "4021-88",
            "2026",
            "12A",
            "March",
            "3",
            "2026-ab",
            "99:99",
            "1-2-3",
            "10.0.20",
            "1.10.3",
            "20260301abc",
            "mar-7",
        ] {
            check(text, None);
        }
    }
}
