//! `ExpressionAttributeNames` and `ExpressionAttributeValues` of one request, with marks on the used ones.
//!
//! Use is syntactic: a placeholder counts as used when an expression names it, whether or not
//! that part is ever evaluated.

use crate::path::Name;
use hashrange_model::Value;
use hashrange_model::error::Reason;
use hashrange_model::limits::SUBSTITUTIONS_MAX_BYTES;

#[derive(Debug)]
struct Entry<'a, T: ?Sized> {
    key: &'a str,
    meaning: &'a T,
    used: bool,
}

/// `ExpressionAttributeNames` and -Values of one request with usage tracking across its
/// expressions.
#[derive(Debug, Default)]
pub struct Placeholders<'a> {
    /// Invariant: sorted by key.
    names: Vec<Entry<'a, str>>,
    /// Meaning of each name, in the order of `names`, once it was used.
    shared: Vec<Option<Name>>,
    /// Invariant: sorted by key.
    values: Vec<Entry<'a, Value>>,
    /// Whether an alias is a name in backquotes, which is its own meaning.
    is_of_pattern: bool,
}

impl<'a> Placeholders<'a> {
    /// Wraps the two maps as sent, `None` if the member is absent, and checks their keys.
    pub fn new(
        names: Option<impl IntoIterator<Item = (&'a str, &'a str)>>,
        values: Option<impl IntoIterator<Item = (&'a str, &'a Value)>>,
    ) -> Result<Self, Reason> {
        let names = entries(names, b'#', Reason::EmptyNames, Reason::InvalidNameKey)?;
        if let Some(nameless) = names.iter().find(|entry| entry.meaning.is_empty()) {
            return Err(Reason::EmptyNameOf(nameless.key.to_owned()));
        }
        let values = entries(values, b':', Reason::EmptyValues, Reason::InvalidValueKey)?;
        check_size(&names, &values)?;
        let shared = vec![None; names.len()];
        Ok(Self { names, shared, values, is_of_pattern: false })
    }

    /// Returns empty placeholders, as of a request without the two members.
    pub fn none() -> Self {
        Self::default()
    }

    /// Returns the placeholders of a pattern, in which names stand in backquotes and these values for all.
    pub(crate) fn of_pattern(values: impl Iterator<Item = (&'a str, &'a Value)>) -> Self {
        let entry = |(key, meaning)| Entry { key, meaning, used: false };
        let mut values: Vec<_> = values.map(entry).collect();
        values.sort_unstable_by_key(|entry| entry.key);
        Self { values, is_of_pattern: true, ..Self::default() }
    }

    /// Returns true if neither names nor values were given.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty() && self.values.is_empty()
    }

    /// Refuses names, then values, that no expression used so far.
    pub fn check_all_used(&self) -> Result<(), Reason> {
        match unused(&self.names) {
            names if !names.is_empty() => return Err(Reason::UnusedNames(names)),
            _ => {}
        }
        match unused(&self.values) {
            values if !values.is_empty() => Err(Reason::UnusedValues(values)),
            _ => Ok(()),
        }
    }

    /// Returns the meaning of `#name` and marks it as used.
    pub(crate) fn name(&mut self, alias: &str) -> Option<Name> {
        if self.is_of_pattern {
            let inner = alias.strip_prefix('`')?.strip_suffix('`')?;
            return Some(inner.replace("``", "`").into());
        }
        let nth = look_up(&mut self.names, alias)?;
        Some(self.shared[nth].get_or_insert_with(|| self.names[nth].meaning.into()).clone())
    }

    /// Returns the meaning of `:value` and marks it as used.
    pub(crate) fn value(&mut self, placeholder: &str) -> Option<&'a Value> {
        look_up(&mut self.values, placeholder).map(|nth| self.values[nth].meaning)
    }
}

fn entries<'a, T: ?Sized>(
    given: Option<impl IntoIterator<Item = (&'a str, &'a T)>>,
    sigil: u8,
    empty: Reason,
    invalid_key: impl Fn(String) -> Reason,
) -> Result<Vec<Entry<'a, T>>, Reason> {
    let Some(given) = given else { return Ok(Vec::new()) };
    let mut entries: Vec<_> =
        given.into_iter().map(|(key, meaning)| Entry { key, meaning, used: false }).collect();
    if entries.is_empty() {
        return Err(empty);
    }
    if let Some(entry) = entries.iter().find(|entry| !is_key(entry.key, sigil)) {
        return Err(invalid_key(entry.key.to_owned()));
    }
    entries.sort_unstable_by_key(|entry| entry.key);
    Ok(entries)
}

fn is_key(key: &str, sigil: u8) -> bool {
    match key.as_bytes() {
        [first, word @ ..] => {
            *first == sigil
                && !word.is_empty()
                && word.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
        }
        [] => false,
    }
}

/// Returns the offset of an entry and marks it as used.
fn look_up<T: ?Sized>(entries: &mut [Entry<'_, T>], key: &str) -> Option<usize> {
    let nth = entries.binary_search_by_key(&key, |entry| entry.key).ok()?;
    entries[nth].used = true;
    Some(nth)
}

/// Refuses more than 2 MB of placeholders, names and values together. A value counts with its
/// binary form, which is about as long as the value.
fn check_size(names: &[Entry<'_, str>], values: &[Entry<'_, Value>]) -> Result<(), Reason> {
    let of_names = names.iter().map(|entry| entry.key.len() + entry.meaning.len());
    let of_values = values.iter().map(|entry| entry.key.len() + entry.meaning.as_bytes().len());
    match of_names.chain(of_values).sum::<usize>() {
        size if size > SUBSTITUTIONS_MAX_BYTES => Err(Reason::SubstitutionsTooLarge),
        _ => Ok(()),
    }
}

fn unused<T: ?Sized>(entries: &[Entry<'_, T>]) -> Vec<String> {
    entries.iter().filter(|entry| !entry.used).map(|entry| entry.key.to_owned()).collect()
}
