// `setupFiles: 'hashrange/vitest/each-test'`: clients find the server, and each test finds it empty.
import { beforeEach, inject } from 'vitest';
import workers from '../lib/workers.js';

const endpoints = inject('hashrangeEndpoints') ?? [];
workers.useIn(process.env.VITEST_POOL_ID, endpoints, "globalSetup: 'hashrange/vitest/global-setup'", beforeEach);
