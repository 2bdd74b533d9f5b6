//! `DescribeHeat`: the recorded use of hot keys, table by table.

use crate::engine::Engine;
use crate::heat::HeatPage;
use hashrange_model::{ApiResult, Reason};
use hashrange_storage::Store;

/// A request for the recorded use of tables and indexes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HeatInput {
    /// Table by name or ARN; `None` for all.
    pub table_name: Option<String>,
    /// Index of the table; `None` for the table and all of its indexes.
    pub index_name: Option<String>,
    /// Number of the newest minutes to return; `None` for all.
    pub minutes: Option<usize>,
    /// Table and index with which the last page ended.
    pub start: Option<(String, Option<String>)>,
}

impl<S: Store> Engine<S> {
    /// Describes hot keys, of the requests that this engine has run. Other servers on its store
    /// have figures of their own, which [`hashrange_heat::PlaceHeat::add`] adds up.
    ///
    /// A page ends with the table or index with which it exceeds two hours.
    #[expect(
        clippy::unused_async,
        reason = "the operations are awaited all alike; this one asks no store"
    )]
    pub async fn describe_heat(&self, input: HeatInput) -> ApiResult<HeatPage> {
        let tables = match &input.table_name {
            Some(name_or_arn) => vec![self.named_table(name_or_arn)?],
            None => self.core().catalog.all(),
        };
        if let (Some(index), [table]) = (&input.index_name, &tables[..])
            && table.record.index(index).is_none()
        {
            let (index, table) = (index.clone(), table.record.name.clone());
            return Err(Reason::InsightsIndexNotFound { index, table }.into());
        }
        let minutes = input.minutes.unwrap_or(usize::MAX);
        let tables = tables.iter().map(|table| &**table);
        Ok(self.core().heat.page(
            tables,
            input.index_name.as_deref(),
            input.start.as_ref(),
            minutes,
        ))
    }
}
