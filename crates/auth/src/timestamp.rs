//! Points in time to the second, and the texts in which SigV4 and credentials files write them.
//!
//! Years 0000 to 9999 of the proleptic Gregorian calendar in UTC; no leap seconds, no clock.

use hashrange_model::calendar::{date_from_days, days_from_date, days_in_month};
use std::fmt;
use std::time::{SystemTime, UNIX_EPOCH};

const SECONDS_PER_DAY: i64 = 86_400;
const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// A point in time in whole seconds, within years 0000 to 9999 UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Timestamp {
    epoch_s: i64,
}

impl Timestamp {
    const MIN_EPOCH_S: i64 = -62_167_219_200;
    const MAX_EPOCH_S: i64 = 253_402_300_799;

    /// Returns the time `epoch_s` seconds after 1970-01-01, held within years 0000 to 9999.
    #[must_use]
    pub const fn from_epoch_s(epoch_s: i64) -> Self {
        let epoch_s = if epoch_s < Self::MIN_EPOCH_S { Self::MIN_EPOCH_S } else { epoch_s };
        let epoch_s = if epoch_s > Self::MAX_EPOCH_S { Self::MAX_EPOCH_S } else { epoch_s };
        Self { epoch_s }
    }

    /// Returns the seconds since 1970-01-01 UTC.
    #[must_use]
    pub const fn epoch_s(self) -> i64 {
        self.epoch_s
    }

    /// Returns this time moved by `seconds`.
    #[must_use]
    pub(crate) const fn plus_s(self, seconds: i64) -> Self {
        Self::from_epoch_s(self.epoch_s.saturating_add(seconds))
    }

    /// Returns the time written in ISO 8601 basic format, `20150830T123600Z`.
    #[must_use]
    pub fn parse_basic(text: &str) -> Option<Self> {
        let &[y0, y1, y2, y3, mo0, mo1, d0, d1, b'T', h0, h1, mi0, mi1, s0, s1, b'Z'] =
            text.as_bytes()
        else {
            return None;
        };
        let date = (number(&[y0, y1, y2, y3])?, number(&[mo0, mo1])?, number(&[d0, d1])?);
        Self::from_civil(date, (number(&[h0, h1])?, number(&[mi0, mi1])?, number(&[s0, s1])?))
    }

    /// Returns the time written as an HTTP date, `Sun, 06 Nov 1994 08:49:37 GMT`.
    ///
    /// Source: RFC 9110, section 5.6.7 (the preferred form only); botocore writes `-0000` for
    /// `GMT`.
    pub(crate) fn parse_http_date(text: &str) -> Option<Self> {
        let mut words = text.split_once(", ")?.1.split(' ');
        let day = number(words.next().filter(|day| day.len() == 2)?.as_bytes())?;
        let month_name = words.next()?;
        let month = MONTHS.iter().position(|month| *month == month_name)?;
        let year = number(words.next().filter(|year| year.len() == 4)?.as_bytes())?;
        let time = parse_clock(words.next()?)?;
        let utc = matches!(words.next()?, "GMT" | "-0000" | "+0000");
        if !utc || words.next().is_some() {
            return None;
        }
        Self::from_civil((year, i64::try_from(month).ok()? + 1, day), time)
    }

    /// Returns the time written as `2026-11-21T05:28:00Z`, with `+hh:mm` or `-hh:mm` for `Z`.
    #[must_use]
    pub fn parse_rfc3339(text: &str) -> Option<Self> {
        let (date, time) = text.split_at_checked(10)?;
        let (time, offset) = time.strip_prefix(['T', 't', ' '])?.split_at_checked(8)?;
        let &[y0, y1, y2, y3, b'-', mo0, mo1, b'-', d0, d1] = date.as_bytes() else {
            return None;
        };
        let date = (number(&[y0, y1, y2, y3])?, number(&[mo0, mo1])?, number(&[d0, d1])?);
        let local = Self::from_civil(date, parse_clock(time)?)?;
        Some(local.plus_s(-parse_offset_s(offset)?))
    }

    /// Returns the text in ISO 8601 basic format, `20150830T123600Z`.
    pub(crate) fn to_basic(self) -> [u8; 16] {
        let days = self.epoch_s.div_euclid(SECONDS_PER_DAY);
        let seconds = self.epoch_s.rem_euclid(SECONDS_PER_DAY);
        let (year, month, day) = date_from_days(days);
        let mut text = *b"00000000T000000Z";
        write_number(&mut text[0..4], year);
        write_number(&mut text[4..6], month);
        write_number(&mut text[6..8], day);
        write_number(&mut text[9..11], seconds / 3600);
        write_number(&mut text[11..13], seconds / 60 % 60);
        write_number(&mut text[13..15], seconds % 60);
        text
    }

    fn from_civil(
        (year, month, day): (i64, i64, i64),
        (hour, minute, second): (i64, i64, i64),
    ) -> Option<Self> {
        let in_range = (1..=12).contains(&month)
            && (1..=days_in_month(year, month)).contains(&day)
            && hour < 24
            && minute < 60
            && second < 60;
        in_range.then(|| {
            let days = days_from_date(year, month, day);
            Self::from_epoch_s(days * SECONDS_PER_DAY + hour * 3600 + minute * 60 + second)
        })
    }
}

impl From<SystemTime> for Timestamp {
    fn from(time: SystemTime) -> Self {
        let after =
            |duration: std::time::Duration| i64::try_from(duration.as_secs()).unwrap_or(i64::MAX);
        match time.duration_since(UNIX_EPOCH) {
            Ok(since) => Self::from_epoch_s(after(since)),
            Err(before) => Self::from_epoch_s(-after(before.duration())),
        }
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.to_basic();
        f.write_str(std::str::from_utf8(&text).expect("a basic date is ASCII"))
    }
}

/// Returns the value of one to four decimal digits.
fn number(digits: &[u8]) -> Option<i64> {
    let mut value = 0;
    for digit in digits {
        if !digit.is_ascii_digit() {
            return None;
        }
        value = value * 10 + i64::from(digit - b'0');
    }
    Some(value)
}

fn parse_clock(text: &str) -> Option<(i64, i64, i64)> {
    let &[h0, h1, b':', m0, m1, b':', s0, s1] = text.as_bytes() else {
        return None;
    };
    Some((number(&[h0, h1])?, number(&[m0, m1])?, number(&[s0, s1])?))
}

fn parse_offset_s(text: &str) -> Option<i64> {
    match *text.as_bytes() {
        [b'Z' | b'z'] => Some(0),
        [sign @ (b'+' | b'-'), h0, h1, b':', m0, m1] => {
            let (hours, minutes) = (number(&[h0, h1])?, number(&[m0, m1])?);
            let seconds = hours * 3600 + minutes * 60;
            (hours < 24 && minutes < 60).then_some(if sign == b'+' { seconds } else { -seconds })
        }
        _ => None,
    }
}

fn write_number(digits: &mut [u8], mut value: i64) {
    for digit in digits.iter_mut().rev() {
        *digit = b'0' + u8::try_from(value % 10).expect("a decimal digit of a positive number");
        value /= 10;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn basic_format() {
        let cases = [
            ("19700101T000000Z", Some(0)),
            ("20150830T123600Z", Some(1_440_938_160)),
            ("20240229T235959Z", Some(1_709_251_199)),
            ("99991231T235959Z", Some(Timestamp::MAX_EPOCH_S)),
            ("00000101T000000Z", Some(Timestamp::MIN_EPOCH_S)),
            ("20230229T000000Z", None),
            ("20151330T123600Z", None),
            ("20150830T243600Z", None),
            ("20150830T126000Z", None),
            ("20150830T123660Z", None),
            ("20150830t123600Z", None),
            ("20150830T123600", None),
            ("20150830T123600+", None),
            ("2015083é123600Z", None),
            ("2015-08-30T12:36:00Z", None),
            ("201", None),
            ("", None),
        ];
        for (text, epoch_s) in cases {
            let parsed = Timestamp::parse_basic(text);
            assert_eq!(parsed.map(Timestamp::epoch_s), epoch_s, "{text}");
            if let Some(time) = parsed {
                assert_eq!(time.to_string(), text);
            }
        }
    }

    #[test]
    fn http_date() {
        let cases = [
            ("Sun, 06 Nov 1994 08:49:37 GMT", Some(784_111_777)),
            ("Sun, 06 Nov 1994 08:49:37 -0000", Some(784_111_777)),
            ("Sun, 06 Nov 1994 08:49:37 +0100", None),
            ("Sun, 6 Nov 1994 08:49:37 GMT", None),
            ("Sun, 06 Nov 1994 08:49:37 UTC", None),
            ("Sun, 06 Nov 1994 08:49:37 GMT x", None),
            ("Sun, 06 Foo 1994 08:49:37 GMT", None),
            ("Sunday, 06-Nov-94 08:49:37 GMT", None),
            ("", None),
        ];
        for (text, epoch_s) in cases {
            assert_eq!(Timestamp::parse_http_date(text).map(Timestamp::epoch_s), epoch_s, "{text}");
        }
    }

    #[test]
    fn rfc3339() {
        let cases = [
            ("2015-08-30T12:36:00Z", Some(1_440_938_160)),
            ("2015-08-30T14:36:00+02:00", Some(1_440_938_160)),
            ("2015-08-30T06:06:00-06:30", Some(1_440_938_160)),
            ("2015-08-30T12:36:00", None),
            ("2015-08-30", None),
            ("2015-08-30T12:36:00+24:00", None),
            ("ééééééééééé", None),
        ];
        for (text, epoch_s) in cases {
            assert_eq!(Timestamp::parse_rfc3339(text).map(Timestamp::epoch_s), epoch_s, "{text}");
        }
    }

    #[test]
    fn times_out_of_range_are_held_at_the_ends() {
        assert_eq!(Timestamp::from_epoch_s(i64::MAX).to_string(), "99991231T235959Z");
        assert_eq!(Timestamp::from_epoch_s(i64::MIN).to_string(), "00000101T000000Z");
        assert_eq!(Timestamp::from_epoch_s(0).plus_s(i64::MIN).to_string(), "00000101T000000Z");
    }
}
