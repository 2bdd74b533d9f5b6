import type { StartOptions } from '../lib/index.js';

/** What the global set-up uses of vitest's project. */
export interface Project {
  provide(key: never, value: never): void;
}

/** Returns a global set-up of vitest that starts a server for each worker, and stops them at the end. */
export function globalSetup(options?: StartOptions): (project: Project) => Promise<() => Promise<void>>;
