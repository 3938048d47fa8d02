import { createConsumer, createProducer } from '#lib/kafka';
import { kafkaConformance } from '../../support/kafka-conformance.ts';
import { startTestCluster, type TestCluster } from '../../support/kafka-conformance/cluster.ts';

// The part that needs several brokers is in conformance.night.test.ts.
let cluster: TestCluster;
beforeAll(async () => {
  cluster = await startTestCluster(`conformance-${Date.now()}.`, 1);
});
afterAll(() => cluster?.stop());

describe('libs/kafka', () => kafkaConformance({ createProducer, createConsumer }, () => cluster, 1));
