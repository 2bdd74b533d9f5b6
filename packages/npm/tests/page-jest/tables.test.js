const { DynamoDBClient, ListTablesCommand } = require('@aws-sdk/client-dynamodb');

test('the preset alone leads the SDK to a server', async () => {
  const { TableNames } = await new DynamoDBClient().send(new ListTablesCommand());
  expect(TableNames).toEqual([]);
});
