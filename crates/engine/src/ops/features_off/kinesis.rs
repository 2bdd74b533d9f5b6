//! Streaming to Kinesis: no table has a destination.

use crate::engine::Engine;
use crate::request::required;
use hashrange_model::{ApiResult, Reason};
use hashrange_storage::Store;
use hashrange_wire::{
    DescribeKinesisStreamingDestinationInput, DescribeKinesisStreamingDestinationOutput,
    KinesisStreamingDestinationInput, KinesisStreamingDestinationOutput,
    UpdateKinesisStreamingDestinationInput, UpdateKinesisStreamingDestinationOutput,
};

impl<S: Store> Engine<S> {
    /// Returns an empty list of a table's destinations.
    pub async fn describe_kinesis_streaming_destination(
        &self,
        input: DescribeKinesisStreamingDestinationInput<'_>,
    ) -> ApiResult<DescribeKinesisStreamingDestinationOutput> {
        let table = self.named_table(required(input.table_name.as_deref(), "tableName")?)?;
        Ok(DescribeKinesisStreamingDestinationOutput {
            table_name: Some(table.record.name.clone()),
            kinesis_data_stream_destinations: Some(Vec::new()),
        })
    }

    /// Answers that no destination is active.
    pub async fn disable_kinesis_streaming_destination(
        &self,
        input: KinesisStreamingDestinationInput<'_>,
    ) -> ApiResult<KinesisStreamingDestinationOutput> {
        let KinesisStreamingDestinationInput {
            table_name,
            stream_arn,
            enable_kinesis_streaming_configuration: _,
        } = input;
        required(stream_arn, "streamArn")?;
        self.named_table(required(table_name.as_deref(), "tableName")?)?;
        Err(Reason::KinesisNotActive.into())
    }

    /// Answers that no destination is active.
    pub async fn update_kinesis_streaming_destination(
        &self,
        input: UpdateKinesisStreamingDestinationInput<'_>,
    ) -> ApiResult<UpdateKinesisStreamingDestinationOutput> {
        let UpdateKinesisStreamingDestinationInput {
            table_name,
            stream_arn,
            update_kinesis_streaming_configuration: _,
        } = input;
        let arn = required(stream_arn.as_deref(), "streamArn")?;
        let table = self.named_table(required(table_name.as_deref(), "tableName")?)?;
        let table = table.record.name.clone();
        Err(Reason::KinesisNotUpdatable { table, stream_arn: arn.to_owned() }.into())
    }
}
