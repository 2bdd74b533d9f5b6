"""Which server is tested: HASHRANGE_ENDPOINT, started and watched by `cargo xtask conformance`."""

import os

import pytest

import tables
from api import Api


@pytest.fixture(scope="session")
def endpoint():
    """The URL of the server under test."""
    return os.environ.get("HASHRANGE_ENDPOINT", "http://127.0.0.1:8000")


@pytest.fixture(scope="session")
def api(endpoint):
    """Calls the server under test."""
    return Api(endpoint)


@pytest.fixture(scope="module")
def make(api):
    """Creates described tables that vanish with the module."""
    made = []

    def make(*arguments, **options):
        made.append(tables.create(api, *arguments, **options))
        return made[-1]

    yield make
    for name in made:
        try:
            api("DeleteTable", TableName=name)
        except api.client.exceptions.ResourceNotFoundException:
            pass


@pytest.fixture(scope="module")
def simple(make):
    """A table with the partition key pk:S."""
    return make("pk:S")


@pytest.fixture(scope="module")
def sorted_table(make):
    """A table with the keys pk:S, sk:N."""
    return make("pk:S / sk:N")


@pytest.fixture
def pk(request):
    """A partition key value of its own for each test."""
    return request.node.name[:200]
