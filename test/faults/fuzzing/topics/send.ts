/** Writes records as any client of Kafka can: to a partition of one's choice, with bytes as they are. */
import type { Topics } from '#lib/contract';
import { silentLogger } from '#lib/runtime';
import { createClient } from '../../../../libs/kafka/client.ts';
import { type ForgedRecord, markHeader, type SentRecord } from './forged-record.ts';

export interface ForgedSender {
  /** @returns the records with their places */
  send(records: readonly ForgedRecord[]): Promise<SentRecord[]>;
  close(): Promise<void>;
}

/** Small records come in batches, beside each other; a batch has no room for a large one. */
const batchRecords = 40;
const largeBytes = 20_000;

export async function connectSender(brokers: readonly string[], topics: Topics): Promise<ForgedSender> {
  const producer = createClient({ brokers, clientId: 'fuzzing', log: silentLogger }).producer();
  await producer.connect();
  let marked = 0;

  async function sendBatch(topic: string, batch: readonly ForgedRecord[]): Promise<SentRecord[]> {
    const records = batch.map((record) => ({ ...record, mark: String((marked += 1)) }));
    const messages = records.map(({ key, value, headers, partition, mark, timestampMs }) => ({
      key,
      value,
      partition,
      headers: { ...headers, [markHeader]: Buffer.from(mark) },
      ...(timestampMs !== undefined && { timestamp: String(timestampMs) }),
    }));
    const answers = await producer.send({ topic, acks: -1, messages });
    const next = new Map(answers.map(({ partition, baseOffset }) => [partition, Number(baseOffset)]));
    return records.map((record) => {
      const offset = next.get(record.partition) ?? Number.NaN;
      if (!(offset >= 0)) throw new Error(`Kafka did not take ${record.caseName}`);
      next.set(record.partition, offset + 1);
      return { ...record, offset };
    });
  }
  return {
    async send(records) {
      const sent: SentRecord[] = [];
      for (let at = 0; at < records.length;) {
        const rest = records.slice(at, at + batchRecords);
        const [topic, large] = [rest[0]?.topic, rest.findIndex((record) => sizeOf(record) > largeBytes)];
        if (topic === undefined) break;
        const batch = rest.slice(0, large === -1 ? batchRecords : Math.max(1, large));
        sent.push(...(await sendBatch(topics[topic], batch)));
        at += batch.length;
      }
      return sent;
    },
    close: () => producer.disconnect(),
  };
}

const sizeOf = ({ key, value, headers }: ForgedRecord): number =>
  [key, value, ...Object.values(headers).flat()].reduce((sum, each) => sum + (each?.length ?? 0), 0);
