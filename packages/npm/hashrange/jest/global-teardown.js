// `globalTeardown: 'hashrange/jest/global-teardown'`: stops the servers.
'use strict';

module.exports = require('./index.js').globalTeardown;
