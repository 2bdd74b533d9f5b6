module.exports = { preset: 'hashrange', maxWorkers: 2 };
