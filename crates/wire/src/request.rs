//! Turns a body into a request that satisfies the model, and an error into a body.

use hashrange_model::error::cancellation_code;
use hashrange_model::{ApiError, ErrorKind, Reason};

use crate::check::{ConstraintViolations, check};
use crate::json::encode::{Encode, Object};
use crate::{Call, CancellationReason, Fault, ThrottlingReason, decode};

/// Reads the request of an operation and checks its syntax, its types, and the constraints of the
/// model.
pub fn read_request<C: Call>(body: &[u8]) -> Result<C::Input<'_>, ApiError> {
    let decoded = decode::<C::Input<'_>>(body)?;
    if decoded.suspect
        && let Some(violations) = check(C::OPERATION, body)
    {
        return Err(violations.into());
    }
    Ok(decoded.value)
}

impl From<Fault> for ApiError {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Syntax => Reason::MalformedJson.into(),
            Fault::Type(message) => Reason::Serialization(message).into(),
        }
    }
}

impl From<ConstraintViolations> for ApiError {
    fn from(violations: ConstraintViolations) -> Self {
        Reason::Constraints(violations.message).into()
    }
}

/// Writes the body of an error response.
impl Encode for ApiError {
    fn encode(&self, out: &mut Vec<u8>) {
        let mut object = Object::begin(out);
        object.member("\"__type\":", Some(self.kind().type_name()));
        let key = match self.message_member() {
            "Message" => "\"Message\":",
            _ => "\"message\":",
        };
        object.member(key, self.message().as_deref());
        object.member("\"Item\":", self.item());
        object.member("\"CancellationReasons\":", cancellation_reasons(self).as_ref());
        if let Some((member, reasons)) = throttling_reasons(self) {
            object.member(member, Some(&reasons));
        }
        object.end();
    }
}

/// Returns the `CancellationReasons` of a cancelled transaction.
pub fn cancellation_reasons(error: &ApiError) -> Option<Vec<CancellationReason>> {
    let reasons = error.cancellation_reasons()?.iter().map(|error| CancellationReason {
        item: error.as_ref().and_then(ApiError::item).cloned(),
        code: Some(cancellation_code(error.as_ref()).to_owned()),
        message: error.as_ref().and_then(ApiError::message),
    });
    Some(reasons.collect())
}

/// Returns the reasons of a throttled request with the name of their member, which the service's
/// model spells in two ways.
pub fn throttling_reasons(error: &ApiError) -> Option<(&'static str, Vec<ThrottlingReason>)> {
    let throttle = error.throttle()?;
    let member = match error.kind() {
        ErrorKind::Throttling => "\"throttlingReasons\":",
        _ => "\"ThrottlingReasons\":",
    };
    let (reason, resource) = (Some(throttle.name()), Some(throttle.resource.clone()));
    Some((member, vec![ThrottlingReason { reason, resource }]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calls;

    fn refusal(body: &str) -> String {
        let error = read_request::<calls::DescribeTable>(body.as_bytes()).map(drop);
        let mut out = Vec::new();
        error.expect_err("the body is wrong").encode(&mut out);
        String::from_utf8(out).expect("JSON is UTF-8")
    }

    #[test]
    fn each_kind_of_refusal_has_its_body() {
        let cases = [
            ("{", r#"{"__type":"com.amazon.coral.service#SerializationException"}"#),
            (
                r#"{"TableName":5}"#,
                r#"{"__type":"com.amazon.coral.service#SerializationException","Message":"NUMBER_VALUE cannot be converted to String"}"#,
            ),
            (
                "{}",
                r#"{"__type":"com.amazon.coral.validate#ValidationException","message":"1 validation error detected: Value null at 'tableName' failed to satisfy constraint: Member must not be null"}"#,
            ),
        ];
        for (body, expected) in cases {
            assert_eq!(refusal(body), expected, "{body}");
        }
    }

    #[test]
    fn a_sound_request_is_read() {
        let request = read_request::<calls::DescribeTable>(br#"{"TableName":"Music"}"#);
        assert_eq!(request.map(|request| request.table_name), Ok(Some("Music".into())));
    }
}
