//! Whom the client of a TLS connection trusts, as a configuration of rustls with ring.
//!
//! The commands use it for servers at `https://`, the store for databases. Neither connects here.

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Whose certificates a client accepts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Trust {
    /// Those signed by an authority that the system trusts, for the name that is connected to.
    #[default]
    System,
    /// Those signed by a certificate in this file (PEM), for the name that is connected to.
    File(PathBuf),
    /// All: the connection is encrypted, and whoever answers may be anybody.
    Anybody,
}

/// No configuration can be made; the caller has to choose another [`Trust`].
#[derive(Debug)]
pub enum TrustError {
    /// The file of certificates cannot be read.
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// Neither the system nor the file has a certificate.
    NoneFound,
    /// The cryptography has no usable protocol.
    Protocol(rustls::Error),
}

impl fmt::Display for TrustError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable { path, why } => {
                write!(formatter, "certificates in '{}' cannot be read: {why}", path.display())
            }
            Self::NoneFound => formatter.write_str("no trusted certificates were found"),
            Self::Protocol(error) => write!(formatter, "{error}"),
        }
    }
}

impl std::error::Error for TrustError {}

/// Returns the configuration of a client without a certificate of its own.
pub fn client_config(trust: &Trust) -> Result<ClientConfig, TrustError> {
    let provider = Arc::new(ring::default_provider());
    let config = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(TrustError::Protocol)?;
    let config = match trust {
        Trust::System => config.with_root_certificates(of_the_system()?),
        Trust::File(path) => config.with_root_certificates(of_file(path)?),
        Trust::Anybody => {
            config.dangerous().with_custom_certificate_verifier(Arc::new(AnyCertificate(provider)))
        }
    };
    Ok(config.with_no_client_auth())
}

fn of_the_system() -> Result<RootCertStore, TrustError> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if roots.is_empty() { Err(TrustError::NoneFound) } else { Ok(roots) }
}

fn of_file(path: &Path) -> Result<RootCertStore, TrustError> {
    let unreadable = |error: &dyn fmt::Display| TrustError::Unreadable {
        path: path.to_owned(),
        why: error.to_string(),
    };
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_file_iter(path).map_err(|error| unreadable(&error))? {
        let certificate = certificate.map_err(|error| unreadable(&error))?;
        roots.add(certificate).map_err(|error| unreadable(&error))?;
    }
    if roots.is_empty() { Err(TrustError::NoneFound) } else { Ok(roots) }
}

/// Accepts every certificate; still checks that the server holds its key.
#[derive(Debug)]
struct AnyCertificate(Arc<CryptoProvider>);

impl ServerCertVerifier for AnyCertificate {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.0.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signature, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.0.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signature, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
