//! Position of a range in its item collection, and the keys of a prefix: by a bounded number of look-ups of single
//! entries.

use super::explanation::Collection;
use super::keys::ReadKeys;
use super::plan::ReadPlan;
use crate::fault;
use crate::schema::{KeySchema, Table};
use hashrange_expr::{KeyOperator, value_text};
use hashrange_model::{ApiResult, Item, ValueRef};
use hashrange_storage::{Direction, KeyRange, View, Wanted};
use std::ops::ControlFlow;

/// Most continuations of a prefix that are looked up.
const CONTINUATIONS_MAX: usize = 16;

/// Usual delimiters of key components, the most usual first.
const DELIMITERS: [char; 5] = ['#', '|', '/', ':', '_'];

/// Returns the position of a read's one range; none if it has several, or no sort key.
pub(super) async fn of_read<V: View>(
    view: &V,
    read: &ReadPlan<'_>,
) -> ApiResult<Option<Collection>> {
    let (Some([keys]), schema) = (read.keys.as_deref(), read.schema()) else { return Ok(None) };
    let is_of_past_index = read.page.table.past.is_some() && read.index().is_some();
    if schema.sort.is_empty() || is_of_past_index {
        return Ok(None);
    }
    let whole = keys.whole_partition(read.page.table, read.index());
    let range = keys.range.clone();
    let before = KeyRange { start: whole.start.clone(), end: Some(range.start.clone()) };
    let after = range.end.clone().map(|start| KeyRange { start, end: whole.end.clone() });
    let edges = [
        (Some(whole.clone()), Direction::Forward),
        (Some(before), Direction::Backward),
        (Some(range.clone()), Direction::Forward),
        (Some(range), Direction::Backward),
        (after, Direction::Forward),
        (Some(whole), Direction::Backward),
    ];
    let mut found = Vec::with_capacity(edges.len());
    for (range, direction) in edges {
        found.push(match range.filter(|range| !range.is_empty()) {
            None => None,
            Some(range) => edge(view, read.page.table, range, direction)
                .await?
                .map(|item| sort_text(schema, &item)),
        });
    }
    let mut found = found.into_iter();
    let mut next = || found.next().flatten();
    Ok(Some(Collection {
        first: next(),
        before: next(),
        first_in_range: next(),
        last_in_range: next(),
        after: next(),
        last: next(),
    }))
}

/// Returns the first entry of a range in a direction.
pub(super) async fn edge<V: View>(
    view: &V,
    table: &Table,
    range: KeyRange,
    direction: Direction,
) -> ApiResult<Option<Item>> {
    let mut found = None;
    let wanted = Wanted { entries: 1, bytes: 1 };
    view.visit(range, direction, wanted, |_, stored| {
        found = Some(stored);
        ControlFlow::Break(())
    })
    .await
    .map_err(|error| fault::of_tables([table], error))?;
    found.map(Item::from_stored).transpose().map_err(fault::of_form)
}

/// Returns the values of an entry's sort key.
fn sort_text(schema: &KeySchema, item: &Item) -> String {
    let values = schema.sort.iter().filter_map(|attribute| item.get(&attribute.name));
    values.map(value_text).collect::<Vec<_>>().join(", ")
}

/// Siblings of the component that a prefix ends inside.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Siblings {
    /// Text that completes the prefix: the delimiter, or its second half.
    pub(super) delimiter: String,
    /// A stored sort key of a sibling.
    pub(super) example: String,
}

/// How stored keys go on behind a prefix.
#[derive(Debug, Default)]
struct Continuations {
    /// With a delimiter, and the first such key.
    closed: Option<(char, String)>,
    /// With a character that words also have, and the first such key.
    perhaps: Option<(char, String)>,
    /// With something else: a key for each.
    others: Vec<String>,
}

/// Looks up whether a prefix that ends inside a component matches its siblings: stored keys continue it with a
/// delimiter as well as otherwise. Only then the prefix surely is a component.
pub(super) async fn siblings<V: View>(
    view: &V,
    read: &ReadPlan<'_>,
    keys: &ReadKeys,
    (attribute, prefix): (&str, &str),
) -> ApiResult<Option<Siblings>> {
    let Some(last) = prefix.chars().next_back() else { return Ok(None) };
    let declared = read.page.table.delimiters_of(attribute);
    let is_closed = DELIMITERS.contains(&last)
        || declared.contains(&last)
        || last.is_ascii_punctuation() && prefix.matches(last).count() > 1;
    let twice = |one: char| format!("{one}{one}");
    if is_closed && prefix.ends_with(&twice(last)) {
        return Ok(None);
    }
    let is_delimiter = |one: char, stored: &str| match &declared[..] {
        // The other half of a delimiter of two characters.
        _ if is_closed => one == last,
        [] => {
            let of_data = one.is_ascii_punctuation() && prefix.contains(one);
            delimiter_of(stored).map_or(of_data, |known| known == one)
        }
        declared => declared.contains(&one),
    };
    let of = (attribute, prefix);
    let mut found = continuations(view, read, keys, of, is_delimiter).await?;
    if is_closed || !declared.is_empty() {
        found.perhaps = None;
    }
    let is_sure = found.closed.is_some();
    let Some((one, stored)) = found.closed.or(found.perhaps) else { return Ok(None) };
    let count = |key: &str| key.matches(one).count();
    // Names have hyphens, too: keys of as many parts each are no names.
    if !is_sure && found.others.iter().any(|key| count(key) != count(&stored)) {
        return Ok(None);
    }
    let is_sibling = |key: &String| !is_closed || key.contains(&twice(one));
    let Some(example) = found.others.into_iter().find(is_sibling) else { return Ok(None) };
    let is_double = !is_closed
        && example.contains(&twice(one))
        && is_always_twice(view, read, keys, of, one).await?;
    let delimiter = if is_double { twice(one) } else { one.to_string() };
    Ok(Some(Siblings { delimiter, example }))
}

/// Looks up how stored keys go on behind a prefix, as far as a few look-ups show.
async fn continuations<V: View>(
    view: &V,
    read: &ReadPlan<'_>,
    keys: &ReadKeys,
    (attribute, prefix): (&str, &str),
    is_delimiter: impl Fn(char, &str) -> bool,
) -> ApiResult<Continuations> {
    let mut rest = keys.range.clone();
    let mut found = Continuations::default();
    for _ in 0..CONTINUATIONS_MAX {
        let entry = edge(view, read.page.table, rest.clone(), Direction::Forward).await?;
        let Some(entry) = entry else { break };
        let Some(ValueRef::S(stored)) = entry.get(attribute) else { break };
        let Some(next) = stored.strip_prefix(prefix) else { break };
        let continuation = next.chars().next();
        match continuation {
            Some(one) if is_delimiter(one, stored) => {
                found.closed.get_or_insert_with(|| (one, stored.to_owned()));
            }
            Some(one @ ('-' | '.')) if delimiter_of(stored).is_none() => {
                found.perhaps.get_or_insert_with(|| (one, stored.to_owned()));
            }
            Some(_) => found.others.push(stored.to_owned()),
            None => {}
        }
        let Some(beyond) = beyond(keys, read, prefix, continuation) else { break };
        rest.start = beyond.max(rest.start);
        if rest.is_empty() {
            break;
        }
    }
    Ok(found)
}

/// Returns whether all keys that continue a prefix with a character continue it with this character twice: the first
/// and the last do.
async fn is_always_twice<V: View>(
    view: &V,
    read: &ReadPlan<'_>,
    keys: &ReadKeys,
    (attribute, prefix): (&str, &str),
    one: char,
) -> ApiResult<bool> {
    let once = format!("{prefix}{one}");
    let range = keys.narrowed(read, KeyOperator::BeginsWith, &once);
    for direction in [Direction::Forward, Direction::Backward] {
        let entry = edge(view, read.page.table, range.clone(), direction).await?;
        let stored = entry.as_ref().and_then(|entry| entry.get(attribute)?.as_str());
        let is_twice = stored
            .and_then(|stored| stored.strip_prefix(&once))
            .is_some_and(|rest| rest.starts_with(one));
        if !is_twice {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns the delimiter of a key value's components.
pub(super) fn delimiter_of(value: &str) -> Option<char> {
    DELIMITERS.into_iter().find(|delimiter| value.contains(*delimiter))
}

/// Returns the first byte key behind all keys that continue a prefix with a character, or that end there.
fn beyond(
    keys: &ReadKeys,
    read: &ReadPlan<'_>,
    prefix: &str,
    continuation: Option<char>,
) -> Option<Vec<u8>> {
    match continuation {
        None => keys.narrowed(read, KeyOperator::Equal, prefix).end,
        Some(one) => keys.narrowed(read, KeyOperator::BeginsWith, &format!("{prefix}{one}")).end,
    }
}
