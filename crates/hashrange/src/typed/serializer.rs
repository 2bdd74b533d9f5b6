//! Writes serde's data model in the binary form of a value, without a tree between.
//!
//! Invariant: the recursion is bounded by the levels that an attribute value may have.

use super::TypedError;
use super::number::NUMBER;
use super::sets::{Set, write_set};
use hashrange_model::Number;
use hashrange_model::encode::{Encoder, ListMark, MapMark};
use hashrange_model::limits::NESTING_DEPTH_MAX;
use serde::ser::{self, Serialize};

/// Writes one value.
pub(super) struct Serializer<'e> {
    encoder: &'e mut Encoder,
    /// Nesting level of the value.
    level: usize,
}

impl<'e> Serializer<'e> {
    pub(super) fn new(encoder: &'e mut Encoder, level: usize) -> Self {
        Self { encoder, level }
    }

    fn number(self, number: impl Into<Number>) {
        self.encoder.number(&number.into());
    }

    fn fallible_number<N>(self, number: N) -> Result<(), TypedError>
    where
        N: TryInto<Number, Error: std::fmt::Display>,
    {
        let number = number.try_into().map_err(|fault| TypedError::new(fault.to_string()))?;
        self.encoder.number(&number);
        Ok(())
    }

    /// Returns the level of the values that this one contains.
    fn inner_level(&self) -> Result<usize, TypedError> {
        if self.level >= NESTING_DEPTH_MAX {
            let message =
                format!("more than {NESTING_DEPTH_MAX} levels of values inside each other");
            return Err(TypedError::new(message));
        }
        Ok(self.level + 1)
    }

    fn list(self) -> Result<List<'e>, TypedError> {
        let level = self.inner_level()?;
        let mark = self.encoder.begin_list();
        Ok(List { encoder: self.encoder, level, mark, length: 0, variant: None })
    }

    fn map(self) -> Result<Map<'e>, TypedError> {
        let level = self.inner_level()?;
        let mark = self.encoder.begin_map();
        Ok(Map { encoder: self.encoder, level, mark, variant: None, key: None })
    }

    /// Opens the map that holds the content of a variant.
    fn variant(self, name: &'static str) -> Result<(Self, Variant), TypedError> {
        let level = self.inner_level()?;
        let mark = self.encoder.begin_map();
        self.encoder.map_entry(name);
        Ok((Self { encoder: self.encoder, level }, Variant { name, mark }))
    }
}

/// The map of a variant, open.
struct Variant {
    name: &'static str,
    mark: MapMark,
}

/// A list that is being written.
pub(super) struct List<'e> {
    encoder: &'e mut Encoder,
    /// The level of its elements.
    level: usize,
    mark: ListMark,
    length: usize,
    variant: Option<Variant>,
}

impl List<'_> {
    fn element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), TypedError> {
        let nth = self.length;
        self.length += 1;
        let written = value.serialize(Serializer::new(self.encoder, self.level));
        written.map_err(|error| match &self.variant {
            Some(variant) => error.in_element(nth).in_attribute(variant.name),
            None => error.in_element(nth),
        })
    }

    fn close(self) {
        self.encoder.end_list(self.mark);
        if let Some(variant) = self.variant {
            self.encoder.end_map(variant.mark);
        }
    }
}

/// A map that is being written.
pub(super) struct Map<'e> {
    encoder: &'e mut Encoder,
    /// The level of its values.
    level: usize,
    mark: MapMark,
    variant: Option<Variant>,
    /// The key whose value is next.
    key: Option<String>,
}

impl Map<'_> {
    fn entry<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) -> Result<(), TypedError> {
        self.encoder.map_entry(name);
        let written = value.serialize(Serializer::new(self.encoder, self.level));
        written.map_err(|error| match &self.variant {
            Some(variant) => error.in_attribute(name).in_attribute(variant.name),
            None => error.in_attribute(name),
        })
    }

    fn close(self) {
        self.encoder.end_map(self.mark);
        if let Some(variant) = self.variant {
            self.encoder.end_map(variant.mark);
        }
    }
}

macro_rules! write_integers {
    ($($method:ident: $integer:ty),*) => {$(
        fn $method(self, integer: $integer) -> Result<(), TypedError> {
            self.number(integer);
            Ok(())
        }
    )*};
}

macro_rules! write_fallible_numbers {
    ($($method:ident: $number:ty),*) => {$(
        fn $method(self, number: $number) -> Result<(), TypedError> {
            self.fallible_number(number)
        }
    )*};
}

impl<'e> ser::Serializer for Serializer<'e> {
    type Ok = ();
    type Error = TypedError;
    type SerializeSeq = List<'e>;
    type SerializeTuple = List<'e>;
    type SerializeTupleStruct = List<'e>;
    type SerializeTupleVariant = List<'e>;
    type SerializeMap = Map<'e>;
    type SerializeStruct = Map<'e>;
    type SerializeStructVariant = Map<'e>;

    write_integers! {
        serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64,
        serialize_u8: u8, serialize_u16: u16, serialize_u32: u32, serialize_u64: u64
    }
    write_fallible_numbers! {
        serialize_i128: i128, serialize_u128: u128, serialize_f32: f32, serialize_f64: f64
    }

    fn serialize_bool(self, boolean: bool) -> Result<(), TypedError> {
        self.encoder.boolean(boolean);
        Ok(())
    }

    fn serialize_char(self, character: char) -> Result<(), TypedError> {
        self.serialize_str(character.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, text: &str) -> Result<(), TypedError> {
        self.encoder.string(text);
        Ok(())
    }

    fn serialize_bytes(self, bytes: &[u8]) -> Result<(), TypedError> {
        self.encoder.binary(bytes);
        Ok(())
    }

    fn serialize_none(self) -> Result<(), TypedError> {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), TypedError> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), TypedError> {
        self.encoder.null();
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), TypedError> {
        self.serialize_unit()
    }

    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
    ) -> Result<(), TypedError> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        value: &T,
    ) -> Result<(), TypedError> {
        if let Some(set) = Set::named(name) {
            return write_set(self.encoder, set, value);
        }
        if name == NUMBER {
            return super::number::write(self.encoder, value);
        }
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), TypedError> {
        let (content, Variant { name, mark }) = self.variant(variant)?;
        let Serializer { encoder, level } = content;
        let written = value.serialize(Serializer::new(encoder, level));
        written.map_err(|error| error.in_attribute(name))?;
        encoder.end_map(mark);
        Ok(())
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<List<'e>, TypedError> {
        self.list()
    }

    fn serialize_tuple(self, _: usize) -> Result<List<'e>, TypedError> {
        self.list()
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<List<'e>, TypedError> {
        self.list()
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<List<'e>, TypedError> {
        let (content, variant) = self.variant(variant)?;
        Ok(List { variant: Some(variant), ..content.list()? })
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Map<'e>, TypedError> {
        self.map()
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Map<'e>, TypedError> {
        self.map()
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Map<'e>, TypedError> {
        let (content, variant) = self.variant(variant)?;
        Ok(Map { variant: Some(variant), ..content.map()? })
    }
}

/// Implements the traits of lists, whose methods have names of their own.
macro_rules! write_elements {
    ($($trait:ident: $method:ident),*) => {$(
        impl ser::$trait for List<'_> {
            type Ok = ();
            type Error = TypedError;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), TypedError> {
                self.element(value)
            }

            fn end(self) -> Result<(), TypedError> {
                self.close();
                Ok(())
            }
        }
    )*};
}
write_elements! {
    SerializeSeq: serialize_element, SerializeTuple: serialize_element,
    SerializeTupleStruct: serialize_field, SerializeTupleVariant: serialize_field
}

/// Implements the traits of structs.
macro_rules! write_fields {
    ($($trait:ident),*) => {$(
        impl ser::$trait for Map<'_> {
            type Ok = ();
            type Error = TypedError;

            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                name: &'static str,
                value: &T,
            ) -> Result<(), TypedError> {
                self.entry(name, value)
            }

            fn end(self) -> Result<(), TypedError> {
                self.close();
                Ok(())
            }
        }
    )*};
}
write_fields!(SerializeStruct, SerializeStructVariant);

impl ser::SerializeMap for Map<'_> {
    type Ok = ();
    type Error = TypedError;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), TypedError> {
        self.key = Some(key.serialize(KeySerializer)?);
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), TypedError> {
        let key = self.key.take().ok_or_else(|| TypedError::new("a value without a key"))?;
        self.entry(&key, value)
    }

    fn end(self) -> Result<(), TypedError> {
        self.close();
        Ok(())
    }
}

/// Returns the text of a map's key.
struct KeySerializer;

fn no_key() -> TypedError {
    TypedError::new("the key of a map is text, an integer, a boolean, a character or a variant")
}

macro_rules! write_keys {
    ($($method:ident: $key:ty),*) => {$(
        fn $method(self, key: $key) -> Result<String, TypedError> {
            Ok(key.to_string())
        }
    )*};
}

macro_rules! refuse_keys {
    ($($method:ident($($argument:ty),*) -> $returned:ty),* $(,)?) => {$(
        fn $method(self, $(_: $argument),*) -> Result<$returned, TypedError> {
            Err(no_key())
        }
    )*};
}

impl ser::Serializer for KeySerializer {
    type Ok = String;
    type Error = TypedError;
    type SerializeSeq = ser::Impossible<String, TypedError>;
    type SerializeTuple = ser::Impossible<String, TypedError>;
    type SerializeTupleStruct = ser::Impossible<String, TypedError>;
    type SerializeTupleVariant = ser::Impossible<String, TypedError>;
    type SerializeMap = ser::Impossible<String, TypedError>;
    type SerializeStruct = ser::Impossible<String, TypedError>;
    type SerializeStructVariant = ser::Impossible<String, TypedError>;

    write_keys! {
        serialize_bool: bool, serialize_char: char, serialize_str: &str,
        serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64, serialize_i128: i128,
        serialize_u8: u8, serialize_u16: u16, serialize_u32: u32, serialize_u64: u64, serialize_u128: u128
    }
    refuse_keys! {
        serialize_f32(f32) -> String,
        serialize_f64(f64) -> String,
        serialize_bytes(&[u8]) -> String,
        serialize_none() -> String,
        serialize_unit() -> String,
        serialize_unit_struct(&'static str) -> String,
        serialize_seq(Option<usize>) -> Self::SerializeSeq,
        serialize_tuple(usize) -> Self::SerializeTuple,
        serialize_tuple_struct(&'static str, usize) -> Self::SerializeTupleStruct,
        serialize_tuple_variant(&'static str, u32, &'static str, usize) -> Self::SerializeTupleVariant,
        serialize_map(Option<usize>) -> Self::SerializeMap,
        serialize_struct(&'static str, usize) -> Self::SerializeStruct,
        serialize_struct_variant(&'static str, u32, &'static str, usize) -> Self::SerializeStructVariant,
    }

    fn serialize_some<T: Serialize + ?Sized>(self, key: &T) -> Result<String, TypedError> {
        key.serialize(self)
    }

    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
    ) -> Result<String, TypedError> {
        Ok(variant.to_owned())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        key: &T,
    ) -> Result<String, TypedError> {
        key.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<String, TypedError> {
        Err(no_key())
    }
}
