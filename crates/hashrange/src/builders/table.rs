//! Tables: creating one with its keys written as text, describing, deleting and listing.

use super::{Handle, awaited_or_run};
use crate::{Error, Result};
use hashrange_wire::{
    AttributeDefinition, BillingMode, CreateTableInput, DeleteTableInput, DescribeTableInput,
    GlobalSecondaryIndex, KeySchemaElement, KeyType, ListTablesInput, LocalSecondaryIndex,
    Projection, ProjectionType, ScalarAttributeType, StreamSpecification, StreamViewType,
    TableDescription, TimeToLiveSpecification, UpdateTimeToLiveInput,
};
use std::borrow::Cow;

/// Creates an on-demand table; see [`Database::create`](crate::Database::create).
#[derive(Debug)]
#[must_use = "a call does nothing until it is awaited or run"]
pub struct CreateTable<D> {
    handle: D,
    table: String,
    key: Result<Key>,
    global: Vec<(String, Result<Key>)>,
    local: Vec<(String, Result<Key>)>,
    stream: Option<StreamViewType>,
    time_to_live: Option<String>,
}

/// The attributes of a key, with their types: the partition key, then perhaps the sort key.
#[derive(Debug)]
struct Key(Vec<(String, ScalarAttributeType)>);

impl Key {
    fn parse(text: &str) -> Result<Self> {
        let attributes: Option<Vec<_>> = text.split_whitespace().map(attribute).collect();
        match attributes {
            Some(attributes) if (1..=2).contains(&attributes.len()) => Ok(Self(attributes)),
            _ => Err(Error::Key(text.to_owned())),
        }
    }

    fn schema(&self) -> Vec<KeySchemaElement> {
        let roles = [KeyType::Hash, KeyType::Range];
        let element = |((name, _), role): (&(String, _), KeyType)| KeySchemaElement {
            attribute_name: Some(name.clone()),
            key_type: Some(role),
        };
        self.0.iter().zip(roles).map(element).collect()
    }
}

fn attribute(word: &str) -> Option<(String, ScalarAttributeType)> {
    let (name, key_type) = word.rsplit_once(':')?;
    (!name.is_empty()).then_some(())?;
    Some((name.to_owned(), ScalarAttributeType::from_wire(key_type)?))
}

impl<D: Handle> CreateTable<D> {
    pub(crate) fn new(handle: D, table: impl Into<String>, key: &str) -> Self {
        Self {
            handle,
            table: table.into(),
            key: Key::parse(key),
            global: Vec::new(),
            local: Vec::new(),
            stream: None,
            time_to_live: None,
        }
    }

    /// Adds a global index with a key of its own, of all attributes: `"state:S city:S"`.
    pub fn global_index(mut self, index: impl Into<String>, key: &str) -> Self {
        self.global.push((index.into(), Key::parse(key)));
        self
    }

    /// Adds a local index, of all attributes: the table's partition key and another sort key:
    /// `"country:S population:N"`.
    pub fn local_index(mut self, index: impl Into<String>, key: &str) -> Self {
        self.local.push((index.into(), Key::parse(key)));
        self
    }

    /// Enables a stream of the table's changes.
    pub fn stream(mut self, images: StreamViewType) -> Self {
        self.stream = Some(images);
        self
    }

    /// Removes an item when the time in this attribute, in epoch seconds, has passed.
    pub fn time_to_live(mut self, attribute: impl Into<String>) -> Self {
        self.time_to_live = Some(attribute.into());
        self
    }

    async fn perform(self) -> Result<TableDescription> {
        let database = self.handle.shared().clone();
        let (table, time_to_live) = (self.table.clone(), self.time_to_live.clone());
        let output = database.unboxed().create_table(self.into_input()?).await?;
        if let Some(attribute_name) = time_to_live {
            let specification = TimeToLiveSpecification {
                enabled: Some(true),
                attribute_name: Some(attribute_name),
            };
            let input = UpdateTimeToLiveInput {
                table_name: Some(table.into()),
                time_to_live_specification: Some(specification),
            };
            database.unboxed().update_time_to_live(input).await?;
        }
        Ok(output.table_description.unwrap_or_default())
    }

    /// Returns the request, for settings that have no method here.
    ///
    /// # Errors
    /// A key cannot be read.
    pub fn into_input(self) -> Result<CreateTableInput<'static>> {
        let (key, mut attributes) = (self.key?, Vec::new());
        let projection =
            || Projection { projection_type: Some(ProjectionType::All), ..Projection::default() };
        define(&mut attributes, &key);
        let mut global = Vec::new();
        for (name, key) in self.global {
            let key = key?;
            define(&mut attributes, &key);
            global.push(GlobalSecondaryIndex {
                index_name: Some(name),
                key_schema: Some(key.schema()),
                projection: Some(projection()),
                ..GlobalSecondaryIndex::default()
            });
        }
        let mut local = Vec::new();
        for (name, key) in self.local {
            let key = key?;
            define(&mut attributes, &key);
            local.push(LocalSecondaryIndex {
                index_name: Some(Cow::Owned(name)),
                key_schema: Some(key.schema()),
                projection: Some(projection()),
            });
        }
        let stream = self.stream.map(|images| StreamSpecification {
            stream_enabled: Some(true),
            stream_view_type: Some(images),
        });
        Ok(CreateTableInput {
            table_name: Some(self.table.into()),
            attribute_definitions: Some(attributes),
            key_schema: Some(key.schema()),
            billing_mode: Some(BillingMode::PayPerRequest),
            global_secondary_indexes: (!global.is_empty()).then_some(global),
            local_secondary_indexes: (!local.is_empty()).then_some(local),
            stream_specification: stream,
            ..CreateTableInput::default()
        })
    }
}

/// Adds the attributes of a key that are not defined yet. An attribute with two types is defined
/// twice, which the operation refuses.
fn define(definitions: &mut Vec<AttributeDefinition>, key: &Key) {
    for (name, attribute_type) in &key.0 {
        let definition = AttributeDefinition {
            attribute_name: Some(name.clone()),
            attribute_type: Some(*attribute_type),
        };
        if !definitions.contains(&definition) {
            definitions.push(definition);
        }
    }
}

awaited_or_run!(CreateTable -> TableDescription);

/// Describes a table; see [`Database::describe`](crate::Database::describe).
#[derive(Debug)]
#[must_use = "a call does nothing until it is awaited or run"]
pub struct DescribeTable<D> {
    handle: D,
    table: String,
}

impl<D: Handle> DescribeTable<D> {
    pub(crate) fn new(handle: D, table: impl Into<String>) -> Self {
        Self { handle, table: table.into() }
    }

    async fn perform(self) -> Result<TableDescription> {
        let input = DescribeTableInput { table_name: Some(self.table.into()) };
        let output = self.handle.shared().unboxed().describe_table(input).await?;
        Ok(output.table.unwrap_or_default())
    }
}

awaited_or_run!(DescribeTable -> TableDescription);

/// Deletes a table; see [`Database::drop_table`](crate::Database::drop_table).
#[derive(Debug)]
#[must_use = "a call does nothing until it is awaited or run"]
pub struct DropTable<D> {
    handle: D,
    table: String,
}

impl<D: Handle> DropTable<D> {
    pub(crate) fn new(handle: D, table: impl Into<String>) -> Self {
        Self { handle, table: table.into() }
    }

    async fn perform(self) -> Result<TableDescription> {
        let input = DeleteTableInput { table_name: Some(self.table.into()) };
        let output = self.handle.shared().unboxed().delete_table(input).await?;
        Ok(output.table_description.unwrap_or_default())
    }
}

awaited_or_run!(DropTable -> TableDescription);

/// Lists all tables; see [`Database::tables`](crate::Database::tables).
#[derive(Debug)]
#[must_use = "a call does nothing until it is awaited or run"]
pub struct Tables<D> {
    handle: D,
}

impl<D: Handle> Tables<D> {
    pub(crate) fn new(handle: D) -> Self {
        Self { handle }
    }

    async fn perform(self) -> Result<Vec<String>> {
        let (mut names, mut last) = (Vec::new(), None);
        loop {
            let input = ListTablesInput {
                exclusive_start_table_name: last.map(String::into),
                ..ListTablesInput::default()
            };
            let page = self.handle.shared().unboxed().list_tables(input).await?;
            names.extend(page.table_names.unwrap_or_default());
            last = page.last_evaluated_table_name;
            if last.is_none() {
                return Ok(names);
            }
        }
    }
}

awaited_or_run!(Tables -> Vec<String>);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_one_or_two_attributes_with_their_types() {
        for text in ["pk:S", " pk:S  sk:N ", "a:b:B"] {
            assert!(Key::parse(text).is_ok(), "{text}");
        }
        for text in ["", "pk", "pk:", ":S", "pk:X", "pk:s", "a:S b:S c:S"] {
            let error = Key::parse(text).unwrap_err();
            assert_eq!(
                error.to_string(),
                format!(
                    "{text:?} is no key: write the partition key, then perhaps the sort key, with their types, as \"pk:S sk:N\""
                )
            );
        }
    }
}
