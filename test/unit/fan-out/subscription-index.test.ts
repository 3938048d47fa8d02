import fc from 'fast-check';
import { createMatchTurns } from '#lib/event-filter';
import { createMatchEndpoints, createSubscriptionIndex, type EndpointSubscription } from '#lib/fan-out';
import type { Endpoint } from '../../../services/dispatcher/model/endpoint.ts';
import { anEndpoint, anEvent, aSubscription, secondMicros, startMicros } from '../dispatcher/fixtures.ts';

const matchEndpoints = createMatchEndpoints<Endpoint>({
  turns: createMatchTurns(),
  unjudged: { note: () => undefined },
});

const idsOf = (endpoints: Iterable<Endpoint>): string[] => [...endpoints].map(({ id }) => id).sort();

const types = fc.constantFrom(
  'order',
  'order.created',
  'order.item.added',
  'hookline.endpoint.disabled',
  '.',
  'a..b',
  'orders/create',
  'orders/items/added',
  'zen:event-type:ticket.created',
  'Push Hook',
  '',
);
const patterns = fc.oneof(
  types,
  fc.constantFrom('*', 'order.*', 'order.item.*', 'hookline.*', '.*', 'a.*', 'a..*', 'b.*'),
  fc.constantFrom(
    'orders/*',
    'orders/items/*',
    '/*',
    'zen:*',
    'zen:event-type:*',
    'zen:event-type:ticket.*',
    'Push Hook',
  ),
);
const sources = fc.constantFrom('src_1', 'src_2', 'api', 'hookline');
const subscriptions = fc.record<EndpointSubscription>({
  open: fc.boolean(),
  eventTypes: fc.array(patterns, { maxLength: 3 }),
  sourceIds: fc.array(sources, { maxLength: 2 }),
  filter: fc.constant(null),
});
const endpoints = fc
  .record({
    id: fc.constantFrom('ep_1', 'ep_2', 'ep_3', 'ep_4'),
    subscription: subscriptions,
    past: fc.array(subscriptions, { maxLength: 2 }),
  })
  .map(({ past, ...more }) =>
    anEndpoint({
      ...more,
      past: past.map((each, index) => ({ ...each, countsUntil: startMicros + index * 10 * secondMicros })),
    }),
  );
const events = fc
  .record({ type: types, source_id: sources, afterSeconds: fc.integer({ min: 0, max: 30 }) })
  .map(({ afterSeconds, ...more }) => anEvent({ ...more, received_at: startMicros + afterSeconds * secondMicros }));

describe('an index of subscriptions', () => {
  it('has every endpoint that an event belongs to among its candidates, however often it was changed', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(endpoints, { maxLength: 12 }), events, async (puts, event) => {
        const index = createSubscriptionIndex<Endpoint>();
        puts.forEach(index.put);
        const now = new Map(puts.map((endpoint) => [endpoint.id, endpoint]));
        const expected = await matchEndpoints(event, now.values());
        expect(idsOf(await matchEndpoints(event, index.candidates(event)))).toEqual(idsOf(expected));
      }),
      { numRuns: 3_000 },
    );
  });

  it('has the same candidates where they are few, and none where they may be more than asked for', () => {
    const index = createSubscriptionIndex<Endpoint>();
    const event = { type: 'order.created', source_id: 'src_1' };
    expect([...(index.fewCandidates(event, 0) ?? [])]).toEqual([]);
    for (let n = 0; n < 3; n += 1) index.put(anEndpoint({ id: `of all ${n}` }));
    index.put(anEndpoint({ id: 'of type', subscription: aSubscription({ eventTypes: ['order.*'] }) }));
    expect(idsOf(index.fewCandidates(event, 4) ?? [])).toEqual(['of all 0', 'of all 1', 'of all 2', 'of type']);
    expect(index.fewCandidates(event, 3)).toBeUndefined();
  });

  it('does not look at those that ask for something else', () => {
    const index = createSubscriptionIndex<Endpoint>();
    for (let n = 0; n < 1_000; n += 1) {
      index.put(anEndpoint({ id: `of source ${n}`, subscription: aSubscription({ sourceIds: [`src_${n}`] }) }));
      index.put(anEndpoint({ id: `of type ${n}`, subscription: aSubscription({ eventTypes: [`type_${n}.*`] }) }));
    }
    expect(idsOf(index.candidates({ type: 'type_7.a', source_id: 'src_8' }))).toEqual(['of source 8', 'of type 7']);
  });

  it('finds one that names very many types by its sources', async () => {
    const index = createSubscriptionIndex<Endpoint>();
    const eventTypes = Array.from({ length: 300 }, (_, n) => `type_${n}`);
    index.put(anEndpoint({ subscription: aSubscription({ eventTypes, sourceIds: ['src_1'] }) }));
    const of = (type: string, source_id: string) =>
      matchEndpoints(anEvent({ type, source_id }), index.candidates({ type, source_id }));
    expect(await of('type_299', 'src_1')).toHaveLength(1);
    expect(await of('type_300', 'src_1')).toHaveLength(0);
    expect([...index.candidates({ type: 'type_1', source_id: 'src_2' })]).toEqual([]);
  });

  it('has an endpoint as it was last put, under what it asks for now', () => {
    const index = createSubscriptionIndex<Endpoint>();
    index.put(anEndpoint({ subscription: aSubscription({ sourceIds: ['src_1'] }) }));
    index.put(anEndpoint({ subscription: aSubscription({ sourceIds: ['src_2'] }), url: 'https://new.test/' }));
    expect([...index.candidates({ type: 'a', source_id: 'src_1' })]).toEqual([]);
    expect([...index.candidates({ type: 'a', source_id: 'src_2' })]).toMatchObject([{ url: 'https://new.test/' }]);
  });
});
