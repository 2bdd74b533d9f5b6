import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['**/region.ts'],
    globalSetup: './global-setup.mts',
    setupFiles: 'hashrange/vitest/each-test',
  },
});
