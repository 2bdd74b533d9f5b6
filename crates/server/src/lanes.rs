//! Lanes for calls that would hold up others: threads of their own, apart from those that read
//! requests and write answers.
//!
//! The runtime's threads serve connections, mostly one for each processor. A call that computes for
//! milliseconds on one of them, or waits there for a disk, delays every request behind it. So a
//! call that reports such a next step ([`Api::demand`]) continues in a lane:
//! - long calls run on as many threads again, which have a lower priority than all others. A few
//!   calls at a time take turns there, the rest wait in order of arrival;
//! - large bodies use the same threads, with a queue of their own: a large item is written as fast
//!   beside many scans as beside a few;
//! - calls that wait for a disk run on more threads than there are processors.
//!
//! A call that reports no such step runs where its request arrived, at no further cost.

use crate::api::{Api, Asked, Demand, Named, Running, Told};
use bytes::Bytes;
use hashrange_model::{ApiError, ApiResult, Reason};
use std::future::{Future, poll_fn};
use std::io;
use std::panic::resume_unwind;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};
use tokio::runtime::{self, Handle, Runtime};
use tokio::sync::{AcquireError, Semaphore};
use tokio::task::{JoinError, JoinHandle};

/// Size from which a body is long work from its first byte, in bytes: to parse it takes a
/// millisecond.
pub const LONG_BODY_BYTES: usize = 128 * 1024;
/// Long calls that take turns on one thread. More of them would only hold more unfinished answers.
const TURNS_PER_THREAD: usize = 4;
/// Threads of calls that wait for a disk.
const BLOCKING_THREADS: usize = 16;
/// Most calls under way on those.
const BLOCKING_CALLS: usize = 1024;
/// Niceness of long calls. With it they get about a third of a processor that the other threads use
/// fully.
#[cfg(target_os = "linux")]
const LONG_NICENESS: i32 = 5;

/// The lanes of a server; see the head of this file.
#[derive(Debug)]
pub struct Lanes {
    long: Lane,
    bodies: Lane,
    blocking: Lane,
}

/// Calls that take turns on some threads, with as many at a time as there are places.
#[derive(Debug)]
struct Lane {
    threads: Arc<Threads>,
    places: Arc<Semaphore>,
}

/// Threads that start when they are first needed.
#[derive(Debug)]
struct Threads {
    name: &'static str,
    count: usize,
    steps_back: bool,
    runtime: OnceLock<Runtime>,
}

impl Lanes {
    /// Returns the lanes of a server in this runtime, without threads so far.
    pub fn new() -> Self {
        let count = Handle::current().metrics().num_workers();
        let long = Threads::new("long", count, true);
        let blocking = Threads::new("blocking", BLOCKING_THREADS, false);
        Self {
            long: Lane::new(&long, TURNS_PER_THREAD * count),
            bodies: Lane::new(&long, TURNS_PER_THREAD * count),
            blocking: Lane::new(&blocking, BLOCKING_CALLS),
        }
    }

    /// Calls an operation of the API: on this thread until the call would hold up others, then in a
    /// lane. The API tells the further information that is asked for.
    pub async fn call(
        &self,
        api: &Arc<dyn Api>,
        operation: Named,
        body: Bytes,
        to_tell: Option<(Asked, Arc<Told>)>,
    ) -> ApiResult<Vec<u8>> {
        let is_long = body.len() >= LONG_BODY_BYTES;
        let own = Arc::clone(api);
        let running = match (to_tell, operation) {
            (Some((asked, told)), operation) => own.call_told(operation, body, asked, told),
            (None, Named::OfService(operation)) => own.call(operation, body),
            (None, Named::Own(name)) => own.call_own(name.into(), body),
        };
        self.run(api, running, is_long).await
    }

    async fn run(
        &self,
        api: &Arc<dyn Api>,
        mut running: Running<'static>,
        is_long: bool,
    ) -> ApiResult<Vec<u8>> {
        if is_long {
            return self.bodies.run(running).await;
        }
        match until_demand(api.as_ref(), &mut running).await {
            Ok(result) => result,
            Err(demand) => self.lane(demand).run(running).await,
        }
    }

    /// Runs a computation on a large body.
    pub async fn compute<T: Send + 'static>(
        &self,
        compute: impl FnOnce() -> T + Send + 'static,
    ) -> ApiResult<T> {
        self.bodies.run(async move { Ok(compute()) }).await
    }

    fn lane(&self, demand: Demand) -> &Lane {
        match demand {
            Demand::Long => &self.long,
            Demand::Blocking => &self.blocking,
        }
    }
}

/// Polls a call until it is ready or asks for a lane.
async fn until_demand(
    api: &dyn Api,
    running: &mut Running<'static>,
) -> Result<ApiResult<Vec<u8>>, Demand> {
    poll_fn(|context| match running.as_mut().poll(context) {
        Poll::Ready(result) => Poll::Ready(Ok(result)),
        Poll::Pending => api.demand().map_or(Poll::Pending, |demand| Poll::Ready(Err(demand))),
    })
    .await
}

impl Lane {
    fn new(threads: &Arc<Threads>, places: usize) -> Self {
        Self { threads: Arc::clone(threads), places: Arc::new(Semaphore::new(places)) }
    }

    /// Runs a future in this lane, behind earlier ones. Dropping the returned future ends it at its
    /// next wait.
    async fn run<T, F>(&self, future: F) -> ApiResult<T>
    where
        T: Send + 'static,
        F: Future<Output = ApiResult<T>> + Send + 'static,
    {
        let place = match Arc::clone(&self.places).acquire_owned().await {
            Ok(place) => place,
            Err(AcquireError { .. }) => return Err(stopped("the lane is closed")),
        };
        let runtime = match self.threads.runtime() {
            Ok(runtime) => runtime,
            Err(error) => {
                tracing::error!(%error, lane = self.threads.name, "no threads, going on here");
                return future.await;
            }
        };
        let in_lane = runtime.spawn(async move {
            let result = future.await;
            drop(place);
            result
        });
        match InLane(in_lane).await {
            Ok(result) => result,
            Err(error) => match error.try_into_panic() {
                Ok(panic) => resume_unwind(panic),
                Err(error) => Err(stopped(&error.to_string())),
            },
        }
    }
}

impl Threads {
    fn new(name: &'static str, count: usize, steps_back: bool) -> Arc<Self> {
        Arc::new(Self { name, count, steps_back, runtime: OnceLock::new() })
    }

    fn runtime(&self) -> io::Result<&Runtime> {
        if let Some(runtime) = self.runtime.get() {
            return Ok(runtime);
        }
        let steps_back = self.steps_back;
        let runtime = runtime::Builder::new_multi_thread()
            .worker_threads(self.count)
            .thread_name(self.name)
            // A call may wait for a time, such as one that a move of the database holds back.
            .enable_time()
            .on_thread_start(move || {
                if steps_back {
                    step_back();
                }
            })
            .build()?;
        // Another call may have been faster; its threads serve as well.
        if let Err(second) = self.runtime.set(runtime) {
            second.shutdown_background();
        }
        Ok(self.runtime.get().expect("it was just set"))
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// A call in a lane, which ends when this is dropped.
struct InLane<T>(JoinHandle<T>);

impl<T> Future for InLane<T> {
    type Output = Result<T, JoinError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.0).poll(context)
    }
}

impl<T> Drop for InLane<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

fn stopped(problem: &str) -> ApiError {
    tracing::error!(problem, "a call was given up");
    Reason::Internal.into()
}

/// Lowers the priority of this thread.
#[cfg(target_os = "linux")]
fn step_back() {
    // If the system refuses, long calls only compete more.
    let _refused = rustix::process::nice(LONG_NICENESS);
}

/// Does nothing: on other systems niceness belongs to whole processes.
#[cfg(not(target_os = "linux"))]
fn step_back() {}

#[cfg(test)]
mod tests {
    use super::*;
    use hashrange_wire::Operation;
    use std::cell::Cell;
    use std::future::pending;
    use std::thread;
    use std::time::Duration;
    use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

    thread_local! {
        static DEMAND: Cell<Option<Demand>> = const { Cell::new(None) };
    }

    /// Answers with the name of the thread on which it ends, after making the demand that the body
    /// names.
    struct Stub(UnboundedSender<&'static str>);

    /// Sends a message when it is dropped.
    struct Told(UnboundedSender<&'static str>);

    impl Drop for Told {
        fn drop(&mut self) {
            self.0.send("dropped").unwrap();
        }
    }

    async fn ask(demand: Demand) {
        let mut has_asked = false;
        poll_fn(|context| {
            if std::mem::replace(&mut has_asked, true) {
                return Poll::Ready(());
            }
            DEMAND.set(Some(demand));
            context.waker().wake_by_ref();
            Poll::Pending
        })
        .await;
    }

    impl Api for Stub {
        fn call(self: Arc<Self>, _: Operation, body: Bytes) -> Running<'static> {
            Box::pin(async move {
                match &body[..] {
                    b"blocking" => ask(Demand::Blocking).await,
                    b"long" => ask(Demand::Long).await,
                    b"long, then waits" => {
                        ask(Demand::Long).await;
                        let wait = tokio::time::timeout(Duration::from_millis(1), pending::<()>());
                        wait.await.unwrap_err();
                    }
                    b"panic" => {
                        ask(Demand::Long).await;
                        panic!("as told");
                    }
                    b"endless" => {
                        ask(Demand::Long).await;
                        let _told = Told(self.0.clone());
                        self.0.send("begun").unwrap();
                        pending::<()>().await;
                    }
                    _ => {}
                }
                Ok(thread::current().name().unwrap_or_default().as_bytes().to_vec())
            })
        }

        fn demand(&self) -> Option<Demand> {
            DEMAND.take()
        }

        fn check_writable(&self) -> Result<(), String> {
            Ok(())
        }
    }

    fn stub(told: UnboundedSender<&'static str>) -> Arc<dyn Api> {
        Arc::new(Stub(told))
    }

    #[tokio::test]
    async fn calls_go_on_where_they_ask_to() {
        let (lanes, api) = (Lanes::new(), stub(unbounded_channel().0));
        let here = thread::current().name().unwrap_or_default().as_bytes().to_vec();
        let large = Bytes::from(vec![b' '; LONG_BODY_BYTES]);
        let cases = [
            (Bytes::from_static(b"short"), &here[..]),
            (Bytes::from_static(b"long"), b"long"),
            (Bytes::from_static(b"long, then waits"), b"long"),
            (Bytes::from_static(b"blocking"), b"blocking"),
            (large, b"long"),
        ];
        for (body, expected) in cases {
            for operation in [Operation::GetItem, Operation::Query] {
                let answer = lanes
                    .call(&api, Named::OfService(operation), body.clone(), None)
                    .await
                    .unwrap();
                assert_eq!(answer, expected, "{operation:?}");
            }
        }
        assert_eq!(lanes.compute(|| 7).await.unwrap(), 7);
    }

    #[tokio::test]
    async fn large_bodies_do_not_wait_behind_long_calls() {
        let (sender, mut told) = unbounded_channel();
        let (lanes, api) = (Arc::new(Lanes::new()), stub(sender));
        let places = lanes.long.places.available_permits();
        let calls: Vec<_> = (0..places)
            .map(|_| {
                let (lanes, api) = (Arc::clone(&lanes), Arc::clone(&api));
                tokio::spawn(async move {
                    lanes
                        .call(
                            &api,
                            Named::OfService(Operation::Query),
                            Bytes::from_static(b"endless"),
                            None,
                        )
                        .await
                })
            })
            .collect();
        for _ in 0..places {
            assert_eq!(told.recv().await, Some("begun"));
        }
        assert_eq!(lanes.long.places.available_permits(), 0);
        let large = Bytes::from(vec![b' '; LONG_BODY_BYTES]);
        assert_eq!(
            lanes.call(&api, Named::OfService(Operation::PutItem), large, None).await.unwrap(),
            b"long"
        );
        assert_eq!(lanes.compute(|| 7).await.unwrap(), 7);
        calls.iter().for_each(JoinHandle::abort);
        for _ in 0..places {
            assert_eq!(told.recv().await, Some("dropped"));
        }
    }

    #[tokio::test]
    async fn a_panic_in_a_lane_reaches_the_caller() {
        let (lanes, api) = (Lanes::new(), stub(unbounded_channel().0));
        let call = async move {
            lanes
                .call(&api, Named::OfService(Operation::Query), Bytes::from_static(b"panic"), None)
                .await
                .map(drop)
        };
        assert!(tokio::spawn(call).await.unwrap_err().is_panic());
    }

    #[tokio::test]
    async fn a_call_that_nobody_waits_for_ends() {
        let (sender, mut told) = unbounded_channel();
        let (lanes, api) = (Arc::new(Lanes::new()), stub(sender));
        let call = tokio::spawn({
            let lanes = Arc::clone(&lanes);
            async move {
                lanes
                    .call(
                        &api,
                        Named::OfService(Operation::Query),
                        Bytes::from_static(b"endless"),
                        None,
                    )
                    .await
            }
        });
        assert_eq!(told.recv().await, Some("begun"));
        call.abort();
        assert_eq!(told.recv().await, Some("dropped"));
        // This runtime has one thread.
        let all = lanes.long.places.acquire_many(u32::try_from(TURNS_PER_THREAD).unwrap()).await;
        assert!(all.is_ok(), "its place is free again");
    }
}
