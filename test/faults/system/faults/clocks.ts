/** Wall clocks that are set forward and back: of one process, while all others keep the time. */
import { pipelineServices } from '../../../support/stack.ts';
import { type FaultKind, oneOf } from '../fault-kind.ts';
import { processesOf } from './processes.ts';

/** Steps on both sides of the greatest age of a signature (300 s). */
const stepSeconds = { least: 30, most: 600 };
/** How much later than intended something is due whose due time was set while a clock was ahead. */
export const greatestStepMs = 1_000 * stepSeconds.most;

export const clockFaults: readonly FaultKind[] = pipelineServices.map((service) => ({
  name: `${service}-clock-steps`,
  says: `the clock of one ${stepSeconds.least} to ${stepSeconds.most} s ahead, then as far behind, each for 2 to 4 s, then right again`,
  track: service,
  async inflict({ pipeline, clocks, random, pause }) {
    const name = oneOf(processesOf(service), random);
    const stepMs = Math.round(1_000 * (stepSeconds.least + random() * (stepSeconds.most - stepSeconds.least)));
    await pipeline.misleadService(name, `clock ±${stepMs} ms`, async () => {
      for (const each of random() < 0.5 ? [stepMs, -stepMs] : [-stepMs, stepMs]) {
        clocks.set(name, each);
        await pause(2_000, 4_000);
      }
      clocks.set(name, 0);
    });
  },
}));
