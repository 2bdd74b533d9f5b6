// As the pages show it; crates/cli/tests/pages/ci.rs compares them.

module.exports = { preset: 'hashrange' };
