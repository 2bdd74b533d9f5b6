//! TLS to the database, by rustls: verified by default.

use super::open_error::OpenError;
use super::url::{Address, TlsMode};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};
use std::sync::Arc;
use tokio_postgres_rustls::MakeRustlsConnect;

/// Returns how connections to `address` are encrypted.
pub(super) fn connector(address: &Address) -> Result<MakeRustlsConnect, OpenError> {
    let provider = Arc::new(ring::default_provider());
    let failed = |why: String| OpenError::Tls { host: address.hosts.clone(), why };
    let config = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|error| failed(error.to_string()))?;
    let config = match address.tls {
        TlsMode::VerifyFull => config.with_root_certificates(roots(address)?),
        TlsMode::Require | TlsMode::Disable => {
            config.dangerous().with_custom_certificate_verifier(Arc::new(AnyCertificate(provider)))
        }
    };
    Ok(MakeRustlsConnect::new(config.with_no_client_auth()))
}

/// Returns the certificates that are trusted: those of the file that the URL names, or the system's.
fn roots(address: &Address) -> Result<RootCertStore, OpenError> {
    let failed = |why: String| OpenError::Tls { host: address.hosts.clone(), why };
    let mut roots = RootCertStore::empty();
    if let Some(path) = &address.root_certificates {
        let unreadable = |error: &dyn std::fmt::Display| {
            failed(format!("certificates in '{}' cannot be read: {error}", path.display()))
        };
        let found = CertificateDer::pem_file_iter(path).map_err(|error| unreadable(&error))?;
        for certificate in found {
            let certificate = certificate.map_err(|error| unreadable(&error))?;
            roots.add(certificate).map_err(|error| unreadable(&error))?;
        }
    } else {
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    }
    if roots.is_empty() {
        return Err(failed("no trusted certificates were found".to_owned()));
    }
    Ok(roots)
}

/// Accepts every certificate, for `sslmode=require`: the connection is encrypted, and no more.
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
