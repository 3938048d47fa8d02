import { percentile } from '../../support/percentiles.ts';
import type { Call, Webhook } from './neighbours.ts';

/** The evidence when all has come to rest. */
export interface Evidence {
  webhooks: readonly Webhook[];
  arrivals: ReadonlyMap<string, { atMs: number; times: number }>;
  calls: readonly Call[];
  /** The status of each webhook's event, and its id. */
  events: ReadonlyMap<string, { id: string; status: string }>;
  /** How many times as long as alone anything may take, by p99. */
  mostTimes: number;
}

type Measure = 'arrival' | 'get' | 'post';

export interface PhaseFigures {
  phase: string;
  webhooks: number;
  p50Ms: Record<Measure, number>;
  p99Ms: Record<Measure, number>;
  polls: number;
  tests: number;
  refused: number;
  unanswered: number;
}

export const alone = 'alone';
export const spinning = 'spinning';
export const attacked = 'attacked';
const measures = ['arrival', 'get'] as const;

export function figuresOf(phase: string, { webhooks, arrivals, calls }: Evidence): PhaseFigures {
  const own = webhooks.filter((webhook) => webhook.phase === phase);
  const asked = calls.filter((call) => call.phase === phase);
  const values: Record<Measure, number[]> = {
    // One that has not arrived is a violation of its own, and has taken for ever.
    arrival: own.map(({ identity, acceptedAtMs }) =>
      Math.max(0, (arrivals.get(identity)?.atMs ?? Number.POSITIVE_INFINITY) - acceptedAtMs),
    ),
    get: asked.filter(({ what }) => what === 'get').map(({ ms }) => ms),
    post: own.map(({ postMs }) => postMs),
  };
  const at = (share: number) => ({
    arrival: percentile(values.arrival, share),
    get: percentile(values.get, share),
    post: percentile(values.post, share),
  });
  return {
    phase,
    webhooks: own.length,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    polls: asked.filter(({ what }) => what === 'poll').length,
    tests: asked.filter(({ what }) => what === 'test').length,
    refused: asked.filter(({ status }) => status !== null && status >= 400).length,
    unanswered: asked.filter(({ status }) => status === null).length,
  };
}

/** The violations of a run; none if no tenant held up another. */
export function judge(evidence: Evidence): string[] {
  const { webhooks, arrivals, events, calls, mostTimes } = evidence;
  const violations: string[] = [];
  const say = (name: string, bad: readonly string[], of: number): void => {
    if (bad.length > 0) violations.push(`${name} ${bad.length}: of ${of}, ${bad.slice(0, 5).join(', ')}`);
  };
  const unarrived = webhooks.filter(({ identity }) => !arrivals.has(identity));
  say(
    'never-arrived',
    unarrived.map(({ identity }) => identity),
    webhooks.length,
  );
  const lost = webhooks.filter(({ receiptId }) => !events.has(receiptId));
  say(
    'accepted-but-lost',
    lost.map(({ identity }) => identity),
    webhooks.length,
  );
  const open = webhooks.filter(({ receiptId }) => (events.get(receiptId)?.status ?? 'completed') !== 'completed');
  say(
    'not-completed',
    open.map(({ identity }) => identity),
    webhooks.length,
  );
  const ids = webhooks.flatMap(({ receiptId }) => events.get(receiptId)?.id ?? []);
  if (new Set(ids).size < ids.length) violations.push('two-webhooks-one-event 1: an id was given twice');
  if (webhooks.length === 0) violations.push('nothing-sent 1: nothing was accepted');

  const unanswered = calls.filter(({ status }) => status === null);
  say(
    'unanswered',
    unanswered.map(({ what, tenant }) => `${what} of ${tenant}`),
    calls.length,
  );
  const refused = calls.filter(({ status }) => status !== null && status >= 400);
  say(
    'refused-for-another',
    refused.map(({ what, tenant, status }) => `${what} of ${tenant}: ${status}`),
    calls.length,
  );
  // The api answers 202 where no attempt came in time: on a machine that is slow for all, alone too.
  const testsIn = (phase: string): readonly Call[] =>
    calls.filter((call) => call.what === 'test' && call.phase === phase);
  const shareWaited = (phase: string): number =>
    testsIn(phase).filter(({ status }) => status === 202).length / Math.max(1, testsIn(phase).length);
  const [waitedAlone, waitedBeside] = [shareWaited(alone), shareWaited(attacked)];
  if (waitedBeside > mostTimes * waitedAlone)
    violations.push(
      `test-without-attempt 1: ${percent(waitedBeside)} beside the attack, ${percent(waitedAlone)} alone`,
    );

  const [before, during] = [figuresOf(alone, evidence), figuresOf(attacked, evidence)];
  for (const measure of measures) {
    const [was, is] = [before.p99Ms[measure], during.p99Ms[measure]];
    // Written so that a phase without any of them does not pass.
    if (!(is <= mostTimes * was))
      violations.push(
        `slower-for-another 1: p99 of ${measure} ${is.toFixed()} ms beside the attack, ${was.toFixed()} ms alone: ${(is / was).toFixed(2)} times`,
      );
  }
  return violations;
}

const percent = (share: number): string => `${(100 * share).toFixed()} %`;
