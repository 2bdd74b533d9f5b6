//! Codes of `CancellationReasons`: the reason why an action of a transaction failed.

use super::{ApiError, ErrorKind};

/// Returns the code of an action that failed with `error`, or succeeded.
/// Source: DynamoDB API reference, TransactWriteItems, "Cancellation reason codes and messages".
pub fn cancellation_code(error: Option<&ApiError>) -> &'static str {
    let Some(error) = error else { return "None" };
    let kind = error.kind();
    if kind == ErrorKind::Validation {
        return "ValidationError";
    }
    if kind == ErrorKind::Throttling {
        return "ThrottlingError";
    }
    let name = kind.short_name();
    name.strip_suffix("Exception").unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Reason;

    #[test]
    fn codes_are_the_service_s() {
        for (reason, code) in [
            (Reason::ConditionalCheckFailed, "ConditionalCheckFailed"),
            (Reason::ItemCollectionTooLarge, "ItemCollectionSizeLimitExceeded"),
            (Reason::KeyElementMismatch, "ValidationError"),
        ] {
            assert_eq!(cancellation_code(Some(&reason.into())), code);
        }
        assert_eq!(cancellation_code(None), "None");
    }
}
