// The console before a server, some of whose own operations are left out or answered by mock-own.mjs.

import { api, inBrowser, serveConsole, startServer, stop } from './harness.mjs';
import { startMock } from './mock-own.mjs';

/**
 * Runs a test on a page before a server. `without` are own operations that the endpoint shall not have, `mocked` those that
 * mock-own.mjs answers in the server's place: states that a fresh server has not, such as an hour of load.
 */
export async function withOwn(options, run) {
  const { args = [], hash = '', without = [], mocked = [], budget, load, prepare } = options;
  const { endpoint, server, port } = await startServer(args);
  const { server: front, mock, url } = await startMock({ endpoint, port: 0, budget, load, without, mocked });
  const served = await serveConsole(url, { Endpoint: endpoint });
  const end = async () => {
    await served.close();
    front.closeAllConnections();
    front.close();
    await stop(server);
  };
  const call = (operation, body, own) => api(endpoint, operation, body, own);
  const through = (operation, body, own) => api(url, operation, body, own);
  await prepare?.({ endpoint, call });
  await inBrowser({ ...options, address: served.page + hash, end }, ({ page }) =>
    run({ page, endpoint, front: url, server, port, mock, args, call, through }),
  );
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
