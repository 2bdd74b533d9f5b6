//! The attribute and the encoder behind a part of a key: those that derive the part's text from the items.
//!
//! The templates themselves are tried (the crate `expr`), so a part is what `hashrange template set` makes of it. A
//! cheap look at the values leaves out what cannot be.

use crate::words::is_share;
use hashrange_expr::{Generated, KeyTemplate};
use hashrange_model::limits::SORT_KEY_MAX_BYTES;
use hashrange_model::{Item, ValueRef};
use std::collections::BTreeSet;

/// Items that suggest parts, so that one with another form is no hindrance.
const PROBES: usize = 3;
/// Most items on which a part is tried.
const TRIED_MAX: usize = 60;
/// Most attributes of an item that may be parts.
const NAMES_MAX: usize = 80;
/// Per cent of the items whose text a part must derive.
pub(crate) const REPRODUCED: usize = 95;
/// Precisions of times.
const PRECISIONS: [&str; 8] = ["ms", "s", "day", "minute", "hour", "month", "week", "year"];
/// Text of a template's part without its attribute, for values as they are.
const AS_IT_IS: &str = "";

/// An item, and the text of one part of its key.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Seen<'i> {
    pub(crate) item: &'i Item,
    pub(crate) text: &'i str,
}

/// Returns the part of a template, with its braces, that derives most of these texts; `hint` is the literal before it.
/// An attribute that `excluded` names is no source.
pub(crate) fn find(seen: &[Seen<'_>], hint: &str, excluded: &BTreeSet<&str>) -> Option<String> {
    let mut candidates: Vec<(usize, String)> = Vec::new();
    for probe in seen.iter().take(PROBES) {
        let attributes = probe.item.iter().filter(|(name, _)| !excluded.contains(name));
        for (name, value) in attributes.take(NAMES_MAX) {
            let forms = forms(name, value, probe.text);
            let far = usize::from(!is_near(name, hint));
            candidates.extend(forms.into_iter().map(|(rank, form)| (rank * 2 + far, form)));
        }
    }
    candidates.sort();
    candidates.dedup();
    let part = candidates.into_iter().find(|(_, form)| derives(form, seen))?.1;
    Some(format!("{{{part}}}"))
}

/// Returns whether an attribute's name speaks of a literal, as `userId` does of `USER#`.
fn is_near(name: &str, hint: &str) -> bool {
    let plain = |text: &str| -> String {
        text.chars().filter(|it| it.is_alphanumeric()).flat_map(char::to_lowercase).collect()
    };
    let (name, hint) = (plain(name), plain(hint));
    hint.len() > 1 && name.contains(&hint) || hint.is_empty()
}

/// Returns the parts that may derive a text from one attribute, or from a member of a map, each with its rank.
fn forms(name: &str, value: ValueRef<'_>, text: &str) -> Vec<(usize, String)> {
    match value {
        ValueRef::S(known) => of_text(known, text)
            .into_iter()
            .map(|(rank, encoder)| (rank, format!("{name}{encoder}")))
            .collect(),
        ValueRef::N(number) => of_number(&number.to_number().to_string(), text)
            .into_iter()
            .map(|(rank, encoder)| (rank, format!("{name}{encoder}")))
            .collect(),
        ValueRef::M(members) => {
            let scalars = members
                .iter()
                .take(NAMES_MAX)
                .filter(|(_, value)| matches!(value, ValueRef::S(_) | ValueRef::N(_)));
            let of_member =
                |(member, value)| forms(&format!("{name}.{member}"), value, text).into_iter();
            scalars.flat_map(of_member).map(|(rank, form)| (rank + 10, form)).collect()
        }
        _ => Vec::new(),
    }
}

/// Returns the encoders that may make one text of another.
fn of_text(known: &str, text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    if known == text {
        found.push((0, AS_IT_IS.to_owned()));
    }
    if known != text && known.to_lowercase() == text {
        found.push((1, ":lower".to_owned()));
    }
    if known != text && known.to_uppercase() == text {
        found.push((1, ":upper".to_owned()));
    }
    let is_time = |it: &str| {
        const TIME_LENGTHS: std::ops::RangeInclusive<usize> = 4..=40;
        TIME_LENGTHS.contains(&it.len()) && it.starts_with(|first: char| first.is_ascii_digit())
    };
    if known != text && is_time(known) && is_time(text) {
        found.extend(PRECISIONS.iter().map(|it| (2, format!(":iso:{it}"))));
        found.extend(PRECISIONS.iter().map(|it| (4, format!(":iso:{it}:desc"))));
    }
    found
}

/// Returns the encoders that may make a text of a number.
fn of_number(number: &str, text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let is_digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if is_digits && text.trim_start_matches('0') == number.trim_start_matches('0') {
        // Without zeros in front the width is the writer's secret, so the text as it is comes first.
        let rank = if text == number { 3 } else { 1 };
        found.push((rank, format!(":pad:{}", text.len())));
    } else if is_digits && text.len() >= number.len() {
        found.push((4, format!(":pad:{}:desc", text.len())));
    }
    if number == text {
        found.push((2, ":text".to_owned()));
    }
    if !is_digits && text.len() >= 4 && text.contains('-') || is_digits && text.len() == 4 {
        for unit in ["epoch_s", "epoch_ms"] {
            found.extend(PRECISIONS.iter().map(|it| (3, format!(":{unit}:iso:{it}"))));
        }
    }
    found
}

/// Returns whether a part derives nearly all texts, and does not say the same of all.
fn derives(form: &str, seen: &[Seen<'_>]) -> bool {
    let Ok(template) = KeyTemplate::parse(&format!("key = \"{{{form}}}\"")) else { return false };
    let tried = seen.get(..TRIED_MAX).unwrap_or(seen);
    let right = tried.iter().filter(|it| rendered(&template, it.item).as_deref() == Some(it.text));
    is_share(right.count(), tried.len(), REPRODUCED)
}

/// Returns the key that a template derives from an item, if it derives one.
pub(crate) fn rendered(template: &KeyTemplate, item: &Item) -> Option<String> {
    let rendered = template.render(item, &Generated::default(), SORT_KEY_MAX_BYTES).ok()?;
    rendered.key().map(str::to_owned)
}
