import { createHash } from 'node:crypto';
import { processorTimeMs } from '../support/processor-time.ts';

/**
 * How long one loop takes on the machine that the budget of `make test` was set on, in milliseconds of processor time: the unit tests of
 * 0.1.0 took 320 s there. Machines differ, and one machine changes its speed within hours: processor time that is multiplied by
 * `machineSpeed()` can be compared.
 */
const nominalLoopMs = 375;

/** The speed of this machine now: 1 is nominal, 2 does the same work in half the processor time. */
export function machineSpeed(rounds = 5): number {
  referenceLoop();
  const times = Array.from({ length: rounds }, () => {
    const beganMs = processorTimeMs();
    referenceLoop();
    return processorTimeMs() - beganMs;
  }).sort((one, other) => one - other);
  return nominalLoopMs / (times[Math.floor(rounds / 2)] ?? nominalLoopMs);
}

/** The kinds of work that tests do most: JSON, strings, maps, hashes, and a little arithmetic. The same on every machine. */
function referenceLoop(): number {
  const byId = new Map<string, { id: string; values: readonly number[] }>();
  let sum = 0;
  for (let round = 0; round < 100_000; round += 1) {
    const id = `evt_${(round * 2_654_435_761) % 4_294_967_296}`;
    const text = JSON.stringify({ id, type: 'order.paid', values: [round, round * 2, round * 3], nested: { id } });
    const parsed = JSON.parse(text) as { id: string; values: readonly number[] };
    byId.set(parsed.id, parsed);
    if (round % 4 === 0) sum += createHash('sha256').update(text.repeat(8)).digest()[0] ?? 0;
  }
  for (const { values } of byId.values()) for (const value of values) sum = (sum * 31 + value) % 1_000_003;
  return sum;
}
