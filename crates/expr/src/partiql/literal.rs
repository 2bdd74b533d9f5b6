//! Literals and parameters: scalars, `[lists]`, `{'maps': 1}` and `<<sets>>`, written straight
//! into the binary form.
//!
//! A literal that is no value (a number out of range, say) does not end the parse: the parser notes
//! the fault and reports it if the text is a statement at all.

use super::parser::{Parsed, Parser};
use super::token::Kind;
use crate::path::DocumentPath;
use hashrange_model::encode::Encoder;
use hashrange_model::error::{Malformed, StatementFault, ValueFault};
use hashrange_model::limits::NESTING_DEPTH_MAX;
use hashrange_model::number::NumberFault;
use hashrange_model::{AttributeType, AttributeValue, Item, Number, Value, ValueRef};
use std::borrow::Cow;
use std::fmt::Write as _;

/// A step from a literal into one of its parts.
#[derive(Debug)]
enum PlaceStep<'t> {
    Name(Cow<'t, str>),
    Offset(usize),
}

/// State of the parse of a literal.
#[derive(Debug, Default)]
struct Literal<'t> {
    encoder: Encoder,
    /// Position of the parse in the literal.
    place: Vec<PlaceStep<'t>>,
    /// True for the item of an INSERT, each of whose attributes is a root.
    is_item: bool,
    /// Number of lists and maps around that position within its attribute.
    level: usize,
}

impl Literal<'_> {
    fn place(&self) -> String {
        let mut text = "root".to_owned();
        for step in self.place.iter().skip(usize::from(self.is_item)) {
            match step {
                PlaceStep::Name(name) => write!(text, ".{name}"),
                PlaceStep::Offset(offset) => write!(text, "[{offset}]"),
            }
            .expect("writing to a string cannot fail");
        }
        text
    }
}

impl<'t> Parser<'t> {
    /// Returns whether a literal or parameter stands here.
    pub(super) fn at_value(&self) -> bool {
        match self.current.kind {
            Kind::Word => ["true", "false", "null"].iter().any(|word| self.at_word(word)),
            Kind::String
            | Kind::Number
            | Kind::Minus
            | Kind::Plus
            | Kind::Parameter
            | Kind::OpenBracket
            | Kind::OpenBrace
            | Kind::OpenBag => true,
            _ => false,
        }
    }

    /// Parses a literal or parameter.
    pub(super) fn value(&mut self) -> Parsed<Value> {
        if self.eat(Kind::Parameter) {
            return Ok(self.parameter());
        }
        let mut literal = Literal::default();
        self.write_value(&mut literal)?;
        Ok(literal.encoder.into_value())
    }

    /// Parses the item of an INSERT: a map or a parameter that is one.
    pub(super) fn item(&mut self) -> Parsed<Item> {
        let at = self.current;
        match at.kind {
            Kind::Parameter => {
                self.advance();
                let value = self.parameter();
                if let ValueRef::M(entries) = value.get() {
                    let mut encoder = Encoder::new();
                    let mark = encoder.begin_item();
                    for (name, value) in entries.iter() {
                        encoder.map_entry(name);
                        encoder.value_ref(&value);
                    }
                    Ok(encoder.end_item(mark))
                } else {
                    self.note(|| StatementFault::InsertOfOther.into());
                    Ok(Item::empty())
                }
            }
            Kind::OpenBrace => {
                self.advance();
                let mut literal = Literal { is_item: true, ..Literal::default() };
                let mark = literal.encoder.begin_item();
                self.write_entries(&mut literal)?;
                Ok(literal.encoder.end_item(mark))
            }
            _ if self.at_value() => {
                self.value()?;
                self.note(|| StatementFault::InsertOfOther.into());
                Ok(Item::empty())
            }
            _ => self.refuse_value().map(|()| Item::empty()),
        }
    }

    /// Skips something that cannot stand in a literal, and refuses it.
    pub(super) fn refuse_value(&mut self) -> Parsed<()> {
        let at = self.span(self.current);
        let word = self.word().to_ascii_lowercase();
        if !self.eat_word("missing") {
            if !self.at_identifier() && !self.at_call() {
                return Err(self.unexpected());
            }
            self.operand_to_refuse()?;
        }
        while self.at_arithmetic() {
            self.advance();
            self.operand_to_refuse()?;
        }
        self.note(|| StatementFault::LiteralValue { word, at }.into());
        Ok(())
    }

    /// Parses a path; skips an expression that would have to be computed.
    pub(super) fn operand_to_refuse(&mut self) -> Parsed<Option<DocumentPath>> {
        if self.at_call() {
            self.pass_call()?;
        } else if self.at_value() {
            self.value()?;
        } else {
            return self.path().map(Some);
        }
        Ok(None)
    }

    fn write_value(&mut self, literal: &mut Literal<'t>) -> Parsed<()> {
        if literal.level >= NESTING_DEPTH_MAX {
            self.note(|| StatementFault::Value(ValueFault::NestingTooDeep).into());
        }
        match self.current.kind {
            Kind::Parameter => {
                self.advance();
                let value = self.parameter();
                if literal.level + depth(value.get()) > NESTING_DEPTH_MAX {
                    self.note(|| StatementFault::Value(ValueFault::NestingTooDeep).into());
                }
                literal.encoder.value_ref(&value.get());
            }
            Kind::String => {
                let token = self.advance();
                literal.encoder.string(&self.content_of(token));
            }
            Kind::Number | Kind::Minus | Kind::Plus => {
                let number = self.number(literal)?;
                literal.encoder.number(&number);
            }
            Kind::OpenBracket => self.write_list(literal)?,
            Kind::OpenBrace => {
                self.advance();
                literal.level += 1;
                let mark = literal.encoder.begin_map();
                self.write_entries(literal)?;
                literal.encoder.end_map(mark);
                literal.level -= 1;
            }
            Kind::OpenBag => {
                let set = self.bag(literal)?;
                literal.encoder.value(&set);
            }
            Kind::Word => self.write_word(literal)?,
            _ => {
                self.refuse_value()?;
                literal.encoder.null();
            }
        }
        Ok(())
    }

    fn write_word(&mut self, literal: &mut Literal<'t>) -> Parsed<()> {
        if self.at_word("true") || self.at_word("false") {
            literal.encoder.boolean(self.at_word("true"));
        } else if self.at_word("null") {
            literal.encoder.null();
        } else {
            self.refuse_value()?;
            literal.encoder.null();
            return Ok(());
        }
        self.advance();
        Ok(())
    }

    fn write_list(&mut self, literal: &mut Literal<'t>) -> Parsed<()> {
        self.advance();
        literal.level += 1;
        let mark = literal.encoder.begin_list();
        let mut offset = 0;
        self.comma_separated(Kind::CloseBracket, |parser| {
            literal.place.push(PlaceStep::Offset(offset));
            parser.write_value(literal)?;
            literal.place.pop();
            offset += 1;
            Ok(())
        })?;
        literal.encoder.end_list(mark);
        literal.level -= 1;
        Ok(())
    }

    /// Parses the entries of a map up to its closing brace.
    fn write_entries(&mut self, literal: &mut Literal<'t>) -> Parsed<()> {
        self.comma_separated(Kind::CloseBrace, |parser| parser.write_entry(literal)).map(drop)
    }

    fn write_entry(&mut self, literal: &mut Literal<'t>) -> Parsed<()> {
        let token = match self.current.kind {
            Kind::String | Kind::Quoted => self.advance(),
            _ => return Err(self.malformed(Malformed::Term)),
        };
        let name = self.content_of(token);
        if name.is_empty() {
            self.note(|| StatementFault::Value(ValueFault::EmptyAttributeName).into());
        }
        self.expect(Kind::Colon)?;
        literal.encoder.map_entry(&name);
        literal.place.push(PlaceStep::Name(name));
        self.write_value(literal)?;
        literal.place.pop();
        Ok(())
    }

    fn number(&mut self, literal: &Literal<'_>) -> Parsed<Number> {
        let negative = self.at(Kind::Minus);
        if self.at(Kind::Minus) || self.at(Kind::Plus) {
            self.advance();
        }
        let token = self.expect(Kind::Number)?;
        let text = self.text_of(token);
        let parsed =
            if negative { Number::parse(&format!("-{text}")) } else { Number::parse(text) };
        match parsed {
            Ok(number) => Ok(number),
            // An exponent beyond 32 bits makes no number token. Source: captured 2026.
            Err(
                NumberFault::NotNumeric(_)
                | NumberFault::ExponentBeyond32Bits { .. }
                | NumberFault::ExponentAt32BitMax,
            ) => Err(Malformed::Token.into()),
            Err(fault) => {
                let place = literal.place();
                self.note(|| StatementFault::Number { fault, place }.into());
                Ok(Number::ZERO)
            }
        }
    }

    /// Parses a bag, which is a set: its members have one type, and none stands twice.
    fn bag(&mut self, literal: &mut Literal<'t>) -> Parsed<AttributeValue> {
        self.advance();
        let mut offset = 0;
        let members = self.comma_separated(Kind::CloseBag, |parser| {
            literal.place.push(PlaceStep::Offset(offset));
            let mut member = Literal { is_item: literal.is_item, ..Literal::default() };
            std::mem::swap(&mut member.place, &mut literal.place);
            // A member that is not scalar is refused with the other members that no set has.
            member.level = literal.level;
            parser.write_value(&mut member)?;
            std::mem::swap(&mut member.place, &mut literal.place);
            literal.place.pop();
            offset += 1;
            Ok(member.encoder.into_value())
        })?;
        match set_of(&members) {
            Ok(set) => Ok(set),
            Err(fault) => {
                self.note(|| fault.into());
                Ok(AttributeValue::Null)
            }
        }
    }
}

fn set_of(members: &[Value]) -> Result<AttributeValue, StatementFault> {
    let first = members.first().ok_or(StatementFault::EmptyBag)?.get().attribute_type();
    if members.iter().any(|member| member.get().attribute_type() != first) {
        return Err(StatementFault::BagMembers);
    }
    let values = || members.iter().map(Value::get);
    let set = match first {
        AttributeType::S => {
            AttributeValue::string_set(values().filter_map(|member| match member {
                ValueRef::S(string) => Some(string),
                _ => None,
            }))
        }
        AttributeType::N => {
            AttributeValue::number_set(values().filter_map(|member| match member {
                ValueRef::N(number) => Some(number.to_number()),
                _ => None,
            }))
        }
        AttributeType::B => {
            AttributeValue::binary_set(values().filter_map(|member| match member {
                ValueRef::B(bytes) => Some(bytes.to_vec()),
                _ => None,
            }))
        }
        _ => return Err(StatementFault::BagMembers),
    };
    let kept = match &set {
        AttributeValue::Ss(kept) => kept.len(),
        AttributeValue::Ns(kept) => kept.len(),
        AttributeValue::Bs(kept) => kept.len(),
        _ => 0,
    };
    if kept == members.len() {
        return Ok(set);
    }
    let set = set.attribute_type();
    let members = values().map(shown).collect();
    Err(StatementFault::Value(ValueFault::DuplicateMembers { set, members }))
}

/// Returns a member of a set in the form that faults list it in.
fn shown(member: ValueRef<'_>) -> String {
    match member {
        ValueRef::S(string) => string.to_owned(),
        ValueRef::N(number) => number.to_number().to_string(),
        ValueRef::B(bytes) => base64::Engine::encode(&base64::prelude::BASE64_STANDARD, bytes),
        _ => String::new(),
    }
}

/// Returns the number of nesting levels of a value; a scalar has one.
fn depth(value: ValueRef<'_>) -> usize {
    1 + match value {
        ValueRef::L(elements) => elements.iter().map(depth).max().unwrap_or(0),
        ValueRef::M(entries) => entries.iter().map(|(_, value)| depth(value)).max().unwrap_or(0),
        _ => 0,
    }
}
