//! The WHERE clause: parsed and checked into the form that condition expressions have.
//!
//! Unlike in those, `<>` is false if an attribute is missing. Source: captured 2026.

use super::parser::{Parsed, Parser, null};
use super::token::{Kind, Token};
use crate::condition::{Condition, Node, Operand, check_bounds, check_range_operand};
use crate::path::DocumentPath;
use crate::syntax::operand_type;
use crate::token::Comparator;
use hashrange_model::error::{ExpressionFault, Malformed, StatementFault};
use hashrange_model::limits::IN_OPERANDS_MAX;
use hashrange_model::{AttributeType, ValueRef};

/// Part of a clause that is either a condition or an operand.
#[derive(Debug)]
enum Term {
    Condition(Node),
    /// A function that is true or false; it may be compared with true and false.
    Function(Node),
    Operand(Operand, Token),
    /// The literal `missing`.
    Missing,
}

impl Parser<'_> {
    /// Parses a condition.
    pub(super) fn condition(&mut self) -> Parsed<Condition> {
        let term = self.disjunction()?;
        Ok(Condition(self.required(term)?))
    }

    /// Refuses a bare operand where a condition is wanted, and with it an operator of PartiQL that
    /// is not supported.
    fn required(&mut self, term: Term) -> Parsed<Node> {
        let token = match term {
            Term::Condition(node) | Term::Function(node) => return Ok(node),
            Term::Operand(_, token) => token,
            Term::Missing => return Err(self.malformed(Malformed::Term)),
        };
        let fault = StatementFault::PathComponent(self.span(token)).into();
        if self.at_word("like") || self.at_arithmetic() {
            return Err(fault);
        }
        self.or_noted(Err(fault), never)
    }

    fn disjunction(&mut self) -> Parsed<Term> {
        let first = self.conjunction()?;
        if !self.at_word("or") {
            return Ok(first);
        }
        let mut nodes = vec![self.required(first)?];
        while self.eat_word("or") {
            let term = self.conjunction()?;
            nodes.push(self.required(term)?);
        }
        Ok(Term::Condition(Node::Or(nodes)))
    }

    fn conjunction(&mut self) -> Parsed<Term> {
        let first = self.negation()?;
        if !self.at_word("and") {
            return Ok(first);
        }
        let mut nodes = vec![self.required(first)?];
        while self.eat_word("and") {
            let term = self.negation()?;
            nodes.push(self.required(term)?);
        }
        Ok(Term::Condition(Node::And(nodes)))
    }

    fn negation(&mut self) -> Parsed<Term> {
        let mut negations = 0_usize;
        while self.eat_word("not") {
            negations += 1;
        }
        let term = self.predicate()?;
        if negations == 0 {
            return Ok(term);
        }
        let node = self.required(term)?;
        Ok(Term::Condition(if negations % 2 == 1 { Node::Not(Box::new(node)) } else { node }))
    }

    fn predicate(&mut self) -> Parsed<Term> {
        let start = self.current;
        let left = self.primary()?;
        if let Kind::Compare(comparator) = self.current.kind {
            self.advance();
            let right = self.primary()?;
            let compared = self.compare(comparator, left, right);
            return self.or_noted(compared, never).map(Term::Condition);
        }
        let operand = match left {
            Term::Operand(operand, _) => operand,
            other => return Ok(other),
        };
        if self.eat_word("is") {
            let checked = self.is(&operand);
            return self.or_noted(checked, never).map(Term::Condition);
        }
        let negated = self.at_word("not") && self.eat_word("not");
        let node = if self.eat_word("between") {
            let checked = self.between(operand);
            self.or_noted(checked, never)?
        } else if self.eat_word("in") {
            let checked = self.membership(operand);
            self.or_noted(checked, never)?
        } else if negated {
            return Err(self.malformed(Malformed::Term));
        } else {
            return Ok(Term::Operand(operand, start));
        };
        Ok(Term::Condition(if negated { Node::Not(Box::new(node)) } else { node }))
    }

    /// Parses a path, a value, a function, or something in parentheses.
    fn primary(&mut self) -> Parsed<Term> {
        let start = self.current;
        if self.at(Kind::Open) {
            self.advance();
            self.enter()?;
            let term = self.disjunction()?;
            self.expect(Kind::Close)?;
            self.leave();
            return Ok(term);
        }
        if self.at_call() {
            let called = self.call();
            return self.or_noted(called, || Term::Operand(Operand::Value(null()), start));
        }
        if self.at_value() {
            return Ok(Term::Operand(Operand::Value(self.value()?), start));
        }
        if self.eat_word("missing") {
            return Ok(Term::Missing);
        }
        Ok(Term::Operand(Operand::Path(self.path()?), start))
    }

    fn operand(&mut self) -> Parsed<Operand> {
        match self.primary()? {
            Term::Operand(operand, _) => Ok(operand),
            Term::Condition(_) | Term::Function(_) | Term::Missing => {
                Err(self.malformed(Malformed::Term))
            }
        }
    }

    fn compare(&self, comparator: Comparator, left: Term, right: Term) -> Parsed<Node> {
        let (left, right) = match (left, right) {
            (Term::Operand(left, _), Term::Operand(right, _)) => (left, right),
            // A comparison with `missing` never holds.
            (Term::Missing, _) | (_, Term::Missing) => return Ok(never()),
            (Term::Function(node), Term::Operand(Operand::Value(value), _))
            | (Term::Operand(Operand::Value(value), _), Term::Function(node)) => {
                return self.compare_function(comparator, node, value.get());
            }
            _ => return Err(self.malformed(Malformed::Term)),
        };
        if !matches!(comparator, Comparator::Equal | Comparator::NotEqual) {
            for operand in [&left, &right] {
                check_range_operand(comparator.as_str(), known_type(operand))?;
            }
        }
        if comparator != Comparator::NotEqual {
            return Ok(Node::Compare { comparator, left, right });
        }
        let mut nodes: Vec<Node> = [&left, &right].into_iter().filter_map(exists).collect();
        nodes.push(Node::Compare { comparator, left, right });
        Ok(Node::And(nodes))
    }

    /// Compares the result of a function with a value. Source: captured 2026, for `= true`.
    fn compare_function(
        &self,
        comparator: Comparator,
        node: Node,
        value: ValueRef<'_>,
    ) -> Parsed<Node> {
        let is_equal = match comparator {
            Comparator::Equal => true,
            Comparator::NotEqual => false,
            Comparator::Less
            | Comparator::LessOrEqual
            | Comparator::Greater
            | Comparator::GreaterOrEqual => return Err(self.malformed(Malformed::Term)),
        };
        Ok(match value {
            ValueRef::Bool(wanted) if wanted == is_equal => node,
            ValueRef::Bool(_) => Node::Not(Box::new(node)),
            _ if is_equal => never(),
            _ => Node::And(Vec::new()),
        })
    }

    fn between(&mut self, operand: Operand) -> Parsed<Node> {
        let lower = self.operand()?;
        self.expect_word("and")?;
        let upper = self.operand()?;
        for bound in [&operand, &lower, &upper] {
            check_range_operand("BETWEEN", known_type(bound))?;
        }
        check_bounds(&lower, &upper)?;
        Ok(Node::Between { operand, lower, upper })
    }

    /// Parses the candidates of IN, in brackets or parentheses.
    fn membership(&mut self, operand: Operand) -> Parsed<Node> {
        let close = match self.current.kind {
            Kind::OpenBracket => Kind::CloseBracket,
            Kind::Open => Kind::Close,
            _ => return Err(self.malformed(Malformed::Term)),
        };
        self.advance();
        let candidates = self.comma_separated(close, Self::operand)?;
        if candidates.is_empty() {
            return Err(self.malformed(Malformed::Term));
        }
        if candidates.len() > IN_OPERANDS_MAX {
            return Err(ExpressionFault::TooManyInOperands(candidates.len()).into());
        }
        Ok(Node::In { operand, candidates })
    }

    /// Parses the word after IS: MISSING, NULL or the name of a type.
    fn is(&mut self, operand: &Operand) -> Parsed<Node> {
        let negated = self.eat_word("not");
        let token = self.current;
        if !self.at(Kind::Word) {
            return Err(self.malformed(Malformed::Term));
        }
        let word = self.word().to_ascii_lowercase();
        self.advance();
        let Operand::Path(path) = operand else {
            return Err(ExpressionFault::PathRequired("IS".to_owned()).into());
        };
        let has = |attribute_type| Node::HasType(path.clone(), attribute_type);
        let node = match word.as_str() {
            "missing" => Node::Not(Box::new(Node::Exists(path.clone()))),
            "null" => has(AttributeType::Null),
            "string" | "varchar" | "char" | "symbol" => has(AttributeType::S),
            "number" | "numeric" | "decimal" | "dec" | "int" | "integer" | "float" | "real" => {
                has(AttributeType::N)
            }
            "binary" | "blob" => has(AttributeType::B),
            "bool" | "boolean" => has(AttributeType::Bool),
            "list" => has(AttributeType::L),
            "tuple" | "struct" | "map" => has(AttributeType::M),
            // Without OR, which the text does not have.
            "bag" | "set" => Node::Not(Box::new(Node::And(
                [AttributeType::Ss, AttributeType::Ns, AttributeType::Bs]
                    .map(|set| Node::Not(Box::new(has(set))))
                    .to_vec(),
            ))),
            _ => return Err(StatementFault::PathComponent(self.span(token)).into()),
        };
        Ok(if negated { Node::Not(Box::new(node)) } else { node })
    }

    fn call(&mut self) -> Parsed<Term> {
        let name = self.current;
        let function = self.text_of(name).to_ascii_lowercase();
        self.has_function = true;
        let count = match function.as_str() {
            "attribute_exists" | "attribute_not_exists" | "size" => 1,
            "begins_with" | "contains" | "attribute_type" => 2,
            _ => return Err(self.unknown_function()?),
        };
        self.advance();
        self.advance();
        let arguments = self.comma_separated(Kind::Close, Self::operand)?;
        if arguments.len() != count {
            let count = arguments.len();
            return Err(ExpressionFault::OperandCount { operator: function, count }.into());
        }
        function_of(&function, arguments, name)
    }
}

/// Returns a condition that never holds, in the place of a faulty one.
fn never() -> Node {
    Node::Or(Vec::new())
}

/// Returns the term of a function with the right number of arguments.
fn function_of(function: &str, arguments: Vec<Operand>, name: Token) -> Parsed<Term> {
    let mut arguments = arguments.into_iter();
    let mut next = || arguments.next().expect("the arguments were counted");
    Ok(Term::Function(match function {
        "size" => return Ok(Term::Operand(size(next())?, name)),
        "attribute_exists" => Node::Exists(required_path(function, next())?),
        "attribute_not_exists" => {
            Node::Not(Box::new(Node::Exists(required_path(function, next())?)))
        }
        "attribute_type" => {
            let path = required_path(function, next())?;
            Node::HasType(path, type_name(&next())?)
        }
        "contains" => Node::Contains(next(), next()),
        _ => {
            let (whole, prefix) = (next(), next());
            for operand in [&whole, &prefix] {
                match known_type(operand) {
                    None | Some(AttributeType::S | AttributeType::B) => {}
                    Some(other) => return Err(operand_type(function, other).into()),
                }
            }
            Node::BeginsWith(whole, prefix)
        }
    }))
}

fn required_path(function: &str, operand: Operand) -> Parsed<DocumentPath> {
    match operand {
        Operand::Path(path) => Ok(path),
        _ => Err(ExpressionFault::PathRequired(function.to_owned()).into()),
    }
}

fn size(operand: Operand) -> Parsed<Operand> {
    match operand {
        Operand::Path(path) => Ok(Operand::Size(path)),
        other => Err(match known_type(&other) {
            Some(operand) if !has_size(operand) => operand_type("size", operand).into(),
            _ => ExpressionFault::PathRequired("size".to_owned()).into(),
        }),
    }
}

fn has_size(attribute_type: AttributeType) -> bool {
    !matches!(attribute_type, AttributeType::N | AttributeType::Bool | AttributeType::Null)
}

fn type_name(operand: &Operand) -> Parsed<AttributeType> {
    let Operand::Value(value) = operand else {
        return Err(ExpressionFault::UnknownTypeName(String::new()).into());
    };
    match value.get() {
        ValueRef::S(name) => AttributeType::from_name(name)
            .ok_or_else(|| ExpressionFault::UnknownTypeName(name.to_owned()).into()),
        other => Err(operand_type("attribute_type", other.attribute_type()).into()),
    }
}

/// Returns the operand's type if it is known without an item.
fn known_type(operand: &Operand) -> Option<AttributeType> {
    match operand {
        Operand::Path(_) => None,
        Operand::Value(value) => Some(value.get().attribute_type()),
        Operand::Size(_) => Some(AttributeType::N),
    }
}

/// Returns the condition that an operand has a value; `None` if it always has.
fn exists(operand: &Operand) -> Option<Node> {
    match operand {
        Operand::Path(path) => Some(Node::Exists(path.clone())),
        // A value without a size compares false by itself.
        Operand::Value(_) | Operand::Size(_) => None,
    }
}
