import { isAppError } from '#lib/runtime';
import type { KafkaClient } from '../kafka-conformance.ts';
import type { TestCluster } from './cluster.ts';
import { producerOptions, runningParts } from './setup.ts';

export function boundsOfSending(client: KafkaClient, cluster: () => TestCluster): void {
  const run = runningParts();
  // A reserved port on which nothing listens.
  const nowhere = ['127.0.0.1:1'];
  const record = (topic: string, value: Buffer | string = 'x') => ({
    topic,
    key: null,
    value: Buffer.from(value),
    headers: {},
  });

  it('refuses at once what is beyond the bound on records, with Kafka away', async () => {
    const producer = await run(
      client.createProducer(
        producerOptions(nowhere, { maxPendingRecords: 10, deliveryTimeoutMs: 20_000, flushTimeoutMs: 0 }),
      ),
    );
    const accepted = Array.from({ length: 10 }, () => producer.send(record('t')).catch((error: unknown) => error));
    const startedAtMs = performance.now();
    await expect(producer.send(record('t'))).rejects.toMatchObject({ code: 'queue_full', retryable: true });
    expect(performance.now() - startedAtMs).toBeLessThan(100);
    expect(producer.pending().records).toBe(10);
    await producer.stop();
    for (const end of await Promise.all(accepted)) expect(isAppError(end, 'kafka_unavailable')).toBe(true);
  });

  it('refuses at once what is beyond the bound on bytes', async () => {
    const producer = await run(
      client.createProducer(producerOptions(nowhere, { maxPendingBytes: 100_000, flushTimeoutMs: 0 })),
    );
    const accepted = producer.send(record('t', Buffer.alloc(90_000))).catch((error: unknown) => error);
    await expect(producer.send(record('t', Buffer.alloc(20_000)))).rejects.toMatchObject({ code: 'queue_full' });
    await producer.stop();
    await accepted;
  });

  it('ends every record as unavailable at its time limit, with Kafka away', async () => {
    const producer = await run(client.createProducer(producerOptions(nowhere, { deliveryTimeoutMs: 700 })));
    const startedAtMs = performance.now();
    const ends = await Promise.allSettled(Array.from({ length: 100 }, () => producer.send(record('t'))));
    const tookMs = performance.now() - startedAtMs;
    expect(ends.every((end) => end.status === 'rejected' && isAppError(end.reason, 'kafka_unavailable'))).toBe(true);
    expect(tookMs).toBeGreaterThan(650);
    expect(tookMs).toBeLessThan(1_200);
    expect(producer.pending()).toEqual({ records: 0, bytes: 0 });
  });

  it('ends a record at a time limit of its own, before those that were sent earlier', async () => {
    const producer = await run(client.createProducer(producerOptions(nowhere, { deliveryTimeoutMs: 2_000 })));
    const patient = producer.send(record('t')).then(
      () => 'written',
      () => performance.now(),
    );
    const hurried = producer.send(record('t'), 300).then(
      () => 'written',
      () => performance.now(),
    );
    const startedAtMs = performance.now();
    expect(Number(await hurried) - startedAtMs).toBeLessThan(800);
    await expect(producer.send(record('t'), 0)).rejects.toMatchObject({ code: 'kafka_unavailable' });
    expect(producer.pending().records).toBe(1);
    expect(Number(await patient) - startedAtMs).toBeGreaterThan(1_900);
  });

  it('refuses what is sent after stop', async () => {
    const producer = client.createProducer(producerOptions(cluster().brokers));
    await producer.start();
    await producer.stop();
    await expect(producer.send(record('t'))).rejects.toMatchObject({ code: 'stopped' });
  });

  it('fails a record that is too large alone, and writes its neighbours of the same batch', async () => {
    const topic = await cluster().createTopic('too-large', [[1, 2, 3]], { 'max.message.bytes': '100000' });
    const producer = await run(client.createProducer(producerOptions(cluster().brokers, { lingerMs: 50 })));
    const values = Array.from({ length: 41 }, (_, i) => Buffer.alloc(i === 20 ? 200_000 : 1_000, i));
    const ends = await Promise.allSettled(values.map((value) => producer.send(record(topic, value))));
    const failed = ends.flatMap((end, i) => (end.status === 'rejected' ? [{ i, reason: end.reason as unknown }] : []));
    expect(failed).toMatchObject([{ i: 20, reason: { code: 'data_invalid', retryable: false } }]);
    const stored = await cluster().readAll(topic);
    expect(stored.map(({ value }) => value[0])).toEqual(values.map((_, i) => i).filter((i) => i !== 20));
  });

  it('writes what is pending when it is stopped', async () => {
    const topic = await cluster().createTopic('flushed', [
      [1, 2, 3],
      [2, 3, 1],
    ]);
    const producer = client.createProducer(producerOptions(cluster().brokers, { lingerMs: 10_000 }));
    await producer.start();
    const sends = Array.from({ length: 100 }, () => producer.send(record(topic)));
    await producer.stop();
    await Promise.all(sends);
    expect(await cluster().readAll(topic)).toHaveLength(100);
  });
}
