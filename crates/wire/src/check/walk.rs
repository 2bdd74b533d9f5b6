//! The walk: compares a body with the shapes of the model.
//!
//! The walk checks members of a structure in the order of the model (those of the request itself in
//! the order of the policy), wherever they stand in the body; so it notes their positions first.

use hashrange_model::bounds::ECHOED_NAME_MAX_CHARS;
use hashrange_model::limits::ATTRIBUTE_NAME_MAX_BYTES;

use super::LISTED_MAX;
use super::echo;
use super::policy::Policy;
use super::shape::{Kind, Member, Pattern, Shape, ShapeId};
use super::violation::{Constraint, Path, Segment, Violation};
use std::ops::ControlFlow;

use crate::Map;
use crate::constraint::{TABLE_NAME_MAX, is_resource_name, is_table_arn};
use crate::generated::constraints::SHAPES;
use crate::json::decode::Fault;
use crate::json::parser::{Kind as JsonKind, Parser};
use crate::map::BoundedEntries;

const TABLE_NAME_PATTERN: &str = "[a-zA-Z0-9_.-]+";

/// Returns the shape of an id.
pub fn shape(id: ShapeId) -> &'static Shape {
    &SHAPES[usize::from(id.0)]
}

/// Returns the violations in a body, in the order of reporting, a few more than an answer lists.
pub fn violations(body: &Parser<'_>, input: ShapeId, policy: &Policy) -> Vec<Violation> {
    let mut walk = ConstraintWalk { found: Vec::new(), policy };
    let Kind::Structure(members) = &shape(input).kind else { return Vec::new() };
    // A fault ends the walk, because such a body is refused for other reasons.
    match walk.structure(body.fork(), members, &Path::default(), policy.first) {
        Ok(()) => walk.found,
        Err(_) => Vec::new(),
    }
}

struct ConstraintWalk<'p> {
    found: Vec<Violation>,
    policy: &'p Policy,
}

impl ConstraintWalk<'_> {
    /// Returns whether a member of the request has as many violations as an answer lists. Each
    /// member may have that many, so that the policy can choose among members.
    fn is_full(&self, path: &Path) -> bool {
        let top = path.top();
        self.found.iter().filter(|violation| violation.path.top() == top).count() >= LISTED_MAX
    }

    fn report(&mut self, path: &Path, value: Option<String>, constraint: Constraint) {
        if !self.is_full(path) {
            self.found.push(Violation { path: path.clone(), value, constraint });
        }
    }

    fn structure(
        &mut self,
        parser: Parser<'_>,
        members: &'static [Member],
        path: &Path,
        first: &[&str],
    ) -> Result<(), Fault> {
        let mut values = member_places(parser, members)?;
        let mut order: Vec<usize> = (0..members.len()).collect();
        let rank = |name| first.iter().position(|one| *one == name).unwrap_or(first.len());
        order.sort_by_key(|&nth| rank(members[nth].name));
        for nth in order {
            let path = path.to(Segment::Member(members[nth].name));
            match values[nth].take() {
                Some(value) => self.value(value, members[nth].shape, &path)?,
                None if members[nth].required => self.report(&path, None, Constraint::NotNull),
                None => {}
            }
        }
        Ok(())
    }

    fn value(&mut self, mut parser: Parser<'_>, id: ShapeId, path: &Path) -> Result<(), Fault> {
        if self.is_full(path) {
            return Ok(());
        }
        match &shape(id).kind {
            Kind::Structure(members) => self.structure(parser, members, path, &[]),
            // A list that is too short is reported at the map whose value it is.
            Kind::List { element, max, .. } if path.is_map_value() => {
                let length = element_count(parser.fork())?;
                self.length(&parser, id, path, length, (None, *max))?;
                self.elements(parser, *element, path)
            }
            Kind::List { element, min, max } => {
                let length = element_count(parser.fork())?;
                self.length(&parser, id, path, length, (*min, *max))?;
                self.elements(parser, *element, path)
            }
            Kind::Map { key, value, min, max } => {
                let most = max.and_then(|max| usize::try_from(max).ok()).unwrap_or(usize::MAX);
                let entries = entries(parser.fork(), most)?;
                self.length(&parser, id, path, entries.len(), (*min, *max))?;
                self.map_keys(&parser, id, *key, path, &entries)?;
                self.map_values(&parser, id, *value, path, &entries)?;
                self.entries(entries, *value, path)
            }
            Kind::String { min, max, pattern } => {
                self.string(&parser.string_value()?, path, (*min, *max), pattern.as_ref());
                Ok(())
            }
            Kind::TableReference { min } => {
                self.table_reference(&parser.string_value()?, path, *min);
                Ok(())
            }
            Kind::Enum(values) => {
                let text = parser.string_value()?;
                if !values.contains(&&*text) {
                    let constraint = Constraint::Enum { shape: shape(id).name, values };
                    self.report(path, Some(echo::shortened(&text)), constraint);
                }
                Ok(())
            }
            Kind::Integer { min, max } => {
                self.integer(parser.integer()?, path, (*min, *max));
                Ok(())
            }
            Kind::Item => self.attribute_names(&parser, id, path),
            Kind::AttributeValue | Kind::Unlimited => Ok(()),
        }
    }

    fn elements(&mut self, list: Parser<'_>, shape: ShapeId, path: &Path) -> Result<(), Fault> {
        each_element(list, |nth, element| {
            let path = path.to(Segment::Element(nth + 1));
            match element {
                Some(element) => self.value(element, shape, &path)?,
                None => self.report(&path, None, Constraint::NotNull),
            }
            Ok(if self.is_full(&path) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        })
    }

    fn entries(
        &mut self,
        entries: Map<String, Option<Parser<'_>>>,
        shape: ShapeId,
        path: &Path,
    ) -> Result<(), Fault> {
        for (key, value) in entries {
            let shown = key.chars().take(ECHOED_NAME_MAX_CHARS).collect();
            let path = path.to(Segment::Key(shown));
            match value {
                Some(value) => self.value(value, shape, &path)?,
                None => self.report(&path, None, Constraint::NotNull),
            }
        }
        Ok(())
    }

    fn length(
        &mut self,
        parser: &Parser<'_>,
        id: ShapeId,
        path: &Path,
        length: usize,
        limits: (Option<i64>, Option<i64>),
    ) -> Result<(), Fault> {
        if let Some(constraint) = length_violation(length, limits) {
            let shown = echo::value(parser, id, self.policy.echo)?;
            self.report(path, Some(shown), constraint);
        }
        Ok(())
    }

    fn string(
        &mut self,
        text: &str,
        path: &Path,
        limits: (Option<i64>, Option<i64>),
        pattern: Option<&Pattern>,
    ) {
        if let Some(pattern) = pattern.filter(|pattern| !(pattern.matches)(text)) {
            let constraint = Constraint::Pattern(pattern.text);
            self.report(path, Some(echo::shortened(text)), constraint);
        }
        if let Some(constraint) = length_violation(text.chars().count(), limits) {
            self.report(path, Some(echo::shortened(text)), constraint);
        }
    }

    fn table_reference(&mut self, text: &str, path: &Path, min: i64) {
        if is_table_arn(text) {
            return;
        }
        let limits = (Some(min), i64::try_from(TABLE_NAME_MAX).ok());
        let length = length_violation(text.chars().count(), limits);
        let form = (!is_resource_name(text)).then_some(Constraint::Pattern(TABLE_NAME_PATTERN));
        // Data operations report the form first, and of an empty name only that it is too short.
        // Source: answers of 2026-10, of control operations too.
        let faults = match (min, text.is_empty()) {
            (1, true) => [length, None],
            (1, false) => [form, length],
            _ => [length, form],
        };
        for constraint in faults.into_iter().flatten() {
            self.report(path, Some(echo::shortened(text)), constraint);
        }
    }

    fn integer(&mut self, value: i64, path: &Path, (min, max): (Option<i64>, Option<i64>)) {
        let constraint = match (min, max) {
            (Some(min), _) if value < min => Constraint::ValueMin(min),
            (_, Some(max)) if value > max => Constraint::ValueMax(max),
            _ => return,
        };
        self.report(path, Some(value.to_string()), constraint);
    }

    /// Checks the keys of a map: one violation reports all constraints on keys.
    fn map_keys(
        &mut self,
        parser: &Parser<'_>,
        map: ShapeId,
        key: ShapeId,
        path: &Path,
        entries: &Map<String, Option<Parser<'_>>>,
    ) -> Result<(), Fault> {
        let key_path = Path::default();
        let mut keys = ConstraintWalk { found: Vec::new(), policy: self.policy };
        for name in entries.keys() {
            match &shape(key).kind {
                Kind::TableReference { min } => keys.table_reference(name, &key_path, *min),
                Kind::String { min, max, pattern } => {
                    keys.string(name, &key_path, (*min, *max), pattern.as_ref());
                }
                _ => {}
            }
        }
        if !keys.found.is_empty() {
            let shown = echo::value(parser, map, self.policy.echo)?;
            self.report(path, Some(shown), Constraint::MapKeys(all_of(key)));
        }
        Ok(())
    }

    /// Checks the least length of lists that are values of a map, and reports it at the map.
    fn map_values(
        &mut self,
        parser: &Parser<'_>,
        map: ShapeId,
        value: ShapeId,
        path: &Path,
        entries: &Map<String, Option<Parser<'_>>>,
    ) -> Result<(), Fault> {
        let Kind::List { min: Some(min), .. } = &shape(value).kind else { return Ok(()) };
        for list in entries.values().flatten() {
            let length = element_count(list.fork())?;
            if length_violation(length, (Some(*min), None)).is_some() {
                let shown = echo::value(parser, map, self.policy.echo)?;
                self.report(path, Some(shown), Constraint::MapValues(all_of(value)));
                return Ok(());
            }
        }
        Ok(())
    }

    fn attribute_names(
        &mut self,
        parser: &Parser<'_>,
        id: ShapeId,
        path: &Path,
    ) -> Result<(), Fault> {
        if longest_name(parser.fork())? > ATTRIBUTE_NAME_MAX_BYTES {
            let shown = echo::value(parser, id, self.policy.echo)?;
            let max = i64::try_from(ATTRIBUTE_NAME_MAX_BYTES).unwrap_or(i64::MAX);
            let constraint = Constraint::MapKeys(vec![Constraint::LengthMax(max)]);
            self.report(path, Some(shown), constraint);
        }
        Ok(())
    }
}

/// Returns all constraints on a string of a shape.
pub fn all_of(id: ShapeId) -> Vec<Constraint> {
    let (min, max, pattern) = match &shape(id).kind {
        Kind::TableReference { min } => {
            (Some(*min), i64::try_from(TABLE_NAME_MAX).ok(), Some(TABLE_NAME_PATTERN))
        }
        Kind::String { min, max, pattern } => (*min, *max, pattern.as_ref().map(|one| one.text)),
        Kind::List { min, max, .. } => (*min, *max, None),
        _ => (None, None, None),
    };
    let length = [max.map(Constraint::LengthMax), min.map(Constraint::LengthMin)];
    length.into_iter().chain([pattern.map(Constraint::Pattern)]).flatten().collect()
}

fn length_violation(length: usize, (min, max): (Option<i64>, Option<i64>)) -> Option<Constraint> {
    let length = i64::try_from(length).unwrap_or(i64::MAX);
    match (min, max) {
        (Some(min), _) if length < min => Some(Constraint::LengthMin(min)),
        (_, Some(max)) if length > max => Some(Constraint::LengthMax(max)),
        _ => None,
    }
}

/// Calls `visit` with the position of each element of the array that comes next, none for `null`,
/// until it breaks. Keeps nothing: a hostile list has a million elements.
pub fn each_element<'a>(
    mut parser: Parser<'a>,
    mut visit: impl FnMut(usize, Option<Parser<'a>>) -> Result<ControlFlow<()>, Fault>,
) -> Result<(), Fault> {
    let mut cursor = parser.begin_array()?;
    let mut nth = 0;
    while parser.next_element(&mut cursor)? {
        let place = (parser.peek()? != JsonKind::Null).then(|| parser.fork());
        if visit(nth, place)?.is_break() {
            return Ok(());
        }
        parser.skip_value()?;
        nth += 1;
    }
    Ok(())
}

fn element_count(parser: Parser<'_>) -> Result<usize, Fault> {
    let mut count = 0;
    each_element(parser, |_, _| {
        count += 1;
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(count)
}

/// Returns the position of each value of the object that comes next; none for `null`. Of an object
/// with more than `max` members it returns a few more than that.
pub fn entries(
    mut parser: Parser<'_>,
    max: usize,
) -> Result<Map<String, Option<Parser<'_>>>, Fault> {
    let mut cursor = parser.begin_object()?;
    let mut entries = BoundedEntries::new(max);
    while let Some(name) = parser.next_member(&mut cursor)? {
        let value = (parser.peek()? != JsonKind::Null).then(|| parser.fork());
        if entries.take_more() {
            entries.push(name.into_owned(), value);
        }
        parser.skip_value()?;
    }
    Ok(entries.finish())
}

/// Returns the positions of a structure's members in the object that comes next; none for `null`
/// and absent members.
pub fn member_places<'a>(
    mut parser: Parser<'a>,
    members: &[Member],
) -> Result<Vec<Option<Parser<'a>>>, Fault> {
    let mut places: Vec<Option<Parser<'a>>> = Vec::new();
    places.resize_with(members.len(), || None);
    let mut cursor = parser.begin_object()?;
    while let Some(name) = parser.next_member(&mut cursor)? {
        if let Some(nth) = members.iter().position(|member| member.name == name) {
            places[nth] = (parser.peek()? != JsonKind::Null).then(|| parser.fork());
        }
        parser.skip_value()?;
    }
    Ok(places)
}

/// Returns the length in bytes of the longest name in the object that comes next.
fn longest_name(mut parser: Parser<'_>) -> Result<usize, Fault> {
    let mut cursor = parser.begin_object()?;
    let mut longest = 0;
    while let Some(name) = parser.next_member(&mut cursor)? {
        longest = longest.max(name.len());
        parser.skip_value()?;
    }
    Ok(longest)
}
