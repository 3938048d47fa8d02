import { createRequire } from 'node:module';
import { paceIdleFetches } from '../../../libs/kafka/idle-fetches.ts';

const load = createRequire(__filename);

interface Request {
  maxWaitTime: number;
  minBytes: number;
  topics: { topic: string; partitions: object[] }[];
}

interface TheirBroker {
  fetch(request: Request): Promise<unknown>;
}

const Broker = load('kafkajs/src/broker/index.js') as { prototype: TheirBroker };
const asked: Pick<Request, 'maxWaitTime' | 'minBytes'>[] = [];
let found: object[] = [];

beforeAll(() => {
  Broker.prototype.fetch = async ({ maxWaitTime, minBytes }) => {
    asked.push({ maxWaitTime, minBytes });
    return { responses: [{ partitions: [{ messages: [] }, { messages: found }] }] };
  };
  paceIdleFetches();
  paceIdleFetches();
});
beforeEach(() => {
  asked.length = 0;
  found = [];
});

const gathering = { maxWaitTime: 25, minBytes: 131_072, topics: [] };
const atRest = { maxWaitTime: 250, minBytes: 1 };
const asGiven = { maxWaitTime: 25, minBytes: 131_072 };
const newBroker = (): TheirBroker => Object.create(Broker.prototype) as TheirBroker;

test('a fetch waits longer where the one before found nothing, for the first byte; what finds something is as it was asked for', async () => {
  const broker = newBroker();
  await broker.fetch(gathering);
  await broker.fetch(gathering);
  found = [{}];
  await broker.fetch(gathering);
  await broker.fetch(gathering);
  expect(asked).toEqual([asGiven, atRest, atRest, asGiven]);
});

test('who waits longer by itself is left to it, and brokers are at rest each for itself', async () => {
  const broker = newBroker();
  await broker.fetch(gathering);
  await broker.fetch({ ...gathering, maxWaitTime: 1_000 });
  await newBroker().fetch(gathering);
  expect(asked).toEqual([asGiven, { maxWaitTime: 1_000, minBytes: 1 }, asGiven]);
});
