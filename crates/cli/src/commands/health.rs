//! `hashrange health`: asks a server for its health, for scripts and for containers that have no
//! other program in them.

use crate::arguments::Health;
use crate::client::Route;
use crate::config::trust_of;
use crate::output;
use crate::surroundings::{text_variable, variable};
use anyhow::{Context, bail};
use std::io::ErrorKind;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::timeout;

/// Longest wait for the answer, once the connection stands.
const PATIENCE: Duration = Duration::from_secs(5);
/// The longest answer that is read.
const ANSWER_MAX_BYTES: u64 = 64 << 10;

/// Prints the server's answer; fails unless the server is healthy.
pub fn run(arguments: &Health) -> anyhow::Result<()> {
    let endpoint = arguments.endpoint.clone().unwrap_or_else(|| endpoint(text_variable));
    let path = if arguments.ready { "/ready" } else { "/health" };
    let route = Route::new(&endpoint, &trust_of(&arguments.tls, variable))?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let answer = runtime.context("start the runtime")?.block_on(get(&route, path))?;
    let (head, body) = answer.split_once("\r\n\r\n").context("the answer is not HTTP")?;
    let status = head.split_whitespace().nth(1).context("the answer is not HTTP")?;
    if status != "200" {
        bail!("{endpoint}{path} answered {status}: {}", body.trim());
    }
    output::line(body.trim())
}

/// Returns the address of the server that `hashrange serve` would start in the same environment.
fn endpoint(variable: impl Fn(&str) -> Option<String>) -> String {
    variable("HASHRANGE_ENDPOINT").unwrap_or_else(|| {
        let port = variable("HASHRANGE_PORT").unwrap_or_else(|| "8000".to_owned());
        format!("http://127.0.0.1:{port}")
    })
}

/// Returns the whole answer to a request.
async fn get(route: &Route, path: &str) -> anyhow::Result<String> {
    let mut stream = route.connect().await?;
    let authority = route.authority();
    let exchange = async {
        let request =
            format!("GET {path} HTTP/1.1\r\nhost: {authority}\r\nconnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await?;
        let mut answer = Vec::new();
        match stream.take(ANSWER_MAX_BYTES).read_to_end(&mut answer).await {
            // A server that ends TLS without a closing message has answered nevertheless.
            Err(error) if error.kind() == ErrorKind::UnexpectedEof && !answer.is_empty() => {}
            other => drop(other?),
        }
        Ok::<_, std::io::Error>(answer)
    };
    let answer =
        timeout(PATIENCE, exchange).await.unwrap_or_else(|_| Err(ErrorKind::TimedOut.into()));
    let answer = answer.with_context(|| format!("ask {authority}"))?;
    Ok(String::from_utf8_lossy(&answer).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_server_of_the_same_environment_is_asked() {
        let of = |set: &'static [(&str, &str)]| {
            endpoint(|name| {
                let found = set.iter().find(|(variable, _)| *variable == name);
                found.map(|(_, value)| (*value).to_owned())
            })
        };
        assert_eq!(of(&[]), "http://127.0.0.1:8000");
        assert_eq!(of(&[("HASHRANGE_PORT", "9000")]), "http://127.0.0.1:9000");
        let both = &[("HASHRANGE_PORT", "9000"), ("HASHRANGE_ENDPOINT", "http://db:1")];
        assert_eq!(of(both), "http://db:1");
    }
}
