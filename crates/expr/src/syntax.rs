//! The parser's result: expressions with their placeholders resolved and nothing else checked.

use crate::path::DocumentPath;
use crate::token::Comparator;
use hashrange_model::error::ExpressionFault;
use hashrange_model::{AttributeType, Value};

/// An operand as it stands in the text.
#[derive(Debug)]
pub(crate) enum Operand<'t> {
    Path(DocumentPath),
    Value(Value),
    /// A path whose `#name` is not defined.
    UndefinedName(&'t str),
    /// A `:value` that is not defined.
    UndefinedValue(&'t str),
    Call(Call<'t>),
    /// Updates only: two terms with their signs, the first always positive.
    Sum(Vec<Term<'t>>),
}

/// A function with its arguments.
#[derive(Debug)]
pub(crate) struct Call<'t> {
    pub(crate) function: &'t str,
    pub(crate) arguments: Vec<Operand<'t>>,
}

/// A term of a sum.
#[derive(Debug)]
pub(crate) struct Term<'t> {
    pub(crate) negative: bool,
    pub(crate) operand: Operand<'t>,
}

/// A condition as it stands in the text, without its parentheses.
#[derive(Debug)]
pub(crate) enum Predicate<'t> {
    Or(Vec<Predicate<'t>>),
    And(Vec<Predicate<'t>>),
    Not(Box<Predicate<'t>>),
    Compare { comparator: Comparator, left: Operand<'t>, right: Operand<'t> },
    Between { operand: Operand<'t>, lower: Operand<'t>, upper: Operand<'t> },
    In { operand: Operand<'t>, candidates: Vec<Operand<'t>> },
    Call(Call<'t>),
}

impl Operand<'_> {
    /// Refuses an operand that uses an undefined placeholder.
    pub(crate) fn check_defined(&self) -> Result<(), ExpressionFault> {
        match self {
            Self::UndefinedName(name) => Err(ExpressionFault::UndefinedName((*name).to_owned())),
            Self::UndefinedValue(name) => Err(ExpressionFault::UndefinedValue((*name).to_owned())),
            Self::Call(call) => check_defined(&call.arguments),
            Self::Sum(terms) => terms.iter().try_for_each(|term| term.operand.check_defined()),
            Self::Path(_) | Self::Value(_) => Ok(()),
        }
    }
}

/// Refuses operands that use undefined placeholders.
pub(crate) fn check_defined<'t, 'o>(
    operands: impl IntoIterator<Item = &'o Operand<'t>>,
) -> Result<(), ExpressionFault>
where
    't: 'o,
{
    operands.into_iter().try_for_each(Operand::check_defined)
}

/// Refuses another number of operands than `wanted`.
pub(crate) fn check_count(call: &Call<'_>, wanted: usize) -> Result<(), ExpressionFault> {
    if call.arguments.len() == wanted {
        return Ok(());
    }
    let operator = call.function.to_owned();
    Err(ExpressionFault::OperandCount { operator, count: call.arguments.len() })
}

/// Returns the fault of an operand that `operator` never takes.
pub(crate) fn operand_type(operator: &str, operand: AttributeType) -> ExpressionFault {
    ExpressionFault::OperandType { operator: operator.to_owned(), operand }
}
