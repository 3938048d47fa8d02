import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { endpointSettlingMs, type EventRecord } from '#lib/contract';
import { compileFilter, createMatchTurns } from '#lib/event-filter';
import { createMatchEndpoints, type EndpointSubscription, type MatchEndpoints } from '#lib/fan-out';
import type { Endpoint } from '../../../services/dispatcher/model/endpoint.ts';
import { anEndpoint, anEvent, aSubscription, secondMicros, startMicros } from '../dispatcher/fixtures.ts';

const matchEndpoints = createMatchEndpoints<Endpoint>({
  turns: createMatchTurns(),
  unjudged: { note: () => undefined },
});

type Event = Parameters<typeof anEvent>[0];

const isMatched = async (endpoint: Partial<Endpoint>, event: Event = {}): Promise<boolean> =>
  (await matchEndpoints(anEvent(event), [anEndpoint(endpoint)])).length === 1;

const matches = (subscription: Partial<EndpointSubscription>, event: Event = {}): Promise<boolean> =>
  isMatched({ subscription: aSubscription(subscription) }, event);

describe('an endpoint gets an event', () => {
  it('of any type and source where it names none', async () => {
    expect(await matches({})).toBe(true);
  });

  it.each([
    [['order.created'], true],
    [['order.paid', 'order.created'], true],
    [['order'], false],
    [['order.*'], true],
    [['*'], true],
    [['orders.*'], false],
    [['order.created.*'], false],
    [['order.create'], false],
  ])('of the types %j: %s', async (eventTypes, expected) => {
    expect(await matches({ eventTypes })).toBe(expected);
  });

  it('below a prefix at any depth, but not the prefix itself', async () => {
    expect(await matches({ eventTypes: ['order.*'] }, { type: 'order.item.added' })).toBe(true);
    expect(await matches({ eventTypes: ['order.*'] }, { type: 'order' })).toBe(false);
    expect(await matches({ eventTypes: ['order.*'] }, { type: 'orderly.x' })).toBe(false);
    expect(await matches({ eventTypes: ['orders/*'] }, { type: 'orders/create' })).toBe(true);
    expect(await matches({ eventTypes: ['orders/*'] }, { type: 'orders' })).toBe(false);
    expect(await matches({ eventTypes: ['zen:event-type:*'] }, { type: 'zen:event-type:ticket.created' })).toBe(true);
    expect(await matches({ eventTypes: ['Push Hook'] }, { type: 'Push Hook' })).toBe(true);
    expect(await matches({ eventTypes: ['Push *'] }, { type: 'Push Hook' })).toBe(false);
  });

  it('of the sources that it names', async () => {
    expect(await matches({ sourceIds: ['src_1'] })).toBe(true);
    expect(await matches({ sourceIds: ['src_2'] })).toBe(false);
    expect(await matches({ sourceIds: ['src_1'], eventTypes: ['other'] })).toBe(false);
  });

  it('whose payload its filter takes', async () => {
    const filter = compileFilter({ order: { $gte: 5 } });
    expect(await matches({ filter }, { payload: Buffer.from('{"order":5}') })).toBe(true);
    expect(await matches({ filter }, { payload: Buffer.from('{"order":4}') })).toBe(false);
    expect(await matches({ filter }, { payload: Buffer.from('order=5') })).toBe(false);
  });

  it('whose payload its filter takes once it is decoded; one that is not decoded is taken by every filter', async () => {
    const filter = compileFilter({ order: { $gte: 5 } });
    const taken = (text: string, encoding: string): Promise<boolean> =>
      matches({ filter }, { payload: gzipSync(text), content_encoding: encoding });
    expect(await taken('{"order":5}', 'gzip')).toBe(true);
    expect(await taken('{"order":4}', 'gzip')).toBe(false);
    expect(await taken('{"order":4}', 'gzip, br')).toBe(true);
    expect(await taken(`{"order":4${' '.repeat(4_000_000)}}`, 'gzip')).toBe(true);
    // A payload that is not in its declared encoding is judged as it stands.
    expect(await taken('{"order":5}', 'br')).toBe(false);
    const plain = (order: number): Event => ({ payload: Buffer.from(`{"order":${order}}`), content_encoding: 'gzip' });
    expect(await matches({ filter }, plain(5))).toBe(true);
    expect(await matches({ filter }, plain(4))).toBe(false);
  });

  it('whose payload its filter takes as it stands, where its encoding is a charset, or is not known', async () => {
    const filter = compileFilter({ order: { $gte: 5 } });
    const taken = (text: string, content_encoding: string): Promise<boolean> =>
      matches({ filter }, { payload: Buffer.from(text), content_encoding });
    for (const encoding of ['UTF-8', 'utf8', 'charset=iso-8859-1', 'identity', 'identity, us-ascii', '', 'snappy']) {
      expect([encoding, await taken('{"order":5}', encoding)]).toEqual([encoding, true]);
      expect([encoding, await taken('{"order":4}', encoding)]).toEqual([encoding, false]);
      expect([encoding, await taken('4', encoding)]).toEqual([encoding, false]);
    }
    // Only a body that is no JSON then can’t be judged.
    expect([await taken('order=4', 'snappy'), await taken('order=4', 'utf-8')]).toEqual([true, false]);
  });

  it('whose form its filter takes: an object of texts, or the JSON in its only field `payload`', async () => {
    const taken = (
      filter: object,
      form: string,
      content_type = 'application/x-www-form-urlencoded',
    ): Promise<boolean> => matches({ filter: compileFilter(filter) }, { payload: Buffer.from(form), content_type });
    expect(await taken({ action: 'opened' }, 'payload=%7B%22action%22%3A%22opened%22%7D')).toBe(true);
    expect(await taken({ action: 'opened' }, 'payload=%7B%22action%22%3A%22closed%22%7D')).toBe(false);
    expect(await taken({ order: '5', item: { $all: ['a b', 'c'] } }, 'order=5&item=a+b&item=c')).toBe(true);
    expect(await taken({ order: 5 }, 'order=5')).toBe(false);
    expect(await taken({ payload: 'a' }, 'payload=a')).toBe(true);
    expect(await taken({ payload: '{}' }, 'payload={}&more=1')).toBe(true);
    expect(await taken({ order: '5' }, 'order=5', 'text/plain')).toBe(false);
    expect(await taken({ order: '5' }, 'order=5', 'Application/X-WWW-Form-URLencoded; charset=UTF-8')).toBe(true);
    expect(await taken({ order: { $exists: true } }, 'order=%ff')).toBe(false);
  });

  it('that was accepted when its creation counted', async () => {
    expect(await isMatched({ beginsAt: startMicros })).toBe(true);
    expect(await isMatched({ beginsAt: startMicros + 1 })).toBe(false);
  });

  it('that was accepted before its closing counted, whenever the fan-out comes to it', async () => {
    const closedFrom = (countsUntil: number): Partial<Endpoint> => ({
      subscription: aSubscription({ open: false }),
      past: [{ ...aSubscription(), countsUntil }],
    });
    expect(await isMatched(closedFrom(startMicros + 1))).toBe(true);
    expect(await isMatched(closedFrom(startMicros))).toBe(false);
    expect(await isMatched({ subscription: aSubscription({ open: false }) })).toBe(false);
  });
});

describe('an event about Hookline itself', () => {
  const event = { type: 'hookline.endpoint.disabled', source_id: 'hookline' };

  it('goes to the endpoints that name its type, whatever their sources, and to no other', async () => {
    for (const eventTypes of [['hookline.*'], ['hookline.endpoint.*'], ['order.*', 'hookline.endpoint.disabled']])
      expect(await matches({ eventTypes, sourceIds: ['src_1'] }, event)).toBe(true);
    for (const eventTypes of [[], ['*'], ['hookline.source.*'], ['order.*'], ['hook.*']])
      expect(await matches({ eventTypes }, event)).toBe(false);
  });

  it('is not what a sender may make of its own', async () => {
    const forged = { ...event, source_id: 'src_1' };
    expect(await matches({ eventTypes: ['hookline.*'] }, forged)).toBe(false);
    expect(await matches({ eventTypes: ['*'] }, forged)).toBe(true);
    expect(await matches({}, forged)).toBe(true);
  });
});

/** The endpoint that the trigger makes of changes, one after the other. */
function endpointAfter(changes: readonly Change[], until: number): Endpoint {
  const made = changes.filter(({ at }) => at <= until);
  const states = [aSubscription(), ...made.map(({ to }) => to)];
  return anEndpoint({
    subscription: states.at(-1) as EndpointSubscription,
    past: made.map(({ at }, index) => ({
      ...(states[index] as EndpointSubscription),
      countsUntil: at + settlingMicros,
    })),
  });
}

interface Change {
  at: number;
  to: EndpointSubscription;
}

const micros = fc.integer({ min: 0, max: 60 * secondMicros }).map((offset) => startMicros + offset);
const subscriptions = fc.record<EndpointSubscription>({
  open: fc.boolean(),
  eventTypes: fc.constantFrom([], ['order.*'], ['invoice.*']),
  sourceIds: fc.constantFrom([], ['src_1'], ['src_2']),
  filter: fc.constantFrom(null, compileFilter({ order: 1 }), compileFilter({ order: { $ne: 1 } })),
});
const changeLists = fc
  .uniqueArray(fc.record<Change>({ at: micros, to: subscriptions }), { selector: ({ at }) => at, maxLength: 12 })
  .map((changes) => changes.toSorted((a, b) => a.at - b.at));
/** Fan-out uses a list as of a second before the receipt; what was committed a second after its instant may not have been in that. */
const settlingMicros = endpointSettlingMs * 1_000;
const olderBy = fc.integer({ min: 0, max: settlingMicros });
const newerBy = fc.integer({ min: 0, max: 120 * secondMicros });

describe('a fan-out that is repeated with a newer list of endpoints', () => {
  const isSameWith = (match: MatchEndpoints<Endpoint>) =>
    fc.asyncProperty(changeLists, micros, olderBy, newerBy, async (changes, receivedAt, older, newer) => {
      const event = anEvent({ received_at: receivedAt });
      const first = await match(event, [endpointAfter(changes, receivedAt - older)]);
      const again = await match(event, [endpointAfter(changes, receivedAt + newer)]);
      return first.length === again.length;
    });

  it('comes to the same set, whatever was changed, and how often', async () => {
    await fc.assert(isSameWith(matchEndpoints), { numRuns: 2_000 });
  });

  const forget = (endpoints: Iterable<Endpoint>): Endpoint[] =>
    [...endpoints].map((endpoint) => ({ ...endpoint, past: [] }));
  const later = (event: EventRecord): EventRecord => ({ ...event, received_at: event.received_at + settlingMicros });

  it.each<[string, MatchEndpoints<Endpoint>]>([
    ['went by what is in force now', (event, endpoints) => matchEndpoints(event, forget(endpoints))],
    ['had a change count at once', (event, endpoints) => matchEndpoints(later(event), endpoints)],
  ])('would not, if it %s', async (_title, mutant) => {
    expect((await fc.check(isSameWith(mutant), { numRuns: 2_000, endOnFailure: true })).failed).toBe(true);
  });
});
