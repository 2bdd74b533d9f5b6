//! Document paths, values, functions and sums.

use super::{Parsed, Parser};
use crate::path::{DocumentPath, Step};
use crate::syntax::{Call, Operand, Term};
use crate::token::{Token, TokenKind};
use hashrange_model::error::ExpressionKind;
use hashrange_model::limits::NESTING_DEPTH_MAX;
use hashrange_model::reserved::is_reserved;

const CONDITION_FUNCTIONS: [&str; 6] =
    ["attribute_exists", "attribute_not_exists", "attribute_type", "begins_with", "contains", SIZE];
const UPDATE_FUNCTIONS: [&str; 2] = ["if_not_exists", "list_append"];
/// The only function that is an operand of a condition.
pub(crate) const SIZE: &str = "size";

impl<'t, 'a> Parser<'t, '_, 'a> {
    /// Parses a document path.
    pub(crate) fn path(&mut self) -> Parsed<Operand<'t>> {
        let mut undefined = None;
        let mut path = DocumentPath::top_level(self.name(&mut undefined)?);
        loop {
            if self.eat(TokenKind::Dot) {
                let name = self.name(&mut undefined)?;
                path.steps.push(Step::Member(name.into()));
            } else if self.eat(TokenKind::OpenIndex) {
                let digits = self.expect(TokenKind::Digits)?.text(self.text);
                self.expect(TokenKind::CloseIndex)?;
                // An offset beyond any list is as good as the one that was written.
                path.steps.push(Step::Element(digits.parse().unwrap_or(usize::MAX)));
            } else {
                break;
            }
        }
        self.found.path_too_deep |= path.steps.len() >= NESTING_DEPTH_MAX;
        Ok(undefined.map_or(Operand::Path(path), Operand::UndefinedName))
    }

    /// Parses the path that an action or a projection names. One with an undefined placeholder is
    /// noted and must be refused by the caller before the path is used.
    pub(crate) fn target(&mut self) -> Parsed<DocumentPath> {
        Ok(match self.path()? {
            Operand::Path(path) => path,
            _ => DocumentPath::top_level(""),
        })
    }

    fn name<'n>(&mut self, undefined: &mut Option<&'t str>) -> Parsed<&'n str>
    where
        't: 'n,
        'a: 'n,
    {
        let word = self.word();
        match self.current.kind {
            TokenKind::Word if !self.at_any_keyword() => {
                if is_reserved(word) {
                    self.found.reserved_word.get_or_insert(word);
                }
                self.advance();
                Ok(word)
            }
            TokenKind::Alias => {
                self.advance();
                Ok(self.placeholders.name(word).unwrap_or_else(|| {
                    undefined.get_or_insert(word);
                    self.found.undefined_name.get_or_insert(word);
                    ""
                }))
            }
            _ => Err(self.syntax_error()),
        }
    }

    /// Parses a `:value`.
    pub(crate) fn value(&mut self) -> Parsed<Operand<'t>> {
        let word = self.word();
        self.expect(TokenKind::Placeholder)?;
        Ok(match self.placeholders.value(word) {
            Some(value) => Operand::Value(value.clone()),
            None => {
                self.found.undefined_value.get_or_insert(word);
                Operand::UndefinedValue(word)
            }
        })
    }

    /// Parses a path, a `:value` or a function.
    pub(super) fn simple_operand(&mut self) -> Parsed<Operand<'t>> {
        match self.current.kind {
            TokenKind::Placeholder => self.value(),
            TokenKind::Word
                if !self.at_any_keyword()
                    && Token::read(self.text, self.current.end).kind == TokenKind::Open =>
            {
                self.call().map(Operand::Call)
            }
            _ => self.path(),
        }
    }

    fn call(&mut self) -> Parsed<Call<'t>> {
        self.enter()?;
        let function = self.word();
        self.advance();
        self.expect(TokenKind::Open)?;
        self.note_function(function);
        let mut arguments = vec![self.argument(function, 0)?];
        while self.eat_comma() {
            arguments.push(self.argument(function, arguments.len())?);
        }
        self.expect(TokenKind::Close)?;
        self.depth -= 1;
        Ok(Call { function, arguments })
    }

    fn argument(&mut self, function: &str, nth: usize) -> Parsed<Operand<'t>> {
        match (self.kind, function, nth) {
            (ExpressionKind::Update, ..) => self.sum(),
            // The type's name is always a value.
            (_, "attribute_type", 1) => self.value(),
            _ => self.operand(),
        }
    }

    fn note_function(&mut self, function: &'t str) {
        self.found.operators += 1;
        let (here, elsewhere) = match self.kind {
            ExpressionKind::Update => (&UPDATE_FUNCTIONS[..], &CONDITION_FUNCTIONS[..]),
            _ => (&CONDITION_FUNCTIONS[..], &UPDATE_FUNCTIONS[..]),
        };
        if elsewhere.contains(&function) {
            self.found.misused_function.get_or_insert(function);
        } else if !here.contains(&function) {
            self.found.unknown_function.get_or_insert(function);
        }
    }

    /// Parses the operand of a condition.
    pub(super) fn operand(&mut self) -> Parsed<Operand<'t>> {
        if self.at(TokenKind::Open) {
            return self.group(Self::operand);
        }
        let operand = self.simple_operand()?;
        Ok(self.placed_as_operand(operand))
    }

    pub(super) fn placed_as_operand(&mut self, operand: Operand<'t>) -> Operand<'t> {
        if let Operand::Call(Call { function, .. }) = &operand
            && *function != SIZE
        {
            self.found.misused_function.get_or_insert(function);
        }
        operand
    }

    /// Parses the right-hand side of a SET action.
    pub(crate) fn sum(&mut self) -> Parsed<Operand<'t>> {
        let first = self.sum_term()?;
        if !matches!(self.current.kind, TokenKind::Plus | TokenKind::Minus) {
            return Ok(first);
        }
        let mut terms = vec![Term { negative: false, operand: first }];
        while matches!(self.current.kind, TokenKind::Plus | TokenKind::Minus) {
            self.found.operators += 1;
            let negative = self.advance().kind == TokenKind::Minus;
            terms.push(Term { negative, operand: self.sum_term()? });
        }
        Ok(Operand::Sum(terms))
    }

    fn sum_term(&mut self) -> Parsed<Operand<'t>> {
        if self.at(TokenKind::Open) { self.group(Self::sum) } else { self.simple_operand() }
    }
}
