//! `DescribeHeat`: what is known of hot keys, table by table.

use crate::engine::Engine;
use crate::heat::HeatPage;
use hashrange_model::{ApiResult, Reason};
use hashrange_storage::Store;

/// What of it is described.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HeatInput {
    /// A table by name or ARN; all of them if none is named.
    pub table_name: Option<String>,
    /// An index of it; if none is named, the table and all of its indexes.
    pub index_name: Option<String>,
    /// The newest minutes; as many as there are, if none is said.
    pub minutes: Option<usize>,
    /// The table and index that the last page ended with.
    pub start: Option<(String, Option<String>)>,
}

impl<S: Store> Engine<S> {
    /// Describes which keys are hot: of the requests that this engine has run. Others that share its store have
    /// their own figures, which [`hashrange_heat::PlaceHeat::add`] adds up.
    ///
    /// A page ends with the table or index that makes it more than two hours.
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
