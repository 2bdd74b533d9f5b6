//! PutItem: creates or replaces one item.

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
use crate::write::{Write, Written, plan_put};
use hashrange_expr::Condition;
use hashrange_model::error::Layer;
use hashrange_model::limits::ITEM_SIZE_MAX_BYTES;
use hashrange_model::{ApiError, ApiResult, Item, Reason};
use hashrange_storage::Store;
use hashrange_wire::{DecodedItem, PutItemInput, PutItemOutput, ReturnValue};
use std::fmt;

impl<S: Store> Engine<S> {
    /// Creates or replaces one item.
    pub async fn put_item(&self, input: PutItemInput<'_>) -> ApiResult<PutItemOutput> {
        self.run_put_item(input).await.map_err(|error| error.in_layer(Layer::Enveloped))
    }

    async fn run_put_item(&self, mut input: PutItemInput<'_>) -> ApiResult<PutItemOutput> {
        let item = input.item.take();
        let request = CheckedPut::check(&input, item)?;
        note_shape(|shape| request.tell(shape));
        let (table, written) = self.write(request.table_name, |table| request.plan(table)).await?;
        Ok(request.answer(&input, &table, written))
    }

    /// Explains the write.
    pub(super) async fn explain_put_item(
        &self,
        mut input: PutItemInput<'_>,
        mode: Mode,
    ) -> ApiResult<Explanation> {
        let began_ms = self.now_ms();
        let item = input.item.take();
        let explained = async {
            let request = CheckedPut::check(&input, item)?;
            let asked = Asked { operation: "PutItem", mode, began_ms };
            let plan = |table: &Table| request.plan(table);
            let worded = |error: ApiError| error.in_layer(Layer::Enveloped);
            let shape = Shape::text(|shape| request.tell(shape));
            let explained =
                self.explain_write(request.table_name, &request.item, plan, worded, asked).await;
            explained.map(|explained| Explanation { shape, ..explained })
        };
        explained.await.map_err(|error| error.in_layer(Layer::Enveloped))
    }
}

/// A put whose parameters are valid by themselves.
struct CheckedPut<'a> {
    table_name: &'a str,
    item: Item,
    condition: Option<Condition>,
    returns_item_on_failure: bool,
}

impl<'a> CheckedPut<'a> {
    fn check(input: &'a PutItemInput<'_>, item: Option<DecodedItem>) -> ApiResult<Self> {
        let item = required(item, "item")?;
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
        let item = validated(item)?;
        parameters.check_values()?;
        check_expression_values(input.expression_attribute_values.as_ref())?;
        check_return_values(input.return_values)?;
        let legacy = parameters.compile_legacy()?;
        let condition = parameters.compile_expression(&mut placeholders)?.or(legacy);
        placeholders.check_all_used()?;
        if item.size() > ITEM_SIZE_MAX_BYTES {
            return Err(Reason::ItemTooLarge.into());
        }
        Ok(Self {
            table_name,
            item,
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
        let planned = plan_put(table, &self.item)?;
        check_scalar_keys(table, looked_into(self.condition.as_ref()))?;
        Ok(Write {
            condition: self.condition.as_ref(),
            returns_item_on_failure: self.returns_item_on_failure,
            ..planned
        })
    }

    fn answer(&self, input: &PutItemInput<'_>, table: &Table, written: Written) -> PutItemOutput {
        PutItemOutput {
            consumed_capacity: written.units.report(
                input.return_consumed_capacity,
                self.table_name,
                table,
            ),
            item_collection_metrics: collection_metrics(
                input.return_item_collection_metrics,
                table,
                &self.item,
                &written,
            ),
            attributes: written.old.filter(|_| input.return_values == Some(ReturnValue::AllOld)),
        }
    }
}
