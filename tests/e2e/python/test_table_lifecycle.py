"""DescribeTable, DeleteTable, ListTables and UpdateTable, except secondary index updates."""

import pytest

import tables
from api import IPV, NOT_FOUND, REGION, Has
from values import item

ABSENT = "no.such.table"


@pytest.mark.parametrize("operation, more", [("DescribeTable", {}), ("DeleteTable", {}), ("UpdateTable", {"BillingMode": "PAY_PER_REQUEST"})])
def test_absent_table(api, operation, more):
    api.refuses(NOT_FOUND, f"Requested resource not found: Table: {ABSENT} not found", operation, TableName=ABSENT, **more)


@pytest.mark.parametrize("operation", ["DescribeTable", "DeleteTable", "UpdateTable"])
@pytest.mark.parametrize("name, part", [("a b", "pattern"), ("", "greater than or equal to 3"), ("x" * 1025, "less than or equal to")])
def test_malformed_table_name(api, operation, name, part):
    api.invalid(Has(part), operation, TableName=name)


def test_describe_accepts_an_arn(api, simple):
    table = api("DescribeTable", TableName=simple)["Table"]
    assert api("DescribeTable", TableName=table["TableArn"])["Table"]["TableName"] == simple


def test_deleted_table_is_gone_and_its_name_is_free(api):
    name = tables.create(api)
    first = api("DescribeTable", TableName=name)["Table"]
    api("PutItem", TableName=name, Item=item(pk="a"))
    deleted = api("DeleteTable", TableName=name)["TableDescription"]
    assert deleted["TableName"] == name and deleted["TableStatus"] == "DELETING"
    tables.wait_gone(api, name)
    api.refuses(NOT_FOUND, Has("Requested resource not found"), "GetItem", TableName=name, Key=item(pk="a"))
    tables.create(api, name=name)
    second = api("DescribeTable", TableName=name)["Table"]
    assert second["TableId"] != first["TableId"]
    assert api("Scan", TableName=name)["Items"] == []


def test_deletion_protection(api):
    name = tables.create(api, DeletionProtectionEnabled=True)
    message = "Resource cannot be deleted as it is currently protected against deletion. Disable deletion protection first."
    api.invalid(message, "DeleteTable", TableName=name)
    api("UpdateTable", TableName=name, DeletionProtectionEnabled=False)
    tables.wait_active(api, name)
    api("DeleteTable", TableName=name)
    tables.wait_gone(api, name)


def test_live_size_and_count(api):
    name = tables.create(api)
    api("PutItem", TableName=name, Item=item(pk="a", x="0123456789"))
    api("PutItem", TableName=name, Item=item(pk="b"))
    table = api("DescribeTable", TableName=name)["Table"]
    assert (table["ItemCount"], table["TableSizeBytes"]) == (2, (2 + 1 + 1 + 10) + (2 + 1))


def test_list_tables_in_pages(api):
    prefix = tables.fresh_name("list")
    names = sorted(f"{prefix}-{letter}" for letter in "abcde")
    for name in reversed(names):
        tables.create(api, name=name)
    start, seen = prefix, []
    while len(seen) < 5:
        page = api("ListTables", Limit=2, ExclusiveStartTableName=start)
        assert len(page["TableNames"]) <= 2
        seen += page["TableNames"]
        start = page.get("LastEvaluatedTableName")
        if start is None:
            break
        assert start == page["TableNames"][-1]
    assert seen[:5] == names
    everything = [name for page in api.client.get_paginator("list_tables").paginate() for name in page["TableNames"]]
    assert everything == sorted(everything, key=str.encode)
    assert set(names) <= set(everything)
    for name in names:
        api("DeleteTable", TableName=name)


@pytest.mark.parametrize(
    "parameters, part",
    [
        ({"Limit": 0}, "'limit' failed to satisfy constraint: Member must have value greater than or equal to 1"),
        ({"Limit": 101}, "'limit' failed to satisfy constraint: Member must have value less than or equal to 100"),
        ({"ExclusiveStartTableName": "a b c"}, "'exclusiveStartTableName' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+"),
        ({"ExclusiveStartTableName": "ab"}, "'exclusiveStartTableName' failed to satisfy constraint: Member must have length greater than or equal to 3"),
    ],
)
def test_list_tables_refuses(api, parameters, part):
    api.invalid(Has(part), "ListTables", **parameters)


def test_describe_limits(api):
    limits = api("DescribeLimits")
    del limits["ResponseMetadata"]
    assert limits == {
        "AccountMaxReadCapacityUnits": 80000,
        "AccountMaxWriteCapacityUnits": 80000,
        "TableMaxReadCapacityUnits": 40000,
        "TableMaxWriteCapacityUnits": 40000,
    }


def test_describe_endpoints(api, endpoint):
    [one] = api("DescribeEndpoints")["Endpoints"]
    assert one["CachePeriodInMinutes"] == 1440
    assert one["Address"] == endpoint.removeprefix("http://") or REGION in one["Address"]


class TestUpdateTable:
    """Changes of settings."""

    @pytest.fixture
    def provisioned(self, api):
        return tables.create(api, BillingMode=None, ProvisionedThroughput={"ReadCapacityUnits": 5, "WriteCapacityUnits": 5})

    def test_nothing_to_do(self, api, simple):
        message = (
            "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, GlobalSecondaryIndexUpdates, "
            "SSESpecification, ReplicaUpdates, MultiAccountReplicaReady, ReplicaTransitRoleArn, MultiRegionConsistency, "
            "DeletionProtectionEnabled, OnDemandThroughput, WarmThroughput or TableClass is required"
        )
        api.invalid(message, "UpdateTable", TableName=simple)

    def test_throughput(self, api, provisioned):
        wanted = {"ReadCapacityUnits": 9, "WriteCapacityUnits": 3}
        api("UpdateTable", TableName=provisioned, ProvisionedThroughput=wanted)
        throughput = tables.wait_active(api, provisioned)["ProvisionedThroughput"]
        assert {name: throughput[name] for name in wanted} == wanted
        assert "LastIncreaseDateTime" in throughput and "LastDecreaseDateTime" in throughput
        assert throughput["NumberOfDecreasesToday"] == 1

    def test_same_throughput(self, api, provisioned):
        message = (
            "The provisioned throughput for the table will not change. The requested value equals the current value. "
            "Current ReadCapacityUnits provisioned for the table: 5. Requested ReadCapacityUnits: 5. "
            "Current WriteCapacityUnits provisioned for the table: 5. Requested WriteCapacityUnits: 5. "
            "Refer to the Amazon DynamoDB Developer Guide for current limits and how to request higher limits."
        )
        same = {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}
        api.invalid(message, "UpdateTable", TableName=provisioned, ProvisionedThroughput=same)

    def test_to_on_demand_and_back(self, api, provisioned):
        api("UpdateTable", TableName=provisioned, BillingMode="PAY_PER_REQUEST")
        table = tables.wait_active(api, provisioned)
        assert table["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"
        assert "LastUpdateToPayPerRequestDateTime" in table["BillingModeSummary"]
        assert table["ProvisionedThroughput"]["ReadCapacityUnits"] == 0
        message = IPV + "ProvisionedThroughput must be specified when BillingMode is PROVISIONED"
        api.invalid(message, "UpdateTable", TableName=provisioned, BillingMode="PROVISIONED")
        wanted = {"ReadCapacityUnits": 2, "WriteCapacityUnits": 4}
        api("UpdateTable", TableName=provisioned, BillingMode="PROVISIONED", ProvisionedThroughput=wanted)
        throughput = tables.wait_active(api, provisioned)["ProvisionedThroughput"]
        assert {name: throughput[name] for name in wanted} == wanted

    def test_to_provisioned_needs_throughput_of_each_index(self, api):
        name = tables.create(api, gsi={"by_a": "a:S", "by_b": "b:S"})
        wanted = {"ReadCapacityUnits": 2, "WriteCapacityUnits": 4}
        message = Has(IPV + "ProvisionedThroughput must be specified for index: ", "by_a", "by_b")
        api.invalid(message, "UpdateTable", TableName=name, BillingMode="PROVISIONED", ProvisionedThroughput=wanted)

    def test_unknown_billing_mode(self, api, simple):
        part = "'billingMode' failed to satisfy constraint: Member must satisfy enum value set: [PROVISIONED, PAY_PER_REQUEST]"
        api.invalid(Has(part), "UpdateTable", TableName=simple, BillingMode="FREE")

    def test_table_class(self, api, simple):
        api("UpdateTable", TableName=simple, TableClass="STANDARD_INFREQUENT_ACCESS")
        assert tables.wait_active(api, simple)["TableClassSummary"]["TableClass"] == "STANDARD_INFREQUENT_ACCESS"

    def test_accepts_an_arn(self, api):
        name = tables.create(api)
        arn = api("DescribeTable", TableName=name)["Table"]["TableArn"]
        api("UpdateTable", TableName=arn, DeletionProtectionEnabled=True)
        assert tables.wait_active(api, name)["DeletionProtectionEnabled"] is True
        api("UpdateTable", TableName=arn, DeletionProtectionEnabled=False)
        tables.wait_active(api, name)
        api("DeleteTable", TableName=arn)
        tables.wait_gone(api, name)
