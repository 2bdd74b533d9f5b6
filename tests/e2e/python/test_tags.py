"""TagResource, UntagResource and ListTagsOfResource."""

import pytest

import tables
from api import IPV, NOT_FOUND, VALIDATION, Has


@pytest.fixture
def arn(api):
    name = tables.create(api)
    return api("DescribeTable", TableName=name)["Table"]["TableArn"]


def tag(key, value="v"):
    return {"Key": key, "Value": value}


def listed(api, arn):
    tags, token = {}, None
    while True:
        page = api("ListTagsOfResource", ResourceArn=arn, **({"NextToken": token} if token else {}))
        tags.update({one["Key"]: one["Value"] for one in page["Tags"]})
        token = page.get("NextToken")
        if not token:
            return tags


def test_untagged_table_has_no_tags(api, arn):
    assert listed(api, arn) == {}


def test_add_overwrite_and_remove(api, arn):
    api("TagResource", ResourceArn=arn, Tags=[tag("a", "1"), tag("b", "2")])
    api("TagResource", ResourceArn=arn, Tags=[tag("b", "3"), tag("c", "")])
    assert listed(api, arn) == {"a": "1", "b": "3", "c": ""}
    api("UntagResource", ResourceArn=arn, TagKeys=["a", "absent"])
    assert listed(api, arn) == {"b": "3", "c": ""}


def test_fifty_tags_fit_and_the_next_does_not(api, arn):
    api("TagResource", ResourceArn=arn, Tags=[tag(f"key{nth}") for nth in range(50)])
    assert len(listed(api, arn)) == 50
    api("TagResource", ResourceArn=arn, Tags=[tag("key0", "again")])
    error = api.fails("TagResource", ResourceArn=arn, Tags=[tag("one more")])["Error"]
    assert error["Code"] == VALIDATION
    assert len(listed(api, arn)) == 50


@pytest.mark.parametrize(
    "operation, parameters, message",
    [
        ("TagResource", {"Tags": []}, "Atleast one Tag needs to be provided as Input."),
        ("UntagResource", {"TagKeys": []}, "Atleast one Tag Key needs to be provided as Input."),
        ("TagResource", {"Tags": [tag("k" * 129)]}, Has("Member must have length less than or equal to 128")),
        ("TagResource", {"Tags": [tag("")]}, Has("Member must have length greater than or equal to 1")),
        ("TagResource", {"Tags": [tag("k", "v" * 257)]}, Has("Member must have length less than or equal to 256")),
        ("TagResource", {"Tags": [tag("aws:name")]}, Has("aws:")),
    ],
)
def test_refused(api, arn, operation, parameters, message):
    api.invalid(message, operation, ResourceArn=arn, **parameters)
    assert listed(api, arn) == {}


@pytest.mark.parametrize("operation, parameters", [("ListTagsOfResource", {}), ("TagResource", {"Tags": [tag("a")]}), ("UntagResource", {"TagKeys": ["a"]})])
def test_bad_arn(api, operation, parameters):
    message = "ARNs must start with 'arn:': not:an:arn"
    api.invalid(IPV + message, operation, ResourceArn="not:an:arn", **parameters)


def test_unknown_table_of_this_account(api, arn):
    absent = arn.rsplit("/", 1)[0] + "/no-such-table"
    message = f"Requested resource not found: ResourceArn: {absent} not found"
    api.refuses(NOT_FOUND, message, "ListTagsOfResource", ResourceArn=absent)


def test_other_account(api, arn):
    parts = arn.split(":")
    parts[4] = "999999999999" if parts[4] != "999999999999" else "111111111111"
    foreign = ":".join(parts)
    error = api.fails("ListTagsOfResource", ResourceArn=foreign)["Error"]
    assert error["Code"] == "AccessDeniedException"
    assert error["Message"] == "Access is denied"
