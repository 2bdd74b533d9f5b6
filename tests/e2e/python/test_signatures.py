"""A server with credentials: who gets in, and the words for who does not. Source: wire protocol section 4."""

import datetime
import re

import pytest
from botocore.auth import SigV4QueryAuth

import tables
from api import Has
from http_raw import UNCHECKED, Http
from own_server import Server
from values import item

pytestmark = [pytest.mark.process, pytest.mark.hashrange]

KEY, SECRET = "AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
SESSION_KEY, SESSION_SECRET, TOKEN = "ASIAEXAMPLE", "sessionsecret", "session-token-value"
MISMATCH = (
    "The request signature we calculated does not match the signature you provided. "
    "Check your AWS Secret Access Key and signing method. Consult the service documentation for details."
)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("signatures")
    credentials = folder / "credentials"
    credentials.write_text(
        f"[app]\naws_access_key_id = {KEY}\naws_secret_access_key = {SECRET}\n\n"
        f"[job]\naws_access_key_id = {SESSION_KEY}\naws_secret_access_key = {SESSION_SECRET}\naws_session_token = {TOKEN}\n"
    )
    credentials.chmod(0o600)
    server = Server(folder / "server.log", "--memory", "--credentials", str(credentials))
    yield server
    server.close()


@pytest.fixture(scope="module")
def web(server):
    return Http(server.endpoint)


@pytest.mark.parametrize("credentials", [{"access_key": KEY, "secret_key": SECRET}, {"access_key": SESSION_KEY, "secret_key": SESSION_SECRET, "session_token": TOKEN}])
def test_the_sdk_gets_in(server, credentials):
    api = server.api(**credentials)
    table = tables.create(api)
    api("PutItem", TableName=table, Item=item(pk="\u00e9 +%/", x=b"\x00"))
    assert api("Scan", TableName=table)["Count"] == 1


@pytest.mark.parametrize(
    "credentials, code, message",
    [
        ({"access_key": KEY, "secret_key": "wrong"}, "InvalidSignatureException", Has(MISMATCH)),
        ({"access_key": "AKIDUNKNOWN", "secret_key": SECRET}, "UnrecognizedClientException", "The security token included in the request is invalid."),
        ({"access_key": SESSION_KEY, "secret_key": SESSION_SECRET}, "UnrecognizedClientException", Has("The security token included in the request is invalid")),
        ({"access_key": SESSION_KEY, "secret_key": SESSION_SECRET, "session_token": "other"}, "UnrecognizedClientException", Has("The security token included in the request is invalid")),
    ],
    ids=["secret", "key", "no token", "token"],
)
def test_the_sdk_stays_out(server, credentials, code, message):
    server.api(**credentials).refuses(code, message, "ListTables")


def spoil(**changes):
    """Replaces headers after signing; a callable gets the old value."""

    def change(headers):
        for name, value in changes.items():
            name = name.replace("_", "-")
            headers[name] = value(headers[name]) if callable(value) else value
            if headers[name] is None:
                del headers[name]

    return change


def sub(pattern, replacement):
    return lambda header: re.sub(pattern, replacement, header)


def now(delta=0):
    return (datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=delta)).strftime("%Y%m%dT%H%M%SZ")


FAULTS = [
    ("no authorization", spoil(Authorization=None), "MissingAuthenticationTokenException", "Request is missing Authentication Token"),
    ("basic authorization", spoil(Authorization="Basic YTpi"), "MissingAuthenticationTokenException", "Request is missing Authentication Token"),
    ("no signature", spoil(Authorization=sub(r", Signature=.*", "")), "IncompleteSignatureException", Has("Authorization header requires 'Signature' parameter. ", "Authorization=")),
    ("no credential", spoil(Authorization=sub(r"Credential=[^,]*, ", "")), "IncompleteSignatureException", Has("Authorization header requires 'Credential' parameter. ")),
    ("no signed headers", spoil(Authorization=sub(r"SignedHeaders=[^,]*, ", "")), "IncompleteSignatureException", Has("Authorization header requires 'SignedHeaders' parameter. ")),
    ("no date", spoil(X_Amz_Date=None), "IncompleteSignatureException", Has("Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. ")),
    ("bad date", spoil(X_Amz_Date="201"), "IncompleteSignatureException", Has("Date must be in ISO-8601 'basic format'. Got '201'.")),
    ("other algorithm", spoil(Authorization=sub("AWS4-HMAC-SHA256", "AWS4-HMAC-SHA25")), "IncompleteSignatureException", Has("Unsupported AWS 'algorithm': 'AWS4-HMAC-SHA25'")),
    (
        "four credential parts",
        spoil(Authorization=sub(r"Credential=[^,]*", "Credential=a/b/c/d")),
        "IncompleteSignatureException",
        "Credential must have exactly 5 slash-delimited elements, e.g. keyid/date/region/service/term, got 'a/b/c/d'",
    ),
    ("other service", spoil(Authorization=sub("/dynamodb/", "/s3/")), "InvalidSignatureException", Has("Credential should be scoped to correct service: 'dynamodb'. ")),
    ("other terminator", spoil(Authorization=sub("aws4_request", "aws5")), "InvalidSignatureException", Has("Credential should be scoped with a valid terminator: 'aws4_request', not 'aws5'. ")),
    ("other scope date", spoil(Authorization=sub(r"/\d{8}/", "/20200101/")), "InvalidSignatureException", Has("Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP: '20200101' != ")),
    ("old date", spoil(X_Amz_Date="20200101T000000Z", Authorization=sub(r"/\d{8}/", "/20200101/")), "InvalidSignatureException", Has("Signature expired: 20200101T000000Z is now earlier than ")),
    ("host is not signed", spoil(Authorization=sub("SignedHeaders=(.*?)host;", r"SignedHeaders=\1")), "InvalidSignatureException", "'Host' must be a 'SignedHeader' in the AWS Authorization."),
    ("one hex digit", spoil(Authorization=sub(r".$", "x")), "InvalidSignatureException", Has(MISMATCH)),
    ("target changed", spoil(X_Amz_Target="DynamoDB_20120810.DescribeLimits"), "InvalidSignatureException", Has(MISMATCH)),
]


@pytest.mark.parametrize("name, change, error, message", FAULTS, ids=lambda one: one if isinstance(one, str) and len(one) < 30 else "")
def test_spoiled_headers(web, name, change, error, message):
    answer = web.signed("ListTables", {}, KEY, SECRET, change=change).checked()
    assert (answer.status, answer.error, answer.message) == (400, error, answer.message)
    assert message == answer.message, answer.message


def test_changed_body(web):
    good = {}
    assert web.signed("ListTables", {}, KEY, SECRET, change=good.update).status == 200
    answer = web.send("POST", "/", b'{"Limit":1}', {**good, "Content-Length": "11"})
    assert (answer.status, answer.error) == (400, "InvalidSignatureException")


def test_made_up_header(web):
    answer = web.post("ListTables", {}, X_Amz_Date=now(), Authorization=UNCHECKED.replace("20260101", now()[:8]))
    assert (answer.status, answer.error) == (400, "UnrecognizedClientException")


class QueryAuthWithBody(SigV4QueryAuth):
    """Signs into the query string and leaves the body where it is; botocore alone would drop it."""

    def _modify_request_before_signing(self, request):
        body, request.data = request.data, ""
        super()._modify_request_before_signing(request)
        request.data = body


def test_signed_query_string(web):
    answer = web.signed("ListTables", {}, KEY, SECRET, auth=QueryAuthWithBody, expires=60)
    assert answer.status == 200, answer.body
    answer = web.signed("ListTables", {}, KEY, "wrong", auth=QueryAuthWithBody, expires=60)
    assert (answer.status, answer.error) == (400, "InvalidSignatureException")


def test_header_and_query_string(web):
    answer = web.post("ListTables", {}, path="/?X-Amz-Algorithm=AWS4-HMAC-SHA256")
    assert (answer.status, answer.error) == (400, "InvalidSignatureException")
    assert answer.message == "Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP header."


def test_incomplete_query_string(web):
    answer = web.post("ListTables", {}, path="/?X-Amz-Algorithm=AWS4-HMAC-SHA256", Authorization=None)
    assert (answer.status, answer.error) == (400, "IncompleteSignatureException")
    assert "AWS query-string parameters must include 'X-Amz-Signature'. " in answer.message
    assert answer.message.endswith("Re-examine the query-string parameters.")


def test_health_needs_no_signature(web):
    assert web.send("GET", "/").status == 200


def test_nothing_runs_without_a_signature(web, server):
    create = tables.request(name="must.not.exist")
    assert web.post("CreateTable", create, Authorization=None).error == "MissingAuthenticationTokenException"
    assert web.signed("CreateTable", create, KEY, "wrong").error == "InvalidSignatureException"
    assert "must.not.exist" not in server.api(access_key=KEY, secret_key=SECRET)("ListTables")["TableNames"]
