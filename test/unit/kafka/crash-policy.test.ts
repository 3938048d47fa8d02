import { createManualClock } from '#lib/runtime';
import { createCrashPolicy } from '../../../libs/kafka/consuming/rebuilding/crash-policy.ts';

const named = (name: string): Error => Object.assign(new Error(name), { name });

test('brokers that are away are waited for longer than anything else, and progress starts the count again', async () => {
  const clock = createManualClock();
  const policy = createCrashPolicy(clock, { awayMs: 1_000, otherMs: 100 });
  const away = named('KafkaJSConnectionError');
  expect(policy.mayRestart(away)).toBe(true);
  await clock.advance(500);
  expect([policy.mayRestart(away), policy.mayRestart(named('KafkaJSError'))]).toEqual([true, false]);
  await clock.advance(500);
  expect(policy.mayRestart(away)).toBe(false);
  policy.progressed();
  expect([policy.mayRestart(away), policy.mayRestart(named('KafkaJSError'))]).toEqual([true, true]);
});
