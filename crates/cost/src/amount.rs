//! Money and counts as text.

/// Most decimal places.
const PLACES_MAX: usize = 15;

/// Returns an amount of money with the places that show it: `$12.35`, `$0.0012`, `$0.000000063`.
pub fn dollars(amount: f64) -> String {
    let size = amount.abs();
    // Below one, four digits from the first that is not 0.
    let mut places = 2;
    let mut scaled = size * 100.0;
    while size < 1.0 && scaled < 1000.0 && places < PLACES_MAX {
        scaled *= 10.0;
        places += 1;
    }
    let sign = if amount < 0.0 { "-" } else { "" };
    let text = format!("{size:.places$}");
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, "00"));
    // At least two decimal places, no further trailing zeros.
    let said = fraction.trim_end_matches('0').len().max(2).min(fraction.len());
    format!("{sign}${}.{}", grouped_digits(whole), &fraction[..said])
}

/// Returns a number with commas between thousands.
pub fn grouped(number: u64) -> String {
    grouped_digits(&number.to_string())
}

/// Returns units, with one decimal place if they have a half.
pub fn units(units: f64) -> String {
    let text = format!("{units:.1}");
    let (whole, tenths) = text.split_once('.').unwrap_or((&text, "0"));
    let whole = grouped_digits(whole);
    if tenths == "0" { whole } else { format!("{whole}.{tenths}") }
}

fn grouped_digits(digits: &str) -> String {
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (nth, digit) in digits.chars().enumerate() {
        if nth > 0 && (digits.len() - nth).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn money_shows_the_places_that_say_something() {
        for (amount, text) in [
            (0.0, "$0.00"),
            (12.345, "$12.35"),
            (1_234_567.0, "$1,234,567.00"),
            (0.5, "$0.50"),
            (0.0125, "$0.0125"),
            (0.001_25, "$0.00125"),
            (0.000_000_062_5, "$0.0000000625"),
            (0.000_001_125, "$0.000001125"),
            (1e-30, "$0.00"),
            (-0.25, "-$0.25"),
        ] {
            assert_eq!(dollars(amount), text, "{amount}");
        }
    }

    #[test]
    fn counts_have_commas() {
        assert_eq!([grouped(7), grouped(1000), grouped(1_234_567)], ["7", "1,000", "1,234,567"]);
        assert_eq!([units(0.5), units(1.0), units(12_345.5)], ["0.5", "1", "12,345.5"]);
    }
}
