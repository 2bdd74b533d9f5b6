// A consumer with the streams client of the AWS SDK for JavaScript v3 replays a table to an identical copy
// while writers run, shards are closed and get children, and the server is killed and started again.
// Starts servers of its own, from the binary named by HASHRANGE_BINARY.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { CreateTableCommand, DeleteItemCommand, DynamoDBClient, PutItemCommand, UpdateItemCommand, paginateScan } from "@aws-sdk/client-dynamodb";
import { DescribeStreamCommand, DynamoDBStreamsClient, GetRecordsCommand, GetShardIteratorCommand } from "@aws-sdk/client-dynamodb-streams";

const TableName = "followed";
const ITEMS = 30;
const READY_TIMEOUT_MS = 20_000;
// Shards of one line of descent that are read to their ends, at least.
const GENERATIONS = 3;
const FOLLOW_TIMEOUT_MS = 60_000;

class Server {
  constructor(port, folder) {
    const endpoint = `http://127.0.0.1:${port}`;
    Object.assign(this, { port, folder, endpoint, log: "" });
    const settings = { endpoint, region: "us-east-1", credentials: { accessKeyId: "local", secretAccessKey: "local" } };
    this.client = new DynamoDBClient({ ...settings, maxAttempts: 1 });
    this.streams = new DynamoDBStreamsClient(settings);
  }

  async start() {
    const streams = ["--stream-shard-period", "1s", "--stream-shards", "2", "--sweep-interval", "100ms"];
    this.process = spawn(process.env.HASHRANGE_BINARY, ["serve", "--port", this.port, "--data-dir", this.folder, ...streams], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    this.process.stderr.setEncoding("utf8").on("data", (text) => (this.log += text));
    const deadline = Date.now() + READY_TIMEOUT_MS;
    while (!(await fetch(this.endpoint).then(({ ok }) => ok, () => false))) {
      assert.ok(Date.now() < deadline && this.process.exitCode === null, `the server is not ready: ${this.log}`);
    }
  }

  async kill() {
    const ended = once(this.process, "exit");
    this.process.kill("SIGKILL");
    await ended;
  }
}

class Consumer {
  // The copy, the last sequence number and the generation of each shard, and the shards that are done with.
  constructor(streams, StreamArn) {
    Object.assign(this, { streams, StreamArn, copy: new Map(), checkpoints: new Map(), generations: new Map(), finished: new Set() });
  }

  // Reads what there is, parents before children. Returns how many records that was.
  async run() {
    const { StreamDescription } = await this.streams.send(new DescribeStreamCommand({ StreamArn: this.StreamArn }));
    let count = 0;
    for (const { ShardId, ParentShardId } of StreamDescription.Shards) {
      const isReady = !this.generations.has(ParentShardId) || this.finished.has(ParentShardId);
      this.generations.set(ShardId, (this.generations.get(ParentShardId) ?? 0) + 1);
      if (isReady && !this.finished.has(ShardId)) {
        count += await this.read(ShardId);
      }
    }
    return count;
  }

  async read(ShardId) {
    const SequenceNumber = this.checkpoints.get(ShardId);
    const ShardIteratorType = SequenceNumber ? "AFTER_SEQUENCE_NUMBER" : "TRIM_HORIZON";
    const start = { StreamArn: this.StreamArn, ShardId, ShardIteratorType, SequenceNumber };
    let { ShardIterator } = await this.streams.send(new GetShardIteratorCommand(start));
    let count = 0;
    while (ShardIterator) {
      const { Records, NextShardIterator } = await this.streams.send(new GetRecordsCommand({ ShardIterator, Limit: 50 }));
      for (const { dynamodb } of Records) {
        this.apply(dynamodb);
        this.checkpoints.set(ShardId, dynamodb.SequenceNumber);
      }
      count += Records.length;
      if (!NextShardIterator) {
        this.finished.add(ShardId);
      }
      ShardIterator = Records.length > 0 ? NextShardIterator : undefined;
    }
    return count;
  }

  apply({ Keys, OldImage, NewImage }) {
    assert.deepEqual(this.copy.get(Keys.pk.S), OldImage);
    if (NewImage) {
      this.copy.set(Keys.pk.S, NewImage);
    } else {
      this.copy.delete(Keys.pk.S);
    }
  }

  finishedGenerations() {
    return Math.max(0, ...[...this.finished].map((shard) => this.generations.get(shard)));
  }
}

// Puts, updates and deletes few items until told; a server that is away is no fault.
async function write(client, nth, ended) {
  for (let step = nth; !ended.now; step += 7) {
    const Key = { pk: { S: `${step % ITEMS}` } };
    const update = { UpdateExpression: "ADD n :one", ExpressionAttributeValues: { ":one": { N: "1" } } };
    const requests = [
      new PutItemCommand({ TableName, Item: { ...Key, step: { N: `${step}` } } }),
      new UpdateItemCommand({ TableName, Key, ...update }),
      new PutItemCommand({ TableName, Item: { ...Key, list: { L: [{ N: `${step}` }, { BOOL: true }] } } }),
      new DeleteItemCommand({ TableName, Key }),
    ];
    await client.send(requests[Math.floor(step / ITEMS) % requests.length]).catch(() => {});
  }
}

async function freePort() {
  const listener = createServer().listen(0, "127.0.0.1");
  await once(listener, "listening");
  const { port } = listener.address();
  listener.close();
  return port;
}

test("a stream that is followed over closed shards and a crash is the table", { skip: !process.env.HASHRANGE_BINARY }, async () => {
  const folder = await mkdtemp(join(tmpdir(), "hashrange-"));
  const server = new Server(await freePort(), folder);
  const ended = { now: false };
  let writers = [];
  try {
    await server.start();
    const { client, streams } = server;
    const { TableDescription } = await client.send(
      new CreateTableCommand({
        TableName,
        BillingMode: "PAY_PER_REQUEST",
        KeySchema: [{ AttributeName: "pk", KeyType: "HASH" }],
        AttributeDefinitions: [{ AttributeName: "pk", AttributeType: "S" }],
        StreamSpecification: { StreamEnabled: true, StreamViewType: "NEW_AND_OLD_IMAGES" },
      }),
    );
    const consumer = new Consumer(streams, TableDescription.LatestStreamArn);
    writers = [1, 2, 3].map((nth) => write(client, nth, ended));
    const deadline = Date.now() + FOLLOW_TIMEOUT_MS;
    for (let generation = 1; generation <= GENERATIONS; generation++) {
      while (consumer.finishedGenerations() < generation) {
        assert.ok(Date.now() < deadline, `shards are not closed: ${server.log}`);
        await consumer.run();
      }
      await server.kill();
      await server.start();
    }
    ended.now = true;
    await Promise.all(writers);
    while ((await consumer.run()) > 0);
    const items = new Map();
    for await (const { Items } of paginateScan({ client }, { TableName, ConsistentRead: true })) {
      Items.forEach((item) => items.set(item.pk.S, item));
    }
    assert.ok(items.size > 0);
    assert.deepEqual(consumer.copy, items);
    assert.doesNotMatch(server.log, /ERROR|WARN|panicked/);
  } finally {
    ended.now = true;
    await Promise.all(writers);
    await server.kill();
    await rm(folder, { recursive: true });
  }
});
