//! Decoding of types from JSON, and the faults of a body.
//!
//! A value of the wrong JSON type is a fault at once, worded as the service's framework does.
//! Source of the wordings: wire captures of the service (2013-2019); only the kind is stable.

use std::borrow::Cow;

use super::parser::{Cursor, Kind, Parser};
use crate::Map;
use crate::map::BoundedEntries;

/// Reason why a body is no request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Not well-formed JSON: a `SerializationException` without a message.
    Syntax,
    /// A value of the wrong type: a `SerializationException` with this message.
    Type(String),
}

/// Decoded request.
#[derive(Clone, Debug, PartialEq)]
pub struct Decoded<T> {
    /// The request.
    pub value: T,
    /// True if the request may violate a constraint of the model: then the caller must run
    /// [`check`](crate::check::check) before it uses the value.
    pub suspect: bool,
}

/// Position of a value, which changes the wording of faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Position {
    /// The value of a structure's member.
    Member,
    /// An element of a list or a value of a map.
    Element,
}

/// A type with a name in the messages of the service's framework.
pub trait JavaType {
    /// Appends the name.
    fn append_java_type(name: &mut String);
}

/// A type that can be read from JSON.
pub trait Decode<'a>: Sized + JavaType {
    /// Reads one value, which is not `null`. Returns `None` for a value of the right type but
    /// without a meaning (an unknown enum name), and marks the parser as suspect.
    fn decode(parser: &mut Parser<'a>, position: Position) -> Result<Option<Self>, Fault>;
}

/// Reads a whole body.
pub fn decode<'a, T: Decode<'a>>(body: &'a [u8]) -> Result<Decoded<T>, Fault> {
    decode_body(body).map_err(|fault| reported(fault, body))
}

/// Returns the fault of a body that is reported: if it has both kinds, that it is malformed.
fn reported(fault: Fault, body: &[u8]) -> Fault {
    match fault {
        Fault::Type(_) => super::parser::syntax_check(body).err().unwrap_or(fault),
        Fault::Syntax => fault,
    }
}

fn decode_body<'a, T: Decode<'a>>(body: &'a [u8]) -> Result<Decoded<T>, Fault> {
    let mut parser = Parser::new(body)?;
    let value = T::decode(&mut parser, Position::Member)?;
    parser.finish()?;
    let suspect = parser.is_suspect();
    value.map(|value| Decoded { value, suspect }).ok_or_else(unexpected_field)
}

/// Appends the name of a shape of the service.
pub(crate) fn append_class(name: &mut String, shape: &str) {
    name.push_str("com.amazonaws.dynamodb.v20120810.");
    name.push_str(shape);
}

fn unexpected_field() -> Fault {
    Fault::Type("Unexpected field type".to_owned())
}

/// Returns the fault of a collection in the place of the type that `append_name` names.
fn unexpected_collection(append_name: fn(&mut String)) -> Fault {
    let mut name = String::new();
    append_name(&mut name);
    let class = if name.contains('<') { "" } else { "class " };
    Fault::Type(format!("Unrecognized collection type {class}{name}"))
}

fn unexpected_structure() -> Fault {
    Fault::Type("Start of structure or map found where not expected".to_owned())
}

/// Returns the fault for a scalar of the wrong type.
fn not_convertible(token: &str, target: &str) -> Fault {
    Fault::Type(format!("{token} cannot be converted to {target}"))
}

fn boolean_token(value: bool) -> &'static str {
    if value { "TRUE_VALUE" } else { "FALSE_VALUE" }
}

fn number_token(text: &str) -> &'static str {
    if text.contains(['.', 'e', 'E']) { "DECIMAL_VALUE" } else { "NUMBER_VALUE" }
}

impl<'a> Parser<'a> {
    /// Reads the value of a member; `null` is the same as no member.
    pub fn member<T: Decode<'a>>(&mut self) -> Result<Option<T>, Fault> {
        if self.null()? { Ok(None) } else { T::decode(self, Position::Member) }
    }

    /// Reads the value of a member like [`member`](Self::member): a list or map of at most so many
    /// elements, which may be lists or maps of at most so many in turn. A longer one is read to its
    /// end, because a fault of a type further on is reported before its length, but only one
    /// element more than allowed is kept, which shows that it is too long.
    pub fn bounded_member<T: Decode<'a>>(
        &mut self,
        bounds: &'static [usize],
    ) -> Result<Option<T>, Fault> {
        self.set_bounds(bounds);
        let value = self.member();
        self.set_bounds(&[]);
        value
    }

    /// Reads the start of a structure.
    pub fn begin_structure<T: JavaType>(&mut self, position: Position) -> Result<Cursor, Fault> {
        self.begin_structure_of(T::append_java_type, position)
    }

    fn begin_structure_of(
        &mut self,
        append_name: fn(&mut String),
        position: Position,
    ) -> Result<Cursor, Fault> {
        match (self.peek()?, position) {
            (Kind::Object, _) => self.begin_object(),
            (Kind::Array, _) => Err(unexpected_collection(append_name)),
            (_, Position::Member) => Err(unexpected_field()),
            (_, Position::Element) => {
                Err(Fault::Type("Unexpected value type in payload".to_owned()))
            }
        }
    }

    /// Reads the start of a list.
    pub fn begin_list(&mut self) -> Result<Cursor, Fault> {
        match self.peek()? {
            Kind::Array => self.begin_array(),
            Kind::Object => Err(unexpected_structure()),
            _ => Err(unexpected_field()),
        }
    }

    /// Reads the start of a map.
    pub fn begin_map<T: JavaType>(&mut self) -> Result<Cursor, Fault> {
        match self.peek()? {
            Kind::Object => self.begin_object(),
            Kind::Array => Err(unexpected_collection(T::append_java_type)),
            _ => Err(unexpected_field()),
        }
    }

    /// Reads a string and accepts nothing else.
    pub fn string_value(&mut self) -> Result<Cow<'a, str>, Fault> {
        match self.peek()? {
            Kind::String => self.string(),
            _ => Err(self.not_a::<String>("String")?),
        }
    }

    /// Returns the fault of a value that is no `T`; `name` is the short name of that type.
    /// Fails with a syntax fault when the value is malformed besides.
    pub(crate) fn not_a<T: JavaType>(&mut self, name: &str) -> Result<Fault, Fault> {
        Ok(match self.peek()? {
            Kind::Object => unexpected_structure(),
            Kind::Array => unexpected_collection(T::append_java_type),
            Kind::String => not_convertible("STRING_VALUE", name),
            Kind::Number => not_convertible(number_token(self.number()?), name),
            Kind::Boolean => not_convertible(boolean_token(self.boolean()?), name),
            Kind::Null => unexpected_field(),
        })
    }

    /// Reads a whole number; a fraction is rounded down, a number out of range becomes the nearest
    /// one in range.
    pub(crate) fn integer(&mut self) -> Result<i64, Fault> {
        let text = self.number()?;
        if let Ok(value) = text.parse() {
            return Ok(value);
        }
        let value: f64 = text.parse().map_err(|_| Fault::Syntax)?;
        // The conversion saturates, as numbers out of range require.
        #[expect(clippy::cast_possible_truncation, reason = "floored before, saturating")]
        Ok(value.floor() as i64)
    }
}

impl<'a> Decode<'a> for Cow<'a, str> {
    fn decode(parser: &mut Parser<'a>, _position: Position) -> Result<Option<Self>, Fault> {
        parser.string_value().map(Some)
    }
}

impl<'a> Decode<'a> for String {
    fn decode(parser: &mut Parser<'a>, _position: Position) -> Result<Option<Self>, Fault> {
        Ok(Some(parser.string_value()?.into_owned()))
    }
}

impl<'a> Decode<'a> for i32 {
    fn decode(parser: &mut Parser<'a>, _position: Position) -> Result<Option<Self>, Fault> {
        if parser.peek()? != Kind::Number {
            return Err(parser.not_a::<Self>("Integer")?);
        }
        let value = parser.integer()?;
        let nearest = if value < 0 { Self::MIN } else { Self::MAX };
        Ok(Some(Self::try_from(value).unwrap_or(nearest)))
    }
}

impl<'a> Decode<'a> for i64 {
    fn decode(parser: &mut Parser<'a>, _position: Position) -> Result<Option<Self>, Fault> {
        if parser.peek()? != Kind::Number {
            return Err(parser.not_a::<Self>("Long")?);
        }
        parser.integer().map(Some)
    }
}

/// Floating-point members and timestamps.
impl<'a> Decode<'a> for f64 {
    fn decode(parser: &mut Parser<'a>, _position: Position) -> Result<Option<Self>, Fault> {
        if parser.peek()? != Kind::Number {
            return Err(parser.not_a::<Self>("Double")?);
        }
        parser.number()?.parse().map(Some).map_err(|_| Fault::Syntax)
    }
}

impl<'a> Decode<'a> for bool {
    fn decode(parser: &mut Parser<'a>, _position: Position) -> Result<Option<Self>, Fault> {
        match parser.peek()? {
            Kind::Boolean => parser.boolean().map(Some),
            Kind::String => boolean_of_text(&parser.string()?).map(Some),
            _ => Err(parser.not_a::<Self>("Boolean")?),
        }
    }
}

/// Returns the boolean that a text in its place means.
fn boolean_of_text(text: &str) -> Result<bool, Fault> {
    let is_one_of = |words: [&str; 3]| words.iter().any(|word| text.eq_ignore_ascii_case(word));
    if is_one_of(["true", "1", "yes"]) {
        Ok(true)
    } else if is_one_of(["false", "0", "no"]) {
        Ok(false)
    } else {
        Err(Fault::Type("Unexpected token received from parser".to_owned()))
    }
}

impl<'a, T: Decode<'a>> Decode<'a> for Vec<T> {
    fn decode(parser: &mut Parser<'a>, _position: Position) -> Result<Option<Self>, Fault> {
        let (max, inner) = parser.take_bounds();
        let mut elements = parser.begin_list()?;
        let mut list = Self::new();
        while parser.next_element(&mut elements)? {
            parser.set_bounds(inner);
            let is_kept = list.len() <= max;
            if is_kept {
                parser.charge(size_of::<T>())?;
            }
            match decode_element(parser)? {
                Some(value) if is_kept => list.push(value),
                Some(_) => {}
                None => parser.suspect_if(true),
            }
        }
        parser.set_bounds(&[]);
        Ok(Some(list))
    }
}

impl<'a, K, V> Decode<'a> for Map<K, V>
where
    K: From<Cow<'a, str>> + Ord + JavaType,
    V: Decode<'a>,
{
    fn decode(parser: &mut Parser<'a>, _position: Position) -> Result<Option<Self>, Fault> {
        let (max, inner) = parser.take_bounds();
        let mut members = parser.begin_map::<Self>()?;
        let mut entries = BoundedEntries::new(max);
        while let Some(name) = parser.next_member(&mut members)? {
            parser.set_bounds(inner);
            let is_kept = entries.take_more();
            if is_kept {
                parser.charge(size_of::<(K, V)>())?;
            }
            match decode_element(parser)? {
                Some(value) if is_kept => entries.push(K::from(name), value),
                Some(_) => {}
                None => parser.suspect_if(true),
            }
        }
        parser.set_bounds(&[]);
        Ok(Some(entries.finish()))
    }
}

fn decode_element<'a, T: Decode<'a>>(parser: &mut Parser<'a>) -> Result<Option<T>, Fault> {
    if parser.null()? { Ok(None) } else { T::decode(parser, Position::Element) }
}

macro_rules! java_type {
    ($($rust:ty => $java:literal,)+) => {$(
        impl JavaType for $rust {
            fn append_java_type(name: &mut String) {
                name.push_str($java);
            }
        }
    )+};
}

java_type! {
    Cow<'_, str> => "java.lang.String",
    String => "java.lang.String",
    i32 => "java.lang.Integer",
    i64 => "java.lang.Long",
    f64 => "java.lang.Double",
    bool => "java.lang.Boolean",
}

impl<T: JavaType> JavaType for Vec<T> {
    fn append_java_type(name: &mut String) {
        name.push_str("java.util.List<");
        T::append_java_type(name);
        name.push('>');
    }
}

impl<K: JavaType, V: JavaType> JavaType for Map<K, V> {
    fn append_java_type(name: &mut String) {
        name.push_str("java.util.Map<");
        K::append_java_type(name);
        name.push_str(", ");
        V::append_java_type(name);
        name.push('>');
    }
}
