//! Parses an update expression and makes the checks that need no item, in the service's order:
//! reserved words, functions, duplicate sections, placeholders, paths, operands.

use super::{Action, Effect, Operand, Term};
use crate::parse::Parser;
use crate::path::DocumentPath;
use crate::path_tree::PathTree;
use crate::placeholders::Placeholders;
use crate::syntax::{self, Call, check_count, operand_type};
use crate::token::TokenKind;
use hashrange_model::error::{ExpressionFault, ExpressionKind};
use hashrange_model::{AttributeType, Value};

type Checked<T> = Result<T, ExpressionFault>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Section {
    Set,
    Remove,
    Add,
    Delete,
}

const SECTIONS: [(&str, Section); 4] = [
    ("SET", Section::Set),
    ("REMOVE", Section::Remove),
    ("ADD", Section::Add),
    ("DELETE", Section::Delete),
];

/// An action as it stands in the text; REMOVE has no operand.
struct Clause<'t> {
    section: Section,
    path: DocumentPath,
    operand: Option<syntax::Operand<'t>>,
}

/// Compiles the text to actions.
pub(super) fn compile(text: &str, placeholders: &mut Placeholders<'_>) -> Checked<Vec<Action>> {
    let mut parser = Parser::new(ExpressionKind::Update, text, placeholders)?;
    let mut clauses = Vec::new();
    let duplicate = sections(&mut parser, &mut clauses)?;
    parser.found.check_parentheses()?;
    parser.found.check_reserved()?;
    parser.found.check_functions_known()?;
    parser.found.check_functions_placed()?;
    if let Some(section) = duplicate {
        return Err(ExpressionFault::DuplicateSection(section));
    }
    parser.found.check_defined()?;
    parser.found.check_limits()?;
    check_paths(&clauses)?;
    check_action_operands(&clauses)?;
    clauses.into_iter().map(action).collect()
}

/// Parses all sections; returns the first that stands twice.
fn sections<'t>(
    parser: &mut Parser<'t, '_, '_>,
    clauses: &mut Vec<Clause<'t>>,
) -> Checked<Option<&'static str>> {
    let mut seen = Vec::new();
    let mut duplicate = None;
    while !parser.at_end() {
        let (name, section) = SECTIONS
            .into_iter()
            .find(|(name, _)| parser.eat_keyword(name))
            .ok_or_else(|| parser.syntax_error())?;
        if seen.contains(&section) {
            duplicate.get_or_insert(name);
        }
        seen.push(section);
        loop {
            clauses.push(clause(parser, section)?);
            if !parser.eat_comma() {
                break;
            }
        }
    }
    Ok(duplicate)
}

fn clause<'t>(parser: &mut Parser<'t, '_, '_>, section: Section) -> Checked<Clause<'t>> {
    let path = parser.target()?;
    let operand = match section {
        Section::Set => {
            parser.expect(TokenKind::Compare(crate::token::Comparator::Equal))?;
            Some(parser.sum()?)
        }
        Section::Remove => None,
        Section::Add | Section::Delete => Some(parser.value()?),
    };
    Ok(Clause { section, path, operand })
}

fn check_paths(clauses: &[Clause<'_>]) -> Checked<()> {
    if clauses.len() < 2 {
        return Ok(());
    }
    PathTree::build(clauses.iter().map(|clause| &clause.path)).map(|_| ())
}

fn check_action_operands(clauses: &[Clause<'_>]) -> Checked<()> {
    for clause in clauses {
        let Some(syntax::Operand::Value(value)) = &clause.operand else { continue };
        let operand = value.get().attribute_type();
        let action = match clause.section {
            Section::Add if operand != AttributeType::N && !operand.is_set() => "ADD",
            Section::Delete if !operand.is_set() => "DELETE",
            _ => continue,
        };
        return Err(ExpressionFault::ActionOperandType { action, operand });
    }
    Ok(())
}

fn action(clause: Clause<'_>) -> Checked<Action> {
    let effect = match (clause.section, clause.operand) {
        (Section::Set, Some(operand)) => Effect::Set(checked(operand)?),
        (Section::Add, Some(operand)) => Effect::Add(literal(operand)?),
        (Section::Delete, Some(operand)) => Effect::Delete(literal(operand)?),
        (Section::Remove, _) | (_, None) => Effect::Remove,
    };
    Ok(Action { path: clause.path, effect })
}

fn literal(operand: syntax::Operand<'_>) -> Checked<Value> {
    match operand {
        syntax::Operand::Value(value) => Ok(value),
        other => {
            other.check_defined()?;
            unreachable!("the grammar allows only a value in ADD and DELETE")
        }
    }
}

fn checked(operand: syntax::Operand<'_>) -> Checked<Operand> {
    Ok(match operand {
        syntax::Operand::Path(path) => Operand::Path(path),
        syntax::Operand::Value(value) => Operand::Value(value),
        syntax::Operand::Call(call) if call.function == "if_not_exists" => if_not_exists(call)?,
        syntax::Operand::Call(call) => list_append(call)?,
        syntax::Operand::Sum(terms) => {
            // The first term is an operand of the operator after it.
            let operator = if terms[1].negative { "-" } else { "+" };
            let terms: Vec<Term> = terms.into_iter().map(term).collect::<Checked<_>>()?;
            for (nth, term) in terms.iter().enumerate() {
                let operator = match (nth, term.negative) {
                    (0, _) => operator,
                    (_, true) => "-",
                    (_, false) => "+",
                };
                check_known_type(operator, &term.operand, AttributeType::N)?;
            }
            Operand::Sum(terms)
        }
        syntax::Operand::UndefinedName(name) => {
            return Err(ExpressionFault::UndefinedName(name.to_owned()));
        }
        syntax::Operand::UndefinedValue(name) => {
            return Err(ExpressionFault::UndefinedValue(name.to_owned()));
        }
    })
}

fn term(term: syntax::Term<'_>) -> Checked<Term> {
    Ok(Term { negative: term.negative, operand: checked(term.operand)? })
}

fn if_not_exists(call: Call<'_>) -> Checked<Operand> {
    check_count(&call, 2)?;
    let [path, otherwise] = two(call.arguments);
    let syntax::Operand::Path(path) = path else {
        return Err(ExpressionFault::PathRequired(call.function.to_owned()));
    };
    Ok(Operand::IfNotExists(path, Box::new(checked(otherwise)?)))
}

fn list_append(call: Call<'_>) -> Checked<Operand> {
    check_count(&call, 2)?;
    let [first, second] = two(call.arguments);
    let lists = (checked(first)?, checked(second)?);
    for list in [&lists.0, &lists.1] {
        check_known_type(call.function, list, AttributeType::L)?;
    }
    Ok(Operand::ListAppend(Box::new(lists)))
}

fn two(arguments: Vec<syntax::Operand<'_>>) -> [syntax::Operand<'_>; 2] {
    arguments.try_into().expect("the arguments were counted")
}

/// Refuses an operand of a known type that `operator` does not take.
pub(crate) fn check_known_type(
    operator: &str,
    operand: &Operand,
    wanted: AttributeType,
) -> Checked<()> {
    match known_type(operand) {
        Some(known) if known != wanted => Err(operand_type(operator, known)),
        _ => Ok(()),
    }
}

fn known_type(operand: &Operand) -> Option<AttributeType> {
    match operand {
        Operand::Value(value) => Some(value.get().attribute_type()),
        Operand::ListAppend(_) => Some(AttributeType::L),
        Operand::Sum(_) => Some(AttributeType::N),
        Operand::Path(_) | Operand::IfNotExists(..) => None,
    }
}
