//! Moments as texts: milliseconds since 1970 from and to the forms of ISO 8601, in UTC.
//!
//! | form | example |
//! |---|---|
//! | extended | `2026-11-21T10:00:00.250Z` |
//! | basic, as names of tables can have it | `20261121T100000.250Z` |
//! | seconds since 1970 | `1795255200.25` |
//! | milliseconds since 1970, of twelve or thirteen digits | `1795255200250` |
//!
//! The fraction, of up to three digits, may be left out.

use crate::calendar::{date_from_days, days_from_date, days_in_month};

const DAY_MS: u64 = 86_400_000;
/// Most digits of a number of seconds, enough until after the year 5000; longer numbers are
/// milliseconds.
const SECONDS_DIGITS_MAX: usize = 11;
const MILLISECONDS_DIGITS_MAX: usize = 13;
/// A number of so many digits is a date without a time, such as 20261121.
const DATE_DIGITS: usize = 8;

/// Year, month, day, hour, minute, second and millisecond.
fn fields(epoch_ms: u64) -> (i64, i64, i64, u64, u64, u64, u64) {
    let (days, ms) = (epoch_ms / DAY_MS, epoch_ms % DAY_MS);
    let (year, month, day) = date_from_days(i64::try_from(days).unwrap_or_default());
    let seconds = ms / 1000;
    (year, month, day, seconds / 3600, seconds / 60 % 60, seconds % 60, ms % 1000)
}

/// Returns a moment as `2026-10-09T05:53:25.330Z`.
pub fn extended(epoch_ms: u64) -> String {
    let (year, month, day, hour, minute, second, ms) = fields(epoch_ms);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{ms:03}Z")
}

/// Returns a moment as `20261009T055325.330Z`.
pub fn basic(epoch_ms: u64) -> String {
    extended(epoch_ms).replace(['-', ':'], "")
}

/// Returns the milliseconds of a time such as `90s`, `10m`, `2h` or `7d`; `None` for other texts.
pub fn ago_ms(text: &str) -> Option<u64> {
    const UNITS: [(char, u64); 4] = [('s', 1), ('m', 60), ('h', 3600), ('d', 86_400)];
    let (unit, seconds) = UNITS.into_iter().find(|(unit, _)| text.ends_with(*unit))?;
    let count: u64 = text.strip_suffix(unit)?.parse().ok()?;
    count.checked_mul(seconds * 1000)
}

/// Returns the moment of a text; `None` if it is in none of the forms.
pub fn parse(text: &str) -> Option<u64> {
    match text.strip_suffix('Z') {
        Some(text) => parse_date(text),
        None => parse_epoch(text),
    }
}

fn parse_epoch(text: &str) -> Option<u64> {
    let (whole, fraction_ms) = split_fraction(text)?;
    let number = digits(whole)?;
    if whole.len() == DATE_DIGITS || whole.len() > MILLISECONDS_DIGITS_MAX {
        return None;
    }
    if whole.len() > SECONDS_DIGITS_MAX {
        return (whole == text).then_some(number);
    }
    Some(number * 1000 + fraction_ms)
}

fn parse_date(text: &str) -> Option<u64> {
    let (text, fraction_ms) = split_fraction(text)?;
    let (date, time) = text.split_once('T')?;
    let date = triple(date, 4, '-')?;
    let time = triple(time, 2, ':')?;
    let [year, month, day] = date.map(|field| i64::try_from(field).unwrap_or_default());
    let is_date = (1..=12).contains(&month) && (1..=days_in_month(year, month)).contains(&day);
    let [hour, minute, second] = time;
    if !is_date || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let days = u64::try_from(days_from_date(year, month, day)).ok()?;
    Some(days * DAY_MS + (hour * 3600 + minute * 60 + second) * 1000 + fraction_ms)
}

/// Returns three numbers, the first of `width` digits and the others of two, with `between` between
/// all of them or none.
fn triple(text: &str, width: usize, between: char) -> Option<[u64; 3]> {
    let text = match text.len() - text.matches(between).count() {
        all if all == text.len() => text.to_owned(),
        _ => {
            let mut parts = text.split(between);
            let lengths = [width, 2, 2];
            let fits = lengths.iter().all(|length| parts.next().map(str::len) == Some(*length));
            if !fits || parts.next().is_some() {
                return None;
            }
            text.replace(between, "")
        }
    };
    if text.len() != width + 4 || !text.is_ascii() {
        return None;
    }
    let (first, rest) = text.split_at(width);
    let (second, third) = rest.split_at(2);
    Some([digits(first)?, digits(second)?, digits(third)?])
}

/// Returns the text before the point, and the milliseconds behind it.
fn split_fraction(text: &str) -> Option<(&str, u64)> {
    let Some((whole, fraction)) = text.split_once('.') else { return Some((text, 0)) };
    if fraction.len() > 3 {
        return None;
    }
    let value = digits(fraction)?;
    let scale = [1, 100, 10, 1].get(fraction.len())?;
    Some((whole, value * scale))
}

fn digits(text: &str) -> Option<u64> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if is_number { text.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_is_read() {
        for (text, epoch_ms) in [
            ("20261121T100000Z", 1_795_255_200_000),
            ("2026-11-21T10:00:00Z", 1_795_255_200_000),
            ("20261121T100000.25Z", 1_795_255_200_250),
            ("2026-11-21T10:00:00.250Z", 1_795_255_200_250),
            ("1795255200", 1_795_255_200_000),
            ("1795255200.25", 1_795_255_200_250),
            ("1795255200250", 1_795_255_200_250),
            ("0", 0),
            ("20240229T235959.999Z", 1_709_251_199_999),
        ] {
            assert_eq!(parse(text), Some(epoch_ms), "{text}");
            assert_eq!(parse(&extended(epoch_ms)), Some(epoch_ms), "{text}");
            assert_eq!(parse(&basic(epoch_ms)), Some(epoch_ms), "{text}");
        }
        assert_eq!(basic(1_795_255_200_250), "20261121T100000.250Z");
    }

    #[test]
    fn other_texts_are_no_moments() {
        for text in [
            "",
            "Z",
            "T",
            "now",
            "20261121",
            "20261121100000",
            "20261121T100000",
            "20261321T100000Z",
            "20260229T000000Z",
            "20261121T240000Z",
            "2026-11-21 10:00:00Z",
            "2026-1121T100000Z",
            "2026-11-2T110:00:00Z",
            "1.",
            ".5",
            "1.2345",
            "-1",
            "1795255200250.5",
            "99999999999999999999999",
            "20261121T100000.Z",
            "19691231T235959Z",
            "२026१121T100000Z",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn times_ago_have_a_unit() {
        for (text, ms) in [
            ("90s", Some(90_000)),
            ("10m", Some(600_000)),
            ("2h", Some(7_200_000)),
            ("7d", Some(604_800_000)),
            ("20261121T100000Z", None),
            ("m", None),
            ("-1m", None),
            ("99999999999999999d", None),
        ] {
            assert_eq!(ago_ms(text), ms, "{text}");
        }
    }
}
