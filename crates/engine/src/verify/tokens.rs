//! Verifies client request tokens: each stands once in the order of time, and nothing else does.

use super::{Report, next_items};
use crate::layout::token::{TokenRecord, token_time, tokens, tokens_by_time};
use hashrange_storage::{Direction, Error, View, Wanted};
use std::ops::ControlFlow;

pub(super) async fn verify_tokens<V: View>(view: &V, report: &mut Report) -> Result<(), Error> {
    let mut range = tokens();
    let mut known = 0;
    loop {
        let step = next_items(view, &range).await?;
        let Some((last, _)) = step.last() else { break };
        range.start = [&last[..], &[0]].concat();
        for (key, stored) in &step {
            known += 1;
            let Some(record) = TokenRecord::decode(stored) else {
                report.add(None, "a client request token has an unknown form", key);
                continue;
            };
            if view.get(&token_time(record.used_at_ms, key)).await?.is_none() {
                report.add(None, "a client request token would never be removed", key);
            }
        }
    }
    let mut timed = 0;
    view.visit(tokens_by_time(), Direction::Forward, Wanted::ALL, |_, _| {
        timed += 1;
        ControlFlow::Continue(())
    })
    .await?;
    if timed != known {
        let what = format!("{known} client request tokens have {timed} times");
        report.add(None, what, &tokens_by_time().start);
    }
    Ok(())
}
