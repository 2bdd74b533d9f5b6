"""Operations that are known but not built yet say so, in a typed error and not in a dropped connection."""

import pytest

import tables
from http_raw import Http

pytestmark = pytest.mark.hashrange

ARN = "arn:aws:dynamodb:us-east-1:314159265358:table/t"
PENDING = [
    ("CreateBackup", {"TableName": "abc", "BackupName": "abc"}),
    ("ExportTableToPointInTime", {"TableArn": ARN, "S3Bucket": "bucket"}),
    ("ImportTable", {}),
    ("EnableKinesisStreamingDestination", {"TableName": "abc", "StreamArn": "arn:aws:kinesis:us-east-1:314159265358:stream/orders"}),
    ("PutResourcePolicy", {"ResourceArn": ARN, "Policy": "{}"}),
]
# Newer than some SDKs.
NEWER = ["StartBulkPutItems", "SearchVectors"]


@pytest.mark.parametrize("operation, parameters", PENDING, ids=lambda one: one if isinstance(one, str) else "")
def test_pending_operation(api, operation, parameters):
    error = api.fails(operation, **parameters)["Error"]
    assert error["Code"] == "UnknownOperationException"
    assert error["Message"] == f"The operation {operation} is not implemented in Hashrange."


@pytest.mark.parametrize("operation", NEWER)
def test_pending_operation_of_a_newer_sdk(endpoint, operation):
    answer = Http(endpoint).post(operation, {"TableName": "abc"}).checked()
    assert (answer.status, answer.error) == (400, "UnknownOperationException")
    assert answer.message == f"The operation {operation} is not implemented in Hashrange."


def test_there_is_no_bulk_operation(endpoint):
    answer = Http(endpoint).post("ListBulkOperations", {}).checked()
    assert (answer.status, answer.json) == (200, {"BulkOperationsSummaryList": []})


def test_features_that_are_off_say_so(api):
    name = tables.create(api)
    arn = api("DescribeTable", TableName=name)["Table"]["TableArn"]
    backups = api("DescribeContinuousBackups", TableName=name)["ContinuousBackupsDescription"]
    assert backups["PointInTimeRecoveryDescription"] == {"PointInTimeRecoveryStatus": "DISABLED"}
    assert api("ListBackups", TableName=name)["BackupSummaries"] == []
    assert api("DescribeContributorInsights", TableName=name)["ContributorInsightsStatus"] == "DISABLED"
    assert api("DescribeKinesisStreamingDestination", TableName=name)["KinesisDataStreamDestinations"] == []
    assert api("ListExports")["ExportSummaries"] == [] == api("ListImports")["ImportSummaryList"]
    assert api("ListGlobalTables")["GlobalTables"] == []
    assert api.fails("GetResourcePolicy", ResourceArn=arn)["Error"]["Code"] == "PolicyNotFoundException"
