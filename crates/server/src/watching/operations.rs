//! Requests of watches and their answers; `docs/requests.md` has their members.

use super::filter::Filter;
use super::watch::{Cursor, News};
use super::{Asked, Found, PATIENCE_MS, Watches, fault};
use hashrange_model::{ApiResult, Reason};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Most lines of an answer.
const LINES_MAX: usize = 200;
/// Longest wait for a line, in seconds.
const WAIT_MAX_SECONDS: u64 = 20;
/// Time between two looks for lines.
const LOOK: Duration = Duration::from_millis(100);

/// A request of `WatchRequests`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "PascalCase")]
pub struct WatchRequest {
    cursor: Option<String>,
    #[serde(default)]
    filter: Filter,
    one_in: Option<u64>,
    limit: Option<usize>,
    wait_seconds: Option<u64>,
}

/// A request of `StopWatchingRequests`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "PascalCase")]
pub struct StopRequest {
    cursor: String,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
struct Answer<'a> {
    server: &'a str,
    cursor: String,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    is_new: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    because: Option<&'static str>,
    values_are_kept: bool,
    ends_after_seconds: u64,
    #[serde(flatten)]
    news: News,
}

fn cursor_of(text: &str) -> ApiResult<Cursor> {
    text.parse().map_err(|()| fault("Cursor is none that this operation has answered".to_owned()))
}

/// Checks a request, and returns the watch that it asks for.
fn checked(request: WatchRequest, namespace: Option<&str>) -> ApiResult<(Asked, usize, u64)> {
    let WatchRequest { cursor, filter, one_in, limit, wait_seconds } = request;
    let filter = filter.checked().map_err(fault)?;
    let most = limit.unwrap_or(LINES_MAX);
    let wait = wait_seconds.unwrap_or(0);
    if !(1..=LINES_MAX).contains(&most) || wait > WAIT_MAX_SECONDS || one_in == Some(0) {
        let why = format!(
            "Limit is from 1 to {LINES_MAX}, WaitSeconds at most {WAIT_MAX_SECONDS}, OneIn at least 1"
        );
        return Err(fault(why));
    }
    let cursor = cursor.as_deref().map(cursor_of).transpose()?;
    let namespace = namespace.map(str::to_owned);
    Ok((Asked { cursor, filter, one_in: one_in.unwrap_or(1), namespace }, most, wait))
}

/// Returns what is new since a cursor, and the cursor behind it; waits for it at most so many seconds.
async fn waited(
    watches: &Watches,
    before: Cursor,
    most: usize,
    seconds: u64,
) -> ApiResult<(Cursor, News)> {
    let looks = Duration::from_secs(seconds).div_duration_f64(LOOK).ceil();
    let mut left = looks;
    let mut was_empty = true;
    loop {
        let (cursor, news) = watches.look(&before, most)?;
        // Lines come in bunches: who sees the first waits for those right behind it.
        let is_done = !news.is_empty() && (!was_empty || news.lines() >= most);
        if is_done || left < 1.0 || watches.is_ending() {
            return Ok((cursor, news));
        }
        was_empty = news.is_empty();
        left -= 1.0;
        tokio::time::sleep(LOOK).await;
    }
}

impl Watches {
    /// Answers the lines that pass the filter of a request, as soon as there are some. `namespace` is that of the
    /// caller, if each access key has its own.
    pub async fn watch(
        &self,
        namespace: Option<&str>,
        request: WatchRequest,
    ) -> ApiResult<Vec<u8>> {
        let (asked, most, wait) = checked(request, namespace)?;
        let _waiting = self.waiting()?;
        let (number, found) = self.find_or_begin(&asked)?;
        let before = asked.cursor.filter(|_| found == Found::There);
        let before = before.unwrap_or_else(|| self.beginning(number));
        let (cursor, news) = waited(self, before, most, wait).await?;
        let answer = Answer {
            server: &self.server,
            cursor: cursor.to_string(),
            is_new: found != Found::There,
            because: if let Found::Began(why) = found { Some(why) } else { None },
            values_are_kept: self.keeps_values,
            ends_after_seconds: PATIENCE_MS / 1000,
            news,
        };
        Ok(serde_json::to_vec(&answer).map_err(|_| Reason::Internal)?)
    }

    /// Ends the watch of a request; one that has ended is no fault.
    pub fn stop(&self, namespace: Option<&str>, request: &StopRequest) -> ApiResult<()> {
        self.end_watch(&cursor_of(&request.cursor)?, namespace);
        Ok(())
    }

    fn beginning(&self, watch: u64) -> Cursor {
        let server = self.server.clone();
        Cursor { server, watch, line: 0, second_ms: 0, lost: 0, left_out: 0 }
    }

    /// Returns what is new since a cursor, which is not changed, and the cursor behind it.
    fn look(&self, before: &Cursor, most: usize) -> ApiResult<(Cursor, News)> {
        let now_ms = (self.now_ms)();
        let mut state = self.state();
        let watch = state.watches.get_mut(&before.watch);
        let watch = watch.ok_or_else(|| fault("the watch was stopped".to_owned()))?;
        watch.asked_ms = now_ms;
        let mut cursor = before.clone();
        let news = watch.news(&mut cursor, most, now_ms);
        Ok((cursor, news))
    }
}
