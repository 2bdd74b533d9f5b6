//! Closes the shards of a stream that nothing is written to any more, where that could not be done
//! with the change of definition that left them: their table's record, or its absence, says so.

use super::Interruption;
use crate::change_log;
use crate::engine::Core;
use hashrange_storage::Store;

pub(super) async fn run<S: Store>(
    core: &Core<S>,
    table_name: &str,
    label: &str,
) -> Result<(), Interruption> {
    let _definitions = core.definitions.lock().await;
    change_log::close_shards(core, table_name, label).map_err(Interruption::Definition)
}
