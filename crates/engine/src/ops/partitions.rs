//! The own operation Partitions: lists the partition keys of a table or index, in the order of
//! their hashes, or the largest item collections.

use crate::capacity::read_units;
use crate::engine::Engine;
use crate::index;
use crate::intent::Access;
use crate::layout;
use crate::ops::tree::intent;
use crate::read::selection::present_index_named;
use crate::schema::{IndexId, Table};
use crate::tree::{ClientWork, Counting, Levels, TreeOutput, TreePlan, TreePosition, limit};
use crate::usage::announce;
use hashrange_model::ApiResult;
use hashrange_model::limits::PAGE_SIZE_MAX_BYTES;
use hashrange_storage::{Direction, Store};
use hashrange_wire::Operation;

/// A request for the partition keys of a table or index.
#[derive(Debug, Clone, Default)]
pub struct PartitionsInput {
    /// Table, by name or ARN.
    pub table_name: String,
    /// Index to read instead of the table.
    pub index_name: Option<String>,
    /// True to read all items and count them.
    pub counts: bool,
    /// True to read all items and return only the largest item collections of the page, the largest
    /// first.
    pub largest_first: bool,
    /// Maximum of partition keys in a page, from 1 to 1000; 1000 if `None`.
    pub limit: Option<usize>,
    /// Position at which the page begins, as the page before returned it.
    pub start: Option<TreePosition>,
    /// True for a consistent read.
    pub consistent: bool,
}

impl<S: Store> Engine<S> {
    /// Returns a page of the partition keys of a table or index, in the order of their hashes.
    pub async fn partitions(&self, input: PartitionsInput) -> ApiResult<TreeOutput> {
        if self.store().is_shared() {
            return self.on_newest(Operation::Scan, || Box::pin(self.run_partitions(&input))).await;
        }
        self.run_partitions(&input).await
    }

    async fn run_partitions(&self, input: &PartitionsInput) -> ApiResult<TreeOutput> {
        let limit = limit(input.limit)?;
        let table = self.readable_keys(&input.table_name)?;
        let index = present_index_named(&table, input.index_name.as_deref(), input.consistent)?;
        self.check_index_filled(&table, input.index_name.as_deref())?;
        let id = index.map_or(IndexId::BASE, |(_, index)| index.id);
        let mut plan = TreePlan {
            table: &table,
            index,
            levels: Levels::Partitions { table: &table, index: index.map(|(_, index)| index) },
            range: layout::keyspace(table.id(), id),
            open: Vec::new(),
            direction: Direction::Forward,
            limit,
            counting: match (input.largest_first, input.counts) {
                (true, _) => Counting::Largest,
                (false, true) => Counting::Yes,
                (false, false) => Counting::No,
            },
            consistent: input.consistent,
        };
        plan.begin_at(input.start.as_ref())?;
        let by_client = match (plan.counting, &input.start) {
            (Counting::Yes | Counting::Largest, _) => None,
            // The first page has reported it for all pages.
            (Counting::No, Some(_)) => Some(ClientWork::default()),
            (Counting::No, None) => {
                Some(self.scanned_by_client(&table, id, input.consistent).await?)
            }
        };
        let announced = announce(&intent(&plan, Access::All))?;
        let mut output = TreeOutput::from(self.read(plan, None, announced).await?);
        output.work.by_client = by_client.unwrap_or(output.work.by_client);
        Ok(output)
    }

    /// Returns the work of a client that lists the partition keys of a table: it cannot skip, so it
    /// scans all.
    async fn scanned_by_client(
        &self,
        table: &Table,
        id: IndexId,
        consistent: bool,
    ) -> ApiResult<ClientWork> {
        let (_, bytes) = index::counts(&self.core().view().await?, &table.record, id).await?;
        let bytes = usize::try_from(bytes).unwrap_or(0);
        Ok(ClientWork {
            requests: bytes.div_ceil(PAGE_SIZE_MAX_BYTES).max(1) as u64,
            read_units: read_units(bytes, consistent),
        })
    }
}
