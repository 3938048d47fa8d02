import { threadCpuUsage } from 'node:process';

/** The processor time of this thread so far, in milliseconds: other work, which makes everything take longer, does not change it. */
export function processorTimeMs(): number {
  const { user, system } = threadCpuUsage();
  return (user + system) / 1_000;
}
