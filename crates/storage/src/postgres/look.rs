//! Looks at the hosts of a URL, connected or not, so that a server with working connections learns
//! that another host has taken over.
//!
//! Each host has a connection of its own that is asked once in [`EVERY`]. Leaves the consequences
//! to `epochs.rs`. With one host in the URL there is nothing to look at.

use super::connect::{Connection, Connector};
use super::shared::Shared;
use futures_util::future::join_all;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{sleep, timeout};

/// The pause between two looks at a host.
const EVERY: Duration = Duration::from_secs(1);

/// The longest look at all hosts before a store is opened: one of them may be away.
const FIRST: Duration = Duration::from_secs(2);

/// Looks once at all hosts.
pub(super) async fn at_all(connector: &Connector) {
    let look = |host| async move {
        // An unreachable host reports its error when a connection is made.
        drop(timeout(FIRST, look(connector, host, None)).await);
    };
    join_all(hosts(connector).map(look)).await;
}

/// Returns the numbers of the hosts to look at.
pub(super) fn hosts(connector: &Connector) -> impl Iterator<Item = usize> + use<> {
    let hosts = connector.host_count();
    (0..hosts).filter(move |_| hosts > 1)
}

/// Looks at one host again and again.
pub(super) async fn again_and_again(shared: Arc<Shared>, host: usize) {
    let mut connection = None;
    loop {
        sleep(EVERY).await;
        connection = look(&shared.connector, host, connection).await;
    }
}

/// Looks at a host, and returns the connection if it can be used again.
async fn look(
    connector: &Connector,
    host: usize,
    connection: Option<Connection>,
) -> Option<Connection> {
    let connection = match connection {
        Some(connection) => connection,
        None => connector.connect_to(host).await?,
    };
    connector.look(host, &connection).await.then_some(connection)
}
