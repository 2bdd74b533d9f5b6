//! [`Number`] in types with serde's derives, exact: `#[serde(with = "hashrange::number")]`.
//!
//! ```
//! use hashrange::{Number, item, to_item};
//! #[derive(serde::Serialize, serde::Deserialize)]
//! struct Offer {
//!     #[serde(with = "hashrange::number")]
//!     price: Number,
//! }
//! let price = "12345678901234567890.12".parse()?;
//! let item = to_item(&Offer { price })?;
//! assert_eq!(item.get_as::<Number>("price")?, price);
//! assert_eq!(hashrange::from_item::<Offer>(&item)?.price, price);
//! # Ok::<(), hashrange::Error>(())
//! ```

use super::TypedError;
use hashrange_model::Number;
use hashrange_model::encode::Encoder;
use serde::de::{Deserializer, Error as _, Visitor};
use serde::ser::{Serialize, Serializer};
use std::fmt;

/// The name of the newtype struct as which a number goes through serde; no program gives it.
pub(super) const NUMBER: &str = "$hashrange::number";

/// Writes a number; in other formats its text.
///
/// # Errors
/// The serializer's errors.
pub fn serialize<S: Serializer>(number: &Number, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_newtype_struct(NUMBER, &number.to_string())
}

/// Reads a number; in other formats its text.
///
/// # Errors
/// There is no number.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Number, D::Error> {
    deserializer.deserialize_newtype_struct(NUMBER, NumberVisitor)
}

struct NumberVisitor;

impl<'de> Visitor<'de> for NumberVisitor {
    type Value = Number;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a number of up to 38 digits")
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Number, E> {
        Number::parse(text).map_err(E::custom)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(
        self,
        deserializer: D,
    ) -> Result<Number, D::Error> {
        let text: String = serde::Deserialize::deserialize(deserializer)?;
        Number::parse(&text).map_err(D::Error::custom)
    }
}

/// Writes the number whose text a value is.
pub(super) fn write<T: Serialize + ?Sized>(
    encoder: &mut Encoder,
    value: &T,
) -> Result<(), TypedError> {
    let mut text = Encoder::new();
    value.serialize(super::serializer::Serializer::new(&mut text, 1))?;
    let text = text.into_value();
    let text = text.get().as_str().ok_or_else(|| TypedError::new("a number is written as text"))?;
    let number = Number::parse(text).map_err(|fault| TypedError::new(fault.to_string()))?;
    encoder.number(&number);
    Ok(())
}
