//! DescribeTable: the definition of a table with live counts and sizes.

use crate::engine::Engine;
use crate::environment::table_name_of;
use crate::request::required;
use hashrange_model::ApiResult;
use hashrange_storage::Store;
use hashrange_wire::{DescribeTableInput, DescribeTableOutput};

impl<S: Store> Engine<S> {
    /// Describes a table.
    pub async fn describe_table(
        &self,
        input: DescribeTableInput<'_>,
    ) -> ApiResult<DescribeTableOutput> {
        let table_name = required(input.table_name.as_deref(), "tableName")?;
        if let Some(description) = self.deleted_table(table_name) {
            return Ok(DescribeTableOutput { table: Some(description) });
        }
        let table = match self.heat_table(table_name_of(table_name)) {
            Some(table) => table,
            None => self.named_table(table_name)?,
        };
        Ok(DescribeTableOutput { table: Some(self.describe(&table).await?) })
    }
}
