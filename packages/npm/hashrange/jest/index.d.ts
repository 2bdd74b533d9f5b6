import type { StartOptions } from '../lib/index.js';

/** Returns a global set-up of jest that starts a server for each worker. */
export function globalSetup(options?: StartOptions): (globalConfig: { maxWorkers: number }) => Promise<void>;
/** Stops what the global set-up started. */
export function globalTeardown(): Promise<void>;
/** Returns the endpoints of the servers, the first worker's first. */
export function endpoints(): string[];
