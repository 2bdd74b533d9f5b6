//! Contributor Insights: selects the tables and global indexes that are watched for hot keys.
//! `DescribeHeat` returns what was recorded.
//!
//! A change is in use when the operation returns; under a profile the status shows it as unfinished
//! for as long as on the service. Unknown of the service, and decided here: a change while another
//! is under way is made at once; DISABLE keeps the mode that was set, whatever mode it names; the
//! rule list of an index also names its table. Source: recorded answers of control operations,
//! October 2026; Amazon DynamoDB developer guide, "`CloudWatch` Contributor Insights for DynamoDB:
//! How it works".

use crate::engine::Engine;
use crate::environment::seconds;
use crate::request::required;
use crate::schema::{IndexId, IndexKind, IndexState, InsightsMode, InsightsRecord, Table};
use crate::throughput::{Readiness, Status};
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use hashrange_model::{ApiResult, Reason};
use hashrange_storage::Store;
use hashrange_wire::{
    ContributorInsightsAction, ContributorInsightsMode, ContributorInsightsStatus,
    ContributorInsightsSummary, DescribeContributorInsightsInput,
    DescribeContributorInsightsOutput, ListContributorInsightsInput, ListContributorInsightsOutput,
    UpdateContributorInsightsInput, UpdateContributorInsightsOutput,
};
use std::sync::Arc;

/// Maximum and default of tables and indexes in a page.
const PAGE_MAX: usize = 100;

/// A table, or a global index of it.
struct Observed {
    table: Arc<Table>,
    /// Name and state of the index, if it is one.
    index: Option<(String, IndexState)>,
    id: IndexId,
}

impl Observed {
    fn record(&self) -> Option<&InsightsRecord> {
        self.table.record.insights_of(self.id)
    }

    fn index_name(&self) -> Option<String> {
        self.index.as_ref().map(|(name, _)| name.clone())
    }
}

impl<S: Store> Engine<S> {
    /// Enables or disables Contributor Insights of a table or global index.
    pub async fn update_contributor_insights(
        &self,
        input: UpdateContributorInsightsInput<'_>,
    ) -> ApiResult<UpdateContributorInsightsOutput> {
        let name_or_arn = required(input.table_name.as_deref(), "tableName")?;
        let action = required(input.contributor_insights_action, "contributorInsightsAction")?;
        let mode = match input.contributor_insights_mode {
            Some(ContributorInsightsMode::ThrottledKeys) => InsightsMode::Throttled,
            Some(ContributorInsightsMode::AccessedAndThrottledKeys) | None => {
                InsightsMode::AccessedAndThrottled
            }
        };
        let _definitions = self.core().lock_definitions().await?;
        self.check_insights_of_deleted(name_or_arn)?;
        let observed = self.observed(name_or_arn, input.index_name.as_deref())?;
        self.check_insights_state(&observed)?;
        let before = observed.record().copied();
        let is_enabled = action == ContributorInsightsAction::Enable;
        let mode = before.filter(|_| !is_enabled).map_or(mode, |before| before.mode);
        let is_settled = match before {
            None => !is_enabled,
            Some(before) => before.is_enabled == is_enabled && before.mode == mode,
        };
        let (status, shown_mode) = if is_settled {
            (self.insights_status(before.as_ref()), before.map(|before| before.mode))
        } else {
            let index = observed.id;
            let new = InsightsRecord { index, mode, is_enabled, updated_at_ms: self.now_ms() };
            let changed = self.core().change_table(&observed.table, |record| {
                record.set_insights(new);
                Ok(())
            });
            changed.await?;
            (status(is_enabled, true), Some(mode))
        };
        Ok(UpdateContributorInsightsOutput {
            index_name: observed.index_name(),
            table_name: Some(observed.table.record.name.clone()),
            contributor_insights_status: Some(status),
            contributor_insights_mode: shown_mode.map(on_the_wire),
        })
    }

    /// Describes Contributor Insights of a table or global index.
    #[expect(
        clippy::unused_async,
        reason = "the operations are awaited all alike; this one needs no view"
    )]
    pub async fn describe_contributor_insights(
        &self,
        input: DescribeContributorInsightsInput<'_>,
    ) -> ApiResult<DescribeContributorInsightsOutput> {
        let name_or_arn = required(input.table_name.as_deref(), "tableName")?;
        let observed = self.observed(name_or_arn, input.index_name.as_deref())?;
        let record = observed.record();
        let rules = record.filter(|record| record.is_enabled).map(|it| rules(&observed, it));
        Ok(DescribeContributorInsightsOutput {
            table_name: Some(observed.table.record.name.clone()),
            index_name: observed.index_name(),
            contributor_insights_rule_list: rules,
            contributor_insights_status: Some(self.insights_status(record)),
            last_update_date_time: record.map(|record| seconds(record.updated_at_ms)),
            failure_exception: None,
            contributor_insights_mode: record.map(|record| on_the_wire(record.mode)),
        })
    }

    /// Lists the tables and global indexes with Contributor Insights, a table before its indexes.
    #[expect(
        clippy::unused_async,
        reason = "the operations are awaited all alike; this one needs no view"
    )]
    pub async fn list_contributor_insights(
        &self,
        input: ListContributorInsightsInput<'_>,
    ) -> ApiResult<ListContributorInsightsOutput> {
        let tables = match input.table_name.as_deref() {
            Some(name_or_arn) => vec![self.named_table(name_or_arn)?],
            None => self.core().catalog.all(),
        };
        let start = input.next_token.as_deref().map(decoded).transpose()?;
        let most = input.max_results.and_then(|most| usize::try_from(most).ok());
        let most = most.filter(|most| *most > 0).unwrap_or(PAGE_MAX).min(PAGE_MAX);
        let places = tables.iter().flat_map(|table| insights_of(table));
        let mut places = places.filter(|(place, _)| start.as_ref().is_none_or(|it| place > it));
        let mut summaries = Vec::new();
        let mut last = None;
        for ((table, index), record) in places.by_ref() {
            let status = self.insights_status(Some(record));
            if status == ContributorInsightsStatus::Disabled {
                continue;
            }
            if summaries.len() == most {
                let next_token = last.map(|last| encoded(&last));
                return Ok(ListContributorInsightsOutput {
                    contributor_insights_summaries: Some(summaries),
                    next_token,
                });
            }
            last = Some((table.clone(), index.clone()));
            summaries.push(ContributorInsightsSummary {
                table_name: Some(table),
                index_name: index,
                contributor_insights_status: Some(status),
                contributor_insights_mode: Some(on_the_wire(record.mode)),
            });
        }
        Ok(ListContributorInsightsOutput {
            contributor_insights_summaries: Some(summaries),
            next_token: None,
        })
    }

    /// Returns the table, or the global index if the request names one.
    fn observed(&self, name_or_arn: &str, index: Option<&str>) -> ApiResult<Observed> {
        let table = self.named_table(name_or_arn)?;
        let Some(name) = index else {
            return Ok(Observed { table, index: None, id: IndexId::BASE });
        };
        let found = table.record.index(name).filter(|known| known.kind == IndexKind::Global);
        let Some((id, state)) = found.map(|index| (index.id, index.state)) else {
            let (index, table) = (name.to_owned(), table.record.name.clone());
            return Err(Reason::InsightsIndexNotFound { index, table }.into());
        };
        Ok(Observed { table, index: Some((name.to_owned(), state)), id })
    }

    fn check_insights_of_deleted(&self, name_or_arn: &str) -> Result<(), Reason> {
        match self.deleted_table(name_or_arn) {
            Some(_) => Err(Reason::InsightsNotReady { is_index: false }),
            None => Ok(()),
        }
    }

    /// Refuses a change for a table or index that is being created.
    fn check_insights_state(&self, observed: &Observed) -> Result<(), Reason> {
        let table = &observed.table;
        if self.status(table) == Status::Creating {
            return Err(match self.readiness(table) {
                Readiness::Unseen => Reason::NamedTableNotFound(table.record.name.clone()),
                _ => Reason::InsightsNotReady { is_index: false },
            });
        }
        let Some((name, state)) = &observed.index else { return Ok(()) };
        let is_filled = self.check_index_filled(table, Some(name)).is_ok();
        if *state == IndexState::Creating || !is_filled {
            return Err(Reason::InsightsNotReady { is_index: true });
        }
        Ok(())
    }

    fn insights_status(&self, record: Option<&InsightsRecord>) -> ContributorInsightsStatus {
        let Some(record) = record else { return ContributorInsightsStatus::Disabled };
        status(record.is_enabled, self.is_insights_change_under_way(record.updated_at_ms))
    }
}

fn status(is_enabled: bool, is_changing: bool) -> ContributorInsightsStatus {
    match (is_enabled, is_changing) {
        (true, true) => ContributorInsightsStatus::Enabling,
        (true, false) => ContributorInsightsStatus::Enabled,
        (false, true) => ContributorInsightsStatus::Disabling,
        (false, false) => ContributorInsightsStatus::Disabled,
    }
}

fn on_the_wire(mode: InsightsMode) -> ContributorInsightsMode {
    match mode {
        InsightsMode::AccessedAndThrottled => ContributorInsightsMode::AccessedAndThrottledKeys,
        InsightsMode::Throttled => ContributorInsightsMode::ThrottledKeys,
    }
}

/// Returns the names of the service's rules: for partition keys and, if there is a sort key, for
/// items; by accesses and by throttled requests.
fn rules(observed: &Observed, record: &InsightsRecord) -> Vec<String> {
    let table = &observed.table;
    let index = table.indexes.iter().find(|index| index.id == observed.id);
    let has_sort = !index.map_or(&table.key, |index| &index.key).sort.is_empty();
    let kinds =
        [("PKC", false, true), ("PKT", false, false), ("SKC", true, true), ("SKT", true, false)];
    let is_used = |(_, is_of_items, is_of_accesses): &(&str, bool, bool)| {
        (has_sort || !is_of_items)
            && (!is_of_accesses || record.mode == InsightsMode::AccessedAndThrottled)
    };
    let index = observed.index_name().map_or_else(String::new, |index| format!("-{index}"));
    let name = |(kind, ..): (&str, bool, bool)| {
        let (table, at_ms) = (&table.record.name, record.updated_at_ms);
        format!("DynamoDBContributorInsights-{kind}-{table}{index}-{at_ms}")
    };
    kinds.into_iter().filter(is_used).map(name).collect()
}

/// Returns the settings of a table and its indexes that were ever set, with the names of table and
/// index, in order.
fn insights_of(table: &Table) -> Vec<((String, Option<String>), &InsightsRecord)> {
    let of_place = |(name, id): (Option<String>, IndexId)| {
        Some(((table.record.name.clone(), name), table.record.insights_of(id)?))
    };
    let indexes = table.record.visible_indexes().map(|index| (Some(index.name.clone()), index.id));
    let mut places: Vec<_> = indexes.chain([(None, IndexId::BASE)]).filter_map(of_place).collect();
    places.sort_by(|(one, _), (other, _)| one.cmp(other));
    places
}

fn encoded((table, index): &(String, Option<String>)) -> String {
    let index = index.as_ref().map_or_else(String::new, |index| format!("/{index}"));
    BASE64_URL_SAFE_NO_PAD.encode(format!("{table}{index}"))
}

fn decoded(token: &str) -> Result<(String, Option<String>), Reason> {
    let bytes = BASE64_URL_SAFE_NO_PAD.decode(token).ok();
    let text = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
    let text = text.ok_or_else(|| Reason::NextTokenUnknown(token.to_owned()))?;
    Ok(match text.split_once('/') {
        Some((table, index)) => (table.to_owned(), Some(index.to_owned())),
        None => (text, None),
    })
}
