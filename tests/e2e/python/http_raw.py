"""HTTP without an SDK: any bytes, any headers; signed by botocore where a signature is wanted."""

import http.client
import json
import urllib.parse
import zlib

from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

CONTENT_TYPE = "application/x-amz-json-1.0"
# Any well-formed header will do where every credential is accepted.
UNCHECKED = (
    "AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/dynamodb/aws4_request, "
    "SignedHeaders=host;x-amz-date;x-amz-target, Signature=" + "0" * 64
)


class Answer:
    """Status, headers and body of one response."""

    def __init__(self, response):
        self.status = response.status
        self.headers = {name.lower(): value for name, value in response.getheaders()}
        self.body = response.read()

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def error(self):
        """The short name of the error."""
        return self.json["__type"].rpartition("#")[2]

    @property
    def message(self):
        """The text of the error, under either of its two member names."""
        return self.json.get("message", self.json.get("Message"))

    def checked(self):
        """Asserts what every answer of the API has."""
        assert int(self.headers["x-amz-crc32"]) == zlib.crc32(self.body)
        assert len(self.headers["x-amzn-requestid"]) == 52
        return self


class Http:
    """Sends requests to one server, a connection each."""

    def __init__(self, endpoint):
        parts = urllib.parse.urlsplit(endpoint)
        self.endpoint, self.host, self.port = endpoint, parts.hostname, parts.port

    def connect(self):
        return http.client.HTTPConnection(self.host, self.port, timeout=30)

    def send(self, method, path, body=None, headers=None):
        """Sends a request as it is; header values of None are left out."""
        connection = self.connect()
        try:
            headers = {name: value for name, value in (headers or {}).items() if value is not None}
            connection.request(method, path, body, headers)
            return Answer(connection.getresponse())
        finally:
            connection.close()

    def post(self, operation, body, path="/", **headers):
        """Posts a body (text, bytes, or something to dump as JSON) to an operation."""
        if not isinstance(body, (str, bytes)):
            body = json.dumps(body)
        body = body.encode() if isinstance(body, str) else body
        defaults = {
            "Content-Type": CONTENT_TYPE,
            "X-Amz-Target": f"DynamoDB_20120810.{operation}",
            "X-Amz-Date": "20260101T000000Z",
            "Authorization": UNCHECKED,
        }
        return self.send("POST", path, body, {**defaults, **{name.replace("_", "-"): value for name, value in headers.items()}})

    def signed(self, operation, parameters, access_key, secret_key, token=None, service="dynamodb", change=None, auth=SigV4Auth, **options):
        """Posts a request with a true signature; `change` may spoil headers (a dict) after signing."""
        request = AWSRequest(
            "POST", self.endpoint + "/", data=json.dumps(parameters).encode(),
            headers={"Content-Type": CONTENT_TYPE, "X-Amz-Target": f"DynamoDB_20120810.{operation}"},
        )  # fmt: skip
        auth(Credentials(access_key, secret_key, token), service, "us-east-1", **options).add_auth(request)
        headers = dict(request.headers.items())
        if change:
            change(headers)
        parts = urllib.parse.urlsplit(request.url)
        path = parts.path + (f"?{parts.query}" if parts.query else "")
        return self.send("POST", path, request.body, headers)
