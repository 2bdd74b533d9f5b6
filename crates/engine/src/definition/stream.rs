//! `StreamSpecification`: the stream settings that CreateTable and UpdateTable request for a table.

use crate::schema::{StreamChange, StreamSettings, StreamView, TableRecord};
use hashrange_model::Reason;
use hashrange_model::error::TableFault;
use hashrange_wire::{StreamSpecification, StreamViewType};

/// Returns the view type of the stream that a new table requests, `None` without a stream.
pub(crate) fn asked_of_new_table(
    asked: Option<&StreamSpecification>,
) -> Result<Option<StreamView>, Reason> {
    view_asked(asked, false)
}

/// Refuses a specification that is wrong whatever the table's stream is.
pub(crate) fn check_change(asked: Option<&StreamSpecification>) -> Result<(), Reason> {
    view_asked(asked, true).map(|_| ())
}

fn view_asked(
    asked: Option<&StreamSpecification>,
    of_update: bool,
) -> Result<Option<StreamView>, Reason> {
    let Some(asked) = asked else { return Ok(None) };
    let refused = |fault| Err(Reason::TableDefinition(fault));
    match (asked.stream_enabled, asked.stream_view_type) {
        (Some(true), None) => refused(TableFault::StreamViewMissing { of_update }),
        (Some(true), Some(view)) => Ok(Some(view_of(view))),
        (_, Some(_)) => refused(TableFault::StreamViewForbidden { of_update }),
        (_, None) => Ok(None),
    }
}

/// Returns the change that an update requests for the stream of a table.
pub(crate) fn change(
    record: &TableRecord,
    asked: Option<&StreamSpecification>,
) -> Result<StreamChange, Reason> {
    if asked.is_none() {
        return Ok(StreamChange::None);
    }
    let is_enabled = record.stream.as_ref().is_some_and(|latest| latest.enabled);
    match view_asked(asked, true)? {
        Some(_) if is_enabled => Err(Reason::StreamEnabled(record.name.clone())),
        Some(view) => Ok(StreamChange::Enable(view)),
        None if is_enabled => Ok(StreamChange::Disable),
        None => Err(Reason::StreamDisabled(record.name.clone())),
    }
}

/// Returns the description of an enabled stream.
pub(crate) fn specification(settings: Option<&StreamSettings>) -> Option<StreamSpecification> {
    let settings = settings.filter(|settings| settings.enabled)?;
    Some(StreamSpecification {
        stream_enabled: Some(true),
        stream_view_type: Some(view_type(settings.view)),
    })
}

fn view_of(view: StreamViewType) -> StreamView {
    match view {
        StreamViewType::KeysOnly => StreamView::KeysOnly,
        StreamViewType::NewImage => StreamView::NewImage,
        StreamViewType::OldImage => StreamView::OldImage,
        StreamViewType::NewAndOldImages => StreamView::NewAndOldImages,
    }
}

/// Returns the view type in the form of the wire.
pub(crate) fn view_type(view: StreamView) -> StreamViewType {
    match view {
        StreamView::KeysOnly => StreamViewType::KeysOnly,
        StreamView::NewImage => StreamViewType::NewImage,
        StreamView::OldImage => StreamViewType::OldImage,
        StreamView::NewAndOldImages => StreamViewType::NewAndOldImages,
    }
}
