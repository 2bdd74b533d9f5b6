import { expect, test } from 'vitest';
import { create } from './tables.js';

test('arguments reach the server', async () => {
  expect(await create('orders')).toContain(':eu-north-1:');
});
