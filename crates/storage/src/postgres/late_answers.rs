//! Answers work that has waited too long: commits and reads that no connection has taken by their
//! deadline get an error, also if all connections wait for the database.

use super::reads::Reads;
use super::shared::Shared;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::sleep;

/// Part of the patience after which the task looks again.
const PART: u32 = 16;

/// Answers late work until the store's thread ends.
pub(super) async fn answer_late(shared: Arc<Shared>, reads: Arc<Reads>) {
    let pause = shared.options.patience / PART;
    let pause = pause.clamp(Duration::from_millis(10), Duration::from_secs(1));
    loop {
        sleep(pause).await;
        for member in shared.commits.take_late() {
            shared.counts.late_commits.add(1);
            member.end(Err(shared.health.late("the commit")));
        }
        let late = reads.refuse_late(|| reads.health.late("the read"));
        shared.counts.late_reads.add(late);
    }
}
