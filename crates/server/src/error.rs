//! Reasons why the server cannot run.

use std::fmt;
use std::io;
use std::net::SocketAddr;

/// Reason why the server cannot run.
#[derive(Debug)]
pub enum Error {
    /// The server would accept any credentials from other machines; holds the address.
    OpenToOthers(SocketAddr),
    /// The listener does not work.
    Listen(io::Error),
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OpenToOthers(address) => write!(
                formatter,
                "refuse to listen on {address}: other machines could use the database without \
                 credentials; configure credentials, listen on a loopback address or say that \
                 this is meant"
            ),
            Self::Listen(error) => write!(formatter, "listen for connections: {error}"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::OpenToOthers(_) => None,
            Self::Listen(error) => Some(error),
        }
    }
}
