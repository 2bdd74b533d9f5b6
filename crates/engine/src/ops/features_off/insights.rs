//! Contributor Insights: disabled for every table and index.

use super::check_no_token;
use crate::engine::Engine;
use crate::request::required;
use crate::schema::IndexKind;
use hashrange_model::{ApiResult, Reason};
use hashrange_storage::Store;
use hashrange_wire::{
    ContributorInsightsAction, ContributorInsightsStatus, DescribeContributorInsightsInput,
    DescribeContributorInsightsOutput, ListContributorInsightsInput, ListContributorInsightsOutput,
    UpdateContributorInsightsInput, UpdateContributorInsightsOutput,
};

impl<S: Store> Engine<S> {
    /// Says that Contributor Insights of a table or global index is disabled.
    pub async fn describe_contributor_insights(
        &self,
        input: DescribeContributorInsightsInput<'_>,
    ) -> ApiResult<DescribeContributorInsightsOutput> {
        let name_or_arn = required(input.table_name.as_deref(), "tableName")?;
        let table_name = self.observed_table(name_or_arn, input.index_name.as_deref())?;
        Ok(DescribeContributorInsightsOutput {
            table_name: Some(table_name),
            index_name: input.index_name.map(Into::into),
            contributor_insights_status: Some(ContributorInsightsStatus::Disabled),
            ..DescribeContributorInsightsOutput::default()
        })
    }

    /// Leaves Contributor Insights disabled; it cannot be enabled.
    pub async fn update_contributor_insights(
        &self,
        input: UpdateContributorInsightsInput<'_>,
    ) -> ApiResult<UpdateContributorInsightsOutput> {
        let name_or_arn = required(input.table_name.as_deref(), "tableName")?;
        let action = required(input.contributor_insights_action, "contributorInsightsAction")?;
        let table_name = self.observed_table(name_or_arn, input.index_name.as_deref())?;
        match action {
            ContributorInsightsAction::Disable => Ok(UpdateContributorInsightsOutput {
                table_name: Some(table_name),
                index_name: input.index_name.map(Into::into),
                contributor_insights_status: Some(ContributorInsightsStatus::Disabled),
                contributor_insights_mode: None,
            }),
            ContributorInsightsAction::Enable => {
                let parameter = "ContributorInsightsAction ENABLE";
                Err(Reason::ParameterNotYetAvailable { parameter }.into())
            }
        }
    }

    /// Lists nothing: the list leaves out what is disabled.
    pub async fn list_contributor_insights(
        &self,
        input: ListContributorInsightsInput<'_>,
    ) -> ApiResult<ListContributorInsightsOutput> {
        if let Some(name_or_arn) = input.table_name.as_deref() {
            self.named_table(name_or_arn)?;
        }
        check_no_token(input.next_token.as_deref())?;
        Ok(ListContributorInsightsOutput {
            contributor_insights_summaries: Some(Vec::new()),
            next_token: None,
        })
    }

    /// Returns the name of a table that exists and has the global index, if one is named.
    fn observed_table(&self, name_or_arn: &str, index: Option<&str>) -> ApiResult<String> {
        let table = self.named_table(name_or_arn)?;
        let name = table.record.name.clone();
        if let Some(index) = index {
            let mut indexes = table.record.visible_indexes();
            if !indexes.any(|known| known.name == index && known.kind == IndexKind::Global) {
                let index = index.to_owned();
                return Err(Reason::InsightsIndexNotFound { index, table: name }.into());
            }
        }
        Ok(name)
    }
}
