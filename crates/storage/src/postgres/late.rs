//! The look for what has waited too long: whatever no connection has taken by its deadline is answered with
//! an error, also when all connections wait for the database.

use super::lanes::Shared;
use super::reads::Reads;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::sleep;

/// Of the patience the part after which is looked again.
const PART: u32 = 16;

/// Answers what is late until the store's thread ends.
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
