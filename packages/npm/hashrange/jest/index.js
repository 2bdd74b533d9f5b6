// For a global set-up of one's own: `module.exports = globalSetup({ args: [...] })`.
'use strict';

const { startAll, stopAll } = require('../lib/workers.js');

// Jest loads set-up and teardown apart from each other; the process is what they share.
const SERVERS = Symbol.for('hashrange.servers');
/** Where the workers read the endpoints of the servers, the first worker's first. */
const ENDPOINTS = 'JEST_HASHRANGE_ENDPOINTS';

/** Returns a global set-up of jest that starts a server for each worker. */
function globalSetup(options = {}) {
  return async ({ maxWorkers }) => {
    const servers = await startAll(maxWorkers, options);
    process[SERVERS] = servers;
    process.env[ENDPOINTS] = servers.map((server) => server.endpoint).join(',');
  };
}

/** Stops what the global set-up started. */
async function globalTeardown() {
  delete process.env[ENDPOINTS];
  await stopAll(process[SERVERS] ?? []);
}

/** Returns the endpoints of the servers, the first worker's first. */
function endpoints() {
  return process.env[ENDPOINTS]?.split(',') ?? [];
}

module.exports = { globalSetup, globalTeardown, endpoints };
