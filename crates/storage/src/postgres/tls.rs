//! TLS to the database: verified by default.

use super::open_error::OpenError;
use super::url::{Address, TlsMode};
use hashrange_tls::{Trust, client_config};
use tokio_postgres_rustls::MakeRustlsConnect;

/// Returns the TLS connector for `address`.
pub(super) fn connector(address: &Address) -> Result<MakeRustlsConnect, OpenError> {
    let trust = match (address.tls, &address.root_certificates) {
        (TlsMode::VerifyFull, Some(path)) => Trust::File(path.clone()),
        (TlsMode::VerifyFull, None) => Trust::System,
        (TlsMode::Require | TlsMode::Disable, _) => Trust::Anybody,
    };
    let config = client_config(&trust)
        .map_err(|why| OpenError::Tls { host: address.hosts.clone(), why: why.to_string() })?;
    Ok(MakeRustlsConnect::new(config))
}
