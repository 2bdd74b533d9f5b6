//! BatchGetItem: reads up to 100 items of several tables from one view.

use crate::capacity::{Units, read_units};
use crate::engine::{Engine, ReadView};
use crate::environment::table_name_of;
use crate::explain::{Asked, Explanation, Grouping, Mode, Parts, ReadKeys, ReadPlan, Step};
use crate::heat::{Heat, Touched};
use crate::intent::{Access, Intent, Returns, Verb, pattern_of};
use crate::layout;
use crate::ops::drive::{Explain, Run};
use crate::read::pace::{Pace, item_work};
use crate::request::{self, legacy, required, validated};
use crate::schema::{IndexId, Table};
use crate::stations::{Station, pass};
use crate::throughput::{Admission, ReadTarget};
use crate::usage::{Seen, announce_all, note_read};
use crate::{fault, write};
use hashrange_expr::Projection;
use hashrange_model::limits::{BATCH_GET_KEYS_MAX, BATCH_GET_SIZE_MAX_BYTES};
use hashrange_model::{ApiResult, Item, Reason};
use hashrange_storage::{Key, Store, View};
use hashrange_wire::{
    BatchGetItemInput, BatchGetItemOutput, DecodedItem, DecodedValue, KeysAndAttributes, Map,
    Operation, ReturnConsumedCapacity,
};
use std::mem;
use std::sync::Arc;

/// The part of the request for one table, checked by itself.
struct CheckedPart {
    /// The table as the request names it.
    name: String,
    keys: Vec<Item>,
    projection: Option<Projection>,
    consistent: bool,
    /// The options to give back with unprocessed keys.
    options: KeysAndAttributes,
}

/// A part with its table.
struct PlannedPart {
    part: CheckedPart,
    table: Arc<Table>,
    keys: Vec<Key>,
}

impl<S: Store> Engine<S> {
    /// Reads items of several tables.
    pub async fn batch_get_item(
        &self,
        mut input: BatchGetItemInput<'_>,
    ) -> ApiResult<BatchGetItemOutput> {
        self.run_request(Operation::BatchGetItem, BatchGet::check(&mut input)).await
    }

    fn plan_parts(&self, parts: Vec<CheckedPart>) -> ApiResult<Vec<PlannedPart>> {
        let planned = parts.into_iter().map(|part| self.plan_part(part));
        let planned = planned.collect::<ApiResult<Vec<_>>>()?;
        // A table may be there by its name and by its ARN; its past is another one with the same keys.
        if planned.len() > 1 {
            let present = planned.iter().filter(|part| part.table.past.is_none());
            write::check_distinct(present.flat_map(|part| &part.keys))?;
        }
        Ok(planned)
    }

    fn plan_part(&self, part: CheckedPart) -> ApiResult<PlannedPart> {
        let table = self.readable_table(&part.name)?;
        let keys = part
            .keys
            .iter()
            .map(|key| write::key_of_key(&table, key).map(|key| key.bytes))
            .collect::<Result<Vec<_>, _>>()?;
        let looked_into = part.projection.iter().flat_map(Projection::names_looked_into);
        request::check_scalar_keys(&table, looked_into)?;
        write::check_distinct(&keys)?;
        Ok(PlannedPart { part, table, keys })
    }
}

/// A batch whose parameters are valid by themselves.
pub(super) struct BatchGet {
    parts: Vec<CheckedPart>,
    return_consumed_capacity: Option<ReturnConsumedCapacity>,
}

impl BatchGet {
    pub(super) fn check(input: &mut BatchGetItemInput<'_>) -> ApiResult<Self> {
        let requested = required(input.request_items.take(), "requestItems")?;
        check_one_projection_style(&requested)?;
        let parts = requested
            .into_iter()
            .map(|(name, part)| CheckedPart::check(name.into_owned(), part))
            .collect::<Result<Vec<_>, _>>()?;
        if parts.iter().map(|part| part.keys.len()).sum::<usize>() > BATCH_GET_KEYS_MAX {
            return Err(Reason::TooManyBatchGetKeys.into());
        }
        Ok(Self { parts, return_consumed_capacity: input.return_consumed_capacity })
    }
}

impl<S: Store> Run<S, BatchGetItemOutput> for BatchGet {
    async fn run(&mut self, engine: &Engine<S>) -> ApiResult<BatchGetItemOutput> {
        let parts = engine.plan_parts(mem::take(&mut self.parts))?;
        read(engine, parts, self.return_consumed_capacity).await
    }
}

impl<S: Store> Explain<S> for BatchGet {
    async fn explain(&mut self, engine: &Engine<S>, asked: Asked<'_>) -> ApiResult<Explanation> {
        let planned = engine.plan_parts(mem::take(&mut self.parts))?;
        let pattern = pattern_of(intents(&planned));
        let planned_ms = engine.now_ms();
        let reads = planned.iter().flat_map(PlannedPart::reads).map(Ok).collect();
        let mut steps = engine.item_read_steps(reads, Grouping::Batch).await?;
        leave_out(&mut steps);
        let mut parts = Parts::of(Grouping::Batch, steps);
        if asked.mode == Mode::Analyze {
            let answer = read(engine, planned, Some(ReturnConsumedCapacity::Total)).await?;
            engine.add_consumed(&mut parts, answer.consumed_capacity)?;
            let left = answer.unprocessed_keys.iter().flat_map(Map::values);
            parts.together.unprocessed =
                left.map(|part| part.keys.as_ref().map_or(0, Vec::len)).sum();
        }
        Ok(Explanation { pattern, ..parts.explanation(asked, planned_ms, engine.now_ms()) })
    }
}

/// Reads the parts, as far as they fit into one answer and a profile lets them in.
async fn read<S: Store>(
    engine: &Engine<S>,
    parts: Vec<PlannedPart>,
    report: Option<ReturnConsumedCapacity>,
) -> ApiResult<BatchGetItemOutput> {
    let _announced = announce_all(|| intents(&parts))?;
    pass(Station::Admission);
    let mut admission = engine.admission().map(Admission::of_batch);
    let newest = engine.core().view().await?;
    let mut answer = BatchAnswer::new();
    for planned in parts {
        let target = ReadTarget {
            table: &planned.table,
            index: None,
            partition: None,
            consistent: planned.part.consistent,
        };
        let old = admission.as_mut().and_then(|admission| engine.old_view(admission, &target));
        let whole = || layout::keyspace(planned.table.id(), IndexId::BASE);
        let view = engine.read_view(&planned.table, whole, old, Some(&newest)).await?;
        let tellers = (admission.as_mut(), &engine.core().heat);
        pass(Station::Run);
        match &view {
            ReadView::Newest => answer.read_part(&newest, planned, report, tellers).await?,
            ReadView::Given(view) => answer.read_part(view, planned, report, tellers).await?,
            // On the heap: rare, and every batch would be as large.
            ReadView::Past(view) => {
                Box::pin(answer.read_part(view, planned, report, tellers)).await?;
            }
            ReadView::Heat(view) => {
                Box::pin(answer.read_part(view, planned, report, tellers)).await?;
            }
        }
    }
    pass(Station::Event);
    if let Some(throttled) = answer.throttled.filter(|_| answer.processed == 0) {
        return Err(throttled.into());
    }
    if let Some(admission) = admission {
        admission.settle();
    }
    Ok(BatchGetItemOutput {
        responses: Some(Map::from_entries_last_wins(answer.responses)),
        unprocessed_keys: Some(Map::from_entries_last_wins(answer.unprocessed)),
        consumed_capacity: (!answer.consumed.is_empty()).then_some(answer.consumed),
    })
}

impl PlannedPart {
    /// Returns the read of each key.
    fn reads(&self) -> impl Iterator<Item = ReadPlan<'_>> {
        let read = |(item, key): (&Item, &Key)| {
            let keys = ReadKeys::of_item(&self.table, item);
            let projection = self.part.projection.clone();
            ReadPlan::of_item(&self.table, keys, key, projection, self.part.consistent)
        };
        self.part.keys.iter().zip(&self.keys).map(read)
    }
}

/// Returns the intents of the parts. The tables of a request are in no order, so they stand by name.
fn intents(parts: &[PlannedPart]) -> impl Iterator<Item = Intent<'_>> {
    let mut parts: Vec<&PlannedPart> = parts.iter().collect();
    parts.sort_by_key(|planned| table_name_of(&planned.part.name));
    parts.into_iter().map(|PlannedPart { part, table, .. }| Intent {
        returns: Returns::of_projection(part.projection.as_ref()),
        consistent: part.consistent,
        ..Intent::new(Verb::Get, &table.record.name, Access::Items(&part.keys))
    })
}

/// Refuses the reads that do not fit into one answer: from the first one on that does not.
fn leave_out(steps: &mut [Step]) {
    let mut bytes = 0;
    for step in steps {
        let Step::Read(read) = step else { continue };
        bytes += read.sample.bytes;
        if bytes > BATCH_GET_SIZE_MAX_BYTES {
            bytes = usize::MAX / 2;
            read.refused = Some("an answer holds 16 MB: it is left for another request".to_owned());
        }
    }
}

fn check_one_projection_style<N: Ord>(parts: &Map<N, KeysAndAttributes>) -> Result<(), Reason> {
    let has_legacy = parts.values().any(|part| part.attributes_to_get.is_some());
    let has_expression = parts.values().any(|part| part.projection_expression.is_some());
    if has_legacy && has_expression { Err(Reason::BatchMixedProjection) } else { Ok(()) }
}

impl CheckedPart {
    fn check(name: String, mut part: KeysAndAttributes) -> ApiResult<Self> {
        let keys = required(part.keys.take(), "requestItems.keys")?;
        let expressions = [("ProjectionExpression", part.projection_expression.is_some())];
        let mut placeholders = request::placeholders(
            part.expression_attribute_names.as_ref(),
            None::<&Map<String, DecodedValue>>,
            &expressions,
            &[],
        )?;
        let legacy = legacy::attributes_to_get(part.attributes_to_get.as_deref())?;
        let projection = part.projection_expression.as_deref();
        let projection = request::projection(projection, legacy, &mut placeholders)?;
        placeholders.check_all_used()?;
        let keys = keys.into_iter().map(validated).collect::<Result<_, _>>()?;
        let consistent = part.consistent_read == Some(true);
        Ok(Self { name, keys, projection, consistent, options: part })
    }
}

/// The answer as it grows.
struct BatchAnswer {
    pace: Pace,
    responses: Vec<(String, Vec<Item>)>,
    unprocessed: Vec<(String, KeysAndAttributes)>,
    consumed: Vec<hashrange_wire::ConsumedCapacity>,
    bytes: usize,
    /// Whether an item did not fit: from then on all keys are given back.
    is_full: bool,
    /// Number of keys read.
    processed: usize,
    /// Reason for throttled keys.
    throttled: Option<Reason>,
}

impl BatchAnswer {
    fn new() -> Self {
        Self {
            pace: Pace::new(),
            responses: Vec::new(),
            unprocessed: Vec::new(),
            consumed: Vec::new(),
            bytes: 0,
            is_full: false,
            processed: 0,
            throttled: None,
        }
    }

    async fn read_part<V: View>(
        &mut self,
        view: &V,
        planned: PlannedPart,
        report: Option<ReturnConsumedCapacity>,
        (mut admission, heat): (Option<&mut Admission<'_>>, &Heat),
    ) -> ApiResult<()> {
        let PlannedPart { part, table, keys } = planned;
        let stored =
            view.get_many(&keys).await.map_err(|error| fault::of_tables([&*table], error))?;
        let bytes_before = self.bytes;
        let mut units = Units::default();
        let mut items = Vec::new();
        let mut left = Vec::new();
        for ((key, stored), byte_key) in part.keys.iter().zip(stored).zip(&keys) {
            let target = ReadTarget::item(&table, byte_key, part.consistent);
            if let Some(admission) = &mut admission
                && let Err(throttled) = admission.admit_read(&target, Touched::Item(byte_key))
            {
                self.throttled = Some(throttled);
                left.push(DecodedItem::from(key.clone()));
                continue;
            }
            let item = stored.map(Item::from_stored).transpose().map_err(fault::of_form)?;
            let size = item.as_ref().map_or(0, Item::size);
            self.is_full |= self.bytes + size > BATCH_GET_SIZE_MAX_BYTES;
            if self.is_full {
                left.push(DecodedItem::from(key.clone()));
                continue;
            }
            let item_units = read_units(size, part.consistent);
            if let Some(admission) = &mut admission {
                admission.add_read(&target, &Units::of_table(item_units));
            }
            let size_found = item.as_ref().map(Item::size);
            heat.read_item(&table, byte_key, (item_units, &[]), size_found);
            self.processed += 1;
            units.table += item_units;
            self.bytes += size;
            self.pace.spend(item_work(size, None)).await;
            items.extend(item.map(|item| match &part.projection {
                Some(projection) => projection.apply(&item),
                None => item,
            }));
        }
        let seen =
            Seen { examined: items.len(), bytes: self.bytes - bytes_before, returned: items.len() };
        note_read(&table, None, &units, seen);
        self.consumed.extend(units.report(report, &part.name, &table));
        if !left.is_empty() {
            let options = KeysAndAttributes { keys: Some(left), ..part.options };
            self.unprocessed.push((part.name.clone(), options));
        }
        self.responses.push((part.name, items));
        Ok(())
    }
}
