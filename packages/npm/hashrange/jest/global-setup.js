// `globalSetup: 'hashrange/jest/global-setup'`: a server for each worker.
'use strict';

module.exports = require('./index.js').globalSetup();
