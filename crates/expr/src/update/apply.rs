//! Applies actions to an item: evaluates every right-hand side on the old image, then rewrites the
//! changed attributes and copies the others.
//!
//! Every written byte counts against the size limit of an item before it is copied or joined, so
//! that an update never needs more memory than an item and the values that it reads.

use super::budget::Budget;
use super::document::Document;
use super::sets::Sets;
use super::{Action, Effect, Operand, Term};
use crate::evaluated::Evaluated;
use crate::lookup::Lookup;
use hashrange_model::encode::Encoder;
use hashrange_model::error::{Reason, ValueFault};
use hashrange_model::limits::NESTING_DEPTH_MAX;
use hashrange_model::number::NumberFault;
use hashrange_model::{AttributeValue, Item, Number, Value, ValueRef};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// Returns `old` with the actions applied, which may write at most as much as `budget` has left.
pub(super) fn apply(actions: &[Action], old: &Item, mut budget: Budget) -> Result<Item, Reason> {
    let lookup = Lookup::new(old, actions.iter().map(Action::path_count).sum());
    let mut evaluation = Evaluation { lookup: &lookup, sets: Sets::default() };
    let mut results = Vec::with_capacity(actions.len());
    for action in actions {
        let result = evaluation.result(action, budget)?;
        budget.take_result(action, result.as_ref().map(Evaluated::get))?;
        results.push(result);
    }
    let mut nested: BTreeMap<&str, Document<'_>> = BTreeMap::new();
    for (action, result) in actions.iter().zip(&results).filter(|(it, _)| it.path.is_nested()) {
        let document = match nested.entry(&action.path.attribute) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => {
                let stored = old.get(&action.path.attribute).ok_or(Reason::InvalidDocumentPath)?;
                entry.insert(Document::new(stored))
            }
        };
        document.change(&action.path.steps, result.as_ref().map(Evaluated::get));
    }
    let nested = nested
        .into_iter()
        .map(|(name, document)| Ok((name, within_depth(&document.finish()?)?)))
        .collect::<Result<Vec<(&str, Value)>, Reason>>()?;
    let whole = actions
        .iter()
        .zip(&results)
        .filter(|(action, _)| !action.path.is_nested())
        .map(|(action, result)| (&*action.path.attribute, result.as_ref().map(Evaluated::get)));
    let parts = nested.iter().map(|(name, value)| (*name, Some(value.get())));
    Ok(old.with_changes(whole.chain(parts)))
}

fn within_depth(value: &AttributeValue) -> Result<Value, Reason> {
    if value.depth() > NESTING_DEPTH_MAX {
        return Err(Reason::UpdateResult(ValueFault::NestingTooDeep));
    }
    Ok(value.to_value())
}

/// The old image for the right-hand sides.
struct Evaluation<'l, 'v> {
    lookup: &'l Lookup<'v>,
    sets: Sets<'v>,
}

impl<'v> Evaluation<'_, 'v> {
    /// Returns the value to set at the action's path, or `None` to remove it.
    fn result(
        &mut self,
        action: &'v Action,
        budget: Budget,
    ) -> Result<Option<Evaluated<'v>>, Reason> {
        let lookup = self.lookup;
        let stored = || lookup.find(&action.path);
        match &action.effect {
            Effect::Set(operand) => self.operand(operand, budget).map(Some),
            Effect::Remove => Ok(None),
            Effect::Add(value) => add(stored(), value).ok_or(Reason::UpdateOperandType)?.map(Some),
            Effect::AddLegacy(value) => match (stored(), value.get()) {
                (Some(stored @ ValueRef::L(_)), added @ ValueRef::L(_)) => {
                    let lists = [Evaluated::Stored(stored), Evaluated::Stored(added)];
                    joined(&lists, budget).map(Some)
                }
                (stored, _) => {
                    add(stored, value).ok_or(Reason::LegacyUpdateTypeMismatch)?.map(Some)
                }
            },
            Effect::Delete(value) => {
                self.sets.without(stored(), value).ok_or(Reason::UpdateOperandType)
            }
            Effect::DeleteLegacy(value) => {
                self.sets.without(stored(), value).ok_or(Reason::LegacyUpdateTypeMismatch)
            }
        }
    }

    fn operand(&self, operand: &'v Operand, budget: Budget) -> Result<Evaluated<'v>, Reason> {
        match operand {
            Operand::Value(value) => Ok(Evaluated::Stored(value.get())),
            Operand::Path(path) => {
                let stored = self.lookup.find(path).ok_or(Reason::UpdateMissingAttribute)?;
                Ok(Evaluated::Stored(stored))
            }
            Operand::IfNotExists(path, otherwise) => match self.lookup.find(path) {
                Some(value) => Ok(Evaluated::Stored(value)),
                None => self.operand(otherwise, budget),
            },
            Operand::ListAppend(_) => {
                let mut lists = Vec::new();
                self.collect_lists(operand, &mut lists, budget)?;
                joined(&lists, budget)
            }
            Operand::Sum(terms) => self.sum(terms, budget),
        }
    }

    /// Collects lists that are appended one after another: PartiQL nests calls, and each list is to
    /// be copied once.
    fn collect_lists(
        &self,
        operand: &'v Operand,
        lists: &mut Vec<Evaluated<'v>>,
        budget: Budget,
    ) -> Result<(), Reason> {
        match operand {
            Operand::ListAppend(pair) => {
                self.collect_lists(&pair.0, lists, budget)?;
                self.collect_lists(&pair.1, lists, budget)
            }
            other => {
                lists.push(self.operand(other, budget)?);
                Ok(())
            }
        }
    }

    fn sum(&self, terms: &'v [Term], budget: Budget) -> Result<Evaluated<'v>, Reason> {
        let mut total = Number::ZERO;
        for term in terms {
            let value = self.operand(&term.operand, budget)?;
            let ValueRef::N(number) = value.get() else {
                return Err(Reason::UpdateOperandType);
            };
            let number = number.to_number();
            let next =
                if term.negative { total.checked_sub(&number) } else { total.checked_add(&number) };
            total = next.map_err(arithmetic)?;
        }
        Ok(computed_number(total))
    }
}

/// Returns the fault of a sum that is no number; one of too many digits counts as too large.
/// Source: captured.
fn arithmetic(fault: NumberFault) -> Reason {
    let fault = match fault {
        NumberFault::TooManyDigits => NumberFault::Overflow,
        other => other,
    };
    Reason::UpdateResult(fault.into())
}

fn computed_number<'v>(number: Number) -> Evaluated<'v> {
    Evaluated::Computed(AttributeValue::N(number).to_value())
}

/// Returns the lists joined into one.
fn joined<'v>(lists: &[Evaluated<'v>], mut budget: Budget) -> Result<Evaluated<'v>, Reason> {
    for list in lists {
        let list = list.get();
        if !matches!(list, ValueRef::L(_)) {
            return Err(Reason::UpdateOperandType);
        }
        budget.take_value(list)?;
    }
    let mut encoder = Encoder::new();
    let mark = encoder.begin_list();
    for list in lists {
        if let ValueRef::L(elements) = list.get() {
            elements.iter().for_each(|element| encoder.value_ref(&element));
        }
    }
    encoder.end_list(mark);
    Ok(Evaluated::Computed(encoder.into_value()))
}

/// Returns the sum or union, or `None` if the stored value has another type.
fn add<'v>(
    stored: Option<ValueRef<'_>>,
    value: &'v Value,
) -> Option<Result<Evaluated<'v>, Reason>> {
    let Some(stored) = stored else { return Some(Ok(Evaluated::Stored(value.get()))) };
    Some(Ok(match (stored, value.get()) {
        (ValueRef::N(stored), ValueRef::N(number)) => {
            let sum = stored.to_number().checked_add(&number.to_number());
            return Some(sum.map(computed_number).map_err(arithmetic));
        }
        (ValueRef::Ss(stored), ValueRef::Ss(added)) => {
            let members = stored.strings().chain(added.strings());
            Evaluated::Computed(AttributeValue::string_set(members).to_value())
        }
        (ValueRef::Ns(stored), ValueRef::Ns(added)) => {
            let members = stored.numbers().chain(added.numbers());
            let members = members.map(|number| number.to_number());
            Evaluated::Computed(AttributeValue::number_set(members).to_value())
        }
        (ValueRef::Bs(stored), ValueRef::Bs(added)) => {
            let members = stored.iter().chain(added.iter()).map(<[u8]>::to_vec);
            Evaluated::Computed(AttributeValue::binary_set(members).to_value())
        }
        _ => return None,
    }))
}
