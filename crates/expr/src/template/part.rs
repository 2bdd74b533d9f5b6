//! The text of a part, between its braces: a place in an item, `shard:hash(place):8` or a generator;
//! encoders; and what stands for a missing value.

use super::Part;
use super::encoder::Encoder;
use super::source::{Generator, Source};
use super::text::is_name;
use crate::path::{DocumentPath, Name, PathStep};
use hashrange_model::error::TemplateTextFault;
use std::ops::RangeInclusive;

const SHARDS: RangeInclusive<u32> = 2..=10_000;
/// Most steps of a place in an item. Source: DynamoDB allows 32 levels.
const STEPS_MAX: usize = 32;

/// A fault, and its position in the text; none for the beginning of the part.
type Fault = (Option<usize>, TemplateTextFault);

/// Parses a part.
pub(super) fn parse(text: &str) -> Result<Part, Fault> {
    let (before, default) = match text.split_once('|') {
        Some((before, default)) => (before, Some(default.to_owned())),
        None => (text, None),
    };
    let (before, is_optional) = match before.trim_end().strip_suffix('?') {
        Some(before) => (before, true),
        None => (before, false),
    };
    let names = Names::of(before);
    let (name, source, encoder) = names.source()?;
    let stands_in = default.is_some() || is_optional;
    if source.generator().is_some() && stands_in {
        return Err((None, TemplateTextFault::NeverMissing(name)));
    }
    if default.is_some() && is_optional {
        return Err((None, TemplateTextFault::Expected("either a default or ?")));
    }
    Ok(Part { name, source, encoder, delimiter: None, default, is_optional, may_end: false })
}

/// The names between the colons, each with its position.
struct Names<'t> {
    whole: &'t str,
    names: Vec<(usize, &'t str)>,
}

impl<'t> Names<'t> {
    fn of(whole: &'t str) -> Self {
        let mut at = 0;
        let names = whole.split(':').map(|name| {
            let start = at;
            at += name.len() + 1;
            (start, name.trim())
        });
        Self { whole, names: names.collect() }
    }

    /// Returns the name at a place; the empty name behind the last.
    fn at(&self, nth: usize) -> &'t str {
        self.names.get(nth).map_or("", |(_, name)| *name)
    }

    fn position(&self, nth: usize) -> Option<usize> {
        self.names.get(nth).map(|(at, _)| *at)
    }

    /// Returns the name of the part, its source and its encoder.
    fn source(&self) -> Result<(String, Source, Encoder), Fault> {
        let head = self.at(0);
        let generated = |generator, encoder| {
            Ok((self.whole.trim().to_owned(), Source::Generated(generator), encoder))
        };
        match head {
            "ulid()" => generated(Generator::Ulid, self.id(Generator::Ulid)?),
            "uuid7()" => generated(Generator::Uuid7, self.id(Generator::Uuid7)?),
            "now()" => generated(Generator::Now, self.time()?),
            "now" if self.at(1) == "iso" => generated(Generator::Now, self.time()?),
            "shard" if self.at(1).starts_with("hash(") => self.shard(),
            _ if head.contains(['(', ')']) => {
                Err((None, TemplateTextFault::UnknownFunction(head.to_owned())))
            }
            _ => {
                let encoder = self.encoder(1)?;
                Ok((head.to_owned(), Source::Path(path(head)?), encoder))
            }
        }
    }

    /// Returns the encoder of the names from one on.
    fn encoder(&self, from: usize) -> Result<Encoder, Fault> {
        let names: Vec<&str> = self.names[from..].iter().map(|(_, name)| *name).collect();
        Encoder::of_names(&names).map_err(|(nth, fault)| (self.position(from + nth), fault))
    }

    fn id(&self, generator: Generator) -> Result<Encoder, Fault> {
        match self.position(1) {
            None => Ok(Encoder::Id(generator)),
            Some(at) => {
                Err((Some(at), TemplateTextFault::Expected("nothing behind ulid() and uuid7()")))
            }
        }
    }

    fn time(&self) -> Result<Encoder, Fault> {
        if self.names.len() == 1 {
            return Ok(Encoder::of_names(&["iso"]).expect("a time needs no precision"));
        }
        let encoder = self.encoder(1)?;
        if self.at(1) == "iso" {
            return Ok(encoder);
        }
        Err((self.position(1), TemplateTextFault::Expected("iso behind now()")))
    }

    fn shard(&self) -> Result<(String, Source, Encoder), Fault> {
        let fault = |nth| (self.position(nth), TemplateTextFault::Shards);
        let of = self.at(1).strip_prefix("hash(").and_then(|rest| rest.strip_suffix(')'));
        let of = path(of.ok_or_else(|| fault(1))?.trim())?;
        let is_number = self.at(2).bytes().all(|byte| byte.is_ascii_digit());
        let shards = self.at(2).parse().ok().filter(|shards| is_number && SHARDS.contains(shards));
        let shards = shards.ok_or_else(|| fault(2))?;
        if self.names.len() > 3 {
            return Err(fault(3));
        }
        Ok((format!("shard:{}", self.at(1)), Source::Shard(of), Encoder::Shard(shards)))
    }
}

/// Parses a place in an item, such as `address.lines[0]`.
fn path(text: &str) -> Result<DocumentPath, Fault> {
    let fault = || (None, TemplateTextFault::PartName(text.to_owned()));
    let mut steps = Vec::new();
    let mut attribute: Option<Name> = None;
    for member in text.split('.') {
        let (name, elements) = member.split_at(member.find('[').unwrap_or(member.len()));
        if !is_name(name) {
            return Err(fault());
        }
        match attribute {
            None => attribute = Some(name.into()),
            Some(_) => steps.push(PathStep::Member(name.into())),
        }
        let mut rest = elements;
        while !rest.is_empty() {
            let inside = rest.strip_prefix('[').and_then(|rest| rest.split_once(']'));
            let (offset, after) = inside.ok_or_else(fault)?;
            let is_number = !offset.is_empty() && offset.bytes().all(|byte| byte.is_ascii_digit());
            let offset = offset.parse().ok().filter(|_| is_number).ok_or_else(fault)?;
            steps.push(PathStep::Element(offset));
            rest = after;
        }
        if steps.len() > STEPS_MAX {
            return Err(fault());
        }
    }
    Ok(DocumentPath { attribute: attribute.ok_or_else(fault)?, steps })
}
