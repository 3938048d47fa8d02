/**
 * The conformance suite of libs/kafka/port.ts, on a real cluster. With three brokers, leaders move and brokers are killed; with one, that part
 * is left out. A second client is held to it by calling this with its own factories.
 */
import type { ConsumerOptions, ProducerOptions, RecordConsumer, RecordProducer } from '#lib/kafka';
import type { Part } from '#lib/runtime';
import type { TestCluster } from './kafka-conformance/cluster.ts';
import { boundsOfSending } from './kafka-conformance/bounds-of-sending.ts';
import { consuming } from './kafka-conformance/consuming.ts';
import { deliveryUnderFaults } from './kafka-conformance/delivery-under-faults.ts';
import { rebalancing } from './kafka-conformance/rebalancing.ts';
import { standingStill } from './kafka-conformance/standing-still.ts';

export interface KafkaClient {
  createProducer(options: ProducerOptions): Part & RecordProducer;
  createConsumer(options: ConsumerOptions): RecordConsumer;
}

export function kafkaConformance(client: KafkaClient, cluster: () => TestCluster, brokerCount: 1 | 3): void {
  describe('the bounds of sending', () => boundsOfSending(client, cluster));
  describe('consuming', () => consuming(client, cluster));
  describe('consuming through rebalances', () => rebalancing(client, cluster));
  if (brokerCount === 1) return;
  describe('sending while leaders move and brokers die', () => deliveryUnderFaults(client, cluster));
  describe('consuming while brokers die', () => standingStill(client, cluster));
}
