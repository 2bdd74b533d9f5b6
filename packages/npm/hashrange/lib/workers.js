// Servers of a test run: one for each worker process of vitest or jest, so that a test that empties its
// server takes nothing from the tests beside it.
'use strict';

const { start, reset, environmentOf } = require('./index.js');

// Variables that would send a client elsewhere than the server's own say.
const MISLEADING = ['AWS_PROFILE', 'AWS_SESSION_TOKEN', 'AWS_ENDPOINT_URL'];

/** Starts a server for each of so many workers; `port` is the first one's, of the others those after it. */
async function startAll(count, options = {}) {
  const ports = Array.from({ length: count }, (_, nth) => (options.port ? options.port + nth : 0));
  const results = await Promise.allSettled(ports.map((port) => start({ ...options, port })));
  const servers = results.flatMap(({ value }) => value ?? []);
  const failed = results.find(({ status }) => status === 'rejected');
  if (failed) {
    await stopAll(servers);
    throw failed.reason;
  }
  return servers;
}

/** Stops servers. */
async function stopAll(servers) {
  await Promise.all(servers.map((server) => server.stop()));
}

/**
 * Leads the clients of a worker to its server, the one of its number from 1, and empties that before each
 * test. `setUp` is what the configuration lacks when no server was started.
 */
function useIn(worker, endpoints, setUp, beforeEach) {
  const endpoint = endpoints[Number(worker) - 1];
  if (!endpoint) {
    throw new Error(
      endpoints.length
        ? `there is no server for worker ${worker}, only for ${endpoints.length} workers`
        : `no server was started: the configuration lacks ${setUp}`,
    );
  }
  for (const name of MISLEADING) delete process.env[name];
  Object.assign(process.env, environmentOf(endpoint));
  beforeEach(() => reset(endpoint));
}

module.exports = { startAll, stopAll, useIn };
