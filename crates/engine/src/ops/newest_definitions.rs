//! Operations on a store that several servers share follow the newest definitions, without a round trip
//! of their own to ask for them.
//!
//! - A read runs while the number of definitions is being looked up, and again if it was another one than
//!   that of the tables it used.
//! - A write is refused by its own commit if it follows older definitions (`write/commit.rs`); so only if
//!   it fails before that, by tables that may be old, the number is looked up, and it runs again.
//! - All others look first; those that change definitions run again if another server was faster.

use crate::engine::Engine;
use hashrange_model::{ApiError, ApiResult, ErrorKind, Reason};
use hashrange_storage::Store;
use hashrange_wire::Operation;
use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::task::Poll;

/// Most runs of an operation while other servers change definitions.
const RUNS_MAX: usize = 16;

/// Time of an operation's check for changed definitions.
enum Look {
    Beside,
    AfterFailure,
    First,
    FirstAndAgain,
}

impl Look {
    fn of(operation: Operation) -> Self {
        match operation {
            Operation::BatchGetItem
            | Operation::GetItem
            | Operation::Query
            | Operation::Scan
            | Operation::TransactGetItems => Self::Beside,
            Operation::BatchWriteItem
            | Operation::DeleteItem
            | Operation::PutItem
            | Operation::TransactWriteItems
            | Operation::UpdateItem => Self::AfterFailure,
            Operation::CreateTable
            | Operation::DeleteTable
            | Operation::TagResource
            | Operation::UntagResource
            | Operation::UpdateContributorInsights
            | Operation::UpdateTable
            | Operation::UpdateTimeToLive => Self::FirstAndAgain,
            _ => Self::First,
        }
    }
}

/// Boxed future of one run of an operation.
pub type Running<'a, T> = Pin<Box<dyn Future<Output = ApiResult<T>> + Send + 'a>>;

impl<S: Store> Engine<S> {
    /// Runs an operation, `run`, on the newest definitions of a store that several servers share; it may be run
    /// several times. On any other store there is no need of it.
    pub async fn on_newest<'a, T>(
        &self,
        operation: Operation,
        run: impl Fn() -> Running<'a, T>,
    ) -> ApiResult<T> {
        self.run_on_newest(Look::of(operation), run).await
    }

    /// Runs an operation of the server's own that changes definitions as [`Engine::on_newest`] does.
    pub async fn on_newest_to_change<'a, T>(
        &self,
        run: impl Fn() -> Running<'a, T>,
    ) -> ApiResult<T> {
        self.run_on_newest(Look::FirstAndAgain, run).await
    }

    /// Runs an operation of the server's own that reads definitions as [`Engine::on_newest`] does.
    pub async fn on_newest_to_describe<'a, T>(
        &self,
        run: impl Fn() -> Running<'a, T>,
    ) -> ApiResult<T> {
        self.run_on_newest(Look::First, run).await
    }

    async fn run_on_newest<'a, T>(
        &self,
        look: Look,
        run: impl Fn() -> Running<'a, T>,
    ) -> ApiResult<T> {
        let core = self.core();
        match look {
            Look::First => {
                core.refresh().await?;
                run().await
            }
            Look::FirstAndAgain => {
                for _ in 0..RUNS_MAX {
                    core.refresh().await?;
                    let answer = run().await;
                    if !answer.as_ref().is_err_and(has_lost) {
                        return answer;
                    }
                }
                Err(Reason::Contended.into())
            }
            Look::Beside => {
                for _ in 0..RUNS_MAX {
                    let number = core.catalog.number();
                    let (stored, answer) = both(core.stored_number(), run()).await;
                    if stored? == number && core.catalog.number() == number {
                        return answer;
                    }
                    core.refresh().await?;
                }
                Err(Reason::Contended.into())
            }
            Look::AfterFailure => {
                for _ in 0..RUNS_MAX {
                    let number = core.catalog.number();
                    let answer = run().await;
                    if !answer.as_ref().is_err_and(may_be_of_old_tables) {
                        return answer;
                    }
                    core.refresh().await?;
                    if core.catalog.number() == number {
                        return answer;
                    }
                }
                Err(Reason::Contended.into())
            }
        }
    }
}

/// Returns whether an error means that another server was faster.
fn has_lost(error: &ApiError) -> bool {
    matches!(error.reason(), Reason::Contended)
}

/// Returns whether a failed write may succeed with newer tables. A write of unknown outcome is not repeated.
fn may_be_of_old_tables(error: &ApiError) -> bool {
    let is_decided = matches!(error.reason(), Reason::ConditionalCheckFailed);
    error.kind() != ErrorKind::InternalServerError && !is_decided
}

/// Awaits two futures at once.
async fn both<A, B>(one: impl Future<Output = A>, other: impl Future<Output = B>) -> (A, B) {
    let (mut one, mut other) = (pin!(one), pin!(other));
    let (mut first, mut second) = (None, None);
    poll_fn(|context| {
        if first.is_none()
            && let Poll::Ready(answer) = one.as_mut().poll(context)
        {
            first = Some(answer);
        }
        if second.is_none()
            && let Poll::Ready(answer) = other.as_mut().poll(context)
        {
            second = Some(answer);
        }
        match (first.take(), second.take()) {
            (Some(one), Some(other)) => Poll::Ready((one, other)),
            (one, other) => {
                (first, second) = (one, other);
                Poll::Pending
            }
        }
    })
    .await
}
