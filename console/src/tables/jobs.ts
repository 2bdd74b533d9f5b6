// Jobs of the server with their progress: asked again while there are any.

import { useEffect, useState } from 'preact/hooks';
import { isAbort } from '../base/faults';
import { features } from '../base/features';
import { askJobs, type Job } from '../base/jobs';

const everyMs = 1500;

/** Returns the jobs of a table, or of all; asks again while `isWatched`, or while there are jobs. */
export function useJobs(table: string | null, isWatched: boolean): Job[] {
  const [jobs, set] = useState<Job[]>([]);
  useEffect(() => {
    const ending = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = async (): Promise<void> => {
      try {
        const found = (await askJobs(ending.signal)).filter((job) => table === null || job.Table === table);
        set(found);
        if (features.has('DescribeServer') !== false && (found.length > 0 || isWatched)) timer = setTimeout(() => void look(), everyMs);
      } catch (error) {
        if (!isAbort(error)) set([]);
      }
    };
    void look();
    return () => {
      ending.abort();
      clearTimeout(timer);
    };
  }, [table, isWatched]);
  return jobs;
}
