//! Times in the requests and answers of the server's own operations.

use hashrange::StateFault;
use hashrange_auth::Timestamp;
use serde_json::{Number, Value};

const SECOND_MS: u64 = 1000;
const UNITS: [(&str, u64); 5] = [
    ("ms", 1),
    ("s", SECOND_MS),
    ("m", 60 * SECOND_MS),
    ("h", 3600 * SECOND_MS),
    ("d", 24 * 3600 * SECOND_MS),
];

/// Reads a point in time: seconds since 1970, as a number or as digits, or a date. Returns
/// milliseconds.
pub fn instant_ms(value: &Value) -> Result<u64, StateFault> {
    let read = match value {
        Value::Number(number) => decimal_ms(&number.to_string()),
        Value::String(text) => decimal_ms(text).or_else(|| date_ms(text)),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    };
    read.ok_or_else(|| StateFault::Time(shown(value)))
}

/// Reads a length of time: seconds, as a number or as digits, or a number with a unit.
pub fn step_ms(value: &Value) -> Result<u64, StateFault> {
    let read = match value {
        Value::Number(number) => decimal_ms(&number.to_string()),
        Value::String(text) => decimal_ms(text).or_else(|| with_unit_ms(text)),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    };
    read.ok_or_else(|| StateFault::Step(shown(value)))
}

/// Returns a time in seconds, to the millisecond.
pub fn seconds(ms: u64) -> Number {
    let text = format!("{}.{:03}", ms / SECOND_MS, ms % SECOND_MS);
    let read = text.parse::<f64>().ok().and_then(Number::from_f64);
    read.unwrap_or_else(|| Number::from(ms / SECOND_MS))
}

fn shown(value: &Value) -> String {
    const SHOWN_MAX: usize = 100;
    value.to_string().chars().take(SHOWN_MAX).collect()
}

/// Reads seconds; three decimal places count, further ones do not.
fn decimal_ms(text: &str) -> Option<u64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !is_digits(whole) || !is_digits(fraction) {
        return None;
    }
    let thousandths: u64 = format!("{fraction:0<3}").get(..3)?.parse().ok()?;
    whole.parse::<u64>().ok()?.checked_mul(SECOND_MS)?.checked_add(thousandths)
}

fn with_unit_ms(text: &str) -> Option<u64> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    let (_, unit_ms) = UNITS.iter().find(|(name, _)| *name == unit)?;
    number.parse::<u64>().ok()?.checked_mul(*unit_ms)
}

/// Reads a date such as `2030-01-31T08:00:00Z`, with or without thousandths.
fn date_ms(text: &str) -> Option<u64> {
    let (head, rest) = text.split_at_checked(19)?;
    let digits = rest
        .strip_prefix('.')
        .map_or(0, |rest| 1 + rest.bytes().take_while(u8::is_ascii_digit).count());
    let (fraction, zone) = rest.split_at(digits);
    let thousandths_ms = if digits == 0 { 0 } else { decimal_ms(&format!("0{fraction}"))? };
    let at = Timestamp::parse_rfc3339(&format!("{head}{zone}"))?;
    u64::try_from(at.epoch_s()).ok()?.checked_mul(SECOND_MS)?.checked_add(thousandths_ms)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn points_in_time_are_seconds_or_dates() {
        for (value, expected) in [
            (json!(0), Some(0)),
            (json!(1_767_225_600), Some(1_767_225_600_000)),
            (json!(1.5), Some(1_500)),
            (json!("1.2345"), Some(1_234)),
            (json!("1767225600"), Some(1_767_225_600_000)),
            (json!("2026-01-01T00:00:00Z"), Some(1_767_225_600_000)),
            (json!("2026-01-01T01:00:00.25+01:00"), Some(1_767_225_600_250)),
            (json!("2026-01-01"), None),
            (json!("2026-01-01T00:00:00.Z"), None),
            (json!("1969-12-31T23:59:59Z"), None),
            (json!(-1), None),
            (json!("ä".repeat(30)), None),
            (json!(1e30), None),
            (json!("tomorrow"), None),
            (json!(true), None),
            (json!(["x"]), None),
        ] {
            assert_eq!(instant_ms(&value).ok(), expected, "{value}");
        }
    }

    #[test]
    fn steps_are_seconds_or_have_units() {
        for (value, expected) in [
            (json!(90), Some(90_000)),
            (json!(0.5), Some(500)),
            (json!("90s"), Some(90_000)),
            (json!("250ms"), Some(250)),
            (json!("10m"), Some(600_000)),
            (json!("24h"), Some(86_400_000)),
            (json!("7d"), Some(604_800_000)),
            (json!("-1s"), None),
            (json!(-1), None),
            (json!("1.5h"), None),
            (json!("99999999999999999999d"), None),
            (json!("18446744073709551615d"), None),
            (json!("s"), None),
            (json!(""), None),
        ] {
            assert_eq!(step_ms(&value).ok(), expected, "{value}");
        }
    }

    #[test]
    fn times_are_written_to_the_millisecond() {
        assert_eq!(seconds(1_767_225_600_250).to_string(), "1767225600.25");
    }
}
