//! Names and values of a call's expressions: those in the expressions and those that the caller
//! gives.

use crate::text::{Placeholders, TextFault};
use crate::{Error, Result};
use hashrange_model::AttributeValue;
use hashrange_wire::{DecodedValue, Map};
use std::borrow::Cow;

/// Names and values that the caller gives.
#[derive(Debug, Default)]
pub(super) struct Parameters {
    names: Vec<(String, String)>,
    values: Vec<(String, AttributeValue)>,
    /// The first value that could not be converted.
    fault: Option<Error>,
}

/// Names and values as a request has them.
#[derive(Debug, Clone, Default)]
pub(super) struct Substitutions {
    names: Vec<(String, String)>,
    values: Vec<(String, DecodedValue)>,
}

/// A request's `ExpressionAttributeNames`.
pub(super) type Names<'a> = Option<Map<Cow<'a, str>, Cow<'a, str>>>;
/// A request's `ExpressionAttributeValues`.
pub(super) type Values<'a> = Option<Map<Cow<'a, str>, DecodedValue>>;

impl Parameters {
    pub(super) fn name(&mut self, placeholder: &str, name: String) {
        self.names.push((with_sign('#', placeholder), name));
    }

    pub(super) fn value(&mut self, placeholder: &str, value: Result<AttributeValue>) {
        match value {
            Ok(value) => self.values.push((with_sign(':', placeholder), value)),
            Err(error) => self.fail(error),
        }
    }

    /// Keeps an error for when the call is made; the first one counts.
    pub(super) fn fail(&mut self, error: Error) {
        self.fault.get_or_insert(error);
    }

    /// Returns placeholders that avoid the caller's own.
    pub(super) fn placeholders(&self) -> Placeholders {
        let names = self.names.iter().map(|(placeholder, _)| placeholder.clone());
        Placeholders::beside(names.chain(self.values.iter().map(|(value, _)| value.clone())))
    }

    /// Returns all names and values, or the first error.
    pub(super) fn finish(self, placeholders: Placeholders) -> Result<Substitutions> {
        if let Some(error) = self.fault {
            return Err(error);
        }
        let (mut names, mut values) = placeholders.into_parts();
        names.extend(self.names);
        values.extend(self.values);
        let values = values.into_iter().map(|(name, value)| (name, super::checked::value(&value)));
        Ok(Substitutions { names, values: values.collect() })
    }
}

impl Substitutions {
    pub(super) fn names(&self) -> Names<'_> {
        let entry = |(placeholder, name): &'_ (String, String)| {
            (Cow::Owned(placeholder.clone()), Cow::Owned(name.clone()))
        };
        (!self.names.is_empty()).then(|| self.names.iter().map(entry).collect())
    }

    pub(super) fn values(&self) -> Values<'_> {
        let entry = |(placeholder, value): &'_ (String, DecodedValue)| {
            (Cow::Owned(placeholder.clone()), value.clone())
        };
        (!self.values.is_empty()).then(|| self.values.iter().map(entry).collect())
    }

    pub(super) fn into_maps(self) -> (Names<'static>, Values<'static>) {
        let names: Map<_, _> =
            self.names.into_iter().map(|(place, name)| (place.into(), name.into())).collect();
        let values: Map<_, _> =
            self.values.into_iter().map(|(place, value)| (place.into(), value)).collect();
        ((!names.is_empty()).then_some(names), (!values.is_empty()).then_some(values))
    }
}

/// Returns an optional expression with placeholders.
pub(super) fn rewritten(
    placeholders: &mut Placeholders,
    text: Option<&str>,
) -> Result<Option<String>, TextFault> {
    text.map(|text| placeholders.expression(text)).transpose()
}

fn with_sign(sign: char, placeholder: &str) -> String {
    if placeholder.starts_with(sign) {
        placeholder.to_owned()
    } else {
        format!("{sign}{placeholder}")
    }
}
