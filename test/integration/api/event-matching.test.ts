/** `GET /v1/events/{id}/matching` says what fan-out decides. */
import { randomInt } from 'node:crypto';
import { Registry } from 'prom-client';
import type { EventMatch } from '#lib/api-contract';
import { endpointSettlingMs, type EventRecord, trailMark } from '#lib/contract';
import { createMatchTurns } from '#lib/event-filter';
import {
  createMatchEndpoints,
  createMatchNarrow,
  createStepBudget,
  deliveryIdOf,
  openSubscriberDirectory,
} from '#lib/fan-out';
import { createId, formatMicros, silentLogger, systemClock } from '#lib/runtime';
import { eventFact } from '../../unit/projector/facts.ts';
import { project } from '../projector/projection.ts';
import { nextPath, type OpenApi, openApi } from './api-over-database.ts';

const tenant = 'matching';
const second = 1_000_000;
const settling = endpointSettlingMs * 1_000;
const nowMicros = (): number => Math.round(Date.now() * 1_000);

let api: OpenApi;
beforeAll(async () => {
  api = await openApi({ clock: systemClock });
});
afterAll(() => api.close());

interface State {
  event_types?: string[];
  source_ids?: string[];
  filter?: unknown;
  /** Disabled, and perhaps deleted. */
  closed?: 'disabled' | 'deleted';
}

/** An endpoint with a history: a state from each of these times on. */
async function endpointWith(states: readonly [at: number, state: State][], of = tenant): Promise<string> {
  const [[createdAt, first] = [0, {}], ...changes] = states;
  const id = createId('ep', createdAt / 1_000);
  const values = ({ event_types = [], source_ids = [], filter = null, closed }: State, at: number): unknown[] => [
    ...[of, id, event_types, source_ids, filter === null ? null : JSON.stringify(filter), formatMicros(at)],
    closed === undefined ? null : formatMicros(at),
    closed === 'deleted' ? formatMicros(at) : null,
  ];
  await api.postgres.query(
    `INSERT INTO endpoints (tenant, id, url, event_types, source_ids, filter, created_at, changed_at, disabled_at, deleted_at, secrets)
     VALUES ($1, $2, 'https://receiver.example/', $3, $4, $5, $6, $6, $7, $8, '')`,
    values(first, createdAt),
  );
  for (const [at, state] of changes)
    await api.postgres.query(
      `UPDATE endpoints
          SET event_types = $3, source_ids = $4, filter = $5, changed_at = $6, disabled_at = $7, deleted_at = $8
        WHERE tenant = $1 AND id = $2`,
      values(state, at),
    );
  return id;
}

async function eventAt(receivedAt: number, more: Partial<EventRecord> = {}, of = tenant): Promise<EventRecord> {
  const id = createId('evt', receivedAt / 1_000);
  const facts = { received_at: receivedAt, receipt_id: createId('rcp', receivedAt / 1_000), ...more };
  const fact = eventFact({ tenant: of, eventId: id }, facts);
  await project(api.postgres, [fact]);
  return fact.event;
}

async function matchingOf(eventId: string, { of = tenant, limit = 100 } = {}): Promise<EventMatch[]> {
  const matches: EventMatch[] = [];
  for (let path: string | undefined = `/v1/events/${eventId}/matching?limit=${limit}`; path !== undefined;) {
    const answer = await api.ask({ path, tenant: of });
    expect([answer.text, answer.status]).toEqual([answer.text, 200]);
    matches.push(...answer.json<EventMatch[]>());
    path = nextPath(answer.headers['link']);
  }
  return matches;
}

describe('the first reason why an endpoint did not get an event', () => {
  const of = 'reasons';
  const at = nowMicros() - 600 * second;
  const before = at - 3_600 * second;
  const explained = async (
    states: readonly [number, State][],
    event: Partial<EventRecord> = {},
    settled: (event: EventRecord) => Promise<unknown> = async () => undefined,
  ): Promise<EventMatch | undefined> => {
    const id = await endpointWith(states, of);
    const record = await eventAt(at, { payload: Buffer.from('{"amount":5}'), ...event }, of);
    await settled(record);
    return (await matchingOf(record.id, { of })).find(({ endpoint_id }) => endpoint_id === id);
  };

  test.each<[string, [number, State][], Partial<EventMatch>]>([
    ['none: it matched', [[before, {}]], { matched: true, reason: null }],
    ['created 2 s before it: none', [[at - settling, {}]], { matched: true, reason: null }],
    ['created less than 2 s before it', [[at - settling + 1, {}]], { matched: false, reason: 'created_later' }],
    ['created after it', [[at + second, {}]], { matched: false, reason: 'created_later' }],
    [
      'disabled then, enabled since',
      [
        [before, { closed: 'disabled' }],
        [at + second, {}],
      ],
      { matched: false, reason: 'disabled', disabled_at: null },
    ],
    [
      'disabled since: it matched',
      [
        [before, {}],
        [at + second, { closed: 'disabled' }],
      ],
      { matched: true, reason: null, disabled_at: formatMicros(at + second) },
    ],
    [
      'disabled less than 2 s before it: it matched',
      [
        [before, {}],
        [at - settling + 1, { closed: 'disabled' }],
      ],
      { matched: true, reason: null },
    ],
    [
      'deleted then',
      [
        [before, {}],
        [at - settling, { closed: 'deleted' }],
      ],
      { matched: false, reason: 'deleted', url: null },
    ],
    [
      'disabled then, deleted since',
      [
        [before, {}],
        [at - settling, { closed: 'disabled' }],
        [at + second, { closed: 'deleted' }],
      ],
      { matched: false, reason: 'disabled', deleted_at: formatMicros(at + second) },
    ],
    [
      'deleted since: it matched',
      [
        [before, {}],
        [at + second, { closed: 'deleted' }],
      ],
      { matched: true, reason: null, deleted_at: formatMicros(at + second) },
    ],
    [
      'another type',
      [[before, { event_types: ['invoice.*'], source_ids: ['src_9'] }]],
      { matched: false, reason: 'type', expected: ['invoice.*'] },
    ],
    [
      'another source',
      [[before, { event_types: ['order.*'], source_ids: ['src_9'], filter: { amount: 1 } }]],
      { matched: false, reason: 'source', expected: ['src_9'] },
    ],
    [
      'a clause of its filter',
      [[before, { filter: { amount: { $gte: 1, $lt: 5 } } }]],
      {
        matched: false,
        reason: 'filter',
        clause: { pointer: '/amount/$lt', path: 'amount', operator: '$lt', expected: 5 },
      },
    ],
    [
      'the filter that it had then',
      [
        [before, { filter: { amount: 6 } }],
        [at + second, {}],
      ],
      {
        matched: false,
        reason: 'filter',
        clause: { pointer: '/amount', path: 'amount', operator: '$eq', expected: 6 },
      },
    ],
  ])('%s', async (_title, states, match) => {
    expect(await explained(states)).toMatchObject(match);
  });

  test('a payload that is not JSON', async () => {
    expect(await explained([[before, { filter: { amount: 5 } }]], { payload: Buffer.from('amount=5') })).toMatchObject({
      matched: false,
      reason: 'payload_not_json',
      clause: null,
    });
  });

  test('an endpoint that got it without its filter says why', async () => {
    const deep = Buffer.from(`${'['.repeat(200)}${']'.repeat(200)}`);
    expect(await explained([[before, { filter: { amount: 5 } }]], { payload: deep })).toMatchObject({
      matched: true,
      reason: null,
      unjudged: 'payload',
    });
    // The values of 20 conditions on 10,000 numbers are more than the steps of one filter.
    const filter = { $and: Array.from({ length: 20 }, (_, n) => ({ amount: { $ne: -n } })) };
    const payload = Buffer.from(JSON.stringify({ amount: Array.from({ length: 10_000 }, () => 1) }));
    expect(await explained([[before, { filter }]], { payload })).toMatchObject({
      matched: true,
      unjudged: 'filter_steps',
    });
  });

  test('a payload that has been removed leaves unknown what a filter would say, unless there is a delivery', async () => {
    const remove = ({ id }: EventRecord) =>
      api.postgres.query('DELETE FROM event_payloads WHERE tenant = $1 AND event_id = $2', [of, id]);
    const filtered: [number, State][] = [[before, { filter: { amount: 5 } }]];
    expect(await explained(filtered, {}, remove)).toMatchObject({ matched: null, reason: 'payload_removed' });
    expect(await explained([[before, { event_types: ['x'] }]], {}, remove)).toMatchObject({ reason: 'type' });
    const id = await endpointWith(filtered, of);
    const event = await eventAt(at, {}, of);
    await remove(event);
    const deliveryId = deliveryIdOf(event, id);
    await api.postgres.query(
      `INSERT INTO deliveries (tenant, id, event_id, endpoint_id, generation, created_at, updated_at)
       VALUES ($1, $2, $3, $4, 0, now(), now())`,
      [of, deliveryId, event.id, id],
    );
    expect((await matchingOf(event.id, { of })).find(({ endpoint_id }) => endpoint_id === id)).toMatchObject({
      matched: true,
      reason: null,
      delivery_id: deliveryId,
    });
  });

  test('settings that are not kept any more leave it unknown', async () => {
    const old = nowMicros() - 40 * 24 * 3_600 * second;
    const id = await endpointWith(
      [
        [old - 3_600 * second, {}],
        [old + second, { event_types: ['invoice.*'] }],
      ],
      of,
    );
    const event = await eventAt(old, {}, of);
    const match = async () => (await matchingOf(event.id, { of })).find(({ endpoint_id }) => endpoint_id === id);
    expect(await match()).toMatchObject({ matched: true });
    // As services/projector/retention/sweep-resources.ts does it.
    await api.postgres.query(
      `UPDATE endpoints SET history = '[]', history_revision = history_revision + 1 WHERE tenant = $1 AND id = $2`,
      [of, id],
    );
    expect(await match()).toMatchObject({ matched: null, reason: 'history_removed' });
  });

  test('a webhook that goes round in a loop is for none, whatever they subscribe to', async () => {
    const request = { method: 'POST', path: '/', client_address: '', headers: [], truncated: false };
    const looped = { source_id: 'src_1', request: { ...request, trail: [trailMark('src_1')] } };
    expect(await explained([[before, {}]], looped)).toMatchObject({
      matched: false,
      reason: 'loop',
      delivery_id: null,
    });
    expect(await explained([[at + second, {}]], looped)).toMatchObject({ reason: 'loop' });
    const passing = { source_id: 'src_1', request: { ...request, trail: [trailMark('src_2')] } };
    expect(await explained([[before, {}]], passing)).toMatchObject({ matched: true, reason: null });
  });

  test('a test of an endpoint is for that one alone', async () => {
    const sink = 'tested';
    await endpointWith([[before, { event_types: ['hookline.*'] }]], sink);
    const id = createId('evt', at / 1_000);
    const sample = { source_id: 'hookline', type: 'hookline.test' };
    const operational = await eventAt(at, sample, sink);
    expect((await matchingOf(operational.id, { of: sink }))[0]).toMatchObject({ matched: true });
    await project(api.postgres, [
      eventFact({ tenant: sink, eventId: id }, { ...sample, received_at: at, origin: `api:${id}` }),
    ]);
    expect((await matchingOf(id, { of: sink }))[0]).toMatchObject({ matched: false, reason: 'test_event' });
  });
});

const oneOf = <T>(...items: T[]): T => items[randomInt(items.length)] as T;
/** Nearly all the steps that one filter may take on `numbers`; some of these endpoints are beyond those of the event. */
const costly = (first: number): object => ({
  $and: Array.from({ length: 18 }, (_, n) => ({ numbers: { $ne: -first - n } })),
});
const anyState = (): State => ({
  event_types: oneOf([], ['order.*'], ['invoice.*', 'order.paid'], ['*'], ['hookline.*']),
  source_ids: oneOf([], ['src_1'], ['src_2', 'api']),
  filter: oneOf<unknown>(
    null,
    { amount: { $gte: 5 } },
    { $or: [{ amount: 1 }, { name: 'a' }] },
    { $nor: [{ amount: 7 }] },
    { 'items.n': { $in: [1, 2] } },
    ...[1, 2, 3, 4, 5].map(costly),
  ),
  ...oneOf({}, {}, {}, { closed: 'disabled' as const }, { closed: 'deleted' as const }),
});

test('matching is the set of fan-out, for endpoints with any history and any event, page by page', async () => {
  const from = nowMicros() - 1_000 * second;
  const any = (): number => from + randomInt(600) * second + randomInt(1_000_000);
  for (let n = 0; n < 64; n += 1) {
    const times = [...new Set(Array.from({ length: 1 + randomInt(5) }, any))].sort((a, b) => a - b);
    await endpointWith(times.map((at): [number, State] => [at, anyState()]));
  }
  // Random histories alone may leave an event too few of them.
  for (let n = 0; n < 12; n += 1) await endpointWith([[from - 60 * second, { filter: costly(n) }]]);
  const { directory, parts } = openSubscriberDirectory({
    database: { url: api.databaseUrl },
    name: 'test',
    clock: systemClock,
    log: silentLogger,
    metrics: new Registry(),
  });
  for (const part of parts) await part.start();
  try {
    const match = createMatchEndpoints({
      turns: createMatchTurns(setImmediate),
      unjudged: { note: () => undefined },
    });
    const matchNarrow = createMatchNarrow(directory, 1_000);
    const seen = { matched: 0, refused: 0, unjudged: 0, narrow: 0 };
    const numbers = Array.from({ length: 5_400 }, () => 1);
    const isSeen = (): boolean => Object.values(seen).every((count) => count > 0);
    // Random events may leave one of them out for long.
    for (let n = 0; n < 40 || (!isSeen() && n < 400); n += 1) {
      const event = await eventAt(any(), {
        type: oneOf('order.paid', 'invoice.sent', 'hookline.endpoint.failing'),
        source_id: oneOf('src_1', 'src_2', 'api', 'hookline'),
        payload: Buffer.from(
          oneOf(
            '',
            'text',
            JSON.stringify({ amount: randomInt(9), name: 'a', items: [{ n: 1 }], numbers }),
            '{"amount":1}',
          ),
        ),
      });
      const expected = (await match(event, directory.candidates(event))).map(({ id }) => id);
      // Page by page of one is 76 requests.
      const matches = await matchingOf(event.id, { limit: n < 2 ? 1 : oneOf(20, 50, 1_000) });
      expect(matches.filter(({ matched }) => matched).map(({ endpoint_id }) => endpoint_id)).toEqual(expected);
      expect(matches.filter(({ matched, reason }) => matched === (reason !== null))).toEqual([]);
      const narrow = await matchNarrow(event, createStepBudget());
      if ('endpointIds' in narrow) {
        expect(narrow.endpointIds).toEqual(expected);
        seen.narrow += 1;
      }
      seen.matched += expected.length;
      seen.refused += matches.length - expected.length;
      seen.unjudged += matches.filter(({ unjudged }) => unjudged === 'event_steps').length;
    }
    expect([isSeen(), seen]).toEqual([true, seen]);
  } finally {
    for (const part of parts.toReversed()) await part.stop();
  }
});

test('a cursor that is none, another tenant’s event and an unknown parameter are refused', async () => {
  const event = await eventAt(nowMicros());
  const status = async (path: string, of = tenant): Promise<number> => (await api.ask({ path, tenant: of })).status;
  expect(await status(`/v1/events/${event.id}/matching?cursor=ep_1`)).toBe(400);
  expect(await status(`/v1/events/${event.id}/matching?type=x`)).toBe(400);
  expect(await status(`/v1/events/${event.id}/matching`, 'stranger')).toBe(404);
});
