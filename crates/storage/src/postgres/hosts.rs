//! The hosts of a URL, each with a configuration and a limit of its own.
//!
//! Without it, a host that takes a connection and says nothing, such as a frozen machine, would use
//! up the time for asking the others.

use std::sync::atomic::{AtomicUsize, Ordering};
use tokio_postgres::config::{Config, Host};

/// The hosts, in the order of the URL, and the one that is asked first.
#[derive(Debug)]
pub(super) struct Hosts {
    configs: Vec<Config>,
    /// The host that answered last.
    first: AtomicUsize,
}

impl Hosts {
    /// Returns the hosts of a configuration.
    pub(super) fn of(config: &Config) -> Self {
        let hosts = config.get_hosts();
        // Addresses beside the names belong to them by their number: they stay together.
        let configs = if hosts.len() < 2 || !config.get_hostaddrs().is_empty() {
            vec![config.clone()]
        } else {
            let ports = config.get_ports();
            let port = |nth: usize| ports.get(nth).or(ports.first()).copied();
            hosts.iter().enumerate().map(|(nth, host)| alone(config, host, port(nth))).collect()
        };
        Self { configs, first: AtomicUsize::new(0) }
    }

    pub(super) fn len(&self) -> usize {
        self.configs.len()
    }

    /// Returns the configuration of one host.
    pub(super) fn config(&self, nth: usize) -> Option<&Config> {
        self.configs.get(nth)
    }

    /// Returns the hosts in the order in which they are asked, with their numbers.
    pub(super) fn in_turn(&self) -> impl Iterator<Item = (usize, &Config)> {
        let first = self.first.load(Ordering::Relaxed);
        let all = || self.configs.iter().enumerate();
        all().skip(first).chain(all().take(first))
    }

    /// Notes the host that answered.
    pub(super) fn answered(&self, nth: usize) {
        self.first.store(nth, Ordering::Relaxed);
    }
}

/// Returns a configuration with one of its hosts.
fn alone(all: &Config, host: &Host, port: Option<u16>) -> Config {
    let mut config = Config::new();
    match host {
        Host::Tcp(name) => config.host(name.clone()),
        #[cfg(unix)]
        Host::Unix(path) => config.host_path(path),
    };
    if let Some(port) = port {
        config.port(port);
    }
    if let Some(user) = all.get_user() {
        config.user(user);
    }
    if let Some(password) = all.get_password() {
        config.password(password);
    }
    if let Some(dbname) = all.get_dbname() {
        config.dbname(dbname);
    }
    if let Some(options) = all.get_options() {
        config.options(options);
    }
    if let Some(name) = all.get_application_name() {
        config.application_name(name);
    }
    if let Some(limit) = all.get_connect_timeout() {
        config.connect_timeout(*limit);
    }
    if let Some(limit) = all.get_tcp_user_timeout() {
        config.tcp_user_timeout(*limit);
    }
    if let Some(interval) = all.get_keepalives_interval() {
        config.keepalives_interval(interval);
    }
    if let Some(retries) = all.get_keepalives_retries() {
        config.keepalives_retries(retries);
    }
    config
        .keepalives(all.get_keepalives())
        .keepalives_idle(all.get_keepalives_idle())
        .ssl_mode(all.get_ssl_mode())
        .ssl_negotiation(all.get_ssl_negotiation())
        .channel_binding(all.get_channel_binding())
        .load_balance_hosts(all.get_load_balance_hosts())
        .target_session_attrs(all.get_target_session_attrs());
    config
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::str::FromStr;

    fn hosts(url: &str) -> Hosts {
        Hosts::of(&Config::from_str(url).expect("a good URL"))
    }

    #[test]
    fn each_host_has_all_settings_but_the_other_hosts() {
        let url = "postgres://u:p@a:1,b:2/x?connect_timeout=3&target_session_attrs=read-write&\
                   application_name=n&options=-c%20geqo%3Doff&keepalives_idle=7";
        let hosts = hosts(url);
        for (nth, name) in ["a:1", "b:2"].into_iter().enumerate() {
            let one = Config::from_str(&url.replace("a:1,b:2", name)).expect("a good URL");
            assert_eq!(hosts.configs.get(nth), Some(&one), "{name}");
        }
        assert_eq!(hosts.len(), 2);
        let one_port = Hosts::of(&Config::from_str("postgres://u@a,b/x").expect("a good URL"));
        assert!(one_port.configs.iter().all(|config| config.get_ports() == [5432]));
    }

    #[test]
    fn who_answered_last_is_asked_first() {
        let hosts = hosts("postgres://u@a:1,b:2,c:3/x");
        let order = || hosts.in_turn().map(|(nth, _)| nth).collect::<Vec<_>>();
        assert_eq!(order(), [0, 1, 2]);
        hosts.answered(2);
        assert_eq!(order(), [2, 0, 1]);
    }
}
