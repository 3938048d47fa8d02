/**
 * The same records through the same client of Kafka, read from their topic and written to another, batch by batch, with nothing decided in
 * between: what Kafka alone costs. Reports its own processor time and how long it took.
 */
import { Kafka, logLevel, type Message } from 'kafkajs';

export interface CopyJob {
  brokers: readonly string[];
  from: string;
  to: string;
  records: number;
}

/** A topic refuses more in one request. */
const maxRequestBytes = 512 * 1024;

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
  consumer.on(consumer.events.CRASH, ({ payload: { error } }) => all.reject(error));
  await consumer.run({
    partitionsConsumedConcurrently: 3,
    eachBatch: async ({ batch }) => {
      if (startMs === 0) [startMs, before] = [performance.now(), process.cpuUsage()];
      const messages = batch.messages.map(({ key, value, headers = {} }) => ({ key, value, headers }));
      for (const some of inRequests(messages)) await producer.send({ topic: to, acks: -1, messages: some });
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

/** As many at a time as one request takes. */
function* inRequests(messages: readonly Message[]): Generator<Message[]> {
  let some: Message[] = [];
  let bytes = 0;
  for (const message of messages) {
    const size = message.value?.length ?? 0;
    if (some.length > 0 && bytes + size > maxRequestBytes) {
      yield some;
      [some, bytes] = [[], 0];
    }
    some.push(message);
    bytes += size;
  }
  if (some.length > 0) yield some;
}
