const { globalSetup } = require('hashrange/jest');

module.exports = globalSetup({ args: ['--region=eu-north-1'] });
