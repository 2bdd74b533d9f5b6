//! The description of a table, which the control operations return.

use crate::definition::stream;
use crate::definition::throughput::warm_now;
use crate::engine::Engine;
use crate::environment::seconds;
use crate::index;
use crate::schema::{
    Billing, EncryptionKey, IndexId, IndexKind, IndexProjection, IndexRecord, IndexState, KeyNames,
    KeyType, OnDemandLimits, StorageClass, Table, TableRecord, Throughput,
};
use crate::throughput::Status;
use hashrange_model::ApiResult;
use hashrange_storage::Store;
use hashrange_wire as wire;

impl<S: Store> Engine<S> {
    /// Returns the description of a table with live counts and sizes.
    pub(crate) async fn describe(&self, table: &Table) -> ApiResult<wire::TableDescription> {
        let record = &table.record;
        let mut description = self.describe_settings(record);
        let status = self.status(table);
        description.table_status = Some(match status {
            Status::Creating => wire::TableStatus::Creating,
            Status::Updating => wire::TableStatus::Updating,
            Status::Active => wire::TableStatus::Active,
        });
        let view = self.core().view().await?;
        let (items, bytes) = index::counts(&view, record, IndexId::BASE).await?;
        description.item_count = Some(items);
        description.table_size_bytes = Some(bytes);
        let (mut local, mut global) = (Vec::new(), Vec::new());
        for index in record.visible_indexes() {
            let counts = index::counts(&view, record, index.id).await?;
            match index.kind {
                IndexKind::Local => local.push(self.describe_local(record, index, counts)),
                IndexKind::Global => global.push(self.describe_global(record, index, counts)),
            }
        }
        description.local_secondary_indexes = (!local.is_empty()).then_some(local);
        if status == Status::Creating {
            for index in &mut global {
                index.index_status = Some(wire::IndexStatus::Creating);
            }
            // Source: answers of 2026-10: the member appears when the table becomes ACTIVE.
            if let Some(summary) = &mut description.billing_mode_summary {
                summary.last_update_to_pay_per_request_date_time = None;
            }
        }
        description.global_secondary_indexes = (!global.is_empty()).then_some(global);
        self.show_under_way(table, &mut description);
        Ok(description)
    }

    fn describe_settings(&self, record: &TableRecord) -> wire::TableDescription {
        let environment = self.environment();
        wire::TableDescription {
            attribute_definitions: Some(definitions(record)),
            table_name: Some(record.name.clone()),
            key_schema: Some(key_schema(&record.key)),
            creation_date_time: Some(seconds(record.created_at_ms)),
            provisioned_throughput: Some(throughput(&record.throughput, (environment.now_ms)())),
            table_arn: Some(environment.table_arn(&record.name)),
            table_id: Some(record.uuid.clone()),
            billing_mode_summary: billing_summary(record),
            table_class_summary: record.class.map(|(class, changed_at_ms)| {
                wire::TableClassSummary {
                    table_class: Some(match class {
                        StorageClass::Standard => wire::TableClass::Standard,
                        StorageClass::InfrequentAccess => {
                            wire::TableClass::StandardInfrequentAccess
                        }
                    }),
                    last_update_date_time: changed_at_ms.map(seconds),
                }
            }),
            sse_description: record.encryption.as_ref().map(|key| {
                let default = || {
                    format!(
                        "arn:aws:kms:{}:{}:alias/aws/dynamodb",
                        environment.region, environment.account
                    )
                };
                wire::SSEDescription {
                    status: Some(wire::SSEStatus::Enabled),
                    sse_type: Some(wire::SSEType::Kms),
                    kms_master_key_arn: Some(match key {
                        EncryptionKey::OfAccount => default(),
                        EncryptionKey::Named(name) => name.clone(),
                    }),
                    ..wire::SSEDescription::default()
                }
            }),
            stream_specification: stream::specification(record.stream.as_ref()),
            latest_stream_label: record.stream.as_ref().map(|latest| latest.label.clone()),
            latest_stream_arn: record
                .stream
                .as_ref()
                .map(|latest| environment.stream_arn(&record.name, &latest.label)),
            deletion_protection_enabled: Some(record.protected),
            on_demand_throughput: on_demand(record.on_demand),
            warm_throughput: Some({
                let warm = warm_now(record.billing, record.warm, &record.throughput);
                wire::TableWarmThroughputDescription {
                    read_units_per_second: Some(warm.read),
                    write_units_per_second: Some(warm.write),
                    status: Some(wire::TableStatus::Active),
                }
            }),
            ..wire::TableDescription::default()
        }
    }

    fn describe_local(
        &self,
        record: &TableRecord,
        index: &IndexRecord,
        (entries, bytes): (i64, i64),
    ) -> wire::LocalSecondaryIndexDescription {
        wire::LocalSecondaryIndexDescription {
            index_name: Some(index.name.clone()),
            key_schema: Some(key_schema(&index.key)),
            projection: Some(projection(&index.projection)),
            index_size_bytes: Some(bytes),
            item_count: Some(entries),
            index_arn: Some(self.environment().index_arn(&record.name, &index.name)),
        }
    }

    fn describe_global(
        &self,
        record: &TableRecord,
        index: &IndexRecord,
        (entries, bytes): (i64, i64),
    ) -> wire::GlobalSecondaryIndexDescription {
        let is_creating = index.state == IndexState::Creating;
        let status =
            if is_creating { wire::IndexStatus::Creating } else { wire::IndexStatus::Active };
        let warm = warm_now(record.billing, index.warm, &index.throughput);
        wire::GlobalSecondaryIndexDescription {
            index_name: Some(index.name.clone()),
            key_schema: Some(key_schema(&index.key)),
            projection: Some(projection(&index.projection)),
            index_status: Some(status),
            backfilling: is_creating.then_some(true),
            provisioned_throughput: Some(throughput(
                &index.throughput,
                (self.environment().now_ms)(),
            )),
            index_size_bytes: Some(bytes),
            item_count: Some(entries),
            index_arn: Some(self.environment().index_arn(&record.name, &index.name)),
            on_demand_throughput: on_demand(index.on_demand),
            warm_throughput: Some(wire::GlobalSecondaryIndexWarmThroughputDescription {
                read_units_per_second: Some(warm.read),
                write_units_per_second: Some(warm.write),
                status: Some(status),
            }),
        }
    }
}

impl<S: Store> Engine<S> {
    /// Returns the number of items in a table.
    pub(crate) async fn counted_items(&self, table: &Table) -> ApiResult<i64> {
        let view = self.core().view().await?;
        let (items, _) = index::counts(&view, &table.record, IndexId::BASE).await?;
        Ok(items)
    }
}

/// Returns the attribute definitions sorted by name. Source: answers of 2026-10.
pub(crate) fn definitions(record: &TableRecord) -> Vec<wire::AttributeDefinition> {
    let mut definitions: Vec<_> = record.definitions.iter().collect();
    definitions.sort_by(|(one, _), (other, _)| one.cmp(other));
    definitions
        .into_iter()
        .map(|(name, key_type)| wire::AttributeDefinition {
            attribute_name: Some(name.clone()),
            attribute_type: Some(match key_type {
                KeyType::S => wire::ScalarAttributeType::S,
                KeyType::N => wire::ScalarAttributeType::N,
                KeyType::B => wire::ScalarAttributeType::B,
            }),
        })
        .collect()
}

pub(crate) fn key_schema(key: &KeyNames) -> Vec<wire::KeySchemaElement> {
    let element = |name: &String, key_type| wire::KeySchemaElement {
        attribute_name: Some(name.clone()),
        key_type: Some(key_type),
    };
    key.partition
        .iter()
        .map(|name| element(name, wire::KeyType::Hash))
        .chain(key.sort.iter().map(|name| element(name, wire::KeyType::Range)))
        .collect()
}

fn projection(projection: &IndexProjection) -> wire::Projection {
    let (projection_type, non_key_attributes) = match projection {
        IndexProjection::KeysOnly => (wire::ProjectionType::KeysOnly, None),
        IndexProjection::Include(names) => {
            let mut names = names.clone();
            names.sort(); // Source: answers of 2026-10.
            (wire::ProjectionType::Include, Some(names))
        }
        IndexProjection::All => (wire::ProjectionType::All, None),
    };
    wire::Projection { projection_type: Some(projection_type), non_key_attributes }
}

fn throughput(throughput: &Throughput, now_ms: u64) -> wire::ProvisionedThroughputDescription {
    wire::ProvisionedThroughputDescription {
        last_increase_date_time: throughput.increased_at_ms.map(seconds),
        last_decrease_date_time: throughput.decreased_at_ms.map(seconds),
        number_of_decreases_today: Some(throughput.decreases_on_day_of(now_ms)),
        read_capacity_units: Some(throughput.read),
        write_capacity_units: Some(throughput.write),
    }
}

fn on_demand(limits: Option<OnDemandLimits>) -> Option<wire::OnDemandThroughput> {
    limits.map(|limits| wire::OnDemandThroughput {
        max_read_request_units: limits.read,
        max_write_request_units: limits.write,
    })
}

fn billing_summary(record: &TableRecord) -> Option<wire::BillingModeSummary> {
    record.on_demand_since_ms.map(|since_ms| wire::BillingModeSummary {
        billing_mode: Some(match record.billing {
            Billing::Provisioned => wire::BillingMode::Provisioned,
            Billing::PayPerRequest => wire::BillingMode::PayPerRequest,
        }),
        last_update_to_pay_per_request_date_time: Some(seconds(since_ms)),
    })
}
