import type { Stack } from '../../support/stack.ts';
import { waitUntil } from '../../support/wait-until.ts';

export interface Replay {
  id: string;
  status: string;
  matched: number;
  replayed: number;
  failed: number;
  remaining: number;
}

/** An operator, by the API. */
export function createReplayClient({ apiUrl, adminKey }: Stack, timeoutMs: number) {
  const call = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const answer = await fetch(`${apiUrl}/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${adminKey}`, ...(body && { 'content-type': 'application/json' }) },
      body: body === undefined ? null : JSON.stringify(body),
      signal: AbortSignal.timeout(30_000),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path} → ${answer.status} ${text}`);
    return (text === '' ? undefined : JSON.parse(text)) as T;
  };
  const look = (id: string) => call<Replay>('GET', `/replays/${id}`);
  return {
    look,
    dryRun: (filter: object) => call<Replay>('POST', '/dead-letters/replay', { ...filter, dry_run: true }),
    start: (filter: object) => call<Replay>('POST', '/dead-letters/replay', filter),
    startEvent: (eventId: string) => call<Replay>('POST', `/events/${eventId}/replay`, {}),
    cancel: (id: string) => call<void>('DELETE', `/replays/${id}`),
    async ended(id: string): Promise<Replay> {
      let seen: Replay | undefined;
      return waitUntil(
        `${id} has ended`,
        async () => {
          seen = await look(id);
          return seen.status === 'running' ? undefined : seen;
        },
        { timeoutMs, everyMs: 200, describe: () => JSON.stringify(seen) },
      );
    },
  };
}
