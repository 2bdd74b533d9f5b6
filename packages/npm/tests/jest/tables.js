const { CreateTableCommand, DynamoDBClient, ListTablesCommand } = require('@aws-sdk/client-dynamodb');

/** A client as the code under test makes it: the environment says where the server is. */
const client = new DynamoDBClient();

/** Creates a table and returns its ARN. */
async function create(name) {
  const created = await client.send(
    new CreateTableCommand({
      TableName: name,
      AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
      BillingMode: 'PAY_PER_REQUEST',
    }),
  );
  return created.TableDescription.TableArn;
}

/** Returns the names of all tables. */
async function list() {
  return (await client.send(new ListTablesCommand())).TableNames;
}

module.exports = { create, list };
