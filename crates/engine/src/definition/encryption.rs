//! `SSESpecification`: its rules, and the encryption that it requests for a table.
//!
//! There is no key management service here. The requested key is recorded and described; nothing is
//! encrypted with it, and every name of a key is accepted (`docs/compat.md`).

use crate::schema::EncryptionKey;
use hashrange_model::Reason;
use hashrange_model::error::TableFault;
use hashrange_wire::{SSESpecification, SSEType};

/// Encryption of a table; `None` is encryption with the service's own key.
pub(crate) type Encryption = Option<EncryptionKey>;

/// Returns the requested encryption. An empty specification requests the service's own key.
pub(crate) fn asked(specification: &SSESpecification) -> Result<Encryption, Reason> {
    let refused = |fault| Err(Reason::TableDefinition(fault));
    let key = specification.kms_master_key_id.as_ref();
    if specification.enabled == Some(false) {
        if specification.sse_type.is_some() {
            return refused(TableFault::EncryptionOffWith { member: "SSEType" });
        }
        if key.is_some() {
            return refused(TableFault::EncryptionOffWith { member: "KMSMasterKeyId" });
        }
        return Ok(None);
    }
    match (specification.sse_type, key) {
        (Some(SSEType::Aes256), _) => refused(TableFault::EncryptionTypeUnsupported),
        (None, Some(_)) => refused(TableFault::EncryptionKeyWithoutType),
        (Some(SSEType::Kms), key) => {
            Ok(Some(EncryptionKey::from(key.cloned().unwrap_or_default())))
        }
        (None, None) => {
            Ok((specification.enabled == Some(true)).then_some(EncryptionKey::OfAccount))
        }
    }
}

/// Returns the encryption that an update requests. A request for the current encryption is refused
/// only where the service refuses it: without encryption, and with a key that is named by its ARN.
pub(crate) fn changed(
    current: &Encryption,
    specification: &SSESpecification,
) -> Result<Encryption, Reason> {
    let asked = asked(specification)?;
    match (&asked, current) {
        (None, None) => Err(Reason::TableDefinition(TableFault::EncryptionOff)),
        (Some(EncryptionKey::Named(asked)), Some(EncryptionKey::Named(current)))
            if asked == current && asked.starts_with("arn:") =>
        {
            Err(Reason::TableDefinition(TableFault::EncryptionKeyUnchanged))
        }
        _ => Ok(asked),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encryption_is_recorded_only_when_asked_for() {
        let given = |enabled, sse_type| SSESpecification {
            enabled,
            sse_type,
            ..SSESpecification::default()
        };
        assert_eq!(asked(&given(None, None)), Ok(None));
        assert_eq!(asked(&given(Some(false), None)), Ok(None));
        assert_eq!(asked(&given(Some(true), None)), Ok(Some(EncryptionKey::OfAccount)));
        assert_eq!(asked(&given(None, Some(SSEType::Kms))), Ok(Some(EncryptionKey::OfAccount)));
    }
}
