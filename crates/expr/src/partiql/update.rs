//! The SET and REMOVE clauses of UPDATE, in the form of update expressions.

use super::parser::{Parsed, Parser, null};
use super::token::{Kind, Token};
use crate::path::DocumentPath;
use crate::path_tree::PathTree;
use crate::token::Comparator;
use crate::update::{Action, Effect, Operand, Term, Update};
use hashrange_model::error::{ExpressionFault, Malformed, StatementFault};
use hashrange_model::{AttributeType, Reason, Value};

impl Parser<'_> {
    /// Parses the clauses, at least one.
    pub(super) fn update(&mut self) -> Parsed<Update> {
        let mut actions = Vec::new();
        loop {
            if self.eat_word("set") {
                actions.push(self.assignment()?);
                while self.eat(Kind::Comma) {
                    actions.push(self.assignment()?);
                }
            } else if self.eat_word("remove") {
                actions.push(self.removal()?);
                while self.eat(Kind::Comma) {
                    actions.push(self.removal()?);
                }
            } else if actions.is_empty() {
                return Err(self.malformed(Malformed::Statement));
            } else {
                break;
            }
        }
        if actions.len() > 1 {
            let tree = PathTree::build(actions.iter().map(|action| &action.path));
            self.or_noted(tree.map(drop).map_err(Reason::from), || ())?;
        }
        Ok(Update::from_actions(actions))
    }

    fn removal(&mut self) -> Parsed<Action> {
        Ok(Action { path: self.target_path()?, effect: Effect::Remove })
    }

    fn assignment(&mut self) -> Parsed<Action> {
        let path = self.target_path()?;
        self.expect(Kind::Compare(Comparator::Equal))?;
        let effect = if self.at_call() && (self.at_word("set_add") || self.at_word("set_delete")) {
            let change = self.set_change(&path);
            self.or_noted(change, || Effect::Remove)?
        } else {
            Effect::Set(self.sum()?)
        };
        Ok(Action { path, effect })
    }

    /// Parses `set_add(path, set)` or `set_delete(path, set)`.
    fn set_change(&mut self, target: &DocumentPath) -> Parsed<Effect> {
        let name = self.advance();
        let is_add = self.text_of(name).eq_ignore_ascii_case("set_add");
        let function = if is_add { "SET_ADD" } else { "SET_DELETE" };
        self.advance();
        let first = self.current;
        let arguments = self.comma_separated(Kind::Close, Self::sum)?;
        let Ok([path, set]) = <[Operand; 2]>::try_from(arguments) else {
            return Err(StatementFault::SetArguments { function, at: self.span(name) }.into());
        };
        match path {
            Operand::Path(path) if path == *target => {}
            _ => return Err(StatementFault::SetTarget { function, at: self.span(name) }.into()),
        }
        let set = self.set_operand(set, function, first)?;
        Ok(if is_add { Effect::Add(set) } else { Effect::Delete(set) })
    }

    /// Returns the set; reports any other value at the position of the first argument.
    /// Source: captures of 2026-10.
    fn set_operand(&self, operand: Operand, function: &'static str, first: Token) -> Parsed<Value> {
        match operand {
            // A faulty value stands in for the fault that will be reported.
            Operand::Value(value)
                if value.get().attribute_type().is_set() || self.noted.is_some() =>
            {
                Ok(value)
            }
            _ => Err(StatementFault::SetOperand { function, at: self.span(first) }.into()),
        }
    }

    /// Parses operands joined by `+` and `-`.
    fn sum(&mut self) -> Parsed<Operand> {
        let first = self.update_operand()?;
        if !self.at(Kind::Plus) && !self.at(Kind::Minus) {
            return Ok(first);
        }
        let mut terms = vec![Term { negative: false, operand: first }];
        while self.at(Kind::Plus) || self.at(Kind::Minus) {
            let negative = self.advance().kind == Kind::Minus;
            terms.push(Term { negative, operand: self.update_operand()? });
        }
        for (nth, term) in terms.iter().enumerate() {
            let sign = if terms[nth.max(1)].negative { "-" } else { "+" };
            let checked = crate::update::check_known_type(sign, &term.operand, AttributeType::N);
            self.or_noted(checked.map_err(Reason::from), || ())?;
        }
        Ok(Operand::Sum(terms))
    }

    fn update_operand(&mut self) -> Parsed<Operand> {
        if self.at(Kind::Open) {
            self.advance();
            self.enter()?;
            let operand = self.sum()?;
            self.expect(Kind::Close)?;
            self.leave();
            return Ok(operand);
        }
        if self.at_call() {
            let called = self.update_call();
            return self.or_noted(called, || Operand::Value(null()));
        }
        if self.at_value() {
            return self.value().map(Operand::Value);
        }
        if self.at_word("missing") {
            self.refuse_value()?;
            return Ok(Operand::Value(null()));
        }
        self.path().map(Operand::Path)
    }

    fn update_call(&mut self) -> Parsed<Operand> {
        let function = self.word().to_ascii_lowercase();
        if !matches!(function.as_str(), "list_append" | "if_not_exists") {
            return Err(self.unknown_function()?);
        }
        self.advance();
        self.advance();
        let arguments = self.comma_separated(Kind::Close, Self::sum)?;
        let count = arguments.len();
        let Ok([first, second]) = <[Operand; 2]>::try_from(arguments) else {
            return Err(ExpressionFault::OperandCount { operator: function, count }.into());
        };
        if function == "if_not_exists" {
            return match first {
                Operand::Path(path) => Ok(Operand::IfNotExists(path, Box::new(second))),
                _ => Err(ExpressionFault::PathRequired(function).into()),
            };
        }
        for list in [&first, &second] {
            crate::update::check_known_type(&function, list, AttributeType::L)?;
        }
        Ok(Operand::ListAppend(Box::new((first, second))))
    }
}
