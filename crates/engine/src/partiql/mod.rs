//! PartiQL statements planned for the pipelines that the native operations use.
//!
//! `hashrange_expr::partiql` parses them and lowers their clauses; here they meet their tables:
//! [`select`] plans reads, [`write`] plans writes, [`next_token`] continues reads.

pub(crate) mod next_token;
pub(crate) mod select;
pub(crate) mod write;

use hashrange_expr::partiql::{self, Parameters, Statement};
use hashrange_model::Reason;
use hashrange_model::error::ValueFault;
use hashrange_wire::DecodedValue;

/// Parses a statement with the parameters of its request.
pub(crate) fn parse(text: &str, parameters: Option<&[DecodedValue]>) -> Result<Statement, Reason> {
    let parameters = parameters.unwrap_or_default();
    let get = |nth: usize| match parameters.get(nth) {
        Some(DecodedValue { value, fault: None }) => Ok(value.clone()),
        Some(DecodedValue { fault: Some(fault), .. }) => Err((**fault).clone()),
        None => Err(ValueFault::EmptyAttributeValue),
    };
    partiql::parse(text, Parameters { count: parameters.len(), get: &get })
}
