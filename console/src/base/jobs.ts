// Background work of the server with its progress.

import { call } from './client';
import { features } from './features';

export interface Job {
  Kind: string;
  Table?: string;
  Index?: string;
  Done?: number;
  Of?: number;
  PerSecond?: number;
  StartedAtMs?: number;
  Words: string;
}

/** Asks for the jobs; none of an endpoint that does not tell them. */
export async function askJobs(signal?: AbortSignal): Promise<Job[]> {
  if (features.has('DescribeServer') === false) return [];
  const { Jobs } = await call<{ Jobs?: Job[] }>('DescribeServer', { Since: Date.now() }, { own: true, signal });
  return Jobs ?? [];
}
