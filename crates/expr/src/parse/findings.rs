//! Faults that the grammar allows; the parser notes them, and each language reports them in its
//! order.

use super::Parsed;
use hashrange_model::error::ExpressionFault;
use hashrange_model::limits::EXPRESSION_OPERATORS_MAX;

/// First fault of each kind that the grammar allows.
#[derive(Debug, Default)]
pub(crate) struct Findings<'t> {
    pub(super) redundant_parentheses: bool,
    pub(super) unknown_function: Option<&'t str>,
    pub(super) misused_function: Option<&'t str>,
    pub(super) reserved_word: Option<&'t str>,
    pub(super) undefined_name: Option<&'t str>,
    pub(super) undefined_value: Option<&'t str>,
    pub(super) list_index: Option<&'t str>,
    pub(super) operators: usize,
    pub(super) path_too_deep: bool,
}

fn refuse(found: Option<&str>, fault: fn(String) -> ExpressionFault) -> Parsed<()> {
    found.map_or(Ok(()), |text| Err(fault(text.to_owned())))
}

impl Findings<'_> {
    /// Refuses parentheses around parentheses.
    pub(crate) fn check_parentheses(&self) -> Parsed<()> {
        if self.redundant_parentheses {
            return Err(ExpressionFault::RedundantParentheses);
        }
        Ok(())
    }

    /// Refuses functions that do not exist.
    pub(crate) fn check_functions_known(&self) -> Parsed<()> {
        refuse(self.unknown_function, ExpressionFault::UnknownFunction)
    }

    /// Refuses functions in places where they may not stand.
    pub(crate) fn check_functions_placed(&self) -> Parsed<()> {
        refuse(self.misused_function, ExpressionFault::FunctionMisused)
    }

    /// Refuses bare names that are reserved words.
    pub(crate) fn check_reserved(&self) -> Parsed<()> {
        refuse(self.reserved_word, ExpressionFault::ReservedWord)
    }

    /// Refuses undefined names, then undefined values.
    pub(crate) fn check_defined(&self) -> Parsed<()> {
        refuse(self.undefined_name, ExpressionFault::UndefinedName)?;
        refuse(self.undefined_value, ExpressionFault::UndefinedValue)
    }

    /// Refuses expressions beyond the limits on list indexes, operators and path elements.
    pub(crate) fn check_limits(&self) -> Parsed<()> {
        refuse(self.list_index, ExpressionFault::ListIndex)?;
        if self.operators > EXPRESSION_OPERATORS_MAX {
            return Err(ExpressionFault::TooManyOperators(self.operators));
        }
        if self.path_too_deep {
            return Err(ExpressionFault::PathTooDeep);
        }
        Ok(())
    }
}
