//! Address that is bound but not yet listened on: while the database is being opened, the system
//! refuses clients instead of letting them wait or cutting them off when opening fails.

use std::io;
use std::net::SocketAddr;
use tokio::net::{TcpListener, TcpSocket, lookup_host};

/// Connections that wait to be accepted; the system may allow fewer.
const BACKLOG: u32 = 4096;

/// A socket with an address.
#[derive(Debug)]
pub struct Bound(TcpSocket);

impl Bound {
    /// Binds the first available address of a name or address. Port 0 means any free one.
    pub async fn new(host: &str, port: u16) -> io::Result<Self> {
        let mut failure = None;
        for address in lookup_host((host, port)).await? {
            match bind(address) {
                Ok(socket) => return Ok(Self(socket)),
                Err(error) => failure = Some(error),
            }
        }
        let unknown = || io::Error::new(io::ErrorKind::AddrNotAvailable, "the name has no address");
        Err(failure.unwrap_or_else(unknown))
    }

    /// Returns the address.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.0.local_addr()
    }

    /// Begins to listen. Fails if another process has begun to listen in the meantime.
    pub fn listen(self) -> io::Result<TcpListener> {
        self.0.listen(BACKLOG)
    }
}

fn bind(address: SocketAddr) -> io::Result<TcpSocket> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    // A restart then need not wait until the system forgets old connections. On other systems the
    // option has another meaning.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    Ok(socket)
}
