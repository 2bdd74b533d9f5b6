//! BatchWriteItem: up to 25 puts and deletes on several tables.
//!
//! The service promises nothing about the batch as a whole; here it is one commit, so it is
//! written whole or not at all, and nothing is ever left unprocessed.

use super::delete_item::plan_delete;
use super::per_table::PerTable;
use super::put_item::plan_put;
use crate::engine::{Engine, required};
use crate::request::sound;
use crate::schema::Table;
use crate::write::Write;
use hashrange_model::error::Layer;
use hashrange_model::limits::{BATCH_WRITE_REQUESTS_MAX, ITEM_SIZE_MAX_BYTES};
use hashrange_model::{ApiResult, Item, Reason};
use hashrange_storage::Store;
use hashrange_wire::{BatchWriteItemInput, BatchWriteItemOutput, Map, WriteRequest};
use std::collections::BTreeSet;
use std::sync::Arc;

/// One member of the batch, checked by itself.
enum Member {
    Put(Item),
    Delete(Item),
}

impl Member {
    fn check(request: WriteRequest) -> ApiResult<Self> {
        match (request.put_request, request.delete_request) {
            (Some(put), None) => {
                let item = sound(required(put.item, "putRequest.item")?)?;
                if item.size() > ITEM_SIZE_MAX_BYTES {
                    return Err(Reason::ItemTooLarge.into());
                }
                Ok(Self::Put(item))
            }
            (None, Some(delete)) => {
                Ok(Self::Delete(sound(required(delete.key, "deleteRequest.key")?)?))
            }
            (None, None) => Err(Reason::EmptyWriteRequest.into()),
            (Some(_), Some(_)) => Err(Reason::TwoWritesInRequest.into()),
        }
    }

    /// Every fault of a key but an empty value reads the same in a batch.
    fn plan(&self, table: &Table) -> Result<Write<'static>, Reason> {
        match self {
            Self::Put(item) => plan_put(table, item).map_err(|reason| match reason {
                Reason::MissingKey { .. } | Reason::KeyTypeMismatch { .. } => {
                    Reason::KeyElementMismatch
                }
                other => other,
            }),
            Self::Delete(key) => plan_delete(table, key),
        }
    }

    fn key_attributes(&self) -> &Item {
        match self {
            Self::Put(item) | Self::Delete(item) => item,
        }
    }
}

impl<S: Store> Engine<S> {
    /// Puts and deletes items of several tables.
    pub async fn batch_write_item(
        &self,
        input: BatchWriteItemInput<'_>,
    ) -> ApiResult<BatchWriteItemOutput> {
        self.run_batch_write_item(input).await.map_err(|error| error.in_layer(Layer::Older))
    }

    async fn run_batch_write_item(
        &self,
        input: BatchWriteItemInput<'_>,
    ) -> ApiResult<BatchWriteItemOutput> {
        let mut members = Vec::new();
        for (name, requests) in required(input.request_items, "requestItems")? {
            for request in requests {
                members.push((name.to_string(), Member::check(request)?));
            }
        }
        if members.len() > BATCH_WRITE_REQUESTS_MAX {
            return Err(Reason::TooManyBatchWriteRequests.into());
        }
        loop {
            let tables = members
                .iter()
                .map(|(name, _)| self.table(name))
                .collect::<ApiResult<Vec<Arc<Table>>>>()?;
            let mut writes = members
                .iter()
                .zip(&tables)
                .map(|((_, member), table)| Ok((&**table, member.plan(table)?)))
                .collect::<ApiResult<Vec<_>>>()?;
            let keys: BTreeSet<_> = writes.iter().map(|(_, write)| &write.key.bytes).collect();
            if keys.len() < writes.len() {
                return Err(Reason::DuplicateKeys.into());
            }
            if let Some(written) = self.commit(&mut writes).await? {
                let mut reports = PerTable::default();
                let asked = input.return_item_collection_metrics;
                for (((name, member), table), written) in members.iter().zip(&tables).zip(&written)
                {
                    reports.add_units(name, table, &written.units);
                    reports.add_metrics(asked, name, table, member.key_attributes(), written);
                }
                let mode = input.return_consumed_capacity;
                return Ok(BatchWriteItemOutput {
                    unprocessed_items: Some(Map::new()),
                    consumed_capacity: reports
                        .consumed(|units, name, table| units.report(mode, name, table)),
                    item_collection_metrics: reports.into_metrics(),
                });
            }
        }
    }
}
