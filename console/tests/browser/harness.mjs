// Starts a server and opens its console in headless Chromium. What the browser complains about fails the test: errors
// of scripts, violations of the policy, words on the console.
//
// HASHRANGE names the server's binary. Where it does not serve /console/ by itself, tools/dev.mjs serves the built files;
// so it does with CONSOLE_BUILT, a folder of files that are not in the binary.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const here = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const arguments_ = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
];

export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

/** Sends a request of the service's API, as a client without signature. */
export async function api(endpoint, operation, body, own = false) {
  const answer = await fetch(endpoint, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-date': '20260101T000000Z',
      'x-amz-target': `${own ? 'Hashrange_2026' : 'DynamoDB_20120810'}.${operation}`,
      authorization: `AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=${'0'.repeat(64)}`,
    },
    body: JSON.stringify(body),
  });
  const read = JSON.parse(await answer.text());
  if (!answer.ok) throw Object.assign(new Error(`${operation}: ${JSON.stringify(read)}`), { type: read.__type });
  return read;
}

async function waitFor(url, child) {
  for (let nth = 0; nth < 300; nth += 1) {
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}`);
    try {
      await fetch(url, { method: 'GET' });
      return;
    } catch {
      await new Promise((go) => setTimeout(go, 100));
    }
  }
  throw new Error(`${url} does not answer`);
}

const children = new Set();
process.on('exit', () => children.forEach((child) => child.kill('SIGKILL')));

function start(command, args) {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  children.add(child);
  child.words = '';
  child.stdout.on('data', (part) => (child.words += part));
  child.stderr.on('data', (part) => (child.words += part));
  child.on('exit', () => children.delete(child));
  return child;
}

export async function stop(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

/** Starts a server in memory; returns its endpoint and process. */
export async function startServer(args = [], port = undefined) {
  const binary = process.env.HASHRANGE ?? join(here, '..', 'target', 'debug', 'hashrange');
  if (!existsSync(binary)) throw new Error(`${binary} is not there: name the server's binary by HASHRANGE`);
  const at = port ?? (await freePort());
  const server = start(binary, ['serve', '--memory', '--port', String(at), ...args]);
  const endpoint = `http://127.0.0.1:${at}`;
  await waitFor(endpoint, server);
  return { endpoint, server, port: at };
}

/** Returns the address of the console for an endpoint, served by itself or by tools/dev.mjs. */
export async function serveConsole(endpoint, setup = {}) {
  const answer = process.env.CONSOLE_BUILT ? { ok: false } : await fetch(`${endpoint}/console/`);
  if (answer.ok && (answer.headers.get('content-type') ?? '').startsWith('text/html') && Object.keys(setup).length === 0) {
    return { page: `${endpoint}/console/`, close: async () => {} };
  }
  const port = await freePort();
  const built = process.env.CONSOLE_BUILT ?? join(here, 'built');
  const dev = start(process.execPath, [
    join(here, 'tools/dev.mjs'),
    '--endpoint',
    endpoint,
    '--port',
    String(port),
    '--built',
    built,
    '--setup',
    JSON.stringify(setup),
  ]);
  const page = `http://127.0.0.1:${port}/console/`;
  await waitFor(page, dev);
  return { page, close: () => stop(dev) };
}

/**
 * Opens an address in a browser and runs a test on the page, then `end`. What the browser complains about fails the test,
 * but for what `expected` has patterns of, such as the complaints of a lost connection.
 */
export async function inBrowser({ address, theme = 'light', width = 1280, height = 800, hasTouch = false, expected = [], end }, run) {
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: arguments_ });
  const complaints = [];
  try {
    const context = await browser.newContext({
      viewport: { width, height },
      colorScheme: theme,
      hasTouch,
      acceptDownloads: true,
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const page = await context.newPage();
    page.on('pageerror', (error) => complaints.push(`error: ${error.stack ?? error.message}`));
    page.on('console', (message) => {
      // The service answers faults with status 400, which browsers print.
      if ((message.type() === 'error' || message.type() === 'warning') && !/status of 400/.test(message.text()))
        complaints.push(`${message.type()}: ${message.text()}`);
    });
    page.setDefaultTimeout(15_000);
    await page.goto(address);
    await page.waitForSelector('.shell');
    await run({ page, context });
  } catch (error) {
    for (const context of browser.contexts()) for (const page of context.pages()) await shot(page, 'failed').catch(() => {});
    if (complaints.length > 0) error.message += `\nthe browser said:\n${complaints.join('\n')}`;
    throw error;
  } finally {
    await browser.close();
    await end();
  }
  const left = complaints.filter((words) => !expected.some((pattern) => pattern.test(words)));
  if (left.length > 0) throw new Error(`the browser complained:\n${left.join('\n')}`);
}

/** Starts a server in memory and runs a test on its console. */
export async function withConsole(options, run) {
  const { args = [], setup = {}, hash = '' } = options;
  const { endpoint, server, port } = await startServer(args);
  const served = await serveConsole(endpoint, setup);
  const end = async () => {
    await served.close();
    await stop(server);
  };
  await inBrowser({ ...options, address: served.page + hash, end }, ({ page, context }) =>
    run({ page, endpoint, server, port, base: served.page, context }),
  );
}

/** Keeps a picture, where SHOTS names a folder. */
export async function shot(page, name) {
  const folder = process.env.SHOTS;
  if (!folder) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`) });
}

/** Goes to an address within the page. */
export async function visit(page, hash) {
  await page.evaluate((to) => {
    location.hash = to;
  }, hash);
}

/** Returns the texts of the cells of a row of the grid that is shown, by the titles of their columns. */
export async function rowTexts(page, row) {
  return page.evaluate((index) => {
    const titles = new Map(
      [...document.querySelectorAll('[role=columnheader]')].map((head) => [
        head.getAttribute('aria-colindex'),
        head.querySelector('.name')?.textContent ?? '',
      ]),
    );
    const cells = document.querySelectorAll(`[role=row][aria-rowindex="${index + 2}"] [role=gridcell]`);
    return Object.fromEntries(
      [...cells].map((cell) => [titles.get(cell.getAttribute('aria-colindex')), cell.querySelector('.value')?.textContent ?? '']),
    );
  }, row);
}

/** Fails where axe finds something; `runOnly` names its rules, else those of WCAG 2.2 AA. */
export async function axe(page, what, runOnly = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']) {
  const { readFileSync } = await import('node:fs');
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(readFileSync(join(here, 'node_modules/axe-core/axe.min.js'), 'utf8'));
  const found = await page.evaluate(async (rules) => {
    const { violations } = await window.axe.run(document, { runOnly: rules });
    return violations.map((one) => `${one.id}: ${one.help}\n${one.nodes.slice(0, 4).map((node) => `    ${node.html.slice(0, 200)}\n      ${node.failureSummary?.split('\n').slice(0, 3).join(' ')}`).join('\n')}`);
  }, runOnly);
  if (found.length > 0) throw new Error(`axe on ${what}:\n${found.join('\n')}`);
}
