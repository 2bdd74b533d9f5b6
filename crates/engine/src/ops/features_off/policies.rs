//! Resource policies: no table and no stream has one.

use crate::arn;
use crate::engine::Engine;
use crate::request::required;
use crate::throughput::Readiness;
use hashrange_model::{ApiResult, Reason};
use hashrange_storage::Store;
use hashrange_wire::{
    DeleteResourcePolicyInput, DeleteResourcePolicyOutput, GetResourcePolicyInput,
    GetResourcePolicyOutput,
};

impl<S: Store> Engine<S> {
    /// Answers that a table or stream has no policy.
    pub async fn get_resource_policy(
        &self,
        input: GetResourcePolicyInput<'_>,
    ) -> ApiResult<GetResourcePolicyOutput> {
        let arn = required(input.resource_arn.as_deref(), "resourceArn")?;
        self.check_policy_resource(arn)?;
        Err(Reason::PolicyNotFound(arn.to_owned()).into())
    }

    /// Accepts to delete a policy that does not exist, unless the request expects a revision.
    pub async fn delete_resource_policy(
        &self,
        input: DeleteResourcePolicyInput<'_>,
    ) -> ApiResult<DeleteResourcePolicyOutput> {
        let arn = required(input.resource_arn.as_deref(), "resourceArn")?;
        self.check_policy_resource(arn)?;
        match input.expected_revision_id {
            Some(_) => Err(Reason::PolicyNotFound(arn.to_owned()).into()),
            None => Ok(DeleteResourcePolicyOutput { revision_id: None }),
        }
    }

    fn check_policy_resource(&self, text: &str) -> ApiResult<()> {
        let named = arn::with_policy(self.environment(), text)?;
        let table = self.core().catalog.get(named.table);
        let table = table.filter(|table| self.readiness(table) != Readiness::Unseen);
        let table = table.ok_or_else(|| Reason::NamedTableNotFound(named.table.to_owned()))?;
        let Some(label) = named.stream else { return Ok(()) };
        let latest = table.record.stream.as_ref();
        if latest.is_some_and(|latest| latest.label == label) {
            return Ok(());
        }
        let (stream, table) = (label.to_owned(), named.table.to_owned());
        Err(Reason::PolicyStreamNotFound { stream, table }.into())
    }
}
