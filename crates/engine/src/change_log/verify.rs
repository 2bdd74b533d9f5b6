//! Verifies the change log: every record is readable and lies in a shard of a known stream, every
//! shard begins with its opening and has nothing after its closing.

use super::reading::read_streams;
use super::record::{Mark, Marked, decode};
use super::stream::Stream;
use crate::layout;
use crate::schema::{StreamId, TableId};
use hashrange_storage::{Direction, Error, Key, View, Wanted};
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// Faults, by the store key at which each was found.
pub(crate) type Faults = Vec<(Key, &'static str)>;

type ShardPlace = (TableId, StreamId, u32);

/// Marks of a shard that the walk has met.
#[derive(Debug, Default, Clone, Copy)]
struct ShardMarks {
    opened: bool,
    closed: bool,
}

/// Returns the number of records and their faults.
pub(crate) async fn verify_changes<V: View>(view: &V) -> Result<(u64, Faults), Error> {
    let Ok(streams) = read_streams(view, layout::streams(), usize::MAX).await else {
        return Ok((0, vec![(layout::streams().start, "a stream is unreadable")]));
    };
    let mut shards = places(&streams);
    let (mut records, mut faults) = (0, Faults::new());
    view.visit(layout::changes(), Direction::Forward, Wanted::ALL, |key, value| {
        let place = layout::parse_change(key).filter(|_| layout::stamp_of_change(key).is_some());
        let shard = place.and_then(|place| shards.get_mut(&place));
        let fault = match (shard, decode(&value)) {
            (None, _) => Some("a record belongs to no stream"),
            (_, Err(_)) => Some("a record is unreadable"),
            (Some(marks), Ok(marked)) => {
                records += u64::from(matches!(marked, Marked::Change(_)));
                marks.meet(&marked)
            }
        };
        faults.extend(fault.map(|fault| (key.to_vec(), fault)));
        ControlFlow::Continue(())
    })
    .await?;
    let unopened = shards.iter().filter(|(_, marks)| !marks.opened);
    faults.extend(unopened.map(|((table, stream, shard), _)| {
        (layout::shard_prefix(*table, *stream, *shard), "a shard has no beginning")
    }));
    Ok((records, faults))
}

fn places(streams: &[Stream]) -> BTreeMap<ShardPlace, ShardMarks> {
    let of = |stream: &Stream| {
        let shards = stream.shards.iter();
        let (table, id) = (stream.table, stream.id);
        shards
            .map(move |shard| ((table, id, shard.number), ShardMarks::default()))
            .collect::<Vec<_>>()
    };
    streams.iter().flat_map(of).collect()
}

impl ShardMarks {
    fn meet(&mut self, marked: &Marked) -> Option<&'static str> {
        if self.closed {
            return Some("a record stands after the end of its shard");
        }
        match marked {
            Marked::Mark { mark: Mark::Opened, .. } if self.opened => {
                return Some("a shard begins twice");
            }
            Marked::Mark { mark: Mark::Opened, .. } => self.opened = true,
            _ if !self.opened => return Some("a record stands before the beginning of its shard"),
            Marked::Mark { mark: Mark::Closed, .. } => self.closed = true,
            Marked::Change(_) => {}
        }
        None
    }
}
