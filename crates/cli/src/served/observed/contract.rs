//! The server's own operation on the contract that it was started with: `DescribeContract`.
//!
//! `{"Contract": {...}, "IsEnforced": true, "Findings": {...}, "Refused": [...]}`: the contract,
//! the recorded requests compared with it, and the refused requests.

use super::Observed;
use crate::served::own_operations::{self, Nothing};
use hashrange::{ApiResult, Reason};
use serde_json::json;

/// Describes the contract; a server without one does not know the operation.
pub async fn describe(observed: &Observed, body: &[u8]) -> ApiResult<Vec<u8>> {
    let Nothing {} = own_operations::read(body)?;
    let Some(guard) = &observed.shared.guard else { return Err(Reason::UnknownOperation.into()) };
    let recording = super::operations::recording(observed).await;
    let answer = json!({
        "Contract": guard.contract(),
        "IsEnforced": guard.is_enforced(),
        "Findings": guard.contract().check(&recording),
        "Refused": guard.refused(),
    });
    Ok(answer.to_string().into_bytes())
}
