//! The write of one item that PutItem, UpdateItem and DeleteItem share: their checks, their plan, their answer.
//!
//! Left to the operations: which members of their input these are.

use crate::answer::collection_metrics;
use crate::engine::Engine;
use crate::explain::{Asked, Explanation};
use crate::intent::{Access, Intent, Verb};
use crate::ops::drive::{Explain, Run};
use crate::request::condition::{ConditionParameters, looked_into};
use crate::request::{
    self, as_update, check_expression_values, check_one_style, check_return_values,
    check_scalar_keys, legacy, required, returns_item, validated,
};
use crate::schema::Table;
use crate::write::{Write, Written, plan_delete, plan_put, plan_update};
use hashrange_expr::{Condition, Update};
use hashrange_model::error::Layer;
use hashrange_model::limits::ITEM_SIZE_MAX_BYTES;
use hashrange_model::{ApiError, ApiResult, Item, Reason};
use hashrange_storage::Store;
use hashrange_wire::{
    AttributeValueUpdate, ConditionalOperator, ConsumedCapacity, DecodedItem, DecodedValue,
    ExpectedAttributeValue, ItemCollectionMetrics, Map, ReturnConsumedCapacity,
    ReturnItemCollectionMetrics, ReturnValue, ReturnValuesOnConditionCheckFailure,
};
use std::borrow::Cow;

/// A map of a request by name.
type Named<'a, T> = Option<&'a Map<Cow<'a, str>, T>>;

/// Operation of a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Put,
    Update,
    Delete,
}

/// The members of a request, of whichever of the three operations.
pub(super) struct ItemParameters<'a, 'n> {
    pub(super) kind: Kind,
    pub(super) table_name: Option<Cow<'n, str>>,
    /// The item of a put, the key of the others.
    pub(super) item: Option<DecodedItem>,
    pub(super) update_expression: Option<&'a str>,
    pub(super) attribute_updates: Named<'a, AttributeValueUpdate>,
    pub(super) condition_expression: Option<&'a str>,
    pub(super) expected: Named<'a, ExpectedAttributeValue>,
    pub(super) conditional_operator: Option<ConditionalOperator>,
    pub(super) names: Named<'a, Cow<'a, str>>,
    pub(super) values: Named<'a, DecodedValue>,
    pub(super) return_values: Option<ReturnValue>,
    pub(super) return_consumed_capacity: Option<ReturnConsumedCapacity>,
    pub(super) return_item_collection_metrics: Option<ReturnItemCollectionMetrics>,
    pub(super) on_failure: Option<ReturnValuesOnConditionCheckFailure>,
}

/// The members of an answer, which the three operations have alike.
pub(super) struct ItemAnswer {
    pub(super) attributes: Option<Item>,
    pub(super) consumed_capacity: Option<ConsumedCapacity>,
    pub(super) item_collection_metrics: Option<ItemCollectionMetrics>,
}

/// A write whose parameters are valid by themselves.
pub(super) struct ItemWrite<'n> {
    kind: Kind,
    table_name: Cow<'n, str>,
    /// The item of a put, the key of the others.
    item: Item,
    /// `None` for a put or a delete.
    update: Option<Update>,
    condition: Option<Condition>,
    return_values: Option<ReturnValue>,
    return_consumed_capacity: Option<ReturnConsumedCapacity>,
    return_item_collection_metrics: Option<ReturnItemCollectionMetrics>,
    returns_item_on_failure: bool,
}

impl<'n> ItemWrite<'n> {
    pub(super) fn check(given: ItemParameters<'_, 'n>) -> ApiResult<Self> {
        let is_update = given.kind == Kind::Update;
        let item = if given.kind == Kind::Put { "item" } else { "key" };
        let item = required(given.item, item)?;
        let table_name = required(given.table_name, "tableName")?;
        let expressions = [
            ("UpdateExpression", given.update_expression.is_some()),
            ("ConditionExpression", given.condition_expression.is_some()),
        ];
        check_one_style(
            &[
                ("AttributeUpdates", given.attribute_updates.is_some()),
                ("Expected", given.expected.is_some()),
                ("ConditionalOperator", given.conditional_operator.is_some()),
            ],
            &expressions,
        )?;
        let expressions = if is_update { &expressions[..] } else { &expressions[1..] };
        let mut placeholders =
            request::placeholders(given.names, given.values, expressions, expressions)?;
        let condition = ConditionParameters {
            expected: given.expected,
            conditional_operator: given.conditional_operator,
            expression: given.condition_expression,
        };
        let item = validated(item)?;
        let worded = |reason| if is_update { as_update(reason) } else { reason };
        let updates = given.attribute_updates.into_iter().flat_map(Map::values);
        request::check_values(updates.filter_map(|update| update.value.as_ref()))
            .map_err(worded)?;
        condition.check_values()?;
        check_expression_values(given.values).map_err(worded)?;
        if !is_update {
            check_return_values(given.return_values)?;
        }
        let legacy_update = || legacy::attribute_updates(given.attribute_updates);
        let legacy_update = is_update.then(legacy_update).transpose()?;
        let legacy_condition = condition.compile_legacy()?;
        let update = match given.update_expression {
            Some(text) => Some(hashrange_expr::update(text, &mut placeholders)?),
            None => legacy_update,
        };
        let condition = condition.compile_expression(&mut placeholders)?.or(legacy_condition);
        placeholders.check_all_used()?;
        if given.kind == Kind::Put && item.size() > ITEM_SIZE_MAX_BYTES {
            return Err(Reason::ItemTooLarge.into());
        }
        Ok(Self {
            kind: given.kind,
            table_name,
            item,
            update: update.map(Update::sized_by_statement).transpose()?,
            condition,
            return_values: given.return_values,
            return_consumed_capacity: given.return_consumed_capacity,
            return_item_collection_metrics: given.return_item_collection_metrics,
            returns_item_on_failure: returns_item(given.on_failure),
        })
    }

    fn intent(&self) -> Intent<'_> {
        let verb = match self.kind {
            Kind::Put => Verb::Put,
            Kind::Update => Verb::Update,
            Kind::Delete => Verb::Delete,
        };
        Intent {
            condition: self.condition.as_ref(),
            update: self.update.as_ref(),
            ..Intent::new(verb, &self.table_name, Access::Item(&self.item))
        }
    }

    /// Returns the write, with every fault that its table shows.
    fn plan(&self, table: &Table) -> ApiResult<Write<'_>> {
        let planned = match (self.kind, &self.update) {
            (Kind::Put, _) => plan_put(table, &self.item)?,
            (_, Some(update)) => plan_update(table, &self.item, update)?,
            (_, None) => plan_delete(table, &self.item)?,
        };
        check_scalar_keys(table, looked_into(self.condition.as_ref()))?;
        Ok(Write {
            condition: self.condition.as_ref(),
            returns_item_on_failure: self.returns_item_on_failure,
            ..planned
        })
    }

    fn answer(&self, table: &Table, written: Written) -> ItemAnswer {
        let (report, metrics) =
            (self.return_consumed_capacity, self.return_item_collection_metrics);
        ItemAnswer {
            consumed_capacity: written.units.report(report, &self.table_name, table),
            item_collection_metrics: collection_metrics(metrics, table, &self.item, &written),
            attributes: self.returned(written),
        }
    }

    fn returned(&self, written: Written) -> Option<Item> {
        let updated = |item: Option<Item>, of: fn(&Update, &Item) -> Option<Item>| {
            self.update.as_ref().zip(item).and_then(|(update, item)| of(update, &item))
        };
        match self.return_values? {
            ReturnValue::None => None,
            ReturnValue::AllOld => written.old,
            ReturnValue::AllNew => written.new,
            ReturnValue::UpdatedOld => updated(written.old, Update::updated_old),
            ReturnValue::UpdatedNew => updated(written.new, Update::updated_new),
        }
    }
}

impl<S: Store> Run<S, ItemAnswer> for ItemWrite<'_> {
    async fn run(&mut self, engine: &Engine<S>) -> ApiResult<ItemAnswer> {
        let plan = |table: &Table| self.plan(table);
        let (table, written) = engine.write(&self.table_name, &self.intent(), plan).await?;
        Ok(self.answer(&table, written))
    }
}

impl<S: Store> Explain<S> for ItemWrite<'_> {
    async fn explain(&mut self, engine: &Engine<S>, asked: Asked<'_>) -> ApiResult<Explanation> {
        let plan = |table: &Table| self.plan(table);
        let worded = |error: ApiError| error.in_layer(Layer::Enveloped);
        let place = (&*self.table_name, &self.item);
        engine.explain_write(place, &self.intent(), plan, worded, asked).await
    }
}
