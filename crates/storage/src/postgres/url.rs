//! The URL of a database: the store's own parameters, and the protocol's.
//!
//! Leaves host, port, user, password and database to `tokio-postgres`. Takes out the parameters
//! that it does not know: `schema`, `lanes`, `readers`, `places`, `sharding`, `sslmode`,
//! `sslrootcert`.
//!
//! Invariant: no error repeats a value of the URL.

use super::open_error::OpenError;
use super::options::{PostgresOptions, Sharding};
use std::fmt;
use std::net::IpAddr;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::str::FromStr;
use std::thread;
use tokio_postgres::config::{Config, Host, TargetSessionAttrs};

/// The port of a host for which the URL has none.
const DEFAULT_PORT: u16 = 5432;

/// Encryption that a connection requires.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TlsMode {
    /// No encryption.
    Disable,
    /// Encrypted, to any server.
    Require,
    /// Encrypted, and the certificate is trusted and names the host.
    VerifyFull,
}

/// Parsed URL.
#[derive(Clone)]
pub(super) struct Address {
    pub(super) config: Config,
    pub(super) tls: TlsMode,
    pub(super) root_certificates: Option<PathBuf>,
    pub(super) hosts: String,
}

impl fmt::Debug for Address {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Address({})", self.hosts)
    }
}

impl Address {
    /// Parses a URL, and sets `options` by its parameters.
    pub(super) fn read(url: &str, options: &mut PostgresOptions) -> Result<Self, OpenError> {
        if !url.starts_with("postgres://") && !url.starts_with("postgresql://") {
            return Err(wrong("it begins with postgres:// or postgresql://"));
        }
        let (base, query) = url.split_once('?').unwrap_or((url, ""));
        let mut theirs = Vec::new();
        let (mut tls, mut root_certificates) = (None, None);
        for parameter in query.split('&').filter(|parameter| !parameter.is_empty()) {
            let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
            let value = decode(value).ok_or_else(|| wrong("a parameter has a broken %"))?;
            match name {
                "sslmode" => tls = Some(tls_mode(&value)?),
                "sslrootcert" => root_certificates = Some(PathBuf::from(value)),
                "schema" => options.schema = value,
                "lanes" => options.lanes = number(name, &value)?,
                "readers" => options.readers = number(name, &value)?,
                "places" => options.places = number(name, &value)?,
                "sharding" => options.sharding = sharding(&value)?,
                _ => theirs.push(parameter),
            }
        }
        check(options)?;
        let rest = if theirs.is_empty() {
            base.to_owned()
        } else {
            format!("{base}?{}", theirs.join("&"))
        };
        let mut config = Config::from_str(&rest).map_err(|error| wrong(&config_words(&error)))?;
        if config.get_hosts().len() > 1 {
            config.target_session_attrs(TargetSessionAttrs::ReadWrite);
        }
        if config.get_hosts().is_empty() {
            return Err(wrong("it names no host"));
        }
        if config.get_user().is_none() {
            return Err(wrong("it names no user"));
        }
        let tls = tls.unwrap_or_else(|| default_tls(&config));
        let hosts = config.get_hosts().iter().map(host_name).collect::<Vec<_>>().join(", ");
        Ok(Self { config, tls, root_certificates, hosts })
    }

    /// Returns the number of processors for this process beside the database: half of them if all
    /// hosts are this machine, as far as the URL tells, else `None`.
    pub(super) fn processors_beside(&self) -> Option<usize> {
        let processors = thread::available_parallelism().map_or(1, NonZeroUsize::get);
        has_only_this_machine(&self.config).then(|| processors.div_ceil(2))
    }
}

/// Returns the place in a database's URL, for people: hosts, database and schema. Connects to nothing.
///
/// # Errors
/// The URL is wrong.
pub fn place(url: &str) -> Result<String, OpenError> {
    let mut options = PostgresOptions::default();
    let Address { config, .. } = Address::read(url, &mut options)?;
    let ports = config.get_ports();
    let port_of = |nth: usize| ports.get(nth).or(ports.first()).copied().unwrap_or(DEFAULT_PORT);
    let with_port = |(nth, host)| format!("{}:{}", host_name(host), port_of(nth));
    let hosts: Vec<_> = config.get_hosts().iter().enumerate().map(with_port).collect();
    let database = config.get_dbname().or(config.get_user()).unwrap_or_default();
    Ok(format!(
        "PostgreSQL at {}, database {database}, schema {}",
        hosts.join(", "),
        options.schema
    ))
}

/// Returns the number of processors for a process that uses the database of a URL on its machine,
/// `None` if it is on another one, or the URL is wrong.
pub fn processors_beside(url: &str) -> Option<usize> {
    Address::read(url, &mut PostgresOptions::default()).ok()?.processors_beside()
}

fn wrong(what: &str) -> OpenError {
    OpenError::Url { what: what.to_owned() }
}

/// Returns the fault, without the values of the URL.
fn config_words(error: &tokio_postgres::Error) -> String {
    let words = super::failure::words(error);
    words.strip_prefix("invalid connection string: ").unwrap_or(&words).to_owned()
}

/// Refuses invalid options.
pub(super) fn check(options: &PostgresOptions) -> Result<(), OpenError> {
    let is_name = |name: &str| {
        (1..=63).contains(&name.len())
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    if !is_name(&options.schema) {
        return Err(wrong("schema has 1 to 63 letters, digits and _"));
    }
    if !(1..=64).contains(&options.lanes) || !(1..=256).contains(&options.readers) {
        return Err(wrong("lanes are 1 to 64, readers 1 to 256"));
    }
    if !(1..=32_767).contains(&options.places) {
        return Err(wrong("places are 1 to 32767"));
    }
    if !(64..=2_000).contains(&options.prefix_bytes)
        || options.placement.leading_bytes > options.prefix_bytes
    {
        return Err(wrong("of a key 64 to 2000 bytes are indexed"));
    }
    Ok(())
}

fn number<N: FromStr>(name: &str, value: &str) -> Result<N, OpenError> {
    value.parse().map_err(|_| OpenError::Url { what: format!("{name} is a number") })
}

fn tls_mode(value: &str) -> Result<TlsMode, OpenError> {
    match value {
        "disable" => Ok(TlsMode::Disable),
        "require" => Ok(TlsMode::Require),
        "verify-full" => Ok(TlsMode::VerifyFull),
        _ => Err(wrong("sslmode is verify-full, require or disable")),
    }
}

fn sharding(value: &str) -> Result<Sharding, OpenError> {
    match value {
        "none" => Ok(Sharding::None),
        "citus" => Ok(Sharding::Citus),
        _ => Err(wrong("sharding is none or citus")),
    }
}

/// Returns the mode for a URL that names none: verified, unless all hosts are this machine.
fn default_tls(config: &Config) -> TlsMode {
    if has_only_this_machine(config) { TlsMode::Disable } else { TlsMode::VerifyFull }
}

fn has_only_this_machine(config: &Config) -> bool {
    config.get_hosts().iter().all(|host| match host {
        #[cfg(unix)]
        Host::Unix(_) => true,
        Host::Tcp(name) => {
            name == "localhost" || name.parse().is_ok_and(|address: IpAddr| address.is_loopback())
        }
    })
}

fn host_name(host: &Host) -> String {
    match host {
        #[cfg(unix)]
        Host::Unix(path) => path.display().to_string(),
        Host::Tcp(name) => name.clone(),
    }
}

/// Returns a parameter's text, `None` when a `%` is not followed by two hex digits.
fn decode(text: &str) -> Option<String> {
    let mut decoded = Vec::new();
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        decoded.push(match byte {
            b'%' => {
                let digits = [bytes.next()?, bytes.next()?];
                u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?
            }
            byte => byte,
        });
    }
    String::from_utf8(decoded).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(url: &str) -> Result<(Address, PostgresOptions), String> {
        let mut options = PostgresOptions::default();
        let address = Address::read(url, &mut options).map_err(|error| error.to_string())?;
        Ok((address, options))
    }

    #[test]
    fn parameters_of_ours_are_read_and_those_of_the_protocol_passed_on() {
        let url = "postgres://u:p@db.example.org/base?schema=one&lanes=2&connect_timeout=3&\
                   sslrootcert=%2Ftmp%2Fca.pem";
        let (address, options) = read(url).expect("a good URL");
        assert_eq!((options.schema.as_str(), options.lanes), ("one", 2));
        assert_eq!(address.tls, TlsMode::VerifyFull);
        assert_eq!(address.root_certificates, Some(PathBuf::from("/tmp/ca.pem")));
        assert_eq!(address.config.get_dbname(), Some("base"));
        for local in ["localhost", "127.0.0.1", "%2Fvar%2Frun"] {
            let (address, _) = read(&format!("postgres://u@{local}/x")).expect("a good URL");
            assert_eq!(address.tls, TlsMode::Disable, "{local}");
        }
    }

    #[test]
    fn processors_are_shared_with_a_database_when_all_its_hosts_are_this_machine() {
        for (hosts, expected) in [
            ("localhost", true),
            ("127.0.0.2:7,[::1]:8", true),
            ("%2Fvar%2Frun", true),
            ("localhost,db.example.org", false),
            ("10.0.0.1", false),
        ] {
            let found = processors_beside(&format!("postgres://u@{hosts}/x"));
            assert_eq!(found.is_some(), expected, "{hosts}");
            assert!(found.is_none_or(|processors| processors > 0));
        }
        assert!(processors_beside("mysql://u@localhost/x").is_none());
    }

    #[test]
    fn a_place_has_no_credentials() {
        for (url, expected) in [
            ("postgres://u:secret@h/x", "h:5432, database x, schema hashrange"),
            ("postgresql://u:secret@a:1,b:2/x?schema=s", "a:1, b:2, database x, schema s"),
            ("postgres://u@a,b:7?password=secret", "a:5432, b:7, database u, schema hashrange"),
        ] {
            assert_eq!(place(url), Ok(format!("PostgreSQL at {expected}")), "{url}");
        }
        assert!(place("postgres://u:secret@h/x?lanes=0").is_err());
    }

    #[test]
    fn what_is_wrong_is_said_without_the_password() {
        for url in [
            "mysql://u:secret@h/x",
            "postgres://u:secret@h:port/x",
            "postgres://u:secret@h/x?schema=a%20b",
            "postgres://u:secret@h/x?schema=%2",
            "postgres://u:secret@h/x?lanes=many",
            "postgres://u:secret@h/x?sslmode=prefer",
            "postgres://u:secret@h/x?places=0",
            "postgres://u:secret@h/x?unknown=1",
            "postgres://:secret@/x",
        ] {
            let said = read(url).expect_err(url);
            assert!(!said.contains("secret"), "{said}");
        }
        let (address, _) = read("postgres://u:secret@h/x").expect("a good URL");
        assert!(!format!("{address:?} {:?}", address.config).contains("secret"));
    }
}
