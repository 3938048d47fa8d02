/** Requests as a client would make them, about resources that there are, for every route of the API. */
import { waitUntil } from '../../../support/wait-until.ts';
import type { SoundRequest } from './mutations/mutation.ts';
import type { Pools } from '../pools.ts';
import type { FuzzedRoute } from './routes.ts';
import { fieldHints, type Hints, validValue } from './schema-values.ts';

interface Options {
  apiUrl: string;
  adminKey: string;
  /** The URL that endpoints send to. */
  receiverUrl: string;
}

/** The tenant whose resources are fuzzed. */
export const tenant = 'fuzzed';
const timeoutMs = 10_000;
const answerTimeoutMs = 30_000;

export interface SoundRequests {
  /** Makes the route's resource anew, so that what an earlier request has deleted or disabled is of no matter. */
  renew(route: FuzzedRoute): Promise<void>;
  of(route: FuzzedRoute, pools: Pools): SoundRequest;
}

type Json = Record<string, unknown> & { id: string };

export function createSoundRequests({ apiUrl, adminKey, receiverUrl }: Options): SoundRequests {
  const common = { authorization: `Bearer ${adminKey}`, 'hookline-tenant': tenant };
  const ids = new Map<string, string>();
  let cursor: string | undefined;

  const ask = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const response = await fetch(`${apiUrl}/v1${path}`, {
      method,
      headers: { ...common, ...(body !== undefined && { 'content-type': 'application/json' }) },
      body: body === undefined ? null : JSON.stringify(body),
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} → ${response.status} ${text}`);
    cursor = response.headers.get('hookline-cursor') ?? cursor;
    return JSON.parse(text);
  };
  const created = async (path: string, body: unknown): Promise<string> => ((await ask('POST', path, body)) as Json).id;
  const firstOf = async (path: string): Promise<string> =>
    waitUntil(path, async () => ((await ask('GET', path)) as Json[])[0]?.id, { timeoutMs: answerTimeoutMs });

  const hints: Hints = { ...fieldHints, url: receiverUrl };
  const event = { type: 'fuzzed.event', payload: { n: 1 } };
  /** By the first part of the path. A resource that no request creates is looked up. */
  const makers: Readonly<Record<string, () => Promise<string>>> = {
    sources: () => created('/sources', { name: 'fuzzed', scheme: 'hookline' }),
    endpoints: () => created('/endpoints', { url: receiverUrl, event_types: ['nothing'] }),
    'api-keys': () => created('/api-keys', { name: 'fuzzed', scopes: ['read'] }),
    events: async () => {
      await ask('GET', '/events?limit=2');
      return created('/events', event);
    },
    deliveries: async () => {
      const id = await created('/events', event);
      return firstOf(`/events/${id}/deliveries`);
    },
    'dead-letters': () => firstOf('/dead-letters?limit=1'),
    replays: () => created('/dead-letters/replay', { all: true, limit: 1 }),
  };

  return {
    async renew(route) {
      const resource = resourceOf(route);
      const make = makers[resource];
      if (make !== undefined) ids.set(resource, await make());
    },
    of(route, pools) {
      const given: string[] = [];
      const target = route.path.replace(/\{\w+\}/g, () => {
        // A resource that nothing here can create gets an id that does not exist.
        const id = ids.get(resourceOf(route)) ?? 'src_00000000000000000000000000';
        given.push(id);
        return id;
      });
      const json = route.body === undefined ? undefined : validValue(route.body.schema, pools, hints);
      return {
        route,
        method: route.method,
        target,
        ids: given,
        json,
        cursor,
        headers: [
          ['host', new URL(apiUrl).host],
          ['connection', 'close'],
          ...(route.isPublic ? [] : Object.entries(common)),
          ...(route.body === undefined ? [] : [['content-type', route.body.contentType] as const]),
        ],
        ...(json !== undefined && { body: Buffer.from(JSON.stringify(json)) }),
      };
    },
  };
}

const resourceOf = ({ path }: FuzzedRoute): string => path.split('/')[2] ?? '';
