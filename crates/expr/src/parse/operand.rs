//! Document paths, values, functions and sums.

use super::{Parsed, Parser};
use crate::path::{DocumentPath, Name, PathStep};
use crate::syntax::{Call, Operand, Term};
use crate::token::TokenKind;
use hashrange_model::error::ExpressionKind;
use hashrange_model::limits::{LIST_INDEX_MAX, NESTING_DEPTH_MAX};
use hashrange_model::reserved::is_reserved;

const CONDITION_FUNCTIONS: [&str; 6] =
    ["attribute_exists", "attribute_not_exists", "attribute_type", "begins_with", "contains", SIZE];
const UPDATE_FUNCTIONS: [&str; 2] = ["if_not_exists", LIST_APPEND];
const LIST_APPEND: &str = "list_append";
/// The only function that is an operand of a condition.
pub(crate) const SIZE: &str = "size";

impl<'t> Parser<'t, '_, '_> {
    /// Parses a document path.
    pub(crate) fn path(&mut self) -> Parsed<Operand<'t>> {
        let mut undefined = None;
        let mut path = DocumentPath::top_level(self.name(&mut undefined)?);
        loop {
            if self.eat(TokenKind::Dot) {
                let name = self.name(&mut undefined)?;
                path.steps.push(PathStep::Member(name));
            } else if self.eat(TokenKind::OpenIndex) {
                let digits = self.expect(TokenKind::Digits)?.text(self.text);
                self.expect(TokenKind::CloseIndex)?;
                path.steps.push(PathStep::Element(self.list_index(digits)));
            } else {
                break;
            }
        }
        self.found.path_too_deep |= path.steps.len() >= NESTING_DEPTH_MAX;
        Ok(undefined.map_or(Operand::Path(path), Operand::UndefinedName))
    }

    /// Returns a list index; notes one that is too large, which then stands for no element.
    fn list_index(&mut self, digits: &'t str) -> usize {
        match digits.parse() {
            Ok(index) if index <= LIST_INDEX_MAX => index,
            _ => {
                self.found.list_index.get_or_insert(digits);
                LIST_INDEX_MAX
            }
        }
    }

    /// Parses the path that an action or a projection names. Notes a path with an undefined
    /// placeholder, which the caller must refuse before using the path.
    pub(crate) fn target(&mut self) -> Parsed<DocumentPath> {
        Ok(match self.path()? {
            Operand::Path(path) => path,
            _ => DocumentPath::top_level(""),
        })
    }

    fn name(&mut self, undefined: &mut Option<&'t str>) -> Parsed<Name> {
        let word = self.word();
        match self.current.kind {
            TokenKind::Word if !self.at_any_keyword() => {
                if is_reserved(word) {
                    self.found.reserved_word.get_or_insert(word);
                }
                self.advance();
                Ok(word.into())
            }
            TokenKind::Alias => {
                self.advance();
                Ok(self.placeholders.name(word).unwrap_or_else(|| {
                    undefined.get_or_insert(word);
                    self.found.undefined_name.get_or_insert(word);
                    Name::default()
                }))
            }
            _ => Err(self.syntax_error()),
        }
    }

    /// Parses a `:value`.
    pub(crate) fn value(&mut self) -> Parsed<Operand<'t>> {
        let word = self.word();
        self.expect(TokenKind::Placeholder)?;
        Ok(if let Some(value) = self.placeholders.value(word) {
            Operand::Value(value.clone())
        } else {
            self.found.undefined_value.get_or_insert(word);
            Operand::UndefinedValue(word)
        })
    }

    /// Parses a path, a `:value` or a function.
    pub(super) fn simple_operand(&mut self) -> Parsed<Operand<'t>> {
        match self.current.kind {
            TokenKind::Placeholder => self.value(),
            TokenKind::Word if !self.at_any_keyword() && self.next().kind == TokenKind::Open => {
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
        let is_list_append = function == LIST_APPEND;
        self.open_list_appends += usize::from(is_list_append);
        let mut arguments = vec![self.argument()?];
        while self.eat_comma() {
            arguments.push(self.argument()?);
        }
        self.expect(TokenKind::Close)?;
        self.open_list_appends -= usize::from(is_list_append);
        self.depth -= 1;
        Ok(Call { function, arguments })
    }

    fn argument(&mut self) -> Parsed<Operand<'t>> {
        match self.kind {
            ExpressionKind::Update => self.term(),
            _ => self.operand(),
        }
    }

    fn note_function(&mut self, function: &'t str) {
        self.found.operators += 1;
        let (here, elsewhere) = match self.kind {
            ExpressionKind::Update => (&UPDATE_FUNCTIONS[..], &CONDITION_FUNCTIONS[..]),
            _ => (&CONDITION_FUNCTIONS[..], &UPDATE_FUNCTIONS[..]),
        };
        // Source: captured: a list_append does not stand in another one.
        let is_nested = function == LIST_APPEND && self.open_list_appends > 0;
        if elsewhere.contains(&function) || is_nested {
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

    /// Parses the right-hand side of a SET action: an operand, or two joined by one operator; the
    /// whole may stand in parentheses. Source: API reference, update grammar; captured.
    pub(crate) fn sum(&mut self) -> Parsed<Operand<'t>> {
        let first =
            if self.at(TokenKind::Open) { self.group(Self::sum)? } else { self.simple_operand()? };
        let is_sum = matches!(first, Operand::Sum(_));
        if is_sum || !matches!(self.current.kind, TokenKind::Plus | TokenKind::Minus) {
            return Ok(first);
        }
        self.found.operators += 1;
        let negative = self.advance().kind == TokenKind::Minus;
        let second = self.term()?;
        let positive = |operand| Term { negative: false, operand };
        Ok(Operand::Sum(vec![positive(first), Term { negative, operand: second }]))
    }

    /// Parses an operand of an update, which may stand in parentheses.
    fn term(&mut self) -> Parsed<Operand<'t>> {
        if self.at(TokenKind::Open) { self.group(Self::term) } else { self.simple_operand() }
    }
}
