import { once } from 'node:events';
import type { HeldServers } from './start-servers.ts';

/** jest's globalTeardown: the last project that used the shared servers ends them. */
export default async function stopServers(): Promise<void> {
  const shared = globalThis.hooklineTestServers;
  if (shared === undefined) return;
  shared.users -= 1;
  if (shared.users > 0) return;
  globalThis.hooklineTestServers = undefined;
  // The next project starts its own.
  delete process.env.HOOKLINE_TEST_SERVERS;
  await releaseServers(shared);
}

export async function releaseServers({ holder }: HeldServers): Promise<void> {
  if (holder.exitCode !== null) return;
  const gone = once(holder, 'exit');
  holder.stdin?.end();
  await gone;
}
