// `setupFilesAfterEnv: ['hashrange/jest/each-test']`: clients find the server, and each test finds it
// empty.
'use strict';

/* global beforeEach */
const { endpoints } = require('./index.js');
const { useIn } = require('../lib/workers.js');

useIn(process.env.JEST_WORKER_ID, endpoints(), "preset: 'hashrange'", beforeEach);
