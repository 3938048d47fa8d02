import { once } from 'node:events';
import './start-servers.ts';

/** jest's globalTeardown: the last project that used the shared servers ends them. */
export default async function stopServers(): Promise<void> {
  const shared = globalThis.hooklineTestServers;
  if (shared === undefined) return;
  shared.users -= 1;
  if (shared.users > 0) return;
  globalThis.hooklineTestServers = undefined;
  if (shared.holder.exitCode !== null) return;
  const gone = once(shared.holder, 'exit');
  shared.holder.stdin?.end();
  await gone;
}
