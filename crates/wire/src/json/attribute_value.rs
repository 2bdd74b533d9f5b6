//! Attribute values: JSON to the binary form and back, without a tree between.
//!
//! A fault of a value (an empty set, a bad number, too many levels) does not stop the reading,
//! because a type or syntax fault further on is reported before it; the reader keeps the first
//! fault. A value with a fault has no content.
//!
//! Within one value the reader checks the members in their order, and more than one type last.
//! Source: wire captures of the service; data model notes, "Attribute types".
//!
//! Of a set that alone is larger than any item, the reader keeps only a part, which still makes the
//! item too large; each operation reports that in its order of checks.
//!
//! Invariant: the recursion of reading is bounded by [`DEPTH_MAX`](super::parser::DEPTH_MAX).

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash, Hasher};

use base64::engine::general_purpose::STANDARD;
use base64::{DecodeError, Engine as _};
use hashrange_model::encode::Encoder;
use hashrange_model::error::ValueFault;
use hashrange_model::limits::{ATTRIBUTE_NAME_MAX_BYTES, ITEM_SIZE_MAX_BYTES, NESTING_DEPTH_MAX};
use hashrange_model::value::Entries;
use hashrange_model::{AttributeType, Item, Number, RawValue, Value, ValueRef};

use super::decode::{Decode, Fault, JavaType, Position, append_class};
use super::encode::Encode;
use super::parser::{Kind, Parser};
use super::writer::{write_base64, write_escaped, write_text};

/// Most bytes reserved for an item before it is read: enough for many items, little waste for small
/// ones.
const ITEM_CAPACITY_MAX: usize = 512;

/// Item (or key) of a request.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DecodedItem {
    /// The item; empty when there is a fault.
    pub item: Item,
    /// The first fault of its values.
    pub fault: Option<Box<ValueFault>>,
}

/// Attribute value of a request.
#[derive(Clone, Debug, PartialEq)]
pub struct DecodedValue {
    /// The value; null when there is a fault.
    pub value: Value,
    /// The first fault in it.
    pub fault: Option<Box<ValueFault>>,
}

impl DecodedItem {
    /// Returns the item, or its fault.
    pub fn into_result(self) -> Result<Item, Box<ValueFault>> {
        self.fault.map_or(Ok(self.item), Err)
    }
}

impl DecodedValue {
    /// Returns the value, or its fault.
    pub fn into_result(self) -> Result<Value, Box<ValueFault>> {
        self.fault.map_or(Ok(self.value), Err)
    }
}

impl From<Item> for DecodedItem {
    fn from(item: Item) -> Self {
        Self { item, fault: None }
    }
}

impl From<Value> for DecodedValue {
    fn from(value: Value) -> Self {
        Self { value, fault: None }
    }
}

impl JavaType for DecodedItem {
    fn append_java_type(name: &mut String) {
        name.push_str("java.util.Map<java.lang.String, ");
        DecodedValue::append_java_type(name);
        name.push('>');
    }
}

impl JavaType for DecodedValue {
    fn append_java_type(name: &mut String) {
        append_class(name, "AttributeValue");
    }
}

impl<'a> Decode<'a> for DecodedItem {
    fn decode(parser: &mut Parser<'a>, _position: Position) -> Result<Option<Self>, Fault> {
        let mut members = parser.begin_map::<Self>()?;
        let mut reader = ValueReader::of_item(parser.remaining().min(ITEM_CAPACITY_MAX));
        let item = reader.encoder.begin_item();
        while let Some(name) = parser.next_member(&mut members)? {
            reader.entry(parser, &name, 1)?;
        }
        Ok(Some(match reader.fault {
            // The encoder's content may be no value after a fault.
            Some(fault) => Self { item: Item::empty(), fault: Some(fault) },
            None => Self { item: reader.encoder.end_item(item), fault: None },
        }))
    }
}

impl<'a> Decode<'a> for DecodedValue {
    fn decode(parser: &mut Parser<'a>, position: Position) -> Result<Option<Self>, Fault> {
        let mut reader = ValueReader::default();
        reader.value(parser, position, 1)?;
        Ok(Some(match reader.fault {
            Some(fault) => {
                let mut null = Encoder::new();
                null.null();
                Self { value: null.into_value(), fault: Some(fault) }
            }
            None => Self { value: reader.encoder.into_value(), fault: None },
        }))
    }
}

impl Encode for DecodedItem {
    fn encode(&self, out: &mut Vec<u8>) {
        write_item(out, &self.item);
    }
}

impl Encode for DecodedValue {
    fn encode(&self, out: &mut Vec<u8>) {
        write_value(out, &self.value.get());
    }
}

/// Reads values into an encoder and keeps the first fault.
#[derive(Default)]
struct ValueReader {
    encoder: Encoder,
    fault: Option<Box<ValueFault>>,
    /// True if the fault is that an attribute of the item itself has no name.
    is_nameless_attribute: bool,
    /// Size from which on the reader drops members of a set; `None` for a value outside of an item,
    /// such as a set to be deleted from another.
    set_max: Option<usize>,
}

impl ValueReader {
    /// Returns a reader of an item's values.
    fn of_item(bytes: usize) -> Self {
        let encoder = Encoder::with_capacity(bytes);
        Self { encoder, set_max: Some(ITEM_SIZE_MAX_BYTES), ..Self::default() }
    }

    fn record(&mut self, fault: ValueFault) {
        if self.fault.is_none() {
            self.fault = Some(Box::new(fault));
        }
    }

    /// Records an empty name. The service reports one of the item's own attributes before too many
    /// levels, and one further in after them, wherever they stand. Source: wire captures of the
    /// service.
    fn record_nameless(&mut self, level: usize) {
        if level == 1 && matches!(self.fault.as_deref(), None | Some(ValueFault::NestingTooDeep)) {
            self.fault = Some(Box::new(ValueFault::EmptyAttributeName));
            self.is_nameless_attribute = true;
        }
        self.record(ValueFault::EmptyAttributeName);
    }

    /// Records that there are too many levels.
    fn record_nesting(&mut self) {
        let is_nameless = self.fault.as_deref() == Some(&ValueFault::EmptyAttributeName);
        if is_nameless && !self.is_nameless_attribute {
            self.fault = None;
        }
        self.record(ValueFault::NestingTooDeep);
    }

    /// Reads the value of a named attribute, which may be `null` and is then empty.
    fn entry(&mut self, parser: &mut Parser<'_>, name: &str, level: usize) -> Result<(), Fault> {
        if name.is_empty() {
            self.record_nameless(level);
        }
        parser.suspect_if(name.len() > ATTRIBUTE_NAME_MAX_BYTES);
        self.encoder.map_entry(name);
        self.element(parser, level)
    }

    /// Reads an element of a list or map.
    fn element(&mut self, parser: &mut Parser<'_>, level: usize) -> Result<(), Fault> {
        if parser.null()? {
            self.record(ValueFault::EmptyAttributeValue);
            return Ok(());
        }
        self.value(parser, Position::Element, level)
    }

    /// Reads one attribute value.
    fn value(
        &mut self,
        parser: &mut Parser<'_>,
        position: Position,
        level: usize,
    ) -> Result<(), Fault> {
        if level > NESTING_DEPTH_MAX {
            self.record_nesting();
        }
        if let Some((tag, text)) = parser.single_string_member(b"SN") {
            if tag == b'S' {
                self.encoder.string(text);
            } else {
                self.number(text);
            }
            return Ok(());
        }
        let mut members = parser.begin_structure::<DecodedValue>(position)?;
        let mut types = 0;
        while let Some(tag) = parser.next_member(&mut members)? {
            types += usize::from(self.tagged(parser, &tag, level)?);
        }
        match types {
            0 => self.record(ValueFault::EmptyAttributeValue),
            1 => {}
            _ => self.record(ValueFault::MultipleTypes),
        }
        Ok(())
    }

    /// Reads the value after a type tag. Returns false if that adds no type to the value.
    fn tagged(&mut self, parser: &mut Parser<'_>, tag: &str, level: usize) -> Result<bool, Fault> {
        if parser.null()? {
            return Ok(false);
        }
        match tag {
            "S" => self.encoder.string(&parser.string_value()?),
            "N" => self.number(&parser.string_value()?),
            "B" => self.encoder.binary(&binary(parser)?),
            "BOOL" => self.encoder.boolean(boolean(parser)?),
            "NULL" => self.null(boolean(parser)?),
            "SS" => self.string_set(parser)?,
            "NS" => self.number_set(parser)?,
            "BS" => self.binary_set(parser)?,
            "L" => self.list(parser, level)?,
            "M" => self.map(parser, level)?,
            _ => {
                parser.skip_value()?;
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn number(&mut self, text: &str) {
        match Number::parse(text) {
            Ok(number) => self.encoder.number(&number),
            Err(fault) => self.record(ValueFault::Number(fault)),
        }
    }

    fn null(&mut self, value: bool) {
        if !value {
            self.record(ValueFault::NullFalse);
        }
        self.encoder.null();
    }

    fn string_set(&mut self, parser: &mut Parser<'_>) -> Result<(), Fault> {
        let size = |member: &Cow<'_, str>| member.len();
        let Members { sent: members, repeats, has_null } =
            set_members(parser, self.set_max, Parser::string_value, size)?;
        let mut sorted: Vec<&str> = members.iter().map(AsRef::as_ref).collect();
        self.encoder.string_set(&mut sorted);
        if sorted.is_empty() {
            self.record(ValueFault::EmptySet(AttributeType::Ss));
        } else if has_null {
            self.record(ValueFault::EmptyAttributeValue);
        } else if repeats || has_repeated(&sorted) {
            let members = members.into_iter().map(Cow::into_owned).collect();
            self.record(ValueFault::DuplicateMembers { set: AttributeType::Ss, members });
        }
        Ok(())
    }

    fn number_set(&mut self, parser: &mut Parser<'_>) -> Result<(), Fault> {
        let mut fault = None;
        let read = |parser: &mut Parser<'_>| {
            let text = parser.string_value()?;
            Ok(Number::parse(&text).unwrap_or_else(|number_fault| {
                fault.get_or_insert(number_fault);
                Number::ZERO
            }))
        };
        let Members { sent: mut numbers, repeats, has_null } =
            set_members(parser, self.set_max, read, Number::size)?;
        if let Some(fault) = fault {
            self.record(ValueFault::Number(fault));
        }
        self.encoder.number_set(&mut numbers);
        if numbers.is_empty() {
            self.record(ValueFault::EmptySet(AttributeType::Ns));
        } else if has_null {
            self.record(ValueFault::EmptyAttributeValue);
        } else if repeats || has_repeated(&numbers) {
            let members = numbers.iter().map(Number::to_string).collect();
            self.record(ValueFault::DuplicateMembers { set: AttributeType::Ns, members });
        }
        Ok(())
    }

    fn binary_set(&mut self, parser: &mut Parser<'_>) -> Result<(), Fault> {
        let Members { sent: members, repeats, has_null } =
            set_members(parser, self.set_max, binary, Vec::len)?;
        let mut sorted: Vec<&[u8]> = members.iter().map(AsRef::as_ref).collect();
        self.encoder.binary_set(&mut sorted);
        if sorted.is_empty() {
            self.record(ValueFault::EmptySet(AttributeType::Bs));
        } else if has_null {
            self.record(ValueFault::EmptyAttributeValue);
        } else if repeats || has_repeated(&sorted) {
            let members = members.iter().map(|member| STANDARD.encode(member)).collect();
            self.record(ValueFault::DuplicateMembers { set: AttributeType::Bs, members });
        }
        Ok(())
    }

    fn list(&mut self, parser: &mut Parser<'_>, level: usize) -> Result<(), Fault> {
        let mut elements = parser.begin_list()?;
        let list = self.encoder.begin_list();
        while parser.next_element(&mut elements)? {
            self.element(parser, level + 1)?;
        }
        self.encoder.end_list(list);
        Ok(())
    }

    fn map(&mut self, parser: &mut Parser<'_>, level: usize) -> Result<(), Fault> {
        let mut members = parser.begin_map::<DecodedItem>()?;
        let map = self.encoder.begin_map();
        while let Some(name) = parser.next_member(&mut members)? {
            self.entry(parser, &name, level + 1)?;
        }
        self.encoder.end_map(map);
        Ok(())
    }
}

/// Returns whether two neighbours are equal.
fn has_repeated<T: PartialEq>(sorted: &[T]) -> bool {
    sorted.windows(2).any(|pair| pair[0] == pair[1])
}

/// Members of a set as sent.
struct Members<T> {
    /// All members, or the first ones that together exceed the largest set.
    sent: Vec<T>,
    /// True if two members are equal; false as well if `sent` has all of them.
    repeats: bool,
    /// True if a `null` is among them.
    has_null: bool,
}

/// Reads the members of a set. Of those after the first `max` bytes only hashes are kept, which
/// show whether a member comes twice.
fn set_members<'a, T: Hash>(
    parser: &mut Parser<'a>,
    max: Option<usize>,
    mut read: impl FnMut(&mut Parser<'a>) -> Result<T, Fault>,
    size: impl Fn(&T) -> usize,
) -> Result<Members<T>, Fault> {
    let max = max.unwrap_or(usize::MAX);
    let mut elements = parser.begin_list()?;
    let (mut members, mut bytes, mut has_null) = (Vec::new(), 0, false);
    let mut hashes = Vec::new();
    while parser.next_element(&mut elements)? {
        if parser.null()? {
            has_null = true;
            continue;
        }
        // A set with so many different members cannot be small enough either.
        if bytes > max || members.len() > max {
            parser.charge(size_of::<u64>())?;
            hashes.push(hash(&read(parser)?));
            continue;
        }
        // Each member is held once as sent and once for sorting.
        parser.charge(2 * size_of::<T>())?;
        let member = read(parser)?;
        bytes += size(&member);
        members.push(member);
    }
    if hashes.is_empty() {
        return Ok(Members { sent: members, repeats: false, has_null });
    }
    hashes.extend(members.iter().map(hash));
    hashes.sort_unstable();
    Ok(Members { sent: members, repeats: has_repeated(&hashes), has_null })
}

fn hash<T: Hash>(member: &T) -> u64 {
    let mut hasher = DefaultHasher::new();
    member.hash(&mut hasher);
    hasher.finish()
}

fn boolean(parser: &mut Parser<'_>) -> Result<bool, Fault> {
    let value = bool::decode(parser, Position::Member)?;
    Ok(value.expect("every boolean has a meaning"))
}

/// The type of binary values, for the wording of faults.
struct Bytes;

impl JavaType for Bytes {
    fn append_java_type(name: &mut String) {
        name.push_str("java.nio.ByteBuffer");
    }
}

fn binary(parser: &mut Parser<'_>) -> Result<Vec<u8>, Fault> {
    match parser.peek()? {
        Kind::String => decode_base64(&parser.string()?),
        Kind::Number | Kind::Boolean => {
            Err(type_fault("only base-64-encoded strings are convertible to bytes"))
        }
        Kind::Object | Kind::Array | Kind::Null => Err(parser.not_a::<Bytes>("ByteBuffer")?),
    }
}

fn decode_base64(text: &str) -> Result<Vec<u8>, Fault> {
    if !text.len().is_multiple_of(4) {
        let length = text.len();
        return Err(Fault::Type(format!(
            "Base64 encoded length is expected a multiple of 4 bytes but found: {length}"
        )));
    }
    STANDARD.decode(text).map_err(|error| match error {
        DecodeError::InvalidLastSymbol(..)
        | DecodeError::InvalidByte(..)
        | DecodeError::InvalidLength(_)
        | DecodeError::InvalidPadding => {
            type_fault("Invalid last non-pad Base64 character dectected")
        }
    })
}

fn type_fault(message: &str) -> Fault {
    Fault::Type(message.to_owned())
}

/// Appends an item as a JSON object of attribute values.
pub fn write_item(out: &mut Vec<u8>, item: &Item) {
    write_entries(out, item.attributes());
}

/// Appends one attribute value, such as `{"S":"text"}`.
pub fn write_value(out: &mut Vec<u8>, value: &ValueRef<'_>) {
    write_raw(out, (*value).into());
}

fn write_raw(out: &mut Vec<u8>, value: RawValue<'_>) {
    match value {
        RawValue::S(text) => {
            out.extend_from_slice(b"{\"S\":\"");
            write_escaped(out, text);
            out.extend_from_slice(b"\"}");
        }
        RawValue::N(number) => {
            out.extend_from_slice(b"{\"N\":\"");
            number.write_text(out);
            out.extend_from_slice(b"\"}");
        }
        RawValue::B(bytes) => tagged(out, b"{\"B\":", |out| write_base64(out, bytes)),
        RawValue::Bool(true) => out.extend_from_slice(b"{\"BOOL\":true}"),
        RawValue::Bool(false) => out.extend_from_slice(b"{\"BOOL\":false}"),
        RawValue::Null => out.extend_from_slice(b"{\"NULL\":true}"),
        RawValue::Ss(members) => {
            tagged(out, b"{\"SS\":", |out| array(out, members.iter(), write_text));
        }
        RawValue::Ns(members) => tagged(out, b"{\"NS\":", |out| {
            array(out, members.numbers(), |out, number| {
                out.push(b'"');
                number.write_text(out);
                out.push(b'"');
            });
        }),
        RawValue::Bs(members) => {
            tagged(out, b"{\"BS\":", |out| array(out, members.iter(), write_base64));
        }
        RawValue::L(elements) => {
            tagged(out, b"{\"L\":", |out| array(out, elements.raw_values(), write_raw));
        }
        RawValue::M(entries) => tagged(out, b"{\"M\":", |out| write_entries(out, entries)),
    }
}

fn tagged(out: &mut Vec<u8>, opening: &[u8], write: impl FnOnce(&mut Vec<u8>)) {
    out.extend_from_slice(opening);
    write(out);
    out.push(b'}');
}

fn array<T>(out: &mut Vec<u8>, members: impl Iterator<Item = T>, write: impl Fn(&mut Vec<u8>, T)) {
    out.push(b'[');
    for (nth, member) in members.enumerate() {
        if nth > 0 {
            out.push(b',');
        }
        write(out, member);
    }
    out.push(b']');
}

fn write_entries(out: &mut Vec<u8>, entries: Entries<'_>) {
    let mut opening = b"{\"";
    for (name, value) in entries.raw_values() {
        out.extend_from_slice(opening);
        opening = b",\"";
        write_escaped(out, name);
        // Most values are strings: one step writes the characters between name and text.
        if let RawValue::S(text) = value {
            out.extend_from_slice(b"\":{\"S\":\"");
            write_escaped(out, text);
            out.extend_from_slice(b"\"}");
        } else {
            out.extend_from_slice(b"\":");
            write_raw(out, value);
        }
    }
    out.extend_from_slice(if opening == b"{\"" { b"{}" } else { b"}" });
}
