//! The own operation Tree: the folders and items of an item collection, in the order of the sort key.
//!
//! The service has no such operation. Faults of the request by itself are reported first.

use crate::engine::Engine;
use crate::fault;
use crate::intent::{Access, Intent, Verb};
use crate::layout;
use crate::read::selection::present_index_named;
use crate::schema::{Index, IndexId, KeyAttribute, KeySchema, KeyType, Table};
use crate::tree::{Counting, Levels, SortLevels, TreeOutput, TreePlan, TreePosition, depth, limit};
use crate::usage::announce;
use hashrange_model::error::TreeFault;
use hashrange_model::limits::SORT_KEY_MAX_BYTES;
use hashrange_model::{ApiResult, Item, Reason, Value};
use hashrange_storage::{Direction, Store};
use hashrange_wire::Operation;

/// A request for the tree of an item collection.
#[derive(Debug, Clone, Default)]
pub struct TreeInput {
    /// The table, by name or ARN.
    pub table_name: String,
    /// The index to read in its place.
    pub index_name: Option<String>,
    /// The partition key.
    pub partition_key: Item,
    /// Values of leading sort key attributes, compared for equality.
    pub sort_key: Item,
    /// Prefix of the next sort key attribute, a string.
    pub prefix: Option<String>,
    /// Delimiter of the last sort key attribute, if it is a string; if `None`, its key template divides it, or `#`
    /// without a template.
    pub delimiter: Option<String>,
    /// Number of levels to show, from 1 to 32; 1 if `None`.
    pub depth: Option<usize>,
    /// Whether all items are read, and counted in their nodes.
    pub counts: bool,
    /// The most nodes in a page, from 1 to 1000; 1000 if `None`.
    pub limit: Option<usize>,
    /// Start of the page, as the page before returned it.
    pub start: Option<TreePosition>,
    /// Whether the last keys come first.
    pub backward: bool,
    /// Whether it is a consistent read.
    pub consistent: bool,
}

impl<S: Store> Engine<S> {
    /// Returns a page of the tree of an item collection, in the order of the sort key.
    pub async fn tree(&self, input: TreeInput) -> ApiResult<TreeOutput> {
        if self.store().is_shared() {
            return self.on_newest(Operation::Query, || Box::pin(self.run_tree(&input))).await;
        }
        self.run_tree(&input).await
    }

    async fn run_tree(&self, input: &TreeInput) -> ApiResult<TreeOutput> {
        let limit = limit(input.limit)?;
        let depth = depth(input.depth)?;
        check_texts(input)?;
        let table = self.readable_keys(&input.table_name)?;
        let index = present_index_named(&table, input.index_name.as_deref(), input.consistent)?;
        self.check_index_filled(&table, input.index_name.as_deref())?;
        let levels = levels(&table, index.map(|(_, index)| index), input, depth)?;
        let range = levels.range();
        let direction = if input.backward { Direction::Backward } else { Direction::Forward };
        let counting = if input.counts { Counting::Yes } else { Counting::No };
        let mut plan = TreePlan {
            table: &table,
            index,
            levels: Levels::Sort(levels),
            range,
            open: Vec::new(),
            direction,
            limit,
            counting,
            consistent: input.consistent,
        };
        plan.begin_at(input.start.as_ref())?;
        let announced = announce(&intent(&plan, Access::Item(&input.partition_key)))?;
        Ok(self.read(plan, None, announced).await?.into())
    }
}

/// Returns the intent of a tree of keys.
pub(super) fn intent<'i>(plan: &TreePlan<'i>, access: Access<'i>) -> Intent<'i> {
    Intent {
        index: plan.index.map(|(_, index)| index.name.as_str()),
        consistent: plan.consistent,
        ..Intent::new(Verb::Tree, &plan.table.record.name, access)
    }
}

pub(super) fn check_texts(input: &TreeInput) -> Result<(), Reason> {
    for (member, text) in [("Prefix", &input.prefix), ("Delimiter", &input.delimiter)] {
        if text.as_ref().is_some_and(|text| text.len() > SORT_KEY_MAX_BYTES) {
            let most_bytes = SORT_KEY_MAX_BYTES;
            return Err(Reason::Tree(TreeFault::TooLong { member, most_bytes }));
        }
    }
    match input.delimiter.as_deref() {
        Some("") => Err(Reason::Tree(TreeFault::EmptyDelimiter)),
        _ => Ok(()),
    }
}

/// Returns the levels of the sort keys of a request.
pub(super) fn levels<'t>(
    table: &'t Table,
    index: Option<&'t Index>,
    input: &TreeInput,
    depth: usize,
) -> Result<SortLevels<'t>, Reason> {
    let schema = index.map_or(&table.key, |index| &index.key);
    let id = index.map_or(IndexId::BASE, |index| index.id);
    let Some(last) = schema.sort.last() else {
        let name = index.map_or(&table.record.name, |index| &index.name);
        return Err(Reason::Tree(TreeFault::NoSortKey(name.clone())));
    };
    let partition = layout::partition_prefix(table.id(), id, schema, &input.partition_key)
        .map_err(fault::of_key_member)?;
    if input.partition_key.iter().count() != schema.partition.len() {
        return Err(Reason::Tree(TreeFault::PartitionKey(names(&schema.partition))));
    }
    let fixed = fixed(schema, &input.sort_key)?;
    if input.prefix.is_some() {
        check_text("Prefix", &schema.sort[fixed.len()])?;
    }
    if input.delimiter.is_some() {
        check_text("Delimiter", last)?;
    }
    Ok(SortLevels {
        schema,
        partition,
        is_base: index.is_none(),
        fixed,
        prefix: input.prefix.clone().unwrap_or_default(),
        delimiter: input.delimiter.clone(),
        table,
        depth,
    })
}

/// Returns a request's values of leading sort key attributes.
fn fixed(schema: &KeySchema, given: &Item) -> Result<Vec<Value>, Reason> {
    let (_, leading) = schema.sort.split_last().expect("there is a sort key");
    let value = |attribute: &KeyAttribute| {
        let value = given.get(&attribute.name)?;
        let is_typed = value.attribute_type() == attribute.key_type.attribute_type();
        (is_typed && value.size() > 0).then(|| value.to_value())
    };
    let values: Vec<_> = leading.iter().map_while(value).collect();
    if values.len() == given.iter().count() {
        Ok(values)
    } else {
        Err(Reason::Tree(TreeFault::SortKey(names(leading))))
    }
}

fn names(attributes: &[KeyAttribute]) -> Vec<String> {
    attributes.iter().map(|attribute| attribute.name.clone()).collect()
}

/// Refuses a prefix or delimiter for a key attribute that is no string.
fn check_text(member: &'static str, attribute: &KeyAttribute) -> Result<(), Reason> {
    if attribute.key_type == KeyType::S {
        return Ok(());
    }
    let attribute_type = attribute.key_type.attribute_type();
    let attribute = attribute.name.clone();
    Err(Reason::Tree(TreeFault::NotText { member, attribute, attribute_type }))
}
