import { systemClock } from '#lib/clock';
import type { ApiClient } from './api-client.ts';
import { followReplay, type Replay } from './follow-replay.ts';
import { describe, print } from './output.ts';

interface Options {
  tenant?: string | undefined;
  json: boolean;
}

/** Begins a replay by this request, and shows how far it has come until it ends. The exit code is 1 where anything of it was not sent. */
export async function runReplay(
  api: ApiClient,
  request: { path: string; body: object },
  { tenant, json }: Options,
): Promise<number> {
  const started = await api.ask<Replay>('POST', request.path, { body: request.body });
  const look = (): Promise<Replay> => api.ask<Replay>('GET', `/replays/${started.id}`);
  const ended = await followReplay(started, look, { clock: systemClock, tenant });
  if (ended === undefined) return 0;
  print(ended, json, describe);
  return ended.failed === 0 && ended.status !== 'cancelled' ? 0 : 1;
}
