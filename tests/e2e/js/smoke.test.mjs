// The AWS SDK for JavaScript v3 against the server named by HASHRANGE_ENDPOINT: what this SDK adds to the
// protocol of its own - marshalling, paginators, waiters, batches, typed errors, big numbers.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import {
  ConditionalCheckFailedException,
  CreateTableCommand,
  DeleteTableCommand,
  DescribeTableCommand,
  DuplicateItemException,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  ResourceNotFoundException,
  TransactionCanceledException,
  UpdateTableCommand,
  paginateListTables,
  waitUntilTableExists,
  waitUntilTableNotExists,
} from "@aws-sdk/client-dynamodb";
import { DescribeStreamCommand, DynamoDBStreamsClient, GetRecordsCommand, GetShardIteratorCommand, TrimmedDataAccessException } from "@aws-sdk/client-dynamodb-streams";
import {
  BatchExecuteStatementCommand,
  BatchGetCommand,
  BatchWriteCommand,
  DeleteCommand,
  DynamoDBDocumentClient,
  ExecuteStatementCommand,
  ExecuteTransactionCommand,
  GetCommand,
  NumberValue,
  PutCommand,
  QueryCommand,
  ScanCommand,
  TransactGetCommand,
  TransactWriteCommand,
  UpdateCommand,
  paginateQuery,
  paginateScan,
} from "@aws-sdk/lib-dynamodb";

const settings = {
  endpoint: process.env.HASHRANGE_ENDPOINT ?? "http://127.0.0.1:8000",
  region: "us-east-1",
  credentials: { accessKeyId: "local", secretAccessKey: "local" },
  maxAttempts: 1,
};
const client = new DynamoDBClient(settings);
const streams = new DynamoDBStreamsClient(settings);
const documents = DynamoDBDocumentClient.from(client);
const TableName = `js.${process.pid}`;
const waiting = { client, minDelay: 0.02, maxDelay: 0.1, maxWaitTime: 20 };

before(async () => {
  await client.send(
    new CreateTableCommand({
      TableName,
      BillingMode: "PAY_PER_REQUEST",
      KeySchema: [
        { AttributeName: "pk", KeyType: "HASH" },
        { AttributeName: "sk", KeyType: "RANGE" },
      ],
      AttributeDefinitions: [
        { AttributeName: "pk", AttributeType: "S" },
        { AttributeName: "sk", AttributeType: "N" },
        { AttributeName: "team", AttributeType: "S" },
      ],
      GlobalSecondaryIndexes: [
        { IndexName: "by_team", KeySchema: [{ AttributeName: "team", KeyType: "HASH" }], Projection: { ProjectionType: "KEYS_ONLY" } },
      ],
    }),
  );
  const reached = await waitUntilTableExists(waiting, { TableName });
  assert.equal(reached.state, "SUCCESS");
});

after(async () => {
  await client.send(new DeleteTableCommand({ TableName }));
  assert.equal((await waitUntilTableNotExists(waiting, { TableName })).state, "SUCCESS");
});

describe("documents", () => {
  test("every JavaScript value comes back as it went", async () => {
    const Item = {
      pk: "values",
      sk: 1,
      text: "\u00e9 \u{1f600}",
      empty: "",
      number: -12.5,
      yes: true,
      no: false,
      nothing: null,
      bytes: new Uint8Array([0, 255]),
      list: [1, "two", [3], {}],
      map: { a: { b: [null] } },
      strings: new Set(["a", "b"]),
      numbers: new Set([1, 2.5]),
    };
    await documents.send(new PutCommand({ TableName, Item }));
    const { Item: got } = await documents.send(new GetCommand({ TableName, Key: { pk: "values", sk: 1 }, ConsistentRead: true }));
    assert.deepEqual(got, Item);
  });

  test("thirty-eight digits survive", async () => {
    const digits = "12345678901234567890123456789012345678";
    await documents.send(new PutCommand({ TableName, Item: { pk: "digits", sk: 1, n: NumberValue.from(digits) } }));
    const { Item } = await client.send(new GetItemCommand({ TableName, Key: { pk: { S: "digits" }, sk: { N: "1" } } }));
    assert.deepEqual(Item.n, { N: digits });
  });

  test("update returns new values and delete old ones", async () => {
    const Key = { pk: "update", sk: 1 };
    const updated = await documents.send(
      new UpdateCommand({
        TableName,
        Key,
        UpdateExpression: "SET #c = if_not_exists(#c, :zero) + :one, tags = :tags",
        ExpressionAttributeNames: { "#c": "counter" },
        ExpressionAttributeValues: { ":zero": 0, ":one": 1, ":tags": ["x"] },
        ReturnValues: "ALL_NEW",
      }),
    );
    assert.deepEqual(updated.Attributes, { ...Key, counter: 1, tags: ["x"] });
    const deleted = await documents.send(new DeleteCommand({ TableName, Key, ReturnValues: "ALL_OLD" }));
    assert.deepEqual(deleted.Attributes, { ...Key, counter: 1, tags: ["x"] });
    assert.equal((await documents.send(new GetCommand({ TableName, Key }))).Item, undefined);
  });
});

describe("errors", () => {
  test("a failed condition is typed and carries the item", async () => {
    const Item = { pk: { S: "condition" }, sk: { N: "1" } };
    await client.send(new PutItemCommand({ TableName, Item }));
    const again = new PutItemCommand({
      TableName,
      Item,
      ConditionExpression: "attribute_not_exists(pk)",
      ReturnValuesOnConditionCheckFailure: "ALL_OLD",
    });
    await assert.rejects(client.send(again), (error) => {
      assert.ok(error instanceof ConditionalCheckFailedException);
      assert.equal(error.message, "The conditional request failed");
      assert.deepEqual(error.Item, Item);
      assert.equal(error.$metadata.httpStatusCode, 400);
      return true;
    });
  });

  test("a missing table is typed", async () => {
    await assert.rejects(client.send(new DescribeTableCommand({ TableName: "no.such.table" })), ResourceNotFoundException);
  });

  test("a validation fault has its name and text", async () => {
    const query = new QueryCommand({ TableName, KeyConditionExpression: "sk = :s", ExpressionAttributeValues: { ":s": 1 } });
    await assert.rejects(documents.send(query), { name: "ValidationException", message: "Query condition missed key schema element: pk" });
  });
});

describe("many items", () => {
  const nths = [...Array(60).keys()];

  before(async () => {
    for (let start = 0; start < nths.length; start += 25) {
      const writes = nths.slice(start, start + 25).map((sk) => ({ PutRequest: { Item: { pk: "many", sk, team: `t${sk % 2}` } } }));
      const { UnprocessedItems } = await documents.send(new BatchWriteCommand({ RequestItems: { [TableName]: writes } }));
      assert.deepEqual(UnprocessedItems, {});
    }
  });

  test("the query paginator sees all, in order", async () => {
    const seen = [];
    const query = { TableName, KeyConditionExpression: "pk = :p", ExpressionAttributeValues: { ":p": "many" } };
    for await (const page of paginateQuery({ client: documents, pageSize: 7 }, query)) {
      seen.push(...page.Items.map((item) => item.sk));
    }
    assert.deepEqual(seen, nths);
  });

  test("the scan paginator sees all, in segments", async () => {
    const seen = [];
    for (const Segment of [0, 1, 2]) {
      const scan = { TableName, Segment, TotalSegments: 3, FilterExpression: "pk = :p", ExpressionAttributeValues: { ":p": "many" } };
      for await (const page of paginateScan({ client: documents, pageSize: 10 }, scan)) {
        seen.push(...page.Items.map((item) => item.sk));
      }
    }
    assert.deepEqual(seen.sort((a, b) => a - b), nths);
  });

  test("the index has its half", async () => {
    const query = { TableName, IndexName: "by_team", KeyConditionExpression: "team = :t", ExpressionAttributeValues: { ":t": "t1" } };
    const { Items, Count } = await documents.send(new QueryCommand(query));
    assert.equal(Count, 30);
    assert.deepEqual(Object.keys(Items[0]).sort(), ["pk", "sk", "team"]);
  });

  test("batch get finds them", async () => {
    const Keys = nths.map((sk) => ({ pk: "many", sk }));
    const { Responses, UnprocessedKeys } = await documents.send(new BatchGetCommand({ RequestItems: { [TableName]: { Keys } } }));
    assert.equal(Responses[TableName].length, nths.length);
    assert.deepEqual(UnprocessedKeys, {});
  });

  test("capacity is a number", async () => {
    const { ConsumedCapacity } = await documents.send(new ScanCommand({ TableName, Limit: 1, ReturnConsumedCapacity: "TOTAL" }));
    assert.deepEqual(ConsumedCapacity, { TableName, CapacityUnits: 0.5 });
  });
});

describe("transactions", () => {
  const action = (sk, by, ConditionExpression) => ({
    Update: {
      TableName,
      Key: { pk: "bank", sk },
      UpdateExpression: "ADD balance :by",
      ConditionExpression,
      ExpressionAttributeValues: { ":by": by },
      ReturnValuesOnConditionCheckFailure: "ALL_OLD",
    },
  });
  const balances = async () => {
    const TransactItems = [1, 2, 3].map((sk) => ({ Get: { TableName, Key: { pk: "bank", sk } } }));
    const { Responses } = await documents.send(new TransactGetCommand({ TransactItems }));
    return Responses.map((response) => response.Item?.balance);
  };

  test("all or nothing", async () => {
    await documents.send(new TransactWriteCommand({ TransactItems: [action(1, 10), action(2, -10)] }));
    assert.deepEqual(await balances(), [10, -10, undefined]);
    const TransactItems = [action(1, 5), action(2, 5, "attribute_not_exists(pk)")];
    await assert.rejects(documents.send(new TransactWriteCommand({ TransactItems })), (error) => {
      assert.ok(error instanceof TransactionCanceledException);
      assert.deepEqual(error.CancellationReasons.map((reason) => reason.Code), ["None", "ConditionalCheckFailed"]);
      assert.deepEqual(error.CancellationReasons[1].Item, { pk: { S: "bank" }, sk: { N: "2" }, balance: { N: "-10" } });
      return true;
    });
    assert.deepEqual(await balances(), [10, -10, undefined]);
  });

  test("a token makes it happen once", async () => {
    const request = { TransactItems: [action(3, 1)], ClientRequestToken: `js-${process.pid}` };
    await documents.send(new TransactWriteCommand(request));
    await documents.send(new TransactWriteCommand(request));
    assert.equal((await balances())[2], 1);
  });
});

describe("PartiQL", () => {
  const table = `"${TableName}"`;
  const read = { Statement: `SELECT sk, tags FROM ${table} WHERE pk = ?`, Parameters: ["ql"] };

  test("a transaction writes, pages of a SELECT read", async () => {
    const TransactStatements = [1, 2, 3].map((sk) => ({ Statement: `INSERT INTO ${table} VALUE {'pk': 'ql', 'sk': ?, 'tags': <<'a'>>}`, Parameters: [sk] }));
    await documents.send(new ExecuteTransactionCommand({ TransactStatements }));
    const seen = [];
    let NextToken;
    do {
      const page = await documents.send(new ExecuteStatementCommand({ ...read, Limit: 2, NextToken }));
      seen.push(...page.Items);
      NextToken = page.NextToken;
    } while (NextToken);
    assert.deepEqual(seen, [1, 2, 3].map((sk) => ({ sk, tags: new Set(["a"]) })));
  });

  test("a batch fails in parts", async () => {
    const Statements = [1, 9].map((sk) => ({ Statement: `UPDATE ${table} SET seen = true WHERE pk = 'ql' AND sk = ?`, Parameters: [sk] }));
    const { Responses } = await documents.send(new BatchExecuteStatementCommand({ Statements }));
    assert.deepEqual(Responses.map(({ Error }) => Error?.Code), [undefined, "ConditionalCheckFailed"]);
  });

  test("an existing item is a typed error", async () => {
    const insert = new ExecuteStatementCommand({ Statement: `INSERT INTO ${table} VALUE {'pk': 'ql', 'sk': 1}` });
    await assert.rejects(documents.send(insert), DuplicateItemException);
  });
});

describe("streams", () => {
  test("changes are read shard by shard", async () => {
    const { TableDescription } = await client.send(
      new UpdateTableCommand({ TableName, StreamSpecification: { StreamEnabled: true, StreamViewType: "NEW_IMAGE" } }),
    );
    const StreamArn = TableDescription.LatestStreamArn;
    const Item = { pk: "streamed", sk: 1, text: "\u{1f600}" };
    await documents.send(new PutCommand({ TableName, Item }));
    await documents.send(new DeleteCommand({ TableName, Key: { pk: "streamed", sk: 1 } }));
    const { StreamDescription } = await streams.send(new DescribeStreamCommand({ StreamArn }));
    const found = [];
    for (const { ShardId } of StreamDescription.Shards) {
      const start = { StreamArn, ShardId, ShardIteratorType: "TRIM_HORIZON" };
      const { ShardIterator } = await streams.send(new GetShardIteratorCommand(start));
      const { Records, NextShardIterator } = await streams.send(new GetRecordsCommand({ ShardIterator }));
      found.push(...Records);
      assert.ok(NextShardIterator);
    }
    assert.deepEqual(found.map((record) => record.eventName), ["INSERT", "REMOVE"]);
    const [{ dynamodb }] = found;
    assert.deepEqual(dynamodb.NewImage, { pk: { S: "streamed" }, sk: { N: "1" }, text: { S: "\u{1f600}" } });
    assert.ok(Math.abs(dynamodb.ApproximateCreationDateTime - Date.now()) < 60_000);
    const trimmed = { StreamArn, ShardId: StreamDescription.Shards[0].ShardId, ShardIteratorType: "AT_SEQUENCE_NUMBER" };
    await assert.rejects(
      streams.send(new GetShardIteratorCommand({ ...trimmed, SequenceNumber: "100000000000000000000" })),
      TrimmedDataAccessException,
    );
  });
});

test("the table list paginator finds the table", async () => {
  const names = [];
  for await (const page of paginateListTables({ client, pageSize: 5 }, {})) {
    names.push(...page.TableNames);
  }
  assert.ok(names.includes(TableName));
});
