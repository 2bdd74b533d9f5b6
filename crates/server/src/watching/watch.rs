//! One watch: its ring of lines, its seconds, and its answer to a cursor.

use super::filter::{Filter, is_failed};
use super::line::Line;
use super::sample::{Decision, Sample};
use super::seconds::{Second, Seconds};
use super::{Asked, PATIENCE_MS};
use crate::event::Event;
use hashrange_cost::PriceList;
use serde::Serialize;
use std::collections::VecDeque;
use std::fmt;
use std::str::FromStr;

/// What was answered before: the server and the watch, the last line, the last second, and the counts of lines lost
/// and left out then.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cursor {
    pub server: String,
    pub watch: u64,
    pub line: u64,
    pub second_ms: u64,
    pub lost: u64,
    pub left_out: u64,
}

impl fmt::Display for Cursor {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { server, watch, line, second_ms, lost, left_out } = self;
        write!(out, "{server}/{watch}/{line}/{second_ms}/{lost}/{left_out}")
    }
}

impl FromStr for Cursor {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let mut parts = text.split('/');
        let server = parts.next().ok_or(())?.to_owned();
        let mut number = || parts.next().and_then(|part| part.parse().ok()).ok_or(());
        let (watch, line, second_ms) = (number()?, number()?, number()?);
        let (lost, left_out) = (number()?, number()?);
        match parts.next() {
            None => Ok(Self { server, watch, line, second_ms, lost, left_out }),
            Some(_) => Err(()),
        }
    }
}

/// A watch.
#[derive(Debug)]
pub struct Watch {
    filter: Filter,
    one_in: u64,
    pub namespace: Option<String>,
    /// Time of the last request for it.
    pub asked_ms: u64,
    ring: VecDeque<Line>,
    /// Bytes of the lines in the ring.
    pub bytes: usize,
    last_line: u64,
    lost: u64,
    left_out: u64,
    sample: Sample,
    seconds: Seconds,
}

/// News of a watch since a cursor.
#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct News {
    requests: Vec<Line>,
    seconds: Vec<Second>,
    lost: u64,
    left_out: u64,
    one_in: u64,
}

impl News {
    /// Returns whether there is nothing new.
    pub fn is_empty(&self) -> bool {
        self.requests.is_empty() && self.seconds.is_empty()
    }

    /// Returns the number of lines.
    pub fn lines(&self) -> usize {
        self.requests.len()
    }
}

impl Watch {
    /// Begins a watch.
    pub fn new(asked: &Asked, now_ms: u64) -> Self {
        Self {
            filter: asked.filter.clone(),
            one_in: asked.one_in,
            namespace: asked.namespace.clone(),
            asked_ms: now_ms,
            ring: VecDeque::new(),
            bytes: 0,
            last_line: 0,
            lost: 0,
            left_out: 0,
            sample: Sample::new(asked.one_in),
            seconds: Seconds::default(),
        }
    }

    /// Returns whether the watch is for what is asked.
    pub fn is_of(&self, asked: &Asked) -> bool {
        self.filter == asked.filter
            && self.one_in == asked.one_in
            && self.namespace == asked.namespace
    }

    /// Takes a request; returns whether its line is kept.
    pub fn take(
        &mut self,
        event: &Event,
        operation: &str,
        now_ms: u64,
        prices: Option<&PriceList>,
    ) -> bool {
        let is_over = now_ms.saturating_sub(self.asked_ms) > PATIENCE_MS;
        if is_over || !self.is_seen(event) || !self.filter.passes(event, operation) {
            return false;
        }
        self.seconds.add(event, operation, now_ms);
        match self.sample.decide(now_ms / 1000, is_failed(event), event.taken) {
            Decision::LeaveOut => self.left_out += 1,
            Decision::Lose => self.lost += 1,
            Decision::Keep { is_slow } => {
                self.last_line += 1;
                let mut line = Line::of(event, operation, now_ms, prices);
                (line.number, line.is_slow) = (self.last_line, is_slow);
                self.bytes += line.bytes();
                self.ring.push_back(line);
                return true;
            }
        }
        false
    }

    /// Returns whether a request is of the watch's own namespace, if the server has several.
    fn is_seen(&self, event: &Event) -> bool {
        let Some(own) = &self.namespace else { return true };
        event.details.as_ref().is_some_and(|details| details.namespace.as_ref() == Some(own))
    }

    /// Drops the oldest line.
    pub fn drop_oldest(&mut self) {
        if let Some(line) = self.ring.pop_front() {
            self.bytes -= line.bytes();
        }
    }

    /// Returns what is new since a cursor, with at most so many lines, and moves the cursor behind it.
    pub fn news(&mut self, cursor: &mut Cursor, most_lines: usize, now_ms: u64) -> News {
        self.seconds.roll(now_ms);
        let first = self.ring.front().map_or(self.last_line + 1, |line| line.number);
        let dropped = first.saturating_sub(cursor.line.saturating_add(1));
        let lines = self.ring.iter().filter(|line| line.number > cursor.line);
        let requests: Vec<Line> = lines.take(most_lines).cloned().collect();
        let news = News {
            seconds: self.seconds.after(cursor.second_ms).cloned().collect(),
            lost: dropped + self.lost.saturating_sub(cursor.lost),
            left_out: self.left_out.saturating_sub(cursor.left_out),
            one_in: self.sample.one_in(),
            requests,
        };
        cursor.line =
            news.requests.last().map_or(cursor.line.saturating_add(dropped), |line| line.number);
        cursor.second_ms = cursor.second_ms.max(self.seconds.newest_ms());
        (cursor.lost, cursor.left_out) = (self.lost, self.left_out);
        news
    }
}
