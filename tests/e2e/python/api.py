"""One way to call the server through boto3, and one way to say which error is expected.

Parameter validation and retries of the SDK are off: what a test writes is what is sent, once.
"""

import boto3
import pytest
from botocore import xform_name
from botocore.config import Config
from botocore.exceptions import ClientError

IPV = "One or more parameter values were invalid: "
ENV = "1 validation error detected: "
NOT_VALID = "One or more parameter values are not valid. "
VALIDATION = "ValidationException"
NOT_FOUND = "ResourceNotFoundException"
IN_USE = "ResourceInUseException"
CONDITION_FAILED = "ConditionalCheckFailedException"
REGION = "us-east-1"


class Api:
    """Calls operations by their API name: `api("PutItem", TableName=...)`."""

    def __init__(self, endpoint, access_key="local", secret_key="local", session_token=None, service="dynamodb"):
        self.endpoint = endpoint
        self.client = boto3.client(
            service,
            endpoint_url=endpoint,
            region_name=REGION,
            aws_access_key_id=access_key,
            aws_secret_access_key=secret_key,
            aws_session_token=session_token,
            config=Config(
                parameter_validation=False,
                retries={"mode": "standard", "total_max_attempts": 1},
                connect_timeout=5,
                read_timeout=60,
                max_pool_connections=32,
            ),
        )

    def __call__(self, operation, **parameters):
        return getattr(self.client, xform_name(operation))(**parameters)

    def fails(self, operation, **parameters):
        """Returns the error that the call must end in, as botocore parsed it."""
        with pytest.raises(ClientError) as caught:
            self(operation, **parameters)
        return caught.value.response

    def refuses(self, code, message, operation, **parameters):
        """Asserts code and message of the error that the call must end in.

        `message` is the exact text, a `Has`, or a list of any of these where regions differ.
        """
        response = self.fails(operation, **parameters)
        error = response["Error"]
        accepted = message if isinstance(message, list) else [message]
        given = error.get("Message", "")
        assert (error["Code"], given) == (code, given) and any(one == given for one in accepted), (
            f"{operation}: wanted {code} {accepted}, got {error['Code']} {given!r}"
        )
        assert response["ResponseMetadata"]["HTTPStatusCode"] == 400
        return response

    def invalid(self, message, operation, **parameters):
        """Asserts a ValidationException with this message."""
        return self.refuses(VALIDATION, message, operation, **parameters)


class Has:
    """Equal to every text that contains all the parts; for sentences with no confirmed wording."""

    def __init__(self, *parts):
        self.parts = parts

    def __eq__(self, text):
        return all(part in text for part in self.parts)

    def __repr__(self):
        return f"Has{self.parts!r}"
