//! The engine as its clients see it: it answers, refuses, or an answer never comes, because it has
//! crashed or the connection was lost. After a crash it is opened again on the contents of the
//! disk. There may be several, which share the disk: then each request goes to any of them, and
//! each may die alone and come back.

use super::disk::Disk;
use super::executor::{Executor, TaskId};
use super::fate::Fate;
use super::flaw::Flaw;
use super::store::SimulatedStore;
use crate::contended::ContendedStore;
use hashrange_engine::{Engine, EngineOptions, Environment, verify};
use hashrange_model::{ApiError, ApiResult, ErrorKind};
use hashrange_storage::block_on;
use hashrange_wire::Operation;
use serde_json::Value as Json;
use std::cell::{Cell, RefCell};
use std::fmt;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Poll, Waker};

/// Calls of a thousand in which the client goes away while the server goes on with the request.
const LOST_PER_MILLE: usize = 10;
/// Calls of a thousand in which the server drops a request before it is done.
const DROPPED_PER_MILLE: usize = 20;
/// A dropped request has waited less often than this.
const WAITS_MAX: usize = 6;
/// Error of a wrong clock, in milliseconds: less than the time for which client request tokens are
/// remembered.
const HASTE_MS: u64 = 9 * 60 * 1000;

/// The engine, whose every decision may be made several times or lost.
pub(super) type SimulatedEngine = Engine<ContendedStore<SimulatedStore>>;

/// Outcome of a request.
#[derive(Debug)]
pub(super) enum Answer {
    /// It was done.
    Done(Json),
    /// It was refused, for a reason that shows that it was not done.
    Refused(ApiError),
    /// It may have been done, may be done at any later moment until the next restart, or never.
    Unknown,
}

/// The server and the world it lives in; clones share them.
#[derive(Clone)]
pub(super) struct Server(Rc<Inner>);

struct Inner {
    fate: Fate,
    executor: Executor,
    disk: Disk,
    /// Engines of the servers; none for one that has died.
    engines: RefCell<Vec<Option<Arc<SimulatedEngine>>>>,
    /// Tasks that end with their server.
    tasks: RefCell<Vec<(usize, TaskId)>>,
    restarts: Cell<u64>,
}

impl fmt::Debug for Server {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Server").finish_non_exhaustive()
    }
}

/// Place for the answer of a request.
#[derive(Debug, Default)]
struct Reply {
    answer: RefCell<Option<Answer>>,
    caller: RefCell<Option<Waker>>,
}

impl Reply {
    fn give(&self, answer: Answer) {
        self.answer.borrow_mut().get_or_insert(answer);
        if let Some(caller) = self.caller.borrow_mut().take() {
            caller.wake();
        }
    }
}

/// Held by a request: if it is dropped, its outcome is unknown.
#[derive(Debug)]
struct Promise(Rc<Reply>);

impl Drop for Promise {
    fn drop(&mut self) {
        self.0.give(Answer::Unknown);
    }
}

impl Server {
    /// Starts servers on a disk.
    pub(super) fn start(fate: Fate, executor: Executor, disk: Disk, servers: usize) -> Self {
        let server = Self(Rc::new(Inner {
            fate,
            executor,
            disk,
            engines: RefCell::new((0..servers).map(|_| None).collect()),
            tasks: RefCell::default(),
            restarts: Cell::new(0),
        }));
        server.restart();
        server
    }

    /// Ends everything that is under way and opens the engine on the contents of the disk, which
    /// must be sound.
    pub(super) fn restart(&self) {
        let servers = self.0.engines.borrow().len();
        (0..servers).for_each(|nth| self.end(nth));
        self.0.restarts.set(self.0.restarts.get() + 1);
        loop {
            self.0.disk.reopen();
            self.assert_sound("after a restart");
            // The disk may fail again while an engine is opened.
            if (0..servers).all(|nth| self.open_one(nth)) {
                return;
            }
            (0..servers).for_each(|nth| self.end(nth));
        }
    }

    /// Returns whether there are several servers.
    pub(super) fn are_several(&self) -> bool {
        self.0.engines.borrow().len() > 1
    }

    /// Ends one server, unless it is the last that is alive. It comes back some time, before or
    /// after the others have taken it for dead.
    pub(super) fn kill_one(&self) {
        let alive: Vec<usize> = {
            let engines = self.0.engines.borrow();
            (0..engines.len()).filter(|nth| engines[*nth].is_some()).collect()
        };
        if alive.len() < 2 {
            return;
        }
        let nth = alive[self.0.fate.below(alive.len())];
        self.0.fate.note(&format!("server {nth} dies"));
        let engine = self.0.engines.borrow()[nth].clone();
        self.end(nth);
        if self.0.disk.has(Flaw::UndyingHeart) {
            return self.beat_for_ever(engine);
        }
        let server = self.clone();
        let coming_back = self.0.executor.spawn(async move {
            server.sleep(server.0.fate.below(30_000) as u64).await;
            // If the disk has failed all servers are started again.
            if !server.0.disk.is_failed() && server.open_one(nth) {
                server.0.fate.note(&format!("server {nth} is back"));
            }
        });
        self.0.tasks.borrow_mut().push((nth, coming_back));
    }

    /// Ends everything that is under way at one server.
    fn end(&self, nth: usize) {
        let of_others = |(server, _): &mut (usize, TaskId)| *server == nth;
        let tasks: Vec<_> = self.0.tasks.borrow_mut().extract_if(.., of_others).collect();
        drop(self.0.engines.borrow_mut()[nth].take());
        for (_, task) in tasks {
            self.0.executor.abort(task);
        }
    }

    /// Opens the engine of a server. Returns false if the disk has failed meanwhile.
    fn open_one(&self, nth: usize) -> bool {
        match block_on(self.open()) {
            Ok(engine) => {
                let engine = Arc::new(engine);
                self.0.engines.borrow_mut()[nth] = Some(Arc::clone(&engine));
                self.keep_house(nth, engine);
                true
            }
            Err(error) => {
                let has_failed = self.0.disk.is_failed() || self.0.disk.has_failed_reads();
                assert!(has_failed, "the engine cannot be opened: {error}");
                false
            }
        }
    }

    /// Lets a dead server look alive to the others.
    fn beat_for_ever(&self, engine: Option<Arc<SimulatedEngine>>) {
        let (server, Some(engine)) = (self.clone(), engine) else { return };
        self.0.executor.spawn(async move {
            loop {
                engine.sweep_when_polled().await;
                server.sleep(500).await;
            }
        });
    }

    fn open(&self) -> impl Future<Output = Result<SimulatedEngine, hashrange_engine::OpenError>> {
        let (clock, random) = (self.0.fate.clone(), self.0.fate.clone());
        let is_hasty = self.0.disk.has(Flaw::HastyClock);
        let environment = Environment {
            now_ms: Arc::new(move || {
                let is_wrong = is_hasty && clock.strikes(50);
                clock.now_ms() + if is_wrong { HASTE_MS } else { 0 }
            }),
            random: Arc::new(move || u128::from(random.bits()) << 64 | u128::from(random.bits())),
            ..crate::environment::still_environment()
        };
        let options = EngineOptions { stream_shards: 2, jobs_run: false, ..Default::default() };
        let polled = self.0.executor.polled();
        let store = SimulatedStore::new(self.0.disk.clone(), self.0.fate.clone(), polled);
        let seed = self.0.fate.bits();
        let store = if self.are_several() {
            ContendedStore::shared(store, seed)
        } else {
            ContendedStore::new(store, seed)
        };
        Engine::open_with(store, environment, options)
    }

    /// Runs background jobs and sweeps as the engine's threads would.
    fn keep_house(&self, nth: usize, engine: Arc<SimulatedEngine>) {
        let (server, jobs) = (self.clone(), Arc::clone(&engine));
        let working = self.0.executor.spawn(async move {
            loop {
                jobs.run_jobs().await;
                server.sleep(1 + server.0.fate.below(50) as u64).await;
            }
        });
        let server = self.clone();
        let sweeping = self.0.executor.spawn(async move {
            loop {
                server.sleep(500 + server.0.fate.below(1000) as u64).await;
                engine.sweep_when_polled().await;
                server.0.fate.note("swept");
            }
        });
        self.0.tasks.borrow_mut().extend([(nth, working), (nth, sweeping)]);
    }

    /// Returns the source of choices.
    pub(super) fn fate(&self) -> &Fate {
        &self.0.fate
    }

    /// Returns how often all servers were started; requests of an earlier start have ended.
    pub(super) fn restarts(&self) -> u64 {
        self.0.restarts.get()
    }

    /// Waits for a virtual time.
    pub(super) fn sleep(&self, ms: u64) -> impl Future<Output = ()> + use<> {
        self.0.executor.sleep(ms)
    }

    /// Sends a request and waits for its answer, or until the connection is lost.
    pub(super) async fn call(&self, operation: Operation, body: &Json) -> Answer {
        let text = body.to_string();
        let said = format!("{operation:?} {text}");
        self.ask(&said, |engine| async move { engine.call(operation, text.as_bytes()).await }).await
    }

    /// Has an engine run something and waits for its answer, or until the connection is lost.
    pub(super) async fn ask<F>(
        &self,
        said: &str,
        run: impl FnOnce(Arc<SimulatedEngine>) -> F,
    ) -> Answer
    where
        F: Future<Output = ApiResult<Vec<u8>>> + 'static,
    {
        let fate = &self.0.fate;
        let nth = fate.moment();
        fate.note(&format!("{nth} -> {said}"));
        let reply = Rc::new(Reply::default());
        self.send(run, Promise(Rc::clone(&reply)));
        let is_lost = fate.strikes(LOST_PER_MILLE);
        let mut patience =
            pin!(self.sleep(if is_lost { fate.below(20) as u64 } else { u64::MAX / 4 }));
        let answer = poll_fn(|context| {
            *reply.caller.borrow_mut() = Some(context.waker().clone());
            if let Some(answer) = reply.answer.borrow_mut().take() {
                return Poll::Ready(Some(answer));
            }
            if is_lost { patience.as_mut().poll(context).map(|()| None) } else { Poll::Pending }
        })
        .await;
        let answer = answer.unwrap_or(Answer::Unknown);
        match &answer {
            Answer::Done(answer) => fate.note(&format!("{nth} <- {answer}")),
            Answer::Refused(error) => fate.note(&format!("{nth} <- {error}")),
            Answer::Unknown => fate.note(&format!("{nth} <- nothing")),
        }
        answer
    }

    fn send<F>(&self, run: impl FnOnce(Arc<SimulatedEngine>) -> F, promise: Promise)
    where
        F: Future<Output = ApiResult<Vec<u8>>> + 'static,
    {
        let fate = &self.0.fate;
        let (nth, engine) = self.any_alive();
        let mut polls =
            if fate.strikes(DROPPED_PER_MILLE) { 1 + fate.below(WAITS_MAX) } else { usize::MAX };
        let running = run(engine);
        let task = self.0.executor.spawn(async move {
            let mut running = pin!(running);
            let result = poll_fn(|context| {
                polls -= 1;
                match running.as_mut().poll(context) {
                    Poll::Pending if polls == 0 => Poll::Ready(None),
                    polled => polled.map(Some),
                }
            });
            if let Some(result) = result.await {
                promise.0.give(answer(result));
            }
        });
        self.0.tasks.borrow_mut().push((nth, task));
    }

    /// Returns a server that is alive; there always is one.
    fn any_alive(&self) -> (usize, Arc<SimulatedEngine>) {
        let engines = self.0.engines.borrow();
        let alive = engines.iter().enumerate();
        let alive: Vec<_> =
            alive.filter_map(|(nth, engine)| Some((nth, Arc::clone(engine.as_ref()?)))).collect();
        alive[if alive.len() > 1 { self.0.fate.below(alive.len()) } else { 0 }].clone()
    }

    /// Sends a request until its outcome is known; for requests that may be done twice. Panics on a
    /// refusal.
    pub(super) async fn insist(&self, operation: Operation, body: &Json) -> Json {
        loop {
            match self.call(operation, body).await {
                Answer::Done(answer) => return answer,
                Answer::Refused(error) => panic!("{operation:?} {body} is refused: {error}"),
                Answer::Unknown => self.sleep(1 + self.0.fate.below(20) as u64).await,
            }
        }
    }

    /// Panics unless the published contents are sound.
    pub(super) fn assert_sound(&self, when: &str) {
        let view = self.0.disk.published().view();
        let report = block_on(verify(&view)).expect("the store can be read");
        let problems: Vec<_> = report.problems.iter().map(ToString::to_string).collect();
        assert!(problems.is_empty(), "{when}: {problems:#?}");
    }
}

/// Returns the answer of a result; after an internal error the outcome is unknown.
fn answer(result: ApiResult<Vec<u8>>) -> Answer {
    match result {
        Ok(body) => Answer::Done(serde_json::from_slice(&body).expect("an answer is JSON")),
        Err(error) if error.kind() == ErrorKind::InternalServerError => Answer::Unknown,
        Err(error) => Answer::Refused(error),
    }
}
