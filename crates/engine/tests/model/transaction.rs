//! Transactions against the model.

use super::{Check, Run, expect_error, is_text_of, sorted};
use hashrange_model::ApiError;
use hashrange_testkit::model::{
    Fault, Item, Operation, Path, Request, TransactMember, TransactRefusal, item_json,
};
use serde_json::{Value as Json, json};

impl Run {
    /// Sends a transaction, a second time if it has a token: that must change nothing.
    pub(super) fn transact_write(
        &mut self,
        operation: &Operation,
        members: &[TransactMember],
        token: Option<&str>,
    ) -> Check {
        let request = Request::of(operation, None).unwrap();
        let answer = self.call(request.operation, &request.body);
        let expected = self.model.transact_write(members);
        match (answer, expected) {
            (Ok(answer), Ok(())) if answer == json!({}) => {
                self.seen.transactions += 1;
                self.seen.writes += members.len();
                if token.is_none() {
                    return Ok(());
                }
                match self.call(request.operation, &request.body) {
                    Ok(answer) if answer == json!({}) => Ok(()),
                    answer => Err(format!("a repeated transaction answers {answer:?}")),
                }
            }
            (Err(error), Err(TransactRefusal::NoTable)) => {
                expect_error(&error, "ResourceNotFoundException: Requested resource not found")
            }
            (Err(error), Err(TransactRefusal::Cancelled(expected))) => {
                self.seen.cancelled += 1;
                compare_cancellation(&error, &expected)
            }
            (answer, expected) => Err(format!("answers {answer:?} instead of {expected:?}")),
        }
    }

    pub(super) fn transact_get(
        &self,
        operation: &Operation,
        gets: &[(String, Item, Vec<Path>)],
    ) -> Check {
        let request = Request::of(operation, None).unwrap();
        let answer = self.call(request.operation, &request.body);
        if gets.iter().any(|(table, ..)| self.model.definition(table).is_none()) {
            let error = answer.err().ok_or("a table that is not there")?;
            return expect_error(&error, "ResourceNotFoundException");
        }
        let answer = answer.map_err(|error| format!("TransactGetItems answers {error}"))?;
        let responses: Vec<Json> = gets
            .iter()
            .map(|(table, key, paths)| {
                let item = self.model.get(table, key, paths).unwrap();
                let item = item.filter(|item| paths.is_empty() || !item.is_empty());
                item.map_or_else(|| json!({}), |item| json!({ "Item": item_json(&item) }))
            })
            .collect();
        let expected = json!({ "Responses": responses });
        if sorted(&answer) == sorted(&expected) {
            return Ok(());
        }
        Err(format!("TransactGetItems answers {answer} instead of {expected}"))
    }
}

pub(super) fn compare_cancellation(
    error: &ApiError,
    expected: &[Option<(Vec<Fault>, Option<Item>)>],
) -> Check {
    let wrong = || Err(format!("answers {error} instead of {expected:?}"));
    let Some(reasons) = error.cancellation_reasons() else { return wrong() };
    if reasons.len() != expected.len() {
        return wrong();
    }
    for (reason, expected) in reasons.iter().zip(expected) {
        let is_same = match (reason, expected) {
            (None, None) => true,
            (Some(reason), Some((faults, stored))) => {
                let text = reason.to_string();
                let stored = stored
                    .as_ref()
                    .filter(|_| matches!(faults[..], [Fault::Condition | Fault::Duplicate]));
                faults.iter().any(|fault| is_text_of(*fault, &text))
                    && reason.item().is_some() == stored.is_some()
            }
            _ => false,
        };
        if !is_same {
            return Err(format!("a reason is {reason:?} instead of {expected:?}"));
        }
    }
    Ok(())
}
