import type { Project } from './index.js';

declare const setup: (project: Project) => Promise<() => Promise<void>>;
export = setup;
