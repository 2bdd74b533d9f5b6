//! Runs statements and commands of a session.

use super::session::{Next, Session};
use super::statement::{Input, Outline, Verb, is_blank};
use super::{commands, define, execute};
use crate::output;
use crate::surroundings::stopwatch;

impl Session<'_, '_> {
    /// Runs a statement or a command.
    pub fn run(&self, input: &Input) -> anyhow::Result<Next> {
        self.stop.borrow_mut().forget();
        match input {
            Input::Command(line) => commands::run(self, line),
            Input::Statement(text) if is_blank(text) => Ok(Next::More),
            Input::Statement(text) => {
                let began = stopwatch();
                let done = self.statement(text);
                if self.has_timing.get() {
                    let milliseconds = began.elapsed().as_secs_f64() * 1000.0;
                    output::complain(format_args!("time: {milliseconds:.1} ms"));
                }
                done
            }
        }
    }

    fn statement(&self, text: &str) -> anyhow::Result<Next> {
        let outline = Outline::of(text);
        match outline.verb {
            Verb::Define => define::run(self, text).map(|()| Next::More),
            _ => match commands::alias(text) {
                Some(line) => commands::run(self, &line),
                None => execute::run(self, text, &outline).map(|()| Next::More),
            },
        }
    }
}
