//! Each reason for refusing a request, with its exact exception and message, and their order.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use hashrange_auth::{
    AuthFault, CredentialStore, Credentials, Payload, Policy, Request, Signer, Timestamp,
};

const SIGNED_AT: &str = "20130609T100015Z";
const TARGET: (&str, &str) = ("x-amz-target", "DynamoDB_20120810.GetItem");

fn time(text: &str) -> Timestamp {
    Timestamp::parse_basic(text).unwrap()
}

fn policy() -> Policy {
    let mut store = CredentialStore::new();
    for (id, token, expires_at) in [
        ("LONG", None, None),
        ("TEMP", Some("token"), None),
        ("ENDED", Some("token"), Some(time(SIGNED_AT))),
    ] {
        let credentials = Credentials {
            access_key_id: id.to_owned(),
            secret_access_key: "secret".to_owned(),
            session_token: token.map(str::to_owned),
            expires_at,
        };
        store.insert("test", credentials);
    }
    Policy::Verify(store)
}

fn refusal(query: &str, headers: &[(&str, &str)]) -> (&'static str, String) {
    let request = Request {
        method: "POST",
        path: "/",
        query,
        authority: None,
        headers,
        payload: Payload::Body(b"{}"),
    };
    let fault = policy().authenticate(&request, time(SIGNED_AT)).unwrap_err();
    let (exception, message) = fault.wire();
    (exception, message.unwrap())
}

struct Case<'a> {
    query: &'a str,
    authorization: &'a str,
    date: &'a str,
    exception: &'a str,
    message: &'a str,
}

fn check(cases: &[Case<'_>]) {
    for case in cases {
        let mut headers = vec![("Host", "localhost"), TARGET];
        if !case.authorization.is_empty() {
            headers.push(("Authorization", case.authorization));
        }
        if !case.date.is_empty() {
            headers.push(("X-Amz-Date", case.date));
        }
        let (exception, message) = refusal(case.query, &headers);
        assert_eq!((exception, message.as_str()), (case.exception, case.message));
    }
}

fn header<'a>(
    authorization: &'a str,
    date: &'a str,
    exception: &'a str,
    message: &'a str,
) -> Case<'a> {
    Case { query: "", authorization, date, exception, message }
}

fn query<'a>(query: &'a str, exception: &'a str, message: &'a str) -> Case<'a> {
    Case { query, authorization: "", date: "", exception, message }
}

const MISSING: &str = "MissingAuthenticationTokenException";
const INCOMPLETE: &str = "IncompleteSignatureException";
const INVALID: &str = "InvalidSignatureException";
const UNRECOGNIZED: &str = "UnrecognizedClientException";

#[test]
fn no_token_or_two() {
    let missing = "Request is missing Authentication Token";
    let both = "Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP \
                header.";
    check(&[
        header("", "", MISSING, missing),
        header("", SIGNED_AT, MISSING, missing),
        header("Basic dTpw", "", MISSING, missing),
        header("AWS3-HMAC Credential=a", "", MISSING, missing),
        header("aws4-HMAC-SHA256 Credential=a", "", MISSING, missing),
        query("X-Amz-Signature=a&x-amz-algorithm=b", MISSING, missing),
        Case {
            query: "X-Amz-Algorithm",
            authorization: "x",
            date: "",
            exception: INVALID,
            message: both,
        },
    ]);
}

#[test]
fn missing_header_parts_are_listed_before_the_header() {
    let credential = "Authorization header requires 'Credential' parameter. ";
    let signature = "Authorization header requires 'Signature' parameter. ";
    let signed_headers = "Authorization header requires 'SignedHeaders' parameter. ";
    let date = "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' \
                header. ";
    let cases = [
        ("AWS4-", "", [credential, signature, signed_headers, date].concat()),
        ("AWS4-x Credential=a", SIGNED_AT, [signature, signed_headers].concat()),
        ("AWS4-x Credential=,Signature=b", SIGNED_AT, [credential, signed_headers].concat()),
        ("AWS4-x Credential=a, SignedHeaders=b", "", [signature, date].concat()),
        ("AWS4-x Credential=a, SignedHeaders=b, Signature=c", "", date.to_owned()),
        ("AWS4-x credential=a SignedHeaders=b,,Signature=c", SIGNED_AT, credential.to_owned()),
    ];
    for (authorization, date, parts) in cases {
        let message = format!("{parts}Authorization={authorization}");
        check(&[header(authorization, date, INCOMPLETE, &message)]);
    }
}

#[test]
fn missing_query_parts_are_listed() {
    let must = |names: &[&str]| {
        let mut text = String::new();
        for name in names {
            text.extend(["AWS query-string parameters must include 'X-Amz-", name, "'. "]);
        }
        text + "Re-examine the query-string parameters."
    };
    let all = must(&["Algorithm", "Credential", "Signature", "SignedHeaders", "Date"]);
    let signature = must(&["Signature"]);
    check(&[
        query("X-Amz-Algorithm", INCOMPLETE, &all),
        query(
            "X-Amz-Algorithm=a&X-Amz-Credential=b&X-Amz-SignedHeaders=c&X-Amz-Date=d",
            INCOMPLETE,
            &signature,
        ),
        query(
            "X-Amz-Algorithm=a&X-Amz-Credential=b&X-Amz-SignedHeaders=c&X-Amz-Date=d\
             &X-Amz-Signature=",
            INCOMPLETE,
            &signature,
        ),
    ]);
}

#[test]
fn dates() {
    let authorization = "AWS4-x Credential=a, SignedHeaders=b, Signature=c";
    let bad = |got: &str| {
        format!(
            "Date must be in ISO-8601 'basic format'. Got '{got}'. \
             See http://en.wikipedia.org/wiki/ISO_8601"
        )
    };
    let presigned = "X-Amz-Algorithm=a&X-Amz-Credential=b&X-Amz-SignedHeaders=c&X-Amz-Signature=d";
    check(&[
        header(authorization, "201", INCOMPLETE, &bad("201")),
        header(authorization, "20130631T100015Z", INCOMPLETE, &bad("20130631T100015Z")),
        query(&format!("{presigned}&X-Amz-Date=2%301"), INCOMPLETE, &bad("201")),
        header(
            authorization,
            "20130301T000000Z",
            INVALID,
            "Signature expired: 20130301T000000Z is now earlier than 20130609T094515Z \
             (20130609T100015Z - 15 min.)",
        ),
        header(
            authorization,
            "20130609T101516Z",
            INVALID,
            "Signature not yet current: 20130609T101516Z is still later than 20130609T101515Z \
             (20130609T100015Z + 15 min.)",
        ),
        query(
            &format!("{presigned}&X-Amz-Date=20130609T095844Z&X-Amz-Expires=90"),
            INVALID,
            "Signature expired: 20130609T095844Z is now earlier than 20130609T095845Z \
             (20130609T100015Z - 90 sec.)",
        ),
    ]);
    for expires in ["", "0", "-1", "+1", "604801", "99999999999", "x"] {
        let query_text = format!("{presigned}&X-Amz-Date={SIGNED_AT}&X-Amz-Expires={expires}");
        let shown = if expires == "+1" { " 1" } else { expires };
        let message = format!(
            "'X-Amz-Expires' must be a number of seconds between 1 and 604800. Got '{shown}'."
        );
        check(&[query(&query_text, INCOMPLETE, &message)]);
    }
}

#[test]
fn host_algorithm_and_credential() {
    let host = "'Host' must be a 'SignedHeader' in the AWS Authorization.";
    let parts = |got: &str| {
        format!(
            "Credential must have exactly 5 slash-delimited elements, e.g. \
             keyid/date/region/service/term, got '{got}'"
        )
    };
    check(&[
        header("AWS4-x Credential=a, SignedHeaders=b, Signature=c", SIGNED_AT, INVALID, host),
        header(
            "AWS4-HMAC-SHA25 Credential=a, SignedHeaders=x;Host, Signature=c",
            SIGNED_AT,
            INCOMPLETE,
            "Unsupported AWS 'algorithm': 'AWS4-HMAC-SHA25' (only AWS4-HMAC-SHA256 for now). ",
        ),
        header(
            "AWS4-HMAC-SHA256 Credential=a/b/c/d, SignedHeaders=host, Signature=c",
            SIGNED_AT,
            INCOMPLETE,
            &parts("a/b/c/d"),
        ),
        header(
            "AWS4-HMAC-SHA256 Credential=a/b/c/d/e/f, SignedHeaders=host, Signature=c",
            SIGNED_AT,
            INCOMPLETE,
            &parts("a/b/c/d/e/f"),
        ),
    ]);
}

#[test]
fn scope_faults_are_joined() {
    let region = "Credential should be scoped to a valid region, not 'c'. ";
    let service = "Credential should be scoped to correct service: 'dynamodb'. ";
    let term = "Credential should be scoped with a valid terminator: 'aws4_request', not 'e'. ";
    let date = "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date \
                from HTTP: 'b' != '20130609', from '20130609T100015Z'.";
    let cases = [
        ("a/b/c/d/e", [region, service, term, date].concat()),
        ("a/20130609/c/dynamodb/aws4_request", region.to_owned()),
        ("a/20130609/us-east-1/d/aws4_request", service.to_owned()),
        ("a/20130609/us-east-1/dynamodb/e", term.to_owned()),
        ("a/b/us-east-1/dynamodb/aws4_request", date.to_owned()),
    ];
    for (credential, message) in cases {
        let authorization =
            format!("AWS4-HMAC-SHA256 Credential={credential}, SignedHeaders=host, Signature=c");
        check(&[header(&authorization, SIGNED_AT, INVALID, &message)]);
    }
}

/// Signs with the given credentials and checks with the test's own.
fn signed(id: &str, secret: &str, token: Option<&str>) -> Result<(), AuthFault> {
    let mut headers = vec![("host", "localhost".to_owned()), (TARGET.0, TARGET.1.to_owned())];
    let signer = Signer::new(id, secret, token, "local");
    headers.extend(signer.sign_request("POST", "/", "", &headers, b"{}", time(SIGNED_AT)));
    let request = Request {
        method: "POST",
        path: "/",
        query: "",
        authority: None,
        headers: headers.as_slice(),
        payload: Payload::Body(b"{}"),
    };
    policy().authenticate(&request, time(SIGNED_AT)).map(|_| ())
}

#[test]
fn keys_signatures_and_tokens() {
    assert_eq!(signed("LONG", "secret", None), Ok(()));
    assert_eq!(signed("TEMP", "secret", Some("token")), Ok(()));
    let invalid = "The security token included in the request is invalid";
    let mismatch = "The request signature we calculated does not match the signature you \
                    provided. Check your AWS Secret Access Key and signing method. Consult the \
                    service documentation for details.";
    let unknown = format!("{invalid}.");
    let cases = [
        (("NOBODY", "secret", None), UNRECOGNIZED, unknown.as_str()),
        (("long", "secret", None), UNRECOGNIZED, &unknown),
        (("LONG", "Secret", None), INVALID, mismatch),
        (("TEMP", "secret", None), UNRECOGNIZED, invalid),
        (("TEMP", "secret", Some("other")), UNRECOGNIZED, invalid),
        (("TEMP", "other", Some("token")), INVALID, mismatch),
        (("LONG", "secret", Some("token")), UNRECOGNIZED, invalid),
        (
            ("ENDED", "secret", Some("token")),
            "ExpiredTokenException",
            "The security token included in the request is expired",
        ),
    ];
    for ((id, secret, token), exception, message) in cases {
        let (got, text) = signed(id, secret, token).unwrap_err().wire();
        assert_eq!((got, text.as_deref()), (exception, Some(message)), "{id} {token:?}");
    }
}

#[test]
fn signatures_must_be_lower_case_hexadecimal() {
    let credential = "LONG/20130609/us-east-1/dynamodb/aws4_request";
    for signature in ["a", &"A".repeat(64), &"0".repeat(63), &"g".repeat(64)] {
        let authorization = format!(
            "AWS4-HMAC-SHA256 Credential={credential}, SignedHeaders=host, Signature={signature}"
        );
        let headers = [("host", "h"), ("x-amz-date", SIGNED_AT), ("authorization", &authorization)];
        assert_eq!(refusal("", &headers).0, INVALID);
    }
}
