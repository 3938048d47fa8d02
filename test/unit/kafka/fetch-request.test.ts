import { createRequire } from 'node:module';
import fc from 'fast-check';
import type { Broker } from 'kafkajs';
import { ByteReader } from '../../../libs/kafka/codec/wire-types.ts';
import { countFetched, fetchBody, type FetchRequest } from '../../../libs/kafka/codec/fetch-request.ts';
import { createSendFetch } from '../../../libs/kafka/kafkajs-patches/fetch-request.ts';

const load = createRequire(import.meta.url);
const requestOf = load('kafkajs/src/protocol/requests/fetch/v11/request.js') as (asked: object) => {
  encode(): Promise<{ buffer: Buffer }>;
};

const partition = fc.record({
  partition: fc.nat(1_000),
  fetchOffset: fc.bigInt({ min: 0n, max: 2n ** 53n }).map(String),
  maxBytes: fc.nat(),
});
const requests = fc.record({
  maxWaitTime: fc.nat(),
  minBytes: fc.nat(),
  maxBytes: fc.nat(),
  isolationLevel: fc.constantFrom(0, 1),
  rackId: fc.constantFrom('', 'räck'),
  topics: fc.array(
    fc.record({ topic: fc.string({ minLength: 1 }), partitions: fc.array(partition, { minLength: 1, maxLength: 5 }) }),
    { maxLength: 4 },
  ),
});

test('the bytes of a request are those of kafkajs', async () => {
  await fc.assert(
    fc.asyncProperty(requests, async (request) => {
      const { buffer } = await requestOf({ ...request, replicaId: -1 }).encode();
      expect(fetchBody(request, 0)).toEqual(Buffer.from(buffer));
    }),
  );
});

/** The partitions in the order of the request, and how often each topic is named. */
function order(body: Buffer): { places: string[]; topics: number } {
  const reader = new ByteReader(body, 25);
  const topics = reader.list(() => {
    const topic = reader.text(reader.int16());
    return reader.list(() => {
      const place = `${topic}/${reader.int32()}`;
      reader.at += 24;
      return place;
    });
  });
  return { places: topics.flat(), topics: topics.length };
}

test('any partition may be the first; then come all others, each once, in a circle', () => {
  const distinct: FetchRequest = {
    topics: ['a', 'b', 'c'].map((topic, at) => ({
      topic,
      partitions: Array.from({ length: at + 1 }, (_, index) => ({ partition: index, fetchOffset: '0', maxBytes: 1 })),
    })),
  };
  const all = ['a/0', 'b/0', 'b/1', 'c/0', 'c/1', 'c/2'];
  expect(countFetched(distinct)).toBe(all.length);
  for (const first of all.keys()) {
    const { places, topics } = order(fetchBody(distinct, first));
    expect(places[0]).toBe(all[first]);
    expect(places.toSorted()).toEqual(all);
    expect(topics).toBeLessThanOrEqual(4);
  }
});

const symbol = Symbol('private:Broker:sendRequest');

function aBroker(maxVersion: number | undefined) {
  const sent: { request: { apiVersion: number; encode(): Promise<{ buffer: Buffer }> }; requestTimeout: number }[] = [];
  const prototype = {
    async [symbol](exchange: (typeof sent)[number]) {
      sent.push(exchange);
      return 'answer';
    },
  };
  const versions = maxVersion === undefined ? null : { 1: { minVersion: 0, maxVersion } };
  return { broker: Object.assign(Object.create(prototype) as Broker, { versions }), sent };
}

test('a broker gets it by kafkajs’s own way, with the time that it may wait there', async () => {
  const { broker, sent } = aBroker(17);
  const topics = [{ topic: 'a', partitions: [1, 2].map((id) => ({ partition: id, fetchOffset: '7', maxBytes: 9 })) }];
  const answer = createSendFetch(broker, () => 0.6)?.({ maxWaitTime: 1_000, topics });
  expect(await answer).toBe('answer');
  const [exchange] = sent;
  expect(exchange).toMatchObject({ request: { apiKey: 1, apiVersion: 11, apiName: 'Fetch' }, requestTimeout: 1_100 });
  expect(order((await exchange!.request.encode()).buffer).places).toEqual(['a/2', 'a/1']);
});

test.each([undefined, 10])('one that knows version %s gets kafkajs’s own', (maxVersion) => {
  expect(createSendFetch(aBroker(maxVersion).broker)).toBeUndefined();
});
