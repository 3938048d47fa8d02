import type { Context } from '../context.ts';
import { readWaitSeconds } from '../options/replay-limits.ts';
import { describe, print } from '../output/print.ts';
import type { Api } from './connect.ts';
import { exitCodeOf, followReplay, type Replay } from './follow-replay.ts';

interface Options {
  tenant?: string | undefined;
  wait: string | undefined;
  json: boolean;
}

/** Starts a replay by this request, and shows it until its deliveries have ended. @returns its exit code (exitCodesOfReplay) */
export async function runReplay(
  context: Context,
  api: Api,
  request: { path: string; body: object },
  options: Options,
): Promise<number> {
  const waitSeconds = readWaitSeconds(options);
  return showReplay(context, api, await api.ask<Replay>('POST', request.path, { body: request.body }), {
    ...options,
    waitSeconds,
  });
}

/** Shows a replay that was started. @param waitSeconds how long its deliveries are waited for, once all are sent */
export async function showReplay(
  context: Context,
  api: Api,
  started: Replay,
  { tenant, json, waitSeconds }: Pick<Options, 'tenant' | 'json'> & { waitSeconds: number },
): Promise<number> {
  const look = (): Promise<Replay> => api.ask<Replay>('GET', `/replays/${started.id}`);
  const last = await followReplay(context, started, look, { tenant, waitSeconds });
  if (last === undefined) return 0;
  print(context, last, json, describe);
  return exitCodeOf(last);
}
