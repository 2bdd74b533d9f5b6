//! DeleteItem: removes one item; an absent one is no error.

use crate::answer::collection_metrics;
use crate::engine::Engine;
use crate::explain::{Asked, Explanation, Mode};
use crate::request::condition::{ConditionParameters, looked_into};
use crate::request::{
    self, check_expression_values, check_one_style, check_return_values, check_scalar_keys,
    required, returns_item, validated,
};
use crate::schema::Table;
use crate::usage::{Shape, note_shape};
use crate::write::{Write, Written, plan_delete};
use hashrange_expr::Condition;
use hashrange_model::error::Layer;
use hashrange_model::{ApiError, ApiResult, Item};
use hashrange_storage::Store;
use hashrange_wire::{DecodedItem, DeleteItemInput, DeleteItemOutput, ReturnValue};
use std::fmt;

impl<S: Store> Engine<S> {
    /// Removes one item.
    pub async fn delete_item(&self, input: DeleteItemInput<'_>) -> ApiResult<DeleteItemOutput> {
        self.run_delete_item(input).await.map_err(|error| error.in_layer(Layer::Enveloped))
    }

    async fn run_delete_item(&self, mut input: DeleteItemInput<'_>) -> ApiResult<DeleteItemOutput> {
        let key = input.key.take();
        let request = CheckedDelete::check(&input, key)?;
        note_shape(|shape| request.tell(shape));
        let (table, written) = self.write(request.table_name, |table| request.plan(table)).await?;
        Ok(request.answer(&input, &table, written))
    }

    /// Explains the write.
    pub(super) async fn explain_delete_item(
        &self,
        mut input: DeleteItemInput<'_>,
        mode: Mode,
    ) -> ApiResult<Explanation> {
        let began_ms = self.now_ms();
        let key = input.key.take();
        let explained = async {
            let request = CheckedDelete::check(&input, key)?;
            let asked = Asked { operation: "DeleteItem", mode, began_ms };
            let plan = |table: &Table| request.plan(table);
            let worded = |error: ApiError| error.in_layer(Layer::Enveloped);
            let shape = Shape::text(|shape| request.tell(shape));
            let explained =
                self.explain_write(request.table_name, &request.key, plan, worded, asked).await;
            explained.map(|explained| Explanation { shape, ..explained })
        };
        explained.await.map_err(|error| error.in_layer(Layer::Enveloped))
    }
}

/// A removal whose parameters are valid by themselves.
struct CheckedDelete<'a> {
    table_name: &'a str,
    key: Item,
    condition: Option<Condition>,
    returns_item_on_failure: bool,
}

impl<'a> CheckedDelete<'a> {
    fn check(input: &'a DeleteItemInput<'_>, key: Option<DecodedItem>) -> ApiResult<Self> {
        let key = required(key, "key")?;
        let table_name = required(input.table_name.as_deref(), "tableName")?;
        let expressions = [("ConditionExpression", input.condition_expression.is_some())];
        check_one_style(
            &[
                ("Expected", input.expected.is_some()),
                ("ConditionalOperator", input.conditional_operator.is_some()),
            ],
            &expressions,
        )?;
        let mut placeholders = request::placeholders(
            input.expression_attribute_names.as_ref(),
            input.expression_attribute_values.as_ref(),
            &expressions,
            &expressions,
        )?;
        let parameters = ConditionParameters {
            expected: input.expected.as_ref(),
            conditional_operator: input.conditional_operator,
            expression: input.condition_expression.as_deref(),
        };
        let key = validated(key)?;
        parameters.check_values()?;
        check_expression_values(input.expression_attribute_values.as_ref())?;
        check_return_values(input.return_values)?;
        let legacy = parameters.compile_legacy()?;
        let condition = parameters.compile_expression(&mut placeholders)?.or(legacy);
        placeholders.check_all_used()?;
        Ok(Self {
            table_name,
            key,
            condition,
            returns_item_on_failure: returns_item(input.return_values_on_condition_check_failure),
        })
    }

    /// Tells what is asked, without values.
    fn tell(&self, shape: &mut Shape) -> fmt::Result {
        shape.condition(self.condition.as_ref())
    }

    /// Returns the write, with every fault that its table shows.
    fn plan(&self, table: &Table) -> ApiResult<Write<'_>> {
        let planned = plan_delete(table, &self.key)?;
        check_scalar_keys(table, looked_into(self.condition.as_ref()))?;
        Ok(Write {
            condition: self.condition.as_ref(),
            returns_item_on_failure: self.returns_item_on_failure,
            ..planned
        })
    }

    fn answer(
        &self,
        input: &DeleteItemInput<'_>,
        table: &Table,
        written: Written,
    ) -> DeleteItemOutput {
        DeleteItemOutput {
            consumed_capacity: written.units.report(
                input.return_consumed_capacity,
                self.table_name,
                table,
            ),
            item_collection_metrics: collection_metrics(
                input.return_item_collection_metrics,
                table,
                &self.key,
                &written,
            ),
            attributes: written.old.filter(|_| input.return_values == Some(ReturnValue::AllOld)),
        }
    }
}
