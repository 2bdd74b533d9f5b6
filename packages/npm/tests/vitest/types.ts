// Never run: shows that the declared types fit those of the SDK and of vitest.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { start, type Server } from 'hashrange';
import { globalSetup as jestSetup, globalTeardown } from 'hashrange/jest';
import setup from 'hashrange/vitest/global-setup';
import type { TestProject } from 'vitest/node';

export async function use(project: TestProject): Promise<string[]> {
  await using server: Server = await start({ port: 0, args: ['--seed=1'] });
  const client = new DynamoDBClient(server.config);
  await server.reset();
  const stop = await setup(project);
  await stop();
  await jestSetup({ args: [] })({ maxWorkers: 1 });
  await globalTeardown();
  // @ts-expect-error: a port is a number.
  await start({ port: '8000' });
  client.destroy();
  return server.log();
}
