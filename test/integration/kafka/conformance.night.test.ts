import { createConsumer, createProducer } from '#lib/kafka';
import { kafkaConformance } from '../../support/kafka-conformance.ts';
import { startTestCluster, type TestCluster } from '../../support/kafka-conformance/cluster.ts';
import { plainClient } from '../../support/kafka-conformance/plain-client.ts';

// One file, because three brokers take a while to start: everything that needs them is in here.
let cluster: TestCluster;
beforeAll(async () => {
  cluster = await startTestCluster(`conformance-${Date.now()}.`, 3);
});
afterAll(() => cluster?.stop());

describe('libs/kafka', () => kafkaConformance({ createProducer, createConsumer }, () => cluster, 3));
describe('the plain client', () => plainClient(() => cluster));
