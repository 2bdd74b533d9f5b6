//! Exact decimal numbers of up to 38 significant digits, from 1E-130 to 9.99…E+125.
//!
//! A [`Number`] is a sign, the power of ten of its leading digit, and its significant digits
//! without leading or trailing zeros; nothing here goes through floating point.
//!
//! Its binary form orders as the numbers do when compared as unsigned bytes, and is therefore used
//! both in keys and in items:
//!
//! | bytes | content |
//! |---|---|
//! | 1 | sign: 1 negative, 2 zero (and then nothing follows), 3 positive |
//! | 1 | exponent of the leading digit + 130, 0..=255 |
//! | n | two digits each, leading pair first, as `pair + 1` (1..=100); an odd last digit is followed by 0 |
//! | 1 | end: 0 |
//!
//! For a negative number the exponent, the pairs and the end are complemented (`255 - byte`).

use std::cmp::Ordering;
use std::fmt;

/// Most significant digits a number may have. Source: DynamoDB quotas, number precision.
pub const DIGITS_MAX: usize = 38;
const EXPONENT_MAX: i64 = 125;
const EXPONENT_MIN: i64 = -130;
/// Offset that the binary form adds to an exponent, so that none is negative.
const EXPONENT_BIAS: i16 = 130;
const SIGN_NEGATIVE: u8 = 1;
const SIGN_ZERO: u8 = 2;
const SIGN_POSITIVE: u8 = 3;
/// Longest binary form: sign, exponent, 19 pairs, end.
pub const ENCODED_MAX: usize = 22;

/// Reason why a text is not a number that can be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NumberFault {
    /// The text is not a decimal number.
    NotNumeric(String),
    /// The magnitude is 1E126 or more.
    Overflow,
    /// The magnitude is below 1E-130.
    Underflow,
    /// More than 38 significant digits.
    TooManyDigits,
    /// The exponent, or the scale that it makes with the fraction, does not fit 32 bits. The newer
    /// validation layer reports the range, the older one says that the text is not numeric.
    ExponentBeyond32Bits {
        /// The number as sent.
        text: String,
        /// True for a positive exponent.
        overflow: bool,
    },
    /// The exponent is exactly `i32::MAX`: overflow, but underflow in the older layer.
    ExponentAt32BitMax,
}

/// An exact decimal number. See the module header for its limits.
#[derive(Clone, Copy)]
pub struct Number {
    negative: bool,
    /// Power of ten of the leading digit; 0 for zero.
    exponent: i16,
    length: u8,
    /// Invariant: `digits[..length]` has no leading and no trailing zero.
    digits: [u8; DIGITS_MAX],
}

impl Number {
    /// Zero.
    pub const ZERO: Self =
        Self { negative: false, exponent: 0, length: 0, digits: [0; DIGITS_MAX] };

    /// Parses DynamoDB's number grammar: `[+-]? digits? (. digits?)? ([eE][+-]?digits)?`.
    pub fn parse(text: &str) -> Result<Self, NumberFault> {
        Parsed::read(text.as_bytes())
            .ok_or_else(|| NumberFault::NotNumeric(text.to_owned()))?
            .into_number(text)
    }

    fn from_digits(negative: bool, exponent: i64, digits: &[u8]) -> Result<Self, NumberFault> {
        let leading = digits.iter().take_while(|digit| **digit == 0).count();
        let digits = &digits[leading..];
        let trailing = digits.iter().rev().take_while(|digit| **digit == 0).count();
        let digits = &digits[..digits.len() - trailing];
        if digits.is_empty() {
            return Ok(Self::ZERO);
        }
        let exponent = exponent - signed(leading);
        if exponent > EXPONENT_MAX {
            return Err(NumberFault::Overflow);
        }
        if exponent < EXPONENT_MIN {
            return Err(NumberFault::Underflow);
        }
        if digits.len() > DIGITS_MAX {
            return Err(NumberFault::TooManyDigits);
        }
        let exponent = i16::try_from(exponent).expect("it is within the bounds of exponents");
        let length = u8::try_from(digits.len()).expect("there are at most DIGITS_MAX digits");
        let mut number = Self { negative, exponent, length, ..Self::ZERO };
        number.digits[..digits.len()].copy_from_slice(digits);
        Ok(number)
    }

    fn significant(&self) -> &[u8] {
        &self.digits[..usize::from(self.length)]
    }

    /// Returns true for zero.
    pub fn is_zero(&self) -> bool {
        self.length == 0
    }

    /// Returns the exact sum, or the fault that storing it would have.
    pub fn checked_add(&self, other: &Self) -> Result<Self, NumberFault> {
        if self.is_zero() {
            return Ok(*other);
        }
        if other.is_zero() {
            return Ok(*self);
        }
        let top = self.exponent.max(other.exponent) + 1;
        let low = self.lowest_exponent().min(other.lowest_exponent());
        let span = usize::from(top.abs_diff(low)) + 1;
        // Neither number has trailing zeros, so the lowest digit stays; a span this wide cannot
        // shrink to 38 digits even when a carry or a borrow moves the top by one or two.
        if span > DIGITS_MAX + 3 {
            return Err(NumberFault::TooManyDigits);
        }
        let (left, right) = (self.aligned(top, span), other.aligned(top, span));
        let left = &left[..span];
        let right = &right[..span];
        let top = i64::from(top);
        if self.negative == other.negative {
            return Self::from_digits(self.negative, top, &add_digits(left, right)[..span]);
        }
        let (negative, larger, smaller) = if left >= right {
            (self.negative, left, right)
        } else {
            (other.negative, right, left)
        };
        Self::from_digits(negative, top, &subtract_digits(larger, smaller)[..span])
    }

    /// Returns the exact difference, or the fault that storing it would have.
    pub fn checked_sub(&self, other: &Self) -> Result<Self, NumberFault> {
        let negated = Self { negative: !other.negative, ..*other };
        self.checked_add(&if other.is_zero() { Self::ZERO } else { negated })
    }

    fn lowest_exponent(&self) -> i16 {
        self.exponent - i16::from(self.length) + 1
    }

    fn aligned(&self, top: i16, span: usize) -> [u8; DIGITS_MAX + 3] {
        let mut digits = [0; DIGITS_MAX + 3];
        let offset = usize::from(top.abs_diff(self.exponent));
        debug_assert!(offset + usize::from(self.length) <= span, "aligned number exceeds its span");
        digits[offset..offset + usize::from(self.length)].copy_from_slice(self.significant());
        digits
    }

    /// Appends the binary form; at most [`ENCODED_MAX`] bytes.
    pub fn encode(&self, out: &mut Vec<u8>) {
        if self.is_zero() {
            out.push(SIGN_ZERO);
            return;
        }
        let mask = if self.negative { 0xFF } else { 0 };
        out.push(if self.negative { SIGN_NEGATIVE } else { SIGN_POSITIVE });
        let exponent = u8::try_from(self.exponent + EXPONENT_BIAS);
        out.push(exponent.expect("an exponent is within its bounds") ^ mask);
        for pair in self.significant().chunks(2) {
            let second = pair.get(1).copied().unwrap_or(0);
            out.push((pair[0] * 10 + second + 1) ^ mask);
        }
        out.push(mask);
    }

    /// Returns the size in bytes that counts towards the item.
    /// Source: captured 2026-08-18, sizes of numbers: 1 + digit pairs before and after the point.
    pub fn size(&self) -> usize {
        if self.is_zero() {
            return 1;
        }
        let length = usize::from(self.length);
        let before = usize::try_from(self.exponent + 1).map_or(0, |before| before.min(length));
        // Zeros between the point and the first digit are not significant.
        let after = length - before;
        1 + before.div_ceil(2) + after.div_ceil(2) + usize::from(self.negative)
    }

    /// Appends the plain decimal text, without exponent, as the service prints it.
    pub fn write_text(&self, out: &mut Vec<u8>) {
        if self.is_zero() {
            out.push(b'0');
            return;
        }
        if self.negative {
            out.push(b'-');
        }
        let digits = self.significant();
        let Ok(exponent) = usize::try_from(self.exponent) else {
            out.extend_from_slice(b"0.");
            out.resize(out.len() + usize::from(self.exponent.unsigned_abs()) - 1, b'0');
            out.extend(digits.iter().map(|digit| digit + b'0'));
            return;
        };
        let before = exponent + 1;
        let split = before.min(digits.len());
        out.extend(digits[..split].iter().map(|digit| digit + b'0'));
        if before > digits.len() {
            out.resize(out.len() + before - digits.len(), b'0');
        } else if split < digits.len() {
            out.push(b'.');
            out.extend(digits[split..].iter().map(|digit| digit + b'0'));
        }
    }

    /// Returns the part before the point, if it is from 0 to `u64::MAX`.
    pub fn whole_u64(&self) -> Option<u64> {
        /// Digits of `u64::MAX`.
        const PLACES_MAX: i16 = 20;
        if self.negative || self.exponent >= PLACES_MAX {
            return None;
        }
        let places =
            if self.is_zero() { 0 } else { usize::try_from(self.exponent + 1).unwrap_or(0) };
        let digits = self.significant().iter().copied().chain(std::iter::repeat(0));
        let mut digits = digits.take(places);
        digits.try_fold(0_u64, |whole, digit| whole.checked_mul(10)?.checked_add(digit.into()))
    }

    /// Returns the value as an `i64` if it is an integer in that range.
    pub fn to_i64(&self) -> Option<i64> {
        self.to_string().parse().ok()
    }
}

fn add_digits(left: &[u8], right: &[u8]) -> [u8; DIGITS_MAX + 3] {
    let mut sum = [0; DIGITS_MAX + 3];
    let mut carry = 0;
    for offset in (0..left.len()).rev() {
        let digit = left[offset] + right[offset] + carry;
        carry = digit / 10;
        sum[offset] = digit % 10;
    }
    assert_eq!(carry, 0, "the top digit is kept free for the carry");
    sum
}

fn subtract_digits(larger: &[u8], smaller: &[u8]) -> [u8; DIGITS_MAX + 3] {
    let mut difference = [0; DIGITS_MAX + 3];
    let mut borrow = 0;
    for offset in (0..larger.len()).rev() {
        let wanted = smaller[offset] + borrow;
        borrow = u8::from(larger[offset] < wanted);
        difference[offset] = larger[offset] + 10 * borrow - wanted;
    }
    assert_eq!(borrow, 0, "the larger number is on the left");
    difference
}

/// A number's text taken apart, before its range is checked.
struct Parsed<'a> {
    negative: bool,
    whole: &'a [u8],
    fraction: &'a [u8],
    exponent: Option<i64>,
    exponent_text_overflows: bool,
}

impl<'a> Parsed<'a> {
    fn read(text: &'a [u8]) -> Option<Self> {
        let (negative, rest) = split_sign(text);
        let (whole, rest) = split_digits(rest);
        let (fraction, rest) = match rest {
            [b'.', rest @ ..] => split_digits(rest),
            _ => (&rest[..0], rest),
        };
        if whole.is_empty() && fraction.is_empty() {
            return None;
        }
        let mut parsed =
            Self { negative, whole, fraction, exponent: None, exponent_text_overflows: false };
        match rest {
            [] => Some(parsed),
            [b'e' | b'E', rest @ ..] => {
                let (exponent_negative, digits) = split_sign(rest);
                let (digits, rest) = split_digits(digits);
                if digits.is_empty() || !rest.is_empty() {
                    return None;
                }
                parsed.exponent = parse_exponent(exponent_negative, digits);
                parsed.exponent_text_overflows = parsed.exponent.is_none();
                Some(parsed)
            }
            _ => None,
        }
    }

    fn into_number(self, text: &str) -> Result<Number, NumberFault> {
        if self.exponent_text_overflows {
            return Err(NumberFault::NotNumeric(text.to_owned()));
        }
        let shift = self.exponent.unwrap_or(0);
        if shift == i64::from(i32::MAX) {
            return Err(NumberFault::ExponentAt32BitMax);
        }
        // A scale as Java has it: 1.5e-2147483647 has one of 2147483648. Source: captured 2026.
        let scale = signed(self.fraction.len()).saturating_sub(shift);
        if i32::try_from(shift).is_err() || scale > i64::from(i32::MAX) {
            let overflow = shift > 0;
            return Err(NumberFault::ExponentBeyond32Bits { text: text.to_owned(), overflow });
        }
        let leading = self.whole.iter().take_while(|digit| **digit == b'0').count();
        let whole = &self.whole[leading..];
        if whole.is_empty() && self.fraction.iter().all(|digit| *digit == b'0') {
            return zero_with_exponent(shift);
        }
        let mut digits = [0_u8; 64];
        let mut length = 0;
        let mut skipped_zeros = 0_i64;
        let mut beyond = false;
        for digit in whole.iter().chain(self.fraction).map(|digit| digit - b'0') {
            if length == 0 && digit == 0 {
                skipped_zeros += 1;
            } else if length < digits.len() {
                digits[length] = digit;
                length += 1;
            } else if digit != 0 {
                beyond = true;
            }
        }
        let exponent = shift + signed(whole.len()) - 1 - skipped_zeros;
        if beyond && (EXPONENT_MIN..=EXPONENT_MAX).contains(&exponent) {
            return Err(NumberFault::TooManyDigits);
        }
        Number::from_digits(self.negative, exponent, &digits[..length])
    }
}

/// Returns the length of a text in bytes as a signed number, for arithmetic with exponents.
fn signed(length: usize) -> i64 {
    i64::try_from(length).expect("no text is longer than isize::MAX")
}

fn split_sign(text: &[u8]) -> (bool, &[u8]) {
    match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    }
}

fn split_digits(text: &[u8]) -> (&[u8], &[u8]) {
    let length = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    text.split_at(length)
}

/// Returns `None` if the exponent does not fit 64 bits.
fn parse_exponent(negative: bool, digits: &[u8]) -> Option<i64> {
    digits.iter().try_fold(0_i64, |exponent, digit| {
        let digit = i64::from(digit - b'0');
        let exponent = exponent.checked_mul(10)?;
        if negative { exponent.checked_sub(digit) } else { exponent.checked_add(digit) }
    })
}

/// Returns zero, or the fault of its exponent. Source: captured 2026, `0e126` overflows.
fn zero_with_exponent(exponent: i64) -> Result<Number, NumberFault> {
    if exponent > EXPONENT_MAX {
        return Err(NumberFault::Overflow);
    }
    if exponent < EXPONENT_MIN {
        return Err(NumberFault::Underflow);
    }
    Ok(Number::ZERO)
}

impl PartialEq for Number {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Number {}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Number {
    fn cmp(&self, other: &Self) -> Ordering {
        let magnitude =
            || (self.exponent, self.significant()).cmp(&(other.exponent, other.significant()));
        let sign = |number: &Self| match (number.is_zero(), number.negative) {
            (true, _) => 0,
            (false, true) => -1,
            (false, false) => 1,
        };
        sign(self).cmp(&sign(other)).then_with(|| match sign(self) {
            0 => Ordering::Equal,
            1 => magnitude(),
            _ => magnitude().reverse(),
        })
    }
}

impl std::hash::Hash for Number {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        (self.negative, self.exponent, self.significant()).hash(state);
    }
}

impl fmt::Display for Number {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = Vec::with_capacity(DIGITS_MAX + 2);
        self.write_text(&mut text);
        formatter.write_str(std::str::from_utf8(&text).expect("digits are ASCII"))
    }
}

impl fmt::Debug for Number {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

impl std::str::FromStr for Number {
    type Err = NumberFault;

    fn from_str(text: &str) -> Result<Self, NumberFault> {
        Self::parse(text)
    }
}

macro_rules! number_from_integer {
    ($($integer:ty),*) => {$(
        impl From<$integer> for Number {
            fn from(integer: $integer) -> Self {
                Self::parse(&integer.to_string()).expect("an integer of 64 bits has 20 digits at most")
            }
        }
    )*};
}
number_from_integer!(u8, u16, u32, u64, usize, i8, i16, i32, i64, isize);

/// A number in its binary form, borrowed. Compares by value as bytes do.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NumberRef<'a>(&'a [u8]);

impl<'a> NumberRef<'a> {
    /// Wraps bytes that [`Number::encode`] wrote.
    pub fn from_encoded(bytes: &'a [u8]) -> Self {
        debug_assert!(matches!(bytes.first(), Some(SIGN_NEGATIVE..=SIGN_POSITIVE)));
        Self(bytes)
    }

    /// Returns the binary form.
    pub fn as_bytes(&self) -> &'a [u8] {
        self.0
    }

    /// Returns the decoded number.
    pub fn to_number(&self) -> Number {
        let [sign @ (SIGN_NEGATIVE | SIGN_POSITIVE), exponent, pairs @ .., _end] = self.0 else {
            return Number::ZERO;
        };
        let mask = if *sign == SIGN_NEGATIVE { 0xFF } else { 0 };
        let mut number = Number {
            negative: mask != 0,
            exponent: i16::from(exponent ^ mask) - EXPONENT_BIAS,
            length: 0,
            ..Number::ZERO
        };
        let mut length = 0;
        for pair in pairs.iter().take(DIGITS_MAX / 2) {
            let pair = (pair ^ mask).saturating_sub(1);
            number.digits[length] = pair / 10;
            number.digits[length + 1] = pair % 10;
            length += 2;
        }
        if length > 0 && number.digits[length - 1] == 0 {
            length -= 1;
        }
        number.length = u8::try_from(length).expect("it has at most DIGITS_MAX digits");
        number
    }

    /// Appends the plain decimal text.
    pub fn write_text(&self, out: &mut Vec<u8>) {
        self.to_number().write_text(out);
    }

    /// Returns the size in bytes that counts towards the item.
    pub fn size(&self) -> usize {
        self.to_number().size()
    }
}

impl fmt::Debug for NumberRef<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.to_number(), formatter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn number(text: &str) -> Number {
        Number::parse(text).unwrap()
    }

    #[test]
    fn whole_parts_are_what_stands_before_the_point() {
        for (text, expected) in [
            ("0", Some(0)),
            ("0.999", Some(0)),
            ("1E-130", Some(0)),
            ("1767225600", Some(1_767_225_600)),
            ("1767225600.5", Some(1_767_225_600)),
            ("1.7672256E9", Some(1_767_225_600)),
            ("18446744073709551615.9", Some(u64::MAX)),
            ("18446744073709551616", None),
            ("100000000000000000000", None),
            ("9E125", None),
            ("-1", None),
            ("-0.5", None),
        ] {
            assert_eq!(Number::parse(text).unwrap().whole_u64(), expected, "{text}");
        }
    }

    #[test]
    fn text_is_printed_plain_and_trimmed() {
        for (text, printed) in [
            ("0", "0"),
            ("-0", "0"),
            ("0e125", "0"),
            ("+5", "5"),
            ("007", "7"),
            (".5", "0.5"),
            ("5.", "5"),
            ("1.500", "1.5"),
            ("100", "100"),
            ("1e3", "1000"),
            ("1.5e1", "15"),
            ("12.34e1", "123.4"),
            ("-0.00120", "-0.0012"),
            ("1E-3", "0.001"),
            ("99999999999999999999999999999999999999", "99999999999999999999999999999999999999"),
        ] {
            assert_eq!(number(text).to_string(), printed, "{text}");
        }
        assert_eq!(number("1E125").to_string(), format!("1{}", "0".repeat(125)));
        assert_eq!(number("1E-130").to_string(), format!("0.{}1", "0".repeat(129)));
    }

    #[test]
    fn faults_are_told_apart() {
        for text in
            ["", " 1", "1 ", "1+2", "1.2.3", "+e2", "1e", "0x10", "NaN", "abc", ".", "e5", "-"]
        {
            assert_eq!(Number::parse(text), Err(NumberFault::NotNumeric(text.to_owned())));
        }
        let beyond = |text: &str| NumberFault::ExponentBeyond32Bits {
            text: text.to_owned(),
            overflow: false,
        };
        for (text, fault) in [
            ("1e126", NumberFault::Overflow),
            ("0e126", NumberFault::Overflow),
            ("1e-131", NumberFault::Underflow),
            ("0e-131", NumberFault::Underflow),
            ("123456789012345678901234567890123456789", NumberFault::TooManyDigits),
            ("1e2147483647", NumberFault::ExponentAt32BitMax),
            ("1e-2147483648", beyond("1e-2147483648")),
            ("1.5e-2147483647", beyond("1.5e-2147483647")),
            ("1e-2147483647", NumberFault::Underflow),
            ("1.5e-2147483646", NumberFault::Underflow),
            ("1e9223372036854775808", NumberFault::NotNumeric("1e9223372036854775808".to_owned())),
        ] {
            assert_eq!(Number::parse(text), Err(fault), "{text}");
        }
        let long = format!("1{}1", "0".repeat(100));
        assert_eq!(Number::parse(&long), Err(NumberFault::TooManyDigits));
        assert!(Number::parse(&format!("1{}", "0".repeat(125))).is_ok());
        assert_eq!(Number::parse(&"9".repeat(100_000)), Err(NumberFault::Overflow));
    }

    #[test]
    fn sizes_match_the_captured_points() {
        for (text, size) in [
            ("0", 1),
            ("1", 2),
            ("12", 2),
            ("123", 3),
            ("1234", 3),
            ("12345", 4),
            ("123456", 4),
            ("12345678", 5),
            ("1234567890123456789", 11),
            ("0042", 2),
            ("100", 2),
            ("1010", 3),
            ("0.0000001", 2),
            ("1E125", 2),
            ("1E-100", 2),
            ("1.5", 3),
            ("1.200", 3),
            ("1.234", 4),
            ("3.14159", 5),
            ("100.5", 4),
            ("0.15", 2),
            ("-42", 3),
            ("-12345", 5),
            ("-1E125", 3),
            ("-0", 1),
            ("99999999999999999999999999999999999999", 20),
        ] {
            assert_eq!(number(text).size(), size, "{text}");
        }
    }

    #[test]
    fn arithmetic_is_exact() {
        for (left, right, sum) in [
            ("1", "2", "3"),
            ("0.1", "0.2", "0.3"),
            ("-5", "5", "0"),
            ("1e38", "-1", "99999999999999999999999999999999999999"),
            ("9", "1", "10"),
            ("-1", "-9.5", "-10.5"),
            ("1", "-0.01", "0.99"),
            ("1e125", "0", &format!("1{}", "0".repeat(125))),
        ] {
            assert_eq!(number(left).checked_add(&number(right)).unwrap().to_string(), sum);
        }
        assert_eq!(number("1e50").checked_add(&number("1")), Err(NumberFault::TooManyDigits));
        assert_eq!(number("9e125").checked_add(&number("1e125")), Err(NumberFault::Overflow));
        assert_eq!(number("3").checked_sub(&number("5")).unwrap().to_string(), "-2");
    }

    fn decimals() -> impl Strategy<Value = Number> {
        (any::<bool>(), prop::collection::vec(0_u8..10, 0..39), -130_i64..126)
            .prop_filter_map("out of range", |(negative, digits, exponent)| {
                Number::from_digits(negative, exponent, &digits).ok()
            })
    }

    /// Compares by aligning digit strings: an independent definition of numeric order.
    fn order_by_digits(left: &Number, right: &Number) -> Ordering {
        let expand = |number: &Number| {
            let mut digits = vec![0_u8; 300];
            let start = usize::try_from(130 - number.exponent).unwrap();
            digits[start..start + number.significant().len()].copy_from_slice(number.significant());
            digits
        };
        match (left.negative, right.negative) {
            (false, true) => Ordering::Greater,
            (true, false) => Ordering::Less,
            (false, false) => expand(left).cmp(&expand(right)),
            (true, true) => expand(right).cmp(&expand(left)),
        }
    }

    proptest! {
        #[test]
        fn byte_order_is_numeric_order(left in decimals(), right in decimals()) {
            let (mut left_bytes, mut right_bytes) = (Vec::new(), Vec::new());
            left.encode(&mut left_bytes);
            right.encode(&mut right_bytes);
            prop_assert_eq!(left_bytes.cmp(&right_bytes), order_by_digits(&left, &right));
            prop_assert_eq!(left.cmp(&right), order_by_digits(&left, &right));
        }

        #[test]
        fn encoding_and_text_round_trip(number in decimals()) {
            let mut bytes = Vec::new();
            number.encode(&mut bytes);
            prop_assert!(bytes.len() <= ENCODED_MAX);
            let back = NumberRef::from_encoded(&bytes).to_number();
            prop_assert_eq!(back, number);
            prop_assert_eq!(Number::parse(&back.to_string()).unwrap(), number);
        }

        #[test]
        fn subtraction_undoes_addition(left in decimals(), right in decimals()) {
            if let Ok(sum) = left.checked_add(&right) && let Ok(back) = sum.checked_sub(&right) {
                prop_assert_eq!(back, left);
            }
        }

        #[test]
        fn any_text_is_answered(text in ".{0,60}") {
            if let Ok(number) = Number::parse(&text) {
                prop_assert_eq!(Number::parse(&number.to_string()).unwrap(), number);
            }
        }
    }
}
