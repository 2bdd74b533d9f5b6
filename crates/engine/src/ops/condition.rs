//! The condition of a single-item write, in either style, and what its answer reports.

use super::legacy;
use crate::request;
use crate::schema::Table;
use crate::write::Written;
use hashrange_expr::{Condition, Placeholders};
use hashrange_model::error::ExpressionKind;
use hashrange_model::{Item, Reason};
use hashrange_wire::{
    ConditionalOperator, ExpectedAttributeValue, ItemCollectionMetrics, Map,
    ReturnItemCollectionMetrics,
};
use std::borrow::Cow;

const GIB: i64 = 1 << 30;

/// The parameters that make a condition.
#[derive(Debug)]
pub(super) struct ConditionParameters<'a> {
    pub(super) expected: Option<&'a Map<Cow<'a, str>, ExpectedAttributeValue>>,
    pub(super) conditional_operator: Option<ConditionalOperator>,
    pub(super) expression: Option<&'a str>,
}

impl ConditionParameters<'_> {
    /// Refuses faulty values in Expected.
    pub(super) fn check_values(&self) -> Result<(), Reason> {
        let expected = self.expected.into_iter().flat_map(Map::values);
        request::check_values(expected.flat_map(|expected| {
            expected.value.iter().chain(expected.attribute_value_list.iter().flatten())
        }))
    }

    /// Returns the legacy condition.
    pub(super) fn compile_legacy(&self) -> Result<Option<Condition>, Reason> {
        legacy::expected(self.expected, self.conditional_operator)
    }

    /// Returns the condition expression.
    pub(super) fn compile_expression(
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

/// Returns the item collection's metrics if the request asks for them and the table has local
/// indexes. The estimate is a range of whole gigabytes.
pub(super) fn collection_metrics(
    asked: Option<ReturnItemCollectionMetrics>,
    table: &Table,
    key_attributes: &Item,
    written: &Written,
) -> Option<ItemCollectionMetrics> {
    if asked != Some(ReturnItemCollectionMetrics::Size) {
        return None;
    }
    let lower = gigabytes(written.collection_bytes?);
    let partition = &table.record.key.partition;
    Some(ItemCollectionMetrics {
        item_collection_key: Some(
            key_attributes.retain(|name| partition.iter().any(|known| known == name)),
        ),
        size_estimate_range_gb: Some(vec![lower, lower + 1.0]),
    })
}

/// Returns the whole GB of a size.
#[expect(clippy::cast_precision_loss, reason = "2^53 GB are more than counters can hold")]
fn gigabytes(bytes: i64) -> f64 {
    (bytes / GIB) as f64
}
