/** From one version to the next under load, with its migrations, and back: in the order of deploy/k8s/roll-out.sh. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Pipeline } from '../../support/pipeline.ts';
import type { PipelineService } from '../../support/stack.ts';
import { type AnsweredSpan, answersOf, type AnswersOfSpan, wrongAnswers } from '../incidents/answers.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { processesOf } from '../system/faults/processes.ts';
import { sendOrderUpdates } from './order-updates.ts';
import { withRehearsal } from './world.ts';

interface Options {
  pipeline: Pipeline;
  seed: number;
  perSecond: number;
  say(line: string): void;
  /** Processes that are started from now on are of this version. */
  run(version: 'old' | 'new'): void;
}

interface Told {
  violations: string[];
  answers: AnswersOfSpan[];
  steps: string[];
}

/** Readers before writers. */
const order: readonly PipelineService[] = ['projector', 'dispatcher', 'dedup', 'api', 'ingress'];
const betweenMs = 20_000;

export function rehearseUpgrade({ pipeline, seed, perSecond, say, run }: Options): Promise<Told> {
  return withRehearsal({ pipeline, seed, perSecond }, async ({ load, judge }) => {
    const spans: AnsweredSpan[] = [];
    const steps: string[] = [];
    const step = async (name: string, work: () => Promise<void>): Promise<void> => {
      const beganAtMs = Date.now();
      await work();
      spans.push({ incident: { name }, beganAtMs, overAtMs: Date.now() });
      steps.push(`${name}: ${((Date.now() - beganAtMs) / 1_000).toFixed(1)} s`);
      say(steps.at(-1) ?? '');
    };
    const rollOut = async (
      before: (service: PipelineService) => Promise<void> = async () => undefined,
    ): Promise<void> => {
      for (const service of order) {
        await before(service);
        for (const name of processesOf(service)) await load.without(name, () => pipeline.restartService(name));
      }
    };
    run('new');
    await step('migrations, while the version before runs', () => pipeline.setUp());
    await step('every process replaced', () => rollOut());
    const updates = await sendOrderUpdates(pipeline, {
      random: seededRandom(seed + 1),
      ingressUrl: () => load.ingressUrl(),
    });
    await step('the new version', () => delay(betweenMs).then(() => undefined));
    run('old');
    // Records of an older ingress have the older rule: from then on, states of one order are duplicates again.
    await step('every process replaced by the version before', () =>
      rollOut((service) => (service === 'ingress' ? updates.stop() : Promise.resolve())),
    );
    await step('the version before on the new tables', () => delay(betweenMs).then(() => undefined));
    await load.stop();
    const verdict = await judge();
    const merged = await updates.violations();
    return {
      steps,
      answers: answersOf(spans, load),
      violations: [...wrongAnswers(load), ...merged, ...(verdict.violations.length > 0 ? [verdict.text] : [])],
    };
  });
}
