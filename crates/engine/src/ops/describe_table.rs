//! DescribeTable: the definition of a table with live counts and sizes.

use crate::engine::Engine;
use crate::environment::table_name_of;
use crate::request::required;
use crate::schema::Table;
use hashrange_model::ApiResult;
use hashrange_storage::Store;
use hashrange_wire::{
    AttributeDefinition, DescribeTableInput, DescribeTableOutput, TableDescription,
};

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
        if let Some(table) = self.heat_table(table_name_of(table_name)) {
            return Ok(DescribeTableOutput { table: Some(self.describe(&table).await?) });
        }
        let table = self.named_table(table_name);
        if table.is_err()
            && let Some(past) = self.known_past(table_name)?
        {
            let described = self.describe(&past).await?;
            return Ok(DescribeTableOutput { table: Some(of_past(table_name, &past, described)) });
        }
        Ok(DescribeTableOutput { table: Some(self.describe(&*table?).await?) })
    }
}

/// Returns the description of a table as it was: the present one, without the parts that a past
/// table lacks.
fn of_past(name: &str, table: &Table, now: TableDescription) -> TableDescription {
    let is_key = |definition: &AttributeDefinition| {
        definition.attribute_name.as_deref().is_some_and(|name| table.key.contains(name))
    };
    let mut definitions = now.attribute_definitions.unwrap_or_default();
    definitions.retain(is_key);
    TableDescription {
        table_name: Some(table_name_of(name).to_owned()),
        attribute_definitions: Some(definitions),
        global_secondary_indexes: None,
        local_secondary_indexes: None,
        stream_specification: None,
        latest_stream_arn: None,
        latest_stream_label: None,
        ..now
    }
}
