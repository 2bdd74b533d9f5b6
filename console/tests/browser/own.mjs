// The console on a server whose own operations are real where it has them, else stood in for by mock-own.mjs.

import { chromium } from 'playwright-core';
import { api, serveConsole, shot, startServer, stop } from './harness.mjs';
import { startMock } from './mock-own.mjs';

const PROBES = {
  Ruler: { TableName: 'x' },
  DescribeFindings: { TableName: 'x' },
  WatchRequests: {},
  StopWatchingRequests: { Cursor: 'x' },
  DescribeServer: {},
};

/** Returns which of its own operations a server has. */
async function realOperations(endpoint) {
  const found = [];
  for (const [operation, body] of Object.entries(PROBES)) {
    try {
      await api(endpoint, operation, body, true);
      found.push(operation);
    } catch (error) {
      if (!/UnknownOperation/.test(error.type ?? '')) found.push(operation);
    }
  }
  return found;
}

/**
 * Runs a test on a page before such a server. `without` are operations that the endpoint shall not have, `mocked` those
 * that are stood in for in any case.
 */
export async function withOwn(options, run) {
  const { args = [], theme = 'light', width = 1280, height = 800, hash = '', expected = [], without = [], mocked = [], budget, load, prepare, hasTouch = false } = options;
  const { endpoint, server, port } = await startServer(args);
  const real = (await realOperations(endpoint)).filter((one) => !mocked.includes(one));
  const { server: front, mock, url } = await startMock({ endpoint, port: 0, budget, load, without, real });
  const served = await serveConsole(url, { Endpoint: endpoint });
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run'],
  });
  const complaints = [];
  try {
    await prepare?.({ endpoint, call: (operation, body, own) => api(endpoint, operation, body, own) });
    const context = await browser.newContext({ viewport: { width, height }, colorScheme: theme, hasTouch });
    const page = await context.newPage();
    page.setDefaultTimeout(15_000);
    page.on('pageerror', (error) => complaints.push(`error: ${error.stack ?? error.message}`));
    page.on('console', (message) => {
      if ((message.type() === 'error' || message.type() === 'warning') && !/status of 400/.test(message.text())) complaints.push(`${message.type()}: ${message.text()}`);
    });
    await page.goto(served.page + hash);
    await page.waitForSelector('.shell');
    await run({ page, endpoint, front: url, server, port, mock, real, args, call: (operation, body, own) => api(endpoint, operation, body, own), through: (operation, body, own) => api(url, operation, body, own) });
  } catch (error) {
    for (const context of browser.contexts()) for (const page of context.pages()) await shot(page, 'failed').catch(() => {});
    if (complaints.length > 0) error.message += `\nthe browser said:\n${complaints.join('\n')}`;
    throw error;
  } finally {
    await browser.close();
    await served.close();
    front.closeAllConnections();
    front.close();
    await stop(server);
  }
  const left = complaints.filter((words) => !expected.some((pattern) => pattern.test(words)));
  if (left.length > 0) throw new Error(`the browser complained:\n${left.join('\n')}`);
}

/** Returns how many elements a page has. */
export const elements = (page) => page.evaluate(() => document.querySelectorAll('*').length);

/** Measures frames while something is done: the longest, and the 95th of a hundred, in milliseconds. */
export async function frames(page, run) {
  await page.evaluate(() => {
    window.frameTimes = [];
    let last = performance.now();
    const step = (now) => {
      window.frameTimes.push(now - last);
      last = now;
      window.frameStep = requestAnimationFrame(step);
    };
    window.frameStep = requestAnimationFrame(step);
  });
  await run();
  return page.evaluate(() => {
    cancelAnimationFrame(window.frameStep);
    const sorted = window.frameTimes.slice(1).sort((a, b) => a - b);
    return { frames: sorted.length, p95: sorted[Math.floor(sorted.length * 0.95)] ?? 0, longest: sorted.at(-1) ?? 0 };
  });
}

export const text = async (locator) => (await locator.innerText()).replace(/\s+/g, ' ').trim();

export function is(actual, expected, what) {
  if (JSON.stringify(actual) !== JSON.stringify(expected)) throw new Error(`${what}: ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`);
}

export function has(actual, pattern, what) {
  if (!pattern.test(actual)) throw new Error(`${what}: ${JSON.stringify(actual)} has not ${pattern}`);
}

export function atMost(actual, most, what) {
  console.log(`${what}: ${actual}, at most ${most}`);
  if (actual > most) throw new Error(`${what}: ${actual}, more than ${most}`);
}

/** Waits until something holds; says what it was last. */
export async function until(check, what, ms = 15_000) {
  const end = Date.now() + ms;
  let last;
  while (Date.now() < end) {
    try {
      if (await check()) return;
    } catch (error) {
      last = error;
    }
    await new Promise((go) => setTimeout(go, 100));
  }
  throw new Error(`${what} did not come${last ? `: ${last.message}` : ''}`);
}
