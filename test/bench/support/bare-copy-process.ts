/**
 * The same records through the same client of Kafka, read from their topic and written to another, batch by batch, with nothing decided in
 * between: what Kafka alone costs. Reports its own processor time and how long it took.
 */
import { Kafka, logLevel } from 'kafkajs';

export interface CopyJob {
  brokers: readonly string[];
  from: string;
  to: string;
  records: number;
}

export interface CopyReport {
  seconds: number;
  processorSeconds: number;
}

process.once('message', (job) => {
  void copy(job as CopyJob).then((report) => process.send?.(report));
});

async function copy({ brokers, from, to, records }: CopyJob): Promise<CopyReport> {
  const kafka = new Kafka({ clientId: 'bench', brokers: [...brokers], logLevel: logLevel.NOTHING });
  const producer = kafka.producer();
  const consumer = kafka.consumer({ groupId: `bare-copy-${process.pid}`, maxBytesPerPartition: 2 * 1024 * 1024 });
  await Promise.all([producer.connect(), consumer.connect()]);
  await consumer.subscribe({ topics: [from], fromBeginning: true });
  const all = Promise.withResolvers<void>();
  let copied = 0;
  let [startMs, before] = [0, process.cpuUsage()];
  await consumer.run({
    partitionsConsumedConcurrently: 3,
    eachBatch: async ({ batch }) => {
      if (startMs === 0) [startMs, before] = [performance.now(), process.cpuUsage()];
      const messages = batch.messages.map(({ key, value, headers = {} }) => ({ key, value, headers }));
      await producer.send({ topic: to, acks: -1, messages });
      copied += messages.length;
      if (copied >= records) all.resolve();
    },
  });
  await all.promise;
  const { user, system } = process.cpuUsage(before);
  const report = { seconds: (performance.now() - startMs) / 1_000, processorSeconds: (user + system) / 1e6 };
  await Promise.all([consumer.disconnect(), producer.disconnect()]);
  return report;
}
