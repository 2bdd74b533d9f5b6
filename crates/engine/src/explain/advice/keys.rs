//! Values of sort key conditions that do not mean what they look like: an upper end that leaves out keys, a prefix
//! that takes the pointer to the newest version along, the last of unpadded numbers.

use crate::explain::collection::edge;
use crate::explain::explanation::{Advice, AdviceKind};
use crate::explain::plan::ReadPlan;
use hashrange_expr::{KeyOperator, name_text, value_text};
use hashrange_model::{ApiResult, ValueRef};
use hashrange_storage::{Direction, KeyRange, View};

/// Characters that stand for the end of all keys with a prefix, though others sort behind them.
const ENDS: [char; 3] = ['~', '\u{ff}', '\u{ffff}'];
/// `sk BETWEEN 'A#' AND 'A#~'` leaves out `A#é`.
pub(super) async fn upper_end<V: View>(view: &V, read: &ReadPlan<'_>) -> ApiResult<Option<Advice>> {
    let Some([keys]) = read.keys.as_deref() else { return Ok(None) };
    let Some((attribute, operator)) = keys.one_range(read.schema()) else { return Ok(None) };
    let (lower, upper) = match operator {
        KeyOperator::Between(lower, upper) => (lower.get().as_str(), upper),
        KeyOperator::Less(upper) | KeyOperator::LessOrEqual(upper) => (None, upper),
        _ => return Ok(None),
    };
    let Some(upper) = upper.get().as_str() else { return Ok(None) };
    let prefix = upper.trim_end_matches(ENDS);
    if prefix.len() == upper.len() {
        return Ok(None);
    }
    let end = &upper[prefix.len()..];
    let behind = KeyRange {
        start: keys.narrowed(read, KeyOperator::Equal, upper).start,
        end: keys.narrowed(read, KeyOperator::BeginsWith, prefix).end,
    };
    let left_out = first(view, read, behind, attribute).await?;
    let evidence = match left_out.filter(|text| text.as_str() > upper) {
        Some(text) => format!("{} sorts behind it", quoted(&text)),
        None => format!("other characters sort behind {}: no such key is stored now", quoted(end)),
    };
    let name = name_text(attribute);
    let remedy = match lower {
        None if prefix.is_empty() => "leave the condition out".to_owned(),
        Some(lower) if prefix.is_empty() => {
            format!("leave the upper end out: {name} >= {}", quoted(lower))
        }
        Some(lower) if lower != prefix => {
            format!("end the range with {}", last_of(read, prefix))
        }
        _ => format!("take the prefix: begins_with({name}, {})", quoted(prefix)),
    };
    let finding = format!("{} is not the last of the keys with its prefix", quoted(upper));
    Ok(Some(Advice { kind: AdviceKind::UpperEnd, finding, evidence, remedy }))
}

/// `begins_with(revision, 'v')` also returns `v0_Audit`, the pointer to the newest version.
pub(super) async fn pointer<V: View>(view: &V, read: &ReadPlan<'_>) -> ApiResult<Option<Advice>> {
    let Some([keys]) = read.keys.as_deref() else { return Ok(None) };
    let Some((attribute, KeyOperator::BeginsWith(prefix))) = keys.one_range(read.schema()) else {
        return Ok(None);
    };
    let Some(prefix) = prefix.get().as_str().filter(|it| is_of_versions(it)) else {
        return Ok(None);
    };
    let from = |key: &str| KeyRange {
        start: [&keys.narrowed(read, KeyOperator::Equal, key).start[..], &[0]].concat(),
        end: keys.range.end.clone(),
    };
    let Some(first_key) = first(view, read, keys.range.clone(), attribute).await? else {
        return Ok(None);
    };
    let Some((number, tail)) = number_after(&first_key, prefix) else { return Ok(None) };
    let pointer = format!("{prefix}0{tail}");
    let (version, is_first) = if number == "0" {
        (first(view, read, from(&first_key), attribute).await?, true)
    } else {
        let it = keys.narrowed(read, KeyOperator::Equal, &pointer);
        (first(view, read, it, attribute).await?.map(|_| first_key.clone()), false)
    };
    let Some(version) = version else { return Ok(None) };
    let is_version = number_after(&version, prefix)
        .is_some_and(|(other, other_tail)| !is_zero(other) && other_tail == tail);
    if !is_version {
        return Ok(None);
    }
    let name = name_text(attribute);
    let last = last_of(read, prefix);
    Ok(Some(Advice {
        kind: AdviceKind::VersionPointer,
        finding: format!("the prefix takes {} along, besides the versions", quoted(&pointer)),
        evidence: format!("{} is a version, and version 0 looks like a pointer", quoted(&version)),
        remedy: if is_first {
            format!("begin behind it: {name} BETWEEN {} AND {last}", quoted(&version))
        } else {
            format!("leave {} out of what is returned", quoted(&pointer))
        },
    }))
}

/// Returns whether a prefix ends with a word for versions, and perhaps a mark.
fn is_of_versions(prefix: &str) -> bool {
    let word = prefix.trim_end_matches(|it: char| !it.is_alphanumeric());
    let word = word.rsplit(|it: char| !it.is_alphabetic()).next().unwrap_or_default();
    let words = ["v", "ver", "version", "rev", "revision"];
    words.iter().any(|known| known.eq_ignore_ascii_case(word))
}

/// The last of `v_9` and `v_10` is `v_9`.
pub(super) async fn last_of_unpadded<V: View>(
    view: &V,
    read: &ReadPlan<'_>,
) -> ApiResult<Option<Advice>> {
    let is_last = read.page.direction == Direction::Backward && read.page.limit == 1;
    let (Some([keys]), true) = (read.keys.as_deref(), is_last) else { return Ok(None) };
    let schema = read.schema();
    let attribute = match (keys.one_range(schema), &schema.sort[..]) {
        (Some((attribute, _)), _) => attribute,
        (None, [only]) if keys.sort.is_empty() => &only.name,
        _ => return Ok(None),
    };
    let last = edge(view, read.page.table, keys.range.clone(), Direction::Backward).await?;
    let Some(last) = last.as_ref().and_then(|item| item.get(attribute)?.as_str()) else {
        return Ok(None);
    };
    let Some((head, number, tail)) = first_number(last) else { return Ok(None) };
    if number.starts_with('0') {
        return Ok(None);
    }
    // Greater numbers of one more digit begin with 1 and sort before it.
    let longer = format!("{head}1{}", "0".repeat(number.len()));
    let found = KeyRange {
        start: keys.narrowed(read, KeyOperator::Equal, &longer).start.max(keys.range.start.clone()),
        end: keys.narrowed(read, KeyOperator::BeginsWith, &format!("{head}1")).end,
    };
    let Some(greater) = first(view, read, found, attribute).await? else { return Ok(None) };
    let is_greater = number_after(&greater, head)
        .is_some_and(|(other, other_tail)| other.len() > number.len() && other_tail == tail);
    Ok(is_greater.then(|| Advice {
        kind: AdviceKind::UnpaddedNumber,
        finding: format!("the last key is {}, which has not the greatest number", quoted(last)),
        evidence: format!("{} is stored, and sorts before it", quoted(&greater)),
        remedy: "write numbers in keys with leading zeros, of one width".to_owned(),
    }))
}

/// Returns the value of the attribute in the first entry of a range.
pub(super) async fn first<V: View>(
    view: &V,
    read: &ReadPlan<'_>,
    range: KeyRange,
    attribute: &str,
) -> ApiResult<Option<String>> {
    if range.is_empty() {
        return Ok(None);
    }
    let entry = edge(view, read.page.table, range, Direction::Forward).await?;
    Ok(entry.and_then(|entry| Some(entry.get(attribute)?.as_str()?.to_owned())))
}

/// Returns the number that follows a prefix, and the text behind it.
fn number_after<'k>(key: &'k str, prefix: &str) -> Option<(&'k str, &'k str)> {
    let rest = key.strip_prefix(prefix)?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    (digits > 0).then(|| rest.split_at(digits))
}

/// Returns the text before the first number of a key, the number, and the text behind it.
fn first_number(key: &str) -> Option<(&str, &str, &str)> {
    let (head, _) = key.split_at(key.find(|it: char| it.is_ascii_digit())?);
    let (number, tail) = number_after(key, head)?;
    // Dates, times and decimals have several numbers.
    (!tail.bytes().any(|byte| byte.is_ascii_digit())).then_some((head, number, tail))
}

fn is_zero(number: &str) -> bool {
    number.bytes().all(|digit| digit == b'0')
}

/// Returns a text behind all keys with a prefix, as a remedy names it. A statement gets it by a parameter, since PartiQL
/// reads what stands in double quotes as a name.
pub(super) fn last_of(read: &ReadPlan<'_>, prefix: &str) -> String {
    let last = quoted(&format!("{prefix}{}", char::MAX));
    if read.statement.is_some() { format!("the parameter {last}") } else { last }
}

pub(super) fn quoted(text: &str) -> String {
    value_text(ValueRef::S(text))
}
