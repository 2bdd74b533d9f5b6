"""A consumer that stops and resumes replays a table from its stream to an identical copy, while writers
run, shards are closed and get children, and the server is stopped, killed and started again."""

import random
import threading
import time

import pytest
from botocore.exceptions import BotoCoreError, ClientError

import tables
from own_server import Server
from values import item

pytestmark = [pytest.mark.process, pytest.mark.hashrange]

WRITERS = 3
ITEMS = 40
RESTARTS = ["stop", "kill", "stop"]
# Shards of one line of descent that are read to their ends, at least.
GENERATIONS = 3
FOLLOW_TIMEOUT_S = 60


@pytest.fixture
def server(tmp_path):
    server = Server(tmp_path / "server.log", "--data-dir", str(tmp_path / "data"), "--stream-shard-period", "1s")
    yield server
    server.close()


class Consumer:
    """What a consumer keeps between its runs: the copy and the last sequence number of each shard."""

    def __init__(self, arn):
        self.arn, self.copy, self.checkpoints = arn, {}, {}
        self.generations, self.finished = {}, set()

    def run(self, streams):
        """Reads what there is, parents before children."""
        shards = streams("DescribeStream", StreamArn=self.arn)["StreamDescription"]["Shards"]
        for shard in sorted(shards, key=lambda one: one["ShardId"]):
            name, parent = shard["ShardId"], shard.get("ParentShardId")
            self.generations[name] = self.generations.get(parent, 0) + 1
            if name not in self.finished and (parent not in self.generations or parent in self.finished):
                self.read(streams, name)

    def finished_generations(self):
        return max((self.generations[shard] for shard in self.finished), default=0)

    def read(self, streams, shard):
        start = {"ShardIteratorType": "TRIM_HORIZON"}
        if shard in self.checkpoints:
            start = {"ShardIteratorType": "AFTER_SEQUENCE_NUMBER", "SequenceNumber": self.checkpoints[shard]}
        position = streams("GetShardIterator", StreamArn=self.arn, ShardId=shard, **start)["ShardIterator"]
        while position:
            page = streams("GetRecords", ShardIterator=position, Limit=50)
            for one in page["Records"]:
                self.apply(one["dynamodb"])
                self.checkpoints[shard] = one["dynamodb"]["SequenceNumber"]
            if "NextShardIterator" not in page:
                self.finished.add(shard)
            position = page.get("NextShardIterator") if page["Records"] else None

    def apply(self, change):
        key = change["Keys"]["pk"]["S"]
        assert self.copy.get(key) == change.get("OldImage"), change
        self.copy[key] = change.get("NewImage")


def write(api, table, seed, ended):
    """Puts, updates and deletes few items until told; a server that is away is no fault."""
    choose = random.Random(seed)
    while not ended.is_set():
        key = item(pk=f"{choose.randrange(ITEMS)}")
        try:
            match choose.randrange(4):
                case 0:
                    api("DeleteItem", TableName=table, Key=key)
                case 1:
                    api("UpdateItem", TableName=table, Key=key, UpdateExpression="ADD n :one", ExpressionAttributeValues=item(**{":one": 1}))
                case _:
                    api("PutItem", TableName=table, Item={**key, **item(x=choose.randrange(1000))})
        except (BotoCoreError, ClientError):
            ended.wait(0.05)


def test_replay_is_the_table(server):
    api = server.api()
    specification = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
    table = tables.create(api, StreamSpecification=specification)
    consumer = Consumer(api("DescribeTable", TableName=table)["Table"]["LatestStreamArn"])
    ended = threading.Event()
    writers = [threading.Thread(target=write, args=(server.api(), table, seed, ended)) for seed in range(WRITERS)]
    for writer in writers:
        writer.start()
    try:
        for end in RESTARTS:
            for _ in range(10):
                consumer.run(server.api(service="dynamodbstreams"))
            getattr(server, end)()
            server.start()
        deadline = time.monotonic() + FOLLOW_TIMEOUT_S
        while consumer.finished_generations() < GENERATIONS:
            assert time.monotonic() < deadline, "shards are not closed"
            consumer.run(server.api(service="dynamodbstreams"))
    finally:
        ended.set()
        for writer in writers:
            writer.join()
    consumer.run(server.api(service="dynamodbstreams"))
    items = {one["pk"]["S"]: one for one in tables.all_items(server.api(), "Scan", TableName=table)}
    assert {key: image for key, image in consumer.copy.items() if image} == items
    assert len(items) > ITEMS // 2
