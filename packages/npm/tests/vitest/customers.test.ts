import { expect, test } from 'vitest';
import { create, list } from './tables.js';

test.for([1, 2, 3, 4, 5, 6, 7, 8])('test %i begins with nothing', async () => {
  expect(await list()).toEqual([]);
  await create('customers');
  expect(await list()).toEqual(['customers']);
});
