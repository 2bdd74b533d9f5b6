//! Times as texts of a fixed width in UTC, in the order of the times.
//!
//! Inputs are ISO 8601 dates, `2026-11-25` or `20261125`, and times with `T` or a blank between, to
//! minutes, seconds or a fraction, `08:30:15.5` or in the compact form `083015.5`, with `Z`, an
//! offset such as `+02:00`, `+0200` or `+02`, or neither, which means UTC; and exact numbers since
//! 1970. A leap second, `23:59:60`, and the end of a day, `24:00`, are the next second. Digits
//! beyond the precision are cut off, also before 1970.

use super::digits::{complement, split};
use hashrange_model::Number;
use hashrange_model::calendar::{date_from_days, days_from_date, days_in_month};

const SECONDS_PER_DAY: i64 = 24 * 60 * 60;
const NANOS_PER_SECOND: u32 = 1_000_000_000;
/// Most digits of a fraction of a second; further ones are ignored.
const FRACTION_DIGITS: usize = 9;

/// An instant of the years 0 to 9999.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Instant {
    /// Seconds since 1970.
    seconds: i64,
    /// Nanoseconds, below 10^9.
    nanos: u32,
}

/// Reason why a value is no instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoInstant {
    Malformed,
    OutOfRange,
}

/// Precision of a time in a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Precision {
    Year,
    Month,
    /// A week of ISO 8601, from Monday on; it belongs to the year of its Thursday.
    Week,
    Day,
    Hour,
    Minute,
    Second,
    Millisecond,
    Microsecond,
    Nanosecond,
}

impl Precision {
    const ALL: [(&'static str, Self); 10] = [
        ("year", Self::Year),
        ("month", Self::Month),
        ("week", Self::Week),
        ("day", Self::Day),
        ("hour", Self::Hour),
        ("minute", Self::Minute),
        ("s", Self::Second),
        ("ms", Self::Millisecond),
        ("us", Self::Microsecond),
        ("ns", Self::Nanosecond),
    ];

    /// Returns the precision that a template names.
    pub(super) fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(known, _)| *known == name).map(|(_, precision)| *precision)
    }

    /// Returns the length of a time's text in bytes.
    pub(super) fn width(self) -> usize {
        match self {
            Self::Year => 4,
            Self::Month => 7,
            Self::Week => 8,
            Self::Day => 10,
            Self::Hour => 13,
            Self::Minute => 16,
            Self::Second => 20,
            Self::Millisecond => 24,
            Self::Microsecond => 27,
            Self::Nanosecond => 30,
        }
    }

    /// Returns a time as text.
    pub(super) fn print(self, instant: Instant) -> String {
        let days = instant.seconds.div_euclid(SECONDS_PER_DAY);
        if self == Self::Week {
            // The first days of the year 0 belong to no year with four digits.
            return match week_from_days(days) {
                (..0, _) => "0000-W00".to_owned(),
                (year, week) => format!("{year:04}-W{week:02}"),
            };
        }
        let (year, month, day) = date_from_days(days);
        let second = instant.seconds.rem_euclid(SECONDS_PER_DAY);
        let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
        let whole = format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}");
        let nanos = instant.nanos;
        match self {
            Self::Year | Self::Month | Self::Week | Self::Day | Self::Hour | Self::Minute => {
                whole[..self.width()].to_owned()
            }
            Self::Second => format!("{whole}Z"),
            Self::Millisecond => format!("{whole}.{:03}Z", nanos / 1_000_000),
            Self::Microsecond => format!("{whole}.{:06}Z", nanos / 1_000),
            Self::Nanosecond => format!("{whole}.{nanos:09}Z"),
        }
    }

    /// Reads a time from the front of `rest`, if it is in the printed form.
    pub(super) fn read(self, rest: &str, is_descending: bool) -> Option<(String, &str)> {
        let (time, after) = rest.split_at_checked(self.width())?;
        let time = if is_descending { complement(time) } else { time.to_owned() };
        let full = match self {
            Self::Week => return is_week(&time).then_some((time, after)),
            Self::Year => format!("{time}-01-01"),
            Self::Month => format!("{time}-01"),
            Self::Hour => format!("{time}:00"),
            Self::Day
            | Self::Minute
            | Self::Second
            | Self::Millisecond
            | Self::Microsecond
            | Self::Nanosecond => time.clone(),
        };
        let is_printed = self.print(Instant::parse(&full).ok()?) == time;
        is_printed.then_some((time, after))
    }
}

impl Instant {
    /// Reads a text.
    pub(super) fn parse(text: &str) -> Result<Self, NoInstant> {
        let mut reader = Reader(text.as_bytes());
        let seconds_and_nanos = reader.time().filter(|_| reader.0.is_empty());
        let (seconds, nanos) = seconds_and_nanos.ok_or(NoInstant::Malformed)?;
        Self::new(seconds, nanos)
    }

    /// Returns the instant of a number of seconds since 1970, or of 10^-`places` seconds.
    pub(super) fn since_1970(number: &Number, places: usize) -> Result<Self, NoInstant> {
        let text = number.to_string();
        let (is_negative, whole, fraction) = split(&text);
        let width = places + 1;
        let whole = format!("{whole:0>width$}");
        let (whole, first) = whole.split_at(whole.len() - places);
        let seconds: i64 = whole.parse().map_err(|_| NoInstant::OutOfRange)?;
        let mut digits = first.bytes().chain(fraction.bytes());
        let nanos = nanos(&mut digits);
        if !is_negative {
            return Self::new(seconds, nanos);
        }
        let is_cut = digits.any(|digit| digit != b'0');
        match nanos + u32::from(is_cut) {
            0 => Self::new(-seconds, 0),
            below => Self::new(-seconds - 1, NANOS_PER_SECOND - below),
        }
    }

    /// Returns the instant of a number of milliseconds since 1970; the last one of the year 9999 for
    /// greater ones.
    pub(super) fn of_ms(epoch_ms: u64) -> Self {
        const END: i64 = days_from_date(10_000, 1, 1) * SECONDS_PER_DAY;
        let seconds = i64::try_from(epoch_ms / 1000).unwrap_or(i64::MAX).min(END - 1);
        let ms = u32::try_from(epoch_ms % 1000).expect("a remainder below 1000");
        Self { seconds, nanos: ms * 1_000_000 }
    }

    fn new(seconds: i64, nanos: u32) -> Result<Self, NoInstant> {
        const FIRST: i64 = days_from_date(0, 1, 1) * SECONDS_PER_DAY;
        const END: i64 = days_from_date(10_000, 1, 1) * SECONDS_PER_DAY;
        if (FIRST..END).contains(&seconds) {
            Ok(Self { seconds, nanos })
        } else {
            Err(NoInstant::OutOfRange)
        }
    }
}

/// Returns year and number of the week of ISO 8601 that has a day: the year is that of its Thursday.
fn week_from_days(days: i64) -> (i64, i64) {
    // 1970-01-01 was a Thursday.
    let thursday = (days + 3).div_euclid(7) * 7;
    let (year, ..) = date_from_days(thursday);
    (year, (thursday - days_from_date(year, 1, 1)) / 7 + 1)
}

/// Returns whether a text such as `2026-W09` is a week.
fn is_week(text: &str) -> bool {
    let Some((year, week)) = text.split_once("-W") else { return false };
    let (year, week) = match (year.parse(), week.parse::<i64>()) {
        (Ok(year), Ok(week)) if week > 0 => (year, week),
        _ => return false,
    };
    // The fourth of January is in the first week.
    week_from_days(days_from_date(year, 1, 4) + (week - 1) * 7) == (year, week)
        && text == format!("{year:04}-W{week:02}")
}

/// Consumes the digits of a fraction and returns the first of them as nanoseconds.
fn nanos(digits: &mut impl Iterator<Item = u8>) -> u32 {
    let digits = digits.by_ref().chain(std::iter::repeat(b'0')).take(FRACTION_DIGITS);
    digits.fold(0, |nanos, digit| nanos * 10 + u32::from(digit - b'0'))
}

/// Unread rest of a text.
struct Reader<'t>(&'t [u8]);

impl Reader<'_> {
    /// Reads date, time of day and offset: seconds since 1970 and nanoseconds.
    fn time(&mut self) -> Option<(i64, u32)> {
        let year = self.digits(4)?;
        let is_compact = self.one_of(b"-").is_none();
        let month = self.digits(2).filter(|month| (1..=12).contains(month))?;
        if !is_compact {
            self.one_of(b"-")?;
        }
        let days = 1..=days_in_month(year, month);
        let day = self.digits(2).filter(|day| days.contains(day))?;
        let midnight = days_from_date(year, month, day) * SECONDS_PER_DAY;
        if self.0.is_empty() {
            return Some((midnight, 0));
        }
        self.one_of(b"Tt ")?;
        let (seconds, nanos) = self.time_of_day()?;
        Some((midnight + seconds - self.offset()?, nanos))
    }

    fn time_of_day(&mut self) -> Option<(i64, u32)> {
        let hour = self.digits(2).filter(|hour| *hour <= 24)?;
        let is_compact = self.one_of(b":").is_none();
        let minute = self.digits(2).filter(|minute| *minute < 60)?;
        let mut seconds = hour * 3600 + minute * 60;
        let has_seconds = if is_compact {
            self.0.first().is_some_and(u8::is_ascii_digit)
        } else {
            self.one_of(b":").is_some()
        };
        if has_seconds {
            let is_last_minute = (hour, minute) == (23, 59);
            let second = self.digits(2)?;
            seconds += (second < 60 || second == 60 && is_last_minute).then_some(second)?;
        }
        // The end of a day has no parts behind it that are not zero.
        if hour == 24 && seconds != SECONDS_PER_DAY {
            return None;
        }
        if !has_seconds || self.one_of(b".,").is_none() {
            return Some((seconds, 0));
        }
        let length = self.0.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (fraction, rest) = self.0.split_at(length);
        self.0 = rest;
        let nanos = nanos(&mut fraction.iter().copied());
        (length > 0 && (hour < 24 || nanos == 0)).then_some((seconds, nanos))
    }

    /// Reads `Z`, an offset or nothing; returns the seconds by which the local time is ahead.
    fn offset(&mut self) -> Option<i64> {
        let sign = match self.one_of(b"Zz+-") {
            None | Some(b'Z' | b'z') => return Some(0),
            Some(b'-') => -1,
            Some(_) => 1,
        };
        let hours = self.digits(2).filter(|hours| *hours < 24)?;
        let has_minutes = self.one_of(b":").is_some() || !self.0.is_empty();
        let minutes = if has_minutes { self.digits(2).filter(|it| *it < 60)? } else { 0 };
        Some(sign * (hours * 3600 + minutes * 60))
    }

    fn digits(&mut self, count: usize) -> Option<i64> {
        let (digits, rest) = self.0.split_at_checked(count)?;
        if !digits.iter().all(u8::is_ascii_digit) {
            return None;
        }
        self.0 = rest;
        Some(digits.iter().fold(0, |number, digit| number * 10 + i64::from(digit - b'0')))
    }

    fn one_of(&mut self, bytes: &[u8]) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        if !bytes.contains(first) {
            return None;
        }
        self.0 = rest;
        Some(*first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_read_in_their_forms_and_printed_in_utc() {
        for (text, expected) in [
            ("2026-11-25", "2026-11-25T00:00:00.000000000Z"),
            ("2026-11-25T08:30", "2026-11-25T08:30:00.000000000Z"),
            ("2026-11-25T08:30:15Z", "2026-11-25T08:30:15.000000000Z"),
            ("2026-11-25 00:30:15.25+02:00", "2026-11-24T22:30:15.250000000Z"),
            ("2026-12-31t23:59:59,9999999999-0130", "2027-01-01T01:29:59.999999999Z"),
            ("2024-02-29T12:00+05", "2024-02-29T07:00:00.000000000Z"),
            ("0000-01-01", "0000-01-01T00:00:00.000000000Z"),
            ("20261125", "2026-11-25T00:00:00.000000000Z"),
            ("20261125T083015Z", "2026-11-25T08:30:15.000000000Z"),
            ("20261125T0830+0200", "2026-11-25T06:30:00.000000000Z"),
            ("20261125T083015.25-01", "2026-11-25T09:30:15.250000000Z"),
            ("2016-12-31T23:59:60Z", "2017-01-01T00:00:00.000000000Z"),
            ("2016-12-31T23:59:60.5Z", "2017-01-01T00:00:00.500000000Z"),
            ("2026-11-25T24:00Z", "2026-11-26T00:00:00.000000000Z"),
            ("2026-11-25T24:00:00.000Z", "2026-11-26T00:00:00.000000000Z"),
        ] {
            let instant = Instant::parse(text).unwrap();
            assert_eq!(Precision::Nanosecond.print(instant), expected, "{text}");
        }
    }

    #[test]
    fn other_texts_are_no_times() {
        for text in [
            "",
            "2026",
            "2026-1-1",
            "2026-13-01",
            "2025-02-29",
            "25.11.2026",
            "2026-11-25T24:01",
            "2026-11-25T24:00:01",
            "2026-11-25T24:00:00.1",
            "2026-11-25T25:00",
            "2026-11-25T08",
            "2026-11-25T08:30:60",
            "2026-11-25T23:59:61",
            "2026-1125",
            "202611",
            "20261125T08301",
            "2026-11-25T08:30:00.",
            "2026-11-25T08:30x",
            "2026-11-25T08:30+2",
            "2026-11-25T08:30+02:",
            "2026-11-25T08:30Z ",
            "2026-11-25T",
            "２026-11-25",
        ] {
            assert_eq!(Instant::parse(text), Err(NoInstant::Malformed), "{text}");
        }
        for text in ["0000-01-01T00:00+01", "9999-12-31T23:59-01"] {
            assert_eq!(Instant::parse(text), Err(NoInstant::OutOfRange), "{text}");
        }
    }

    #[test]
    fn numbers_count_from_1970_and_are_cut_downwards() {
        for (number, places, expected) in [
            ("0", 0, "1970-01-01T00:00:00.000000000Z"),
            ("1536019200.5", 0, "2018-09-04T00:00:00.500000000Z"),
            ("1536019200500", 3, "2018-09-04T00:00:00.500000000Z"),
            ("7.25", 3, "1970-01-01T00:00:00.007250000Z"),
            ("-1", 3, "1969-12-31T23:59:59.999000000Z"),
            ("-86400", 0, "1969-12-31T00:00:00.000000000Z"),
            ("-0.00000000001", 0, "1969-12-31T23:59:59.999999999Z"),
        ] {
            let instant = Instant::since_1970(&Number::parse(number).unwrap(), places).unwrap();
            assert_eq!(Precision::Nanosecond.print(instant), expected, "{number}");
        }
        for number in ["253402300800", "-62167219201", "1E125"] {
            let instant = Instant::since_1970(&Number::parse(number).unwrap(), 0);
            assert_eq!(instant, Err(NoInstant::OutOfRange), "{number}");
        }
    }

    #[test]
    fn weeks_belong_to_the_year_of_their_thursday() {
        for (day, week) in [
            ("2026-01-01", "2026-W01"),
            ("2025-12-29", "2026-W01"),
            ("2025-12-28", "2025-W52"),
            ("2027-01-03", "2026-W53"),
            ("2027-01-04", "2027-W01"),
            ("2024-12-30", "2025-W01"),
            ("1970-01-01", "1970-W01"),
            ("1969-12-28", "1969-W52"),
        ] {
            assert_eq!(Precision::Week.print(Instant::parse(day).unwrap()), week, "{day}");
            assert!(is_week(week));
        }
        for text in ["2025-W53", "2026-W54", "2026-W00", "2026-w01", "2026-W1x"] {
            assert!(!is_week(text), "{text}");
        }
    }

    #[test]
    fn each_precision_is_a_prefix_that_is_read_back() {
        let instant = Instant::parse("2026-11-25T08:30:15.123456789Z").unwrap();
        for ((name, precision), expected) in Precision::ALL.iter().zip([
            "2026",
            "2026-11",
            "2026-W48",
            "2026-11-25",
            "2026-11-25T08",
            "2026-11-25T08:30",
            "2026-11-25T08:30:15Z",
            "2026-11-25T08:30:15.123Z",
            "2026-11-25T08:30:15.123456Z",
            "2026-11-25T08:30:15.123456789Z",
        ]) {
            assert_eq!(precision.print(instant), expected, "{name}");
            assert_eq!(precision.width(), expected.len(), "{name}");
            let key = format!("{expected}#a");
            assert_eq!(precision.read(&key, false), Some((expected.to_owned(), "#a")));
            let turned = format!("{}#a", complement(expected));
            assert_eq!(precision.read(&turned, true), Some((expected.to_owned(), "#a")));
            let is_date = expected.len() <= 10 && *name != "week";
            assert_eq!(precision.read("2026-11-25 08:30:15.1Z", false).is_some(), is_date);
        }
    }
}
