//! The own operation Gather: a Query of all write shards of a partition key, merged in the order of the sort key, with
//! one cursor for all.
//!
//! A request is that of Query, but that one of its values, the partition key, has `{shard}` where the number of the
//! shard stands:
//!
//! | text | shards |
//! |---|---|
//! | `{shard}` | those of the key template of the partition key |
//! | `{shard:8}` | 0 to 7, with leading zeros, as `{shard:hash(id):8}` of a template makes them |
//! | `{shard:1..8}`, `{shard:01..12}` | from the first to the last, as wide as the first |
//!
//! Each shard is planned as the Query of it, so its faults are those of Query. A cursor is a key as Query has it.

use crate::engine::{Engine, GatherPlan};
use crate::layout::partition_bytes;
use crate::ops::query;
use crate::read::key_range::{self, Reader};
use crate::read::selection::index_named;
use crate::read::{Output, Page, merged};
use crate::request::validated;
use crate::schema::{Index, Past, Table};
use crate::usage::announce;
use hashrange_expr::KeyTemplate;
use hashrange_model::error::{HistoryFault, StateFault};
use hashrange_model::{ApiError, ApiResult, AttributeValue, Item, Reason, ValueRef};
use hashrange_storage::{KeyRange, Store};
use hashrange_wire::{
    DecodedValue, Encode, Map, Operation, QueryInput, QueryOutput, calls, read_request,
};
use std::borrow::Cow;
use std::ops::RangeInclusive;

/// Most shards that one request gathers.
const SHARDS_MAX: u32 = 256;
const OPENING: &str = "{shard";

impl<S: Store> Engine<S> {
    /// Reads a page of all shards of a partition key: [`Self::gather`] of a request in JSON, with the answer in JSON.
    pub async fn gather_json(&self, body: &[u8]) -> ApiResult<Vec<u8>> {
        let input = read_request::<calls::Query>(body)?;
        let mut answer = Vec::new();
        self.gather(input).await?.encode(&mut answer);
        Ok(answer)
    }

    /// Reads a page of all shards of a partition key, merged.
    pub async fn gather(&self, input: QueryInput<'_>) -> ApiResult<QueryOutput> {
        if self.store().is_shared() {
            return self.on_newest(Operation::Query, || Box::pin(self.run_gather(&input))).await;
        }
        self.run_gather(&input).await
    }

    async fn run_gather(&self, input: &QueryInput<'_>) -> ApiResult<QueryOutput> {
        let sharded = Sharded::of(input)?;
        let name = input.table_name.as_deref().unwrap_or_default();
        let table = self.readable_table_or_versions(name)?;
        if table.past == Some(Past::Versions) {
            return Err(fault("versions are read by Query: each item has its own".to_owned()));
        }
        if table.past.is_some() && input.index_name.is_some() {
            return Err(Reason::History(HistoryFault::IndexOfThePast).into());
        }
        let shards = sharded.shards(&table, input)?;
        let asked = QueryInput { exclusive_start_key: None, ..input.clone() };
        let start = input.exclusive_start_key.clone().map(validated).transpose()?;
        let mut ranges = Vec::new();
        let mut first = None;
        for shard in shards {
            let mut read = query::check(&mut sharded.request(&asked, &shard))?;
            let plan = read.plan(self, &table)?;
            ranges.push(plan.range.clone());
            first.get_or_insert((read, plan));
        }
        let (read, page) = first.expect("there is a shard at least");
        let source = (&*table, page.index.map(|(_, index)| index));
        let mut partitions = ranges.clone();
        if let [_] = ranges[..] {
            // Another number has to be another partition.
            let mut other = query::check(&mut sharded.request(&asked, "other"))?;
            partitions.push(other.plan(self, &table)?.range);
        }
        if is_one_partition(source, &partitions) {
            return Err(fault("{shard} stands in the partition key".to_owned()));
        }
        if let Some(start) = &start {
            let key = key_range::start_key(source.0, source.1, start, Reader::Query)?;
            ranges = merged::ranges_after(source, ranges, &key, page.direction)
                .ok_or(Reason::StartKeyOutsideBoundaries)?;
        }
        let announced = announce(&read.intent(&page))?;
        let is_count = matches!(page.output, Output::Count);
        let plan = GatherPlan { page, ranges, is_first: start.is_none() };
        let page: Page<Vec<Item>> = self.read(plan, None, announced).await?;
        let count = |number: usize| Some(i32::try_from(number).unwrap_or(i32::MAX));
        Ok(QueryOutput {
            count: count(page.count),
            scanned_count: count(page.scanned),
            consumed_capacity: page.units.report(input.return_consumed_capacity, name, &table),
            last_evaluated_key: page.last_evaluated_key,
            items: (!is_count).then_some(page.items),
        })
    }
}

/// Returns whether all shards are read in one partition: then their number stands somewhere else.
fn is_one_partition((table, index): (&Table, Option<&Index>), ranges: &[KeyRange]) -> bool {
    let schema = index.map_or(&table.key, |index| &index.key);
    let partition = |range: &KeyRange| {
        range.start.get(..partition_bytes(&range.start, schema)).map(<[u8]>::to_vec)
    };
    matches!(ranges, [one, other, ..] if partition(one) == partition(other))
}

/// A value with the place of a shard's number.
#[derive(Debug, PartialEq)]
struct Sharded {
    /// Its placeholder.
    name: String,
    before: String,
    after: String,
    numbers: Option<Numbers>,
}

/// Numbers of shards that a request says.
#[derive(Debug, Clone, PartialEq)]
struct Numbers {
    numbers: RangeInclusive<u32>,
    width: usize,
}

impl Sharded {
    fn of(input: &QueryInput<'_>) -> ApiResult<Self> {
        let values = input.expression_attribute_values.iter().flat_map(Map::iter);
        let mut found = None;
        for (name, value) in values {
            let ValueRef::S(text) = value.value.get() else { continue };
            let Some((before, rest)) = text.split_once(OPENING) else { continue };
            let Some((spec, after)) = rest.split_once('}') else { continue };
            if found.is_some() || after.contains(OPENING) {
                return Err(fault("{shard} stands in one value, once".to_owned()));
            }
            let numbers = Numbers::of(spec).map_err(fault)?;
            let (before, after) = (before.to_owned(), after.to_owned());
            found = Some(Self { name: name.to_string(), before, after, numbers });
        }
        found.ok_or_else(|| {
            fault("the value of the partition key has {shard} or {shard:8} in it".to_owned())
        })
    }

    /// Returns the shards' numbers as texts.
    fn shards(&self, table: &Table, input: &QueryInput<'_>) -> ApiResult<Vec<String>> {
        let of_template = || {
            let consistent = input.consistent_read == Some(true);
            let index = index_named(table, input.index_name.as_deref(), consistent)?;
            let schema = index.map_or(&table.key, |(_, index)| &index.key);
            let mut names = schema.partition.iter().map(|attribute| &attribute.name);
            let template = names.find_map(|name| table.template_of(name));
            let shards = template.and_then(KeyTemplate::shards).ok_or_else(|| {
                let why = "no key template says one number of shards: write {shard:8}";
                fault(why.to_owned())
            })?;
            Numbers::below(shards).map_err(fault)
        };
        let given = self.numbers.clone();
        let Numbers { numbers, width } = given.map_or_else(of_template, Ok)?;
        Ok(numbers.map(|number| format!("{number:0width$}")).collect())
    }

    fn value(&self, shard: &str) -> String {
        format!("{}{shard}{}", self.before, self.after)
    }

    /// Returns a request for a shard.
    fn request<'a>(&self, asked: &QueryInput<'a>, shard: &str) -> QueryInput<'a> {
        let mut asked = asked.clone();
        let values = asked.expression_attribute_values.take().into_iter().flatten();
        let of_shard = |(name, mut value): (Cow<'a, str>, DecodedValue)| {
            if name == self.name {
                value.value = AttributeValue::from(self.value(shard)).to_value();
            }
            (name, value)
        };
        asked.expression_attribute_values = Some(values.map(of_shard).collect());
        asked
    }
}

impl Numbers {
    /// Parses what stands behind `{shard`.
    fn of(text: &str) -> Result<Option<Self>, String> {
        let Some(spec) = text.strip_prefix(':') else {
            return if text.is_empty() { Ok(None) } else { Err(Self::fault()) };
        };
        let number = |text: &str| {
            let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            text.parse::<u32>().ok().filter(|_| is_number).ok_or_else(Self::fault)
        };
        let Some((first, last)) = spec.split_once("..") else {
            return Self::below(number(spec)?).map(Some);
        };
        let (from, to) = (number(first)?, number(last)?);
        if from > to || to - from >= SHARDS_MAX {
            return Err(Self::fault());
        }
        // A first number without a leading zero says nothing of a width.
        let is_wide = first.len() > 1 && first.starts_with('0');
        Ok(Some(Self { numbers: from..=to, width: if is_wide { first.len() } else { 1 } }))
    }

    /// Returns the numbers below one, as templates write them.
    fn below(shards: u32) -> Result<Self, String> {
        if !(1..=SHARDS_MAX).contains(&shards) {
            return Err(Self::fault());
        }
        Ok(Self { numbers: 0..=shards - 1, width: (shards - 1).to_string().len() })
    }

    fn fault() -> String {
        format!("{{shard}}, {{shard:8}} or {{shard:1..8}}, of 1 to {SHARDS_MAX} shards")
    }
}

fn fault(why: String) -> ApiError {
    Reason::State(StateFault::Form(why)).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_shards_are_as_written() {
        let texts = |spec: &str| {
            let numbers = Numbers::of(spec).ok().flatten()?;
            let width = numbers.width;
            let texts: Vec<_> = numbers.numbers.map(|it| format!("{it:0width$}")).collect();
            Some((texts.len(), texts.first()?.clone(), texts.last()?.clone()))
        };
        for (spec, expected) in [
            (":8", Some((8, "0", "7"))),
            (":11", Some((11, "00", "10"))),
            (":1..12", Some((12, "1", "12"))),
            (":01..12", Some((12, "01", "12"))),
            (":0..0", Some((1, "0", "0"))),
            (":256", Some((256, "000", "255"))),
            (":257", None),
            (":0", None),
            (":3..2", None),
            (":1..257", None),
            (":-1", None),
            (":", None),
            ("s", None),
        ] {
            let expected =
                expected.map(|(many, first, last)| (many, first.to_owned(), last.to_owned()));
            assert_eq!(texts(spec), expected, "{spec}");
        }
        assert_eq!(Numbers::of(""), Ok(None));
    }
}
