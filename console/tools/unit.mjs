// Bundles the unit tests and runs them with node --test.

import { build } from 'esbuild';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(dirname(fileURLToPath(import.meta.url)));
const folder = mkdtempSync(join(tmpdir(), 'console-unit-'));
const tests = readdirSync(join(here, 'tests/unit'), { recursive: true })
  .map(String)
  .filter((name) => name.endsWith('.test.ts') && name.includes(process.argv[2] ?? ''))
  .sort();
await build({
  absWorkingDir: here,
  entryPoints: tests.map((name) => join('tests/unit', name)),
  outdir: folder,
  outExtension: { '.js': '.mjs' },
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  sourcemap: 'inline',
});
const files = readdirSync(folder, { recursive: true })
  .map(String)
  .filter((name) => name.endsWith('.mjs'));
const done = spawnSync(process.execPath, ['--test', '--enable-source-maps', ...files.map((name) => join(folder, name))], {
  stdio: 'inherit',
});
rmSync(folder, { recursive: true });
process.exit(done.status ?? 1);
