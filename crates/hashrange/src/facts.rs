//! Facts that a recording keeps of a table: its keys and indexes as DescribeTable returns them, its
//! billing mode, and a sample of its attributes.

use crate::{Calling, Database, Operation};
use hashrange_cost::{AttributeFacts, Definition, Sample, TableFacts};
use hashrange_engine::Attributes;
use hashrange_model::ApiResult;
use serde_json::{Value, json};

impl Database {
    /// Returns the facts of a table for a recording, from which a bill takes the table's class and
    /// size, and the advisor its keys and indexes. Reads at most 20,000 of its items and returns
    /// no value of them.
    ///
    /// # Errors
    /// The table does not exist.
    pub fn facts<'a>(&'a self, table: &'a str) -> Calling<'a, TableFacts> {
        Box::pin(self.table_facts(table))
    }

    async fn table_facts(&self, table: &str) -> ApiResult<TableFacts> {
        let request = json!({ "TableName": table }).to_string();
        let answer = self.call(Operation::DescribeTable, request.as_bytes()).await?;
        let mut answer: Value = serde_json::from_slice(&answer).unwrap_or_default();
        let sampled = self.engine.sample_attributes(table).await?;
        let mut facts = of_description(&answer["Table"].take());
        facts.sample = Some(sample(sampled));
        Ok(facts)
    }
}

fn of_description(described: &Value) -> TableFacts {
    let definition: Definition = serde_json::from_value(described.clone()).unwrap_or_default();
    let local = &definition.local_secondary_indexes;
    let indexes = || local.iter().chain(&definition.global_secondary_indexes);
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    TableFacts {
        table: text(&described["TableName"]),
        is_provisioned: described["BillingModeSummary"]["BillingMode"] != "PAY_PER_REQUEST",
        is_infrequent_access: described["TableClassSummary"]["TableClass"]
            == "STANDARD_INFREQUENT_ACCESS",
        stored_bytes: indexes()
            .fold(definition.table_size_bytes, |sum, it| sum.saturating_add(it.index_size_bytes)),
        stored_items: indexes()
            .fold(definition.item_count, |sum, it| sum.saturating_add(it.item_count)),
        local_indexes: local.iter().map(|index| index.index_name.clone()).collect(),
        definition: Some(definition),
        sample: None,
    }
}

fn sample(sampled: Attributes) -> Sample {
    let count = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
    let attribute = |it: hashrange_engine::Attribute| AttributeFacts {
        name: it.name,
        types: it.types.into_iter().map(str::to_owned).collect(),
        items: count(it.items),
        bytes: count(it.bytes),
        distinct: count(it.distinct),
        most: count(it.most),
    };
    Sample {
        items: count(sampled.items),
        bytes: count(sampled.bytes),
        is_all: sampled.is_all,
        attributes: sampled.attributes.into_iter().map(attribute).collect(),
    }
}
