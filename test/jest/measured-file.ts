import { createRequire } from 'node:module';
import { childrenSeconds } from '../lanes/spent-time.ts';

type Run = (...args: readonly unknown[]) => Promise<object>;

const { default: circus } = createRequire(import.meta.url)('jest-circus/runner') as { default: Run };

/**
 * jest's `testRunner`: jest-circus, and what the file took of the processor, in its process and in children that have ended. What a worker
 * loads for its first file, the next ones have for nothing.
 */
const runMeasured: Run = (...args) => {
  const before = spentSeconds();
  // Not awaited: this function would be in the trace of every failure.
  return circus(...args).then((result) => ({ ...result, processorSeconds: spentSeconds() - before }));
};
export default runMeasured;

function spentSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000_000 + (childrenSeconds(process.pid) ?? 0);
}
