//! Reads serde's data model from the binary form of a value; borrows text and bytes.
//!
//! A type that takes any value gets a number as an integer of 64 bits or else as the nearest float;
//! a type that asks for a certain number gets it exactly, or an error.

use super::TypedError;
use super::number::NUMBER;
use hashrange_model::{NumberRef, ValueRef};
use serde::de::value::StrDeserializer;
use serde::de::{self, DeserializeSeed, Error as _, IntoDeserializer, Unexpected, Visitor};
use serde::forward_to_deserialize_any;

/// Reads one value.
#[derive(Clone, Copy)]
pub(super) struct Deserializer<'de> {
    value: ValueRef<'de>,
}

impl<'de> Deserializer<'de> {
    pub(super) fn new(value: ValueRef<'de>) -> Self {
        Self { value }
    }

    fn wrong_type(&self, expected: &dyn de::Expected) -> TypedError {
        let number;
        let unexpected = match self.value {
            ValueRef::S(text) => Unexpected::Str(text),
            ValueRef::N(value) => {
                number = format!("number {}", value.to_number());
                Unexpected::Other(&number)
            }
            ValueRef::B(bytes) => Unexpected::Bytes(bytes),
            ValueRef::Bool(boolean) => Unexpected::Bool(boolean),
            ValueRef::Null => Unexpected::Unit,
            ValueRef::Ss(_) | ValueRef::Ns(_) | ValueRef::Bs(_) => Unexpected::Other("set"),
            ValueRef::L(_) => Unexpected::Seq,
            ValueRef::M(_) => Unexpected::Map,
        };
        TypedError::invalid_type(unexpected, expected)
    }

    /// Visits the elements of a list or a set.
    fn elements<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TypedError> {
        match self.value {
            ValueRef::L(elements) => visit_elements(elements.iter(), visitor),
            ValueRef::Ss(members) => visit_elements(members.strings().map(ValueRef::S), visitor),
            ValueRef::Ns(members) => visit_elements(members.numbers().map(ValueRef::N), visitor),
            ValueRef::Bs(members) => visit_elements(members.iter().map(ValueRef::B), visitor),
            _ => Err(self.wrong_type(&visitor)),
        }
    }
}

/// Visits a number for a type that takes any value.
fn visit_number<'de, V: Visitor<'de>>(
    number: NumberRef<'_>,
    visitor: V,
) -> Result<V::Value, TypedError> {
    let text = number.to_number().to_string();
    if let Ok(integer) = text.parse() {
        return visitor.visit_u64(integer);
    }
    if let Ok(integer) = text.parse() {
        return visitor.visit_i64(integer);
    }
    let float = text.parse().map_err(TypedError::custom)?;
    visitor.visit_f64(float)
}

macro_rules! read_numbers {
    ($($method:ident, $visit:ident: $number:ty;)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TypedError> {
            let ValueRef::N(number) = self.value else { return Err(self.wrong_type(&visitor)) };
            match number.to_number().to_string().parse::<$number>() {
                Ok(number) => visitor.$visit(number),
                Err(_) => Err(self.wrong_type(&visitor)),
            }
        }
    )*};
}

impl<'de> de::Deserializer<'de> for Deserializer<'de> {
    type Error = TypedError;

    read_numbers! {
        deserialize_i8, visit_i8: i8;
        deserialize_i16, visit_i16: i16;
        deserialize_i32, visit_i32: i32;
        deserialize_i64, visit_i64: i64;
        deserialize_i128, visit_i128: i128;
        deserialize_u8, visit_u8: u8;
        deserialize_u16, visit_u16: u16;
        deserialize_u32, visit_u32: u32;
        deserialize_u64, visit_u64: u64;
        deserialize_u128, visit_u128: u128;
        deserialize_f32, visit_f32: f32;
        deserialize_f64, visit_f64: f64;
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TypedError> {
        match self.value {
            ValueRef::S(text) => visitor.visit_borrowed_str(text),
            ValueRef::N(number) => visit_number(number, visitor),
            ValueRef::B(bytes) => visitor.visit_borrowed_bytes(bytes),
            ValueRef::Bool(boolean) => visitor.visit_bool(boolean),
            ValueRef::Null => visitor.visit_unit(),
            ValueRef::Ss(_) | ValueRef::Ns(_) | ValueRef::Bs(_) | ValueRef::L(_) => {
                self.elements(visitor)
            }
            ValueRef::M(entries) => visitor.visit_map(EntryReader::new(entries.iter())),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TypedError> {
        match self.value {
            ValueRef::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, TypedError> {
        match self.value {
            ValueRef::N(number) if name == NUMBER => {
                visitor.visit_string(number.to_number().to_string())
            }
            _ if name == NUMBER => Err(self.wrong_type(&visitor)),
            _ => visitor.visit_newtype_struct(self),
        }
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TypedError> {
        self.elements(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, TypedError> {
        match self.value {
            ValueRef::S(variant) => visitor.visit_enum(variant.into_deserializer()),
            ValueRef::M(entries) => {
                let mut entries = entries.iter();
                match (entries.next(), entries.next()) {
                    (Some((name, value)), None) => visitor.visit_enum(Variant { name, value }),
                    _ => Err(TypedError::new("a variant is a map with one entry, named as it")),
                }
            }
            _ => Err(self.wrong_type(&"a variant: its name or a map with one entry")),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TypedError> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        bool char str string bytes byte_buf unit unit_struct tuple tuple_struct map struct identifier
    }
}

fn visit_elements<'de, V: Visitor<'de>>(
    elements: impl Iterator<Item = ValueRef<'de>>,
    visitor: V,
) -> Result<V::Value, TypedError> {
    let mut reader = ElementReader { elements, read: 0 };
    let value = visitor.visit_seq(&mut reader)?;
    match reader.elements.count() {
        0 => Ok(value),
        more => Err(TypedError::invalid_length(reader.read + more, &"fewer elements")),
    }
}

/// The elements of a list or a set.
struct ElementReader<I> {
    elements: I,
    read: usize,
}

impl<'de, I: Iterator<Item = ValueRef<'de>>> de::SeqAccess<'de> for &mut ElementReader<I> {
    type Error = TypedError;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, TypedError> {
        let Some(value) = self.elements.next() else { return Ok(None) };
        let nth = self.read;
        self.read += 1;
        let read = seed.deserialize(Deserializer::new(value));
        read.map(Some).map_err(|error| error.in_element(nth))
    }
}

/// The entries of a map.
struct EntryReader<'de, I> {
    entries: I,
    /// The entry whose key was read.
    next: Option<(&'de str, ValueRef<'de>)>,
}

impl<I> EntryReader<'_, I> {
    fn new(entries: I) -> Self {
        Self { entries, next: None }
    }
}

impl<'de, I> de::MapAccess<'de> for EntryReader<'de, I>
where
    I: Iterator<Item = (&'de str, ValueRef<'de>)>,
{
    type Error = TypedError;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, TypedError> {
        self.next = self.entries.next();
        self.next.map(|(name, _)| seed.deserialize(Key(name))).transpose()
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(
        &mut self,
        seed: V,
    ) -> Result<V::Value, TypedError> {
        let Some((name, value)) = self.next.take() else {
            return Err(TypedError::new("a value without a key"));
        };
        seed.deserialize(Deserializer::new(value)).map_err(|error| error.in_attribute(name))
    }
}

/// A map's key.
struct Key<'de>(&'de str);

macro_rules! read_keys {
    ($($method:ident, $visit:ident: $key:ty;)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TypedError> {
            match self.0.parse::<$key>() {
                Ok(key) => visitor.$visit(key),
                Err(_) => Err(TypedError::invalid_value(Unexpected::Str(self.0), &visitor)),
            }
        }
    )*};
}

impl<'de> de::Deserializer<'de> for Key<'de> {
    type Error = TypedError;

    read_keys! {
        deserialize_bool, visit_bool: bool;
        deserialize_i8, visit_i8: i8;
        deserialize_i16, visit_i16: i16;
        deserialize_i32, visit_i32: i32;
        deserialize_i64, visit_i64: i64;
        deserialize_i128, visit_i128: i128;
        deserialize_u8, visit_u8: u8;
        deserialize_u16, visit_u16: u16;
        deserialize_u32, visit_u32: u32;
        deserialize_u64, visit_u64: u64;
        deserialize_u128, visit_u128: u128;
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TypedError> {
        visitor.visit_borrowed_str(self.0)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TypedError> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, TypedError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, TypedError> {
        let variant: StrDeserializer<'_, TypedError> = self.0.into_deserializer();
        visitor.visit_enum(variant)
    }

    forward_to_deserialize_any! {
        f32 f64 char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct
        identifier ignored_any
    }
}

/// A variant with its content.
struct Variant<'de> {
    name: &'de str,
    value: ValueRef<'de>,
}

impl<'de> de::EnumAccess<'de> for Variant<'de> {
    type Error = TypedError;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(
        self,
        seed: V,
    ) -> Result<(V::Value, Self), TypedError> {
        let name: StrDeserializer<'_, TypedError> = self.name.into_deserializer();
        Ok((seed.deserialize(name)?, self))
    }
}

impl<'de> Variant<'de> {
    fn content<T>(
        &self,
        read: impl FnOnce(Deserializer<'de>) -> Result<T, TypedError>,
    ) -> Result<T, TypedError> {
        read(Deserializer::new(self.value)).map_err(|error| error.in_attribute(self.name))
    }
}

impl<'de> de::VariantAccess<'de> for Variant<'de> {
    type Error = TypedError;

    fn unit_variant(self) -> Result<(), TypedError> {
        self.content(de::Deserialize::deserialize)
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(
        self,
        seed: T,
    ) -> Result<T::Value, TypedError> {
        self.content(|content| seed.deserialize(content))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, TypedError> {
        self.content(|content| content.elements(visitor))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, TypedError> {
        self.content(|content| de::Deserializer::deserialize_map(content, visitor))
    }
}
