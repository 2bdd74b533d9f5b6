//! Rules for web pages: the origins that may call, and the names by which the server is called.
//!
//! A browser lets any page send requests to any address. Two checks keep foreign pages out of a
//! database that accepts any credentials: the `Origin`, which the browser adds to a page's
//! requests, and the `Host`, which shows the page's own name if its owner pointed that name at this
//! server (DNS rebinding). A server that verifies signatures lets every page call, as the service
//! does: a page without a key gets nothing.
//!
//! Source: RFC 6454 and the Fetch standard (origins), RFC 9110 section 7.2 (Host), RFC 6761
//! (localhost).

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

/// An origin whose pages may call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AllowedOrigin {
    /// Every one.
    Any,
    /// This one: `null`, or scheme, host and port as browsers write them.
    Only(String),
}

impl FromStr for AllowedOrigin {
    type Err = BadWebName;

    fn from_str(text: &str) -> Result<Self, BadWebName> {
        if text == "*" {
            return Ok(Self::Any);
        }
        let is_origin = text == "null"
            || text.split_once("://").is_some_and(|(scheme, rest)| {
                let is_scheme = |byte: u8| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte);
                !scheme.is_empty() && scheme.bytes().all(is_scheme) && is_authority(rest)
            });
        if is_origin { Ok(Self::Only(text.to_ascii_lowercase())) } else { Err(BadWebName::Origin) }
    }
}

/// A name by which the server may be called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AllowedHost {
    /// Any.
    Any,
    /// This one, without port, in small letters.
    Only(String),
}

impl FromStr for AllowedHost {
    type Err = BadWebName;

    fn from_str(text: &str) -> Result<Self, BadWebName> {
        if text == "*" {
            return Ok(Self::Any);
        }
        let name = match text.parse::<Ipv6Addr>() {
            Ok(_) => format!("[{text}]"),
            Err(_) => text.to_ascii_lowercase(),
        };
        let is_name = is_authority(&name) && host_of(&name) == name;
        if is_name { Ok(Self::Only(name)) } else { Err(BadWebName::Host) }
    }
}

/// Text that names no origin or no host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BadWebName {
    /// The text is no origin.
    Origin,
    /// The text is no host.
    Host,
}

impl fmt::Display for BadWebName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Origin => "an origin is written like http://localhost:3000, or * for every one",
            Self::Host => "a host is a name or an address without port, or * for any",
        })
    }
}

impl std::error::Error for BadWebName {}

/// Settings for web pages and names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Web {
    /// Origins whose pages may call. If empty: all if the server verifies signatures, else those on
    /// this machine.
    pub origins: Vec<AllowedOrigin>,
    /// Names by which the server may be called, beside those of this machine. If empty: any name if
    /// the server verifies signatures or other machines reach it.
    pub hosts: Vec<AllowedHost>,
    /// Name that the server listens on. It is one of the server's names, but makes no rule.
    pub own_host: Option<AllowedHost>,
}

/// Reason why a request is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stranger {
    /// The `Host` is no name of this server.
    Host,
    /// The `Origin` is not allowed.
    Origin,
}

/// Origin of a request, as far as pages are concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageOrigin {
    /// The request is from no page.
    None,
    /// The request is from a page, and pages of every origin may read the answer.
    OfAny,
    /// The request is from a page that may read the answer.
    OfThis,
}

/// The rules of a running server.
#[derive(Debug)]
pub struct Rules {
    any_origin: bool,
    origins: Vec<String>,
    any_host: bool,
    hosts: Vec<String>,
}

impl Rules {
    /// Returns the rules of a server. `is_open` is true if it accepts any credentials, `is_local`
    /// if only this machine reaches it.
    pub fn new(web: &Web, is_open: bool, is_local: bool) -> Self {
        let mut rules = Self {
            any_origin: web.origins.is_empty() && !is_open,
            origins: Vec::new(),
            any_host: web.hosts.is_empty() && !(is_open && is_local),
            hosts: Vec::new(),
        };
        for origin in &web.origins {
            match origin {
                AllowedOrigin::Any => rules.any_origin = true,
                AllowedOrigin::Only(origin) => rules.origins.push(origin.clone()),
            }
        }
        for host in web.hosts.iter().chain(&web.own_host) {
            match host {
                AllowedHost::Any => rules.any_host = true,
                AllowedHost::Only(host) => rules.hosts.push(host.clone()),
            }
        }
        rules
    }

    /// Judges a request by its `Host` and its `Origin`.
    pub fn judge(
        &self,
        host: Option<&[u8]>,
        origin: Option<&[u8]>,
    ) -> Result<PageOrigin, Stranger> {
        let host = host.unwrap_or_default();
        if !self.any_host && !self.is_own_host(host) {
            return Err(Stranger::Host);
        }
        match origin {
            None => Ok(PageOrigin::None),
            Some(_) if self.any_origin => Ok(PageOrigin::OfAny),
            Some(origin) if self.allows_origin(origin, host) => Ok(PageOrigin::OfThis),
            Some(_) => Err(Stranger::Origin),
        }
    }

    fn is_own_host(&self, host: &[u8]) -> bool {
        if is_usual_loopback(host) {
            return true;
        }
        let Ok(host) = std::str::from_utf8(host) else { return false };
        let name = host_of(host);
        is_loopback(name) || self.hosts.iter().any(|own| own.eq_ignore_ascii_case(name))
    }

    fn allows_origin(&self, origin: &[u8], host: &[u8]) -> bool {
        let Ok(origin) = std::str::from_utf8(origin) else { return false };
        if self.origins.iter().any(|allowed| allowed.eq_ignore_ascii_case(origin)) {
            return true;
        }
        let Some((_, authority)) = origin.split_once("://") else { return false };
        is_authority(authority)
            && (is_loopback(host_of(authority)) || self.is_same(authority, host))
    }

    /// Returns true for a page of this very server: its address is the `Host` of the request, and
    /// that is no name that a stranger could have pointed here.
    fn is_same(&self, authority: &str, host: &[u8]) -> bool {
        let is_safe = || {
            let name = host_of(authority);
            ip_of(name).is_some() || self.hosts.iter().any(|own| own.eq_ignore_ascii_case(name))
        };
        authority.as_bytes().eq_ignore_ascii_case(host) && is_safe()
    }
}

/// Returns a host without its port.
fn host_of(authority: &str) -> &str {
    match authority.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => {
            // The colons of an address in brackets are no ports.
            if name.starts_with('[') && !name.ends_with(']') { authority } else { name }
        }
        _ => authority,
    }
}

/// Returns true for a host with or without a port, and nothing else.
fn is_authority(text: &str) -> bool {
    let name = host_of(text);
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
    !name.is_empty()
        && (name.bytes().all(is_plain) || (name.starts_with('[') && ip_of(name).is_some()))
}

/// Returns true for names and addresses of this machine alone.
fn is_loopback(name: &str) -> bool {
    let name = name.strip_suffix('.').unwrap_or(name);
    let is_localhost = |name: &str| name.eq_ignore_ascii_case("localhost");
    if is_localhost(name) || name.rsplit_once('.').is_some_and(|(_, last)| is_localhost(last)) {
        return true;
    }
    match ip_of(name) {
        Some(IpAddr::V4(address)) => address.is_loopback(),
        Some(IpAddr::V6(address)) => address.to_canonical().is_loopback(),
        None => false,
    }
}

/// Returns true for the names that clients on this machine usually write, with or without a port: a
/// fast path of [`is_loopback`].
fn is_usual_loopback(host: &[u8]) -> bool {
    let rest = host.strip_prefix(b"localhost").or_else(|| host.strip_prefix(b"127.0.0.1"));
    match rest {
        Some([b':', port @ ..]) => port.iter().all(u8::is_ascii_digit),
        Some(rest) => rest.is_empty(),
        None => false,
    }
}

/// Returns the address in a host; an IPv6 address stands in brackets.
fn ip_of(name: &str) -> Option<IpAddr> {
    match name.strip_prefix('[') {
        Some(rest) => rest.strip_suffix(']')?.parse::<Ipv6Addr>().ok().map(IpAddr::V6),
        None => name.parse::<Ipv4Addr>().ok().map(IpAddr::V4),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_short_way_to_loopback_agrees_with_the_long_one() {
        let usual = ["localhost", "localhost:", "localhost:8000", "127.0.0.1", "127.0.0.1:1"];
        let others = ["localhost.evil.test", "localhost:8a", "127.0.0.1.evil.test", "127.0.0.10x"];
        for host in usual {
            assert!(is_usual_loopback(host.as_bytes()) && is_loopback(host_of(host)), "{host}");
        }
        for host in others {
            assert!(!is_usual_loopback(host.as_bytes()) && !is_loopback(host_of(host)), "{host}");
        }
        assert!(!is_usual_loopback(b""));
    }

    fn rules(origins: &[&str], hosts: &[&str], is_open: bool, is_local: bool) -> Rules {
        let web = Web {
            origins: origins.iter().map(|text| text.parse().unwrap()).collect(),
            hosts: hosts.iter().map(|text| text.parse().unwrap()).collect(),
            own_host: Some("own.internal".parse().unwrap()),
        };
        Rules::new(&web, is_open, is_local)
    }

    fn host(rules: &Rules, host: &str) -> bool {
        rules.judge(Some(host.as_bytes()), None).is_ok()
    }

    fn origin(rules: &Rules, origin: &str, host: &str) -> bool {
        rules.judge(Some(host.as_bytes()), Some(origin.as_bytes())).is_ok()
    }

    #[test]
    fn a_local_server_without_credentials_has_local_names_and_those_it_was_given() {
        let plain = rules(&[], &[], true, true);
        for own in [
            "localhost",
            "localhost:8000",
            "LocalHost:8000",
            "localhost.:8000",
            "a.localhost",
            "a.b.localhost:1",
            "127.0.0.1",
            "127.0.0.1:8000",
            "own.internal:8000",
            "127.9.8.7:8000",
            "[::1]",
            "[::1]:8000",
            "[::ffff:127.0.0.1]:1",
        ] {
            assert!(host(&plain, own), "{own}");
        }
        for strange in [
            "",
            "evil.example",
            "evil.example:8000",
            "localhost.evil.example",
            "evillocalhost",
            "127.0.0.1.evil.example",
            "127.0.0.1:8000.evil.example",
            "128.0.0.1",
            "0.0.0.0:8000",
            "192.168.1.5",
            "[::2]",
            "[::1",
            "::1",
            "[::1]x",
            "localhost:80:80",
            "2130706433",
            "127.1",
            "local host",
            "user@localhost",
            "\u{e9}",
        ] {
            assert!(!host(&plain, strange), "{strange}");
        }
        assert!(plain.judge(Some(b"\xff"), None).is_err() && plain.judge(None, None).is_err());
        let named = rules(&[], &["db.internal", "10.0.0.1", "fe80::1"], true, true);
        for own in
            ["db.internal", "DB.internal:8000", "10.0.0.1:8000", "[fe80::1]:8000", "localhost"]
        {
            assert!(host(&named, own), "{own}");
        }
        assert!(!host(&named, "x.db.internal"));
        assert!(host(&rules(&[], &["*"], true, true), "evil.example"));
    }

    #[test]
    fn other_servers_have_any_name_unless_they_were_given_some() {
        for (is_open, is_local) in [(false, true), (false, false), (true, false)] {
            assert!(host(&rules(&[], &[], is_open, is_local), "db:8000"));
            let named = rules(&[], &["db"], is_open, is_local);
            assert!(host(&named, "db:8000") && host(&named, "localhost"));
            assert!(!host(&named, "evil.example"));
        }
    }

    #[test]
    fn without_credentials_pages_of_this_machine_and_allowed_ones_may_call() {
        for is_local in [true, false] {
            let rules = rules(&["https://app.example"], &[], true, is_local);
            for own in [
                "http://localhost:3000",
                "https://localhost",
                "http://127.0.0.1:8000",
                "http://[::1]:3000",
                "http://app.localhost",
                "https://app.example",
                "HTTPS://APP.example",
            ] {
                assert!(origin(&rules, own, "localhost:8000"), "{own}");
            }
            for strange in [
                "null",
                "",
                "https://evil.example",
                "http://app.example",
                "https://app.example:444",
                "https://app.example.evil.example",
                "http://localhost.evil.example",
                "http://localhost:3000/x",
                "http://localhost@evil.example",
                "file://",
                "localhost",
                "http://evil.example/localhost",
            ] {
                assert!(!origin(&rules, strange, "localhost:8000"), "{strange}");
            }
        }
    }

    #[test]
    fn pages_of_the_server_itself_may_call_unless_their_name_could_be_a_strangers() {
        let open = rules(&[], &[], true, false);
        assert!(origin(&open, "http://192.168.1.5:8000", "192.168.1.5:8000"));
        assert!(!origin(&open, "http://192.168.1.5:8000", "192.168.1.6:8000"));
        assert!(!origin(&open, "http://evil.example:8000", "evil.example:8000"));
        let named = rules(&[], &["db"], true, false);
        assert!(origin(&named, "http://db:8000", "db:8000"));
        assert!(!origin(&named, "http://db:8001", "db:8000"));
    }

    #[test]
    fn with_credentials_every_page_may_call_unless_some_are_named() {
        let every = rules(&[], &[], false, false);
        assert!(origin(&every, "https://evil.example", "db") && origin(&every, "null", "db"));
        let some = rules(&["https://app.example"], &[], false, false);
        assert!(origin(&some, "https://app.example", "db"));
        assert!(!origin(&some, "https://evil.example", "db"));
        assert!(origin(&rules(&["*"], &[], true, true), "null", "localhost"));
        assert!(origin(&rules(&["null"], &[], true, true), "null", "localhost"));
    }

    #[test]
    fn what_is_no_origin_or_host_is_refused() {
        for text in ["", "localhost", "http://", "http://a/", "http://a b", "://a", "http://a:x"] {
            assert_eq!(text.parse::<AllowedOrigin>(), Err(BadWebName::Origin), "{text}");
        }
        for text in ["", "a:80", "http://a", "a/b", "a b", "[::1", "*.a"] {
            assert_eq!(text.parse::<AllowedHost>(), Err(BadWebName::Host), "{text}");
        }
    }
}
