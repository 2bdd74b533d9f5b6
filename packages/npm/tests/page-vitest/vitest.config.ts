// As the pages show it; crates/cli/tests/pages/ci.rs compares them.

import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    globalSetup: 'hashrange/vitest/global-setup', // a server for each worker
    setupFiles: 'hashrange/vitest/each-test', //     as at its start for each test
  },
});
