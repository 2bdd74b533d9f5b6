//! Actions of a transaction: writes that are not made by themselves, and checks.

use super::parameters::{Names, Parameters, Values, rewritten};
use super::write::FAILED;
use super::{Delete, Handle, IntoItem, Put, Shape, Update, checked, parameter_methods};
use crate::Result;
use crate::text::Placeholders;
use hashrange_model::Item;
use hashrange_wire::{self as wire, DecodedItem, TransactWriteItem};

/// Members that the requests of all writes share.
pub(super) struct WriteParts {
    pub(super) table: String,
    /// The item of a put, otherwise the key.
    pub(super) item: DecodedItem,
    pub(super) condition: Option<String>,
    pub(super) names: Names<'static>,
    pub(super) values: Values<'static>,
}

impl WriteParts {
    pub(super) fn new(
        table: String,
        item: Result<Item>,
        condition: Option<&str>,
        parameters: Parameters,
        mut placeholders: Placeholders,
    ) -> Result<Self> {
        let condition = rewritten(&mut placeholders, condition)?;
        let (names, values) = parameters.finish(placeholders)?.into_maps();
        Ok(Self { table, item: checked::item(item?), condition, names, values })
    }
}

/// A write or a check of a transaction: a [`Put`], [`Update`], [`Delete`] or [`Check`].
#[derive(Debug)]
pub struct Action {
    action: Result<TransactWriteItem<'static>>,
}

impl Action {
    pub(super) fn into_item(self) -> Result<TransactWriteItem<'static>> {
        self.action
    }
}

/// Checks an item, in a transaction, that it does not write; see
/// [`Database::require`](crate::Database::require).
#[derive(Debug)]
#[must_use = "a check does nothing but in a transaction"]
pub struct Check {
    table: String,
    key: Result<Item>,
    condition: String,
    parameters: Parameters,
}

impl Check {
    pub(crate) fn new(
        table: impl Into<String>,
        key: impl IntoItem,
        condition: impl Into<String>,
    ) -> Self {
        Self {
            table: table.into(),
            key: key.into_item(),
            condition: condition.into(),
            parameters: Parameters::default(),
        }
    }

    parameter_methods!(parameters);

    fn into_item(self) -> Result<TransactWriteItem<'static>> {
        let placeholders = self.parameters.placeholders();
        let condition = Some(self.condition.as_str());
        let parts =
            WriteParts::new(self.table, self.key, condition, self.parameters, placeholders)?;
        let check = wire::ConditionCheck {
            key: Some(parts.item),
            table_name: Some(parts.table.into()),
            condition_expression: parts.condition.map(Into::into),
            expression_attribute_names: parts.names,
            expression_attribute_values: parts.values,
            return_values_on_condition_check_failure: FAILED,
        };
        Ok(TransactWriteItem { condition_check: Some(check), ..TransactWriteItem::default() })
    }
}

impl From<Check> for Action {
    fn from(check: Check) -> Self {
        Self { action: check.into_item() }
    }
}

impl<D: Handle, S: Shape> From<Put<D, S>> for Action {
    fn from(put: Put<D, S>) -> Self {
        let put = put.into_parts().map(|parts| wire::Put {
            item: Some(parts.item),
            table_name: Some(parts.table.into()),
            condition_expression: parts.condition.map(Into::into),
            expression_attribute_names: parts.names,
            expression_attribute_values: parts.values,
            return_values_on_condition_check_failure: FAILED,
        });
        let action =
            put.map(|put| TransactWriteItem { put: Some(put), ..TransactWriteItem::default() });
        Self { action }
    }
}

impl<D: Handle, S: Shape> From<Update<D, S>> for Action {
    fn from(update: Update<D, S>) -> Self {
        let update = update.into_parts().map(|(parts, expression)| wire::Update {
            key: Some(parts.item),
            update_expression: expression.map(Into::into),
            table_name: Some(parts.table.into()),
            condition_expression: parts.condition.map(Into::into),
            expression_attribute_names: parts.names,
            expression_attribute_values: parts.values,
            return_values_on_condition_check_failure: FAILED,
        });
        let action = update.map(|update| TransactWriteItem {
            update: Some(update),
            ..TransactWriteItem::default()
        });
        Self { action }
    }
}

impl<D: Handle, S: Shape> From<Delete<D, S>> for Action {
    fn from(delete: Delete<D, S>) -> Self {
        let delete = delete.into_parts().map(|parts| wire::Delete {
            key: Some(parts.item),
            table_name: Some(parts.table.into()),
            condition_expression: parts.condition.map(Into::into),
            expression_attribute_names: parts.names,
            expression_attribute_values: parts.values,
            return_values_on_condition_check_failure: FAILED,
        });
        let action = delete.map(|delete| TransactWriteItem {
            delete: Some(delete),
            ..TransactWriteItem::default()
        });
        Self { action }
    }
}
