//! The way to a server: its URL read once, and connections to it, with TLS at `https://`.

use super::Unanswered;
use crate::exit::Usage;
use crate::output;
use anyhow::Context;
use hashrange_tls::{Trust, client_config};
use hyper::Uri;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{self, ClientConfig};

/// Longest time that a connection may take, with its handshake.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// An open connection, encrypted or not.
pub trait Connection: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Connection for T {}

/// A server's address, and the certificates that its connections trust.
#[derive(Debug, Clone)]
pub struct Route {
    host: String,
    port: u16,
    path: String,
    /// The value of the header `Host`: as a proxy expects it, without the usual port.
    authority: String,
    tls: Option<Arc<ClientConfig>>,
}

impl Route {
    /// Returns the way to the server at a URL, which it takes apart; connects to nothing.
    pub fn new(endpoint: &str, trust: &Trust) -> anyhow::Result<Self> {
        let bad = |problem: String| Usage(format!("endpoint {endpoint:?}: {problem}"));
        let uri: Uri = endpoint.parse().map_err(|_| bad("not a URL".to_owned()))?;
        let tls = match uri.scheme_str() {
            Some("http") => None,
            Some("https") => {
                if *trust == Trust::Anybody {
                    output::complain(format_args!(
                        "--insecure-tls: the certificate of {endpoint} is not checked; the server may be anybody"
                    ));
                }
                let config = client_config(trust).map_err(|error| bad(error.to_string()))?;
                Some(Arc::new(config))
            }
            Some(other) => return Err(bad(scheme_missing(endpoint, other)).into()),
            None => return Err(bad(format!("write http://{endpoint} (or https://)")).into()),
        };
        let host = uri.host().ok_or_else(|| bad("no host".to_owned()))?.to_owned();
        let usual = if tls.is_some() { 443 } else { 80 };
        let port = uri.port_u16().unwrap_or(usual);
        let authority = if port == usual { host.clone() } else { format!("{host}:{port}") };
        Ok(Self { host, port, path: uri.path().to_owned(), authority, tls })
    }

    /// Returns the path of the URL, `/` at least.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Returns the value of the header `Host`.
    pub fn authority(&self) -> &str {
        &self.authority
    }

    /// Connects. An error is [`Unanswered`] if another try may go better: a certificate that is not trusted
    /// stays so.
    pub async fn connect(&self) -> anyhow::Result<Box<dyn Connection>> {
        timeout(CONNECT_TIMEOUT, self.connected()).await.unwrap_or_else(|_| {
            let error = std::io::Error::from(std::io::ErrorKind::TimedOut);
            Err(error).with_context(|| self.unreached())
        })
    }

    async fn connected(&self) -> anyhow::Result<Box<dyn Connection>> {
        let bare = self.host.trim_matches(['[', ']']);
        let stream =
            TcpStream::connect((bare, self.port)).await.with_context(|| self.unreached())?;
        stream.set_nodelay(true).context("set no delay")?;
        let Some(config) = &self.tls else { return Ok(Box::new(stream)) };
        let name = ServerName::try_from(bare.to_owned())
            .map_err(|_| Usage(format!("host {bare:?}: a certificate cannot name it")))?;
        match TlsConnector::from(Arc::clone(config)).connect(name, stream).await {
            Ok(stream) => Ok(Box::new(stream)),
            Err(error) => Err(self.untrusted(error)),
        }
    }

    fn unreached(&self) -> Unanswered {
        let Self { host, port, .. } = self;
        Unanswered::new(format!(
            "connect to {host}:{port} (is a server there? `hashrange serve --port {port}` starts one, --endpoint names another, --data-dir needs none)"
        ))
    }

    /// Returns the error of a failed handshake.
    fn untrusted(&self, error: std::io::Error) -> anyhow::Error {
        let Self { host, port, .. } = self;
        let cause = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>());
        let advice = match cause {
            Some(rustls::Error::InvalidCertificate(_)) => {
                "--ca-file FILE trusts the certificate that signed the server's, --insecure-tls any"
            }
            Some(rustls::Error::InvalidMessage(_)) => {
                "is it a server without TLS? Then write http://"
            }
            _ => {
                return anyhow::Error::from(error)
                    .context(Unanswered::new(format!("begin TLS with {host}:{port}")));
            }
        };
        anyhow::Error::from(error).context(format!("begin TLS with {host}:{port} ({advice})"))
    }
}

/// `localhost:8000` parses as a URL of scheme `localhost`.
fn scheme_missing(endpoint: &str, scheme: &str) -> String {
    if endpoint.contains("://") {
        format!("{scheme}:// is not spoken here: http:// and https:// are")
    } else {
        format!("write http://{endpoint} (or https://)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_is_read_once() {
        let cases = [
            ("http://db", "db db 80 / plain"),
            ("http://db:8000/x", "db:8000 db 8000 /x plain"),
            ("https://db", "db db 443 / TLS"),
            ("https://db:443", "db db 443 / TLS"),
            ("https://[::1]:8443", "[::1]:8443 [::1] 8443 / TLS"),
            ("http://db:443", "db:443 db 443 / plain"),
            ("localhost:24001", "write http://localhost:24001 (or https://)"),
            ("127.0.0.1:24001", "write http://127.0.0.1:24001 (or https://)"),
            ("localhost", "write http://localhost (or https://)"),
            ("ftp://db", "ftp:// is not spoken here: http:// and https:// are"),
            ("http://", "not a URL"),
            ("", "not a URL"),
        ];
        for (endpoint, expected) in cases {
            let found = match Route::new(endpoint, &Trust::Anybody) {
                Ok(Route { host, port, path, authority, tls }) => {
                    let tls = if tls.is_some() { "TLS" } else { "plain" };
                    format!("{authority} {host} {port} {path} {tls}")
                }
                Err(error) => error.to_string().replace(&format!("endpoint {endpoint:?}: "), ""),
            };
            assert_eq!(found, expected, "{endpoint}");
        }
    }
}
