// Serves the console while it is developed: the shell with the policy of the product, the built files, and POST / passed
// on to an endpoint.
//
//   node tools/dev.mjs [--endpoint http://127.0.0.1:8000] [--port 8900] [--built FOLDER] [--setup JSON]

import { randomBytes } from 'node:crypto';
import { readFileSync, existsSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const here = dirname(dirname(fileURLToPath(import.meta.url)));
const { values } = parseArgs({
  options: {
    endpoint: { type: 'string', default: 'http://127.0.0.1:8000' },
    port: { type: 'string', default: '8900' },
    built: { type: 'string', default: join(here, 'built') },
    setup: { type: 'string', default: '{}' },
  },
});
const endpoint = new URL(values.endpoint);
const types = { '.js': 'text/javascript; charset=utf-8', '.css': 'text/css; charset=utf-8', '.txt': 'text/plain; charset=utf-8' };
const setup = {
  Version: 'development',
  Endpoint: endpoint.origin,
  Signs: false,
  NeedsKeys: false,
  Region: 'us-east-1',
  Namespaces: false,
  ...JSON.parse(values.setup),
};

const escape = (text) => text.replace(/&/g, '&amp;').replace(/"/g, '&quot;').replace(/</g, '&lt;');

// The product's own first page and policy.
const ofProduct = (name) => readFileSync(join(here, '../crates/console/src', name), 'utf8');
const shell = (nonce) => ofProduct('shell.html').replace('{nonce}', nonce).replace('{setup}', () => escape(JSON.stringify(setup)));
const policy = (nonce) => ofProduct('policy.txt').trim().replaceAll('{nonce}', nonce);

function page(answer) {
  const nonce = randomBytes(16).toString('base64');
  answer.writeHead(200, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy(nonce),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
  });
  answer.end(shell(nonce));
}

function file(name, answer) {
  const path = join(values.built, name);
  if (!/^[\w.-]+$/.test(name) || !existsSync(path)) {
    answer.writeHead(404).end();
    return;
  }
  answer.writeHead(200, {
    'content-type': types[extname(name)] ?? 'application/octet-stream',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-cache',
  });
  answer.end(readFileSync(path));
}

function pass(asked, answer) {
  // The host stays the one that the browser named: signatures are made over it.
  const headers = { ...asked.headers };
  delete headers.origin;
  delete headers.referer;
  const passed = request({ host: endpoint.hostname, port: endpoint.port || 80, path: '/', method: 'POST', headers }, (got) => {
    answer.writeHead(got.statusCode ?? 502, got.headers);
    got.pipe(answer);
  });
  passed.on('error', () => answer.destroy());
  answer.on('close', () => passed.destroy());
  asked.pipe(passed);
}

createServer((asked, answer) => {
  const path = (asked.url ?? '/').split('?')[0];
  if (asked.method === 'POST' && path === '/') pass(asked, answer);
  else if (path === '/' || path === '/console') answer.writeHead(302, { location: '/console/' }).end();
  else if (path === '/console/') page(answer);
  else if (path.startsWith('/console/')) file(path.slice('/console/'.length), answer);
  else answer.writeHead(404).end();
}).listen(Number(values.port), '127.0.0.1', function () {
  console.log(`http://127.0.0.1:${this.address().port}/console/`);
});
