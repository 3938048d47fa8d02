import { type Subject } from './measure-run.ts';
import { runStep } from './run-step.ts';

/** Kafka's processor time for an event halves within its first half minute, and no longer after it. */
const seconds = 30;

/** The first events of a system are not counted: code is compiled, connections are opened. */
export async function warmUp(subject: Subject): Promise<void> {
  const step = { kind: 'closed', endpoints: 1, seconds } as const;
  await runStep(step, { ...subject, say: () => undefined }, { arrivals: {}, sustained: undefined });
}
