//! The condition of a single-item write, in either style.

use super::legacy;
use hashrange_expr::{Condition, Placeholders};
use hashrange_model::Reason;
use hashrange_model::error::ExpressionKind;
use hashrange_wire::{ConditionalOperator, ExpectedAttributeValue, Map};
use std::borrow::Cow;

/// The parameters that make a condition.
#[derive(Debug)]
pub(crate) struct ConditionParameters<'a> {
    pub(crate) expected: Option<&'a Map<Cow<'a, str>, ExpectedAttributeValue>>,
    pub(crate) conditional_operator: Option<ConditionalOperator>,
    pub(crate) expression: Option<&'a str>,
}

impl ConditionParameters<'_> {
    /// Refuses faulty values in Expected.
    pub(crate) fn check_values(&self) -> Result<(), Reason> {
        let expected = self.expected.into_iter().flat_map(Map::values);
        super::check_values(expected.flat_map(|expected| {
            expected.value.iter().chain(expected.attribute_value_list.iter().flatten())
        }))
    }

    /// Returns the legacy condition.
    pub(crate) fn compile_legacy(&self) -> Result<Option<Condition>, Reason> {
        legacy::expected(self.expected, self.conditional_operator)
    }

    /// Returns the condition expression.
    pub(crate) fn compile_expression(
        &self,
        placeholders: &mut Placeholders<'_>,
    ) -> Result<Option<Condition>, Reason> {
        self.expression
            .map(|text| hashrange_expr::condition(ExpressionKind::Condition, text, placeholders))
            .transpose()
    }
}

/// Returns the attributes that a condition looks into.
pub(crate) fn looked_into(condition: Option<&Condition>) -> impl Iterator<Item = &str> {
    condition.into_iter().flat_map(Condition::names_looked_into)
}
