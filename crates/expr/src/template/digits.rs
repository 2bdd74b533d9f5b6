//! Numbers as digits of a fixed width, in the order of the numbers.
//!
//! | number | ascending, `pad:4` | descending, `pad:4:desc` |
//! |---|---|---|
//! | 42 | `0042` | `9957` |
//! | 0 | `0000` | `9999` |
//! | -42 | `-9957` | `~0042` |
//!
//! A negative number begins with a sign that sorts before or after all digits, and its digits are
//! complemented: 9 minus each. `pad:4.2` has a point and two more digits, `0042.50`.

use hashrange_model::Number;
use hashrange_model::error::DerivedKeyFault;

/// Most digits before and after the point: as many as a number has.
pub(super) const DIGITS_MAX: usize = hashrange_model::number::DIGITS_MAX;

/// Width and order of a number's digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Padding {
    /// Digits before the point, from 1 to 38.
    pub(super) whole: usize,
    /// Digits after it, from 0 to 38.
    pub(super) fraction: usize,
    pub(super) is_descending: bool,
}

impl Padding {
    /// Appends a number, the value of an attribute `part`.
    pub(super) fn encode(
        self,
        part: &str,
        number: &Number,
        key: &mut String,
    ) -> Result<(), DerivedKeyFault> {
        let text = number.to_string();
        let (is_negative, whole, fraction) = split(&text);
        let part = || part.to_owned();
        if whole.len() > self.whole {
            return Err(DerivedKeyFault::TooWide { part: part(), digits: self.whole });
        }
        if fraction.len() > self.fraction {
            return Err(DerivedKeyFault::TooPrecise { part: part(), digits: self.fraction });
        }
        let width = self.whole;
        let digits = match self.fraction {
            0 => format!("{whole:0>width$}"),
            places => format!("{whole:0>width$}.{fraction:0<places$}"),
        };
        if is_negative {
            key.push(self.sign());
        }
        let is_complemented = is_negative != self.is_descending;
        key.push_str(&if is_complemented { complement(&digits) } else { digits });
        Ok(())
    }

    /// Reads a number from the front of `rest`, if it is in the form of [`Self::encode`].
    pub(super) fn read(self, rest: &str) -> Option<(Number, &str)> {
        let (is_negative, digits) = match rest.strip_prefix(self.sign()) {
            Some(digits) => (true, digits),
            None => (false, rest),
        };
        let (digits, after) = digits.split_at_checked(self.digits_width())?;
        let is_complemented = is_negative != self.is_descending;
        let digits = if is_complemented { complement(digits) } else { digits.to_owned() };
        let number = Number::parse(&digits).ok()?;
        let number = if is_negative { Number::ZERO.checked_sub(&number).ok()? } else { number };
        let mut again = String::new();
        self.encode("", &number, &mut again).ok()?;
        let read = rest.strip_suffix(after)?;
        (again == read).then_some((number, after))
    }

    /// Returns the bytes that a number with this beginning takes.
    pub(super) fn width(self, rest: &str) -> usize {
        usize::from(rest.starts_with(self.sign())) + self.digits_width()
    }

    fn digits_width(self) -> usize {
        self.whole + if self.fraction > 0 { 1 + self.fraction } else { 0 }
    }

    /// Returns the sign of negative numbers.
    fn sign(self) -> char {
        if self.is_descending { '~' } else { '-' }
    }
}

/// Returns whether a number's text is negative, and its digits before and after the point.
pub(super) fn split(text: &str) -> (bool, &str, &str) {
    let (is_negative, text) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    (is_negative, whole, fraction)
}

/// Returns a text with each digit replaced by 9 minus it.
pub(super) fn complement(text: &str) -> String {
    let turned = |character: char| match character {
        '0'..='9' => char::from(b'9' - (character as u8 - b'0')),
        other => other,
    };
    text.chars().map(turned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encoded(padding: Padding, number: &str) -> Result<String, DerivedKeyFault> {
        let mut key = String::new();
        padding.encode("n", &Number::parse(number).unwrap(), &mut key)?;
        Ok(key)
    }

    #[test]
    fn numbers_have_the_width_of_their_padding() {
        let plain = Padding { whole: 4, fraction: 0, is_descending: false };
        let decimal = Padding { whole: 3, fraction: 2, is_descending: false };
        for (padding, number, expected) in [
            (plain, "42", "0042"),
            (plain, "0", "0000"),
            (plain, "-42", "-9957"),
            (plain, "-9999", "-0000"),
            (decimal, "0.5", "000.50"),
            (decimal, "-0.25", "-999.74"),
            (decimal, "999.99", "999.99"),
            (Padding { is_descending: true, ..plain }, "42", "9957"),
            (Padding { is_descending: true, ..plain }, "-42", "~0042"),
        ] {
            assert_eq!(encoded(padding, number).unwrap(), expected, "{number}");
            let key = format!("{expected}#x");
            let (read, after) = padding.read(&key).unwrap();
            assert_eq!((read.to_string().as_str(), after), (number, "#x"));
        }
    }

    #[test]
    fn numbers_that_do_not_fit_are_refused() {
        let padding = Padding { whole: 3, fraction: 1, is_descending: false };
        let part = || "n".to_owned();
        for number in ["1000", "-1000", "1E125"] {
            let fault = DerivedKeyFault::TooWide { part: part(), digits: 3 };
            assert_eq!(encoded(padding, number), Err(fault), "{number}");
        }
        for number in ["0.25", "-1.01", "1E-130"] {
            let fault = DerivedKeyFault::TooPrecise { part: part(), digits: 1 };
            assert_eq!(encoded(padding, number), Err(fault), "{number}");
        }
    }

    #[test]
    fn only_what_is_written_is_read() {
        let padding = Padding { whole: 2, fraction: 0, is_descending: false };
        // The last of these is a zero with a sign.
        for text in ["", "1", "1a", "é1", "+1", "-1", "-99"] {
            assert_eq!(padding.read(text), None, "{text}");
        }
    }
}
