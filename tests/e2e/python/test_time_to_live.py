"""UpdateTimeToLive and DescribeTimeToLive; what expires is in test_streams.py."""

import pytest

from api import ENV, NOT_FOUND

SPECIFICATION = {"Enabled": True, "AttributeName": "until"}


def settled(api, table):
    """Returns the description once nothing is being changed any more."""
    while True:
        described = api("DescribeTimeToLive", TableName=table)["TimeToLiveDescription"]
        if described["TimeToLiveStatus"] in ("ENABLED", "DISABLED"):
            return described


@pytest.mark.hashrange
def test_enabling_and_disabling(api, make):
    table = make("pk:S")
    change = {"operation": "UpdateTimeToLive", "TableName": table}
    off = {**SPECIFICATION, "Enabled": False}
    assert settled(api, table) == {"TimeToLiveStatus": "DISABLED"}
    api.invalid("TimeToLive is already disabled", TimeToLiveSpecification=off, **change)
    for _ in range(2):
        assert api(TimeToLiveSpecification=SPECIFICATION, **change)["TimeToLiveSpecification"] == SPECIFICATION
        assert settled(api, table) == {"TimeToLiveStatus": "ENABLED", "AttributeName": "until"}
        api.invalid("TimeToLive is already enabled", TimeToLiveSpecification=SPECIFICATION, **change)
        other = {**off, "AttributeName": "other"}
        current = "TimeToLive is active on a different AttributeName: current AttributeName is until"
        api.invalid(current, TimeToLiveSpecification=other, **change)
        api(TimeToLiveSpecification=off, **change)
        assert settled(api, table) == {"TimeToLiveStatus": "DISABLED"}


def test_faults(api):
    api.invalid(
        f"{ENV}Value '' at 'timeToLiveSpecification.attributeName' failed to satisfy constraint: "
        "Member must have length greater than or equal to 1",
        "UpdateTimeToLive",
        TableName="abc",
        TimeToLiveSpecification={"Enabled": True, "AttributeName": ""},
    )
    missing = "Requested resource not found: Table: absent not found"
    api.refuses(NOT_FOUND, missing, "DescribeTimeToLive", TableName="absent")
    api.refuses(NOT_FOUND, missing, "UpdateTimeToLive", TableName="absent", TimeToLiveSpecification=SPECIFICATION)
