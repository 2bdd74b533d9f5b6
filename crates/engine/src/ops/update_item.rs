//! UpdateItem: changes one item, or creates it from its key.

use crate::answer::collection_metrics;
use crate::engine::Engine;
use crate::explain::{Asked, Explanation, Mode};
use crate::request::condition::{ConditionParameters, looked_into};
use crate::request::{
    self, as_update, check_expression_values, check_one_style, check_scalar_keys, legacy, required,
    returns_item, validated,
};
use crate::schema::Table;
use crate::usage::{Shape, note_shape};
use crate::write::{Write, Written, plan_update};
use hashrange_expr::{Condition, Update};
use hashrange_model::error::Layer;
use hashrange_model::{ApiError, ApiResult, Item};
use hashrange_storage::Store;
use hashrange_wire::{DecodedItem, Map, ReturnValue, UpdateItemInput, UpdateItemOutput};
use std::fmt;

impl<S: Store> Engine<S> {
    /// Changes or creates one item.
    pub async fn update_item(&self, input: UpdateItemInput<'_>) -> ApiResult<UpdateItemOutput> {
        self.run_update_item(input).await.map_err(|error| error.in_layer(Layer::Enveloped))
    }

    async fn run_update_item(&self, mut input: UpdateItemInput<'_>) -> ApiResult<UpdateItemOutput> {
        let key = input.key.take();
        let request = CheckedUpdate::check(&input, key)?;
        note_shape(|shape| request.tell(shape));
        let (table, written) = self.write(request.table_name, |table| request.plan(table)).await?;
        Ok(request.answer(&input, &table, written))
    }

    /// Explains the write.
    pub(super) async fn explain_update_item(
        &self,
        mut input: UpdateItemInput<'_>,
        mode: Mode,
    ) -> ApiResult<Explanation> {
        let began_ms = self.now_ms();
        let key = input.key.take();
        let explained = async {
            let request = CheckedUpdate::check(&input, key)?;
            let asked = Asked { operation: "UpdateItem", mode, began_ms };
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

/// An update whose parameters are valid by themselves.
struct CheckedUpdate<'a> {
    table_name: &'a str,
    key: Item,
    update: Update,
    condition: Option<Condition>,
    returns_item_on_failure: bool,
}

impl<'a> CheckedUpdate<'a> {
    fn check(input: &'a UpdateItemInput<'_>, key: Option<DecodedItem>) -> ApiResult<Self> {
        let key = required(key, "key")?;
        let table_name = required(input.table_name.as_deref(), "tableName")?;
        let expressions = [
            ("UpdateExpression", input.update_expression.is_some()),
            ("ConditionExpression", input.condition_expression.is_some()),
        ];
        check_one_style(
            &[
                ("AttributeUpdates", input.attribute_updates.is_some()),
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
        let updates = input.attribute_updates.iter().flat_map(Map::values);
        request::check_values(updates.filter_map(|update| update.value.as_ref()))
            .map_err(as_update)?;
        parameters.check_values()?;
        check_expression_values(input.expression_attribute_values.as_ref()).map_err(as_update)?;
        let legacy_update = legacy::attribute_updates(input.attribute_updates.as_ref())?;
        let legacy_condition = parameters.compile_legacy()?;
        let update = match input.update_expression.as_deref() {
            Some(text) => hashrange_expr::update(text, &mut placeholders)?,
            None => legacy_update,
        };
        let condition = parameters.compile_expression(&mut placeholders)?.or(legacy_condition);
        placeholders.check_all_used()?;
        let update = update.sized_by_statement()?;
        Ok(Self {
            table_name,
            key,
            update,
            condition,
            returns_item_on_failure: returns_item(input.return_values_on_condition_check_failure),
        })
    }

    /// Tells what is asked, without values.
    fn tell(&self, shape: &mut Shape) -> fmt::Result {
        shape.updates(&self.update)?;
        shape.condition(self.condition.as_ref())
    }

    /// Returns the write, with every fault that its table shows.
    fn plan(&self, table: &Table) -> ApiResult<Write<'_>> {
        let planned = plan_update(table, &self.key, &self.update)?;
        check_scalar_keys(table, looked_into(self.condition.as_ref()))?;
        Ok(Write {
            condition: self.condition.as_ref(),
            returns_item_on_failure: self.returns_item_on_failure,
            ..planned
        })
    }

    fn answer(
        &self,
        input: &UpdateItemInput<'_>,
        table: &Table,
        written: Written,
    ) -> UpdateItemOutput {
        UpdateItemOutput {
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
            attributes: returned(input.return_values, &self.update, written),
        }
    }
}

fn returned(asked: Option<ReturnValue>, update: &Update, written: Written) -> Option<Item> {
    match asked? {
        ReturnValue::None => None,
        ReturnValue::AllOld => written.old,
        ReturnValue::AllNew => written.new,
        ReturnValue::UpdatedOld => written.old.and_then(|old| update.updated_old(&old)),
        ReturnValue::UpdatedNew => written.new.and_then(|new| update.updated_new(&new)),
    }
}
