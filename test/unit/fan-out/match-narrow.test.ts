import fc from 'fast-check';
import { gzipSync } from 'node:zlib';
import { compilePassHeaders, type EventRecord, trailMark } from '#lib/contract';
import { compileFilter, createMatchTurns } from '#lib/event-filter';
import {
  createMatchEndpoints,
  createMatchNarrow,
  createStepBudget,
  createSubscriptionIndex,
  type Subscriber,
} from '#lib/fan-out';
import { anEndpoint, anEvent, aSubscription, secondMicros, startMicros } from '../dispatcher/fixtures.ts';

const matchEndpoints = createMatchEndpoints<Subscriber>({
  turns: createMatchTurns(),
  unjudged: { note: () => undefined },
});

function narrowing(endpoints: readonly Subscriber[], { isRead = true, maxEndpoints = 32 } = {}) {
  const index = createSubscriptionIndex();
  endpoints.forEach(index.put);
  const directory = { readFor: () => isRead, fewCandidates: index.fewCandidates };
  const matchNarrow = createMatchNarrow(directory, maxEndpoints);
  return (event: Partial<EventRecord> = {}, budget = createStepBudget()) => {
    const match = matchNarrow(anEvent(event), budget);
    if (match instanceof Promise) throw new Error('nothing is to be waited for');
    return match;
  };
}

const aRequest = { method: 'POST', path: '/', client_address: '', headers: [], truncated: false };
const many = (count: number, more: Partial<Subscriber> = {}): Subscriber[] =>
  Array.from({ length: count }, (_, n) => anEndpoint({ id: `ep_${String(n).padStart(3, '0')}`, ...more }));
const filtered = (filter: object): Partial<Subscriber> => ({
  subscription: aSubscription({ filter: compileFilter(filter) }),
});

describe('a narrow event', () => {
  it('goes to the endpoints that it belongs to, in the order of their ids', () => {
    const endpoints = [anEndpoint({ id: 'ep_b' }), anEndpoint({ id: 'ep_a' })];
    const other = anEndpoint({ id: 'ep_c', subscription: aSubscription({ eventTypes: ['other'] }) });
    expect(narrowing([...endpoints, other])()).toEqual({ endpointIds: ['ep_a', 'ep_b'] });
    expect(narrowing([])()).toEqual({ endpointIds: [] });
  });

  it('goes to none where its webhook goes round in a loop, whatever else would leave it to the fan-out consumer', async () => {
    const endpoints = many(100);
    const of = (trail: readonly string[], more: Partial<EventRecord> = {}) =>
      anEvent({ ...more, request: { ...aRequest, trail: trail.map(trailMark) } });
    const looped = [of(['src_1']), of(['src_0', 'src_1']), of(Array.from({ length: 8 }, (_, at) => `src_x${at}`))];
    for (const event of [...looped, of(['src_1'], { ordering_key: 'k' })]) {
      expect(narrowing(endpoints)(event)).toEqual({ endpointIds: [] });
      expect(narrowing(endpoints, { isRead: false, maxEndpoints: 0 })(event)).toEqual({ endpointIds: [] });
      expect(await matchEndpoints(event, endpoints)).toEqual([]);
    }
    const passing = of(['src_2', 'src_3']);
    expect(narrowing(many(2))(passing)).toEqual({ endpointIds: ['ep_000', 'ep_001'] });
    expect(await matchEndpoints(passing, many(2))).toHaveLength(2);
  });

  it('goes to those whose filter takes it', () => {
    const match = narrowing([
      anEndpoint({ id: 'ep_1', ...filtered({ order: 1 }) }),
      ...many(1, filtered({ order: 2 })),
    ]);
    expect(match({ payload: Buffer.from('{"order":1}') })).toEqual({ endpointIds: ['ep_1'] });
  });

  it('has the set that the fan-out consumer comes to, whatever its endpoints ask for and were', async () => {
    const subscriptions = fc.record({
      open: fc.boolean(),
      eventTypes: fc.array(fc.constantFrom('*', 'order', 'order.*', 'order.created', 'hookline.*'), { maxLength: 2 }),
      sourceIds: fc.array(fc.constantFrom('src_1', 'src_2', 'hookline'), { maxLength: 1 }),
      filter: fc.constantFrom(
        null,
        compileFilter({ order: 1 }),
        compileFilter({ 'items.n': { $gt: 2 } }),
        compileFilter({ items: { $elemMatch: { n: { $in: [1, 2, 3] } } } }),
      ),
    });
    const endpoints = fc.array(
      fc.record({
        subscription: subscriptions,
        past: fc.array(subscriptions, { maxLength: 2 }),
        bornAfter: fc.nat(20),
      }),
      { maxLength: 40 },
    );
    const payloads = fc.oneof(
      fc.constantFrom('', 'no JSON', '1', '[]', '{"order":1}'),
      fc
        .tuple(fc.array(fc.nat(4), { minLength: 1, maxLength: 10 }), fc.constantFrom(1, 100, 2_000))
        .map(([ns, times]) => Array<number[]>(times).fill(ns).flat())
        .map((ns) => JSON.stringify({ order: 1, items: ns.map((n) => ({ n })) })),
    );
    const events = fc.record({
      type: fc.constantFrom('order', 'order.created', 'hookline.endpoint.disabled'),
      source_id: fc.constantFrom('src_1', 'hookline'),
      payload: payloads.map((text) => Buffer.from(text)),
      received_at: fc.nat(30).map((seconds) => startMicros + seconds * secondMicros),
    });
    const seen = { narrow: 0, wide: 0 };
    await fc.assert(
      fc.asyncProperty(endpoints, events, async (given, event) => {
        const known = given.map(({ subscription, past, bornAfter }, n) =>
          anEndpoint({
            id: `ep_${n % 35}`,
            subscription,
            beginsAt: startMicros - 15 * secondMicros + bornAfter * secondMicros,
            past: past.map((each, index) => ({ ...each, countsUntil: startMicros + index * 10 * secondMicros })),
          }),
        );
        const index = createSubscriptionIndex();
        known.forEach(index.put);
        const narrow = narrowing(known)(event);
        seen['wide' in narrow ? 'wide' : 'narrow'] += 1;
        if ('wide' in narrow) return;
        const expected = await matchEndpoints(anEvent(event), index.candidates(anEvent(event)));
        expect(narrow.endpointIds).toEqual(expected.map(({ id }) => id).sort());
      }),
      { numRuns: 1_000 },
    );
    expect(seen.narrow).toBeGreaterThan(200);
    expect(seen.wide).toBeGreaterThan(5);
  });
});

it('gives the rules of those endpoints that get headers of the provider', () => {
  const passHeaders = compilePassHeaders(['X-A']);
  expect(narrowing([...many(1), anEndpoint({ id: 'ep_z', passHeaders })])()).toEqual({
    endpointIds: ['ep_000', 'ep_z'],
    passHeaders: new Map([['ep_z', passHeaders]]),
  });
});

describe('an event is wide', () => {
  it('with an ordering key', () => {
    expect(narrowing(many(1))({ ordering_key: 'a' })).toEqual({ wide: 'ordered' });
  });

  it('where the directory may lack an endpoint that counts, and can’t be read', async () => {
    expect(narrowing(many(1), { isRead: false })()).toEqual({ wide: 'stale' });
    expect(narrowing([], { isRead: false })()).toEqual({ wide: 'stale' });
    const reading = Promise.withResolvers<boolean>();
    const directory = { readFor: () => reading.promise, fewCandidates: () => many(1) };
    const matches = [1, 2].map(() => createMatchNarrow(directory, 32)(anEvent(), createStepBudget()));
    const keyed = createMatchNarrow(directory, 32)(anEvent({ ordering_key: 'a' }), createStepBudget());
    expect(keyed).toEqual({ wide: 'ordered' });
    reading.resolve(true);
    for (const match of matches) expect(await match).toEqual({ endpointIds: ['ep_000'] });
  });

  it('for more endpoints than a set in a header takes, or than are allowed', () => {
    expect(narrowing(many(32))()).toMatchObject({ endpointIds: { length: 32 } });
    expect(narrowing(many(33))()).toEqual({ wide: 'endpoints' });
    expect(narrowing(many(3), { maxEndpoints: 2 })()).toEqual({ wide: 'endpoints' });
    expect(narrowing([], { maxEndpoints: 0 })()).toEqual({ wide: 'endpoints' });
  });

  it('where it may belong to very many, though it belongs to none: nobody looks at them', () => {
    let looked = 0;
    const closed = many(65).map((endpoint) =>
      Object.defineProperty({ ...endpoint }, 'createdAt', { get: () => (looked += 1) }),
    );
    expect(narrowing(closed)()).toEqual({ wide: 'endpoints' });
    expect(looked).toBe(0);
  });

  it('with more than half a megabyte of deliveries', () => {
    const payload = Buffer.alloc(256 * 1024, ' ');
    expect(narrowing(many(2))({ payload })).toMatchObject({ endpointIds: { length: 2 } });
    expect(narrowing(many(3))({ payload })).toEqual({ wide: 'bytes' });
    expect(narrowing([])({ payload: Buffer.alloc(600 * 1024, ' ') })).toEqual({ wide: 'bytes' });
  });

  it('whose filters take more steps than one event may, or than are left for what is published with it', () => {
    const match = narrowing(many(2, filtered({ 'items.n': 7 })));
    const payload = (items: number): Buffer => Buffer.from(JSON.stringify({ items: Array(items).fill({ n: 1 }) }));
    expect(match({ payload: payload(1_000) })).toEqual({ endpointIds: [] });
    expect(match({ payload: payload(4_000) })).toEqual({ wide: 'filters' });
    const budget = createStepBudget();
    let events = 0;
    while (!('wide' in match({ payload: payload(1_000) }, budget))) events += 1;
    expect([events > 10, events < 30]).toEqual([true, true]);
    expect(budget.stepsLeft).toBeLessThan(10_000);
    // Without a filter nothing is spent, so nothing has to be left.
    expect(narrowing(many(2))({}, { stepsLeft: 0 })).toMatchObject({ endpointIds: { length: 2 } });
  });

  it('whose encoded payload a filter asks for', () => {
    const encoded = { payload: gzipSync('{"order":1}'), content_encoding: 'gzip' };
    expect(narrowing(many(1, filtered({ order: 1 })))(encoded)).toEqual({ wide: 'filters' });
    expect(narrowing(many(1))(encoded)).toEqual({ endpointIds: ['ep_000'] });
  });
});
