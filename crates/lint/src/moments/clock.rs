//! Times of day, of 24 or of 12 hours, with their zone.

use super::cursor::Cursor;

/// A time of day.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clock {
    /// Minutes since midnight.
    pub(super) minute: i64,
    /// Microseconds behind the minute.
    pub(super) microsecond: i64,
    /// Length of seconds and fraction.
    pub(super) rest: usize,
    /// Character between hour and minute.
    pub(super) between: Option<char>,
    pub(super) zone: Zone,
}

/// Zone of a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Zone {
    /// None is written.
    None,
    /// `Z`
    Utc,
    /// Minutes east of UTC.
    Offset(i64),
}

/// A time of day behind a date.
#[derive(Debug, Clone, Copy)]
pub(super) struct Found<'t> {
    pub(super) before: Option<char>,
    pub(super) clock: Clock,
    pub(super) cursor: Cursor<'t>,
}

/// Reads the time of day that follows a date.
pub(super) fn after_date<'t>(cursor: &Cursor<'t>, between_days: Option<char>) -> Option<Found<'t>> {
    let mut cursor = *cursor;
    let before = cursor.one_of("Tt _");
    if before.is_none() && between_days.is_some() {
        return None;
    }
    let clock = clock(&mut cursor, before.is_none_or(|before| before == 'T'))?;
    cursor.is_at_end_of_word().then_some(Found { before, clock, cursor })
}

/// Reads a time of day that stands alone: it has a colon, or a half of the day.
pub(super) fn alone(cursor: &mut Cursor<'_>) -> Option<Clock> {
    if let Some(clock) = clock(cursor, false) {
        return Some(clock);
    }
    *cursor = Cursor::new(cursor_text(cursor));
    let hour = cursor.number((1, 2), (1, 12))?;
    let is_afternoon = half(cursor)?;
    Some(Clock {
        minute: hour_of_day(hour, Some(is_afternoon)) * 60,
        microsecond: 0,
        rest: 0,
        between: Some(':'),
        zone: Zone::None,
    })
}

fn cursor_text<'t>(cursor: &Cursor<'t>) -> &'t str {
    let mut start = *cursor;
    start.at = 0;
    start.rest()
}

/// Reads `10:15:30.250`, `10-15-30` and `101530` behind a date, a half of the day and a zone.
fn clock(cursor: &mut Cursor<'_>, is_behind_t: bool) -> Option<Clock> {
    let mut compact = *cursor;
    let run = compact.digits(4, 6).filter(|run| run.len() % 2 == 0 && is_behind_t);
    let (hour, minute, second, between) = match run {
        Some(run) => {
            *cursor = compact;
            let part =
                |nth: usize| run.get(nth * 2..nth * 2 + 2).and_then(|text| text.parse().ok());
            (part(0)?, part(1)?, part(2), None)
        }
        None => extended(cursor, if is_behind_t { ":-." } else { ":" })?,
    };
    if hour > 24 || minute > 59 {
        return None;
    }
    let mut rest = if second.is_some() { 2 } else { 0 };
    let fraction = second.map_or(0, |_| fraction(cursor, &mut rest));
    let is_afternoon = half(cursor);
    Some(Clock {
        minute: hour_of_day(hour, is_afternoon) * 60 + minute,
        microsecond: second.unwrap_or(0) * 1_000_000 + fraction,
        rest,
        between,
        zone: zone(cursor),
    })
}

type Parts = (i64, i64, Option<i64>, Option<char>);

fn extended(cursor: &mut Cursor<'_>, separators: &str) -> Option<Parts> {
    let hour = cursor.number((1, 2), (0, 24))?;
    let between = cursor.one_of(separators)?;
    let minute = cursor.number((2, 2), (0, 59))?;
    let mut further = *cursor;
    let second = further.one_of(&between.to_string()).and_then(|_| further.number((2, 2), (0, 60)));
    if second.is_some() {
        *cursor = further;
    }
    Some((hour, minute, second, Some(between)))
}

/// Reads the fraction of a second, in microseconds.
fn fraction(cursor: &mut Cursor<'_>, rest: &mut usize) -> i64 {
    let mut further = *cursor;
    let digits = further.one_of(".,").and_then(|_| further.digits(1, 9));
    let Some(digits) = digits else { return 0 };
    *cursor = further;
    *rest += 1 + digits.len();
    let micro: String = digits.chars().chain("000000".chars()).take(6).collect();
    micro.parse().unwrap_or(0)
}

/// Reads a half of the day: true for the afternoon.
fn half(cursor: &mut Cursor<'_>) -> Option<bool> {
    let mut further = *cursor;
    further.one_of(" _");
    let word = further.word();
    let is_afternoon = word.eq_ignore_ascii_case("pm");
    (is_afternoon || word.eq_ignore_ascii_case("am")).then(|| {
        *cursor = further;
        is_afternoon
    })
}

fn hour_of_day(hour: i64, is_afternoon: Option<bool>) -> i64 {
    match is_afternoon {
        Some(true) => hour % 12 + 12,
        Some(false) => hour % 12,
        None => hour,
    }
}

fn zone(cursor: &mut Cursor<'_>) -> Zone {
    if cursor.one_of("Zz").is_some() {
        return Zone::Utc;
    }
    let mut further = *cursor;
    if further.one_of(" ").is_some() && ["GMT", "UTC"].contains(&further.word()) {
        *cursor = further;
        return Zone::Utc;
    }
    let mut further = *cursor;
    let Some(minutes) = offset(&mut further) else { return Zone::None };
    *cursor = further;
    Zone::Offset(minutes)
}

fn offset(cursor: &mut Cursor<'_>) -> Option<i64> {
    let sign = if cursor.one_of("+-")? == '-' { -1 } else { 1 };
    let digits = cursor.digits(2, 4)?;
    let (hours, mut minutes) = (digits.get(..2)?, digits.get(2..)?);
    if minutes.is_empty() && cursor.one_of(":").is_some() {
        minutes = cursor.digits(2, 2)?;
    }
    let minutes = if minutes.is_empty() { "0" } else { minutes };
    let hours: i64 = hours.parse().ok()?;
    let minutes: i64 = minutes.parse().ok()?;
    (hours <= 14 && minutes < 60).then_some(sign * (hours * 60 + minutes))
}
