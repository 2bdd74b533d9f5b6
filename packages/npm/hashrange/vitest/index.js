// For a global set-up of one's own: `export default globalSetup({ args: [...] })`.
'use strict';

const os = require('node:os');
const { startAll, stopAll } = require('../lib/workers.js');

/** Returns a global set-up of vitest that starts a server for each worker, and stops them at the end. */
function globalSetup(options = {}) {
  return async (project) => {
    const servers = await startAll(workersOf(project), options);
    project.provide('hashrangeEndpoints', servers.map((server) => server.endpoint));
    return () => stopAll(servers);
  };
}

function workersOf(project) {
  const count = Number(project.vitest?.config?.maxWorkers);
  return Number.isInteger(count) && count > 0 ? count : os.availableParallelism();
}

module.exports = { globalSetup };
