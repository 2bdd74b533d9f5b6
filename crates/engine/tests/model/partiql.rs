//! PartiQL statements against the model.

use super::transaction::compare_cancellation;
use super::{
    Check, Run, compare_ordered, compare_unordered, expect_error, is_text_of, returned, sorted,
};
use hashrange_testkit::model::{
    Fault, Operation, ReadPlan, Request, Returns, Select, Selected, Statement, TransactRefusal,
    Written, item_json,
};
use serde_json::{Value as Json, json};

/// More pages than any read has.
const PAGES_MAX: usize = 200;

impl Run {
    pub(super) fn statement(&mut self, operation: &Operation, statement: &Statement) -> Check {
        if let Statement::Select(select) = statement {
            return self.select(operation, select);
        }
        let table = statement.table();
        let key = statement.key_attributes();
        let stored = key.and_then(|key| self.model.get(table, key, &[]).ok().flatten());
        let answer = self.send(operation, table);
        let expected = self.model.execute(statement);
        let expected = expected.map(|written| {
            let items: Vec<_> = image(statement, &written).into_iter().collect();
            json!({ "Items": items })
        });
        self.seen.statements += 1;
        self.compare_write(answer, expected, stored.as_ref())
    }

    fn select(&mut self, operation: &Operation, select: &Select) -> Check {
        let definition = self.readable(&select.table, select.index.as_deref());
        let request = Request::of(operation, definition.as_ref()).unwrap();
        match self.model.select(select) {
            Ok(expected) => self.compare_select(&request, expected),
            Err(start) => {
                self.seen.refused_selects += 1;
                let answer = self.call(request.operation, &request.body);
                let error = answer.err().ok_or("a SELECT is answered that must be refused")?;
                expect_error(&error, start)
            }
        }
        .map_err(|problem| format!("{}: {problem}", request.body))
    }

    fn compare_select(&mut self, request: &Request, expected: Selected) -> Check {
        let mut body = request.body.clone();
        let mut found = Vec::new();
        for page in 0.. {
            let answer = self.call(request.operation, &body);
            let answer = answer.map_err(|error| format!("answers {error}"))?;
            let items = answer["Items"].as_array().ok_or("there are no Items")?;
            if expected.page_max.is_some_and(|most| items.len() > most) || page > PAGES_MAX {
                return Err(format!("page {page} is {answer}"));
            }
            found.extend_from_slice(items);
            if answer.get("NextToken").is_some() != answer.get("LastEvaluatedKey").is_some() {
                return Err(format!("token and key are not together in {answer}"));
            }
            let Some(token) = answer.get("NextToken") else { break };
            if expected.page_max.is_none() {
                return Err(format!("there are pages without a limit: {answer}"));
            }
            self.seen.next_tokens += 1;
            body["NextToken"] = token.clone();
        }
        self.seen.selects += usize::from(!found.is_empty());
        let plan = ReadPlan { evaluated: 0, groups: expected.groups, cursor: Vec::new() };
        if expected.is_ordered {
            compare_ordered(&found, &plan)
        } else {
            compare_unordered(&found, &plan)
        }
    }

    pub(super) fn statement_batch(
        &mut self,
        operation: &Operation,
        statements: &[Statement],
    ) -> Check {
        let request = Request::of(operation, None).unwrap();
        let answer = self.call(request.operation, &request.body);
        let answer = answer.map_err(|error| format!("{} answers {error}", request.body))?;
        let responses: Vec<_> =
            statements.iter().map(|statement| self.batch_response(statement)).collect();
        let Some(found) = answer["Responses"].as_array() else {
            return Err(format!("BatchExecuteStatement answers {answer}"));
        };
        let is_same = found.len() == responses.len()
            && found.iter().zip(&responses).all(|(found, expected)| match expected {
                Ok(expected) => sorted(found) == sorted(expected),
                Err(faults) => faults.iter().any(|fault| {
                    found["Error"]["Code"] == code_of(*fault) && found.get("Item").is_none()
                }),
            });
        if is_same {
            return Ok(());
        }
        Err(format!("{} answers {answer} instead of {responses:?}", request.body))
    }

    fn batch_response(&mut self, statement: &Statement) -> Result<Json, Vec<Fault>> {
        let item = match statement {
            Statement::Select(select) => {
                let selected = self.model.select(select).map_err(|_| vec![Fault::NoTable])?;
                row(selected)
            }
            statement => {
                let written = self.model.execute(statement)?;
                self.seen.statements += 1;
                image(statement, &written)
            }
        };
        let mut response = json!({ "TableName": statement.table() });
        if let Some(item) = item {
            response["Item"] = item;
        }
        Ok(response)
    }

    pub(super) fn statement_transaction(
        &mut self,
        operation: &Operation,
        statements: &[Statement],
    ) -> Check {
        let request = Request::of(operation, None).unwrap();
        let answer = self.call(request.operation, &request.body);
        if statements.iter().all(|statement| matches!(statement, Statement::Select(_))) {
            let expected = self.transaction_reads(statements);
            return match (answer, expected) {
                (Ok(answer), Some(expected)) if sorted(&answer) == sorted(&expected) => Ok(()),
                (Err(error), None) if is_text_of(Fault::NoTable, &error.to_string()) => Ok(()),
                (answer, expected) => {
                    Err(format!("{} answers {answer:?}, not {expected:?}", request.body))
                }
            };
        }
        match (answer, self.model.execute_all(statements)) {
            (Ok(answer), Ok(())) if answer == json!({ "Responses": [] }) => {
                self.seen.statement_transactions += 1;
                Ok(())
            }
            (Err(error), Err(TransactRefusal::NoTable)) => {
                expect_error(&error, "ResourceNotFoundException: Requested resource not found")
            }
            (Err(error), Err(TransactRefusal::Cancelled(expected))) => {
                compare_cancellation(&error, &expected)
            }
            (answer, expected) => {
                Err(format!("{} answers {answer:?} instead of {expected:?}", request.body))
            }
        }
    }

    /// Returns the answer to SELECTs, unless a table is not there.
    fn transaction_reads(&self, statements: &[Statement]) -> Option<Json> {
        let response = |statement: &Statement| {
            let Statement::Select(select) = statement else { return None };
            let row = row(self.model.select(select).ok()?);
            Some(row.map_or_else(|| json!({}), |row| json!({ "Item": row })))
        };
        let responses = statements.iter().map(response).collect::<Option<Vec<_>>>()?;
        Some(json!({ "Responses": responses }))
    }
}

/// Returns the one row of a SELECT by the whole key, if anything of it was selected.
fn row(selected: Selected) -> Option<Json> {
    let row = selected.groups.into_iter().flatten().next()?;
    (!row.is_empty()).then(|| item_json(&row))
}

/// Returns what RETURNING asks for.
fn image(statement: &Statement, written: &Written) -> Option<Json> {
    let (returns, actions) = match statement {
        Statement::Update { returns, actions, .. } => (*returns, &actions[..]),
        Statement::Delete { returns, .. } => (*returns, &[][..]),
        _ => (Returns::None, &[][..]),
    };
    returned(returns, actions, written).get("Attributes").cloned()
}

fn code_of(fault: Fault) -> &'static str {
    match fault {
        Fault::NoTable => "ResourceNotFound",
        Fault::Condition => "ConditionalCheckFailed",
        Fault::Duplicate => "DuplicateItem",
        Fault::InvalidPath
        | Fault::OperandType
        | Fault::MissingAttribute
        | Fault::Number
        | Fault::IndexKey
        | Fault::DerivedKey => "ValidationError",
    }
}
