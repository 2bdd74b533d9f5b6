//! Bodies of errors: `{"__type":"<namespace>#<exception>","message":"..."}`.

#![deny(clippy::wildcard_enum_match_arm)]

use hashrange_auth::AuthFault;
use hashrange_model::ApiError;
use hashrange_model::bounds::ECHOED_HEADER_MAX_BYTES;
use hashrange_wire::json::attribute_value::write_item;
use hashrange_wire::json::encode::Encode;
use hashrange_wire::json::writer::write_string;
use hashrange_wire::{cancellation_reasons, throttling_reasons};

/// Body of the answer to a body that is not JSON. Source: captured answers; it has no message.
pub const MALFORMED_JSON: &[u8] =
    br#"{"__type":"com.amazon.coral.service#SerializationException"}"#;

/// Body for a target that names no operation. Source: captured answers; it has no message.
pub const UNKNOWN_OPERATION: &[u8] =
    br#"{"__type":"com.amazon.coral.service#UnknownOperationException"}"#;

/// Body when the server has too much to do; clients try again.
pub const UNAVAILABLE: &[u8] = br#"{"__type":"com.amazon.coral.availability#ServiceUnavailableException","message":"Service is unavailable. Please try again."}"#;

/// Body for anything that is not a request of this protocol. Source: captured answers.
pub const NOT_THE_PROTOCOL: &[u8] = b"<UnknownOperationException/>\n";

/// Returns the body for an error of the API.
pub fn api_error(error: &ApiError) -> Vec<u8> {
    let kind = error.kind();
    let mut out = Vec::with_capacity(256);
    open(&mut out, "", kind.type_name());
    if let Some(message) = error.message() {
        member(&mut out, error.message_member(), &message);
    }
    if let Some(item) = error.item() {
        out.extend_from_slice(b",\"Item\":");
        write_item(&mut out, item);
    }
    if let Some(reasons) = cancellation_reasons(error) {
        out.extend_from_slice(b",\"CancellationReasons\":");
        reasons.encode(&mut out);
    }
    if let Some((member, reasons)) = throttling_reasons(error) {
        out.push(b',');
        out.extend_from_slice(member.as_bytes());
        reasons.encode(&mut out);
    }
    out.push(b'}');
    out
}

/// Returns the name of the exception that a body of an error has.
pub fn exception(body: &[u8]) -> Option<&str> {
    let name = body.strip_prefix(b"{\"__type\":\"")?.split(|byte| *byte == b'"').next()?;
    std::str::from_utf8(name).ok()?.rsplit('#').next()
}

/// Returns the body for a request whose `Host` is no name of this server.
pub fn strange_host(host: &[u8]) -> Vec<u8> {
    let host = shown(host);
    access_denied(&format!(
        "The host '{host}' is no name of this server, which asks for no credentials and so answers \
         to names of this machine only, such as localhost: a web page could have sent this request. \
         The flag --allow-host gives it other names."
    ))
}

/// Returns the body for a request of a web page whose origin is not allowed.
pub fn strange_origin(origin: &[u8]) -> Vec<u8> {
    let origin = shown(origin);
    access_denied(&format!(
        "Web pages of the origin '{origin}' may not use this server. The flag --allow-origin lets \
         them."
    ))
}

fn access_denied(message: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(256);
    open(&mut out, "com.amazon.coral.service#", "AccessDeniedException");
    member(&mut out, "Message", message);
    out.push(b'}');
    out
}

/// Returns the beginning of a client's text.
fn shown(sent: &[u8]) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(&sent[..sent.len().min(ECHOED_HEADER_MAX_BYTES)])
}

/// Returns the body for a request that was not authenticated.
pub fn auth_fault(fault: &AuthFault) -> Vec<u8> {
    let mut out = Vec::with_capacity(256);
    open(&mut out, AuthFault::NAMESPACE, fault.exception());
    member(&mut out, "message", &fault.to_string());
    out.push(b'}');
    out
}

fn open(out: &mut Vec<u8>, namespace: &str, name: &str) {
    out.extend_from_slice(b"{\"__type\":\"");
    out.extend_from_slice(namespace.as_bytes());
    out.extend_from_slice(name.as_bytes());
    out.push(b'"');
}

fn member(out: &mut Vec<u8>, name: &str, text: &str) {
    out.extend_from_slice(b",\"");
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b"\":");
    write_string(out, text);
}

#[cfg(test)]
mod tests {
    use super::*;
    use hashrange_model::{AttributeValue, Item, Reason};

    #[test]
    fn errors_of_the_api_have_their_envelope() {
        let cases = [
            (Reason::MalformedJson, std::str::from_utf8(MALFORMED_JSON).unwrap()),
            (Reason::UnknownOperation, std::str::from_utf8(UNKNOWN_OPERATION).unwrap()),
            (
                Reason::Serialization("NUMBER_VALUE cannot be converted to String".into()),
                r#"{"__type":"com.amazon.coral.service#SerializationException","Message":"NUMBER_VALUE cannot be converted to String"}"#,
            ),
            (
                Reason::ConditionalCheckFailed,
                r#"{"__type":"com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException","message":"The conditional request failed"}"#,
            ),
        ];
        for (reason, expected) in cases {
            let body = api_error(&ApiError::new(reason));
            assert_eq!(std::str::from_utf8(&body).unwrap(), expected);
        }
    }

    #[test]
    fn messages_are_escaped() {
        let body = api_error(&ApiError::new(Reason::Serialization("a\"b\\\n\u{1}é".into())));
        assert!(hashrange_wire::syntax_check(&body).is_ok());
        assert!(String::from_utf8(body).unwrap().contains(r#"a\"b\\\n\u0001é"#));
    }

    #[test]
    fn a_failed_condition_carries_its_item() {
        let key = AttributeValue::S("k".into());
        let item = Item::from_attributes([("pk", key)]);
        let error = ApiError::new(Reason::ConditionalCheckFailed).with_item(Some(item));
        let body = String::from_utf8(api_error(&error)).unwrap();
        assert_eq!(
            body,
            r#"{"__type":"com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException","Message":"The conditional request failed","Item":{"pk":{"S":"k"}}}"#
        );
    }

    #[test]
    fn a_cancelled_transaction_carries_its_reasons() {
        let item = Item::from_attributes([("pk", AttributeValue::S("k".into()))]);
        let failed = ApiError::new(Reason::ConditionalCheckFailed).with_item(Some(item));
        let error = ApiError::new(Reason::TransactionCanceled(vec![None, Some(failed)]));
        assert_eq!(
            String::from_utf8(api_error(&error)).unwrap(),
            r#"{"__type":"com.amazonaws.dynamodb.v20120810#TransactionCanceledException","Message":"Transaction cancelled, please refer cancellation reasons for specific reasons [None, ConditionalCheckFailed]","CancellationReasons":[{"Code":"None"},{"Item":{"pk":{"S":"k"}},"Code":"ConditionalCheckFailed","Message":"The conditional request failed"}]}"#
        );
    }

    #[test]
    fn a_throttled_request_names_the_limit() {
        use hashrange_model::error::{Throttle, ThrottleLimit};
        let throttle = |is_on_demand| {
            ApiError::new(Reason::Throttled(Throttle {
                limit: ThrottleLimit::KeyRange,
                is_index: false,
                is_write: true,
                is_on_demand,
                resource: "arn:t".into(),
            }))
        };
        for (is_on_demand, end) in [
            (
                false,
                r#","ThrottlingReasons":[{"reason":"TableWriteKeyRangeThroughputExceeded","resource":"arn:t"}]}"#,
            ),
            (
                true,
                r#","throttlingReasons":[{"reason":"TableWriteKeyRangeThroughputExceeded","resource":"arn:t"}]}"#,
            ),
        ] {
            let body = String::from_utf8(api_error(&throttle(is_on_demand))).unwrap();
            assert!(body.ends_with(end), "{body}");
        }
    }

    #[test]
    fn authentication_faults_have_their_envelope() {
        let body = auth_fault(&AuthFault::MissingToken);
        assert_eq!(
            std::str::from_utf8(&body).unwrap(),
            r#"{"__type":"com.amazon.coral.service#MissingAuthenticationTokenException","message":"Request is missing Authentication Token"}"#
        );
    }
}
