import { createManualClock, silentLogger } from '#lib/runtime';
import type { BrokerConnection } from '../../../libs/kafka/producing/broker-connection.ts';
import { createTopicLayouts } from '../../../libs/kafka/producing/topic-layouts.ts';
import { settle } from './fixtures.ts';

const unknownTopic = 3;

function setUp() {
  const clock = createManualClock();
  const cluster = { leaders: { a: [1, 2] } as Record<string, number[]>, inSync: [1, 2, 3], away: false };
  const changes: string[] = [];
  const metered: string[] = [];
  const warnings: object[] = [];
  let connections = 0;
  let questions = 0;
  const asked: string[] = [];
  const connectTo = async (address: string): Promise<BrokerConnection> => {
    connections += 1;
    asked.push(address);
    return {
      isOpen: () => true,
      close: async () => undefined,
      produce: async () => [],
      async metadata(names) {
        questions += 1;
        if (cluster.away) throw new Error('connection lost');
        const inSync = cluster.inSync.length;
        const topics = names.map((name) => {
          const partitions = (cluster.leaders[name] ?? []).map((leader, id) => ({ id, leader, replicas: 3, inSync }));
          return { name, errorCode: partitions.length === 0 ? unknownTopic : 0, partitions };
        });
        return { addresses: new Map([[2, 'two:9092']]), topics };
      },
    };
  };
  const layouts = createTopicLayouts({
    brokers: ['one:9092', 'three:9092'],
    connectTo,
    clock,
    log: { ...silentLogger, warn: (line) => void warnings.push(line) },
    refreshMs: 30_000,
    onChange: (topic, layout) => changes.push(`${topic} ${layout.join()}`),
    meter: {
      described: (topic, { underReplicated, leaderless }) =>
        metered.push(`${topic}: ${underReplicated} under-replicated, ${leaderless} leaderless`),
      unreached: () => metered.push('unreached'),
    },
  });
  return {
    clock,
    cluster,
    changes,
    metered,
    warnings,
    layouts,
    asked,
    connections: () => connections,
    questions: () => questions,
  };
}

test('topics named before the start are known once it has started, others soon after they are named', async () => {
  const { clock, cluster, layouts, changes } = setUp();
  expect(layouts.get('a')).toBeUndefined();
  await layouts.start();
  expect(layouts.get('a')).toEqual([1, 2]);
  cluster.leaders.b = [3];
  expect(layouts.get('b')).toBeUndefined();
  await clock.advance(200);
  expect(layouts.get('b')).toEqual([3]);
  expect(changes).toEqual(['a 1,2', 'b 3']);
  expect([layouts.addressOf(2), layouts.addressOf(9)]).toEqual(['two:9092', undefined]);
  await layouts.stop();
});

test('leaders are asked about again at the interval, and soon after a failure, but not for each of many', async () => {
  const { clock, cluster, layouts, questions } = setUp();
  layouts.get('a');
  await layouts.start();
  await clock.advance(1_000);
  expect(questions()).toBe(1);
  cluster.leaders.a = [2, 2];
  for (let i = 0; i < 50; i += 1) layouts.refreshSoon();
  await clock.advance(50);
  for (let i = 0; i < 50; i += 1) layouts.refreshSoon();
  await clock.advance(1_000);
  expect([layouts.get('a'), questions()]).toEqual([[2, 2], 3]);
  await clock.advance(30_000);
  expect(questions()).toBe(4);
  await layouts.stop();
});

test('what is known stays known while the cluster is away, and is asked for less and less often', async () => {
  const { clock, cluster, layouts, questions } = setUp();
  layouts.get('a');
  await layouts.start();
  cluster.away = true;
  layouts.refreshSoon();
  await clock.advance(60_000);
  expect(layouts.get('a')).toEqual([1, 2]);
  expect(questions()).toBeLessThan(25);
  cluster.away = false;
  cluster.leaders.a = [3, 3];
  await clock.advance(6_000);
  expect(layouts.get('a')).toEqual([3, 3]);
  await layouts.stop();
});

test('one that does not answer is not asked again before the others, whom the cluster has named too', async () => {
  const { clock, cluster, layouts, asked } = setUp();
  layouts.get('a');
  await layouts.start();
  cluster.away = true;
  for (let i = 0; i < 3; i += 1) {
    layouts.refreshSoon();
    await clock.advance(6_000);
  }
  expect(asked.slice(0, 4)).toEqual(['one:9092', 'three:9092', 'two:9092', 'one:9092']);
  await layouts.stop();
});

test('a topic that does not exist hides no other, and costs no connection', async () => {
  const { clock, layouts, connections } = setUp();
  layouts.get('none');
  layouts.get('a');
  await layouts.start();
  await clock.advance(10_000);
  expect([layouts.get('none'), layouts.get('a'), connections()]).toEqual([undefined, [1, 2], 1]);
  await layouts.stop();
  await settle();
});

test('it is told how the partitions are replicated, and that nobody answers', async () => {
  const { clock, cluster, layouts, metered } = setUp();
  layouts.get('a');
  await layouts.start();
  cluster.inSync = [1, 2];
  cluster.leaders.a = [1, -1];
  await clock.advance(31_000);
  layouts.get('none');
  await clock.advance(1_000);
  cluster.away = true;
  layouts.refreshSoon();
  await clock.advance(100);
  expect(metered.filter((line, index) => line !== metered[index - 1])).toEqual([
    'a: 0 under-replicated, 0 leaderless',
    'a: 2 under-replicated, 1 leaderless',
    'unreached',
  ]);
  await layouts.stop();
});

test('why nobody answers is said once, and again when it had been well', async () => {
  const { clock, cluster, layouts, warnings } = setUp();
  layouts.get('a');
  await layouts.start();
  for (let outage = 1; outage <= 2; outage += 1) {
    cluster.away = true;
    layouts.refreshSoon();
    await clock.advance(20_000);
    const said = { event: 'kafka.metadata_failed', topics: 'a', reason: 'connection lost' };
    expect(warnings).toEqual(Array.from({ length: outage }, () => said));
    cluster.away = false;
    await clock.advance(20_000);
  }
  await layouts.stop();
});
