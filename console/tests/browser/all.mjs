// Runs the tests of this folder, or those whose names an argument has, two at a time; prints a line for each, with its
// time, and what it said if it failed. JOBS sets how many run at a time.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const wanted = process.argv.slice(2);
// The longest begin first.
const longest = ['axe', 'faults', 'walk', 'hostile', 'scale'].map((name) => `${name}.test.mjs`);
const rank = (name) => (longest.includes(name) ? longest.indexOf(name) : longest.length);
const files = readdirSync(here)
  .filter((name) => name.endsWith('.test.mjs') && (wanted.length === 0 || wanted.some((one) => name.includes(one))))
  .sort((one, other) => rank(one) - rank(other) || (one < other ? -1 : 1));

async function runOne(name) {
  const began = Date.now();
  const child = spawn(process.execPath, [join(here, name)], { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  child.stdout.on('data', (part) => (said += part));
  child.stderr.on('data', (part) => (said += part));
  const [code] = await once(child, 'close');
  const seconds = ((Date.now() - began) / 1000).toFixed(1).padStart(5);
  const figures = code === 0 ? said.split('\n').filter((line) => /^figure: |: left out/.test(line)) : [];
  console.log(`${code === 0 ? 'ok    ' : 'FAILED'} ${seconds} s  ${name.replace('.test.mjs', '')}`);
  for (const line of figures) console.log(`                ${line}`);
  if (code !== 0) console.log(said.split('\n').slice(-60).join('\n'));
  return code === 0;
}

const began = Date.now();
const left = [...files];
let failed = 0;
await Promise.all(
  Array.from({ length: Number(process.env.JOBS ?? 2) }, async () => {
    for (let name = left.shift(); name; name = left.shift()) if (!(await runOne(name))) failed += 1;
  }),
);
console.log(`${files.length} files in ${((Date.now() - began) / 1000).toFixed(0)} s, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
