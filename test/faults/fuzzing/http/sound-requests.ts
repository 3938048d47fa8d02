/** Requests by the API's own document, about resources that exist, for every route of it and for the routes of operators. */
import fc from 'fast-check';
import { waitUntil } from '../../../support/wait-until.ts';
import type { Stack } from '../../../support/stack.ts';
import { connectApi } from '../connect-api.ts';
import { each } from '../defects.ts';
import type { Draw } from '../draw.ts';
import type { FuzzedRoute } from './routes.ts';
import { createSchemaValues, type KnownFields } from './schema-values.ts';
import type { SoundRequest } from './sound-request.ts';

/** The tenant whose resources are fuzzed. */
export const tenant = 'fuzzed';
/** A breaker that has opened lets one delivery through in a minute. */
const lookedUpWithinMs = 120_000;
const event = { type: 'fuzzed.event', payload: { n: 1 } };
/** A request has one of so many parameters that it may leave out. */
const givenOf = 8;

export interface SoundRequests {
  /** Makes the route's resource anew, so that what an earlier request has deleted or disabled is of no matter. */
  renew(route: FuzzedRoute): Promise<void>;
  of(route: FuzzedRoute, draw: Draw): SoundRequest;
  /** One field of the route's body as it should be, by its name; undefined where the body has no fields. */
  fieldOf(
    route: FuzzedRoute,
    draw: Draw,
    isWanted?: (name: string) => boolean,
  ): [name: string, value: unknown] | undefined;
}

export async function createSoundRequests(stack: Stack, receiverUrl: string): Promise<SoundRequests> {
  const { adminKey } = stack;
  const api = connectApi(stack, tenant);
  const idOf = async (made: Promise<{ id: string }>): Promise<string> => (await made).id;
  /** By the first part of the path. A resource that no request creates is looked up. */
  const makers: Readonly<Record<string, () => Promise<string>>> = {
    sources: () => idOf(api.call('POST /v1/sources', { body: { name: 'fuzzed', scheme: 'hookline' } })),
    endpoints: () => idOf(api.call('POST /v1/endpoints', { body: { url: receiverUrl, event_types: ['nothing'] } })),
    'api-keys': () => idOf(api.call('POST /v1/api-keys', { body: { name: 'fuzzed', scopes: ['read'] } })),
    events: () => idOf(api.call('POST /v1/events', { body: event })),
    'event-types': async () => {
      const name = `fuzzed.${(typesMade += 1)}`;
      await api.call('POST /v1/event-types', { body: { name, schema: { type: 'object' } } });
      return name;
    },
    // Any will do: a breaker that has opened holds the newest back. An endpoint that was made a moment ago may not get the first event.
    deliveries: () =>
      waitUntil(
        'a delivery is retried',
        async () => {
          const [first] = await api.list('GET /v1/deliveries', 1, { query: { status: 'retrying' } });
          if (first === undefined) await api.call('POST /v1/events', { body: event });
          return first?.id;
        },
        { timeoutMs: lookedUpWithinMs, everyMs: 3_000 },
      ),
    'dead-letters': () =>
      waitUntil(
        'a delivery is dead',
        async () => (await api.list('GET /v1/dead-letters', 1, { query: { status: 'dead' } }))[0]?.id,
        { timeoutMs: lookedUpWithinMs },
      ),
    async replays() {
      const started = await api.call('POST /v1/dead-letters/replay', { body: { all: true, limit: 1 } });
      if (!('id' in started)) throw new Error('a replay that is not a dry run has an id');
      return started.id;
    },
  };
  let typesMade = 0;
  const ids = new Map<string, string>();
  const page = await api.page('GET /v1/events', { query: { limit: 2 } });
  const constants = {
    url: receiverUrl,
    type: event.type,
    allowed_ips: ['192.0.2.0/24'],
    filter: { n: { $gt: 0 } },
    wait: '0',
    since: '2026-01-01T00:00:00Z',
    until: '2030-01-01T00:00:00Z',
    updated_at_gte: '2026-01-01T00:00:00Z',
    cursor: page.header('hookline-cursor'),
    'Hookline-Tenant': tenant,
  };
  const known: KnownFields = {
    ...each<string, unknown, fc.Arbitrary<unknown>>(constants, fc.constant),
    limit: fc.constantFrom(1, 2, 1_000),
    'Idempotency-Key': fc.constantFrom('the-same', 'another'),
  };
  const { valueOf, fieldOf } = createSchemaValues(known);

  return {
    async renew({ path }) {
      const make = makers[resourceOf(path)];
      if (make !== undefined) ids.set(resourceOf(path), await make());
    },
    of(route, draw) {
      // A resource that nothing here can create gets an id that does not exist.
      const id = ids.get(resourceOf(route.path)) ?? 'src_00000000000000000000000000';
      const valuesOf = (schemas: FuzzedRoute['query']): [string, string][] =>
        Object.entries(schemas).map(([name, schema]) => [name, String(draw(fieldOf(name, schema)))]);
      const isGiven = (): boolean => draw(fc.nat(givenOf - 1)) === 0;
      const parameters = valuesOf(route.query);
      const query = new URLSearchParams(parameters.filter(isGiven)).toString();
      const json = route.body === undefined ? undefined : draw(valueOf(route.body.schema));
      const usual = { host: new URL(route.url).host, connection: 'close' };
      const caller = route.isPublic ? {} : { authorization: `Bearer ${adminKey}`, 'hookline-tenant': tenant };
      return {
        route,
        json,
        parameters: Object.fromEntries(parameters),
        method: route.method,
        id: route.path.includes('{') ? id : undefined,
        target: `${route.path.replace(/\{\w+\}/, id).replace('{version}', '1')}${query === '' ? '' : `?${query}`}`,
        headers: [
          ...Object.entries({ ...usual, ...caller }),
          ...(route.body === undefined ? [] : [['content-type', route.body.contentType] as const]),
          ...valuesOf(route.headers).filter(([name]) => name !== 'Hookline-Tenant' && isGiven()),
        ],
        ...(json !== undefined && { body: Buffer.from(JSON.stringify(json)) }),
      };
    },
    fieldOf(route, draw, isWanted = () => true) {
      const fields = Object.entries(route.body?.schema.properties ?? {}).filter(([name]) => isWanted(name));
      if (fields.length === 0) return undefined;
      const [name, schema] = draw(fc.constantFrom(...fields));
      return [name, draw(fieldOf(name, schema))];
    },
  };
}

const resourceOf = (path: string): string => path.split('/')[2] ?? '';
