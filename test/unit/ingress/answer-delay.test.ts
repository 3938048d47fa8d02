/** Senders wait for their answers while the deliveries of their own tenant are late. */
import { createManualClock, systemClock } from '#lib/runtime';
import { createAnswerDelay } from '../../../services/ingress/load-shedding/answer-delay.ts';
import { closeApps, createHarness, requestsTotal, signed } from './harness.ts';

afterEach(closeApps);

function createDelay(lags: Record<string, number>, maxDelayMs = 150) {
  const clock = createManualClock();
  const delays: number[] = [];
  const delay = createAnswerDelay({
    lag: { lagOf: (tenant) => lags[tenant] ?? 0 },
    maxDelayMs,
    clock,
    metrics: { answerDelayed: (seconds) => void delays.push(seconds) },
  });
  return { clock, delay, delays };
}

it('the wait grows with the lag, from nothing at a quarter of a second to all at two seconds', async () => {
  const waits: (number | undefined)[] = [];
  for (const lagMs of [0, 250, 600, 1_125, 2_000, 3_600_000]) {
    const { clock, delay, delays } = createDelay({ acme: lagMs });
    const waited = delay.wait('acme', 5);
    await clock.advance(150);
    await waited;
    waits.push(delays[0]);
  }
  expect(waits).toEqual([undefined, undefined, 0.03, 0.075, 0.15, 0.15]);
});

it('another tenant is not slowed down, nor one of which nothing is known', async () => {
  const { delay, delays } = createDelay({ flood: 5_000 });
  await delay.wait('calm', 5);
  expect(delays).toEqual([]);
});

it('the answer is still within two seconds', async () => {
  const { clock, delay, delays } = createDelay({ acme: 5_000 }, 1_000);
  await delay.wait('acme', 1_850);
  expect(delays).toEqual([]);
  const waited = delay.wait('acme', 1_500);
  await clock.advance(350);
  await waited;
  expect(delays).toEqual([0.35]);
});

it('0 switches it off: nobody is asked for the lag', async () => {
  const delay = createAnswerDelay({
    lag: {
      lagOf: () => {
        throw new Error('was asked');
      },
    },
    maxDelayMs: 0,
    clock: createManualClock(),
    metrics: { answerDelayed: () => undefined },
  });
  await delay.wait('acme', 5);
});

it('a stop ends all waits', async () => {
  const { delay } = createDelay({ acme: 5_000 });
  const waiting = [delay.wait('acme', 5), delay.wait('acme', 5)];
  delay.end();
  await Promise.all(waiting);
  await delay.wait('acme', 5);
});

describe('a webhook of a tenant whose deliveries are late', () => {
  function createLate(lagMs: number) {
    const waits: number[] = [];
    const { wait } = createAnswerDelay({
      lag: { lagOf: () => lagMs },
      maxDelayMs: 150,
      clock: systemClock,
      metrics: { answerDelayed: (seconds) => void waits.push(seconds) },
    });
    return { waits, harness: createHarness({ deps: { answerDelay: { wait } } }) };
  }

  it('is acknowledged by Kafka first, answered later, and never refused for it', async () => {
    const { waits, harness } = createLate(3_600_000);
    const beganAtMs = performance.now();
    const answer = harness.send({ headers: signed('{}'), body: '{}' });
    const { status } = await answer;
    expect(status).toBe(202);
    expect(performance.now() - beganAtMs).toBeGreaterThan(149);
    expect(waits).toEqual([0.15]);
    expect(harness.producer.records).toHaveLength(1);
    expect(await harness.metric(requestsTotal, { outcome: 'accepted' })).toBe(1);
    expect(await harness.metric(requestsTotal, { outcome: 'unavailable' })).toBe(0);
  });

  it('is refused as quickly as ever', async () => {
    const { waits, harness } = createLate(3_600_000);
    expect((await harness.send({ headers: { 'hookline-signature': 'none' }, body: '{}' })).status).toBe(400);
    expect(waits).toEqual([]);
  });
});
