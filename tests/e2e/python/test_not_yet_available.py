"""Operations that are known but not built yet say so, in a typed error and not in a dropped connection."""

import pytest

from http_raw import Http

pytestmark = pytest.mark.hashrange

ARN = "arn:aws:dynamodb:us-east-1:314159265358:table/t"
PENDING = [
    ("CreateBackup", {"TableName": "abc", "BackupName": "abc"}),
    ("ListBackups", {}),
    ("DescribeContinuousBackups", {"TableName": "abc"}),
    ("ExportTableToPointInTime", {"TableArn": ARN, "S3Bucket": "bucket"}),
    ("ImportTable", {}),
    ("ListImports", {}),
    ("ListGlobalTables", {}),
    ("DescribeContributorInsights", {"TableName": "abc"}),
    ("DescribeKinesisStreamingDestination", {"TableName": "abc"}),
    ("PutResourcePolicy", {"ResourceArn": ARN, "Policy": "{}"}),
]
# Newer than some SDKs.
NEWER = ["StartBulkPutItems", "DescribeBulkOperation", "ListBulkOperations", "CancelBulkOperation", "SearchVectors"]


@pytest.mark.parametrize("operation, parameters", PENDING, ids=lambda one: one if isinstance(one, str) else "")
def test_pending_operation(api, operation, parameters):
    error = api.fails(operation, **parameters)["Error"]
    assert error["Code"] == "NotImplementedException"
    assert operation in error["Message"] and "not yet available" in error["Message"]


@pytest.mark.parametrize("operation", NEWER)
def test_pending_operation_of_a_newer_sdk(endpoint, operation):
    answer = Http(endpoint).post(operation, {"TableName": "abc"}).checked()
    assert (answer.status, answer.error) == (400, "NotImplementedException")
    assert answer.message == f"The operation {operation} is not yet available in Hashrange."
