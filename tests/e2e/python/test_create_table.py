"""CreateTable: what it accepts, what it answers, and the words of every refusal."""

import re

import pytest

import tables
from api import ENV, IN_USE, IPV, Has
from tables import definitions, key_schema

THROUGHPUT = {"ReadCapacityUnits": 5, "WriteCapacityUnits": 7}


def test_answer_describes_the_table(api):
    name = tables.fresh_name()
    created = api("CreateTable", **tables.request("pk:S / sk:N", name=name))["TableDescription"]
    assert created["TableName"] == name
    assert created["TableStatus"] in ("CREATING", "ACTIVE")
    assert created["KeySchema"] == key_schema("pk:S / sk:N")[0]
    assert sorted(created["AttributeDefinitions"], key=str) == sorted(definitions({"pk": "S", "sk": "N"}), key=str)
    assert created["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"
    assert re.fullmatch(rf"arn:aws:dynamodb:us-east-1:\d{{12}}:table/{re.escape(name)}", created["TableArn"])
    assert re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", created["TableId"])
    assert created["ItemCount"] == 0 and created["TableSizeBytes"] == 0
    assert created["DeletionProtectionEnabled"] is False
    throughput = created["ProvisionedThroughput"]
    assert (throughput["ReadCapacityUnits"], throughput["WriteCapacityUnits"]) == (0, 0)
    assert throughput["NumberOfDecreasesToday"] == 0
    described = tables.wait_active(api, name)
    same = ("TableArn", "TableId", "CreationDateTime", "KeySchema", "TableName")
    assert {one: described[one] for one in same} == {one: created[one] for one in same}


def test_provisioned_is_the_default_billing_mode(api):
    parameters = tables.request(BillingMode=None, ProvisionedThroughput=THROUGHPUT)
    created = api("CreateTable", **parameters)["TableDescription"]
    throughput = created["ProvisionedThroughput"]
    assert (throughput["ReadCapacityUnits"], throughput["WriteCapacityUnits"]) == (5, 7)
    assert created.get("BillingModeSummary", {}).get("BillingMode", "PROVISIONED") == "PROVISIONED"


@pytest.mark.parametrize("key_type", ["S", "N", "B"])
def test_each_key_type_is_accepted(api, key_type):
    name = tables.create(api, f"pk:{key_type} / sk:{key_type}")
    assert api("DescribeTable", TableName=name)["Table"]["AttributeDefinitions"]


@pytest.mark.parametrize("name", ["abc", "a" * 255, "A-b_c.9", "...", "---"])
def test_names_that_are_accepted(api, name):
    api("CreateTable", **tables.request(name=name))
    tables.wait_active(api, name)
    api("DeleteTable", TableName=name)
    tables.wait_gone(api, name)


@pytest.mark.parametrize(
    "name, message",
    [
        ("ab", ENV + "Value 'ab' at 'tableName' failed to satisfy constraint: Member must have length greater than or equal to 3"),
        ("a" * 256, ENV + f"Value '{'a' * 256}' at 'tableName' failed to satisfy constraint: Member must have length less than or equal to 255"),
        ("a b c", ENV + "Value 'a b c' at 'tableName' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+"),
        ("caf\u00e9", Has("Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+")),
        ("a/b", Has("Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+")),
    ],
)
def test_names_that_are_refused(api, name, message):
    api.invalid(message, "CreateTable", **tables.request(name=name))


def test_table_name_is_required(api):
    parameters = tables.request()
    del parameters["TableName"]
    api.invalid("The parameter 'TableName' is required but was not present in the request", "CreateTable", **parameters)


def test_existing_name_is_refused(api):
    name = tables.create(api)
    api.refuses(IN_USE, Has(name), "CreateTable", **tables.request(name=name))


def refused(name, message, keys="pk:S", **more):
    """One refused CreateTable request."""
    return pytest.param(message, tables.request(keys, **more), id=name)


def elements(*pairs):
    return [{"AttributeName": name, "KeyType": key_type} for name, key_type in pairs]


def gsi(name="gsi", keys=(("a", "HASH"),), **more):
    return {"IndexName": name, "KeySchema": elements(*keys), "Projection": {"ProjectionType": "ALL"}, **more}


def lsi(name="lsi", keys=(("pk", "HASH"), ("a", "RANGE")), **more):
    return gsi(name, keys, **more)


PK_A = definitions({"pk": "S", "a": "S"})
PK_SK_A = definitions({"pk": "S", "sk": "S", "a": "S"})

REFUSED = [
    refused(
        "three key elements",
        Has(ENV, "at 'keySchema' failed to satisfy constraint: Member must have length less than or equal to 2"),
        KeySchema=elements(("pk", "HASH"), ("a", "RANGE"), ("b", "RANGE")),
        AttributeDefinitions=definitions({"pk": "S", "a": "S", "b": "S"}),
    ),
    refused(
        "empty key schema",
        Has("at 'keySchema' failed to satisfy constraint: Member must have length greater than or equal to 1"),
        KeySchema=[],
    ),
    refused(
        "unknown key type",
        ENV + "Value 'BOGUS' at 'keySchema.1.member.keyType' failed to satisfy constraint: Member must satisfy enum value set: [HASH, RANGE]",
        KeySchema=elements(("pk", "BOGUS")),
    ),
    refused(
        "unknown attribute type",
        ENV + "Value 'BOOL' at 'attributeDefinitions.1.member.attributeType' failed to satisfy constraint: Member must satisfy enum value set: [B, N, S]",
        keys="pk:BOOL",
    ),
    refused(
        "unknown billing mode",
        ENV + "Value 'FREE' at 'billingMode' failed to satisfy constraint: Member must satisfy enum value set: [PROVISIONED, PAY_PER_REQUEST]",
        BillingMode="FREE",
    ),
    refused(
        "key attribute is not defined",
        [
            IPV + "Some index key attributes are not defined in AttributeDefinitions. Keys: [pk], AttributeDefinitions: [other]",
            "Invalid KeySchema: Some index key attribute have no definition",
        ],
        AttributeDefinitions=definitions({"other": "S"}),
    ),
    refused(
        "unused definition",
        IPV + "Number of attributes in KeySchema does not exactly match number of attributes defined in AttributeDefinitions",
        AttributeDefinitions=PK_A,
    ),
    refused(
        "unused definition beside an index",
        Has(IPV, "AttributeDefinitions"),
        AttributeDefinitions=definitions({"pk": "S", "a": "S", "b": "S"}),
        GlobalSecondaryIndexes=[gsi()],
    ),
    refused(
        "first key element is a range key",
        "Invalid KeySchema: The first KeySchemaElement is not a HASH key type",
        KeySchema=elements(("pk", "RANGE")),
    ),
    refused(
        "second key element is a hash key",
        "Invalid KeySchema: The second KeySchemaElement is not a RANGE key type",
        KeySchema=elements(("pk", "HASH"), ("a", "HASH")),
        AttributeDefinitions=PK_A,
    ),
    refused(
        "same attribute twice",
        [
            "Both the Hash Key and the Range Key element in the KeySchema have the same name",
            "Invalid KeySchema: Some index key attribute have no definition",
        ],
        KeySchema=elements(("pk", "HASH"), ("pk", "RANGE")),
    ),
    refused(
        "on demand with throughput",
        IPV + "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST",
        ProvisionedThroughput=THROUGHPUT,
    ),
    refused(
        "provisioned without throughput",
        IPV + "ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED",
        BillingMode="PROVISIONED",
    ),
    refused(
        "no billing mode and no throughput",
        IPV + "ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED",
        BillingMode=None,
    ),
    refused(
        "zero throughput",
        Has("'provisionedThroughput.readCapacityUnits' failed to satisfy constraint: Member must have value greater than or equal to 1"),
        BillingMode=None,
        ProvisionedThroughput={"ReadCapacityUnits": 0, "WriteCapacityUnits": 1},
    ),
    refused(
        "absurd throughput",
        "Given value 1000000000001 for ReadCapacityUnits is out of bounds",
        BillingMode=None,
        ProvisionedThroughput={"ReadCapacityUnits": 1000000000001, "WriteCapacityUnits": 1},
    ),
    refused(
        "local index on a table without sort key",
        IPV + "Table KeySchema does not have a range key, which is required when specifying a LocalSecondaryIndex",
        AttributeDefinitions=PK_A,
        LocalSecondaryIndexes=[lsi()],
    ),
    refused(
        "local index without sort key",
        IPV + "Index KeySchema does not have a range key for index: lsi",
        keys="pk:S / sk:S",
        LocalSecondaryIndexes=[lsi(keys=(("pk", "HASH"),))],
    ),
    refused(
        "local index with another hash key",
        IPV + "Index KeySchema does not have the same leading hash key as table KeySchema for index: lsi. index hash key: a, table hash key: pk",
        keys="pk:S / sk:S",
        AttributeDefinitions=PK_SK_A,
        LocalSecondaryIndexes=[lsi(keys=(("a", "HASH"), ("sk", "RANGE")))],
    ),
    refused(
        "empty list of local indexes",
        IPV + "List of LocalSecondaryIndexes is empty",
        keys="pk:S / sk:S",
        LocalSecondaryIndexes=[],
    ),
    refused("empty list of global indexes", IPV + "List of GlobalSecondaryIndexes is empty", GlobalSecondaryIndexes=[]),
    refused(
        "six local indexes",
        IPV + "Number of LocalSecondaryIndexes exceeds per-table limit of 5",
        keys="pk:S / sk:S",
        AttributeDefinitions=PK_SK_A,
        LocalSecondaryIndexes=[lsi(f"lsi{nth}") for nth in range(6)],
    ),
    refused(
        "twenty-one global indexes",
        IPV + "GlobalSecondaryIndex count exceeds the per-table limit of 20",
        AttributeDefinitions=PK_A,
        GlobalSecondaryIndexes=[gsi(f"gsi{nth}") for nth in range(21)],
    ),
    refused(
        "two global indexes of one name",
        IPV + "Duplicate index name: gsi",
        AttributeDefinitions=PK_A,
        GlobalSecondaryIndexes=[gsi(), gsi()],
    ),
    refused(
        "global and local index of one name",
        IPV + "Duplicate index name: both",
        keys="pk:S / sk:S",
        AttributeDefinitions=PK_SK_A,
        LocalSecondaryIndexes=[lsi("both")],
        GlobalSecondaryIndexes=[gsi("both")],
    ),
    refused(
        "projection without type",
        IPV + "Unknown ProjectionType: null",
        AttributeDefinitions=PK_A,
        GlobalSecondaryIndexes=[gsi(Projection={})],
    ),
    refused(
        "ALL with attributes",
        IPV + "ProjectionType is ALL, but NonKeyAttributes is specified",
        AttributeDefinitions=PK_A,
        GlobalSecondaryIndexes=[gsi(Projection={"ProjectionType": "ALL", "NonKeyAttributes": ["x"]})],
    ),
    refused(
        "KEYS_ONLY with attributes",
        IPV + "ProjectionType is KEYS_ONLY, but NonKeyAttributes is specified",
        AttributeDefinitions=PK_A,
        GlobalSecondaryIndexes=[gsi(Projection={"ProjectionType": "KEYS_ONLY", "NonKeyAttributes": ["x"]})],
    ),
    refused(
        "INCLUDE without attributes",
        IPV + "ProjectionType is INCLUDE, but NonKeyAttributes is not specified",
        AttributeDefinitions=PK_A,
        GlobalSecondaryIndexes=[gsi(Projection={"ProjectionType": "INCLUDE"})],
    ),
    refused(
        "INCLUDE with an empty list",
        Has("nonKeyAttributes' failed to satisfy constraint: Member must have length greater than or equal to 1"),
        AttributeDefinitions=PK_A,
        GlobalSecondaryIndexes=[gsi(Projection={"ProjectionType": "INCLUDE", "NonKeyAttributes": []})],
    ),
    refused(
        "twenty-one projected attributes",
        Has("nonKeyAttributes' failed to satisfy constraint: Member must have length less than or equal to 20"),
        AttributeDefinitions=PK_A,
        GlobalSecondaryIndexes=[gsi(Projection={"ProjectionType": "INCLUDE", "NonKeyAttributes": [f"x{n}" for n in range(21)]})],
    ),
    refused(
        "unknown projection type",
        Has("projection.projectionType' failed to satisfy constraint: Member must satisfy enum value set: [ALL, INCLUDE, KEYS_ONLY]"),
        AttributeDefinitions=PK_A,
        GlobalSecondaryIndexes=[gsi(Projection={"ProjectionType": "SOME"})],
    ),
    refused(
        "index throughput on demand",
        IPV + "ProvisionedThroughput should not be specified for index: gsi when BillingMode is PAY_PER_REQUEST",
        AttributeDefinitions=PK_A,
        GlobalSecondaryIndexes=[gsi(ProvisionedThroughput=THROUGHPUT)],
    ),
    refused(
        "index key attribute is not defined",
        Has(IPV, "Some index key attributes are not defined in AttributeDefinitions"),
        GlobalSecondaryIndexes=[gsi()],
    ),
    refused(
        "five hash attributes in an index",
        Has("HASH"),
        AttributeDefinitions=definitions({"pk": "S"} | {f"h{nth}": "S" for nth in range(5)}),
        GlobalSecondaryIndexes=[gsi(keys=[(f"h{nth}", "HASH") for nth in range(5)])],
    ),
    refused(
        "short index name",
        Has("indexName' failed to satisfy constraint: Member must have length greater than or equal to 3"),
        AttributeDefinitions=PK_A,
        GlobalSecondaryIndexes=[gsi("ab")],
    ),
    refused(
        "index name with a blank",
        Has("indexName' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+"),
        AttributeDefinitions=PK_A,
        GlobalSecondaryIndexes=[gsi("a b c")],
    ),
    refused(
        "long key attribute name",
        Has("Member must have length less than or equal to 255"),
        keys=f"{'k' * 256}:S",
    ),
    refused(
        "view type of a stream that is off",
        IPV + "Table is being created with a stream disabled, UpdateViewType should not be specified",
        StreamSpecification={"StreamEnabled": False, "StreamViewType": "KEYS_ONLY"},
    ),
]


@pytest.mark.parametrize("message, parameters", REFUSED)
def test_refused(api, message, parameters):
    api.invalid(message, "CreateTable", **parameters)
    api.refuses("ResourceNotFoundException", Has("not found"), "DescribeTable", TableName=parameters["TableName"])


def test_several_faults_are_joined(api):
    parameters = tables.request(name="ab", BillingMode="FREE", KeySchema=elements(("pk", "BOGUS")))
    message = Has(
        "3 validation errors detected: ",
        "Value 'ab' at 'tableName' failed to satisfy constraint: Member must have length greater than or equal to 3",
        "Value 'FREE' at 'billingMode' failed to satisfy constraint: Member must satisfy enum value set: [PROVISIONED, PAY_PER_REQUEST]",
        "Value 'BOGUS' at 'keySchema.1.member.keyType' failed to satisfy constraint: Member must satisfy enum value set: [HASH, RANGE]",
        "; ",
    )
    api.invalid(message, "CreateTable", **parameters)


def test_short_index_names_of_both_kinds_name_the_global_one_first(api):
    parameters = tables.request(
        "pk:S / sk:S",
        AttributeDefinitions=PK_SK_A,
        LocalSecondaryIndexes=[lsi("l")],
        GlobalSecondaryIndexes=[gsi("g")],
    )
    message = api.fails("CreateTable", **parameters)["Error"]["Message"]
    assert message.startswith("2 validation errors detected: ")
    assert message.index("globalSecondaryIndexes.1.member.indexName") < message.index("localSecondaryIndexes.1.member.indexName")


def test_indexes_are_described(api):
    name = tables.create(
        api,
        "pk:S / sk:S",
        lsi={"by_a": "pk:S / a:N => KEYS_ONLY", "by_b": "pk:S / b:B => INCLUDE x y"},
        gsi={"by_c": "c:S", "by_many": "h1:S h2:N / r1:S r2:N => INCLUDE x"},
    )
    table = api("DescribeTable", TableName=name)["Table"]
    local = {one["IndexName"]: one for one in table["LocalSecondaryIndexes"]}
    global_ = {one["IndexName"]: one for one in table["GlobalSecondaryIndexes"]}
    assert local["by_a"]["Projection"] == {"ProjectionType": "KEYS_ONLY"}
    assert local["by_b"]["Projection"]["ProjectionType"] == "INCLUDE"
    assert sorted(local["by_b"]["Projection"]["NonKeyAttributes"]) == ["x", "y"]
    assert local["by_b"]["KeySchema"] == key_schema("pk:S / b:B")[0]
    assert global_["by_many"]["KeySchema"] == key_schema("h1:S h2:N / r1:S r2:N")[0]
    assert global_["by_c"]["IndexStatus"] == "ACTIVE" and "Backfilling" not in global_["by_c"]
    for one in [*local.values(), *global_.values()]:
        assert one["IndexArn"] == f"{table['TableArn']}/index/{one['IndexName']}"
        assert one["ItemCount"] == 0 and one["IndexSizeBytes"] == 0


def test_twenty_global_and_five_local_indexes(api):
    name = tables.create(
        api,
        "pk:S / sk:S",
        lsi={f"lsi{nth}": f"pk:S / l{nth}:S => KEYS_ONLY" for nth in range(5)},
        gsi={f"gsi{nth}": f"g{nth}:S => KEYS_ONLY" for nth in range(20)},
    )
    table = api("DescribeTable", TableName=name)["Table"]
    assert len(table["LocalSecondaryIndexes"]) == 5 and len(table["GlobalSecondaryIndexes"]) == 20


def test_four_hash_and_four_range_attributes_in_a_global_index(api):
    keys = "h1:S h2:N h3:B h4:S / r1:S r2:N r3:B r4:S"
    name = tables.create(api, gsi={"wide": keys})
    [wide] = api("DescribeTable", TableName=name)["Table"]["GlobalSecondaryIndexes"]
    assert wide["KeySchema"] == key_schema(keys)[0]


def test_settings_are_echoed(api):
    name = tables.create(api, DeletionProtectionEnabled=True, TableClass="STANDARD_INFREQUENT_ACCESS")
    table = api("DescribeTable", TableName=name)["Table"]
    assert table["DeletionProtectionEnabled"] is True
    assert table["TableClassSummary"]["TableClass"] == "STANDARD_INFREQUENT_ACCESS"
    api("UpdateTable", TableName=name, DeletionProtectionEnabled=False)


def test_tags_given_at_creation_are_listed(api):
    tags = [{"Key": "team", "Value": "orders"}, {"Key": "empty", "Value": ""}]
    name = tables.create(api, Tags=tags)
    arn = api("DescribeTable", TableName=name)["Table"]["TableArn"]
    listed = api("ListTagsOfResource", ResourceArn=arn)["Tags"]
    assert sorted(listed, key=str) == sorted(tags, key=str)
