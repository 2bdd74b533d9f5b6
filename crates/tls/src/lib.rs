//! Trust of a TLS client, as a configuration of rustls with ring.
//!
//! The commands use it for servers at `https://`, the store for databases. Neither connects here.

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{WebPkiServerVerifier, verify_server_name};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme,
};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Certificates that a client accepts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Trust {
    /// Certificates signed by an authority that the system trusts, for the name in the address.
    #[default]
    System,
    /// Certificates signed by one in this file (PEM), and the file's own ones, for the name in the
    /// address.
    File(PathBuf),
    /// All: the connection is encrypted, but the server is not authenticated.
    Anybody,
}

/// No configuration can be made; the caller has to choose another [`Trust`].
#[derive(Debug)]
pub enum TrustError {
    /// The file of certificates cannot be read.
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Cause.
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
    let accepted = match trust {
        Trust::System => {
            return Ok(config.with_root_certificates(of_the_system()?).with_no_client_auth());
        }
        Trust::File(path) => Accepted::of_file(path, &provider)?,
        Trust::Anybody => Accepted::Any,
    };
    let verifier = Arc::new(Verifier { accepted, provider });
    let config = config.dangerous().with_custom_certificate_verifier(verifier);
    Ok(config.with_no_client_auth())
}

fn of_the_system() -> Result<RootCertStore, TrustError> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if roots.is_empty() { Err(TrustError::NoneFound) } else { Ok(roots) }
}

/// Accepts certificates by a client's trust; always checks that the server holds its key.
#[derive(Debug)]
struct Verifier {
    accepted: Accepted,
    provider: Arc<CryptoProvider>,
}

/// Certificates that are accepted.
#[derive(Debug)]
enum Accepted {
    /// All.
    Any,
    /// Certificates that the file's ones have signed, and these themselves. A server's certificate
    /// that signed itself is an authority as well (`openssl req -x509`), which webpki accepts from
    /// no server.
    OfFile { signed: Arc<WebPkiServerVerifier>, certificates: Vec<CertificateDer<'static>> },
}

impl Accepted {
    fn of_file(path: &Path, provider: &Arc<CryptoProvider>) -> Result<Self, TrustError> {
        let unreadable = |error: &dyn fmt::Display| TrustError::Unreadable {
            path: path.to_owned(),
            why: error.to_string(),
        };
        let read = CertificateDer::pem_file_iter(path).map_err(|error| unreadable(&error))?;
        let certificates: Vec<_> =
            read.collect::<Result<_, _>>().map_err(|error| unreadable(&error))?;
        let mut roots = RootCertStore::empty();
        for certificate in &certificates {
            roots.add(certificate.clone()).map_err(|error| unreadable(&error))?;
        }
        if roots.is_empty() {
            return Err(TrustError::NoneFound);
        }
        let builder =
            WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::clone(provider));
        let signed = builder.build().map_err(|error| unreadable(&error))?;
        Ok(Self::OfFile { signed, certificates })
    }
}

/// Returns whether the only fault of a certificate is that it is an authority. webpki checks its
/// dates before.
fn is_of_authority(error: &rustls::Error) -> bool {
    let rustls::Error::InvalidCertificate(CertificateError::Other(other)) = error else {
        return false;
    };
    other.to_string() == "CaUsedAsEndEntity"
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        let Accepted::OfFile { signed, certificates } = &self.accepted else {
            return Ok(ServerCertVerified::assertion());
        };
        match signed.verify_server_cert(certificate, intermediates, name, ocsp, now) {
            Err(error) if is_of_authority(&error) && certificates.contains(certificate) => {
                verify_server_name(&ParsedCertificate::try_from(certificate)?, name)?;
                Ok(ServerCertVerified::assertion())
            }
            verified => verified,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signature, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signature, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
