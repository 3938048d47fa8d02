/** Writes records as any client of Kafka can: to a partition of one's choice, with bytes as they are. */
import { CompressionTypes, type Producer } from 'kafkajs';
import type { Topics } from '#lib/contract';
import { silentLogger } from '#lib/log';
import { createClient } from '../../../../libs/kafka/client.ts';
import { type ForgedRecord, markHeader, type SentRecord } from './forged-record.ts';

export interface ForgedSender {
  /** @returns the records with their places, in the order given */
  send(records: readonly (ForgedRecord & { partition: number })[]): Promise<SentRecord[]>;
  close(): Promise<void>;
}

const batchBytes = 1024 * 1024;
const batchRecords = 50;

export async function connectSender(brokers: readonly string[], topics: Topics): Promise<ForgedSender> {
  const producer: Producer = createClient({ brokers, clientId: 'fuzzing', log: silentLogger }).producer();
  await producer.connect();
  let marked = 0;

  const sendBatch = async (
    batch: readonly (ForgedRecord & { partition: number; mark: string })[],
  ): Promise<SentRecord[]> => {
    const [first] = batch;
    if (first === undefined) return [];
    const [answer] = await producer.send({
      topic: topics[first.topic],
      acks: -1,
      compression: CompressionTypes.None,
      messages: batch.map(({ key, value, headers, partition, mark, timestampMs }) => ({
        key,
        value,
        partition,
        headers: { ...(headers as Record<string, Buffer | Buffer[]>), [markHeader]: Buffer.from(mark) },
        ...(timestampMs !== undefined && { timestamp: String(timestampMs) }),
      })),
    });
    const base = Number(answer?.baseOffset);
    if (!Number.isInteger(base) || base < 0) throw new Error(`Kafka did not take a batch of ${first.kind}`);
    return batch.map((record, index) => ({ ...record, offset: base + index }));
  };

  return {
    async send(records) {
      const sent: SentRecord[] = [];
      let batch: (ForgedRecord & { partition: number; mark: string })[] = [];
      let bytes = 0;
      for (const record of records) {
        const [first] = batch;
        const isOther = first !== undefined && (first.topic !== record.topic || first.partition !== record.partition);
        const size = sizeOf(record);
        if (isOther || bytes + size > batchBytes || batch.length === batchRecords) {
          sent.push(...(await sendBatch(batch)));
          batch = [];
          bytes = 0;
        }
        batch.push({ ...record, mark: String((marked += 1)) });
        bytes += size;
      }
      return [...sent, ...(await sendBatch(batch))];
    },
    close: () => producer.disconnect(),
  };
}

const sizeOf = ({ key, value, headers }: ForgedRecord): number =>
  (key?.length ?? 0) +
  (value?.length ?? 0) +
  Object.entries(headers).reduce(
    (sum, [name, values]) => sum + [values].flat().reduce((all, each) => all + each.length + name.length + 10, 0),
    0,
  );
