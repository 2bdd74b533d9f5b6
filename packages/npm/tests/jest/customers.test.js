const { create, list } = require('./tables.js');

test.each([1, 2, 3, 4, 5, 6, 7, 8])('test %i begins with nothing', async () => {
  expect(await list()).toEqual([]);
  await create('customers');
  expect(await list()).toEqual(['customers']);
});
