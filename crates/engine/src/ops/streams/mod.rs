//! The operations of DynamoDB Streams, one file each. This file has their shared parts: finding a
//! stream by its ARN, and the limits that the service model does not state.

mod describe_stream;
mod get_records;
mod get_shard_iterator;
mod list_streams;

use crate::change_log::{Stream, find_stream};
use crate::engine::Engine;
use hashrange_model::error::wording::ENVELOPE;
use hashrange_model::{ApiResult, Reason};
use hashrange_storage::{Store, View};

impl<S: Store> Engine<S> {
    /// Returns the stream with an ARN.
    async fn stream_of_arn<V: View>(&self, view: &V, arn: &str) -> ApiResult<Stream> {
        let (table, label) = parse_arn(arn).ok_or(Reason::InvalidStreamArn)?;
        let found = if arn == self.environment().stream_arn(table, label) {
            find_stream(view, table, label).await?
        } else {
            None
        };
        found.ok_or_else(|| Reason::StreamNotFound(arn.to_owned()).into())
    }
}

/// Returns the table's name and the label in a stream's ARN.
fn parse_arn(arn: &str) -> Option<(&str, &str)> {
    let resource = arn.strip_prefix("arn:")?.splitn(5, ':').nth(4)?;
    let (table, label) = resource.strip_prefix("table/")?.split_once("/stream/")?;
    let is_whole = !table.is_empty() && !label.is_empty() && !table.contains('/');
    is_whole.then_some((table, label))
}

/// Returns the number of entries in a page. The service model has only the lower limit. Source:
/// DynamoDB Streams API reference, `Limit` of each operation.
fn page_limit(asked: Option<i32>, most: i32) -> ApiResult<usize> {
    let limit = asked.unwrap_or(most);
    if limit > most {
        return Err(Reason::Constraints(format!(
            "{ENVELOPE}Value '{limit}' at 'limit' failed to satisfy constraint: Member must have \
             value less than or equal to {most}"
        ))
        .into());
    }
    Ok(usize::try_from(limit).unwrap_or(1).max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arns_name_a_table_and_a_label() {
        let arn =
            "arn:aws:dynamodb:us-east-1:314159265358:table/Music/stream/2026-01-01T00:00:00.000";
        assert_eq!(parse_arn(arn), Some(("Music", "2026-01-01T00:00:00.000")));
        for foreign in [
            "",
            "Music",
            "arn:aws:dynamodb:us-east-1:314159265358:table/Music",
            "arn:aws:dynamodb:us-east-1:314159265358:table/Music/stream/",
            "arn:aws:dynamodb:us-east-1:314159265358:table//stream/x",
            "arn:aws:dynamodb:us-east-1:314159265358:table/a/b/stream/x",
        ] {
            assert_eq!(parse_arn(foreign), None, "{foreign}");
        }
    }
}
