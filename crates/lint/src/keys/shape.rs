//! Beginnings of keys that differ in ids and moments only.
//!
//! `CUSTOMER#17#2026-03-01#` and `CUSTOMER#18#2026-04-01#` have one shape: what follows them is of
//! one kind, even in different collections. Words are kept: `DE#` and `US#` differ.

use super::tokens::{Kind, Token};

/// Shape of the beginning of a text, which grows token by token.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Shape(String);

impl Shape {
    /// Adds a token.
    pub(crate) fn push(&mut self, text: &str, token: &Token) {
        match token.kind {
            Kind::Word => self.0.push_str(text.get(token.range.clone()).unwrap_or("")),
            Kind::Mark(mark) => self.0.push(mark),
            Kind::Digits | Kind::Mixed | Kind::Uuid => self.0.push('\u{1}'),
            Kind::Moment(_) => self.0.push('\u{2}'),
            Kind::Address | Kind::Mail | Kind::Url => self.0.push('\u{3}'),
            Kind::Template => self.0.push('\u{4}'),
        }
    }

    /// Adds letters that are glued to what follows them.
    pub(crate) fn with(&self, letters: &str) -> Self {
        Self(format!("{}{letters}", self.0))
    }

    /// Returns the shape before the sign of a number.
    pub(crate) fn without_minus(&self) -> Self {
        Self(self.0.strip_suffix('-').unwrap_or(&self.0).to_owned())
    }
}
