import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    globalSetup: 'hashrange/vitest/global-setup',
    setupFiles: 'hashrange/vitest/each-test',
    maxWorkers: 2,
  },
});
