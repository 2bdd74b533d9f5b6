import { CreateTableCommand, DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';

/** A client as the code under test makes it: the environment says where the server is. */
export const client = new DynamoDBClient();

/** Creates a table and returns its ARN. */
export async function create(name: string): Promise<string | undefined> {
  const created = await client.send(
    new CreateTableCommand({
      TableName: name,
      AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
      BillingMode: 'PAY_PER_REQUEST',
    }),
  );
  return created.TableDescription?.TableArn;
}

/** Returns the names of all tables. */
export async function list(): Promise<string[]> {
  return (await client.send(new ListTablesCommand())).TableNames ?? [];
}
