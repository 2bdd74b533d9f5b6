//! A place in a text, from which parts of a moment are read.

/// A text and a place in it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cursor<'t> {
    text: &'t str,
    pub(super) at: usize,
}

impl<'t> Cursor<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, at: 0 }
    }

    pub(super) fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or("")
    }

    /// Takes a run of digits if it has one of these lengths.
    pub(super) fn digits(&mut self, least: usize, most: usize) -> Option<&'t str> {
        let rest = self.rest();
        let length = rest.bytes().take_while(u8::is_ascii_digit).count();
        if length < least || length > most {
            return None;
        }
        self.at += length;
        rest.get(..length)
    }

    /// Takes a number whose digits are as many as this and whose value is in a range.
    pub(super) fn number(
        &mut self,
        (least, most): (usize, usize),
        range: (i64, i64),
    ) -> Option<i64> {
        let before = *self;
        let number = self.digits(least, most).and_then(|digits| digits.parse().ok());
        let number = number.filter(|number| (range.0..=range.1).contains(number));
        if number.is_none() {
            *self = before;
        }
        number
    }

    /// Takes a run of letters.
    pub(super) fn word(&mut self) -> &'t str {
        let rest = self.rest();
        let length = rest.bytes().take_while(u8::is_ascii_alphabetic).count();
        self.at += length;
        rest.get(..length).unwrap_or("")
    }

    /// Takes one of these characters.
    pub(super) fn one_of(&mut self, characters: &str) -> Option<char> {
        let first = self.rest().chars().next()?;
        characters.contains(first).then(|| {
            self.at += first.len_utf8();
            first
        })
    }

    /// Takes blanks and the other characters between the parts of a written date.
    pub(super) fn between(&mut self) -> bool {
        let before = self.at;
        while self.one_of(" ,.-/_").is_some() {}
        self.at > before && self.at - before <= 2
    }

    /// Returns whether no letter or digit follows.
    pub(super) fn is_at_end_of_word(&self) -> bool {
        !self.rest().chars().next().is_some_and(char::is_alphanumeric)
    }
}
