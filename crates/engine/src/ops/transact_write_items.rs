//! TransactWriteItems: up to 100 writes and checks of distinct items, done together or not at all.
//!
//! Faults that an action shows by itself refuse the request, the first in request order; what shows
//! against the tables and items is the action's own reason of the cancellation.

use crate::answer::charged;
use crate::engine::Engine;
use crate::explain::{Asked, Explanation};
use crate::layout::token::TokenScope;
use crate::ops::drive::{Explain, Run};
use crate::request::{
    self, as_update, check_expression_values, check_key_values, required, returns_item, validated,
};
use crate::transaction::{ActionKind, Fingerprint, Token, TransactionAction};
use hashrange_expr::{Condition, Update};
use hashrange_model::error::{ExpressionKind, Layer, ValueFault};
use hashrange_model::limits::ITEM_SIZE_MAX_BYTES;
use hashrange_model::{ApiError, ApiResult, Reason};
use hashrange_storage::Store;
use hashrange_wire::{
    self as wire, DecodedItem, DecodedValue, Map, Operation, ReturnConsumedCapacity,
    ReturnItemCollectionMetrics, ReturnValuesOnConditionCheckFailure, TransactWriteItem,
    TransactWriteItemsInput, TransactWriteItemsOutput,
};
use std::borrow::Cow;

impl<S: Store> Engine<S> {
    /// Writes and checks several items together or not at all.
    pub async fn transact_write_items(
        &self,
        mut input: TransactWriteItemsInput<'_>,
    ) -> ApiResult<TransactWriteItemsOutput> {
        self.run_request(Operation::TransactWriteItems, ItemWrites::check(&mut input)).await
    }
}

/// Writes and checks of a transaction, each checked by itself.
pub(super) struct ItemWrites {
    actions: Vec<TransactionAction>,
    token: Option<Token>,
    return_consumed_capacity: Option<ReturnConsumedCapacity>,
    return_item_collection_metrics: Option<ReturnItemCollectionMetrics>,
}

impl ItemWrites {
    pub(super) fn check(input: &mut TransactWriteItemsInput<'_>) -> ApiResult<Self> {
        let given = required(input.transact_items.take(), "transactItems")?
            .into_iter()
            .map(GivenAction::of)
            .collect::<Vec<_>>();
        Ok(Self {
            token: token(input, &given),
            actions: given.into_iter().map(|given| given?.check()).collect::<ApiResult<_>>()?,
            return_consumed_capacity: input.return_consumed_capacity,
            return_item_collection_metrics: input.return_item_collection_metrics,
        })
    }
}

impl<S: Store> Run<S, TransactWriteItemsOutput> for ItemWrites {
    async fn run(&mut self, engine: &Engine<S>) -> ApiResult<TransactWriteItemsOutput> {
        let completed = engine.transact(&self.actions, self.token.as_ref()).await?;
        let (reports, charge) =
            charged(&self.actions, &completed, self.return_item_collection_metrics);
        let mode = self.return_consumed_capacity;
        Ok(TransactWriteItemsOutput {
            consumed_capacity: reports.consumed(|units, name, table| {
                units.report_of_transaction(mode, name, table, charge)
            }),
            item_collection_metrics: reports.into_metrics(),
        })
    }
}

impl<S: Store> Explain<S> for ItemWrites {
    async fn explain(&mut self, engine: &Engine<S>, asked: Asked<'_>) -> ApiResult<Explanation> {
        let worded = |error: ApiError| error.in_layer(Layer::Older);
        engine.explain_actions(&self.actions, self.token.as_ref(), worded, asked).await
    }
}

/// Kind of an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verb {
    Check,
    Put,
    Delete,
    Update,
}

/// An action as the request has it: the four kinds have the same members under other names.
struct GivenAction<'a> {
    verb: Verb,
    table_name: Option<Cow<'a, str>>,
    /// The item of a put, the key of the others.
    item: Option<DecodedItem>,
    update_expression: Option<Cow<'a, str>>,
    condition_expression: Option<Cow<'a, str>>,
    names: Option<Map<Cow<'a, str>, Cow<'a, str>>>,
    values: Option<Map<Cow<'a, str>, DecodedValue>>,
    on_failure: Option<ReturnValuesOnConditionCheckFailure>,
}

macro_rules! given {
    ($verb:ident, $action:expr, $item:ident, $update:expr) => {
        GivenAction {
            verb: Verb::$verb,
            table_name: $action.table_name,
            item: $action.$item,
            update_expression: $update,
            condition_expression: $action.condition_expression,
            names: $action.expression_attribute_names,
            values: $action.expression_attribute_values,
            on_failure: $action.return_values_on_condition_check_failure,
        }
    };
}

impl<'a> GivenAction<'a> {
    fn of(member: TransactWriteItem<'a>) -> Result<Self, Reason> {
        match member {
            TransactWriteItem {
                condition_check: Some(check),
                put: None,
                delete: None,
                update: None,
            } => Ok(given!(Check, check, key, None)),
            TransactWriteItem {
                condition_check: None,
                put: Some(put),
                delete: None,
                update: None,
            } => Ok(given!(Put, put, item, None)),
            TransactWriteItem {
                condition_check: None,
                put: None,
                delete: Some(delete),
                update: None,
            } => Ok(given!(Delete, delete, key, None)),
            TransactWriteItem {
                condition_check: None,
                put: None,
                delete: None,
                update: Some(update),
            } => {
                let wire::Update { update_expression, .. } = &update;
                let expression = update_expression.clone();
                Ok(given!(Update, update, key, expression))
            }
            TransactWriteItem { condition_check: None, put: None, delete: None, update: None } => {
                Err(Reason::TransactionNoAction)
            }
            _ => Err(Reason::TransactionSeveralActions),
        }
    }

    /// Checks the action by itself.
    fn check(self) -> ApiResult<TransactionAction> {
        let table_name = required(self.table_name.as_deref(), "tableName")?.to_owned();
        let (update, condition) = self.compile()?;
        let is_put = self.verb == Verb::Put;
        let of_expressions = self.expression_bytes();
        let item = validated(required(self.item, if is_put { "item" } else { "key" })?)?;
        if !is_put {
            check_key_values(&item)?;
        } else if item.size() > ITEM_SIZE_MAX_BYTES {
            return Err(Reason::ItemTooLarge.into());
        }
        Ok(TransactionAction {
            table_name,
            statement: None,
            payload_bytes: item.size() + if is_put { 0 } else { of_expressions },
            kind: match self.verb {
                Verb::Check => ActionKind::Check(item),
                Verb::Put => ActionKind::Put(item),
                Verb::Delete => ActionKind::Delete(item),
                Verb::Update => ActionKind::Update(item, required(update, "updateExpression")?),
            },
            condition,
            returns_item_on_failure: returns_item(self.on_failure),
        })
    }

    fn compile(&self) -> Result<(Option<Update>, Option<Condition>), Reason> {
        let condition = ("ConditionExpression", self.condition_expression.is_some());
        let update = ("UpdateExpression", self.update_expression.is_some());
        let both = [update, condition];
        let expressions = if self.verb == Verb::Update { &both[..] } else { &both[1..] };
        let mut placeholders = request::placeholders(
            self.names.as_ref(),
            self.values.as_ref(),
            expressions,
            expressions,
        )?;
        // A key that nests too deep is found after the expressions. Source: captured.
        let fault = self.item.as_ref().and_then(|item| item.fault.as_deref());
        let waits =
            |fault: &&ValueFault| self.verb != Verb::Put && **fault == ValueFault::NestingTooDeep;
        if let Some(fault) = fault.filter(|fault| !waits(fault)) {
            return Err(Reason::Value(fault.clone()));
        }
        let is_update = self.verb == Verb::Update;
        check_expression_values(self.values.as_ref())
            .map_err(|reason| if is_update { as_update(reason) } else { reason })?;
        let update = self
            .update_expression
            .as_deref()
            .map(|text| hashrange_expr::update(text, &mut placeholders))
            .transpose()?;
        let condition = self
            .condition_expression
            .as_deref()
            .map(|text| {
                hashrange_expr::condition(ExpressionKind::Condition, text, &mut placeholders)
            })
            .transpose()?;
        placeholders.check_all_used()?;
        Ok((update, condition))
    }

    /// Returns the size of the action's expressions with the values they use.
    fn expression_bytes(&self) -> usize {
        let texts = [&self.update_expression, &self.condition_expression];
        let texts = texts.into_iter().flatten().map(|text| text.len());
        let values = self.values.iter().flat_map(Map::iter);
        let values = values.map(|(name, value)| name.len() + value.value.get().size());
        texts.chain(values).sum()
    }

    fn add_to(&self, fingerprint: &mut Fingerprint) {
        fingerprint.number(self.verb as usize);
        fingerprint.text(self.table_name.as_deref());
        fingerprint.item(self.item.as_ref());
        fingerprint.text(self.update_expression.as_deref());
        fingerprint.text(self.condition_expression.as_deref());
        fingerprint.names(self.names.as_ref());
        fingerprint.values(self.values.as_ref());
        fingerprint.number(usize::from(returns_item(self.on_failure)));
    }
}

/// Returns the request's token with the fingerprint of all other members.
fn token(
    input: &TransactWriteItemsInput<'_>,
    actions: &[Result<GivenAction<'_>, Reason>],
) -> Option<Token> {
    let text = input.client_request_token.as_deref()?;
    let mut fingerprint = Fingerprint::new();
    fingerprint.text(input.return_consumed_capacity.map(ReturnConsumedCapacity::as_str));
    fingerprint.text(input.return_item_collection_metrics.map(ReturnItemCollectionMetrics::as_str));
    fingerprint.number(actions.len());
    for action in actions.iter().flatten() {
        action.add_to(&mut fingerprint);
    }
    Some(Token::new(TokenScope::TransactWriteItems, text, fingerprint.finish()))
}
