import type { OutgoingRecord, RecordPosition, RecordProducer } from '#lib/kafka';
import { AppError, type AppErrorCode } from '#lib/runtime';

export interface FakeProducer extends RecordProducer {
  /** All that was handed over, acknowledged or not. */
  records: OutgoingRecord[];
  /** From now on every send fails with this. */
  failWith(code: AppErrorCode): void;
  /** From now on no send ends before `release`. */
  hold(): void;
  release(): void;
}

export function createFakeProducer(): FakeProducer {
  const records: OutgoingRecord[] = [];
  let failure: AppErrorCode | undefined;
  let gate = Promise.resolve();
  let release = (): void => undefined;
  let pending = 0;
  return {
    records,
    failWith: (code) => (failure = code),
    hold() {
      gate = new Promise((resolve) => (release = resolve));
    },
    release: () => release(),
    async send(record, timeoutMs = 1): Promise<RecordPosition> {
      if (timeoutMs <= 0) throw new AppError('kafka_unavailable', 'there is no time left');
      records.push(record);
      pending += 1;
      await gate;
      pending -= 1;
      if (failure !== undefined) throw new AppError(failure, 'as the test wants it');
      return { topic: record.topic, partition: 0, offset: BigInt(records.length) };
    },
    pending: () => ({ records: pending, bytes: 0 }),
  };
}
