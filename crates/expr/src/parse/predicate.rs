//! Conditions: OR over AND over NOT over predicates.

use super::{Parsed, Parser, SIZE};
use crate::syntax::{Operand, Predicate};
use crate::token::TokenKind;

/// An operand or a condition: only the text after it decides which of the two it is.
enum Phrase<'t> {
    Operand(Operand<'t>),
    Predicate(Predicate<'t>),
}

impl<'t> Parser<'t, '_, '_> {
    /// Parses a whole condition.
    pub(crate) fn predicate(&mut self) -> Parsed<Predicate<'t>> {
        let predicate = self.beginning_predicate()?;
        self.expect_end()?;
        Ok(predicate)
    }

    /// Parses the condition at the beginning of a text.
    pub(crate) fn beginning_predicate(&mut self) -> Parsed<Predicate<'t>> {
        let phrase = self.disjunction()?;
        self.as_predicate(phrase)
    }

    fn disjunction(&mut self) -> Parsed<Phrase<'t>> {
        self.chain("OR", Self::conjunction, Predicate::Or)
    }

    fn conjunction(&mut self) -> Parsed<Phrase<'t>> {
        self.chain("AND", Self::negation, Predicate::And)
    }

    fn chain(
        &mut self,
        keyword: &str,
        mut link: impl FnMut(&mut Self) -> Parsed<Phrase<'t>>,
        join: fn(Vec<Predicate<'t>>) -> Predicate<'t>,
    ) -> Parsed<Phrase<'t>> {
        let first = link(self)?;
        if !self.at_keyword(keyword) {
            return Ok(first);
        }
        let mut links = vec![self.as_predicate(first)?];
        while self.eat_keyword(keyword) {
            self.found.operators += 1;
            let next = link(self)?;
            links.push(self.as_predicate(next)?);
        }
        Ok(Phrase::Predicate(join(links)))
    }

    /// Parses NOT and its operand. NOT may be repeated; two undo each other. Source: API reference,
    /// condition grammar.
    fn negation(&mut self) -> Parsed<Phrase<'t>> {
        let mut negations = 0;
        while self.eat_keyword("NOT") {
            negations += 1;
        }
        let phrase = self.primary()?;
        if negations == 0 {
            return Ok(phrase);
        }
        self.found.operators += negations;
        let inner = self.as_predicate(phrase)?;
        Ok(Phrase::Predicate(match negations % 2 {
            0 => inner,
            _ => Predicate::Not(Box::new(inner)),
        }))
    }

    fn primary(&mut self) -> Parsed<Phrase<'t>> {
        let left = if self.at(TokenKind::Open) {
            self.group(Self::disjunction)?
        } else {
            Phrase::Operand(self.simple_operand()?)
        };
        if let TokenKind::Compare(comparator) = self.current.kind {
            let left = self.as_operand(left)?;
            self.advance();
            let right = self.operand()?;
            return Ok(Phrase::Predicate(Predicate::Compare { comparator, left, right }));
        }
        if self.at_keyword("BETWEEN") {
            return self.between(left);
        }
        if self.at_keyword("IN") {
            return self.membership(left);
        }
        Ok(left)
    }

    fn between(&mut self, left: Phrase<'t>) -> Parsed<Phrase<'t>> {
        let operand = self.as_operand(left)?;
        self.advance();
        let lower = self.operand()?;
        self.expect_keyword("AND")?;
        let upper = self.operand()?;
        Ok(Phrase::Predicate(Predicate::Between { operand, lower, upper }))
    }

    fn membership(&mut self, left: Phrase<'t>) -> Parsed<Phrase<'t>> {
        let operand = self.as_operand(left)?;
        self.advance();
        self.expect(TokenKind::Open)?;
        let mut candidates = vec![self.operand()?];
        while self.eat_comma() {
            candidates.push(self.operand()?);
        }
        self.expect(TokenKind::Close)?;
        Ok(Phrase::Predicate(Predicate::In { operand, candidates }))
    }

    /// Returns the phrase as left operand of the operator at which the parser stands.
    fn as_operand(&mut self, phrase: Phrase<'t>) -> Parsed<Operand<'t>> {
        match phrase {
            Phrase::Operand(operand) => {
                self.found.operators += 1;
                Ok(self.placed_as_operand(operand))
            }
            Phrase::Predicate(_) => Err(self.syntax_error()),
        }
    }

    fn as_predicate(&mut self, phrase: Phrase<'t>) -> Parsed<Predicate<'t>> {
        match phrase {
            Phrase::Predicate(predicate) => Ok(predicate),
            Phrase::Operand(Operand::Call(call)) => {
                if call.function == SIZE {
                    self.found.misused_function.get_or_insert(call.function);
                }
                Ok(Predicate::Call(call))
            }
            Phrase::Operand(_) => Err(self.syntax_error()),
        }
    }
}
