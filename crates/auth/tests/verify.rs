//! What is accepted: both forms, dates at the edge, unsigned bodies, any request of a server
//! without keys. And whatever bytes a request is made of, the answer is an answer.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use hashrange_auth::{AuthFault, CredentialStore, Payload, Policy, Request, Signer, Timestamp};

const SIGNED_AT: &str = "20261121T052800Z";
const KEYS: &str = "[app]\naws_access_key_id=AKID\naws_secret_access_key=secret\n";

fn policy() -> Policy {
    Policy::Verify(CredentialStore::parse(KEYS).unwrap())
}

fn signer() -> Signer {
    Signer::new("AKID", "secret", None, "us-east-1")
}

fn at(offset_s: i64) -> Timestamp {
    let signed_at = Timestamp::parse_basic(SIGNED_AT).unwrap();
    Timestamp::from_epoch_s(signed_at.epoch_s() + offset_s)
}

fn request<'a>(
    query: &'a str,
    headers: &'a [(&'a str, String)],
) -> Request<'a, [(&'a str, String)]> {
    Request {
        method: "POST",
        path: "/",
        query,
        authority: None,
        headers,
        payload: Payload::Body(b"{}"),
    }
}

/// Returns headers signed by header, over a body of `{}`.
fn signed_headers(extra: &[(&'static str, &str)]) -> Vec<(&'static str, String)> {
    let mut headers = vec![("Host", "localhost:8000".to_owned())];
    headers.extend(extra.iter().map(|(name, value)| (*name, (*value).to_owned())));
    headers.extend(signer().sign_request("POST", "/", "", &headers, b"{}", at(0)));
    headers
}

#[test]
fn signatures_last_fifteen_minutes_both_ways() {
    let headers = signed_headers(&[]);
    for (offset_s, accepted) in [(-901, false), (-900, true), (0, true), (900, true), (901, false)]
    {
        let result = policy().authenticate(&request("", &headers), at(offset_s));
        assert_eq!(result.is_ok(), accepted, "{offset_s}");
    }
}

#[test]
fn presigned_requests_last_as_long_as_they_say() {
    let headers = [("host", "localhost:8000".to_owned())];
    for (valid_s, offset_s, accepted) in [
        (60, 60, true),
        (60, 61, false),
        (604_800, 604_800, true),
        (604_800, 604_801, false),
        (604_801, 0, false),
        (60, -900, true),
        (60, -901, false),
    ] {
        let query = signer().presign_request("POST", "/", "x=1", &headers, at(0), valid_s);
        let result = policy().authenticate(&request(&query, &headers), at(offset_s));
        assert_eq!(result.is_ok(), accepted, "{valid_s} {offset_s}");
    }
}

#[test]
fn a_presigned_session_carries_its_token() {
    let keys = format!("{KEYS}aws_session_token=a/b+c=\n");
    let policy = Policy::Verify(CredentialStore::parse(&keys).unwrap());
    let headers = [("host", "localhost:8000".to_owned())];
    for (token, accepted) in [(Some("a/b+c="), true), (Some("a/b c="), false), (None, false)] {
        let signer = Signer::new("AKID", "secret", token, "us-east-1");
        let query = signer.presign_request("POST", "/", "", &headers, at(0), 60);
        let result = policy.authenticate(&request(&query, &headers), at(0));
        assert_eq!(result.err(), (!accepted).then_some(AuthFault::BadSessionToken), "{token:?}");
    }
}

#[test]
fn a_payload_hash_header_must_be_true_or_signed_as_unsigned() {
    let body_hash = "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a";
    let name = "X-Amz-Content-Sha256";
    let mut unsigned_header = signed_headers(&[]);
    unsigned_header.push((name, "UNSIGNED-PAYLOAD".to_owned()));
    let mut true_unsigned_header = signed_headers(&[]);
    true_unsigned_header.push((name, body_hash.to_owned()));
    let cases = [
        (signed_headers(&[(name, body_hash)]), true),
        (true_unsigned_header, true),
        (unsigned_header, false),
        (signed_headers(&[(name, &body_hash.replace('4', "5"))]), false),
        (signed_headers(&[(name, "STREAMING-AWS4-HMAC-SHA256-PAYLOAD")]), false),
    ];
    for (headers, accepted) in cases {
        let result = policy().authenticate(&request("", &headers), at(0));
        assert_eq!(result.is_ok(), accepted, "{headers:?}");
    }
}

#[test]
fn the_date_header_is_read_only_where_there_is_no_x_amz_date() {
    let headers = [("date", "yesterday".to_owned()), ("authorization", full_header())];
    let fault = policy().authenticate(&request("", &headers), at(0)).unwrap_err();
    assert_eq!(fault, AuthFault::BadDate { got: "yesterday".to_owned() });
    let headers = signed_headers(&[("date", "yesterday")]);
    assert!(policy().authenticate(&request("", &headers), at(0)).is_ok());
}

fn full_header() -> String {
    "AWS4-HMAC-SHA256 Credential=AKID/20261121/us-east-1/dynamodb/aws4_request, \
     SignedHeaders=host, Signature=0"
        .to_owned()
}

#[test]
fn the_authority_is_signed_in_place_of_an_absent_host() {
    let mut headers = signed_headers(&[]);
    headers.retain(|(name, _)| *name != "Host");
    let mut request = request("", &headers);
    assert!(policy().authenticate(&request, at(0)).is_err());
    request.authority = Some("localhost:8000");
    assert!(policy().authenticate(&request, at(0)).is_ok());
    request.authority = Some("elsewhere");
    assert!(policy().authenticate(&request, at(0)).is_err());
}

#[test]
fn a_hundred_signed_headers_are_the_most() {
    for (names, accepted) in [(98, true), (99, false)] {
        let names: Vec<String> = (0..names).map(|nth| format!("x-{nth}")).collect();
        let mut headers: Vec<(&str, String)> =
            names.iter().map(|name| (name.as_str(), "v".to_owned())).collect();
        headers.push(("host", "h".to_owned()));
        headers.extend(signer().sign_request("POST", "/", "", &headers, b"{}", at(0)));
        let result = policy().authenticate(&request("", &headers), at(0));
        assert_eq!(result.is_ok(), accepted, "{}", names.len());
    }
}

#[test]
fn without_keys_every_credential_and_none_is_accepted() {
    let rest = "SignedHeaders=x, Signature=y";
    let header = |credential: &str| format!("AWS4-x Credential={credential}, {rest}");
    let presigned = "X-Amz-Algorithm=x&X-Amz-Credential=any%2Fx%2Feu-west-9&X-Amz-Signature=y&\
                     X-Amz-SignedHeaders=x&X-Amz-Date=x&X-Amz-Expires=0";
    let cases = [
        ("", None, None, None),
        ("", Some("Bearer Credential".to_owned()), None, None),
        ("", Some(header("any/20000101/eu-west-9/dynamodb/x")), Some("any"), Some("eu-west-9")),
        ("", Some(header("any/a b/c")), Some("any"), None),
        ("", Some(header("\u{e9}/a/b%c")), None, None),
        (presigned, None, Some("any"), Some("eu-west-9")),
    ];
    for (query, authorization, id, region) in cases {
        for date in [None, Some("20000101T000000Z"), Some("no date")] {
            let authorization = authorization.clone().map(|value| ("authorization", value));
            let date = date.map(|date| ("x-amz-date", date.to_owned()));
            let headers: Vec<_> = authorization.into_iter().chain(date).collect();
            let request = request(query, &headers);
            let caller = Policy::AcceptAny.authenticate(&request, at(0)).unwrap();
            let shown = (caller.access_key_id(), caller.region());
            assert_eq!(shown, (id, region), "{query} {headers:?}");
        }
    }
}

#[test]
fn without_keys_what_is_signed_has_the_form() {
    let cases = [
        ("", Some("AWS4-HMAC-SHA256 Credential=any"), "IncompleteSignatureException"),
        ("X-Amz-Algorithm=x", None, "IncompleteSignatureException"),
        ("X-Amz-Algorithm=x", Some("AWS4-x"), "InvalidSignatureException"),
    ];
    for (query, authorization, exception) in cases {
        let headers: Vec<_> =
            authorization.into_iter().map(|value| ("authorization", value.to_owned())).collect();
        let request = request(query, &headers);
        let fault = Policy::AcceptAny.authenticate(&request, at(0)).unwrap_err();
        assert_eq!(fault.exception(), exception, "{query} {headers:?}");
    }
}

/// A small generator of numbers (xorshift), so that a failure repeats.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap() % end
    }

    /// Returns a text of fragments that mean something to the parser, between arbitrary bytes.
    fn bytes(&mut self) -> Vec<u8> {
        const FRAGMENTS: [&str; 24] = [
            "AWS4-HMAC-SHA256 ",
            "AWS4-",
            "Credential=",
            "SignedHeaders=",
            "Signature=",
            "host",
            "AKID/20261121/us-east-1/dynamodb/aws4_request",
            "AKID",
            "/",
            ";",
            ",",
            " ",
            "  ",
            "=",
            "&",
            "%",
            "%2",
            "%ff",
            "+",
            "X-Amz-Algorithm=AWS4-HMAC-SHA256",
            "&X-Amz-Date=",
            SIGNED_AT,
            "\u{e9}\u{1f600}",
            "X-Amz-Expires=18446744073709551616",
        ];
        let mut bytes = Vec::new();
        for _ in 0..self.below(12) {
            match self.below(FRAGMENTS.len() + 2) {
                nth if nth < FRAGMENTS.len() => bytes.extend_from_slice(FRAGMENTS[nth].as_bytes()),
                _ => bytes.push(u8::try_from(self.below(256)).unwrap()),
            }
        }
        bytes
    }

    fn text(&mut self) -> String {
        String::from_utf8_lossy(&self.bytes()).into_owned()
    }
}

#[test]
fn arbitrary_requests_get_an_answer() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let policy = policy();
    for _ in 0..20_000 {
        let headers = [
            ("authorization", random.bytes()),
            ("x-amz-date", if random.below(2) == 0 { random.bytes() } else { SIGNED_AT.into() }),
            ("host", random.bytes()),
            ("x-amz-security-token", random.bytes()),
            ("x-amz-content-sha256", random.bytes()),
        ];
        let headers = &headers[random.below(2)..=random.below(5)];
        let (method, path, query) = (random.text(), random.text(), random.text());
        let authority = random.text();
        let request = Request {
            method: &method,
            path: &path,
            query: &query,
            authority: Some(&authority),
            headers,
            payload: Payload::Body(b"{}"),
        };
        let fault = policy.authenticate(&request, at(0)).unwrap_err();
        assert!(!fault.to_string().is_empty());
        if let Err(fault) = Policy::AcceptAny.authenticate(&request, at(0)) {
            assert!(fault.is_wrong_form(), "{fault}");
        }
    }
}

#[test]
fn arbitrary_changes_to_a_signed_request_are_refused() {
    let mut random = Random(0xd1b5_4a32_d192_ed03);
    let policy = policy();
    let original = signed_headers(&[("x-amz-target", "DynamoDB_20120810.GetItem")]);
    for _ in 0..20_000 {
        let mut headers: Vec<(&str, Vec<u8>)> =
            original.iter().map(|(name, value)| (*name, value.clone().into_bytes())).collect();
        let nth = random.below(headers.len());
        let value = &mut headers[nth].1;
        let place = random.below(value.len());
        let old = value[place];
        value[place] = u8::try_from(random.below(256)).unwrap();
        let unchanged = value[place] == old;
        let request = Request {
            method: "POST",
            path: "/",
            query: "",
            authority: None,
            headers: headers.as_slice(),
            payload: Payload::Body(b"{}"),
        };
        let accepted = policy.authenticate(&request, at(0)).is_ok();
        // A space and a comma separate the parts of the authorization header alike.
        let separator = |byte| matches!(byte, b' ' | b',');
        let alike = unchanged || (separator(old) && separator(request.headers[nth].1[place]));
        assert!(!accepted || alike, "{:?}", String::from_utf8_lossy(&request.headers[nth].1));
        assert!(accepted || !unchanged);
    }
}

#[test]
fn arbitrary_credentials_files_get_an_answer() {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let lines = [
        "[a]",
        "[",
        "[b]",
        "aws_access_key_id=A",
        "aws_secret_access_key = s",
        "=",
        "x",
        "aws_expiration=2026-11-21T06:00:00",
        "Z",
        "#",
        "\u{feff}",
        "\r",
        "aws_session_token=",
    ];
    let mut accepted = 0;
    for _ in 0..5_000 {
        let text: Vec<&str> =
            (0..random.below(8)).map(|_| lines[random.below(lines.len())]).collect();
        let result = CredentialStore::parse(&text.join("\n"));
        accepted += usize::from(result.is_ok_and(|store| store.len() == 1));
    }
    assert!(accepted > 0);
}
