//! Reasons why a request was not authenticated, with the exception name and the sentence for each.
//!
//! The variants stand in the order of the checks. The sentences are those recorded from the
//! service; a comment marks a reason without a recorded sentence.

#![deny(clippy::wildcard_enum_match_arm)]

use std::fmt;

use crate::timestamp::Timestamp;

/// Reason why a request was not authenticated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AuthFault {
    /// The request is signed in the header and in the query at once.
    HeaderAndQuery,
    /// The request is not signed, or not with an algorithm of the `AWS4-` family.
    MissingToken,
    /// The `Authorization` header lacks parts, or the request lacks a date.
    IncompleteHeader {
        /// The parts that are absent or empty.
        missing: Vec<HeaderPart>,
        /// The header as sent.
        authorization: String,
    },
    /// The query lacks parts of the signature.
    IncompleteQuery {
        /// The parts that are absent or empty.
        missing: Vec<QueryPart>,
    },
    /// The date is not in ISO 8601 basic format.
    BadDate {
        /// The date as sent.
        got: String,
    },
    /// `X-Amz-Expires` is not a number of seconds from 1 to a week.
    BadExpires {
        /// The value as sent.
        got: String,
    },
    /// The signature has outlived its lifetime.
    Expired {
        /// Time of the signature.
        signed_at: Timestamp,
        /// The time of the check.
        now: Timestamp,
        /// Lifetime of the signature, in seconds.
        valid_s: u32,
    },
    /// The signature is from the future by more than the allowed clock skew.
    NotYetCurrent {
        /// Time of the signature.
        signed_at: Timestamp,
        /// The time of the check.
        now: Timestamp,
        /// The allowed clock skew, in seconds.
        skew_s: u32,
    },
    /// The `Host` header is not signed.
    HostNotSigned,
    /// The signature does not cover a header that says what the server should do. The service has
    /// no such check.
    HeaderNotSigned(&'static str),
    /// The algorithm is not `AWS4-HMAC-SHA256`.
    UnsupportedAlgorithm {
        /// The algorithm as sent.
        algorithm: String,
    },
    /// The credential does not have five parts.
    CredentialParts {
        /// The credential as sent.
        credential: String,
    },
    /// The credential is for another region, service, terminator or date.
    Scope(Vec<ScopeFault>),
    /// No credentials with this access key id are known.
    UnknownAccessKey,
    /// The signature is not the one of this request and secret.
    SignatureMismatch,
    /// The session token is absent, wrong, or sent with credentials that have none.
    BadSessionToken,
    /// The temporary credentials have expired.
    ExpiredSessionToken,
}

/// A part that a request signed by header must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeaderPart {
    /// `Credential=`
    Credential,
    /// `Signature=`
    Signature,
    /// `SignedHeaders=`
    SignedHeaders,
    /// The header `X-Amz-Date` or `Date`.
    Date,
}

/// A parameter that a request signed by query must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueryPart {
    /// `X-Amz-Algorithm`
    Algorithm,
    /// `X-Amz-Credential`
    Credential,
    /// `X-Amz-Signature`
    Signature,
    /// `X-Amz-SignedHeaders`
    SignedHeaders,
    /// `X-Amz-Date`
    Date,
}

/// Fault in the scope of a credential.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScopeFault {
    /// The region has characters or a length that no region name has.
    Region(String),
    /// The service is not `dynamodb`.
    Service,
    /// The last part is not `aws4_request`.
    Terminator(String),
    /// The date is not the day of the request's date.
    Date {
        /// The date in the credential.
        scope_date: String,
        /// Time of the signature.
        signed_at: Timestamp,
    },
}

impl AuthFault {
    /// The namespace in which the service names these exceptions.
    pub const NAMESPACE: &'static str = "com.amazon.coral.service#";

    /// Returns whether the request has a signature that lacks the service's form. A missing date
    /// alone is no such fault: a server that accepts every credential does not use the date.
    #[must_use]
    pub fn is_wrong_form(&self) -> bool {
        match self {
            Self::HeaderAndQuery | Self::IncompleteQuery { .. } => true,
            Self::IncompleteHeader { missing, .. } => missing != &[HeaderPart::Date],
            Self::MissingToken
            | Self::BadDate { .. }
            | Self::BadExpires { .. }
            | Self::Expired { .. }
            | Self::NotYetCurrent { .. }
            | Self::HostNotSigned
            | Self::HeaderNotSigned(_)
            | Self::UnsupportedAlgorithm { .. }
            | Self::CredentialParts { .. }
            | Self::Scope(_)
            | Self::UnknownAccessKey
            | Self::SignatureMismatch
            | Self::BadSessionToken
            | Self::ExpiredSessionToken => false,
        }
    }

    /// Returns the exception's name without its namespace.
    #[must_use]
    pub const fn exception(&self) -> &'static str {
        match self {
            Self::MissingToken => "MissingAuthenticationTokenException",
            Self::IncompleteHeader { .. }
            | Self::IncompleteQuery { .. }
            | Self::BadDate { .. }
            | Self::BadExpires { .. }
            | Self::UnsupportedAlgorithm { .. }
            | Self::CredentialParts { .. } => "IncompleteSignatureException",
            Self::HeaderAndQuery
            | Self::Expired { .. }
            | Self::NotYetCurrent { .. }
            | Self::HostNotSigned
            | Self::HeaderNotSigned(_)
            | Self::Scope(_)
            | Self::SignatureMismatch => "InvalidSignatureException",
            Self::UnknownAccessKey | Self::BadSessionToken => "UnrecognizedClientException",
            Self::ExpiredSessionToken => "ExpiredTokenException",
        }
    }

    /// Returns the exception's name and message.
    #[must_use]
    pub fn wire(&self) -> (&'static str, Option<String>) {
        (self.exception(), Some(self.to_string()))
    }
}

impl fmt::Display for AuthFault {
    #[expect(clippy::too_many_lines, reason = "a flat table of sentences, one an arm")]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::HeaderAndQuery => f.write_str(
                "Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP \
                 header.",
            ),
            Self::MissingToken => f.write_str("Request is missing Authentication Token"),
            Self::IncompleteHeader { missing, authorization } => {
                missing.iter().try_for_each(|part| part.fmt(f))?;
                write!(f, "Authorization={authorization}")
            }
            Self::IncompleteQuery { missing } => {
                missing.iter().try_for_each(|part| part.fmt(f))?;
                f.write_str("Re-examine the query-string parameters.")
            }
            Self::BadDate { got } => write!(
                f,
                "Date must be in ISO-8601 'basic format'. Got '{got}'. \
                 See http://en.wikipedia.org/wiki/ISO_8601"
            ),
            // No sentence of the service is recorded for this reason.
            Self::BadExpires { got } => write!(
                f,
                "'X-Amz-Expires' must be a number of seconds between 1 and 604800. Got '{got}'."
            ),
            Self::Expired { signed_at, now, valid_s } => {
                let limit = now.plus_s(-i64::from(*valid_s));
                let valid = Span(*valid_s);
                write!(
                    f,
                    "Signature expired: {signed_at} is now earlier than {limit} ({now} - {valid})"
                )
            }
            Self::NotYetCurrent { signed_at, now, skew_s } => {
                let limit = now.plus_s(i64::from(*skew_s));
                let skew = Span(*skew_s);
                write!(
                    f,
                    "Signature not yet current: {signed_at} is still later than {limit} \
                     ({now} + {skew})"
                )
            }
            Self::HostNotSigned => {
                f.write_str("'Host' must be a 'SignedHeader' in the AWS Authorization.")
            }
            Self::HeaderNotSigned(header) => {
                write!(f, "'{header}' must be a 'SignedHeader' in the AWS Authorization.")
            }
            Self::UnsupportedAlgorithm { algorithm } => write!(
                f,
                "Unsupported AWS 'algorithm': '{algorithm}' (only AWS4-HMAC-SHA256 for now). "
            ),
            Self::CredentialParts { credential } => write!(
                f,
                "Credential must have exactly 5 slash-delimited elements, e.g. \
                 keyid/date/region/service/term, got '{credential}'"
            ),
            Self::Scope(faults) => faults.iter().try_for_each(|fault| fault.fmt(f)),
            Self::UnknownAccessKey => {
                f.write_str("The security token included in the request is invalid.")
            }
            Self::SignatureMismatch => f.write_str(
                "The request signature we calculated does not match the signature you provided. \
                 Check your AWS Secret Access Key and signing method. \
                 Consult the service documentation for details.",
            ),
            Self::BadSessionToken => {
                f.write_str("The security token included in the request is invalid")
            }
            Self::ExpiredSessionToken => {
                f.write_str("The security token included in the request is expired")
            }
        }
    }
}

impl std::error::Error for AuthFault {}

impl fmt::Display for HeaderPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self {
            Self::Credential => "Credential",
            Self::Signature => "Signature",
            Self::SignedHeaders => "SignedHeaders",
            Self::Date => {
                return f.write_str(
                    "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' \
                     header. ",
                );
            }
        };
        write!(f, "Authorization header requires '{name}' parameter. ")
    }
}

impl QueryPart {
    /// Returns the parameter's name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Algorithm => "X-Amz-Algorithm",
            Self::Credential => "X-Amz-Credential",
            Self::Signature => "X-Amz-Signature",
            Self::SignedHeaders => "X-Amz-SignedHeaders",
            Self::Date => "X-Amz-Date",
        }
    }
}

impl fmt::Display for QueryPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AWS query-string parameters must include '{}'. ", self.name())
    }
}

impl fmt::Display for ScopeFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Region(region) => {
                write!(f, "Credential should be scoped to a valid region, not '{region}'. ")
            }
            Self::Service => {
                f.write_str("Credential should be scoped to correct service: 'dynamodb'. ")
            }
            Self::Terminator(terminator) => write!(
                f,
                "Credential should be scoped with a valid terminator: 'aws4_request', \
                 not '{terminator}'. "
            ),
            Self::Date { scope_date, signed_at } => {
                let signed = signed_at.to_string();
                let day = &signed[..8];
                write!(
                    f,
                    "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of \
                     date from HTTP: '{scope_date}' != '{day}', from '{signed}'."
                )
            }
        }
    }
}

/// A length of time in the service's words: minutes if they are whole.
struct Span(u32);

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            seconds if seconds % 60 == 0 => write!(f, "{} min.", seconds / 60),
            seconds => write!(f, "{seconds} sec."),
        }
    }
}
