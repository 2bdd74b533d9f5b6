// Builds console/built from the sources: the same sources and package-lock.json make the same bytes.
//
// console.js loads chunks when they are first used; console.css is all styles, the tokens first; LICENSES.txt has the
// licences of what is bundled. Prints the sizes, and fails where they pass the bounds.

import { build } from 'esbuild';
import { readdirSync, readFileSync, rmSync, mkdirSync, writeFileSync, existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2] ?? join(here, 'built');
const mostBeforeEditor = 150 * 1024;
const mostInAll = 400 * 1024;

function stylesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.css'))
    .map((entry) => relative(here, join(entry.parentPath, entry.name)))
    .sort((one, other) => rank(one) - rank(other) || (one < other ? -1 : 1));
}

const rank = (file) => (file.endsWith('styles/tokens.css') ? 0 : file.includes('styles/') ? 1 : 2);

async function buildStyles() {
  const contents = stylesBelow(join(here, 'src'))
    .map((file) => `@import "./${file}";`)
    .join('\n');
  await build({
    absWorkingDir: here,
    stdin: { contents, resolveDir: here, loader: 'css', sourcefile: 'console.css' },
    bundle: true,
    minify: true,
    outfile: join(out, 'console.css'),
    target: ['chrome111', 'firefox113', 'safari16.4'],
    legalComments: 'none',
  });
}

async function buildScripts() {
  return build({
    absWorkingDir: here,
    entryPoints: { console: 'src/main.tsx' },
    bundle: true,
    splitting: true,
    format: 'esm',
    minify: true,
    outdir: out,
    chunkNames: '[name]-[hash]',
    target: ['es2022', 'chrome111', 'firefox113', 'safari16.4'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    charset: 'utf8',
    metafile: true,
    define: { 'process.env.NODE_ENV': '"production"' },
  });
}

/** Returns the folders of the packages that are in the bundle. */
function packagesIn(metafile) {
  const found = new Set();
  for (const file of Object.values(metafile.outputs).flatMap((output) => Object.keys(output.inputs))) {
    const match = /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file);
    if (match) found.add(match[1]);
  }
  return [...found].sort();
}

function licences(packages) {
  return packages
    .map((name) => {
      const folder = join(here, 'node_modules', name);
      const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      const file = readdirSync(folder)
        .sort()
        .find((one) => /^licen[cs]e/i.test(one));
      if (!file) throw new Error(`${name} has no licence file`);
      return `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), 'utf8').replace(/\r\n/g, '\n').trim()}\n`;
    })
    .join(`\n${'-'.repeat(80)}\n\n`);
}

const gzipped = (name) => gzipSync(readFileSync(join(out, name)), { level: 9 }).length;

/** Chunks that hold the editor, by what is in them. */
function isEditor(output) {
  return Object.keys(output.inputs).some((file) => /node_modules\/(@codemirror|@lezer|@marijn|style-mod|crelt|w3c-keyname)/.test(file));
}

function report(metafile) {
  let before = gzipped('console.css');
  let editor = 0;
  console.log(`${String(before).padStart(8)}  console.css`);
  for (const [path, output] of Object.entries(metafile.outputs)) {
    const name = relative(out, join(here, path));
    const size = gzipped(name);
    if (isEditor(output)) editor += size;
    else before += size;
    console.log(`${String(size).padStart(8)}  ${name}${isEditor(output) ? '  (editor)' : ''}`);
  }
  console.log(`${String(before).padStart(8)}  bytes compressed before the editor, at most ${mostBeforeEditor}`);
  console.log(`${String(before + editor).padStart(8)}  bytes compressed in all, at most ${mostInAll}`);
  if (before > mostBeforeEditor || before + editor > mostInAll) throw new Error('the console is larger than its bounds');
}

if (existsSync(out)) rmSync(out, { recursive: true });
mkdirSync(out, { recursive: true });
await buildStyles();
const { metafile } = await buildScripts();
writeFileSync(join(out, 'LICENSES.txt'), licences(packagesIn(metafile)));
report(metafile);
