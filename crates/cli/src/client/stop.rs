//! Ctrl-C in a shell: it stops the running statement, and not the shell.

use super::wait_on;
use anyhow::Context;
use std::fmt;
use std::time::Duration;
use tokio::runtime::Builder;
use tokio::sync::watch;

/// The user stopped the running work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stopped;

impl fmt::Display for Stopped {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("stopped")
    }
}

impl std::error::Error for Stopped {}

/// Number of times that the user has pressed Ctrl-C, now and when the present work began.
#[derive(Debug, Clone)]
pub struct Stop {
    presses: watch::Receiver<u64>,
}

impl Stop {
    /// Makes Ctrl-C stop the work that checks for it here, and no longer the process.
    pub fn listen() -> anyhow::Result<Self> {
        let (pressed, presses) = watch::channel(0);
        let (ready, is_ready) = std::sync::mpsc::channel();
        let listen = move || {
            let runtime = Builder::new_current_thread().enable_all().build()?;
            wait_on(&runtime, async {
                let mut interrupts = Interrupts::new()?;
                // The receiver is gone if sending fails.
                ready.send(()).unwrap_or_default();
                while interrupts.next().await {
                    pressed.send_modify(|presses| *presses += 1);
                }
                std::io::Result::Ok(())
            })
        };
        std::thread::Builder::new()
            .name("ctrl-c".into())
            .spawn(listen)
            .context("start a thread")?;
        is_ready.recv().context("watch Ctrl-C")?;
        Ok(Self { presses })
    }

    /// Returns a stop that never comes: Ctrl-C ends the process.
    pub fn never() -> Self {
        Self { presses: watch::channel(0).1 }
    }

    /// Forgets presses so far: new work begins.
    pub fn forget(&mut self) {
        self.presses.mark_unchanged();
    }

    /// Fails if the user has stopped the present work.
    pub fn check(&self) -> Result<(), Stopped> {
        if self.presses.has_changed().unwrap_or(false) { Err(Stopped) } else { Ok(()) }
    }

    /// Runs a future to its end unless the user stops it.
    pub async fn unless_stopped<T>(
        &self,
        work: impl Future<Output = anyhow::Result<T>>,
    ) -> anyhow::Result<T> {
        let mut presses = self.presses.clone();
        let stopped = async {
            // Without a listener no press comes.
            if presses.changed().await.is_err() {
                std::future::pending::<()>().await;
            }
        };
        tokio::select! {
            biased;
            () = stopped => Err(Stopped.into()),
            done = work => done,
        }
    }

    /// Waits, unless the user stops the wait.
    pub fn pause(&self, time: Duration) -> anyhow::Result<()> {
        let runtime = Builder::new_current_thread().enable_time().build().context("wait")?;
        let pause = self.unless_stopped(async {
            tokio::time::sleep(time).await;
            Ok(())
        });
        wait_on(&runtime, pause)
    }
}

#[cfg(unix)]
struct Interrupts(tokio::signal::unix::Signal);

#[cfg(unix)]
impl Interrupts {
    fn new() -> std::io::Result<Self> {
        tokio::signal::unix::signal(tokio::signal::unix::SignalKind::interrupt()).map(Self)
    }

    async fn next(&mut self) -> bool {
        self.0.recv().await.is_some()
    }
}

#[cfg(not(unix))]
struct Interrupts;

#[cfg(not(unix))]
impl Interrupts {
    fn new() -> std::io::Result<Self> {
        Ok(Self)
    }

    async fn next(&mut self) -> bool {
        tokio::signal::ctrl_c().await.is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_presses() -> (watch::Sender<u64>, Stop) {
        let (pressed, presses) = watch::channel(0);
        (pressed, Stop { presses })
    }

    #[test]
    fn a_press_stops_the_present_work_only() {
        let (pressed, mut stop) = with_presses();
        assert_eq!(stop.check(), Ok(()));
        pressed.send_modify(|presses| *presses += 1);
        assert_eq!(stop.check(), Err(Stopped));
        let paused = stop.pause(Duration::from_secs(3600)).unwrap_err();
        assert!(paused.is::<Stopped>());
        stop.forget();
        assert_eq!(stop.check(), Ok(()));
        assert!(stop.pause(Duration::ZERO).is_ok());
    }
}
