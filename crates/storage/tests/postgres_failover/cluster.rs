//! A primary and two standbys that change places.

use hashrange_scratch::Server;
use std::time::{Duration, Instant};

/// The servers, and which of them is the primary.
#[derive(Debug)]
pub struct Cluster {
    servers: [Server; 3],
    primary: usize,
    /// Before the last promotion.
    before: usize,
}

impl Cluster {
    /// Starts a primary whose commits wait for one of two standbys.
    pub fn start() -> Self {
        let primary = Server::start_primary();
        let standbys = [primary.start_standby(), primary.start_standby()];
        let [first, second] = standbys;
        let servers = [primary, first, second];
        // Each of them: one that is promoted without this acknowledges what it alone has.
        servers.iter().for_each(Server::wait_for_standbys);
        Self { servers, primary: 0, before: 0 }
    }

    pub fn primary(&self) -> &Server {
        &self.servers[self.primary]
    }

    pub fn primary_number(&self) -> usize {
        self.primary
    }

    /// Returns the one that was primary before the last promotion.
    pub fn before(&self) -> &Server {
        &self.servers[self.before]
    }

    /// Returns one of the standbys.
    pub fn standby(&self) -> &Server {
        &self.servers[(self.primary + 1) % self.servers.len()]
    }

    /// Returns the ports of all servers.
    pub fn ports(&self) -> [u16; 3] {
        self.servers.each_ref().map(|server| server.port)
    }

    /// Stops the primary as a crash would. It stays stopped: that is what keeps it from taking commits.
    pub fn stop_primary(&self) {
        self.primary().stop();
    }

    /// Promotes the standby that has received the most, and lets the other one follow it. The primary is
    /// stopped, or does not go on.
    pub fn promote_furthest(&mut self) {
        let standbys = (0..self.servers.len()).filter(|nth| *nth != self.primary);
        let mut standbys: Vec<usize> = standbys.collect();
        standbys.sort_by_key(|nth| self.servers[*nth].received());
        let [other, furthest] = standbys[..] else { unreachable!("there are two standbys") };
        self.servers[other].follow(&self.servers[furthest]);
        self.servers[furthest].promote();
        self.before = self.primary;
        self.primary = furthest;
    }

    /// Brings the old primary back as a standby, and waits until both follow. Returns whether it went back
    /// to the common past.
    pub fn bring_back(&self, by_rewind: bool) -> bool {
        let is_back = self.servers[self.before].come_back(self.primary(), by_rewind);
        let begin = Instant::now();
        while self.primary().sql("SELECT count(*) FROM pg_stat_replication") != "2" {
            assert!(begin.elapsed() < Duration::from_secs(60), "two standbys follow");
        }
        is_back
    }
}
