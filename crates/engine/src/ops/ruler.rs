//! The own operation Ruler: the whole line of an item collection's keys, or of partition keys, as a few bins with
//! counts. It is charged as a read, but takes nothing from the throughput of a table: what looks at a database must
//! not slow it down.

use super::tree::{TreeInput, check_texts, levels};
use crate::engine::Engine;
use crate::intent::{Access, Intent, Verb};
use crate::layout;
use crate::read::selection::present_index_named;
use crate::schema::{Index, IndexId, KeyAttribute, Table};
use crate::tree::Levels;
use crate::tree::ruler::{RulerCursor, RulerOutput, RulerPage, RulerPlan, bins};
use crate::usage::announce;
use hashrange_model::error::TreeFault;
use hashrange_model::{ApiResult, Item, Reason, Value};
use hashrange_storage::Store;
use hashrange_wire::Operation;

/// A request for a ruler.
#[derive(Debug, Clone, Default)]
pub struct RulerInput {
    /// The table, by name or ARN.
    pub table_name: String,
    /// The index to read in its place.
    pub index_name: Option<String>,
    /// The partition key; if `None`, the ruler is of all partition keys.
    pub partition_key: Option<Item>,
    /// Values of leading sort key attributes, compared for equality.
    pub sort_key: Item,
    /// Prefix of the next sort key attribute, a string.
    pub prefix: Option<String>,
    /// The least value of that attribute.
    pub from: Option<Item>,
    /// Its greatest value.
    pub to: Option<Item>,
    /// Delimiter of the last sort key attribute, if it is a string; if `None`, its key template divides it, or `#`
    /// without a template.
    pub delimiter: Option<String>,
    /// The most bins, from 1 to 500; 200 if `None`.
    pub bins: Option<usize>,
    /// Where to go on, as the call before returned it.
    pub cursor: Option<RulerCursor>,
    /// Whether it is a consistent read.
    pub consistent: bool,
}

impl<S: Store> Engine<S> {
    /// Returns the ruler of an item collection, or of partition keys.
    pub async fn ruler(&self, input: RulerInput) -> ApiResult<RulerOutput> {
        if self.store().is_shared() {
            return self.on_newest(Operation::Query, || Box::pin(self.run_ruler(&input))).await;
        }
        self.run_ruler(&input).await
    }

    async fn run_ruler(&self, input: &RulerInput) -> ApiResult<RulerOutput> {
        let bins = bins(input.bins)?;
        let table = self.readable_keys(&input.table_name)?;
        let index = present_index_named(&table, input.index_name.as_deref(), input.consistent)?;
        self.check_index_filled(&table, input.index_name.as_deref())?;
        let mut plan = match &input.partition_key {
            None => of_partitions(&table, index, input, bins)?,
            Some(key) => of_collection(&table, index, input, (key, bins))?,
        };
        if let Some(cursor) = &input.cursor {
            plan.resume(cursor.clone())?;
        }
        let access = input.partition_key.as_ref().map_or(Access::All, Access::Item);
        let intent = Intent {
            index: index.map(|(_, index)| index.name.as_str()),
            consistent: input.consistent,
            ..Intent::new(Verb::Tree, &table.record.name, access)
        };
        let announced = announce(&intent)?;
        let page: RulerPage = self.read(plan, None, announced).await?;
        Ok(page.output)
    }
}

fn of_partitions<'t>(
    table: &'t Table,
    index: Option<(usize, &'t Index)>,
    input: &RulerInput,
    bins: usize,
) -> Result<RulerPlan<'t>, Reason> {
    let below = [
        ("SortKey", !input.sort_key.is_empty()),
        ("Prefix", input.prefix.is_some()),
        ("From", input.from.is_some()),
        ("To", input.to.is_some()),
        ("Delimiter", input.delimiter.is_some()),
    ];
    if let Some((member, _)) = below.iter().find(|(_, is_given)| *is_given) {
        return Err(Reason::Tree(TreeFault::BelowPartitionKey(member)));
    }
    let of_index = index.map(|(_, index)| index);
    let schema = of_index.map_or(&table.key, |index| &index.key);
    let id = of_index.map_or(IndexId::BASE, |index| index.id);
    Ok(RulerPlan {
        table,
        index,
        levels: Levels::Partitions { table, index: of_index },
        attribute: schema.partition.first().expect("a key has a partition key"),
        delimiter: None,
        line: layout::keyspace(table.id(), id),
        bins,
        consistent: input.consistent,
        resumed: None,
    })
}

fn of_collection<'t>(
    table: &'t Table,
    index: Option<(usize, &'t Index)>,
    input: &RulerInput,
    (partition_key, bins): (&Item, usize),
) -> Result<RulerPlan<'t>, Reason> {
    let tree = TreeInput {
        partition_key: partition_key.clone(),
        sort_key: input.sort_key.clone(),
        prefix: input.prefix.clone(),
        delimiter: input.delimiter.clone(),
        ..TreeInput::default()
    };
    check_texts(&tree)?;
    let levels = levels(table, index.map(|(_, index)| index), &tree, 1)?;
    let attribute = &levels.schema.sort[levels.fixed.len()];
    let is_last = levels.fixed.len() + 1 == levels.schema.sort.len();
    let from = input.from.as_ref().map(|from| end("From", attribute, from)).transpose()?;
    let to = input.to.as_ref().map(|to| end("To", attribute, to)).transpose()?;
    Ok(RulerPlan {
        table,
        index,
        attribute,
        delimiter: levels.delimiter().filter(|_| is_last).map(str::to_owned),
        line: levels.between(from, to),
        levels: Levels::Sort(levels),
        bins,
        consistent: input.consistent,
        resumed: None,
    })
}

/// Returns the value of an end of the line.
fn end(member: &'static str, attribute: &KeyAttribute, given: &Item) -> Result<Value, Reason> {
    let value = given.get(&attribute.name).filter(|value| {
        value.attribute_type() == attribute.key_type.attribute_type()
            && value.size() > 0
            && given.iter().count() == 1
    });
    value.map(|value| value.to_value()).ok_or_else(|| {
        Reason::Tree(TreeFault::End {
            member,
            attribute: attribute.name.clone(),
            attribute_type: attribute.key_type.attribute_type(),
        })
    })
}
