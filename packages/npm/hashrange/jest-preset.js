// `preset: 'hashrange'`: a server for each worker of jest, empty for each test.
'use strict';

module.exports = {
  globalSetup: require.resolve('./jest/global-setup.js'),
  globalTeardown: require.resolve('./jest/global-teardown.js'),
  setupFilesAfterEnv: [require.resolve('./jest/each-test.js')],
  // The SDK works in Node; a simulated browser has no sockets.
  testEnvironment: 'node',
};
