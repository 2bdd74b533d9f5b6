//! UpdateItem: changes one item, or creates it from its key.

use crate::answer::collection_metrics;
use crate::engine::Engine;
use crate::request::condition::{ConditionParameters, looked_into};
use crate::request::{
    self, as_update, check_expression_values, check_one_style, check_scalar_keys, legacy, required,
    returns_item, sound,
};
use crate::write::{Write, Written, plan_update};
use hashrange_expr::Update;
use hashrange_model::error::Layer;
use hashrange_model::{ApiResult, Item};
use hashrange_storage::Store;
use hashrange_wire::{Map, ReturnValue, UpdateItemInput, UpdateItemOutput};

impl<S: Store> Engine<S> {
    /// Changes or creates one item.
    pub async fn update_item(&self, input: UpdateItemInput<'_>) -> ApiResult<UpdateItemOutput> {
        self.run_update_item(input).await.map_err(|error| error.in_layer(Layer::Enveloped))
    }

    async fn run_update_item(&self, mut input: UpdateItemInput<'_>) -> ApiResult<UpdateItemOutput> {
        let key = required(input.key.take(), "key")?;
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
        let key = sound(key)?;
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
        let (table, written) = self
            .write(table_name, |table| {
                let planned = plan_update(table, &key, &update)?;
                check_scalar_keys(table, looked_into(condition.as_ref()))?;
                Ok(Write {
                    condition: condition.as_ref(),
                    returns_item_on_failure: returns_item(
                        input.return_values_on_condition_check_failure,
                    ),
                    ..planned
                })
            })
            .await?;
        Ok(UpdateItemOutput {
            consumed_capacity: written.units.report(
                input.return_consumed_capacity,
                table_name,
                &table,
            ),
            item_collection_metrics: collection_metrics(
                input.return_item_collection_metrics,
                &table,
                &key,
                &written,
            ),
            attributes: returned(input.return_values, &update, written),
        })
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
