//! `hashrange health`: asks a server how it is, for scripts and for containers that have no other
//! program in them.

use crate::arguments::Health;
use crate::exit::Usage;
use crate::output;
use crate::surroundings::text_variable;
use anyhow::{Context, bail};
use hyper::Uri;
use std::io::{Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::Duration;

/// So long the server may take to be reached, and again to answer.
const PATIENCE: Duration = Duration::from_secs(5);
/// The longest answer that is read.
const ANSWER_MAX_BYTES: u64 = 64 << 10;

/// Prints what the server says of itself; fails unless that is good.
pub fn run(arguments: &Health) -> anyhow::Result<()> {
    let endpoint = arguments.endpoint.clone().unwrap_or_else(|| endpoint(text_variable));
    let path = if arguments.ready { "/ready" } else { "/health" };
    let answer = get(&endpoint, path)?;
    let (head, body) = answer.split_once("\r\n\r\n").context("the answer is not HTTP")?;
    let status = head.split_whitespace().nth(1).context("the answer is not HTTP")?;
    if status != "200" {
        bail!("{endpoint}{path} answered {status}: {}", body.trim());
    }
    output::line(body.trim())
}

/// Returns the address of the server that the same environment would start.
fn endpoint(variable: impl Fn(&str) -> Option<String>) -> String {
    variable("HASHRANGE_ENDPOINT").unwrap_or_else(|| {
        let port = variable("HASHRANGE_PORT").unwrap_or_else(|| "8000".to_owned());
        format!("http://127.0.0.1:{port}")
    })
}

/// Returns the whole answer to a request.
fn get(endpoint: &str, path: &str) -> anyhow::Result<String> {
    let bad = |problem: &str| Usage(format!("endpoint {endpoint:?}: {problem}"));
    let uri: Uri = endpoint.parse().map_err(|_| bad("not a URL"))?;
    if uri.scheme_str() != Some("http") {
        return Err(bad("only http:// is spoken here").into());
    }
    let host = uri.host().ok_or_else(|| bad("no host"))?;
    let port = uri.port_u16().unwrap_or(80);
    let mut stream = connect(host.trim_matches(['[', ']']), port)
        .with_context(|| format!("connect to {host}:{port}"))?;
    let mut answer = Vec::new();
    let exchange = || {
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        write!(stream, "GET {path} HTTP/1.1\r\nhost: {host}:{port}\r\nconnection: close\r\n\r\n")?;
        stream.take(ANSWER_MAX_BYTES).read_to_end(&mut answer)
    };
    exchange().with_context(|| format!("ask {host}:{port}"))?;
    Ok(String::from_utf8_lossy(&answer).into_owned())
}

fn connect(host: &str, port: u16) -> std::io::Result<TcpStream> {
    let mut last = std::io::ErrorKind::NotFound.into();
    for address in (host, port).to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, PATIENCE) {
            Ok(stream) => return Ok(stream),
            Err(error) => last = error,
        }
    }
    Err(last)
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
