// Runs the tests of this folder one after the other, or those that an argument names.

import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const wanted = process.argv.slice(2);
const files = readdirSync(here)
  .filter((name) => name.endsWith('.test.mjs') && (wanted.length === 0 || wanted.some((one) => name.includes(one))))
  .sort();
const done = spawnSync(process.execPath, ['--test', '--test-concurrency=1', ...files.map((name) => join(here, name))], {
  stdio: 'inherit',
});
process.exit(done.status ?? 1);
