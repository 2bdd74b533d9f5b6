//! Conditions as designers write them, in the language of patterns: without their values.
//!
//! | written | pattern |
//! |---|---|
//! | `PK = USER#1`, `PK=:pk`, `#pk = :pk`, `"PK" = 'USER#1'` | `PK = ?` |
//! | `begins_with(SK, ORDER#)`, `SK begins_with ORDER#` | `begins_with(SK, ?)` |
//! | `SK BETWEEN a AND b` | `SK BETWEEN ? AND ?` |
//! | `attribute_exists(x)`, `contains(tags, y)`, `x <> 1`, `x IN (a, b)` | the same with `?` |
//! | parts joined by `AND` or a comma | joined by `AND` |
//!
//! A text in the language of patterns is taken as it is, also with OR and NOT.

use hashrange_cost::Pattern;
use hashrange_expr::name_text;

/// Most conditions of a cell.
const TERMS_MAX: usize = 50;
const QUOTES: [char; 3] = ['\'', '"', '`'];
/// Comparators, the longer ones first.
const COMPARATORS: [(&str, &str); 8] = [
    ("<=", "<="),
    (">=", ">="),
    ("<>", "<>"),
    ("!=", "<>"),
    ("==", "="),
    ("=", "="),
    ("<", "<"),
    (">", ">"),
];

/// Returns conditions in the language of patterns; a fault in words if they cannot be read.
pub(super) fn canonical(text: &str) -> Result<String, String> {
    if text.contains('?') && Pattern::read(&format!("FILTER {text}")).is_ok() {
        return Ok(text.to_owned());
    }
    let terms = terms(text);
    if terms.len() > TERMS_MAX {
        return Err(format!("more than {TERMS_MAX} conditions"));
    }
    let read = terms.into_iter().map(|it| term(it).ok_or_else(|| unreadable(it)));
    Ok(read.collect::<Result<Vec<_>, _>>()?.join(" AND "))
}

fn unreadable(term: &str) -> String {
    format!(
        "{:?} is no condition such as PK = USER#1, begins_with(SK, ORDER#), SK BETWEEN a AND b",
        crate::words::short(term)
    )
}

/// Divides conditions at `AND`, `&&` and commas that are neither quoted nor in brackets nor of a BETWEEN.
fn terms(text: &str) -> Vec<&str> {
    let (mut found, mut start, mut depth, mut quote) = (Vec::new(), 0, 0_usize, None);
    let mut is_between = false;
    let mut skip_to = 0;
    for (at, character) in text.char_indices() {
        if at < skip_to {
            continue;
        }
        match (quote, character) {
            (Some(open), it) if it == open => quote = None,
            (None, it) if QUOTES.contains(&it) => quote = Some(it),
            (None, '(') => depth += 1,
            (None, ')') => depth = depth.saturating_sub(1),
            (None, ',') if depth == 0 => {
                found.push(&text[start..at]);
                start = at + 1;
            }
            (None, _) if depth == 0 => {
                if word_at(text, at, "between") {
                    is_between = true;
                } else if let Some(length) = and_at(text, at) {
                    if !std::mem::take(&mut is_between) {
                        found.push(&text[start..at]);
                        start = at + length;
                    }
                    skip_to = at + length;
                }
            }
            (Some(_) | None, _) => {}
        }
    }
    found.push(&text[start..]);
    found.into_iter().map(str::trim).filter(|term| !term.is_empty()).collect()
}

/// Returns whether a word, in any case, stands alone at an offset.
fn word_at(text: &str, at: usize, word: &str) -> bool {
    let is_part = |it: char| it.is_alphanumeric() || it == '_' || it == '#';
    let is_word = text.get(at..at + word.len()).is_some_and(|it| it.eq_ignore_ascii_case(word));
    is_word && !text[..at].ends_with(is_part) && !text[at + word.len()..].starts_with(is_part)
}

fn and_at(text: &str, at: usize) -> Option<usize> {
    const AND: &str = "and";
    let is_sign = text[at..].starts_with("&&");
    (word_at(text, at, AND) || is_sign).then(|| if is_sign { 2 } else { AND.len() })
}

/// Returns one condition in the language of patterns.
fn term(text: &str) -> Option<String> {
    let text = text.trim();
    if has_or(text) {
        return None;
    }
    if let Some((function, rest)) = text.split_once('(').filter(|(it, _)| is_plain(it.trim())) {
        return call(function.trim(), rest.trim().strip_suffix(')')?);
    }
    if let Some((name, word, value)) = infix(text) {
        let name = name_of(name)?;
        let value = value.trim();
        return match word {
            "between" => Some(format!("{name} BETWEEN ? AND ?")),
            "in" => {
                Some(format!("{name} IN ({})", places(value.trim_matches(['(', ')', '[', ']']))?))
            }
            _ if value.is_empty() => None,
            _ => Some(format!("begins_with({name}, ?)")),
        };
    }
    let at = COMPARATORS.iter().filter_map(|(sign, plain)| Some((text.find(sign)?, sign, plain)));
    // The first sign counts, the longest of those at one place.
    let (at, sign, plain) = at.min_by_key(|(at, sign, _)| (*at, usize::MAX - sign.len()))?;
    let value = text.get(at + sign.len()..)?.trim();
    if value.is_empty() {
        return None;
    }
    Some(format!("{} {plain} ?", name_of(&text[..at])?))
}

/// Returns whether an OR stands outside of quotes: it is no single condition.
fn has_or(text: &str) -> bool {
    let mut quote = None;
    text.char_indices().any(|(at, one)| match quote {
        Some(open) => {
            if one == open {
                quote = None;
            }
            false
        }
        None if QUOTES.contains(&one) => {
            quote = Some(one);
            false
        }
        None => word_at(text, at, "or") || text[at..].starts_with("||"),
    })
}

/// Returns the places of values in a list.
fn places(list: &str) -> Option<String> {
    let number = list.split(',').filter(|it| !it.trim().is_empty()).count();
    (1..=TERMS_MAX).contains(&number).then(|| vec!["?"; number].join(", "))
}

/// Returns the parts of `name WORD value` for the words between, in and `begins_with`.
fn infix(text: &str) -> Option<(&str, &'static str, &str)> {
    const WORDS: [(&str, &str); 5] = [
        ("between", "between"),
        ("begins_with", "begins_with"),
        ("begins with", "begins_with"),
        ("starts with", "begins_with"),
        ("in", "in"),
    ];
    WORDS.into_iter().find_map(|(written, word)| {
        let mut places = text.char_indices().map(|(at, _)| at);
        let at = places.find(|at| *at > 0 && word_at(text, *at, written))?;
        Some((&text[..at], word, &text[at + written.len()..]))
    })
}

/// Returns a function's call in the language of patterns.
fn call(function: &str, inside: &str) -> Option<String> {
    let (name, value) = match inside.split_once(',') {
        Some((name, value)) => (name, Some(value.trim())),
        None => (inside, None),
    };
    let name = name_of(name)?;
    match (function.to_ascii_lowercase().as_str(), value) {
        ("begins_with" | "beginswith" | "starts_with", Some(value)) if !value.is_empty() => {
            Some(format!("begins_with({name}, ?)"))
        }
        ("contains", Some(value)) if !value.is_empty() => Some(format!("contains({name}, ?)")),
        (function @ ("attribute_exists" | "attribute_not_exists"), None) => {
            Some(format!("{function}({name})"))
        }
        ("exists", None) => Some(format!("attribute_exists({name})")),
        _ => None,
    }
}

fn is_plain(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|it| it.is_ascii_alphanumeric() || it == '_')
}

/// Returns a name in the language of patterns, without quotes and without the `#` of a placeholder.
fn name_of(text: &str) -> Option<String> {
    let text = text.trim();
    let bare = text.trim_matches(QUOTES);
    let is_quoted = bare.len() < text.len();
    let bare = if is_quoted { bare } else { bare.trim_start_matches('#') };
    let is_name = !bare.is_empty() && (is_quoted || !bare.contains([' ', '(', ')', '=', '<', '>']));
    is_name.then(|| name_text(bare))
}
