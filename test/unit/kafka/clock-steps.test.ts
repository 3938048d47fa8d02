import { createRequire } from 'node:module';
import { applyPatches } from '../../../libs/kafka/kafkajs-patches/apply-patches.ts';

const load = createRequire(import.meta.url);
const tenMinutesMs = 600_000;

beforeAll(() => {
  applyPatches();
  applyPatches();
});
afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
});

interface Group {
  memberId: string;
  coordinator: { heartbeat(): Promise<void> };
  heartbeat(options: { interval: number }): Promise<void>;
}

it('sends heartbeats at their interval, and goes on when the clock was set back: a member that has fallen silent is replaced', async () => {
  const ConsumerGroup = load('kafkajs/src/consumer/consumerGroup.js') as new (options: object) => Group;
  const group = new ConsumerGroup({
    logger: { namespace: () => ({}) },
    instrumentationEmitter: { emit: () => undefined },
  });
  let sent = 0;
  group.memberId = 'member';
  group.coordinator = { heartbeat: () => Promise.resolve(void (sent += 1)) };
  let nowMs = Date.now() + 3_000;
  jest.spyOn(Date, 'now').mockImplementation(() => nowMs);
  const beat = (): Promise<void> => group.heartbeat({ interval: 2_000 });

  await beat();
  await beat();
  expect(sent).toBe(1);
  nowMs -= tenMinutesMs;
  await beat();
  await beat();
  expect(sent).toBe(2);
  nowMs += 2_000;
  await beat();
  expect(sent).toBe(3);
});

interface Queue {
  inflight: Map<number, { requestTimeout: number; timeoutRequest(): void }>;
  scheduleRequestTimeoutCheck(): void;
  destroy(): void;
}

it.each([
  ['ahead', tenMinutesMs],
  ['back', -tenMinutesMs],
])('times a request out after its time, though the clock was set %s meanwhile', (_how, stepMs) => {
  jest.useFakeTimers();
  const RequestQueue = load('kafkajs/src/network/requestQueue/index.js') as new (options: object) => Queue;
  const queue = new RequestQueue({
    requestTimeout: 5_000,
    enforceRequestTimeout: true,
    isConnected: () => true,
    logger: { debug: () => undefined },
  });
  let timedOut = 0;
  queue.inflight.set(1, { requestTimeout: 5_000, timeoutRequest: () => void (timedOut += 1) });
  queue.scheduleRequestTimeoutCheck();
  jest.advanceTimersByTime(1_000);
  jest.setSystemTime(Date.now() + stepMs);
  jest.advanceTimersByTime(3_900);
  expect(timedOut).toBe(0);
  // A look every half second: seen by one, and found too late by another.
  jest.advanceTimersByTime(1_200);
  expect(timedOut).toBeGreaterThan(0);
  queue.destroy();
});
