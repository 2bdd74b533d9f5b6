//! ListTables: table names in byte order, in pages.

use crate::engine::Engine;
use hashrange_model::ApiResult;
use hashrange_storage::Store;
use hashrange_wire::{ListTablesInput, ListTablesOutput};

const LIMIT_DEFAULT: i32 = 100;

impl<S: Store> Engine<S> {
    /// Lists table names.
    #[expect(
        clippy::unused_async,
        reason = "the operations are awaited all alike; this one needs no view"
    )]
    pub async fn list_tables(&self, input: ListTablesInput<'_>) -> ApiResult<ListTablesOutput> {
        let limit = usize::try_from(input.limit.unwrap_or(LIMIT_DEFAULT)).unwrap_or(1);
        let start = input.exclusive_start_table_name.as_deref();
        let (mut names, mut has_more) = self.core().catalog.names_after(start, limit);
        let deleted = self.deleted_table_names();
        if !deleted.is_empty() {
            let end = names.last().filter(|_| has_more).cloned();
            names.extend(deleted.into_iter().filter(|name| {
                start.is_none_or(|start| name.as_str() > start)
                    && end.as_ref().is_none_or(|end| name < end)
            }));
            names.sort();
            has_more |= names.len() > limit;
            names.truncate(limit);
        }
        Ok(ListTablesOutput {
            last_evaluated_table_name: names.last().filter(|_| has_more).cloned(),
            table_names: Some(names),
        })
    }
}
