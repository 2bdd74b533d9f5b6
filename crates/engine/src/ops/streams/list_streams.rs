//! ListStreams: streams in the order of their tables' names and labels, in pages.

use super::{page_limit, parse_arn};
use crate::change_log::{Stream, read_streams};
use crate::engine::Engine;
use crate::layout;
use hashrange_model::{ApiResult, Reason};
use hashrange_storage::Store;
use hashrange_wire as wire;

const LIMIT: i32 = 100;

impl<S: Store> Engine<S> {
    /// Lists the streams of a table or of all tables, also of deleted tables while records are
    /// left.
    pub async fn list_streams(
        &self,
        input: wire::ListStreamsInput<'_>,
    ) -> ApiResult<wire::ListStreamsOutput> {
        let limit = page_limit(input.limit, LIMIT)?;
        let table_name = input.table_name.as_deref();
        let mut range = table_name.map_or_else(layout::streams, layout::streams_of);
        if let Some(arn) = input.exclusive_start_stream_arn.as_deref() {
            let (table, label) = parse_arn(arn).ok_or(Reason::InvalidStreamArn)?;
            let after = [&layout::stream(table, label)[..], &[0]].concat();
            range.start = range.start.max(after);
        }
        let mut streams = read_streams(&self.core().view().await?, range, limit + 1).await?;
        if let Some(name) = table_name
            && streams.is_empty()
        {
            self.named_table(name)?;
        }
        let has_more = streams.len() > limit;
        streams.truncate(limit);
        let last = streams.last().filter(|_| has_more).map(|stream| self.arn_of(stream));
        Ok(wire::ListStreamsOutput {
            streams: Some(streams.into_iter().map(|stream| self.listed(stream)).collect()),
            last_evaluated_stream_arn: last,
        })
    }

    fn listed(&self, stream: Stream) -> wire::Stream {
        wire::Stream {
            stream_arn: Some(self.arn_of(&stream)),
            table_name: Some(stream.table_name),
            stream_label: Some(stream.label),
        }
    }

    /// Returns the ARN of a stream.
    pub(super) fn arn_of(&self, stream: &Stream) -> String {
        self.environment().stream_arn(&stream.table_name, &stream.label)
    }
}
