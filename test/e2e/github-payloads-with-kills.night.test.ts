import type { EndpointSettings } from '#lib/contract';
import type { CrashPointName } from '#lib/runtime';
import { flushRedisDatabase } from '../support/flush-redis.ts';
import { createLimit } from '../support/limit.ts';
import { pause, type Pipeline, type PlannedKill } from '../support/pipeline.ts';
import { failing } from '../support/receiver.ts';
import { seededRandom, shuffled } from '../support/seeded-random.ts';
import { githubPayloads } from './github-payloads.ts';
import { type OwnPipeline, startOwnPipeline } from './own-pipeline.ts';
import { prepareWebhookRun } from './webhook-run.ts';

const seed = 658;
/** Most of a case is waiting for Kafka to give up a dead member: several at once cost little more than one. */
const casesAtOnce = 4;
/**
 * The least time that a kill is given with all that belongs to it. The pace follows the slowest of them: on a slow machine webhooks come more
 * slowly, so that some are left for the last kill.
 */
const minSecondsPerKill = 20;
/** A crash point is passed once for a batch or a record: within the first few, there is always one. */
const maxTurn = 3;
const drainTimeoutMs = 90_000;

/** So that some deliveries are retried, and some of those dead-lettered: there is a crash point behind the dead letter. */
const failingShare = 0.4;
const endpoint: EndpointSettings = {
  retry: { base_seconds: 1, cap_seconds: 1, max_attempts: 2 },
  // A machine that is busy is no receiver that is slow.
  timeout_ms: 20_000,
};

const dedupPoints = [
  'dedup.after-claim',
  'dedup.after-insert',
  'publish.after-event',
  'dedup.after-publish',
  'dedup.before-commit',
] as const;
const dispatcherPoints = [
  'fan-out.before-set',
  'fan-out.after-set',
  'fan-out.after-deliveries',
  'dispatcher.before-send',
  'dispatcher.after-send',
  'dispatcher.after-dead-letter',
  'dispatcher.after-outcome',
  'dispatcher.before-commit',
] as const;
const ingressPoints = ['ingress.before-produce', 'ingress.after-produce'] as const;
const projectorPoints = [
  'projector.before-transaction',
  'projector.after-ahead',
  'projector.after-transaction',
] as const;

type BeforeRestart = (pipeline: Pipeline) => Promise<void>;
const atOnce: BeforeRestart = async () => undefined;
const afterPause: BeforeRestart = pause(3_000);
const afterFlush: BeforeRestart = ({ redisUrl }) => flushRedisDatabase(redisUrl);

/** The longest first. */
const cases: [service: string, how: string, points: readonly CrashPointName[], beforeRestart: BeforeRestart][] = [
  ['the dispatcher', 'at once', dispatcherPoints, atOnce],
  ['the dispatcher', 'after a pause', dispatcherPoints, afterPause],
  ['dedup', 'at once', dedupPoints, atOnce],
  ['dedup', 'after a pause', dedupPoints, afterPause],
  ['dedup', 'after Redis has lost everything', dedupPoints, afterFlush],
  ['the projector', 'at once', projectorPoints, atOnce],
  ['the ingress', 'at once', ingressPoints, atOnce],
];

describe('all GitHub payloads, each sent twice, to two endpoints of which one often fails', () => {
  const inTurn = createLimit(casesAtOnce);

  it.concurrent.each(cases)(
    'with %s killed at each of its crash points and started again %s: the sum is exact, nothing is missing, no second event id',
    (service, how, points, beforeRestart) =>
      inTurn(async () => {
        const caseSeed = seed + cases.findIndex(([name, restart]) => name === service && restart === how);
        // Narrow events would leave the dispatcher nothing to fan out.
        const env: Record<string, string> = points === dispatcherPoints ? { HOOKLINE_FAN_OUT_AT_ONCE: '0' } : {};
        const pipeline = await startOwnPipeline({ env });
        try {
          await pipeline.explain(() => killAlongAndCheck(pipeline, points, beforeRestart, caseSeed));
        } finally {
          await pipeline.close();
        }
      }),
  );
});

async function killAlongAndCheck(
  pipeline: OwnPipeline,
  points: readonly CrashPointName[],
  beforeRestart: BeforeRestart,
  caseSeed: number,
): Promise<void> {
  const random = seededRandom(caseSeed);
  const kills = points.map((point): PlannedKill => ({ point, turn: 1 + Math.floor(random() * maxTurn) }));
  const run = await prepareWebhookRun(pipeline.stack, {
    scheme: 'github',
    random,
    exclusive: true,
    endpoint,
    faults: pipeline.faults,
  });
  try {
    const flaky = failing(failingShare, 503, seededRandom(caseSeed));
    run.receiver.react(({ name }) => (name === 'second' ? flaky() : { status: 200 }));
    const payloads = githubPayloads(run.source.secret, random);
    const webhooks = shuffled([...payloads, ...payloads], random);
    let killsLeft = kills.length;
    let secondsPerKill = minSecondsPerKill;
    let sinceMs = performance.now();
    const killing = pipeline.killAlong(kills, async () => {
      killsLeft -= 1;
      secondsPerKill = Math.max(secondsPerKill, (1.5 * (performance.now() - sinceMs)) / 1_000);
      sinceMs = performance.now();
      await beforeRestart(pipeline);
    });
    const perSecond = (left: number): number => left / (Math.max(1, killsLeft) * secondsPerKill);
    const [exits] = await Promise.all([killing, run.sendAll(webhooks, perSecond, killing)]);
    const { text, tally } = await run.check(drainTimeoutMs);
    console.log(
      `seed ${caseSeed}, killed at ${kills.map(({ point, turn }) => `${point}@${turn}`).join(', ')}\n${text}`,
    );

    const ofItsOwn = expect.objectContaining({ signal: 'SIGKILL', killedByTest: false }) as unknown;
    expect(exits).toEqual(kills.map(() => ofItsOwn));
    expect(tally).toEqual({});
    expect(new Set(run.sender.log.filter(({ outcome }) => outcome === 'ok').map(({ identity }) => identity)).size).toBe(
      payloads.length,
    );
  } finally {
    await run.close();
  }
}
