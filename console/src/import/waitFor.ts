// Waits until a table is there and may be written.

import { call } from '../base/client';
import { describe, type TableDescription } from '../base/tables';

const pause = (ms: number): Promise<void> => new Promise((go) => setTimeout(go, ms));

/** Creates a table and waits until it is active, for two minutes at most. */
export async function createAndWait(request: Record<string, unknown>): Promise<TableDescription> {
  await call('CreateTable', request);
  const name = String(request['TableName']);
  for (let nth = 0; nth < 240; nth += 1) {
    const table = await describe(name);
    if (table.TableStatus === undefined || table.TableStatus === 'ACTIVE') return table;
    await pause(nth < 10 ? 50 : 500);
  }
  throw new Error(`${name} is not active after two minutes. Look at it under Tables.`);
}
