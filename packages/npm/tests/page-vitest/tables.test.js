// As the page shows it; crates/cli/tests/pages/ci.rs compares them.

import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { expect, test } from 'vitest'; // in jest they are there without it

test('there are no tables yet', async () => {
  const { TableNames } = await new DynamoDBClient().send(new ListTablesCommand());
  expect(TableNames).toEqual([]);
});
