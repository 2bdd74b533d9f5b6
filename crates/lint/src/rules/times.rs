//! Times in ISO 8601 that do not sort: because of different offsets, or of different precision.

use super::inverted;
use crate::finding::{Finding, Rule};
use crate::siblings::Siblings;

/// A time of a day.
#[derive(Debug, Clone, Copy)]
struct Time<'s> {
    whole: &'s str,
    /// Date and time in minutes since the year 0, by a calendar in which all months have 31 days,
    /// which keeps the order.
    minute: i64,
    /// Text after the minutes: seconds and their fraction.
    rest: &'s str,
    /// Minutes east of UTC.
    offset: i64,
}

pub(super) fn check(siblings: &Siblings) -> Vec<Finding> {
    let times: Vec<_> = siblings.components.iter().filter_map(|text| Time::of(text)).collect();
    offsets(siblings, &times).into_iter().chain(precision(siblings, &times)).collect()
}

fn offsets(siblings: &Siblings, times: &[Time<'_>]) -> Option<Finding> {
    let mut meant: Vec<_> =
        times.iter().map(|time| ((time.minute - time.offset, time.rest), time.whole)).collect();
    meant.sort_unstable();
    let is_mixed = times.windows(2).any(|pair| pair[0].offset != pair[1].offset);
    let (first, second) = inverted(&meant).filter(|_| is_mixed)?;
    let offset = |text: &str| times.iter().find(|time| time.whole == text).map(|time| time.offset);
    // Two times of one offset are in the wrong order for another reason.
    (offset(first) != offset(second)).then(|| {
        let evidence = format!("{first} sorts before {second}, which is earlier");
        let examples = vec![siblings.key(first), siblings.key(second)];
        Finding::new(Rule::LocalOffsets, evidence, examples)
    })
}

/// Returns the finding that times have different precision. Of two in the same second the longer
/// one sorts first: the comparison meets the `Z` of the shorter one and a digit or a point. The
/// sign of an offset sorts before both, so times with one are in order.
fn precision(siblings: &Siblings, times: &[Time<'_>]) -> Option<Finding> {
    let mut times = times.iter().filter(|time| time.whole.ends_with('Z'));
    let first = times.next()?;
    let other = times.find(|time| time.rest.len() != first.rest.len())?;
    let evidence = format!(
        "{} and {} have different precision: within one second, or minute, the longer one sorts first",
        first.whole, other.whole
    );
    let examples = vec![siblings.key(first.whole), siblings.key(other.whole)];
    Some(Finding::new(Rule::MixedPrecision, evidence, examples))
}

impl<'s> Time<'s> {
    /// Reads `YYYY-MM-DDTHH:MM`, optional seconds and fraction, and `Z` or an offset. A time
    /// without zone sorts at any precision, so it returns none.
    fn of(whole: &'s str) -> Option<Self> {
        let (date, time) = whole.split_at_checked(10)?;
        let (year, month, day) =
            (digits(date.get(..4)?)?, digits(date.get(5..7)?)?, digits(date.get(8..)?)?);
        let is_divided = date.get(4..5) == Some("-") && date.get(7..8) == Some("-");
        let time = time.strip_prefix(['T', ' '])?;
        let (hour, minute) = (digits(time.get(..2)?)?, digits(time.get(3..5)?)?);
        let is_divided = is_divided && time.get(2..3) == Some(":");
        let (rest, offset) = zone(time.get(5..)?)?;
        let is_rest = rest.is_empty() || rest.starts_with(':');
        let is_second = rest.bytes().all(|byte| byte.is_ascii_digit() || b":.".contains(&byte));
        let days = (year * 12 + month) * 31 + day;
        let minute = days * 24 * 60 + hour * 60 + minute;
        (is_divided && is_rest && is_second).then_some(Self { whole, minute, rest, offset })
    }
}

/// Returns the text before the zone, and the zone's minutes east of UTC.
fn zone(text: &str) -> Option<(&str, i64)> {
    if let Some(rest) = text.strip_suffix('Z') {
        return Some((rest, 0));
    }
    let place = text.rfind(['+', '-'])?;
    let (rest, offset) = text.split_at_checked(place)?;
    let sign = if offset.starts_with('-') { -1 } else { 1 };
    let offset = offset.get(1..)?.replace(':', "");
    let hours = digits(offset.get(..2)?)?;
    let minutes = match offset.get(2..)? {
        "" => 0,
        minutes if minutes.len() == 2 => digits(minutes)?,
        _ => return None,
    };
    Some((rest, sign * (hours * 60 + minutes)))
}

fn digits(text: &str) -> Option<i64> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_number)
}
