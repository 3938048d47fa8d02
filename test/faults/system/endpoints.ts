/** The endpoints of the run by their faults. A healthy one gets every event; each of the others gets those of one source. */
import type { ApiClient } from '../../support/api-client.ts';
import type { ReceivedRequest, Reaction, Receiver } from '../../support/receiver.ts';
import { namesOf, type Role, roleOf, roles as knownRoles } from '../delivering/roles.ts';

/** Every event goes there: by it is measured how long events take. */
const healthyRole: Role = { ...roleNamed('healthy'), count: 1 };

const timeout_ms = 10_000;
/** A path without an endpoint: a client that follows a redirect leaves an arrival there that nothing can explain. */
const trap = 'trap';

/** They get what has an ordering key, in its order, and are never done with one before it is taken. */
const orderedSettings = {
  ordered: true,
  timeout_ms,
  retry: { base_seconds: 0.5, cap_seconds: 3, window_seconds: 3_600 },
};
const orderedRoles: readonly Role[] = [
  {
    name: 'ordered',
    count: 1,
    settings: orderedSettings,
    ends: ['delivered'],
    react: ({ random }) => ({ status: random() < 0.05 ? 500 : 200 }),
  },
  { ...roleNamed('flaps'), name: 'ordered-flaps', count: 1, settings: orderedSettings },
];

const sickRoles: readonly Role[] = [
  { ...roleNamed('fails-30%'), count: 1 },
  { ...roleNamed('slow'), count: 1 },
  { ...roleNamed('hangs'), count: 1 },
  { ...roleNamed('flaps'), count: 1 },
  { ...roleNamed('limits'), count: 1 },
  { ...roleNamed('goes'), count: 1 },
  { ...roleNamed('fails-for-ever'), count: 1 },
  {
    name: 'redirects',
    count: 1,
    settings: { timeout_ms, retry: { base_seconds: 0.5, cap_seconds: 1, max_attempts: 3 } },
    react: ({ random }) => (random() < 0.2 ? { status: 302, headers: { location: `/${trap}` } } : { status: 200 }),
    ends: ['delivered', 'dead_lettered'],
  },
  {
    name: 'resets',
    count: 1,
    settings: { timeout_ms, retry: { base_seconds: 0.5, cap_seconds: 3, window_seconds: 3_600 } },
    react: ({ random }) => (random() < 0.2 ? 'reset' : { status: 200 }),
    ends: ['delivered'],
  },
  {
    // About every second event dies of it (which is no sign that it fails: its breaker stays closed), and is delivered when its dead letter
    // is replayed.
    name: 'replayed',
    count: 2,
    settings: { timeout_ms, retry: { base_seconds: 0.2, cap_seconds: 0.5, max_attempts: 2 } },
    react: ({ payload, seen }) => ({ status: payload.padding.length % 2 === 0 && seen < 2 ? 422 : 200 }),
    ends: ['delivered', 'replayed', 'dead_lettered'],
  },
];

/** As all of them do: what was signed too long ago, or will be, may be anybody's. */
export const refusingStale =
  (react: (request: ReceivedRequest) => Reaction) =>
  (request: ReceivedRequest): Reaction =>
    Math.abs(Date.now() - 1_000 * Number(request.headers['webhook-timestamp'])) > toleranceMs
      ? { status: 400 }
      : react(request);

const toleranceMs = 300_000;

function roleNamed(name: string): Role {
  const role = knownRoles.find((each) => each.name === name);
  if (role === undefined) throw new Error(`there is no role ${name}`);
  return role;
}

/** One endpoint and more of each. */
export const systemRoles = [healthyRole, ...orderedRoles, ...sickRoles];
export const healthyName = 'healthy-0';

export const isOrdered = (name: string): boolean => orderedRoles.some((role) => role.name === roleOf(name));

export interface Endpoints {
  /** By their names: the role's, a dash, a number. */
  ids: ReadonlyMap<string, string>;
  idsOf(role: string): string[];
}

interface Options {
  api: ApiClient;
  receiver: Receiver;
  /** Ports of the links to the receiver: the endpoints take them by turns. */
  ports: readonly number[];
  sourceIds: readonly string[];
  /** Sources whose events sick endpoints get. */
  rareSourceIds: readonly string[];
  /** Sources whose events have ordering keys. */
  orderedSourceIds: readonly string[];
}

/**
 * A healthy endpoint gets the events of all these sources, ordered ones those with an ordering key, each of the others those of one source
 * that sends less.
 */
export async function createEndpoints({
  api,
  receiver,
  ports,
  sourceIds,
  rareSourceIds,
  orderedSourceIds,
}: Options): Promise<Endpoints> {
  const urlOf = (name: string, index: number): string => {
    const url = new URL(receiver.url(name));
    url.port = String(ports[index % ports.length]);
    return url.href;
  };
  const sourcesOf = (role: Role, index: number): readonly (string | undefined)[] => {
    if (role === healthyRole) return sourceIds;
    return orderedRoles.includes(role) ? orderedSourceIds : [rareSourceIds[index % rareSourceIds.length]];
  };
  const named = systemRoles.flatMap((role) => namesOf(role).map((name) => ({ name, role })));
  const ids = await Promise.all(
    named.map(async ({ name, role }, index) => {
      const facts = { url: urlOf(name, index), source_ids: sourcesOf(role, index) };
      const endpoint = await api.createEndpoint({ ...facts, ...role.settings });
      receiver.register(name, endpoint);
      return [name, endpoint.id] as const;
    }),
  );
  return {
    ids: new Map(ids),
    idsOf: (role) => ids.filter(([name]) => roleOf(name) === role).map(([, id]) => id),
  };
}
