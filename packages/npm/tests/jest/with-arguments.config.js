module.exports = {
  preset: 'hashrange',
  globalSetup: './global-setup.js',
  testMatch: ['**/region.js'],
};
