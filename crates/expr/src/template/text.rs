//! The text of a template: `[owns] attribute = "template" [when condition] [else "template" ...]`.
//!
//! The words and quotes are those of PartiQL; between the quotes, of either kind, a doubled one
//! stands for one. Every fault has its position.

use super::escape;
use super::part;
use super::when;
use super::{Case, Part, Piece};
use crate::partiql::{Kind, Token};
use hashrange_model::error::{TemplateFault, TemplateTextFault};

/// Longest text, in bytes.
const TEXT_MAX_BYTES: usize = 4096;
const CASES_MAX: usize = 32;
/// Most parts and literals of a case.
const PIECES_MAX: usize = 64;

type Parse<T> = Result<T, TemplateFault>;

/// A template's text, parsed.
#[derive(Debug)]
pub(super) struct Parsed {
    pub(super) attribute: String,
    pub(super) is_owner: bool,
    pub(super) cases: Vec<Case>,
}

/// Parses a template.
pub(super) fn parse(text: &str) -> Parse<Parsed> {
    let mut parser = Parser { text, at: 0 };
    if text.len() > TEXT_MAX_BYTES {
        return Err(parser.fault_at(0, TemplateTextFault::TooLong(TEXT_MAX_BYTES)));
    }
    let is_owner = parser.eat_owns();
    let attribute = parser.attribute()?;
    let equals = parser.next();
    if equals.text(text) != "=" {
        return Err(parser.expected(equals, "= after the attribute"));
    }
    let mut cases = vec![parser.case()?];
    loop {
        let word = parser.next();
        if word.kind == Kind::End {
            break;
        }
        if !word.is_word(text, "else") {
            return Err(parser.expected(word, "when, else or the end"));
        }
        if cases.len() == CASES_MAX {
            return Err(parser.fault_at(word.start, TemplateTextFault::TooMany("cases", CASES_MAX)));
        }
        cases.push(parser.case()?);
    }
    Ok(Parsed { attribute, is_owner, cases })
}

/// Returns whether a name in a part needs no quotes, since parts have no quotes.
pub(super) fn is_name(name: &str) -> bool {
    let is_special =
        |it: char| it.is_whitespace() || it.is_control() || ".[]{}():|?\"'".contains(it);
    !name.is_empty() && !name.contains(is_special)
}

struct Parser<'t> {
    text: &'t str,
    /// Position from which the next token is read.
    at: usize,
}

impl<'t> Parser<'t> {
    fn next(&mut self) -> Token {
        let token = Token::read(self.text, self.at);
        self.at = token.end;
        token
    }

    fn fault_at(&self, offset: usize, fault: TemplateTextFault) -> TemplateFault {
        TemplateFault::Text { fault, column: self.column(offset) }
    }

    fn column(&self, offset: usize) -> usize {
        self.text.char_indices().take_while(|(at, _)| *at < offset).count() + 1
    }

    fn expected(&self, found: Token, what: &'static str) -> TemplateFault {
        self.fault_at(found.start, TemplateTextFault::Expected(what))
    }

    /// Reads the word `owns`, unless it is the attribute.
    fn eat_owns(&mut self) -> bool {
        let (before, word) = (self.at, self.next());
        let is_owner = word.is_word(self.text, "owns")
            && Token::read(self.text, word.end).text(self.text) != "=";
        if !is_owner {
            self.at = before;
        }
        is_owner
    }

    /// Reads the attribute before the equals sign, in quotes if it is not a plain word.
    fn attribute(&mut self) -> Parse<String> {
        let token = self.next();
        match token.kind {
            Kind::Word => Ok(token.text(self.text).to_owned()),
            Kind::Quoted | Kind::String if token.end - token.start > 2 => {
                Ok(token.content(self.text).into_owned())
            }
            _ => Err(self.expected(token, "the key attribute that is derived")),
        }
    }

    fn case(&mut self) -> Parse<Case> {
        let token = self.next();
        if !matches!(token.kind, Kind::Quoted | Kind::String) {
            return Err(self.expected(token, "a template in quotes"));
        }
        let pieces = self.pieces(token)?;
        let after = self.at;
        let word = self.next();
        if !word.is_word(self.text, "when") {
            self.at = after;
            return Ok(Case { pieces, when: None });
        }
        let (start, end) = self.condition();
        let condition = when::parse(&self.text[start..end]).map_err(|why| match why {
            when::Refused::Condition(reason) => {
                TemplateFault::When { reason: Box::new(reason), column: self.column(start) }
            }
            when::Refused::Attributes(name) => {
                self.fault_at(start, TemplateTextFault::ComparesAttributes(name))
            }
        })?;
        Ok(Case { pieces, when: Some(condition) })
    }

    /// Skips a condition, which is all up to `else` or the end. Returns its start and end.
    fn condition(&mut self) -> (usize, usize) {
        let start = Token::read(self.text, self.at).start;
        loop {
            let token = self.next();
            let is_end = token.kind == Kind::End;
            if is_end || token.is_word(self.text, "else") {
                let end = if is_end { self.text.len() } else { token.start };
                self.at = end;
                return (start.min(end), end);
            }
        }
    }

    /// Reads the pieces between quotes.
    fn pieces(&self, token: Token) -> Parse<Vec<Piece>> {
        let mut reader = Template::new(self.text, token);
        let mut pieces: Vec<(usize, Piece)> = Vec::new();
        let mut literal = String::new();
        while let Some((offset, character)) = reader.next() {
            match character {
                '{' | '}' if reader.eat(character) => literal.push(character),
                '{' => {
                    push_literal(&mut pieces, offset, &mut literal);
                    pieces.push((offset, Piece::Part(self.part(&mut reader, offset)?)));
                }
                '}' => {
                    let what = "a { before it, or }} for a brace in the key";
                    return Err(self.fault_at(offset, TemplateTextFault::Expected(what)));
                }
                _ => literal.push(character),
            }
            if pieces.len() > PIECES_MAX {
                let fault = TemplateTextFault::TooMany("parts and texts in a template", PIECES_MAX);
                return Err(self.fault_at(offset, fault));
            }
        }
        push_literal(&mut pieces, token.end, &mut literal);
        if pieces.is_empty() {
            return Err(self.expected(token, "a template that is not empty"));
        }
        self.with_delimiters(pieces)
    }

    /// Sets what each part needs to know of the pieces behind it, and refuses parts whose end cannot
    /// be found.
    fn with_delimiters(&self, mut pieces: Vec<(usize, Piece)>) -> Parse<Vec<Piece>> {
        let optional = pieces.iter().position(|(_, piece)| is_optional(piece));
        for nth in 0..pieces.len() {
            let (before, behind) = pieces.split_at_mut(nth + 1);
            let Some((offset, Piece::Part(part))) = before.last_mut() else { continue };
            let of_part = |fault| self.fault_at(*offset, fault);
            part.set_behind(behind).map_err(of_part)?;
            if !part.is_optional && optional.is_some_and(|first| first < nth) {
                return Err(of_part(TemplateTextFault::BehindOptional(part.name.clone())));
            }
        }
        Ok(pieces.into_iter().map(|(_, piece)| piece).collect())
    }

    /// Reads a part, whose opening brace was read at `open`.
    fn part(&self, reader: &mut Template<'t>, open: usize) -> Parse<Part> {
        let mut inner = String::new();
        let mut offsets = Vec::new();
        loop {
            match reader.next() {
                Some((_, '}')) => break,
                Some((offset, character)) => {
                    inner.push(character);
                    offsets.push(offset);
                }
                None => {
                    let fault = TemplateTextFault::Expected("a } after the part");
                    return Err(self.fault_at(open, fault));
                }
            }
        }
        part::parse(&inner).map_err(|(at, fault)| {
            let nth = at.map(|at| inner[..at].chars().count());
            let offset = nth.map(|nth| offsets.get(nth).copied());
            self.fault_at(offset.flatten().unwrap_or(open), fault)
        })
    }
}

impl Part {
    /// Sets the delimiter, the default before it, and whether the key may end with the part, from the
    /// pieces behind it.
    fn set_behind(&mut self, behind: &[(usize, Piece)]) -> Result<(), TemplateTextFault> {
        match behind.first() {
            None => {}
            Some((_, Piece::Literal(text))) => self.delimiter = text.chars().next(),
            Some((_, Piece::Part(_))) if self.encoder.has_fixed_width() => {}
            Some((_, Piece::Part(_))) => {
                return Err(TemplateTextFault::EndUnknown(self.name.clone()));
            }
        }
        if let Some(delimiter) = self.delimiter.filter(|_| self.encoder.is_escaped())
            && escape::lead(delimiter).is_none()
        {
            return Err(TemplateTextFault::EscapeBefore(delimiter));
        }
        if let Some(text) = self.default.take() {
            self.default = self.encoder.default_text(&text, self.delimiter);
            if self.default.is_none() {
                return Err(TemplateTextFault::Default(text));
            }
        }
        let next = behind.iter().find(|(_, piece)| matches!(piece, Piece::Part(_)));
        self.may_end = next.is_some_and(|(_, piece)| is_optional(piece));
        Ok(())
    }
}

fn is_optional(piece: &Piece) -> bool {
    matches!(piece, Piece::Part(part) if part.is_optional)
}

fn push_literal(pieces: &mut Vec<(usize, Piece)>, offset: usize, literal: &mut String) {
    if !literal.is_empty() {
        pieces.push((offset, Piece::Literal(std::mem::take(literal))));
    }
}

/// The characters between quotes, each with its offset in the whole text.
struct Template<'t> {
    text: &'t str,
    quote: char,
    at: usize,
    end: usize,
}

impl<'t> Template<'t> {
    fn new(text: &'t str, token: Token) -> Self {
        let quote = if token.kind == Kind::Quoted { '"' } else { '\'' };
        Self { text, quote, at: token.start + 1, end: token.end - 1 }
    }

    fn peek(&self) -> Option<char> {
        self.text[self.at..self.end].chars().next()
    }

    fn next(&mut self) -> Option<(usize, char)> {
        let character = self.peek()?;
        let offset = self.at;
        // A quote inside was doubled in the text.
        let times = if character == self.quote { 2 } else { 1 };
        self.at += character.len_utf8() * times;
        Some((offset, character))
    }

    fn eat(&mut self, character: char) -> bool {
        let found = self.peek() == Some(character);
        if found {
            self.at += character.len_utf8();
        }
        found
    }
}
