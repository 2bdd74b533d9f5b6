//! Items and attribute values from types with serde's derives, and back.
//!
//! The conventions are those of the crate `serde_dynamo`, so that its users' items are read here
//! and the other way round:
//!
//! | serde | attribute value |
//! |---|---|
//! | bool | BOOL |
//! | integers of every width, floats | N; refused: NaN, infinities, what has more than 38 digits or is out of range |
//! | char, text | S |
//! | bytes (`serde_bytes`) | B |
//! | `None`, `()`, unit struct | NULL |
//! | `Some(x)`, newtype struct | as its content |
//! | sequence, tuple, tuple struct | L; with [`string_set`], [`number_set`], [`binary_set`] SS, NS, BS |
//! | map, struct | M; keys are text, or integers, booleans and characters as text |
//! | unit variant | S with its name |
//! | other variants | M with one entry, named as the variant; serde's `tag`, `content` and `untagged` change that as everywhere |
//!
//! A set can also be read into a sequence without a wrapper. A missing attribute is read as an
//! `Option` that is `None`.

mod deserializer;
mod error;
pub mod number;
mod serializer;
mod sets;

pub use error::TypedError;
pub use sets::{binary_set, number_set, string_set};

use deserializer::Deserializer;
use hashrange_model::encode::Encoder;
use hashrange_model::{AttributeValue, Item, Value, ValueRef};
use serde::de::{Deserialize, DeserializeOwned};
use serde::ser::Serialize;
use serializer::Serializer;

/// The level of an attribute of an item. Source: DynamoDB counts 32 levels from there.
const ATTRIBUTE_LEVEL: usize = 1;

/// Returns the item that stands for a struct or a map.
///
/// ```
/// use hashrange::{item, to_item};
/// #[derive(serde::Serialize)]
/// struct Song { artist: String, title: String, year: Option<u16> }
///
/// let song = Song { artist: "Nina Simone".into(), title: "Sinnerman".into(), year: Some(1965) };
/// let expected = item! { "artist": "Nina Simone", "title": "Sinnerman", "year": 1965 };
/// assert_eq!(to_item(&song)?, expected);
/// # Ok::<(), hashrange::TypedError>(())
/// ```
///
/// # Errors
/// The value is no map, or something in it has no attribute value; the error names its place.
pub fn to_item<T: Serialize + ?Sized>(value: &T) -> Result<Item, TypedError> {
    let value = to_value(value, ATTRIBUTE_LEVEL - 1)?;
    let ValueRef::M(attributes) = value.get() else {
        let found = value.get().attribute_type().as_str();
        return Err(TypedError::new(format!(
            "an item is a struct or a map, not a value of type {found}"
        )));
    };
    let mut encoder = Encoder::with_capacity(value.as_bytes().len());
    let mark = encoder.begin_item();
    for (name, value) in attributes.iter() {
        encoder.map_entry(name);
        encoder.value_ref(&value);
    }
    Ok(encoder.end_item(mark))
}

/// Returns the type that an item stands for. It may borrow text and bytes from the item.
///
/// ```
/// use hashrange::{from_item, item};
/// #[derive(Debug, PartialEq, serde::Deserialize)]
/// struct Song<'a> { artist: &'a str, year: Option<u16> }
///
/// let item = item! { "artist": "Nina Simone", "title": "Sinnerman" };
/// assert_eq!(from_item::<Song>(&item)?, Song { artist: "Nina Simone", year: None });
/// let error = from_item::<Song>(&item! { "artist": 1 }).unwrap_err();
/// assert_eq!(error.to_string(), "artist: invalid type: integer `1`, expected a borrowed string");
/// # Ok::<(), hashrange::TypedError>(())
/// ```
///
/// # Errors
/// The item does not fit the type; the error names the place.
pub fn from_item<'a, T: Deserialize<'a>>(item: &'a Item) -> Result<T, TypedError> {
    T::deserialize(Deserializer::new(ValueRef::M(item.attributes())))
}

/// Returns the attribute value that stands for a value.
///
/// ```
/// use hashrange::{AttributeValue, string_set::StringSet, to_attribute_value};
/// assert_eq!(to_attribute_value(&(1, "a"))?, AttributeValue::list([1.into(), "a".into()]));
/// assert_eq!(to_attribute_value(&StringSet(["a"]))?, AttributeValue::string_set(["a"]));
/// # Ok::<(), hashrange::TypedError>(())
/// ```
///
/// # Errors
/// Something in it has no attribute value; the error names its place.
pub fn to_attribute_value<T: Serialize + ?Sized>(value: &T) -> Result<AttributeValue, TypedError> {
    Ok(to_value(value, ATTRIBUTE_LEVEL)?.get().to_attribute_value())
}

/// Returns the type that an attribute value stands for.
///
/// # Errors
/// The value does not fit the type; the error names the place.
pub fn from_attribute_value<T: DeserializeOwned>(value: &AttributeValue) -> Result<T, TypedError> {
    T::deserialize(Deserializer::new(value.to_value().get()))
}

fn to_value<T: Serialize + ?Sized>(value: &T, level: usize) -> Result<Value, TypedError> {
    let mut encoder = Encoder::new();
    value.serialize(Serializer::new(&mut encoder, level))?;
    Ok(encoder.into_value())
}
