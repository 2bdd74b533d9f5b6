//! The way of a page's requests to the endpoint: only those that show the token of the page.

use crate::client::Server;
use bytes::Bytes;
use hashrange_auth::is_same_secret;
use hashrange_server::{Passage, Passed, PassedAnswer};
use serde_json::json;
use std::fmt;
use std::pin::Pin;

const TARGET: &str = "x-amz-target";
const TOKEN: &str = "x-hashrange-token";
/// Headers of requests and answers that are passed on.
const PASSED_ON: [&str; 4] =
    ["x-hashrange-unrecorded", "x-hashrange-cost", "x-hashrange-explain", "x-hashrange-pattern"];
/// Longest target that is passed on, in bytes.
const TARGET_MAX_BYTES: usize = 256;

/// An endpoint, and the token that requests have to show.
pub struct Passing {
    server: Server,
    token: String,
}

impl fmt::Debug for Passing {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Passing").field("server", &self.server).finish_non_exhaustive()
    }
}

impl Passing {
    /// Returns the way to an endpoint.
    pub fn new(server: Server, token: String) -> Self {
        Self { server, token }
    }

    async fn answer(&self, request: Passed) -> PassedAnswer {
        if !request
            .header(TOKEN)
            .is_some_and(|shown| is_same_secret(shown.as_bytes(), self.token.as_bytes()))
        {
            return fault(
                403,
                "ConsoleTokenException",
                "The request does not show the token of the console: open the address that `hashrange console` has printed",
            );
        }
        let target = request.header(TARGET).unwrap_or_default().to_owned();
        if target.is_empty() || target.len() > TARGET_MAX_BYTES {
            return fault(400, "UnknownOperationException", "The request names no operation");
        }
        let mut headers = request.headers;
        headers.retain(|(name, _)| PASSED_ON.contains(name));
        match self.server.exchange(target, &headers, request.body).await {
            Ok(answer) => {
                let known = |name: &'static str| Some((name, answer.header(name)?));
                let headers = PASSED_ON.into_iter().filter_map(known).collect();
                PassedAnswer { status: answer.status.as_u16(), headers, body: answer.body }
            }
            Err(error) => fault(502, "EndpointUnreachableException", &format!("{error:#}")),
        }
    }
}

impl Passage for Passing {
    fn wanted(&self) -> &'static [&'static str] {
        const WANTED: [&str; 6] =
            [TARGET, TOKEN, PASSED_ON[0], PASSED_ON[1], PASSED_ON[2], PASSED_ON[3]];
        &WANTED
    }

    fn pass(&self, request: Passed) -> Pin<Box<dyn Future<Output = PassedAnswer> + Send + '_>> {
        Box::pin(self.answer(request))
    }
}

fn fault(status: u16, name: &str, message: &str) -> PassedAnswer {
    let body = json!({ "__type": format!("hashrange#{name}"), "message": message }).to_string();
    PassedAnswer { status, headers: Vec::new(), body: Bytes::from(body) }
}
