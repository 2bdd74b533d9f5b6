//! Conversions between Rust types and attribute values.
//!
//! Types whose every value can be stored convert with `From`: text, integers of up to 64 bits,
//! bytes, lists, maps, `None` as NULL. Floats and integers of 128 bits convert with `TryFrom`,
//! because not each of them is a number that can be stored. The way back is always `TryFrom`,
//! because a value may be of another type.

use crate::item::Item;
use crate::number::{Number, NumberFault};
use crate::value::{AttributeType, AttributeValue, ValueRef};
use bytes::Bytes;
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::fmt;

/// A type of which a `Vec` or an array becomes a list. `u8` is none: a `Vec<u8>` is binary data.
///
/// Implement it for your own types that convert into an [`AttributeValue`], and vectors of them
/// convert too.
pub trait ListElement: Into<AttributeValue> {}

macro_rules! list_elements {
    ($($element:ty),* $(,)?) => { $(impl ListElement for $element {})* };
}
list_elements!(
    AttributeValue,
    Item,
    &Item,
    Number,
    Bytes,
    bool,
    i8,
    i16,
    i32,
    i64,
    isize,
    u16,
    u32,
    u64,
    usize,
    &str,
    String,
    &String,
    Cow<'_, str>,
    Box<str>,
    char,
    &[u8],
    Vec<u8>,
    ()
);
impl<T: ListElement> ListElement for Vec<T> {}
impl<T: Into<AttributeValue>> ListElement for Option<T> {}
impl<T: ListElement, const N: usize> ListElement for [T; N] {}
impl<const N: usize> ListElement for &[u8; N] {}
impl<const N: usize> ListElement for [u8; N] {}
impl<K: Into<String>, V: Into<AttributeValue>> ListElement for BTreeMap<K, V> {}
impl<K: Into<String>, V: Into<AttributeValue>, H> ListElement for HashMap<K, V, H> {}

impl<T: ListElement> From<Vec<T>> for AttributeValue {
    fn from(elements: Vec<T>) -> Self {
        Self::L(elements.into_iter().map(Into::into).collect())
    }
}

impl<T: ListElement, const N: usize> From<[T; N]> for AttributeValue {
    fn from(elements: [T; N]) -> Self {
        Self::L(elements.into_iter().map(Into::into).collect())
    }
}

impl From<Vec<u8>> for AttributeValue {
    fn from(bytes: Vec<u8>) -> Self {
        Self::B(bytes.into())
    }
}

impl From<&[u8]> for AttributeValue {
    fn from(bytes: &[u8]) -> Self {
        Self::B(Bytes::copy_from_slice(bytes))
    }
}

impl<const N: usize> From<[u8; N]> for AttributeValue {
    fn from(bytes: [u8; N]) -> Self {
        Self::from(bytes.as_slice())
    }
}

impl<const N: usize> From<&[u8; N]> for AttributeValue {
    fn from(bytes: &[u8; N]) -> Self {
        Self::from(bytes.as_slice())
    }
}

impl<T: Into<Self>> From<Option<T>> for AttributeValue {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

impl<K: Into<String>, V: Into<Self>> From<BTreeMap<K, V>> for AttributeValue {
    fn from(entries: BTreeMap<K, V>) -> Self {
        Self::map(entries.into_iter().map(|(name, value)| (name, value.into())))
    }
}

impl<K: Into<String>, V: Into<Self>, H> From<HashMap<K, V, H>> for AttributeValue {
    fn from(entries: HashMap<K, V, H>) -> Self {
        Self::map(entries.into_iter().map(|(name, value)| (name, value.into())))
    }
}

impl From<&Item> for AttributeValue {
    fn from(item: &Item) -> Self {
        Self::map(item.iter().map(|(name, value)| (name, value.to_attribute_value())))
    }
}

impl From<Item> for AttributeValue {
    fn from(item: Item) -> Self {
        Self::from(&item)
    }
}

impl From<ValueRef<'_>> for AttributeValue {
    fn from(value: ValueRef<'_>) -> Self {
        value.to_attribute_value()
    }
}

impl From<&String> for AttributeValue {
    fn from(text: &String) -> Self {
        Self::S(text.clone())
    }
}

impl From<Cow<'_, str>> for AttributeValue {
    fn from(text: Cow<'_, str>) -> Self {
        Self::S(text.into_owned())
    }
}

impl From<Box<str>> for AttributeValue {
    fn from(text: Box<str>) -> Self {
        Self::S(text.into())
    }
}

impl From<char> for AttributeValue {
    fn from(character: char) -> Self {
        Self::S(character.into())
    }
}

impl From<()> for AttributeValue {
    fn from((): ()) -> Self {
        Self::Null
    }
}

macro_rules! from_text_of {
    ($($number:ty),*) => {$(
        impl TryFrom<$number> for Number {
            type Error = NumberFault;

            /// Returns the number that Rust prints: for a float, the shortest decimal that stands
            /// for it. Refuses NaN, the infinities and numbers out of the range of [`Number`].
            fn try_from(number: $number) -> Result<Self, NumberFault> {
                Self::parse(&format!("{number:e}"))
            }
        }

        impl TryFrom<$number> for AttributeValue {
            type Error = NumberFault;

            fn try_from(number: $number) -> Result<Self, NumberFault> {
                Number::try_from(number).map(Self::N)
            }
        }
    )*};
}
from_text_of!(f32, f64, i128, u128);

impl fmt::Display for NumberFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotNumeric(text) => write!(formatter, "{text} is not a number"),
            Self::Overflow | Self::ExponentAt32BitMax => {
                formatter.write_str("the number is 1E126 or more")
            }
            Self::Underflow => formatter.write_str("the number is below 1E-130 and not zero"),
            Self::TooManyDigits => formatter.write_str("the number has more than 38 digits"),
            Self::ExponentBeyond32Bits { text, .. } => {
                write!(formatter, "the exponent of {text} is out of range")
            }
        }
    }
}

impl std::error::Error for NumberFault {}

/// A value has another type than the one asked for, or a number does not fit.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct WrongType {
    /// Name of the attribute, if the caller gave one.
    pub attribute: Option<String>,
    /// Expected type.
    pub expected: &'static str,
    /// Type of the value; `None` if there is no such attribute.
    pub found: Option<AttributeType>,
}

impl fmt::Display for WrongType {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(attribute) = &self.attribute {
            write!(formatter, "attribute {attribute:?}: ")?;
        }
        let Self { expected, found, .. } = self;
        match found {
            Some(found) => {
                write!(formatter, "expected {expected}, found a value of type {}", found.as_str())
            }
            None => write!(formatter, "expected {expected}, there is no such attribute"),
        }
    }
}

impl std::error::Error for WrongType {}

impl<'a> ValueRef<'a> {
    /// Returns the text of a string.
    pub fn as_str(&self) -> Option<&'a str> {
        if let Self::S(text) = self { Some(text) } else { None }
    }

    /// Returns the bytes of binary data.
    pub fn as_bytes(&self) -> Option<&'a [u8]> {
        if let Self::B(bytes) = self { Some(bytes) } else { None }
    }

    /// Returns a boolean.
    pub fn as_bool(&self) -> Option<bool> {
        if let Self::Bool(boolean) = self { Some(*boolean) } else { None }
    }

    /// Returns a number, exact.
    pub fn as_number(&self) -> Option<Number> {
        if let Self::N(number) = self { Some(number.to_number()) } else { None }
    }

    /// Returns a number that is an integer from `i64::MIN` to `i64::MAX`.
    pub fn as_i64(&self) -> Option<i64> {
        self.as_number()?.to_i64()
    }

    /// Returns a number that is an integer from 0 to `u64::MAX`.
    pub fn as_u64(&self) -> Option<u64> {
        self.as_number()?.to_string().parse().ok()
    }

    /// Returns a number as the float nearest to it.
    pub fn as_f64(&self) -> Option<f64> {
        self.as_number()?.to_string().parse().ok()
    }

    /// Returns whether the value is NULL.
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    fn wrong(&self, expected: &'static str) -> WrongType {
        WrongType { attribute: None, expected, found: Some(self.attribute_type()) }
    }
}

impl Item {
    /// Returns the value of the attribute `name` as a type of Rust's.
    ///
    /// ```
    /// use hashrange_model::{AttributeValue, Item};
    /// let item = Item::from_attributes([("city", "Omaha".into()), ("zip", 68118.into())]);
    /// let (city, zip): (&str, u32) = (item.get_as("city")?, item.get_as("zip")?);
    /// assert_eq!((city, zip), ("Omaha", 68118));
    /// assert_eq!(item.get_as::<Option<bool>>("capital")?, None);
    /// let wrong = item.get_as::<bool>("city").unwrap_err();
    /// assert_eq!(wrong.to_string(), "attribute \"city\": expected a boolean, found a value of type S");
    /// # Ok::<(), hashrange_model::WrongType>(())
    /// ```
    ///
    /// # Errors
    /// There is no such attribute (unless an `Option` is asked for), or its value is of another
    /// type or a number that does not fit.
    pub fn get_as<'a, T: FromAttribute<'a>>(&'a self, name: &str) -> Result<T, WrongType> {
        T::from_attribute(self.get(name))
            .map_err(|wrong| WrongType { attribute: Some(name.to_owned()), ..wrong })
    }
}

/// A type that an attribute's value can be read into; see [`Item::get_as`].
pub trait FromAttribute<'a>: Sized {
    /// Returns the value of an attribute, which may be missing.
    ///
    /// # Errors
    /// The value has another type, or the attribute is missing.
    fn from_attribute(value: Option<ValueRef<'a>>) -> Result<Self, WrongType>;
}

impl<'a, T: FromAttribute<'a>> FromAttribute<'a> for Option<T> {
    fn from_attribute(value: Option<ValueRef<'a>>) -> Result<Self, WrongType> {
        match value {
            None | Some(ValueRef::Null) => Ok(None),
            some => T::from_attribute(some).map(Some),
        }
    }
}

/// Defines the conversion of a value to a type, and the type's name in errors.
macro_rules! read_as {
    ($($target:ty: $expected:literal, $read:expr;)*) => {$(
        impl<'a> TryFrom<ValueRef<'a>> for $target {
            type Error = WrongType;

            fn try_from(value: ValueRef<'a>) -> Result<Self, WrongType> {
                let read: fn(&ValueRef<'a>) -> Option<Self> = $read;
                read(&value).ok_or_else(|| value.wrong($expected))
            }
        }

        impl<'a> FromAttribute<'a> for $target {
            fn from_attribute(value: Option<ValueRef<'a>>) -> Result<Self, WrongType> {
                let missing = WrongType { attribute: None, expected: $expected, found: None };
                value.ok_or(missing)?.try_into()
            }
        }
    )*};
}

read_as! {
    &'a str: "text", ValueRef::as_str;
    String: "text", |value| value.as_str().map(str::to_owned);
    &'a [u8]: "binary data", ValueRef::as_bytes;
    Vec<u8>: "binary data", |value| value.as_bytes().map(<[u8]>::to_vec);
    Bytes: "binary data", |value| value.as_bytes().map(Bytes::copy_from_slice);
    bool: "a boolean", ValueRef::as_bool;
    Number: "a number", ValueRef::as_number;
    f64: "a number", ValueRef::as_f64;
    f32: "a number", |value| value.as_number()?.to_string().parse().ok();
    i8: "an integer from -128 to 127", integer;
    i16: "an integer of 16 bits", integer;
    i32: "an integer of 32 bits", integer;
    i64: "an integer of 64 bits", integer;
    i128: "an integer of 128 bits", integer;
    isize: "an integer of 64 bits", integer;
    u8: "an integer from 0 to 255", integer;
    u16: "a positive integer of 16 bits", integer;
    u32: "a positive integer of 32 bits", integer;
    u64: "a positive integer of 64 bits", integer;
    u128: "a positive integer of 128 bits", integer;
    usize: "a positive integer of 64 bits", integer;
}

fn integer<T: std::str::FromStr>(value: &ValueRef<'_>) -> Option<T> {
    value.as_number()?.to_string().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_programs_have_becomes_values() {
        let number = |text: &str| AttributeValue::N(Number::parse(text).unwrap());
        let cases = [
            (AttributeValue::from(&b"ab"[..]), AttributeValue::B(Bytes::from_static(b"ab"))),
            (b"ab".into(), AttributeValue::B(Bytes::from_static(b"ab"))),
            (vec![1_u8, 2].into(), AttributeValue::B(Bytes::from_static(&[1, 2]))),
            (vec![1, 2].into(), AttributeValue::L(vec![number("1"), number("2")])),
            ([Some("a"), None].into(), AttributeValue::L(vec!["a".into(), AttributeValue::Null])),
            (vec![vec![1_u8]].into(), AttributeValue::L(vec![vec![1_u8].into()])),
            (None::<i32>.into(), AttributeValue::Null),
            (().into(), AttributeValue::Null),
            ('x'.into(), "x".into()),
            (Cow::from("x").into(), "x".into()),
            (BTreeMap::from([("a", 1)]).into(), AttributeValue::map([("a", 1.into())])),
            (
                [("a", vec![true])].into_iter().collect::<HashMap<_, _>>().into(),
                AttributeValue::map([("a", AttributeValue::L(vec![true.into()]))]),
            ),
            (
                Item::from_attributes([("a", 1.into())]).into(),
                AttributeValue::map([("a", 1.into())]),
            ),
        ];
        for (converted, expected) in cases {
            assert_eq!(converted, expected);
        }
    }

    #[test]
    fn numbers_that_cannot_be_stored_are_refused_with_a_sentence() {
        let text = |number: Result<Number, NumberFault>| {
            number.map_or_else(|fault| fault.to_string(), |number| number.to_string())
        };
        let cases = [
            (Number::try_from(0.1_f64), "0.1"),
            (Number::try_from(0.1_f32), "0.1"),
            (Number::try_from(-0.0), "0"),
            (Number::try_from(1e-100), &format!("0.{}1", "0".repeat(99))),
            (Number::try_from(9_007_199_254_740_993_i128), "9007199254740993"),
            (Number::try_from(10_u128.pow(38)), &format!("1{}", "0".repeat(38))),
            (Number::try_from(u128::MAX), "the number has more than 38 digits"),
            (Number::try_from(f64::NAN), "NaN is not a number"),
            (Number::try_from(f32::NEG_INFINITY), "-inf is not a number"),
            (Number::try_from(1e126), "the number is 1E126 or more"),
            (Number::try_from(1e-131), "the number is below 1E-130 and not zero"),
        ];
        for (number, expected) in cases {
            assert_eq!(text(number), expected);
        }
    }

    #[test]
    fn values_are_read_as_types_or_what_is_wrong_is_said() {
        let item = Item::from_attributes([
            ("b", AttributeValue::from(b"xy")),
            ("n", AttributeValue::N(Number::parse("-1.5").unwrap())),
            ("i", 300.into()),
            ("s", "text".into()),
            ("t", true.into()),
            ("z", AttributeValue::Null),
        ]);
        assert_eq!(item.get_as("b"), Ok(&b"xy"[..]));
        assert_eq!(item.get_as("b"), Ok(b"xy".to_vec()));
        assert_eq!(item.get_as("n"), Ok(-1.5_f64));
        assert_eq!(item.get_as("i"), Ok(300_u128));
        assert_eq!(item.get_as("s"), Ok("text".to_owned()));
        assert_eq!(item.get_as("t"), Ok(Some(true)));
        assert_eq!(item.get_as("z"), Ok(None::<i64>));
        let wrong = [
            (
                item.get_as::<u8>("i").unwrap_err(),
                "attribute \"i\": expected an integer from 0 to 255, found a value of type N",
            ),
            (
                item.get_as::<i64>("n").unwrap_err(),
                "attribute \"n\": expected an integer of 64 bits, found a value of type N",
            ),
            (
                item.get_as::<Option<&str>>("t").unwrap_err(),
                "attribute \"t\": expected text, found a value of type BOOL",
            ),
            (
                item.get_as::<bool>("none").unwrap_err(),
                "attribute \"none\": expected a boolean, there is no such attribute",
            ),
        ];
        for (wrong, expected) in wrong {
            assert_eq!(wrong.to_string(), expected);
        }
        assert_eq!(i64::try_from(ValueRef::Null).unwrap_err().attribute, None);
    }
}
