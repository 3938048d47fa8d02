import type { Context } from '../context.ts';
import { describe, print } from '../output/print.ts';
import type { Api } from './connect.ts';
import { followReplay, type Replay } from './follow-replay.ts';

interface Options {
  tenant?: string | undefined;
  json: boolean;
}

/** Starts a replay by this request, and shows its progress until it ends. The exit code is 1 if anything was not sent. */
export async function runReplay(
  context: Context,
  api: Api,
  request: { path: string; body: object },
  { tenant, json }: Options,
): Promise<number> {
  const started = await api.ask<Replay>('POST', request.path, { body: request.body });
  const look = (): Promise<Replay> => api.ask<Replay>('GET', `/replays/${started.id}`);
  const ended = await followReplay(context, started, look, tenant);
  if (ended === undefined) return 0;
  print(context, ended, json, describe);
  return ended.failed === 0 && ended.status !== 'cancelled' ? 0 : 1;
}
