import type { Stack } from '../../support/stack.ts';
import { waitUntil } from '../../support/wait-until.ts';

export interface Replay {
  id: string;
  status: string;
  matched: number;
  replayed: number;
  failed: number;
  remaining: number;
  /** When it had sent all, and all its deliveries had ended. */
  ended_at: string | null;
}

/** A replay by filter. */
export interface BulkReplay extends Replay {
  left_out: number;
}

export interface BulkPreview {
  as_of: string;
  matched: number;
  by_endpoint: { endpoint_id: string; deliveries: number }[];
}

/** An operator, by the API. */
export function createReplayClient({ apiUrl, adminKey }: Stack, timeoutMs: number, tenant = 'default') {
  const call = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const answer = await fetch(`${apiUrl}/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${adminKey}`,
        'hookline-tenant': tenant,
        ...(body && { 'content-type': 'application/json' }),
      },
      body: body === undefined ? null : JSON.stringify(body),
      signal: AbortSignal.timeout(30_000),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path} → ${answer.status} ${text}`);
    return (text === '' ? undefined : JSON.parse(text)) as T;
  };
  const look = (id: string) => call<BulkReplay>('GET', `/replays/${id}`);
  return {
    look,
    createEndpoint: (endpoint: object) => call<{ id: string; secret: string }>('POST', '/endpoints', endpoint),
    dryRun: (filter: object) => call<Replay>('POST', '/dead-letters/replay', { ...filter, dry_run: true }),
    start: (filter: object) => call<Replay>('POST', '/dead-letters/replay', filter),
    startEvent: (eventId: string) => call<Replay>('POST', `/events/${eventId}/replay`, {}),
    cancel: (id: string) => call<void>('DELETE', `/replays/${id}`),
    count: (path: string, request: object) => call<BulkPreview>('POST', path, { ...request, dry_run: true }),
    startCounted: (path: string, request: object, { as_of }: BulkPreview) =>
      call<BulkReplay>('POST', path, { ...request, as_of }),
    async ended(id: string): Promise<BulkReplay> {
      let seen: BulkReplay | undefined;
      return waitUntil(
        `${id} has ended`,
        async () => {
          seen = await look(id);
          return seen.ended_at === null ? undefined : seen;
        },
        { timeoutMs, everyMs: 200, describe: () => JSON.stringify(seen) },
      );
    },
  };
}
