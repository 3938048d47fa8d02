import type { OutgoingRecord, RecordPosition } from '#lib/kafka';
import { AppError, createManualClock } from '#lib/runtime';
import { type BusyReason, createAdmission } from '../../../services/ingress/load-shedding/admission.ts';

const record: OutgoingRecord = { topic: 't', key: null, value: Buffer.alloc(100), headers: {} };

interface Sent {
  timeoutMs: number;
  acknowledge(): Promise<void>;
  fail(error: AppError): Promise<void>;
}

function setUp() {
  const clock = createManualClock();
  const sent: Sent[] = [];
  const refusals: BusyReason[] = [];
  let loopDelayMs = 0;
  let pending = 0;
  const settle = async (end: () => void): Promise<void> => {
    pending -= 1;
    end();
    await new Promise(setImmediate);
  };
  const admission = createAdmission({
    producer: {
      send: (_record, timeoutMs = 0) => {
        pending += 1;
        const { promise, resolve, reject } = Promise.withResolvers<RecordPosition>();
        sent.push({
          timeoutMs,
          acknowledge: () => settle(() => resolve({ topic: 't', partition: 0, offset: 0n })),
          fail: (error) => settle(() => reject(error)),
        });
        return promise;
      },
      pending: () => ({ records: pending, bytes: pending * 100 }),
    },
    loopDelay: { currentMs: () => loopDelayMs },
    clock,
    maxPendingRecords: 100,
    maxPendingBytes: 5_000,
    onRefusal: (reason) => refusals.push(reason),
  });
  /** One webhook, as far as Kafka is concerned: how it ended, once it has. */
  const send = (deadlineMs = admission.deadlineMs(0)): { end: string | undefined } => {
    const outcome: { end: string | undefined } = { end: undefined };
    admission.send(record, deadlineMs).then(
      () => (outcome.end = 'acknowledged'),
      (error: AppError) => (outcome.end = error.code),
    );
    return outcome;
  };
  return { clock, admission, sent, refusals, send, delay: (ms: number) => (loopDelayMs = ms) };
}
const timedOut = new AppError('kafka_unavailable', 'no acknowledgment in its time');

describe('the time that a webhook has', () => {
  test('is two seconds from its last byte, less what writing the answer takes', () => {
    const { admission, clock } = setUp();
    expect(admission.deadlineMs(0) - clock.monotonicMs()).toBe(1_850);
  });

  test('counts what was spent before: a source that took 1.5 seconds to look up leaves the rest for Kafka', () => {
    const { admission, clock, send, sent } = setUp();
    expect(admission.deadlineMs(1_500) - clock.monotonicMs()).toBe(350);
    send(admission.deadlineMs(1_500));
    expect(sent[0]?.timeoutMs).toBe(350);
  });

  test('counts what it may have waited unseen, and how late its time limit will be noticed', () => {
    const { admission, clock, send, sent, delay } = setUp();
    delay(200);
    expect(admission.deadlineMs(0) - clock.monotonicMs()).toBe(1_650);
    send();
    expect(sent[0]?.timeoutMs).toBe(1_450);
  });

  test('ends also what is acknowledged later: no 2xx comes after it', async () => {
    const { clock, send, sent } = setUp();
    const [inTime, late] = [send(), send()];
    await clock.advance(1_850);
    await sent[0]?.acknowledge();
    await clock.advance(1);
    await sent[1]?.acknowledge();
    expect([inTime.end, late.end]).toEqual(['acknowledged', 'kafka_unavailable']);
  });
});

describe('a webhook is let in', () => {
  test('where nothing is known yet, and in a burst over a Kafka that was quick', async () => {
    const { admission, clock, send, sent } = setUp();
    expect(admission.admit()).toBeUndefined();
    send();
    await clock.advance(5);
    await sent[0]?.acknowledge();
    for (let each = 0; each < 40; each += 1) {
      expect(admission.admit()).toBeUndefined();
      send();
    }
  });

  test('as long as something is acknowledged within each second, though others wait', async () => {
    const { admission, clock, send, sent } = setUp();
    send();
    for (let each = 1; each < 10; each += 1) {
      send();
      await clock.advance(900);
      await sent[each]?.acknowledge();
      expect(admission.admit()).toBeUndefined();
    }
  });
});

describe('a webhook is turned away', () => {
  test('where the bound on records or bytes is reached, until one has ended', async () => {
    const { admission, send, sent, refusals } = setUp();
    for (let each = 0; each < 50; each += 1) send();
    expect(admission.admit()).toBe('full');
    await sent[0]?.acknowledge();
    expect(admission.admit()).toBeUndefined();
    expect(refusals).toEqual(['full']);
  });

  test('where this process is so late that its answer would be, and in part while it is on the way there', () => {
    const { admission, delay } = setUp();
    const letIn = (lateMs: number): number => {
      delay(lateMs);
      return Array.from({ length: 100 }, () => admission.admit()).filter((reason) => reason === undefined).length;
    };
    expect([0, 400, 500, 600, 700, 800, 5_000, 0].map(letIn)).toEqual([100, 100, 75, 50, 25, 0, 0, 100]);
  });

  test('where Kafka has been silent for a second; one in 250 ms finds out when it is back', async () => {
    const { admission, clock, send, sent } = setUp();
    send();
    await clock.advance(1_001);
    // The first finds out.
    expect([admission.admit(), admission.admit()]).toEqual([undefined, 'stalled']);
    await sent[0]?.fail(timedOut);
    await clock.advance(249);
    expect(admission.admit()).toBe('stalled');
    await clock.advance(1);
    expect([admission.admit(), admission.admit()]).toEqual([undefined, 'stalled']);
    send();
    await sent[1]?.acknowledge();
    expect([admission.admit(), admission.admit()]).toEqual([undefined, undefined]);
  });

  test('not for what a record did that had no time, or that the broker refused', async () => {
    const { admission, clock, send, sent } = setUp();
    send();
    await clock.advance(20);
    await sent[0]?.fail(timedOut);
    await clock.advance(2_000);
    expect([admission.admit(), admission.admit()]).toEqual([undefined, undefined]);
    send();
    await sent[1]?.fail(new AppError('data_invalid', 'too large'));
    await clock.advance(2_000);
    expect([admission.admit(), admission.admit()]).toEqual([undefined, undefined]);
  });

  test('not for a silence of long ago', async () => {
    const { admission, clock, send, sent } = setUp();
    send();
    await clock.advance(1_850);
    await sent[0]?.fail(timedOut);
    await clock.advance(60_000);
    expect([admission.admit(), admission.admit()]).toEqual([undefined, undefined]);
  });

  test('where acknowledgments take so long that one more would come too late, until nothing waits', async () => {
    const { admission, clock, send, sent } = setUp();
    // A standing queue of thirty, in which each waits for a second and a half.
    let next = 0;
    for (let each = 0; each < 30; each += 1) send();
    for (let turn = 0; turn < 10; turn += 1) {
      for (let each = 0; each < 15; each += 1) {
        await clock.advance(50);
        send();
      }
      for (let each = 0; each < 15; each += 1) await sent[next++]?.acknowledge();
    }
    for (let turn = 0; turn < 8; turn += 1) {
      for (let each = 0; each < 30; each += 1) {
        await sent[next++]?.acknowledge();
        send();
        await clock.advance(50);
      }
    }
    for (let each = 0; each < 10; each += 1) send();
    expect(admission.admit()).toBe('slow');
    while (next < sent.length) await sent[next++]?.acknowledge();
    expect(admission.admit()).toBeUndefined();
  });
});
