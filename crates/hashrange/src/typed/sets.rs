//! Sets: sequences that are written as SS, NS or BS.
//!
//! A set goes through serde as a newtype struct with a name that no program gives its own.

use super::TypedError;
use super::serializer::Serializer;
use hashrange_model::encode::Encoder;
use hashrange_model::{AttributeType, AttributeValue, ValueRef};
use serde::ser::Serialize;

const STRING_SET: &str = "$hashrange::string_set";
const NUMBER_SET: &str = "$hashrange::number_set";
const BINARY_SET: &str = "$hashrange::binary_set";

/// A kind of set.
#[derive(Debug, Clone, Copy)]
pub(super) struct Set {
    own: AttributeType,
    elements: AttributeType,
    expected: &'static str,
}

impl Set {
    /// Returns the set that a newtype struct of this name stands for.
    pub(super) fn named(name: &str) -> Option<Self> {
        let (own, elements, expected) = match name {
            STRING_SET => (AttributeType::Ss, AttributeType::S, "a sequence of text"),
            NUMBER_SET => (AttributeType::Ns, AttributeType::N, "a sequence of numbers"),
            BINARY_SET => (AttributeType::Bs, AttributeType::B, "a sequence of bytes"),
            _ => return None,
        };
        Some(Self { own, elements, expected })
    }
}

/// Writes a sequence as a set.
pub(super) fn write_set<T: Serialize + ?Sized>(
    encoder: &mut Encoder,
    set: Set,
    value: &T,
) -> Result<(), TypedError> {
    let wrong =
        || TypedError::new(format!("a set of type {} is {}", set.own.as_str(), set.expected));
    let mut list = Encoder::new();
    value.serialize(Serializer::new(&mut list, 1))?;
    let list = list.into_value();
    let ValueRef::L(elements) = list.get() else { return Err(wrong()) };
    if elements.iter().any(|element| element.attribute_type() != set.elements) {
        return Err(wrong());
    }
    let values = elements.iter();
    let (members, distinct) = match set.elements {
        AttributeType::S => {
            let members: Vec<&str> = values.filter_map(|value| value.as_str()).collect();
            counted(AttributeValue::string_set(members))
        }
        AttributeType::N => {
            let members: Vec<_> = values.filter_map(|value| value.as_number()).collect();
            counted(AttributeValue::number_set(members))
        }
        _ => {
            let members: Vec<_> =
                values.filter_map(|value| value.as_bytes().map(<[u8]>::to_vec)).collect();
            counted(AttributeValue::binary_set(members))
        }
    };
    match elements.iter().count() {
        0 => Err(TypedError::new(
            "a set is not empty; leave the attribute out (skip_serializing_if)",
        )),
        count if count != distinct => Err(TypedError::new("an element stands twice in a set")),
        _ => {
            encoder.value(&members);
            Ok(())
        }
    }
}

fn counted(set: AttributeValue) -> (AttributeValue, usize) {
    let members = match &set {
        AttributeValue::Ss(members) => members.len(),
        AttributeValue::Ns(members) => members.len(),
        AttributeValue::Bs(members) => members.len(),
        _ => 0,
    };
    (set, members)
}

/// Defines the module of one kind of set.
macro_rules! set_module {
    ($(#[$doc:meta])* $module:ident, $wrapper:ident, $name:ident, $type:literal, $like:literal) => {
        $(#[$doc])*
        ///
        /// An empty set cannot be stored, so the attribute is best left out when it is:
        /// `#[serde(default, skip_serializing_if = "Vec::is_empty")]`.
        pub mod $module {
            use super::$name;
            use serde::de::{Deserialize, Deserializer};
            use serde::ser::{Serialize, Serializer};

            #[doc = concat!("A sequence that is written as ", $type, ", for where no attribute of serde's can stand.")]
            #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
            pub struct $wrapper<T>(pub T);

            impl<T: Serialize> Serialize for $wrapper<T> {
                fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                    serialize(&self.0, serializer)
                }
            }

            impl<'de, T: Deserialize<'de>> Deserialize<'de> for $wrapper<T> {
                fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                    deserialize(deserializer).map(Self)
                }
            }

            #[doc = concat!("Writes a sequence as ", $type, ".")]
            ///
            /// # Errors
            #[doc = concat!("It is no sequence of ", $like, ", is empty or has an element twice.")]
            pub fn serialize<T: Serialize + ?Sized, S: Serializer>(
                value: &T,
                serializer: S,
            ) -> Result<S::Ok, S::Error> {
                serializer.serialize_newtype_struct($name, value)
            }

            /// Reads a set or a list.
            ///
            /// # Errors
            #[doc = concat!("There is no set or list of ", $like, ".")]
            pub fn deserialize<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
                deserializer: D,
            ) -> Result<T, D::Error> {
                T::deserialize(deserializer)
            }
        }
    };
}

set_module! {
    /// Sequences of text as string sets: `#[serde(with = "hashrange::string_set")]`.
    string_set, StringSet, STRING_SET, "SS", "text"
}
set_module! {
    /// Sequences of numbers as number sets: `#[serde(with = "hashrange::number_set")]`.
    number_set, NumberSet, NUMBER_SET, "NS", "numbers"
}
set_module! {
    /// Sequences of bytes (of `serde_bytes`) as binary sets:
    /// `#[serde(with = "hashrange::binary_set")]`.
    binary_set, BinarySet, BINARY_SET, "BS", "bytes"
}
